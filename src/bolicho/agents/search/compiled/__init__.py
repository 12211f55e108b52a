"""The compiled loops of the searches: written once, specialised for every game's record."""
