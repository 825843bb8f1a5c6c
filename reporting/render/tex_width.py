"""How wide text is in TeX, so that a table that is too wide is known before TeX sees it."""

from __future__ import annotations

import unicodedata

from reporting.render.tex import printed_length

BOLD = 1.16
"""What bold type takes more, at the most."""

_WIDTHS = {
    0.17: "\u202f\u2009",
    0.278: "il[],.:;'!|",
    0.306: "fj",
    0.34: " \xa0-I",
    0.39: '"t()rs',
    0.45: "cez?",
    0.5: "ago0123456789/*${}\u2013",
    0.53: "kqvxyJ",
    0.56: "bdhnpuS^~",
    0.63: "ZL",
    0.69: "EFPB",
    0.75: "wCTAHNRUVXY_DKOQ+=<>&@\u2212",
    0.84: "m%#G",
    1.0: "M\u2014\u2192",
    1.03: "W",
}

_WIDTH = {character: width for width, characters in _WIDTHS.items() for character in characters}

OTHER = 0.78
"""The width of a character that is not listed: most letters of other scripts are narrower."""


def width(text: str) -> float:
    """Return the width of one line of text in Computer Modern of ten points, in em."""
    return sum(_wide(character) for character in unicodedata.normalize("NFC", text))


def widest_word(text: str) -> float:
    """Return the width of the widest word, in em."""
    return max((width(word) for word in text.split(" ")), default=0.0)


def _wide(character: str) -> float:
    if character in _WIDTH:
        return _WIDTH[character]
    plain = unicodedata.normalize("NFD", character)[0]
    # A replaced character prints as its number in brackets.
    return _WIDTH.get(plain, OTHER) if printed_length(character) == 1 else 0.6 * printed_length(character)
