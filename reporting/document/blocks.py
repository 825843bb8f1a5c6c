"""The closed vocabulary of a report: five blocks that every output format renders completely.

All texts are plain; each format escapes them. Numbers arrive already printed (see
``reporting.document.numbers``), so no template rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Literal

from reporting.base.records import dataclass, field

UNDEFINED = "—"

Tone = Literal["", "good", "bad", "open"]
Sense = Literal["", "lower is better", "higher is better", "0 is best", "1 is best"]


@dataclass(frozen=True)
class IntervalMark:
    """An interval to be drawn inside a table row, in the units of its column's ``axis``.

    ``outer_low`` and ``outer_high`` end a thinner line: an interval that holds for all rows together.
    """

    value: float
    low: float | None
    high: float | None
    outer_low: float | None = None
    outer_high: float | None = None


@dataclass(frozen=True)
class Cell:
    """One printed value; ``order`` sorts, ``reason`` explains an undefined value.

    ``mark`` is a raised sign behind the value, such as a dagger, which a note of the table explains;
    ``beneath`` is a second line in grey, such as an interval; ``style`` is that of the model whose colour
    precedes its name; ``tone`` is that of a verdict, which a page sets off by its background.
    """

    text: str
    order: float | None = None
    reason: str = ""
    bold: bool = False
    drawn: IntervalMark | None = None
    mark: str = ""
    beneath: str = ""
    style: int | None = None
    tone: Tone = ""

    @property
    def is_undefined(self) -> bool:
        """Whether the cell has no value: it prints the sign of that, or gives a reason."""
        return bool(self.reason) or self.text == UNDEFINED


@dataclass(frozen=True)
class Column:
    """A column's head. ``kind`` decides alignment; a ``drawn`` column has an axis.

    Neighbours of one ``group`` share a head above their own. ``beneath`` names the second lines of its cells
    in data files, such as ``95% CI``.
    """

    title: str
    kind: Literal["text", "number", "interval", "drawn"] = "text"
    unit: str = ""
    sense: Sense = ""
    axis: tuple[float, float] | None = None
    zero_line: bool = False
    group: str = ""
    beneath: str = ""


@dataclass(frozen=True)
class Prose:
    """A paragraph.

    ``title`` precedes it as in a journal; ``formulas`` are the parts of the text that are formulas
    (``reporting.document.formula``).
    """

    text: str
    title: str = ""
    formulas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Caution:
    """Something the reader must not overlook; a ``grave`` one changes how the answer itself is read.

    ``title`` names it in two or three words. ``code`` names its kind for good, as ``reporting explain`` knows
    it; cautions of a user's own sections have none. ``ignored`` is the reason of a user who folds it away.
    """

    text: str
    grave: bool = False
    title: str = ""
    code: str = ""
    ignored: str = ""


@dataclass(frozen=True)
class Table:
    """A table; every row has one cell per column.

    ``row_groups`` are titles by the place of the first row below them; a ``folded`` table opens on request.
    ``drawn_notes`` explain what is drawn in its rows, where a medium draws it.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    row_groups: tuple[tuple[int, str], ...] = ()
    folded: bool = False
    drawn_notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.name!r}: {len(row)} cells under {len(self.columns)} columns")


@dataclass(frozen=True)
class LiveTable(Table):
    """A table that readers of a page with scripts recompute; its cells hold at the start.

    ``held`` is what the script needs for that, as plain data.
    """

    held: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Axis:
    """One axis of a figure: title, drawn range and labelled ticks, in drawn units.

    Title and labels may have two lines, the lower ones being those of a second scale. ``sides`` are what its
    left and its right end mean, below the numbers.
    """

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    sides: tuple[str, ...] = ()


SeriesKind = Literal["line", "smooth", "step", "band", "points", "rings", "guide"]


@dataclass(frozen=True)
class Series:
    """One plain series of a figure, in drawn units. ``style`` is the index of colour and dash."""

    label: str
    kind: SeriesKind
    style: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    y_high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Label:
    """A name inside a picture, in drawn units: its left end at half its height, or its right end (``ends``).

    ``style`` is that of the line it names; ``of_line``: whether that is a curve, and no guide. ``owner`` is
    the label of that series, of which ``text`` may be a shorter form. ``beyond``: it is no name, but an arrow
    and the number of what lies beyond the frame.
    """

    text: str
    style: int
    x: float
    y: float
    ends: bool = False
    of_line: bool = True
    owner: str = ""
    beyond: bool = False


@dataclass(frozen=True)
class Placed:
    """The names inside a picture on a wide page, and in a small picture."""

    wide: tuple[Label, ...]
    small: tuple[Label, ...]


@dataclass(frozen=True)
class TooltipSeries:
    """What a figure shows of one series where a reader points at it.

    ``texts`` has a tuple for each title of the figure, with one text a place; empty ones are left out.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    texts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Window:
    """Other ranges of a figure's axes, for pages that run scripts."""

    label: str
    x_axis: Axis
    y_axis: Axis


Spec = dict[str, Any]
"""A Vega-Lite spec, a part of one, or a row of its data."""


@dataclass(frozen=True)
class Figure:
    """A picture twice: a Vega-Lite ``spec`` for screens, plain ``series`` for PGFPlots and data files.

    ``title`` states what it shows of these models, ``subtitle`` what is drawn, ``caption`` how it was made.
    """

    name: str
    caption: str
    alt: str
    spec: Spec
    series: tuple[Series, ...]
    x_axis: Axis
    y_axis: Axis
    explorer: Mapping[str, object] | None = None
    """Plain data of a control under the picture, for pages that run scripts."""
    tooltip_titles: tuple[str, ...] = ()
    probes: tuple[TooltipSeries, ...] = ()
    windows: tuple[Window, ...] = ()
    """The drawn ranges first, then the others; none where there is no choice."""
    on_dev: tuple[Series, ...] = ()
    """The same curves on the development set, which pages that run scripts draw on request."""
    bands: tuple[Series, ...] = ()
    """Bands that pages draw on request; ``bands_title`` names them."""
    bands_title: str = ""
    title: str = ""
    subtitle: str = ""
    folded: bool = False
    """Whether the picture opens on request."""
    labels: tuple[Label, ...] = ()
    """The names of lines for which a picture on paper has room; a legend names the other lines."""
    shape: float = 1.0
    """The height of the frame over its width."""
    placed: tuple[Placed, ...] = ()
    """The same for pages that run scripts: for the drawn ranges, then for each of the other windows."""


HEARS_OF_FIGURES: ContextVar[Callable[[Figure], object]] = ContextVar("figures", default=lambda figure: None)
"""Hears of every figure as soon as it is made, so that it is drawn while the rest is composed."""


@dataclass(frozen=True)
class Section:
    """A titled run of blocks; ``anchor`` is a safe identifier; a ``folded`` one opens on request."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]
    beside: bool = False
    """True where a wide screen has room for two figures in a row."""
    folded: bool = False


Block = Section | Prose | Table | Figure | Caution


@dataclass(frozen=True)
class InWords:
    """The answer in words, as the first screen has it; all is empty where a report answers nothing."""

    verdict: str = ""
    """The answer in full sentences."""
    headline: str = ""
    """The answer in a few words, such as ``TC6 is best.``; empty where there are several datasets."""
    sentences: tuple[str, ...] = ()
    """What belongs to the headline, a sentence each; nothing where there are several datasets."""
    lead: tuple[str, ...] = ()
    """What a page has under the headline, above a table that has the numbers of ``sentences``."""
    below: tuple[str, ...] = ()
    """What a page has below that table: what the measure is, and where its thresholds were set."""
    by_dataset: tuple[tuple[str, str], ...] = ()
    """The headline with its value behind the label of each dataset, where there are several."""


@dataclass(frozen=True)
class Report:
    """The complete report model from which every format is rendered."""

    title: str
    data_line: str
    verdict: str
    """The answer in full sentences."""
    sections: tuple[Section, ...]
    signature: str
    held: tuple[str, ...] = ()
    """Why the run is held back, a sentence each; it comes before the answer."""
    by_dataset: tuple[tuple[str, str], ...] = ()
    """The verdict in one line a dataset, behind its label; empty where there is one dataset."""
    headline: str = ""
    """The answer in a few words, such as ``TC6 is best.``; empty where there are several datasets."""
    answer: tuple[str, ...] = ()
    """What belongs to the headline, a sentence each: the value, who else may be best, who is closest."""
    lead: tuple[str, ...] = ()
    """What a page has in place of ``answer``, because its table has the numbers."""
    below: tuple[str, ...] = ()
    """What a page has below that table, a sentence each."""
    on_test: str = ""
    """The part of ``data_line`` on the test set, where the rest is in ``below``."""

    @property
    def short_answer(self) -> tuple[str, ...]:
        """The sentences under the headline where tables have the numbers, as a page has them."""
        return (*self.lead, *self.below) if self.below else self.answer or (self.verdict,)


NEUTRAL, GUIDE, CONTEXT_GREY = "#333333", "#767676", "#949494"
TONES = ("#4A4A4A", "#8C8C8C", "#6B6B6B", "#333333")
HUES = ("#D55E00", "#00558B", "#12A26C", "#754D00", "#3E97D2", "#A8628F")
"""Vermilion, blue, green, brown, sky and pink, at least 3:1 on white; two of them differ by a CIEDE2000 of at
least 15 for deuteranopes and 11 for protanopes (Machado et al. 2009, severity 1)."""
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3))
CONTEXT = 1000
"""A style describes how a line looks, the same in every picture, table and medium.

0: the neutral dark, of no model. From 1: a model in colour, through all ``HUES`` solid, then through them
dashed, in an order that no result changes; a report colours its finalists. From ``CONTEXT`` + 1: the same
models in one thin grey. Below 0: greys of what is no model, such as the two classes of
trials.
"""


def in_context(style: int) -> int:
    """Return the grey style of a model from its style in colour."""
    return CONTEXT + style


def in_colour(style: int) -> int:
    """Return the style in colour of a model, whether it is one of the context or not."""
    return style - CONTEXT if is_context(style) else style


def is_context(style: int) -> bool:
    """Whether a style is that of a model drawn in grey."""
    return style > CONTEXT


def colour(style: int) -> str:
    """Return the colour of a style as ``#RRGGBB``."""
    if style < 0:
        return TONES[(-style - 1) % len(TONES)]
    if is_context(style):
        return CONTEXT_GREY
    return NEUTRAL if style == 0 else HUES[(style - 1) % len(HUES)]


def darkened(style: int) -> str:
    """Return the colour of a style at three quarters of its light: for names, and lines over its curve."""
    red, green, blue = bytes.fromhex(colour(style).removeprefix("#"))
    return f"#{3 * red // 4:02X}{3 * green // 4:02X}{3 * blue // 4:02X}"


def dash(style: int) -> tuple[int, ...]:
    """Return the dash of a style as lengths of ink and gap in pixels; ``(1, 0)`` is solid."""
    if style < 0:
        return DASHES[(-style - 1) % len(DASHES)]
    return DASHES[0] if style == 0 or is_context(style) else DASHES[(style - 1) // len(HUES) % len(DASHES)]
