"""Policies learned by their gradient: in self-play, and as best responders to a fixed agent."""
