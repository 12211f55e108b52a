"""Explain a decision."""


def explain(*args):
    return None
