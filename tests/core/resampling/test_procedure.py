"""Thresholds chosen again: every replicate is the whole plain pipeline on rows repeated by their weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.base.execution import SerialExecutor
from reporting.core.counts.cuts import count_cuts
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.curves.epc import alpha_grid, choose
from reporting.core.resampling.cell_tables import ExchangedTrials
from reporting.core.resampling.procedure import (
    PlacedDev,
    ReselectedThresholds,
    common_cells,
    dev_cells,
    rechoose,
)
from reporting.core.resampling.settings import sees_bins
from reporting.core.resampling.units import trial_units
from reporting.core.stats.staircase import MOST_BINS, FixedRate, NarrowBins, bin_starts, bin_step

NAMES = ("all", "dev")
A = ("a", "0")
SINGLE = [CRITERIA[name] for name in ("min_hter", "eer", "target_far", "target_frr")]
CURVES = [CRITERIA[name] for name in ("weighted_error", "precision_recall", "target_far")]


def sample(n, seed, digits=1):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    label[:2] = True, False
    return np.round(rng.normal(size=n) + 1.5 * label, digits), label


def chosen_on(cuts):
    alpha = alpha_grid(11)
    return (
        *(choose(cuts, one, "balanced", "midpoint") for one in SINGLE),
        *(choose(cuts, one, "balanced", "midpoint", alpha) for one in CURVES),
    )


def rechosen(score, label, replicates, weight=None):
    cuts, rank = count_cuts(score, label, weight)
    units = trial_units(label, NAMES)
    models = {A: (dev_cells(units, cuts, label, weight, rank), chosen_on(cuts))}
    return rechoose(
        ReselectedThresholds(units, models, "balanced", "midpoint", 1), replicates, SerialExecutor()
    )


def times_drawn(label, size):
    units = trial_units(label, NAMES)
    (drawn, _), *_ = units.pool.draw(1, 0, size, size)
    return units.weights(drawn)


@settings(max_examples=30)
@given(st.integers(4, 60), st.integers(0, 10_000), st.integers(0, 3))
def test_a_replicate_is_the_pipeline_on_repeated_rows(n, seed, digits):
    score, label = sample(n, seed, digits)
    found = rechosen(score, label, 5)
    weights = times_drawn(label, 5)
    for r in range(5):
        again, _ = count_cuts(np.repeat(score, weights[:, r]), np.repeat(label, weights[:, r]))
        for expected in chosen_on(again):
            np.testing.assert_array_equal(found[A, expected.name][r], expected.threshold)


def test_weights_of_strata_enter_as_repeated_rows():
    score, label = sample(40, 3)
    weight = np.where(np.arange(40) % 3 == 0, 3, 1)
    found = rechosen(score, label, 5, weight)
    times = times_drawn(label, 5) * weight[:, None]
    for r in range(5):
        again, _ = count_cuts(np.repeat(score, times[:, r]), np.repeat(label, times[:, r]))
        for expected in chosen_on(again):
            np.testing.assert_array_equal(found[A, expected.name][r], expected.threshold)


@pytest.mark.parametrize(("n", "most"), [(4000, MOST_BINS), (100_000, MOST_BINS)])
def test_bins_are_as_narrow_as_said_and_not_too_many(n, most):
    score, label = sample(n, 4, digits=12)
    staircase = count_cuts(score, label)[0].staircase
    starts, step = bin_starts(staircase), bin_step(int(label.sum()), int((~label).sum()))
    assert (step == 0.25) == (n == 4000)
    ends = np.append(starts, len(staircase.misses) - 1)
    assert starts[0] == 0
    assert most / 4 < len(starts) <= most
    for errors, size in ((staircase.misses, label.sum()), (staircase.false_alarms, (~label).sum())):
        rate = errors[ends] / size
        # Cuts of one bin: the first and the last that only it separates are one trial apart from its ends.
        width = np.abs(np.diff(rate)) - 1 / size
        inside = np.clip((rate[1:] + rate[:-1]) / 2, 1 / size, 1 - 1 / size)
        se = np.sqrt(inside * (1 - inside) / size)
        steady = (inside > 10 / size) & (inside < 1 - 10 / size)
        assert (width[steady] <= 1.04 * step * se[steady]).all()


@pytest.mark.parametrize(("replicate_on", "n"), [("scores", 60), ("bins", 4000)])
def test_cells_of_two_models_cover_their_common_scale(replicate_on, n):
    """Each cell ends where the next begins; of every trial both models' cells hold its place."""
    label = sample(n, 4)[1]
    pair, places = [], []
    for seed in (5, 6):
        cuts, rank = count_cuts(np.round(sample(n, seed, digits=12)[0], 3), label)
        places.append(np.round(1000 * cuts.score).astype(np.int64))
        pair.append(PlacedDev(places[-1], cuts, rank))
    held = np.unique(np.concatenate(places))
    cells = common_cells(ExchangedTrials(trial_units(label, NAMES), label, None), tuple(pair), replicate_on)
    assert cells.coarse == (replicate_on == "bins")
    first, last = (np.searchsorted(held, end) for end in (cells.low, cells.high))
    assert (first[0], last[-1]) == (0, len(held) - 1)
    assert first[1:].tolist() == (last[:-1] + 1).tolist()
    assert (held[first] == cells.low).all()
    assert (held[last] == cells.high).all()
    if replicate_on == "scores":
        assert cells.low.tolist() == cells.high.tolist() == held.tolist()
    else:
        assert len(cells.low) < len(held) / 2


@pytest.mark.parametrize("of_targets", [False, True])
def test_bins_around_a_fixed_rate_are_a_tenth_of_a_standard_error_wide(of_targets):
    score, label = sample(200_000, 4, digits=12)
    staircase = count_cuts(score, label)[0].staircase
    fixed = FixedRate(0.01, of_targets)
    plain, starts, cut = (
        bin_starts(staircase),
        bin_starts(staircase, [NarrowBins.at(fixed, staircase)]),
        fixed.cut(staircase),
    )
    assert set(plain) <= set(starts)
    assert len(starts) - len(plain) < 420
    misses, false_alarms = staircase.misses, staircase.false_alarms
    if of_targets:
        assert misses[cut] <= 0.01 * misses[-1] < misses[cut + 1]
    else:
        assert false_alarms[cut] <= 0.01 * false_alarms[0] < false_alarms[cut - 1]
    for errors in (misses, false_alarms):
        n, here = errors.max(), errors[cut] / errors.max()
        se = np.sqrt(here * (1 - here) / n)
        rates = errors[starts] / n
        near = np.abs(rates - here) < 4 * se
        assert near.sum() > 40
        assert np.abs(np.diff(rates[near])).max() <= 0.13 * se + 1 / n


def test_few_runs_of_one_class_are_seen_themselves():
    assert not sees_bins("auto", 10**7, MOST_BINS)
    assert sees_bins("auto", 10**7, MOST_BINS + 1)
    assert sees_bins("auto", 10**7)
    assert not sees_bins("auto", 2**15, 2**15)
    assert sees_bins("bins", 100, 10)


def test_coarse_choices_spread_as_free_ones(monkeypatch):
    """The standard deviation of the rates on test is that of the exact bootstrap to a few percent."""
    score, label = sample(4000, 5, digits=12)
    fine = rechosen(score, label, 400)
    monkeypatch.setattr("reporting.core.resampling.settings.EXACT_SCORES", 1000)
    coarse = rechosen(score, label, 400)
    targets = np.sort(sample(20_000, 6, digits=12)[0])
    differ = False
    for place, free in fine.items():
        if free.shape[1] > 1:
            continue
        a, b = (np.searchsorted(targets, t[:, 0]) / len(targets) for t in (free, coarse[place]))
        differ |= bool((a != b).any())
        assert b.std() == pytest.approx(a.std(), rel=0.1)
        assert np.abs(a - b).mean() < 0.35 * a.std()
    assert differ


def test_neither_chunks_nor_other_models_change_what_is_chosen(monkeypatch):
    score, label = sample(300, 7)
    alone = rechosen(score, label, 300)
    monkeypatch.setattr("reporting.core.resampling.bootstrap.LARGEST_CHUNK", 5000)
    for place, expected in rechosen(score, label, 300).items():
        np.testing.assert_array_equal(alone[place], expected)
