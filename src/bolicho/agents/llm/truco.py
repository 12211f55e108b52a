"""Words of Truco that obfuscation replaces: calls, suits, and names of cards."""

from bolicho.games.truco.rules import CALLS, CARDS

_SUITS = {"e": "k", "p": "x", "c": "z", "o": "w"}

_TEXT = """
truco gaúcho cego quatro contra deck virada mão mao pé parda espadas paus bastos copas ouros spanish ace aces sota sotas
cavalo cavalos rei reis flores envidos retrucos
"""

WORDS: dict[str, str] = {
    **{card: card[:-1] + _SUITS[card[-1]] for card in CARDS},  # numbers stay: the points of an envido add them up
    **_SUITS,
    **dict.fromkeys((*CALLS, *_TEXT.split()), ""),
}
"""Replacements; for an empty one, a pseudo-word is made."""
