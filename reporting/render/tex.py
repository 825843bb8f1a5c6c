"""Text -> TeX that pdfLaTeX and LuaLaTeX set with T1 fonts, textcomp, amsmath and amssymb alone.

The result is ASCII. A character that those fonts lack becomes a visible ``[U+4E2D]``. How wide a text is
in TeX is estimated too, so that a table that is too wide is known before TeX sees it.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from pylatexenc.latexencode import UnicodeToLatexEncoder

from reporting.document.numbers import unbroken


class Tex(str):
    """Text that is TeX already."""


def escape(text: str, longest: int = 24) -> Tex:
    """Return the text in TeX, thousands with a thin space; a word over ``longest`` may break.

    It breaks behind its marks, such as underscores, and where they are farther apart anywhere.
    """
    one_line = unbroken(_BREAKS.sub(" ", unicodedata.normalize("NFC", text)))
    one_line = _THOUSANDS.sub(lambda match: match[0].replace(",", "\u202f"), one_line)
    return Tex(" ".join(_word(word, longest) for word in one_line.split(" ")))


def unsettable(texts: Iterable[str]) -> list[str]:
    """Return the characters of the texts that TeX would not set, in code order."""
    every = {character for text in texts for character in unicodedata.normalize("NFC", text)}
    return sorted(character for character in every if not _is_settable(character))


def printed_length(text: str) -> int:
    """Return how many characters print, a replaced one being eight or more."""
    return sum(1 if _is_settable(character) else len(_set(character)) - 2 for character in text)


def code_point(character: str) -> str:
    """Name a character as ``U+4E2D``."""
    return f"U+{ord(character):04X}"


_BREAKS = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")

_THOUSANDS = re.compile(r"(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3})+(?!\w|[.,][0-9])")

_OWN = {
    "\u2212": r"\textminus{}",
    "\u202f": r"\,",
    "\u2009": r"\,",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "/": r"/\allowbreak{}",
    # After the end of a row these two would be read as its options.
    "[": "{[}",
    "*": "{*}",
    "\u2191": r"\ensuremath{\uparrow}",
    "\u2193": r"\ensuremath{\downarrow}",
    # A hyphen, comma or quote next to its like would make a ligature.
    "-": r"-{}",
    ",": r",{}",
    "'": r"'{}",
    "?": r"?{}",
    "!": r"!{}",
}

_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0xA0, 0x17F),  # Latin-1, Latin Extended-A
    (0x386, 0x3CE),  # Greek
    (0x3D1, 0x3D1), (0x3D5, 0x3D6), (0x3F1, 0x3F1), (0x3F5, 0x3F5),
    (0x2010, 0x2015), (0x2018, 0x2019), (0x201A, 0x201A), (0x201C, 0x201E), (0x2020, 0x2022),
    (0x2026, 0x2026), (0x2030, 0x2030), (0x2032, 0x2034), (0x2039, 0x203A), (0x2044, 0x2044),
    (0x2070, 0x2070), (0x2074, 0x208E), (0x20AC, 0x20AC), (0x2113, 0x2113), (0x2122, 0x2122),
    (0x2190, 0x2199), (0x21D0, 0x21D5),
    (0x2200, 0x221E), (0x2220, 0x222B), (0x223C, 0x223C), (0x2243, 0x2243), (0x2245, 0x2245),
    (0x2248, 0x2248), (0x2260, 0x2261), (0x2264, 0x2265), (0x226A, 0x226B), (0x2282, 0x2287),
    (0x2295, 0x2297), (0x22A5, 0x22A5), (0x22C5, 0x22C5), (0x2308, 0x230B), (0x25CB, 0x25CB),
)  # fmt: skip
"""What the encoder writes with macros that every T1 document has; a test compiles each of them."""

_ABSENT = frozenset("\xad\xb8\u0138\u0149\u017f\u0390")

_ENCODER = UnicodeToLatexEncoder(replacement_latex_protection="braces-after-macro")


_SYMBOL = re.compile(r"(?<!\w)([cCP])_(fa|miss|target)(?!\w)")
"""A cost or a prior, which is mathematics."""


def _word(word: str, longest: int) -> str:
    if word == "/":
        return word
    if symbol := _SYMBOL.search(word):
        before, after = (_word(part, longest) for part in (word[: symbol.start()], word[symbol.end() :]))
        mathematics = f"\\ensuremath{{{symbol[1]}_{{\\mathrm{{{symbol[2]}}}}}}}"
        gap = r"\allowbreak{}" if printed_length(word) > longest else ""
        return gap.join(filter(None, (before, mathematics, after)))
    pieces = [word] if printed_length(word) <= longest else re.findall(r"[^\W_]+[\W_]?|[\W_]", word)
    # A piece between two marks of a long word that is itself too long breaks at any letter.
    settings = (
        ("" if printed_length(piece) <= longest else r"\allowbreak{}").join(map(_set, piece))
        for piece in pieces
    )
    return r"\allowbreak{}".join(map(_without_idle_braces, settings))


def _without_idle_braces(text: str) -> str:
    """Drop ``{}`` after a single hyphen, comma or quote, so that ordinary words stay readable."""
    return re.sub(r"([-,'?!])\{\}(?![-,'?!`\\])", r"\1", text)


@functools.cache
def _set(character: str) -> str:
    if character in _OWN:
        return _OWN[character]
    if not _is_settable(character):
        return f"{{[}}{code_point(character)}]"
    return str(_ENCODER.unicode_to_latex(character))


@functools.cache
def _is_settable(character: str) -> bool:
    if character in _OWN or _BREAKS.fullmatch(character):
        return True
    known = any(low <= ord(character) <= high for low, high in _RANGES)
    return known and character not in _ABSENT and unicodedata.category(character) != "Cn"


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


@functools.cache
def _wide(character: str) -> float:
    if character in _WIDTH:
        return _WIDTH[character]
    plain = unicodedata.normalize("NFD", character)[0]
    # A replaced character prints as its number in brackets.
    return _WIDTH.get(plain, OTHER) if printed_length(character) == 1 else 0.6 * printed_length(character)
