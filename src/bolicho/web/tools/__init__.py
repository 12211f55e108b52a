"""Tools for language models over the Model Context Protocol: the games, a seat, hints, analyses and tournaments."""
