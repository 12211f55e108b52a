"""After-states, compiled."""
