"""How far measures may move when neighbouring scores of counts are merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from reporting.app.config.plan import Execution, Plan
from reporting.app.run.inputs import counted_trials
from reporting.app.run.report import frames_of
from reporting.base.provenance import InputFile
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.frames.metrics import METRICS
from reporting.inputs.bundle import Bundle
from reporting.inputs.merging import bins_of, merged, with_rows
from reporting.inputs.pushdown.count import of_bundle

UNORDERED = frozenset(
    (
        "acceptance_rate",
        "rejection_rate",
        "ap_step",
        "ap_trapezoid",
        "chi_squared",
        "eer_discrete",
        "mutual_information",
    )
)
"""Measures that a higher score of a target can make worse: they count both classes alike, or ends of ties."""
KEYS = ("model", "run", "dataset", "measure", "criterion")


def merged_bundle(bundle: Bundle, least: int) -> tuple[Bundle, dict[str, Bundle]]:
    """Return the bundle with its bins merged, and what its scores may have been, at worst and at best.

    At worst every target of the test set is at the low end of its bin and every non-target at the high end;
    at best the other way round. The development set, which chooses thresholds, is that of the file.
    DataError as ``bins_of``.
    """
    bins = bins_of(bundle, least)
    low = merged(bundle, bins)
    dev, ends = low.rows.filter(split="dev"), {}
    for name, places in {"worst": ("low", "high"), "best": ("high", "low")}.items():
        test = merged(bundle, bins, *places).rows.filter(pl.col("split") != "dev")
        ends[name] = with_rows(low, pl.concat([dev, test]))
    return replace(low, about=replace(low.about, least=least)), ends


def bounds(plan: Plan, file: Bundle, ends: dict[str, Bundle], work: Path) -> Iterator[str]:
    """Yield, for every measure of the study, how far the file's value may lie from that of the exact counts.

    That is the largest distance over models, for test scores anywhere in their bins, at the thresholds that
    the file chooses. It holds for measures that no higher score of a target and no lower one of a non-target
    makes worse; those of the scores themselves have no bound.
    """
    study = plan.study
    measures = [measure for measure in study.measures if bounded(measure)]
    unbounded = [str(measure) for measure in study.measures if measure not in measures]
    has_dev = "dev" in file.rows["split"] and study.thresholds.policy == "dev"
    criteria = [
        each for each in study.criteria if not each.oracle and (has_dev or each.threshold is not None)
    ]
    values = {
        name: _values(plan, measures, criteria, bundle, work / name)
        for name, bundle in {"file": file, **ends}.items()
    }
    joined = values["file"].rename({"value": "file"})
    for name in ends:
        joined = joined.join(values[name].rename({"value": name}), on=KEYS, nulls_equal=True)
    away = pl.max_horizontal((pl.col(name) - pl.col("file")).abs() for name in ends)
    largest = joined.group_by("measure", "criterion", maintain_order=True).agg(away.max().alias("away"))
    for measure, criterion, distance in largest.drop_nulls("away").iter_rows():
        at = "" if criterion is None else f" at {criterion}"
        yield f"{measure}{at}: at most {numbers.significant(distance, 2)}"
    if unbounded:
        yield f"no bound: {', '.join(unbounded)}"


def bounded(measure: Measure) -> bool:
    """Whether no higher score of a target and no lower one of a non-target makes a measure worse."""
    return measure.over != "scores" and measure.ideal is None and measure.key not in UNORDERED


def _values(
    plan: Plan, measures: list[Measure], criteria: list[Criterion], bundle: Bundle, work: Path
) -> pl.DataFrame:
    work.mkdir()
    source = InputFile(plan.source.name, bundle.about.content, 0)
    spec = replace(of_bundle(plan.trials, bundle, source, work), needs_dev=False)
    study = replace(
        plan.study,
        measures=tuple(measures),
        criteria=tuple(criteria),
        inference=plan.study.inference.without_intervals,
        by=(),
        one_class={},
        across=(),
    )
    here = Execution("serial", 1)
    with counted_trials(replace(plan, trials=spec, execution=here)) as counted:
        metrics = frames_of(replace(counted, plan=replace(plan, study=study)), only=(METRICS,))["metrics"]
    a_priori = pl.col("criterion").is_null() | pl.col("criterion").is_in(list(map(str, criteria)))
    return metrics.filter(a_priori, split="test", group="").select(*KEYS, "value")
