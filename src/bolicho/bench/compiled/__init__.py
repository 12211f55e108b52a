"""What is measured beside, compiled."""
