"""Compiled code that the bench compares with."""
