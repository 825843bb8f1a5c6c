"""One colour and dash per model, the same in every picture.

Style 0 is the baseline's neutral dark. Styles from 1 run through the Okabe-Ito colours in their order
(the yellow darkened, so that a line shows on white), then through the same colours dashed. Where a
picture holds more than a dozen models, those far from the lead fade.
"""

from __future__ import annotations

NEUTRAL = "#333333"
OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#C9B800", "#0072B2", "#D55E00", "#CC79A7")
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3))
FADED = 0.35


def colour(style: int) -> str:
    """Return the colour of a style as ``#RRGGBB``."""
    return NEUTRAL if style == 0 else OKABE_ITO[(style - 1) % len(OKABE_ITO)]


def darkened(style: int) -> str:
    """Return the colour of a style at three fifths of its light: a model's other line beside its curve."""
    red, green, blue = bytes.fromhex(colour(style).removeprefix("#"))
    return f"#{3 * red // 5:02X}{3 * green // 5:02X}{3 * blue // 5:02X}"


def dash(style: int) -> tuple[int, ...]:
    """Return the dash of a style as lengths of ink and gap in pixels; ``(1, 0)`` is solid."""
    return DASHES[0] if style == 0 else DASHES[(style - 1) // len(OKABE_ITO) % len(DASHES)]
