"""What a report says of scores that it sees coarsely: floored ones, bins of replicates, thinned curves."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.frames import TRIALS
from reporting.report import numbers
from reporting.report.blocks import Caution
from reporting.sections.origin import flooring
from reporting.stats.coarse import DRAWN_WHOLE, MOST_BINS, MOST_DRAWN, bin_step
from reporting.wording.view import View


def coarseness(view: View) -> Iterator[Caution]:
    """Say what was floored, and how far that moves an area; and which curves are thinned."""
    if view.results.origin is not None:
        yield Caution(flooring(view.results.origin) + ".")
    if max(view.results.frame(TRIALS)["n_distinct"].to_list(), default=0) > DRAWN_WHOLE:
        width = max(_width(view, split, MOST_DRAWN) for split in ("dev", "test"))
        yield Caution(
            f"Curves of more than {numbers.count(DRAWN_WHOLE)} distinct scores show the cuts of their hull,"
            f" and others at most {numbers.fixed(width, 2)} standard errors of FAR, and of FRR, apart; every"
            " measure sees all cuts."
        )


def bin_width(view: View, split: str) -> str:
    """Return the widest bin that replicates see of a split, in standard errors of FAR or FRR."""
    return numbers.fixed(_width(view, split, MOST_BINS), 2)


def _width(view: View, split: str, most: int) -> float:
    trials = view.results.frame(TRIALS).filter(split=split, group="")
    sizes = trials.select("n_target", "n_nontarget").unique().rows()
    return max((bin_step(n_target, n_nontarget, most) for n_target, n_nontarget in sizes), default=0.0)
