"""The pictures: the first EPC, then the curves in the order of the config; further EPCs are folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reporting.document.blocks import Block, Figure, Section
from reporting.document.charts.picture import curve_picture
from reporting.document.feature import called
from reporting.document.frames.results import Results
from reporting.document.words.core_set import curves_in_core_set
from reporting.document.words.terms import Terms
from reporting.document.words.view import DatasetView, views
from reporting.features.catalogue import asked_by
from reporting.features.sections import SECTIONS

OPEN = 2
"""Of more pictures than these the ROC is folded next to a DET, which has the same points."""


def curve_figures(results: Results) -> Section | None:
    """Return the figures of every dataset, two side by side."""
    return SECTIONS["curves"].per_view(views(results), _blocks, beside=True)


def figures_before_curves(view: DatasetView) -> list[Figure]:
    """Return the figures that open the section: those of the EPC."""
    return [figure for feature in asked_by(view.study) for figure in called(feature.figures, view)]


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    """EPC and curves side by side, then what is folded; last, why a picture is not drawn."""
    epcs = figures_before_curves(view)
    elsewhere = curves_in_core_set(view.study)
    shown = {curve.key: curve for curve in view.study.curves if curve.key not in elsewhere}
    blocks = [
        block for word in _words(list(shown), view.terms) for block in curve_picture(shown[word]).blocks(view)
    ]
    figures = [block for block in blocks if isinstance(block, Figure)]
    notes = [block for block in blocks if not isinstance(block, Figure)]
    named = [*epcs[:1], *figures]
    alike = {"roc", "det"} <= {figure.name for figure in figures} and len(named) > OPEN
    second = "det" if view.terms.counts_correct else "roc"
    folded = [figure for figure in named if alike and figure.name == second]
    opened = [figure for figure in named if figure not in folded]
    return (*opened, *(replace(figure, folded=True) for figure in (*epcs[1:], *folded)), *notes)


def _words(named: Sequence[str], terms: Terms) -> list[str]:
    """Return the curves in the order of the config, but a DET before a ROC where errors are reported."""
    words = list(named)
    if {"roc", "det"} <= set(words) and not terms.counts_correct:
        words.remove("det")
        words.insert(words.index("roc"), "det")
    return words
