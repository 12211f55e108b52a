"""The compiled half."""
