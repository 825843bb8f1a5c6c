"""Choosing on many rows of counts against the plain choice on each: the same cut, or one with no trial between."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from one_staircase import (
    best,
    break_even,
    choose_level,
    equal_error,
    far_levels,
    frr_levels,
    levels_of,
    weighted,
    weighted_error,
)
from tied import staircase_of

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.core.stats.choice import Staircases, choose_thresholds
from reporting.core.stats.staircase import Staircase, cumulate, hull_cuts, threshold_of
from reporting.core.stats.steps import precision_recall
from reporting.errors import DataError

ALONG = np.concatenate(([0.0], np.arange(1, 10) / 10, [1 / 3, 1.0]))


def value_of(name, staircase):
    measure = read_measure(name)
    counts = staircase.misses, staircase.false_alarms, staircase.n_target, staircase.n_nontarget
    return np.asarray(measure.formula(*counts, **measure.arguments), dtype=np.float64)


def far(staircase, ties, at, how="nearest"):
    return choose_level(staircase, far_levels(staircase), at, how)


def frr(staircase, ties, at, how="nearest"):
    return choose_level(staircase, frr_levels(staircase), at, how)


def level(name, staircase, ties, at, how="nearest", better="higher"):
    return choose_level(staircase, levels_of(staircase, value_of(name, staircase)), at, how, better)


def the_best(name, better, staircase, ties):
    return best(staircase, ties, value_of(name, staircase), better)


def two(first, second, better, staircase, ties):
    return break_even(staircase, value_of(first, staircase), value_of(second, staircase), better)


def sums(first, second, better, staircase, ties, at):
    values = value_of(first, staircase), value_of(second, staircase)
    return weighted(staircase, ties, *values, better, at)


def paper(staircase, ties, at):
    """Rows without empty cells are the only ones that it is asked on here: it is its own oracle there."""
    return precision_recall(Staircases.of(staircase), "balanced", at)


HIGH = ("higher", "higher")
CRITERIA = {
    "min_hter": (partial(weighted_error, alpha=0.5), {}),
    "min_dcf(p_target=0.01, c_miss=10)": (partial(weighted_error, alpha=0.99 / 1.09), {}),
    "weighted_error": (lambda staircase, ties, at: weighted_error(staircase, ties, at), {"alpha": ALONG}),
    "precision_recall": (paper, {"alpha": ALONG}),
    "eer": (equal_error, {}),
    "target_far(far=0.25)": (partial(far, at=0.25), {}),
    "target_far(far=0.25, how=at_most)": (partial(far, at=0.25, how="at_most"), {}),
    "target(measure=far, value=0.25, how=at_least)": (partial(far, at=0.25, how="at_least"), {}),
    "target_far": (far, {"far": ALONG}),
    "target_frr": (frr, {"frr": ALONG}),
    "target_frr(frr=0.5, how=at_most)": (partial(frr, at=0.5, how="at_most"), {}),
    "target(measure=f1)": (partial(level, "f1"), {"value": ALONG}),
    "target(measure=precision, how=at_least)": (
        partial(level, "precision", how="at_least"),
        {"value": ALONG},
    ),
    "target(measure=mcc, how=at_most)": (partial(level, "mcc", how="at_most"), {"value": ALONG}),
    "best(measure=youden)": (partial(weighted_error, alpha=0.5), {}),
    "best(measure=f1)": (partial(the_best, "f1", "higher"), {}),
    "best(measure=accuracy)": (partial(the_best, "accuracy", "higher"), {}),
    "best(measure=mcc)": (partial(the_best, "mcc", "higher"), {}),
    "break_even(v1=precision, v2=recall)": (partial(two, "precision", "recall", HIGH), {}),
    "break_even(v1=npv, v2=far)": (partial(two, "npv", "far", ("higher", "lower")), {}),
    "weighted(v1=npv, v2=recall)": (partial(sums, "npv", "recall", HIGH), {"alpha": ALONG}),
    "weighted(v1=f1, v2=far)": (partial(sums, "f1", "far", ("higher", "lower")), {"alpha": ALONG}),
}
few_trials = st.integers(1, 9).flatmap(
    lambda n: arrays(np.int32, (6, 2, n), elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3]))
)


def staircase_of_counts(nontargets, targets):
    """The staircase of one row, without its empty cells, and these cells that hold trials."""
    held = np.flatnonzero(nontargets + targets)
    counts = targets[held].astype(np.int64), nontargets[held].astype(np.int64)
    return Staircase(*cumulate(*counts), hull_cuts(*counts)), held


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("ties", ["balanced", "high", "low"])
@given(counts=few_trials)
def test_every_row_is_chosen_on_as_alone(name, ties, counts):
    criterion, (plain, swept) = read_criterion(name), CRITERIA[name]
    counts = counts[counts.any(axis=2).all(axis=1)]  # both classes are there
    n, every = counts.shape[2], np.ones(len(counts), dtype=bool)
    if not len(counts):
        return
    staircases = [staircase_of_counts(*row.astype(np.int64)) for row in counts]
    known = []
    for at, (staircase, _) in enumerate(staircases):
        try:
            with np.errstate(all="ignore"):
                known.append(plain(staircase, ties, *swept.values()))
        except ValueError:  # a measure is defined at no cut of the row
            every[at] = False
            known.append(None)
    rows = Staircases.of_counts(counts)
    if not every.any():
        with pytest.raises(DataError):
            criterion.choose_each(rows, ties, **swept)
        return
    found = criterion.choose_each(rows, ties, **swept)
    below, above = rows.beside(found.cut)
    for row in np.flatnonzero(every):
        ends = np.concatenate(([-1], staircases[row][1], [n]))
        cut = np.ravel(known[row].cut)
        assert (below[row].tolist(), above[row].tolist()) == (ends[cut].tolist(), ends[cut + 1].tolist())
        assert found.tied[row].tolist() == np.ravel(known[row].tied).tolist()


@pytest.mark.parametrize("name", CRITERIA)
@given(counts=few_trials)
def test_one_staircase_is_a_row(name, counts):
    criterion, (_, swept) = read_criterion(name), CRITERIA[name]
    for row in counts[counts.any(axis=2).all(axis=1)].astype(np.int64):
        staircase, held = staircase_of_counts(*row)
        try:
            alone = criterion.choose(staircase, "balanced", **swept)
        except DataError:
            continue
        together = criterion.choose_each(Staircases.of_counts(row[None][:, :, held]), "balanced", **swept)
        assert together.cut.ravel().tolist() == alone.cut.ravel().tolist()
        assert together.tied.ravel().tolist() == alone.tied.ravel().tolist()


def test_by_hand_a_tie_is_broken_by_the_rule():
    # Three cells: a target below a non-target below a target; at equal weights cuts 0 and 2 cost 1/2 each.
    rows = Staircases.of_counts(np.array([[[0, 1, 0], [1, 0, 1]]], dtype=np.int32))
    halves, thirds = read_criterion("weighted_error(alpha=0.5)"), {"alpha": np.array([1 / 3])}
    assert rows.misses.tolist() == [[0, 1, 1, 2]]
    assert rows.false_alarms.tolist() == [[1, 1, 0, 0]]
    # FAR / 2 + FRR / 2: 1/2, 3/4, 1/4, 1/2: cut 2 alone is best; at alpha = 1/3 cuts 0 and 2 tie at 1/3.
    chosen = {ties: halves.choose_each(rows, ties).cut.tolist() for ties in ("high", "low")}
    assert chosen == {"high": [[2]], "low": [[2]]}
    tied = {ties: read_criterion("weighted_error").choose_each(rows, ties, **thirds) for ties in chosen}
    assert (tied["high"].cut.tolist(), tied["low"].cut.tolist()) == ([[2]], [[0]])
    assert tied["high"].tied.tolist() == [[2]]


def test_weights_that_nearly_tie_do_not():
    rows = Staircases.of_counts(np.array([[[0, 1, 0], [1, 0, 1]]], dtype=np.int32))
    nearly = np.array([1 / 3 - 2e-12, 1 / 3 - 5e-13, 1 / 3 + 5e-13, 1 / 3 + 2e-12])
    chosen = read_criterion("weighted_error").choose_each(rows, "high", alpha=nearly)
    assert (chosen.cut.tolist(), chosen.tied.tolist()) == ([[0, 2, 2, 2]], [[1, 2, 2, 1]])
    chosen = read_criterion("weighted_error").choose_each(rows, "low", alpha=nearly)
    assert chosen.cut.tolist() == [[0, 0, 0, 2]]


@pytest.mark.parametrize("ties", ["balanced", "high", "low"])
def test_of_two_edges_that_a_weight_nearly_evens_the_nearer_decides(ties):
    many = 1_500_000
    counts = np.array([[[many + 1, many + 2], [many, many + 1]], [[1, 1], [1, 2]]], dtype=np.int64)
    # Shares of targets 1.1e-13 apart: at the weight of one edge the other ties to the tolerance too.
    weight = (many * (2 * many + 3)) / (many * (2 * many + 3) + (many + 1) * (2 * many + 1))
    alphas = weight + np.array([-2e-13, 0, 2e-13])
    found = read_criterion("weighted_error").choose_each(Staircases.of_counts(counts), ties, alpha=alphas)
    for row, each in enumerate(counts):
        alone = weighted_error(staircase_of_counts(*each)[0], ties, alphas)
        assert (found.cut[row].tolist(), found.tied[row].tolist()) == (
            alone.cut.tolist(),
            alone.tied.tolist(),
        )


def test_products_beyond_64_bits_are_compared_exactly():
    """4 thousand million trials a class: the products of counts pass 2^63.

    At equal weights the cuts (FN, FP) = (0, N), (N/4, 3N/4), (N, 0) tie; |FP - FN| is N, N/2, N.
    """
    quarter = 10**9
    rows = Staircases.of_counts(np.array([[[quarter, 3 * quarter], [quarter, 3 * quarter]]] * 2))
    chosen = read_criterion("min_hter").choose_each(rows, "balanced")
    assert (chosen.cut.tolist(), chosen.tied.tolist()) == ([[1], [1]], [[3], [3]])


@given(counts=few_trials)
def test_vertices_of_all_rows_are_those_of_each(counts):
    counts = counts[counts.any(axis=2).all(axis=1)]
    rows = Staircases.of_counts(counts)
    row, cut = np.divmod(rows.hull, rows.n + 1)
    for number, (nontargets, targets) in enumerate(counts.astype(np.int64)):
        staircase, _ = staircase_of_counts(nontargets, targets)
        known = [errors[staircase.hull].tolist() for errors in (staircase.misses, staircase.false_alarms)]
        assert [errors[cut[row == number]].tolist() for errors in cumulate(targets, nontargets)] == known


@given(counts=few_trials)
def test_thresholds_lie_between_the_trials_that_are_there(counts):
    low = np.arange(counts.shape[2], dtype=np.float64)
    criterion = read_criterion("eer")
    found = choose_thresholds(counts, low, low + 0.25, lambda rows: criterion.choose_each(rows, "high").cut)
    for row, (nontargets, targets) in zip(found, counts, strict=True):
        if not (nontargets.any() and targets.any()):
            assert np.isnan(row).all()
            continue
        cut = int(equal_error(staircase_of_counts(nontargets, targets)[0], "high").cut)
        held = np.flatnonzero(nontargets + targets)
        ends = -np.inf, *((low[held][:-1] + 0.25) / 2 + low[held][1:] / 2), np.inf
        assert row.tolist() == [ends[cut]]


def test_the_thresholds_of_one_staircase_are_those_of_its_row():
    distinct, staircase = staircase_of([1.0, 2.0, 2.5], [0.0, 1.5, 1.5])
    counts = np.stack([-np.diff(staircase.false_alarms), np.diff(staircase.misses)])[None]
    criterion = read_criterion("weighted_error")
    found = choose_thresholds(
        counts, distinct, distinct, lambda rows: criterion.choose_each(rows, "balanced", alpha=ALONG).cut
    )
    cut = criterion.choose(staircase, "balanced", alpha=ALONG).cut
    assert found.tolist() == [threshold_of(distinct, cut).tolist()]
