"""The compiled half: what is possible, what is decided, what is learned, and whole matches."""
