"""The players, one package per technique.  Imports games."""
