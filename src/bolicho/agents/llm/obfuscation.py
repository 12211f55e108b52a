"""Replacement of a game's words by pseudo-words, so that memorised knowledge of the game does not help."""

import re
from collections.abc import Mapping
from hashlib import sha256

_WORD = re.compile(r"\w+(?:-[^\W\d]\w*)?")  # "double-six" is a word, the tile "6-4" is two
_ONSETS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_SYLLABLES = 3


class Obfuscation:
    """Bijection between words of a game and pseudo-words, the same in every process.

    >>> Obfuscation({"truco": "", "1e": "1k"}).hide("Truco with 1e!").endswith(" with 1k!")
    True
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        self._new: dict[str, str] = {}
        taken = {*words, *filter(None, words.values())}
        for word, given in words.items():
            self._new[word.casefold()] = new = given or _pseudo_word(word, taken)
            taken.add(new)
        assert len(set(self._new.values())) == len(self._new), "two words have the same replacement"

    def hide(self, text: str) -> str:
        """Return a text with the words of the game replaced; case is kept for the first letter."""
        return _WORD.sub(lambda found: self._of(found[0]), text)

    def _of(self, word: str) -> str:
        new = self._new.get(word.casefold())
        if new is None:
            return word
        return new.capitalize() if word[0].isupper() else new


def _pseudo_word(word: str, taken: set[str]) -> str:
    """Return a pronounceable word that is made from the hash of a word and is not taken."""
    attempt = 0
    while True:
        digest = sha256(f"{attempt} {word}".encode()).digest()
        pairs = zip(digest[::2], digest[1::2], strict=True)
        made = "".join(_ONSETS[a % len(_ONSETS)] + _VOWELS[b % len(_VOWELS)] for a, b in list(pairs)[:_SYLLABLES])
        if made not in taken:
            return made
        attempt += 1
