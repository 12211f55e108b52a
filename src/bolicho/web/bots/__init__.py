"""Bots over HTTP: challenges, and streams of what happens; see docs/api.md."""
