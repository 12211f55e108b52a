"""Bots over HTTP: challenges and event streams; see docs/api.md."""
