"""The rules of 7 Wonders by subject, compiled."""
