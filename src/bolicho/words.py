"""Deprecated names of `bolicho.i18n`."""

import warnings

from bolicho.i18n import Catalogue as Words
from bolicho.i18n import Message as Said
from bolicho.i18n import Refused, Seat, Several, plain
from bolicho.i18n import catalogue as words

__all__ = ["Refused", "Said", "Seat", "Several", "Words", "plain", "words"]

warnings.warn(
    "bolicho.words is now bolicho.i18n; Said is Message, Words is Catalogue", DeprecationWarning, stacklevel=2
)
