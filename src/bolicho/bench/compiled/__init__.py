"""Compiled loops of benchmarks."""
