"""Words of dominoes that obfuscation replaces; pips are numbers and stay."""

_TEXT = """
domino dominoes dominó compra ponta cinco tile tiles pip pips boneyard spinner double doubles double-six fives five
blocked block draw draws drew drawn pass passes passed
"""

WORDS: dict[str, str] = dict.fromkeys(_TEXT.split(), "")
"""Replacements; for an empty one, a pseudo-word is made."""
