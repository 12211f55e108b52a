"""Words of 7 Wonders that obfuscation replaces: names of cards, boards, goods and symbols."""

import re

from bolicho.games.wonders.cards import BOARDS, CARDS, COLOURS, RESOURCES, SYMBOLS, WONDERS

_USED_OTHERWISE = {"a", "b", "of", "the", "free", "build", "sell", "wonder", "stage"}
"""Words of names that also have a plain meaning in the rules, and the actions themselves."""

WORDS: dict[str, str] = dict.fromkeys(
    (
        word
        for name in (*CARDS, *BOARDS, *WONDERS, *RESOURCES, *SYMBOLS, *COLOURS, "wonders", "guilds", "shields")
        for word in re.findall(r"\w+", name.casefold())
        if word not in _USED_OTHERWISE
    ),
    "",
)
"""Replacements; for an empty one, a pseudo-word is made."""
