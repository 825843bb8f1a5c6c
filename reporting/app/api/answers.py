"""The rooms as functions on tables: a trial table and keys of the config in, a frame of the contract out.

``trials`` is everywhere a table (Polars, pandas, Arrow) or the path of one, and ``config`` holds keys of
the config: ``models={"A": {"scale": "llr"}}``, ``trials={"columns": {"model": "system"}}``. ConfigError
and DataError as on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from reporting.app.api.arguments import flag_of
from reporting.app.api.query import Query, asking, plain_keys
from reporting.base.records import dataclass, replace
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.study import Study
from reporting.document.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.document.frames.contract import KEY, Columns, Frame, KeyRow, group_of, place_of
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.errors import ConfigError
from reporting.features.frames import FRAMES
from reporting.inputs.spec import BREAKDOWN

Names = str | Sequence[Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CutRow(KeyRow):
    """The trials of one distinct score, and the errors of the threshold there."""

    score: float
    n_target: int
    n_nontarget: int
    misses: int
    false_alarms: int
    on_hull: bool


CUTS = Frame("cuts", CutRow, (*KEY, "score"))


def read_trials(trials: Any, /, **config: Any) -> pl.DataFrame:
    """Check a trial table by every row rule and return it in the contract's columns, sorted.

    model, run, dataset, split (dev or test), trial, label (Boolean), score (higher favours the
    target), and cluster, stratum and the columns of breakdowns where they are requested.
    """
    with asking("read_trials", trials, config) as query:
        rows = query.table.rows.collect()
    named = rows.rename(lambda name: name.removeprefix(BREAKDOWN))
    keys = [name for name in ("model", "run", "dataset", "split", "trial") if name in named.columns]
    return named.sort([*keys, "label", "score"]).select(*keys, pl.exclude(keys))


def cuts(trials: Any, /, **config: Any) -> pl.DataFrame:
    """Return the table of distinct scores: how many targets and non-targets have each distinct score.

    ``misses`` and ``false_alarms`` are those of accepting at this score and above, ``on_hull`` is
    whether that is a corner of the convex hull of (FAR, FRR). Rejecting all is no row.
    """
    with asking("cuts", trials, config, **_NOTHING) as query:
        sets = [
            (key, counted)
            for part in query.parts()
            for model in part.models
            for key, counted in ((model.dev_key, model.dev), (model.key, model.test))
            if key is not None and counted is not None
        ]
    return CUTS.of_columns(_cut_columns(key, counted) for key, counted in sets)


def _cut_columns(key: Key, cuts: Cuts) -> Columns:
    at = np.arange(len(cuts.score))
    misses, false_alarms = cuts.errors(at)
    n_target, n_nontarget = cuts.raw or (cuts.n_target, cuts.n_nontarget)
    return key._asdict() | {
        "score": cuts.score,
        "n_target": n_target,
        "n_nontarget": n_nontarget,
        "misses": misses,
        "false_alarms": false_alarms,
        "on_hull": np.isin(at, cuts.hull),
    }


def roc(trials: Any, /, **config: Any) -> pl.DataFrame:
    """Return the ROC as the frame ``roc``: corners from accept all to reject all; nothing is resampled."""
    with asking("roc", trials, config, **_NOTHING) as query:
        return query.frame(ROC)


def epc(
    trials: Any,
    /,
    criteria: Names = None,
    measures: Names = None,
    alphas: int | None = None,
    *,
    intervals: bool = True,
    **config: Any,
) -> pl.DataFrame:
    """Return expected performance curves as the frame ``epc``: thresholds of the development set.

    ``criteria``, ``measures`` and ``alphas`` are the config's keys under ``epc``. ``intervals=False`` leaves
    limits and bands null, which saves the bootstrap.
    """
    if "epc" in config:
        raise ConfigError("epc (reporting.epc): its keys are arguments here: criteria, measures, alphas")
    intervals = flag_of(intervals, "intervals", "reporting.epc")
    settings = {**config, "epc": {"criteria": criteria, "measures": measures, "alphas": alphas}}
    with asking("epc", trials, settings, needs_dev=True, measures=(), criteria=(), curves=()) as query:
        return epc_frame(query, intervals=intervals)


def epc_frame(query: Query, *, intervals: bool) -> pl.DataFrame:
    """Return the frame ``epc`` of a question."""
    return replace(query, study=_alone(query.study, intervals=intervals)).frame(EPC)


def metrics(
    trials: Any, /, measures: Names = None, criteria: Names = None, *, intervals: bool = True, **config: Any
) -> pl.DataFrame:
    """Return every measure of every model as the frame ``metrics``.

    Without dev rows a criterion that needs them has the status ``no_dev``; also reported is, a
    posteriori, what ``oracle(criterion)`` gives. ``intervals=False`` leaves intervals null, which saves the
    bootstrap.
    """
    intervals = flag_of(intervals, "intervals", "reporting.metrics")
    settings = {**config, "measures": measures, "criteria": criteria}
    with asking("metrics", trials, settings, epc=None, curves=()) as query:
        return metrics_frame(query, intervals=intervals)


def metrics_frame(query: Query, *, intervals: bool) -> pl.DataFrame:
    """Return the frame ``metrics`` of a question."""
    study = _alone(query.study, intervals=intervals)
    return replace(query, study=replace(study, criteria=(*study.criteria, *query.without_dev))).frame(METRICS)


def compare(
    trials: Any, /, baseline: str | None = None, measures: Names = None, criteria: Names = None, **config: Any
) -> pl.DataFrame:
    """Return every model against the baseline, or all pairs, as the frame ``comparisons``.

    The first measure, at the first criterion, is the primary one, whose p-values are adjusted, unless
    ``primary`` names another; a rate of one kind of errors is not, where the threshold trades it for the
    other kind. Alphas of an EPC are compared where ``epc`` is given. Without dev rows only
    what needs no dev is compared.
    """
    keys = {**config, "baseline": baseline, "measures": measures, "criteria": criteria}
    settings = plain_keys("compare", keys)
    along = settings.get("epc", "none") != "none"
    without: Mapping[str, Any] = {"curves": ()} | ({} if along else {"epc": None})
    with asking("compare", trials, settings, needs_dev=along, **without) as query:
        undeveloped = COMPARISONS.build(_comparisons_without_dev(query))
        return COMPARISONS.stacked([undeveloped, query.frame(COMPARISONS)])


def _comparisons_without_dev(query: Query) -> Iterator[ComparisonRow]:
    """Yield a row without a difference for every comparison that would need a dev to choose on."""
    at = [measure for measure in query.study.measures if measure.over == "threshold"]
    chosen = [criterion for criterion in query.without_dev if not criterion.oracle]
    for part in query.parts() if at and chosen else ():
        for pair, measure, criterion in product(model_pairs(part.models, query.study), at, chosen):
            yield ComparisonRow(
                **place_of(pair.model.key),
                measure=str(measure),
                criterion=str(criterion),
                model=pair.model.key.model,
                baseline=pair.baseline.key.model,
                family="descriptive",
                status="no_dev",
                **group_of(part)._asdict(),
            )


def fit(trials: Any, /, fits: Names = "binormal", **config: Any) -> pl.DataFrame:
    """Return fitted curves in numbers as the frame ``fits``: a, b, areas, EER, each with its interval.

    ``fits`` are names of the config's key of that name: ``alpha_binormal``, ``binormal_ordinal``, ...
    """
    with asking("fit", trials, {**config, "fits": fits}, criteria=(), epc=None, curves=()) as query:
        return query.frame(FRAMES.find("fits").frame)


_NOTHING: Mapping[str, Any] = {"measures": (), "criteria": (), "epc": None, "curves": ()}
"""A study that chooses no threshold and resamples nothing."""


def _alone(study: Study, *, intervals: bool) -> Study:
    """Resample for intervals of single models only, or as little as possible."""
    settings = replace(study.inference, comparisons="given_thresholds")
    if not intervals:
        settings = settings.without_intervals
    return replace(study, inference=settings)
