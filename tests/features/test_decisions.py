"""One decision a model: it follows from the frame, and the interval that goes with it agrees."""

import dataclasses

import polars as pl
import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from simulated_results import World, simulate

from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER
from reporting.document.frames.comparisons import COMPARISONS, STANDING
from reporting.document.frames.metrics import METRICS
from reporting.document.words.decisions import answer, asked, decisive_p, joint_limits, of_a_pair
from reporting.document.words.oriented import primary_rows
from reporting.document.words.view import views

pytestmark = pytest.mark.usefixtures("undrawn")

SLOW = few(15)
OPEN = ("best", "tied", "in contention")


def worlds(baseline):
    return st.builds(
        World,
        models=st.integers(2, 6).map(lambda n: tuple(f"sys{k}" for k in range(n))),
        baseline=st.just(baseline),
        primary=st.sampled_from([HTER, AUC]),
        n_target=st.integers(5, 200),
        n_nontarget=st.integers(5, 200),
        strength=st.floats(0, 3),
        step=st.sampled_from([0.0, 0.1, 0.3]),
        decimals=st.integers(0, 2),
        seed=st.integers(0, 10_000),
        cluster=st.sampled_from([None, "speaker"]),
        pictures=st.just(False),
    )


def only(results):
    (view,) = views(results)
    return view


@SLOW
@given(worlds(None))
def test_which_is_best_is_what_the_frame_standing_says(world):
    view = only(simulate(world))
    found, rows = answer(view), {row.model: row for row in view.rows(STANDING)}
    assert found.question == "best"
    assert list(found.decisions) == view.ranked
    if of_a_pair(view):
        (tested,) = primary_rows(view)
        second = view.ranked[1]
        assert found.decisions[second].p == tested.p_value
        assert (found.decisions[second].word == "ruled out") == (tested.p_value <= 0.05)
        return
    for model, decision in found.decisions.items():
        row = rows[model]
        assert (decision.word == "ruled out") == (row.may_be_best is False)
        assert decision.word in ("ruled out", *OPEN)
        assert decision.p == row.p_best
        low, high = decision.joint
        if model == found.reference:
            assert decision.contrast is None
            assert (low, high) == (None, None)
        else:
            assert (low > 0 or high < 0) == (decision.word == "ruled out")
            assert low - 1e-12 <= decision.contrast.value <= high + 1e-12
    left = [row for row in rows.values() if row.may_be_best]
    assert (found.where("best") == [view.ranked[0]]) == (len(left) == 1)
    assert found.candidates == [model for model in view.ranked if rows[model].may_be_best]
    lowest = [m for m in view.ranked if view.primary(m).value == view.primary(view.ranked[0]).value]
    assert found.where("tied") == (lowest if len(lowest) > 1 else [])


@SLOW
@given(worlds("sys0"))
def test_against_a_baseline_the_adjusted_p_decides(world):
    view = only(simulate(world))
    found = answer(view)
    assert found.question == "baseline"
    assert found.reference == "sys0"
    sense = 1 if world.primary.better == "higher" else -1
    for model, decision in found.decisions.items():
        if model == "sys0":
            assert decision.word == "baseline"
            continue
        row = next(row for row in primary_rows(view) if row.model == model)
        assert decision.p == row.p_adjusted
        if not row.se and row.difference:
            continue  # Simulated alone: the program gives a difference without spread no interval and no p.
        differs = row.p_adjusted <= 0.05
        word = ("better" if sense * row.difference > 0 else "worse") if differs else "inconclusive"
        assert decision.word == word
        low, high = decision.joint
        assert differs or low <= 0 <= high


def test_the_limits_over_a_family_are_those_of_the_frame():
    view = only(simulate(World(models=("sys0", "sys1"), pictures=False)))
    row = next(row for row in view.headlines if row.measure == str(HTER))
    alone = dataclasses.replace(row, band_low=None, band_high=None, p_value=0.016, p_adjusted=0.016)
    assert joint_limits(alone) == (row.ci_low, row.ci_high)
    assert joint_limits(dataclasses.replace(alone, band_low=-1.0, band_high=1.0)) == (-1.0, 1.0)
    assert joint_limits(dataclasses.replace(alone, p_adjusted=0.066)) == (None, None)


def test_nothing_is_asked_of_a_single_model():
    view = only(simulate(World(models=("sys0",), pictures=False)))
    assert asked(view) == "none"
    assert answer(view).decisions["sys0"].word == "not compared"


def test_without_joint_draws_an_adjusted_comparison_rules_out():
    results = simulate(
        World(models=("sys0", "sys1", "sys2"), step=1.5, n_target=300, n_nontarget=300, pictures=False)
    )
    frames = {**results.frames, "standing": results.frame(STANDING).clear()}
    view = only(dataclasses.replace(results, frames=frames))
    found = answer(view)
    assert found.question == "best"
    for model in view.ranked[1:]:
        rows = [r for r in view.headlines if r.measure == str(HTER) and model in (r.model, r.baseline)]
        worse = [decisive_p(r) for r in rows if (r.difference > 0) == (r.model == model)]
        assert found.decisions[model].p == pytest.approx(min([*worse, 1.0]))
        assert (found.decisions[model].word == "ruled out") == (min([*worse, 1.0]) <= 0.05)
    assert found.where("ruled out")


def test_what_is_undefined_or_has_no_trial_key():
    results = simulate(World(models=("sys0", "sys1", "sys2"), pictures=False))
    metrics = results.frame(METRICS).with_columns(
        value=pl.when(pl.col("model") == "sys1").then(None).otherwise("value")
    )
    standing = results.frame(STANDING).filter(pl.col("model") != "sys1")
    view = only(
        dataclasses.replace(results, frames={**results.frames, "metrics": metrics, "standing": standing})
    )
    assert answer(view).decisions["sys1"].word == "undefined"
    untested = results.frame(COMPARISONS).with_columns(p_value=None, p_adjusted=None, difference=None)
    frames = {**results.frames, "comparisons": untested, "standing": results.frame(STANDING).clear()}
    view = only(dataclasses.replace(results, frames=frames))
    assert asked(view) == "none"
    assert answer(view).where("not compared") == view.ranked
