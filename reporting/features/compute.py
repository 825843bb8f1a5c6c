"""From counts to the result frames of a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor
from reporting.base.execution.array_store import give_back_memory
from reporting.core.counts.count import Counts
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.partition import Partition, group_name
from reporting.core.engine.parts import Part, mix_of, parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.document.frames.comparisons import COMPARISONS, DIFFERENCES, STANDING
from reporting.document.frames.contract import Frame
from reporting.document.frames.histogram import HISTOGRAM
from reporting.document.frames.judged import JudgedPart, JudgedRun
from reporting.document.frames.tests import TESTS
from reporting.errors import ConfigError, did_you_mean, listed, quoted
from reporting.features.frames import FRAMES, recipes_for
from reporting.inputs.table import TrialTable

Visit = Callable[[Part, Resampling], None]
"""Sees a part while its resamples are at hand."""
LARGE = 1_000_000
"""Distinct scores of all models from which on freed memory is worth the time that giving it back takes."""
OF_PAIRS = COMPARISONS, DIFFERENCES, STANDING, TESTS
"""The frames that swaps of models' scores are drawn for."""


def compute_frames(
    table: TrialTable,
    counts: Counts,
    study: Study,
    pool: Executor,
    visit: Visit | None = None,
    cache: Cache = NO_CACHE,
    only: Collection[Frame[Any]] = (),
) -> dict[str, pl.DataFrame]:
    """Return the result frames that a study wants by name, or ``only`` some of them.

    ``visit`` sees every part while its resamples are at hand.
    """
    if only:
        wanted = [recipe for recipe in FRAMES.values() if recipe.frame in only]
    else:
        wanted = [recipe for recipe in recipes_for(study) if recipe.wanted(study)]
    if table.bundle is not None and table.bundle.about.noise is not None:
        # Resamples do not show the noise, so that one is enough.
        study = replace(study, inference=replace(study.inference, replicates=1, bands="none"))
        wanted = [recipe for recipe in wanted if recipe.under_noise]
    pieces: dict[str, list[Any]] = defaultdict(list)
    run = JudgedRun(table, counts, study, pool=pool, cache=cache)
    of_pairs = visit is not None or any(recipe.frame in OF_PAIRS for recipe in wanted)
    _check_references([ranks for place, ranks in counts.ranks.items() if place[1] == "test"], study)
    rechoosing = ThresholdBootstrap(study, pool, cache, of_pairs=of_pairs)
    is_large = sum(len(cuts.score) for cuts in counts.cuts.values()) > LARGE
    for part in parts(counts, study):
        mix = mix_of(part)
        judged = JudgedPart(part, study.of_mix(mix), pool, rechoosing)
        if mix is None:
            run.parts.append(part)
            if visit is not None:
                visit(part, judged.drawn)
        for recipe in wanted:
            if recipe.made_of(mix, study):
                for make in recipe.parts:
                    pieces[recipe.key] += make(judged)
                if is_large:
                    give_back_memory()
    frames = {}
    for recipe in wanted:
        rows = recipe.finish([*pieces[recipe.key], *recipe.run(run)], study)
        if rows or recipe.keeps_empty or only:
            frame = recipe.frame.assembled(rows)
            frames[recipe.key] = on_own_scale(recipe.frame, frame, study.negated)
    return _without_trial_pairs(table, frames)


ENDS = {"threshold": "threshold", "threshold_low": "threshold_high", "threshold_high": "threshold_low"}
"""What takes the place of what, with the other sign."""


def on_own_scale(contract: Frame[Any], frame: pl.DataFrame, negated: Collection[str]) -> pl.DataFrame:
    """Return a frame whose thresholds and bins are those of the table; ``negated`` are models.

    Where lower scores favour the target, the engine counts negated scores and accepts from a threshold on;
    a frame holds the table's own scores, which are accepted up to a threshold.
    """
    ends = {"low": "high", "high": "low"} if contract is HISTOGRAM else ENDS
    turned = {name: other for name, other in ends.items() if name in frame.columns}
    if not negated or not turned:
        return frame
    is_negated = pl.col("model").is_in(sorted(negated))
    # No zero gets a minus sign, as it would of 0 - x, which Polars takes for -x.
    own = (
        pl.when(is_negated & (pl.col(other) == 0))
        .then(0.0)
        .when(is_negated)
        .then(-pl.col(other))
        .otherwise(pl.col(name))
        .alias(name)
        for name, other in turned.items()
    )
    return frame.with_columns(*own).sort(list(contract.sorted_by), nulls_last=False, maintain_order=True)


def _without_trial_pairs(table: TrialTable, frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return frames without the numbers that rest on pairs of trials, where the table does not have them.

    Those are the design effect, whose denominator takes trials as pairs, the caution about few trials that
    two models decide differently (how many is not known), and all of frames with ``pairs_trials``.
    """
    if table.pairs_trials:
        return dict(frames)
    cleared = {name: frame for name, frame in frames.items() if not FRAMES[name].pairs_trials}
    for name in {"comparisons", "tests"} & cleared.keys():
        frame, flags = cleared[name], pl.col("flags").list.set_difference(["few_discordant"]).list.sort()
        unknown = pl.lit(None, pl.Float64).alias("design_effect")
        cleared[name] = frame.with_columns(flags, *[unknown] * ("design_effect" in frame.columns))
    return cleared


def _check_references(ranks_on_test: Sequence[Ranks], study: Study) -> None:
    """Raise ConfigError where no test trial is in the group of a reference."""
    for plan in study.across:
        if plan.reference is None:
            continue
        every = (Partition.of(ranks, plan.columns, key="across") for ranks in ranks_on_test)
        groups = {values for each in every for values in each.values}
        if plan.reference in groups:
            continue
        wanted = group_name(plan.columns, plan.reference)
        names = sorted(group_name(plan.columns, values) for values in groups)
        raise ConfigError(
            f"across: no test trial is in the reference group {quoted(wanted)}{did_you_mean(wanted, names)}"
            f" (groups: {listed(names, 20)})"
        )
