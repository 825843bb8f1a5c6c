"""Development and test differ: this comes first where the error rates at the chosen thresholds show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR
from reporting.document.blocks import Caution
from reporting.document.words.decisions import differs
from reporting.document.words.phrases import in_order, listing
from reporting.document.words.view import DatasetView
from reporting.features.drift import FEATURE
from reporting.features.drift.frame import DRIFT, DriftRow

RATES = {"far": FAR, "frr": FRR}
CHANCE = "This is more than chance allows"
CURVES = {"det": "DET curves", "roc": "ROC curves"}
SPELLED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def drift(view: DatasetView) -> Iterator[Caution]:
    """Yield the rates that differ between the sets, with an adjusted p-value of at most 1 - level."""
    rows = [row for row in view.results.rows(DRIFT) if row.dataset == view.dataset]
    here = [row for row in rows if row.run == view.run or view.run == MEAN]
    apart = [row for row in here if differs(view, row.p_adjusted)]
    if apart:
        models = len({row.model for row in here})
        finding, consequence = _finding(view, apart, models), _consequence(view, apart)
        yield FEATURE.caution(view, "drift", True, finding=finding, consequence=consequence)


def _finding(view: DatasetView, apart: Sequence[DriftRow], models: int) -> str:
    ways = {row.rate_test > row.rate_dev for row in apart}
    contrary = _contrary(view, _first(view, apart))
    if len(ways) > 1 or contrary:
        return f"{_mixed(view, apart, models)}{contrary}"
    plural = "" if len({row.model for row in apart}) > 1 else "s"
    more = "more" if ways == {True} else "fewer"
    return (
        f"At the chosen thresholds {_who(view, apart, models)} make{plural} {more} errors on test than on"
        f" development ({_numbers(view, apart)})."
    )


def _contrary(view: DatasetView, row: DriftRow) -> str:
    """Return how the primary measure moves where it gets worse while the rate gets better, or the reverse."""
    measure, values = view.study.primary.measure, _primary_values(view, row.model)
    if values is None or (values[1] > values[0]) == (row.rate_test > row.rate_dev):
        return ""
    way = "higher" if values[1] > values[0] else "lower"
    name = f"{view.terms.measure(measure)} of {view.names[row.model]}"
    return f" But the {name} is {way} on test: {_sides(view, measure, *values)}."


def _primary_values(view: DatasetView, model: str) -> tuple[float, float] | None:
    """Return a primary measure that is linear in the rates, on development and on test."""
    primary = view.study.primary
    dev, test = (view.metric(model, primary.measure, primary.criterion, split) for split in ("dev", "test"))
    linear = primary.measure.linear()
    if linear is None or dev is None or test is None or dev.value is None or test.value is None:
        return None
    return dev.value, test.value


def _mixed(view: DatasetView, apart: Sequence[DriftRow], models: int) -> str:
    """Name the rates that are higher and those that are lower, each with the numbers of one model."""
    parts = []
    for rate in RATES:
        for way in ("higher", "lower"):
            rows = [r for r in apart if r.rate == rate and (r.rate_test > r.rate_dev) == (way == "higher")]
            if rows:
                name, who = view.terms.spelled(RATES[rate]), _who(view, rows, models)
                first = _first(view, rows)
                of = f"{view.names[first.model]}: " if len(rows) > 1 else ""
                values = _sides(view, RATES[rate], first.rate_dev, first.rate_test)
                parts.append(f"the {name} is {way} for {who} ({of}{values})")
    return f"At the chosen thresholds error rates on test are not those on development: {listing(parts)}."


def _who(view: DatasetView, rows: Sequence[DriftRow], models: int) -> str:
    names = in_order(view, (row.model for row in rows))
    if len(names) == models > 2:
        return f"all {SPELLED[models] if models < len(SPELLED) else models} models"
    return listing(names, most=4)


def _first(view: DatasetView, rows: Sequence[DriftRow]) -> DriftRow:
    """Return the row of the model first in rank; of its rates the one that differs most clearly."""
    return min(rows, key=lambda row: (view.ranked.index(row.model), row.p_value or 0.0, row.rate))


def _numbers(view: DatasetView, apart: Sequence[DriftRow]) -> str:
    """Return the primary value on both sets where it is linear in the rates, else the rate that differs."""
    first, measure = _first(view, apart), view.study.primary.measure
    of = f"{view.names[first.model]}: " if len(view.results.models) > 1 else ""
    values = _primary_values(view, first.model)
    if values is None:
        measure, values = RATES[first.rate], (first.rate_dev, first.rate_test)
        return f"{of}{view.terms.spelled(measure)} {_sides(view, measure, *values)}"
    return f"{of}{view.terms.measure(measure)} {_sides(view, measure, *values)}"


def _sides(view: DatasetView, measure: Measure, dev: float, test: float) -> str:
    printed = view.printing(measure)
    return f"{printed.value_with_unit(dev)} on development, {printed.value_with_unit(test)} on test"


def _consequence(view: DatasetView, apart: Sequence[DriftRow]) -> str:
    criterion = read_criterion(apart[0].criterion)
    if criterion.threshold is not None:
        return f"{CHANCE}, and results on one of the two sets need not carry over to the other."
    follows = f"{CHANCE}, so thresholds set on development need not suit the test set"
    drawn = [name for word, name in CURVES.items() if view.study.draws(word)]
    if drawn and criterion.has_oracle:
        return f"{follows}; rings in the {drawn[0]} show what a matched threshold would give."
    return f"{follows}."
