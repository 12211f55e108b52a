"""Hidden information, redeals, features and behaviours of dominoes, compiled."""
