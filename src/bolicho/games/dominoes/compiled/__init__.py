"""What a seat of dominoes may know, and its redeals, compiled."""
