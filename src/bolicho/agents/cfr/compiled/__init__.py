"""Keys, the table of regrets, the walks and the tree, compiled."""
