"""Agents, one package per technique. Imports `games`."""
