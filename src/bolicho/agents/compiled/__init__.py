"""Compiled code that players of several techniques share."""
