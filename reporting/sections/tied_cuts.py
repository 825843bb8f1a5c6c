"""How many cuts on dev were equally good where a threshold was chosen (methods 18)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import polars as pl

from reporting.criteria import rates
from reporting.criteria.criterion import Criterion
from reporting.frames import ROC
from reporting.wording.phrases import criterion_label, in_order, listing
from reporting.wording.view import View

TIED = "tied_cut"


def tied_cuts(view: View) -> Iterator[str]:
    """Say for which models the tie rule chose, and among how many cuts where the frames tell."""
    where = f" of {view.label}" if view.label else ""
    chosen = [one for one in view.study.criteria if one.threshold is None and not one.oracle]
    asked = dict.fromkeys((view.study.primary.criterion, *chosen))
    said = []
    for criterion in asked:
        rows = [r for r in view.metrics if r.criterion == str(criterion) and TIED in r.flags]
        names = {view.names[row.model]: row.model for row in rows if row.split == "test"}
        if names:
            told = (_told(view, criterion, name, names[name]) for name in in_order(view, names.values()))
            said.append(f"{criterion_label(criterion, view.terms)}: {listing(told)}")
    if said:
        yield f"The rule had to choose among equally good cuts on dev{where} by {'; '.join(said)}."
    elif chosen and view.whole:
        yield f"No cut chosen on dev{where} was tied with another."


def _told(view: View, criterion: Criterion, name: str, model: str) -> str:
    count = cuts_as_good(view, criterion, model)
    return name if count is None or count < 2 else f"{name} ({count} cuts)"


def cuts_as_good(view: View, criterion: Criterion, model: str) -> int | None:
    """Count the cuts of dev that attain a model's least weighted sum of errors, on integers.

    Minima of such sums lie at corners, which is all that ``roc`` holds. None for other criteria, and where
    the counts are not those the criterion saw: weighted trials, another dataset's dev, means over runs.
    """
    weight = _weight(criterion)
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    if weight is None or view.results.weighted or view.study.thresholds.policy != "dev":
        return None
    here = {"dataset": dev, "run": view.run, "group": "", "split": "dev", "model": model}
    rows = (
        view.results.frame(ROC).filter(**here).select(pl.col("misses", "false_alarms").cast(pl.Int64)).rows()
    )
    if not rows:
        return None
    n_target, n_nontarget = max(row[0] for row in rows), max(row[1] for row in rows)
    if not n_target or not n_nontarget:
        return None
    costs = [weight * alarms * n_target + (1 - weight) * misses * n_nontarget for misses, alarms in set(rows)]
    return costs.count(min(costs))


def _weight(criterion: Criterion) -> Fraction | None:
    """The weight of FAR where a criterion minimises a weighted sum of both rates, within (0, 1)."""
    if criterion.key == rates.MIN_HTER.key:
        return Fraction(1, 2)
    if criterion.key == rates.WEIGHTED_ERROR.key:
        alpha = Fraction(str(criterion.arguments["alpha"]))
        return alpha if 0 < alpha < 1 else None
    return None
