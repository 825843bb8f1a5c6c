"""The swap test from counts to p: every exchange is the whole plain pipeline on exchanged scores."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from reporting.core.counts.cuts import count_cuts
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.curves.epc import choose
from reporting.core.resampling.draws import Exchanges
from reporting.core.resampling.settings import Inference
from reporting.core.resampling.units import Coins, cluster_units, exchanging, trial_units
from reporting.core.stats.swap import swap_p
from tests.research.studies.models import Drawn, Scored, study_of

CRITERIA = (
    "min_hter",
    "eer",
    "weighted_error(alpha=0.8)",
    "target_far(far=0.25)",
    "target_frr(frr=0.1)",
    "best(measure=f1)",
)
M = 70


def study(criteria=CRITERIA, **settings):
    return study_of(("hter", "far", "frr"), criteria, Inference(replicates=M, **settings))


def scored(rng, n, digits, clusters=None):
    label = rng.random(n) < 0.4
    label[:2] = True, False
    score = np.round(rng.normal(size=(2, n)) + 1.5 * label, digits)
    unit = None if clusters is None else rng.integers(0, clusters, n).astype(np.uint32)
    return Scored(label, score, unit)


def exchanged(places, swapped):
    """The places of both models (shape (2, N)) after an exchange of the marked trials."""
    return np.where(swapped, places[::-1], places)


def places_of(dev, test):
    """Mid-ranks among dev and test; test scores between two of dev on their side of the middle."""
    n = len(dev.label)
    ranks = np.stack([rankdata(np.concatenate(both)) for both in zip(dev.score, test.score, strict=True)])
    for model, score in enumerate(test.score):
        known = dict(zip(dev.score[model], ranks[model, :n], strict=True))
        for at, s in enumerate(score):
            below, above = (
                max((v for v in known if v < s), default=None),
                min((v for v in known if v > s), default=None),
            )
            if s not in known and below is not None and above is not None:
                middle, own = (known[below] + known[above]) / 2, ranks[model, n + at]
                upper = s >= below / 2 + above / 2
                ranks[model, n + at] = max(own, middle) if upper else min(own, middle - 0.125)
    return ranks[:, :n], ranks[:, n:]


def errors(dev, test, dev_label, label, criterion):
    """Misses and false alarms on test at the threshold chosen on dev."""
    cuts, _ = count_cuts(dev, dev_label)
    threshold = choose(cuts, read_criterion(criterion), "balanced", "midpoint").threshold[0]
    accepted = (test >= threshold) & (threshold < np.inf)
    return (label & ~accepted).sum(), (~label & accepted).sum()


def marks(units, replicates=M):
    """Which units every replicate exchanges (shape (units, M)), as the report draws them."""
    drawn = [
        e.bits(w)
        for (e,), _ in exchanging(units).pool.draw(1, 0, replicates, 64)
        for w in range(len(e.words))
    ]
    return np.concatenate(drawn, axis=1).astype(bool)


@settings(max_examples=25)
@given(st.integers(6, 30), st.integers(6, 30), st.integers(0, 10_000), st.integers(0, 2))
def test_a_replicate_is_the_pipeline_on_exchanged_scores(n_dev, n_test, seed, digits):
    rng = np.random.default_rng(seed)
    dev, test = scored(rng, n_dev, digits), scored(rng, n_test, digits)
    drawn = Drawn(test, study(), dev)
    on_dev, on_test = places_of(dev, test)
    dev_marks = marks(trial_units(dev.label, ("all", "dev")))
    test_marks = marks(trial_units(test.label, ("all", "test")))
    for criterion in CRITERIA:
        found = drawn.resampling.swapped[("a", "0", "b", "0"), criterion]
        for r in (0, 1, 63, 64, M - 1):
            after = zip(exchanged(on_dev, dev_marks[:, r]), exchanged(on_test, test_marks[:, r]), strict=True)
            for model, (chosen_on, judged) in enumerate(after):
                expected = errors(chosen_on, judged, dev.label, test.label, criterion)
                at = 2 * r + model
                assert (found.misses[at, 0], found.false_alarms[at, 0]) == expected
    assert (found.n_target == test.label.sum()).all()
    assert (found.n_nontarget == (~test.label).sum()).all()


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.booleans())
def test_what_an_exchange_moves_is_counted_by_class_and_split(seed, clustered):
    """Z: the share of the trials of a class that stay less that of those that change sides."""
    rng = np.random.default_rng(seed)
    dev, test = (scored(rng, n, 1, 9 if clustered else None) for n in (25, 40))
    drawn = Drawn(test, study(("min_hter",)), dev)
    if clustered:
        units = cluster_units([drawn.part.ranks, drawn.part.chosen_on.ranks], ("all", "test", "all", "dev"))
        test_marks, dev_marks = (marks(units[0])[each.of_trial] for each in units)
    else:
        test_marks, dev_marks = (
            marks(trial_units(s.label, ("all", n))) for s, n in ((test, "test"), (dev, "dev"))
        )
    expected = [
        (~moved[side.label == of]).mean(axis=0) - moved[side.label == of].mean(axis=0)
        for side, moved in ((test, test_marks), (dev, dev_marks))
        for of in (True, False)
    ]
    np.testing.assert_allclose(drawn.resampling.imbalance, np.column_stack(expected), atol=1e-12)


def people(rng, g, shift, spread=0):
    """G people with 40 targets and 40 non-targets each on either split; of each class the second model errs on
    ``shift`` more than the first, give or take ``spread``."""
    sides = []
    for _ in ("test", "dev"):
        label, score = [], []
        for _ in range(2 * g):
            errors = 4 + np.array([0, shift]) + rng.integers(-spread, spread + 1, 2)
            wrong = np.arange(40) < errors[:, None]
            label.append(np.full(40, len(label) % 2 == 0))
            sign = np.where(wrong, -1.0, 1.0) * (1 if label[-1][0] else -1)
            score.append(sign + rng.uniform(-0.5, 0.5, (2, 40)))
        sides.append(
            Scored(np.concatenate(label), np.concatenate(score, axis=1), np.repeat(np.arange(g), 80))
        )
    return sides


@pytest.mark.parametrize("shift", [3, 6, 10])
def test_a_shift_that_all_people_share_does_not_widen_the_interval(shift):
    """Ten people: as they are, exchanges reach 2 |D| / sqrt(10) to either side; held, thresholds reach a tenth."""
    test, dev = people(np.random.default_rng(3), 10, shift, 1)
    drawn = Drawn(test, study_of(("hter",), ("min_hter",), Inference(replicates=999)), dev)
    (measure,) = drawn.study.measures
    again, held = (
        drawn.difference(measure, "min_hter", e).tested() for e in ("procedure", "given_thresholds")
    )
    assert again.difference == held.difference == pytest.approx(-shift / 40, abs=0.02)
    assert (again.p_value <= 0.05, held.p_value <= 0.05) == (True, True)
    assert again.high < 0
    half = (held.high - held.low) / 2
    assert half * 0.7 < (again.high - again.low) / 2 < half * 1.5


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.integers(7, 12), st.integers(-6, 6), st.integers(0, 3))
def test_p_and_limits_agree_and_are_mirrored(seed, g, shift, spread):
    rng = np.random.default_rng(seed)
    test, dev = people(rng, g, shift, spread)
    (measure,) = (asked := study_of(("hter",), ("min_hter",), Inference(replicates=199))).measures
    forth = Drawn(test, asked, dev).difference(measure, "min_hter", "procedure").tested()
    turned = [replace(side, score=side.score[::-1]) for side in (test, dev)]
    back = Drawn(turned[0], asked, turned[1]).difference(measure, "min_hter", "procedure").tested()
    assert (back.difference, back.low, back.high) == (-forth.difference, -forth.high, -forth.low)
    assert (back.p_value, back.se) == (forth.p_value, forth.se)
    if forth.low is None:
        assert forth.p_value is None or forth.p_value > 0.05
        return
    assert forth.low <= forth.difference <= forth.high
    assert (forth.low > 0 or forth.high < 0) == (forth.p_value <= 0.05 + 1e-12)


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_no_exchange_gives_the_difference_that_is_printed(seed):
    """The common scale decides every trial as the scores themselves do."""
    rng = np.random.default_rng(seed)
    dev, test = scored(rng, 25, 1), scored(rng, 40, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Coins, "draw", nobody)
        drawn = Drawn(test, study(), dev)
    for criterion in CRITERIA:
        for measure in drawn.study.measures:
            of = drawn.difference(measure, criterion, "procedure")
            assert (of.exchanged == of.point).all()


def nobody(pool, seed, block, size, lanes):
    yield [Exchanges(np.zeros((-(-size // 64), pool.sizes[0]), dtype=np.uint64), size)], 0


# A table of ten trials: the scores of both models are their ranks 1 to 10, so that these are the common scale.
DEV = Scored(
    np.array([False, False, True, False, True, True]),
    np.array([[1.0, 3, 5, 6, 8, 10], [3.0, 6, 1, 5, 10, 8]]),
)
TEST = Scored(
    np.array([False, False, True, True]),
    np.array([[2.0, 4, 7, 9], [7.0, 4, 9, 2]]),
)
EVERY = np.array(list(itertools.product([0, 1], repeat=10)), dtype=np.uint8).T
"""All 2^10 exchanges: six units of dev, then four of test (shape (10, 1024))."""


def every(pool, seed, block, size, lanes):
    units = EVERY[:6] if "dev" in pool.names else EVERY[6:]
    packed = np.packbits(units[:, block * 256 : block * 256 + size], axis=1, bitorder="little")
    yield [Exchanges(packed.view("<u8").T, size)], 0


def hter_by_hand(dev, test):
    """The HTER on test at the cut of least HTER on dev, all in whole numbers and fractions."""
    values = sorted(set(dev))
    cuts = [-np.inf, *((a + b) / 2 for a, b in itertools.pairwise(values)), np.inf]

    def rates(scores, label, cut):
        misses = sum(bool(t) and s < cut for s, t in zip(scores, label, strict=True))
        alarms = sum(not t and s >= cut for s, t in zip(scores, label, strict=True))
        return Fraction(int(alarms), int((~label).sum())), Fraction(int(misses), int(label.sum()))

    def key(cut):
        far, frr = rates(dev, DEV.label, cut)
        return far + frr, abs(far - frr), far, frr

    far, frr = rates(test, TEST.label, min(cuts, key=key))
    return (far + frr) / 2


def test_all_exchanges_of_ten_trials_by_hand(monkeypatch):
    differences = []
    for swapped in EVERY.T.astype(bool):
        dev, test = exchanged(DEV.score, swapped[:6]), exchanged(TEST.score, swapped[6:])
        differences.append(hter_by_hand(dev[0], test[0]) - hter_by_hand(dev[1], test[1]))
    observed = differences[0]
    assert observed == Fraction(-1, 2)
    assert sum(differences) == 0  # each exchange has its opposite
    beyond = sum(abs(d) >= abs(observed) for d in differences)

    monkeypatch.setattr(Coins, "draw", every)
    asked = study_of(("hter",), ("min_hter",), Inference(replicates=1024, level=0.8))
    (measure,) = asked.measures
    of = Drawn(TEST, asked, DEV).difference(measure, "min_hter", "procedure")
    found = of.exchanged[:, 0]
    assert found.tolist() == [float(d) for d in differences]
    assert float(of.point[0]) == float(observed)
    assert swap_p(float(observed), found) == (1 + beyond) / 1025
    assert Fraction(beyond, 1024) == Fraction(3, 8)
