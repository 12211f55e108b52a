"""Deprecated name of `bolicho.arena.inspect`."""

import warnings

from bolicho.arena.inspect import *  # noqa: F403

warnings.warn("bolicho.arena.asking is now bolicho.arena.inspect", DeprecationWarning, stacklevel=2)
