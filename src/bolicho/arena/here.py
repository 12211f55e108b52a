"""Deprecated name of `bolicho.arena.inprocess`."""

import warnings

from bolicho.arena.inprocess import *  # noqa: F403

warnings.warn("bolicho.arena.here is now bolicho.arena.inprocess", DeprecationWarning, stacklevel=2)
