"""Studies: a package for each document, a function for each of its figures and tables."""
