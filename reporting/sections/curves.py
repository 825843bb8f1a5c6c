"""The pictures: EPC beside DET, then whatever else was asked for, in that order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.frames.results import Results
from reporting.report.blocks import Block, Figure, Section
from reporting.sections.accepted_figures import f1, fdr, gain, lift, pr, prg
from reporting.sections.cost_figures import ape, cost, nbe
from reporting.sections.epc_figures import epc_figures
from reporting.sections.probability_figures import decision, reliability
from reporting.sections.rate_figures import det, roc, roc_error, roc_log, roc_threshold
from reporting.sections.score_figures import histogram, llr, tippett
from reporting.wording.view import View, per_view

DRAWN: Mapping[str, Callable[[View], tuple[Block, ...]]] = {
    "roc": roc,
    "det": det,
    "pr": pr,
    "ape": ape,
    "nbe": nbe,
    "llr": llr,
    "cost": cost,
    "decision": decision,
    "tippett": tippett,
    "histogram": histogram,
    "reliability": reliability,
    "prg": prg,
    "fdr": fdr,
    "f1": f1,
    "gain": gain,
    "lift": lift,
    "roc_error": roc_error,
    "roc_log": roc_log,
    "roc_threshold": roc_threshold,
}
"""The pictures by the word that asks for them; each returns its figures, or why there is none."""


def curve_figures(results: Results) -> Section | None:
    """Return the figures of every dataset, two side by side."""
    return per_view("Curves", "curves", results, _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    """EPC and DET side by side, then the rest as asked for; what cannot be drawn is said at the end."""
    epcs = epc_figures(view)
    asked = list(dict.fromkeys(view.study.curves))
    first = det(view) if "det" in asked else ()
    others = [block for word in asked if word != "det" for block in DRAWN[word](view)]
    figures = [block for block in others if isinstance(block, Figure)]
    notes = [block for block in others if not isinstance(block, Figure)]
    return (*epcs[:1], *first, *epcs[1:], *figures, *notes)
