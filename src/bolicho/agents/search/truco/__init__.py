"""What search knows of Truco: a match is searched hand by hand."""
