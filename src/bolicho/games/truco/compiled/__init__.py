"""What a seat of Truco may know, and a hand, compiled."""
