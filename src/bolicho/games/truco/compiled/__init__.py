"""Hidden information, features and behaviours of Truco, compiled."""
