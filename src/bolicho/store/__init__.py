"""Where what is learned is kept."""
