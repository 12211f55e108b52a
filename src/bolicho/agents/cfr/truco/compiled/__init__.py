"""Compiled code of Truco by vectors."""
