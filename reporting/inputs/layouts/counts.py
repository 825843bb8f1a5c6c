"""The layout ``counts``: bundles of counts, unfolded into as many rows as there were trials.

Where trials need keys (of patterns, and wherever models must agree on clusters or breakdowns) they get
some that depend on nothing but the counts. Keys of patterns pair models trial by trial. Those of ``cuts``
number the trials of a class in each cluster, or block, by score, so they pair models by clusters or blocks
alone: every sum over one is right, and no statement about a single trial is. Where blocks are counted, a key
begins with that of its trial.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reporting.errors import listed, refuse
from reporting.inputs.blocks import DIGITS
from reporting.inputs.bundle import (
    BLOCK,
    NUMBER,
    PLACE,
    About,
    Bundle,
    key_columns,
    open_bundle,
    shared_columns,
)
from reporting.inputs.layouts.raw import LayoutRows, Raw
from reporting.inputs.layouts.tables import COUNT
from reporting.inputs.spec import BREAKDOWN, SAMPLED, TrialSpec

WIDTH = 12
"""Digits of a number in a key: keys sort as texts."""
FOLDING = ("split_clients", "kfold", "leave_one_client_out", "cv_test")
"""Policies that part trials by their cluster or key."""


def count_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of all bundles together, a piece a model; DataError where the config cannot be met."""
    bundle = open_bundle(spec)
    refuse(_faults(spec, bundle.about))
    name, has_use = " + ".join(bundle.names), set(spec.breakdowns)
    shared = [
        column
        for column in shared_columns(bundle.about)
        if not column.startswith(BREAKDOWN) or column in has_use
    ]
    unfolded = _patterns if bundle.about.form == "patterns" else _cuts
    pieces = [Raw(name, _named(spec, shared, rows), model) for model, rows in unfolded(bundle, shared)]
    return LayoutRows(pieces, bundle=bundle)


def _faults(spec: TrialSpec, about: About) -> Iterator[str]:
    if spec.coarse not in (None, about.bits):
        yield f"trials.coarse: {spec.coarse} is requested, but the file was counted at {about.bits}"
    if about.clusters and about.clusters.columns == 2 and not spec.has_pairs:
        yield (
            "trials.columns.cluster: the file has two clusters per trial; name two columns, such as"
            " [first, second]"
        )
    if about.clusters and about.clusters.pools != spec.pools:
        counted = repr(about.clusters.pools)
        yield f"trials.clusters.pools: {spec.pools!r} is set, but the file was counted with {counted}"
    if about.turned is not None and (asked := spec.negated & {*about.models} - {*about.turned}):
        yield (
            f"models: higher_is: nontarget is set for {listed(sorted(asked))}, but the file was counted"
            " without; counts keep the direction of their scores, so count again with it"
        )
    if spec.runs == "fold":
        yield "trials.runs: counts have no folds; make the report from the trials themselves"
    if spec.weighted:
        yield "trials.weights: counts have no strata; leave it out"
    if spec.has_strata:
        yield f"trials.columns.{SAMPLED}: counts have no strata; leave it out"
    policy = spec.thresholds.policy
    if policy in FOLDING and not about.clusters and about.form == "cuts":
        yield (
            f"thresholds.policy: {policy!r} parts trials or clusters, and these counts have neither; write"
            " thresholds: {policy: dev}, or count again with clusters (trials.columns.cluster) or --paired"
        )


def _cuts(bundle: Bundle, shared: list[str]) -> Iterator[tuple[str, pl.LazyFrame]]:
    """Unfold the ``cuts`` of every model; without clusters and breakdowns no trial needs a key."""
    cell = [*PLACE, *shared, "label"]
    rows = bundle.summed_by(["model", "run", *cell, "key"]).rename({"key": "score"})
    if shared:
        groups = rows.select(cell).unique().sort(cell).with_row_index("group")
        rows = rows.join(groups, on=cell, how="left", maintain_order="left")
        rows = rows.with_columns(_start(["model", "run", "group"]))
        key = pl.concat_str(*_block(shared), _padded("group"), pl.lit("-"), _padded("place"))
    for model in bundle.about.models:
        mine = rows.filter(pl.col("model") == model).lazy()
        if shared:
            yield model, _placed(mine).with_columns(key.alias("trial")).drop("group", "place")
        else:
            yield model, mine.rename({NUMBER: COUNT})


def _patterns(bundle: Bundle, shared: list[str]) -> Iterator[tuple[str, pl.LazyFrame]]:
    scores = key_columns(bundle.about)
    cell = [*PLACE, *shared, "label"]
    rows = bundle.summed_by([*cell, *scores]).with_columns(_start(list(PLACE)))
    by_model: dict[str, list[pl.LazyFrame]] = {model: [] for model in bundle.about.models}
    for (model, run), score in zip(bundle.about.scores, scores, strict=True):
        mine = rows.lazy().select(
            pl.lit(model).alias("model"),
            pl.lit(run).alias("run"),
            *cell,
            pl.col(score).alias("score"),
            "start",
            NUMBER,
        )
        key = pl.concat_str(*_block(shared), _padded("place"))
        by_model[model].append(_placed(mine).with_columns(key.alias("trial")).drop("place"))
    for model, runs in by_model.items():
        yield model, pl.concat(runs)


def _start(within: list[str]) -> pl.Expr:
    """How many trials precede a row among those of its own kind, in sorted rows."""
    return (pl.col(NUMBER).cum_sum().over(within) - pl.col(NUMBER)).alias("start")


def _placed(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Unfold rows; ``place`` numbers the trials from each row's start."""
    place = pl.int_ranges("start", pl.col("start") + pl.col(NUMBER)).alias("place")
    return rows.with_columns(place).explode("place").drop("start", NUMBER)


def _padded(number: str, width: int = WIDTH) -> pl.Expr:
    return pl.col(number).cast(pl.String).str.zfill(width)


def _block(shared: list[str]) -> list[pl.Expr]:
    return [_padded(BLOCK, DIGITS), pl.lit("-")] if BLOCK in shared else []


def _named(spec: TrialSpec, shared: list[str], rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows in the words of the config: its columns, labels, splits, and the sense of its scores."""
    values = spec.values
    if isinstance(values.nontarget, tuple):
        nontarget = values.nontarget[0]
    else:  # a word that does not mean target
        nontarget = next(word for word in ("nontarget", "0", "other") if word not in values.target)
    worded = {
        "label": pl.when("label").then(pl.lit(values.target[0])).otherwise(pl.lit(nontarget)),
        "split": pl.when(pl.col("split") == "dev").then(pl.lit(values.dev)).otherwise(pl.lit(values.test)),
        # Keys have the sense of the report; the config turns them once more.
        "score": pl.when(pl.col("model").is_in(sorted(spec.negated)))
        .then(-pl.col("score"))
        .otherwise("score"),
    }
    kept = [*(name for name in shared if name.startswith(BREAKDOWN)), "model", "run", "dataset"]
    kept += [name for name in shared if not name.startswith(BREAKDOWN) and name != BLOCK]
    numbered = [name for name in ("trial", COUNT) if name in rows.collect_schema()]
    named = {spec.column(name): pl.col(name) for name in [*kept, *numbered]}
    named |= {spec.column(name): expression for name, expression in worded.items()}
    return rows.select(**named)
