"""The frame ``worst``: the error rate at every value of a column that describes one class, and the highest.

The highest of several observed rates is biased upward, and an interval of it alone would claim too much. So
every value has limits that hold for all values together, each at the level ``level^(1 / K)`` of Šidák:
exact ones of Clopper and Pearson where trials are independent, with effective sizes (Korn, Graubard) where
clusters are. The values' rates need not be independent, as where every speaker tries every attack: Šidák's
inequality holds for normal estimates however they depend. The true highest rate lies between the highest
lower and the highest upper limit. ``bound`` asks less: that the highest true rate is at most so much. The
one-sided limit of the value that truly is the worst need hold, and the largest of all is no lower than that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated

from reporting.base.records import dataclass, field, replace
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.operations import JudgedModel, asked_criteria, dev_flags
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of
from reporting.core.measures.threshold import FAR, FRR
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.multiplicity import sidak
from reporting.document.frames.contract import KEY, Frame, GroupColumns, GroupValues, KeyRow, group_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of


@dataclass(frozen=True, kw_only=True, slots=True)
class WorstRow(KeyRow):
    """A row of ``worst``."""

    measure: Annotated[str, "the error rate of the described class, far or frr"]
    criterion: Annotated[str, "what chose the threshold, for all groups together"]
    group_columns: GroupColumns = field(default_factory=list)
    group_values: GroupValues = field(default_factory=list)
    errors: Annotated[int, "trials of the described class that are decided wrong"]
    n_described: Annotated[int, "trials of the described class"]
    value: Annotated[float | None, "the rate; null where undefined"] = None
    is_worst: Annotated[bool, "whether it is the highest of the model at the criterion"] = False
    low: Annotated[float | None, "lower limit, simultaneous over the groups; null without one"] = None
    high: Annotated[float | None, "upper limit, simultaneous over the groups; null without one"] = None
    bound: Annotated[
        float | None, "of the worst: one-sided upper bound of the highest true rate; null of others"
    ] = None
    level: Annotated[float, "confidence level"]
    n_groups: Annotated[int, "groups that the limits hold for together"] = 1
    ci_method: Annotated[str | None, "how the limits were made; null without them"] = None
    unit: Annotated[str, "unit of inference, trial or cluster"]
    effective: Annotated[float | None, "independent trials that the rate is worth; null without any"] = None
    df: Annotated[float | None, "degrees of freedom; null where trials are independent"] = None
    status: Annotated[str | None, "why the rate is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


WORST = Frame("worst", WorstRow, (*KEY, "criterion"))


def worst_rows(judged: JudgedPart) -> Iterator[WorstRow]:
    """Yield a row for every model and criterion of a group of a column that describes one class."""
    if judged.part.one_class:
        for model in judged.models:
            yield from _of_model(model, judged)


def _of_model(model: JudgedModel, judged: JudgedPart) -> Iterator[WorstRow]:
    of_targets = "target" in judged.part.one_class.values()
    measure, share = (FRR, MISSES) if of_targets else (FAR, FALSE_ALARMS)
    for criterion in asked_criteria(judged.study):
        operation = model.single.get(criterion)
        if operation is None:
            continue
        rate = judged.drawn.error_rates.at(model, operation, share)
        errors = operation.test.missed_trials if of_targets else operation.test.false_alarm_trials
        n_target, n_nontarget = model.test.trials
        yield WorstRow(
            **model.key._asdict(),
            **group_of(judged.part)._asdict(),
            measure=str(measure),
            criterion=str(criterion),
            errors=int(errors[0]),
            n_described=n_target if of_targets else n_nontarget,
            value=defined(rate.rate),
            level=judged.study.inference.level,
            unit=judged.drawn.units.name,
            effective=rate.size if rate.size > 0 and not (rate.clusters and rate.clusters.too_few) else None,
            df=rate.df,
            status=status_of(rate.rate, n_target, n_nontarget),
            flags=sorted({*dev_flags(model, operation), *judged.drawn.units.flags}),
        )


def with_limits(rows: list[WorstRow], study: Study) -> list[WorstRow]:
    """Return the rows with limits that hold for all groups of a breakdown, and the worst of them marked."""
    families: dict[tuple[object, ...], list[WorstRow]] = defaultdict(list)
    for row in rows:
        families[
            *(getattr(row, name) for name in KEY if name != "group"), row.criterion, *row.group_columns
        ].append(row)
    return [limited for family in families.values() for limited in _limited(family, study.inference.level)]


def _limited(family: list[WorstRow], level: float) -> Iterator[WorstRow]:
    together = sidak(level, len(family))
    highest = max((row.value for row in family if row.value is not None), default=None)
    one_sided = [_limits(row, 2 * level - 1)[1] if level > 1 / 2 else None for row in family]
    known = [bound for bound in one_sided if bound is not None]
    bound = max(known) if len(known) == len(family) else None
    for row in family:
        low, high = _limits(row, together)
        is_worst = row.value is not None and row.value == highest
        method = None if low is None else "clopper_pearson" if row.df is None else "korn_graubard"
        yield replace(
            row,
            low=low,
            high=high,
            n_groups=len(family),
            ci_method=method,
            is_worst=is_worst,
            bound=bound if is_worst else None,
        )


def _limits(row: WorstRow, level: float) -> tuple[float | None, float | None]:
    if row.value is None or row.effective is None:
        return None, None
    return EffectiveRate(row.value, row.effective, row.df, few=True).limits(level)


RECIPES = (frame_of(WORST, worst_rows, finish=with_limits, wanted=lambda study: bool(study.one_class)),)
