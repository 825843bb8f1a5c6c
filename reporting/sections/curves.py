"""The pictures: EPC beside DET, then whatever else was asked for, in that order."""

from __future__ import annotations

from reporting.charts.epc import epc_figures
from reporting.charts.picture import curve_picture
from reporting.frames.results import Results
from reporting.report.blocks import Block, Figure, Section
from reporting.sections.catalogue import SECTIONS
from reporting.wording.view import View, views


def curve_figures(results: Results) -> Section | None:
    """Return the figures of every dataset, two side by side."""
    return SECTIONS["curves"].per_view(views(results), _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    """EPC and DET side by side, then the rest as asked for; what cannot be drawn is said at the end."""
    epcs = epc_figures(view)
    blocks = {word: curve_picture(word).blocks(view) for word in view.study.curves}
    first = blocks.pop("det", ())
    others = [block for of_curve in blocks.values() for block in of_curve]
    figures = [block for block in others if isinstance(block, Figure)]
    notes = [block for block in others if not isinstance(block, Figure)]
    return (*epcs[:1], *first, *epcs[1:], *figures, *notes)
