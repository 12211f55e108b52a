"""Players that need no technique."""
