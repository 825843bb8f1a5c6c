"""A run held against an earlier one: its models' values now less then, and what else differs.

Values are paired on the trials that both runs tested, else compared as independent.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from reporting.base.codes import CiMethod
from reporting.core.measures.measure import Measure
from reporting.core.resampling.paired import PairedDifference, adjust
from reporting.core.resampling.settings import Inference, Unit
from reporting.core.stats.intervals import ZERO, Interval, quantile, wilson
from reporting.core.stats.special import ndtr
from reporting.document.frames.history import SINCE_LAST, SinceLastRow
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.features.compared_decisions import difference_of_decisions
from reporting.features.history.frame import CHANGES, ChangeRow
from reporting.features.history.outcomes import Remembered, SharedTrials, shared_trials
from reporting.features.history.phrases import known_measure
from reporting.features.history.store import Facts
from reporting.features.history.trends import answering, on_test
from reporting.inputs.spec import Pools

Key = tuple[str, str, str, str | None]
"""Dataset, model, measure and criterion."""


def differences(now: Remembered, then: Remembered, measures: Sequence[str] | None = None) -> pl.DataFrame:
    """Return every model of both runs now less then (``SINCE_LAST``), on test and whole datasets.

    ``measures`` None: the primary one of the run now. p-values have Holm's adjustment over the rows of the
    primary measure; other rows are descriptive.
    """
    wanted = [now.facts.measure] if measures is None else list(measures)
    values, before = _values(now, wanted), _values(then, wanted)
    shared = _shared(now, then)
    # A mean over a column is not held against the number of all trials.
    alike = [key for key, row in values.items() if key in before and before[key].group == row.group]
    rows = [_row(values[key], before[key], shared.get(key[0]), now, then) for key in alike]
    return SINCE_LAST.build(_adjusted(rows, now.facts.measure))


def _values(run: Remembered, measures: Sequence[str]) -> dict[Key, MetricRow]:
    metrics = run.frames.get("metrics")
    if metrics is None:
        return {}
    rows: dict[Key, list[MetricRow]] = {}
    tested = on_test(run.facts, metrics).filter(pl.col("measure").is_in(measures))
    for row in METRICS.rows(answering(tested, run.facts.measure, run.facts.averaged)):
        rows.setdefault((row.dataset, row.model, row.measure, row.criterion), []).append(row)
    return {key: several[0] for key, several in rows.items() if len(several) == 1}


def _shared(now: Remembered, then: Remembered) -> dict[str, SharedTrials]:
    """The trials that both runs have, by dataset; none where trials have weights."""
    frames = [run.frames.get("outcomes") for run in (now, then)]
    pools: Pools = "two" if now.facts.pools == "two" else "one"
    if frames[0] is None or frames[1] is None or now.facts.weighted or then.facts.weighted:
        return {}
    return {shared.dataset: shared for shared in shared_trials(frames[0], frames[1], pools, then.facts.salt)}


def _row(
    now: MetricRow, then: MetricRow, shared: SharedTrials | None, run: Remembered, earlier: Remembered
) -> SinceLastRow:
    """One model: paired where its decisions on enough shared trials are known, else unpaired."""
    measure = known_measure(now.measure)
    paired = None
    at_threshold = measure is not None and measure.over == "threshold"
    if shared is not None and shared.pairs and at_threshold and measure is not None and not now.group:
        paired = _paired(measure, now.model, shared, run)
    counted = not run.facts.weighted and not earlier.facts.weighted and not now.group
    difference = paired or _unpaired(measure if counted else None, now, then, run.facts.level)
    return SinceLastRow(
        dataset=now.dataset,
        model=now.model,
        measure=now.measure,
        criterion=now.criterion,
        as_of=earlier.facts.as_of,
        history_run=earlier.facts.id,
        value=now.value,
        value_then=then.value,
        difference=None if math.isnan(difference.difference) else difference.difference,
        ci_low=difference.low,
        ci_high=difference.high,
        level=run.facts.level,
        ci_method=difference.ci_method,
        p_value=difference.p_value,
        p_method=difference.p_method,
        p_adjusted=None,
        correction=None,
        family_size=None,
        pairing="paired" if paired else "unpaired",
        n_shared=len(shared.rows) if shared else None,
        n_trials=shared.n_now if shared else None,
        n_trials_then=shared.n_then if shared else None,
        unit=("cluster" if run.facts.clustered else "trial") if paired else now.unit,
        status=difference.status or now.status or then.status,
        flags=sorted(difference.flags),
    )


def _adjusted(rows: Sequence[SinceLastRow], measure: str) -> list[SinceLastRow]:
    """Adjust the p-values of one question by Holm, over all models and datasets."""
    p_values = {
        at: row.p_value for at, row in enumerate(rows) if row.measure == measure and row.p_value is not None
    }
    adjusted = dict(zip(p_values, adjust(list(p_values.values()), "holm"), strict=True))
    return [
        replace(row, p_adjusted=adjusted[at], correction="holm", family_size=len(adjusted))
        if at in adjusted
        else row
        for at, row in enumerate(rows)
    ]


def _paired(measure: Measure, model: str, shared: SharedTrials, run: Remembered) -> PairedDifference | None:
    """Compare decisions on the same trials, each run's at its own threshold.

    None where they are not known of all trials, where a class is empty, and of costs of three kinds,
    as no run remembers which non-targets are spoofs.
    """
    if measure.mixed:
        return None
    label, accepted, facts = shared.rows["label"].to_numpy(), shared.decided(model), run.facts
    if accepted is None or label.all() or not label.any():
        return None
    unit: Unit = "auto" if facts.clustered else "trial"
    inference = Inference(facts.replicates, facts.level, unit, seed=facts.seed)
    of = difference_of_decisions(shared.ranks, accepted, (shared.dataset, model), measure, inference)
    return of.tested().flagged(*of.first.design.flags).within(measure.bounds)


def _unpaired(measure: Measure | None, now: MetricRow, then: MetricRow, level: float) -> PairedDifference:
    """The difference of two values as if no trial were shared, by square and add of their intervals.

    D - sqrt((V1 - l1)^2 + (u2 - V2)^2), D + sqrt((u1 - V1)^2 + (V2 - l2)^2), which is Newcombe's method 10
    where l and u are Wilson's; p is that at which the interval, scaled as a normal one, ends at 0.
    """
    if now.value is None or then.value is None:
        return PairedDifference(math.nan)
    point = now.value - then.value
    counts, before = _errors(measure, now), _errors(measure, then)
    if counts is not None and before is not None:
        low, high = newcombe(*counts, *before, level)
    else:
        reach_now, reach_then = _reaches(now, level), _reaches(then, level)
        if reach_now is None or reach_then is None:
            return PairedDifference(point)
        (down, up), (down_then, up_then) = reach_now, reach_then
        low, high = point - math.hypot(down, up_then), point + math.hypot(up, down_then)
    reach = point - low if point > 0 else high - point
    if not reach > ZERO:
        return PairedDifference(point, status="degenerate")
    p = float(2 * ndtr(-abs(point) * quantile(level, None) / reach))
    method: CiMethod = "newcombe" if counts is not None and before is not None else "square_and_add"
    return PairedDifference(point, low=low, high=high, ci_method=method, p_value=p, p_method="normal")


def _errors(measure: Measure | None, row: MetricRow) -> tuple[int, int] | None:
    """The errors and trials of a value that is a rate of independent trials; else None."""
    weights = measure.linear() if measure is not None and row.unit == "trial" else None
    if weights == (1.0, 0.0) and row.false_alarms is not None and row.n_nontarget:
        return row.false_alarms, row.n_nontarget
    if weights == (0.0, 1.0) and row.misses is not None and row.n_target:
        return row.misses, row.n_target
    return None


def _reaches(row: MetricRow, level: float) -> tuple[float, float] | None:
    """How far an interval reaches below and above its value; of another level, scaled as a normal one."""
    if row.value is None or row.ci_low is None or row.ci_high is None or row.level is None:
        return None
    scale = 1.0 if row.level == level else quantile(level, None) / quantile(row.level, None)
    return scale * (row.value - row.ci_low), scale * (row.ci_high - row.value)


LONGEST = 200


def changes(now: Remembered, then: Remembered) -> pl.DataFrame:
    """Return what differs (``CHANGES``), and the run compared with."""
    run = _change("run", then.facts.id, then.facts.as_of, now.facts.as_of)
    parts = (_inputs, _config, _tests, _models, _trials)
    return CHANGES.build([run, *(row for part in parts for row in part(now, then))])


def stale(now: Remembered, earlier: Sequence[Facts], last: Remembered | None) -> Iterator[ChangeRow]:
    """Yield the first run whose input files are those of the run now, else the last with the same decisions.

    ``last`` None: no earlier run can be read. A run decides alike where both have the same test trials with
    the same labels, and every model makes the same decision on each.
    """
    digests = _digests_of(now.facts)
    same = [facts for facts in earlier if digests and _digests_of(facts) == digests]
    if same:
        yield _change("stale", same[0].id, same[0].as_of, "inputs")
    elif last is not None and (n := _decided_alike(now, last)):
        yield _change("stale", last.facts.id, last.facts.as_of, "decisions", n)


def _digests_of(facts: Facts) -> set[str]:
    return {source.sha256 for source in facts.inputs}


def _decided_alike(now: Remembered, then: Remembered) -> int:
    """Return how many test trials both runs have, where these are all, with equal decisions; else 0."""
    datasets = _shared(now, then).values()
    models = [key for key, _ in now.facts.models]
    for shared in datasets:
        both = [shared.decided(model) for model in models]
        if not len(shared.rows) == shared.n_now == shared.n_then or None in both:
            return 0
        if not all(np.array_equal(*decisions) for decisions in both if decisions is not None):
            return 0
    return sum(shared.n_now for shared in datasets)


def cautions(texts: Sequence[str]) -> pl.DataFrame:
    """Return the cautions about runs that are passed over, as rows of the same frame."""
    return CHANGES.build([_change("caution", text, None, None) for text in texts])


def _change(kind: str, name: str, then: str | None, now: str | None, count: int | None = None) -> ChangeRow:
    return ChangeRow(kind=kind, name=name, then=then, now=now, count=count)


def _inputs(now: Remembered, then: Remembered) -> Iterator[ChangeRow]:
    """Inputs by name; several of one name are in the order of their digests."""
    digests = [{(source.name, source.sha256) for source in run.facts.inputs} for run in (now, then)]
    new, gone = digests[0] - digests[1], digests[1] - digests[0]
    for name in sorted({name for name, _ in new | gone}):
        of_name = (sorted(digest for at, digest in each if at == name) for each in (gone, new))
        for before, after in itertools.zip_longest(*of_name):
            yield _change("input", name, before, after)


def _config(now: Remembered, then: Remembered) -> Iterator[ChangeRow]:
    values, before = (dict(_flat(run.facts.config)) for run in (now, then))
    for key in sorted(values.keys() | before.keys()):
        if values.get(key) != before.get(key):
            yield _change("config", key, before.get(key), values.get(key))


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a config as short JSON, by dotted key; lists are one value."""
    if isinstance(value, Mapping) and (value or not key):
        for name, item in value.items():
            yield from _flat(item, f"{key}.{name}" if key else str(name))
        return
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    yield key, text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _tests(now: Remembered, then: Remembered) -> Iterator[ChangeRow]:
    """Changed tests of the primary comparisons: their p-values are not those of one test."""
    methods, before = (_family_tests(run.frames.get("comparisons")) for run in (now, then))
    if methods and before and methods != before:
        yield _change("test", "primary comparisons", ", ".join(before), ", ".join(methods))


def _family_tests(comparisons: pl.DataFrame | None) -> list[str]:
    if comparisons is None:
        return []
    family = comparisons.filter(pl.col("family") != "descriptive")
    return sorted(family["p_method"].drop_nulls().unique().to_list())


def _models(now: Remembered, then: Remembered) -> Iterator[ChangeRow]:
    names, before = dict(now.facts.models), dict(then.facts.models)
    for key in sorted(names.keys() ^ before.keys()):
        yield _change("model", key, before.get(key), names.get(key))


def _trials(now: Remembered, then: Remembered) -> Iterator[ChangeRow]:
    """Count shared, new, gone and relabelled trials; a dataset of one run alone is all new or gone."""
    frames = [run.frames.get("outcomes") for run in (now, then)]
    if frames[0] is None or frames[1] is None:
        return
    known = shared_trials(frames[0], frames[1], salt=then.facts.salt)
    datasets = {shared.dataset: shared for shared in known}
    for shared in datasets.values():
        yield from _of_dataset(shared)
    for kind, frame in (("trials.new", frames[0]), ("trials.gone", frames[1])):
        sizes = frame["dataset"].value_counts().rows()
        yield from (_change(kind, name, None, None, n) for name, n in sizes if name not in datasets)


def _of_dataset(shared: SharedTrials) -> Iterator[ChangeRow]:
    counts = {
        "shared": shared.n_shared,
        "new": shared.n_now - shared.n_shared,
        "gone": shared.n_then - shared.n_shared,
        "relabelled": shared.n_relabelled,
    }
    for kind, n in counts.items():
        if n or kind == "shared":
            yield _change(f"trials.{kind}", shared.dataset, None, None, n)


def newcombe(errors_1: int, n_1: int, errors_2: int, n_2: int, level: float) -> Interval:
    """Interval of p1 - p2 from independent samples, n > 0: square-and-add of two Wilson intervals.

    In [-1, 1]; swapping the samples swaps and negates the limits. Newcombe 1998 (17, 873-890), method 10.
    """
    (low_1, high_1), (low_2, high_2) = wilson(errors_1, n_1, level), wilson(errors_2, n_2, level)
    p_1, p_2 = errors_1 / n_1, errors_2 / n_2
    down = _root_of_squares(p_1 - low_1, high_2 - p_2)
    up = _root_of_squares(high_1 - p_1, p_2 - low_2)
    return Interval(max(-1.0, p_1 - p_2 - down), min(1.0, p_1 - p_2 + up))


def _root_of_squares(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b)
