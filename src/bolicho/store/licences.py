"""Licences of published data."""

from bolicho.errors import unknown

LICENCES = {
    "CC0-1.0": ("CC0 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/legalcode"),
    "CC-BY-4.0": ("Creative Commons Attribution 4.0 International", "https://creativecommons.org/licenses/by/4.0/legalcode"),
    "CC-BY-SA-4.0": ("Creative Commons Attribution-ShareAlike 4.0 International",
                     "https://creativecommons.org/licenses/by-sa/4.0/legalcode"),
    "CC-BY-NC-4.0": ("Creative Commons Attribution-NonCommercial 4.0 International",
                     "https://creativecommons.org/licenses/by-nc/4.0/legalcode"),
    "ODC-By-1.0": ("Open Data Commons Attribution License v1.0", "https://opendatacommons.org/licenses/by/1-0/"),
}  # fmt: skip
"""Licences for data by their SPDX identifier: name and address of the text."""


def licence_text(licence: str) -> str:
    """Return the notice of a licence, for a file `LICENSE.txt`."""
    if licence not in LICENCES:
        raise unknown("licence", licence, LICENCES)
    name, address = LICENCES[licence]
    return f"These data are licensed under {name} (SPDX: {licence}).\nThe text of the licence: {address}\n"
