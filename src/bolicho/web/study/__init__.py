"""Studies with people: a plan in a file, what each participant does next, what the researcher sees of it."""
