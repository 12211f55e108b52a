"""Texts that must not appear on a page: raw keys of catalogues, and values such as `undefined`."""

import re

from bolicho.i18n import catalogue

KEYS = set(catalogue("en").templates)
SECTIONS = "|".join(sorted({key.split(".")[0] for key in KEYS}))
RAW_KEY = re.compile(rf"\b(?:{SECTIONS})\.[a-z][a-z_.-]*[a-z]\b")
ODD = re.compile(r"undefined|\bNaN\b|\[object|\bnull\b|Infinity|\{\w+[}:|]")


def odd_words(text):
    """Return the raw keys and internal values in a text."""
    return sorted({*RAW_KEY.findall(text), *ODD.findall(text)})
