"""What is undecided of the family of comparisons, and what would decide it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scipy.special import ndtri

from reporting.frames import ComparisonRow
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.sections.caveats import decisive_p, shown_to_differ
from reporting.stats.planning import detectable, times_needed
from reporting.wording.phrases import units
from reporting.wording.view import View

MOST = 4
"""So many pairs are told; the table has all."""
WANTED = 0.8
MOST_TIMES = 1000
"""From here on the number of trials is not worth planning for."""


def undecided(view: View, rows: Iterable[ComparisonRow]) -> tuple[str, ...]:
    """Say of pairs not shown to differ what trials like these would find, and how many would be needed.

    Standard errors are read off the intervals by the normal quantile, and tests taken singly: a guide.
    Nothing where the power was asked for, which says it in full.
    """
    if "power" in view.study.inference.tests:
        return ()
    open_rows = [row for row in rows if decisive_p(row) is not None and not shown_to_differ(view, row)]
    told = [said for row in open_rows for said in _told(view, row)]
    if not told:
        return ()
    more = [f"{len(told) - MOST} more pairs are undecided."] if len(told) > MOST else []
    return (NOT_EQUAL, *told[:MOST], *more)


NOT_EQUAL = (
    "Not shown to differ means undecided, not equal. What would decide it, by a single test and the normal"
    " approximation, if the observed differences, themselves uncertain, were the true ones:"
)


def _told(view: View, row: ComparisonRow) -> Iterator[str]:
    error = standard_error(row)
    if error is None or row.difference is None:
        return
    printed, level = view.printing(read_measure(row.measure)), view.study.inference.level
    pair = f"{view.names[row.model]} − {view.names[row.baseline]}"
    plural = units(view.results, row.unit)
    found = printed.difference_with_unit(detectable(error, level, WANTED))
    like = f"as many {plural} would find a difference of {found} 4 times in 5"
    times = times_needed(row.difference, error, level, WANTED)
    if times <= 1:
        yield f"{pair}: {like}."
    elif times < MOST_TIMES:
        grown = f"about {numbers.significant(times, 2)} times as many would find one as large as observed"
        yield f"{pair}: {like}; {grown}."
    else:
        yield f"{pair}: {like}; no number worth planning for would find one as small as observed."


def standard_error(row: ComparisonRow) -> float | None:
    """Return the standard error an interval stands for, half its width over the normal quantile.

    None without an interval, or where it has no width.
    """
    if row.ci_low is None or row.ci_high is None or not row.level:
        return None
    half = (row.ci_high - row.ci_low) / 2
    return half / float(ndtri((1 + row.level) / 2)) if half > 0 else None
