"""Compiled code that several techniques share."""
