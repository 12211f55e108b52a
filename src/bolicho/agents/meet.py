"""Deprecated name of `bolicho.agents.mirrored_games`."""

import warnings

from bolicho.agents.mirrored_games import *  # noqa: F403

warnings.warn("bolicho.agents.meet is now bolicho.agents.mirrored_games", DeprecationWarning, stacklevel=2)
