"""Compiled part of the binding."""
