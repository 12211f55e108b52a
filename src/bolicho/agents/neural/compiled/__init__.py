"""Compiled codings and schemes."""
