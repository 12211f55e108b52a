"""Settings shared by all tests."""

from hypothesis import settings

# A first example compiles the game: no deadline.  The same examples every time: no surprises.
settings.register_profile("bolicho", deadline=None, derandomize=True)
settings.load_profile("bolicho")
