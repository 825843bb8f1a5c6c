"""The pictures: EPC beside DET, then, folded, whatever else was asked for, in that order."""

from __future__ import annotations

from dataclasses import replace

from reporting.charts.epc import epc_figures
from reporting.charts.picture import curve_picture
from reporting.frames.results import Results
from reporting.report.blocks import Block, Figure, Section
from reporting.sections.catalogue import SECTIONS
from reporting.wording.view import View, views

OPEN = 2
"""So many pictures are open; the others open on request."""


def curve_figures(results: Results) -> Section | None:
    """Return the figures of every dataset, two side by side."""
    return SECTIONS["curves"].per_view(views(results), _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    """EPC and DET side by side, then the rest as asked for; last, why a picture is not drawn."""
    epcs = epc_figures(view)
    words = sorted(view.study.curves, key=lambda word: word != "det")
    blocks = [block for word in words for block in curve_picture(word).blocks(view)]
    figures = [block for block in blocks if isinstance(block, Figure)]
    notes = [block for block in blocks if not isinstance(block, Figure)]
    first = [*epcs[:1], *figures[: OPEN - len(epcs[:1])]]
    opened = {figure.name for figure in first}
    rest = [replace(figure, folded=True) for figure in (*epcs, *figures) if figure.name not in opened]
    return (*first, *rest, *notes)
