"""Thresholds across folds chosen again in every exchange and resample, against the plain pipeline on each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.curves.epc import choose_across, judge_across
from reporting.core.engine.folds import MOST_FOLDS, folds_of
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.resampling.draws import Exchanges
from reporting.core.resampling.settings import Inference
from reporting.core.resampling.units import exchanging
from reporting.core.stats.swap import swap_p
from reporting.document.frames.judged import JudgedPart
from reporting.features.comparisons.frame import comparison_rows
from reporting.features.operating_points.frame import metric_rows
from tests.research.studies.models import SERIAL, Drawn, Scored, study_of

CRITERIA = "min_hter", "eer", "best(measure=youden)", "best(measure=f1)", "target_far(far=0.25)"
M = 70


def study(**settings):
    return study_of(("hter", "youden", "frr"), CRITERIA, Inference(replicates=M, **settings))


def scored(rng, n=60, folds=5, clusters=None):
    """Two models that have the scores 1 to N, each in its own order: they are their own mid-ranks."""
    label = rng.permutation(n) < n // 3
    score = np.argsort(np.argsort(rng.normal(size=(2, n)) + 1.2 * label, axis=1), axis=1) + 1.0
    if clusters is None:
        return Scored(label, score, fold=rng.permutation(n) % folds)
    unit = rng.permutation(n) % clusters
    return Scored(label, score, unit.astype(np.uint32), fold=unit % folds)


def errors(score, trials, criterion, weight=None):
    """Misses and false alarms of one model at the thresholds of its folds, by the plain pipeline."""
    kept = np.ones(len(score), dtype=bool) if weight is None else weight > 0
    cuts, rank = count_cuts(score[kept], trials.label[kept])
    if weight is not None:
        label = trials.label[kept]
        counted = [
            np.bincount(rank[of], weight[kept][of], minlength=len(cuts.score)).astype(int)
            for of in (label, ~label)
        ]
        cuts = replace(cuts, n_target=counted[0], n_nontarget=counted[1])
    ranks = Ranks(
        trials.label[kept],
        None,
        {("a", "0"): rank},
        paired=True,
        fold=trials.fold[kept],
        weight=None if weight is None else weight[kept].astype(np.int64),
    )
    chosen = choose_across(cuts, rank, ranks, read_criterion(criterion), "balanced", "midpoint", None)
    judged = judge_across(chosen, cuts, rank, ranks, "balanced", "midpoint").test
    return int(judged.misses[0]), int(judged.false_alarms[0])


def drawn_units(drawn, pool_of):
    """The weights, or exchanges, of every unit in every replicate: shape (units, M)."""
    _, units = next(folds_of(drawn.part, drawn.study))
    pool = pool_of(units.test).pool
    parts = []
    for (weights,), _ in pool.draw(drawn.study.inference.seed, 0, M, M):
        words = range(len(weights.words)) if isinstance(weights, Exchanges) else ()
        parts += [weights.bits(word) for word in words] if words else [weights]
    return np.concatenate(parts, axis=1)


@pytest.mark.parametrize("clusters", [None, 15])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_exchange_is_the_plain_pipeline_on_exchanged_scores(criterion, clusters):
    trials = scored(np.random.default_rng(5), clusters=clusters)
    drawn = Drawn(trials, study(seed=3))
    swaps = drawn_units(drawn, exchanging)
    both = drawn.resampling.swapped[("a", "0", "b", "0"), criterion]
    for replicate in range(0, M, 5):
        of_trial = swaps[:, replicate] if clusters is None else swaps[trials.unit, replicate]
        exchanged = np.where(of_trial > 0, trials.score[::-1], trials.score)
        for model in (0, 1):
            at = 2 * replicate + model
            found = int(both.misses[at, 0]), int(both.false_alarms[at, 0])
            assert found == errors(exchanged[model], trials, criterion)


@pytest.mark.parametrize("clusters", [None, 15])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_resample_is_the_plain_pipeline_on_repeated_trials(criterion, clusters):
    trials = scored(np.random.default_rng(6), clusters=clusters)
    drawn = Drawn(trials, study(seed=4))
    weights = drawn_units(drawn, lambda units: units)
    again = drawn.resampling.errors[("b", "0"), f"re-selected {criterion}"]
    for replicate in range(0, M, 5):
        of_trial = weights[:, replicate] if clusters is None else weights[trials.unit, replicate]
        found = int(again.misses[replicate, 0]), int(again.false_alarms[replicate, 0])
        assert found == errors(trials.score[1], trials, criterion, of_trial.astype(np.int64))
        assert again.n_target[replicate, 0] == of_trial[trials.label].sum()


def rows_of(trials, **settings):
    drawn = Drawn(trials, study(**settings))
    judged = JudgedPart(drawn.part, drawn.study, SERIAL, ThresholdBootstrap(drawn.study, SERIAL))
    return drawn, [row for row in comparison_rows(judged) if row.criterion == "best(measure=youden)"]


def test_the_headline_is_the_swap_test_and_nothing_stands_beside_it():
    drawn, rows = rows_of(scored(np.random.default_rng(7)))
    assert [(row.inference, row.p_method) for row in rows] == [("procedure", "swap")] * 3
    row = next(row for row in rows if row.measure == "youden")
    of = drawn.difference(drawn.study.measures[1], "best(measure=youden)", "procedure")
    assert row.p_value == swap_p(row.difference, of.exchanged[:, 0])


@pytest.mark.parametrize("settings", [{"comparisons": "given_thresholds"}, {"folds": MOST_FOLDS + 1}])
def test_held_thresholds_of_folds_have_a_difference_but_no_test(settings):
    folds = settings.pop("folds", 5)
    _, rows = rows_of(scored(np.random.default_rng(7), n=120, folds=folds), **settings)
    for row in rows:
        assert row.inference == "given_thresholds"
        assert row.difference is not None
        assert (row.p_value, row.ci_low, row.ci_high) == (None, None, None)
        assert "held_folds" in row.flags


@pytest.mark.parametrize(("folds", "inference"), [(5, "procedure"), (MOST_FOLDS + 1, "given_thresholds")])
def test_intervals_of_one_model_choose_the_thresholds_of_folds_again(folds, inference):
    trials = scored(np.random.default_rng(8), n=120, folds=folds)
    default, asked = (
        [
            row
            for row in metric_rows(drawn.models[0], drawn.resampling, drawn.study)
            if row.threshold_source == "cv"
        ]
        for drawn in (Drawn(trials, study(intervals=i)) for i in ("given_thresholds", "procedure"))
    )
    assert default == asked
    assert {row.inference for row in default} == {inference}
    assert {"held_folds" in row.flags for row in default} == {inference == "given_thresholds"}


def test_a_resample_outside_a_fold_never_loses_a_class():
    """Two targets in two folds: outside each fold one of them is left, in half of all plain resamples."""
    label = np.arange(40) < 2
    score = np.stack([np.arange(40.0)[::-1], np.roll(np.arange(40.0), 7)])
    drawn = Drawn(Scored(label, score, fold=np.arange(40) % 2), study())
    _, units = next(folds_of(drawn.part, drawn.study))
    ((weights, redrawn),) = units.test.pool.draw(1, 0, M, M)
    assert redrawn > 0
    assert (weights[0][:2] > 0).all()
