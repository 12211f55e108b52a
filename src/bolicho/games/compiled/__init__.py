"""What Python calls, chance, events and bits, compiled."""
