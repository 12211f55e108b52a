"""What is to be read on a page, and what must not be there: keys instead of words, values that are none."""

import re

from bolicho.i18n import catalogue

KEYS = set(catalogue("en").templates)
SECTIONS = "|".join(sorted({key.split(".")[0] for key in KEYS}))
RAW_KEY = re.compile(rf"\b(?:{SECTIONS})\.[a-z][a-z_.-]*[a-z]\b")
ODD = re.compile(r"undefined|\bNaN\b|\[object|\bnull\b|Infinity|\{\w+[}:|]")


def odd_words(text):
    """Raw keys of a catalogue, and values of a program that no person should read."""
    return sorted({*RAW_KEY.findall(text), *ODD.findall(text)})
