"""Codings and schemes, compiled."""
