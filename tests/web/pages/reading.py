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


def shown_name(page, player):
    """Return the name of a player as the page shows it: an agent has the name of its character."""
    language = page.evaluate("document.documentElement.lang")[:2]
    base = (player["agent"] or "").partition("(")[0]
    called = catalogue(language).templates.get(f"opponents.name.{base}", base)
    return player["name"].replace(base, called, 1) if base else player["name"]
