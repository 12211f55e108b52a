"""Sarsa: a linear value of after-states, learned by playing against oneself."""
