"""The compiled half of the solver."""
