"""Decisions alone, as an earlier run left them: by exact fractions, and as two models of one report."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.counts.ranks import Ranks
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question
from reporting.core.measures.threshold import FAR, HTER
from reporting.core.resampling.settings import Inference
from reporting.features.compared_decisions import difference_of_decisions
from tests.research.studies.models import Drawn, clusters, study_of, two_models

MIN_HTER = read_criterion("min_hter")
SETTINGS = Inference(replicates=30)


def held(label, now, then, measure=HTER, unit=None, inference=SETTINGS):
    """The decisions now against those then; ``unit`` are clusters."""
    label, now, then = (np.array(each, dtype=bool) for each in (label, now, then))
    codes = None if unit is None else np.unique(unit, return_inverse=True)[1].astype(np.uint32)
    trials = Ranks(label, codes, {}, paired=True)
    return difference_of_decisions(trials, (now, then), ("all", "a"), measure, inference)


TRIALS = st.lists(st.tuples(*[st.booleans()] * 3, st.integers(0, 5)), min_size=2, max_size=40)


@settings(max_examples=30, deadline=None)
@given(TRIALS, st.booleans())
def test_the_difference_is_that_of_the_decisions_by_exact_fractions(trials, clustered):
    label, now, then, unit = zip(*trials, (True, True, True, 6), (False, False, False, 7), strict=True)
    of = held(label, now, then, unit=unit if clustered else None)
    n = {of_class: label.count(of_class) for of_class in (True, False)}
    errors = [
        sum(Fraction(a != t, n[t]) for t, a in zip(label, decided, strict=True)) / 2
        for decided in (now, then)
    ]
    assert of.point[0] == pytest.approx(float(errors[0] - errors[1]), abs=1e-12)
    back = held(label, then, now, unit=unit if clustered else None)
    assert back.point[0] == -of.point[0]
    if not clustered:
        assert back.tested().p_value == of.tested().p_value


def test_five_errors_fewer_of_twenty_by_hand():
    """Three false alarms of 10 and two misses of 10 are gone: D = -1/4, mid-p = 1/32."""
    label = [True] * 10 + [False] * 10
    then = [a != (i in (0, 1, 10, 11, 12)) for i, a in enumerate(label)]
    tested = held(label, label, then).tested()
    assert (tested.difference, tested.p_value) == (-0.25, pytest.approx(1 / 32))
    assert held(label, label, then, FAR).point[0] == pytest.approx(-0.3)


@pytest.mark.parametrize("clustered", [False, True])
def test_it_is_the_comparison_of_two_models_of_one_report(clustered):
    """Their decisions alone have the p of independent trials, and of clusters the same but for the draws."""
    rng, inference = np.random.default_rng(2), Inference(replicates=2000)
    made = clusters(rng, 15, 12, 8) if clustered else two_models(rng, 200, 100, (2.0, 2.6))
    drawn = Drawn(made, study_of(("hter",), ("min_hter",), inference), made)
    of = difference(drawn.pair, Question(HTER, MIN_HTER), drawn.resampling, drawn.study, "given_thresholds")
    decided = [model.binned(model.single[MIN_HTER].name).accepted() for model in drawn.models]
    alone = held(made.label, *decided, unit=made.unit, inference=inference)
    whole, kept = of.tested(), alone.tested()
    assert (kept.difference, kept.p_method) == (whole.difference, whole.p_method)
    near = {"rel": 0.3, "abs": 1e-3} if clustered else {"rel": 1e-12}
    assert kept.p_value == pytest.approx(whole.p_value, **near)
    assert alone.estimate().se == pytest.approx(of.estimate().se, rel=0.05 if clustered else 1e-12)
    assert set(alone.drawn.units.flags) == set(of.drawn.units.flags)
