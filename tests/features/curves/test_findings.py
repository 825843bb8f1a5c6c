"""Titles of pictures are true of the frame: each is checked by other arithmetic than made it."""

import dataclasses
import re

import numpy as np
import polars as pl
import pytest
from curve_results import WORDS, with_curves
from simulated_results import World, simulate

from reporting.document.charts.findings import Lead, between, inward, lead, on_balance, percent_inward
from reporting.document.charts.picture import curve_picture
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.calibration_and_benefit.probability_frames import DECISION
from reporting.features.catalogue import CURVES
from reporting.features.curves.roc_frame import PR
from reporting.features.likelihood_ratios.frame import COST

SMALL = World(models=("A", "B", "C"), n_target=60, n_nontarget=90, strength=1.5, alphas=3)
RUN = re.compile(
    r"^(\w+) has .* at every [\w ()-]*?(?: above ([\d.]+)%| below ([\d.]+)%| from ([\d.]+)% to ([\d.]+)%)?$"
)


def stairs(*corners):
    x, y = zip(*corners, strict=True)
    return np.array(x, dtype=float), np.array(y, dtype=float)


def leading(curves, **how):
    return lead(curves, 0.0, 1.0, float, **({"best": 0.0, "highest": False} | how))


def test_a_lead_ends_where_two_lines_cross():
    curves = {"a": stairs((0, 1), (1, 0)), "b": stairs((0, 0.8), (1, 0.2))}
    assert leading(curves) is None or leading(curves).model in curves
    # They cross at 1/2: neither has more, so the longest is no single one.
    assert leading(curves) is None


def test_a_curve_that_has_reached_the_best_value_leads_although_others_have_it_too():
    curves = {"a": stairs((0, 1), (0.2, 0), (1, 0)), "b": stairs((0, 1), (0.5, 0), (1, 0))}
    assert leading(curves) == Lead("a", 0.0, 1.0) or leading(curves).model == "a"
    assert leading(curves).high == 1.0


def test_two_that_have_the_best_value_everywhere_have_no_leader():
    best = stairs((0, 0), (1, 0))
    assert leading({"a": best, "b": best, "c": stairs((0, 1), (1, 0.5))}) is None
    assert leading({"a": best, "c": stairs((0, 1), (1, 0.5))}) == Lead("a", 0.0, 1.0)


def test_equal_curves_and_one_curve_have_no_leader():
    one = stairs((0, 1), (0.5, 0.5), (1, 0.5))
    assert leading({"a": one, "b": one}) is None
    assert leading({"a": one}) is None


def test_upright_steps_count_on_their_right():
    curves = {
        "a": stairs((0, 1), (0.25, 1), (0.25, 0.1), (1, 0.1)),
        "b": stairs((0, 1), (0, 0.5), (1, 0.5)),
    }
    assert leading(curves) == Lead("a", 0.25, 1.0)


@pytest.mark.parametrize(
    ("value", "upwards", "text"),
    [
        (0.3751, True, "0.38"),
        (0.3751, False, "0.37"),
        (41.2, False, "41"),
        (41.2, True, "42"),
        (0, True, "0"),
    ],
)
def test_ends_are_rounded_inward(value, upwards, text):
    assert inward(value, upwards) == text


def test_ends_of_the_whole_are_not_named():
    assert between(Lead("a", 0.0, 1.0), 0.0, 1.0, percent_inward) == ""
    assert between(Lead("a", 0.123, 1.0), 0.0, 1.0, percent_inward) == " above 13%"
    assert between(Lead("a", 0.0, 0.5), 0.0, 1.0, percent_inward) == " below 50%"
    assert between(Lead("a", 0.1, 0.5), 0.0, 1.0, percent_inward) == " from 10% to 50%"


WORLDS = [
    dataclasses.replace(SMALL, strength=strength, step=step, n_target=n)
    for strength in (0.5, 1.5, 3)
    for step in (0.05, 0.4)
    for n in (25, 200)
]


def rates(results, model):
    rows = results.frame(ROC).filter(split="test", model=model)
    return rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()


def least_misses(results, model, far):
    """The lowest miss rate at a rate of false acceptance, straight in counts between corners."""
    x, y = rates(results, model)
    x, y = x[np.lexsort((-y, x))], y[np.lexsort((-y, x))]
    return np.interp(far, x, y)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.strength}-{world.step}-{world.n_target}")
def test_who_has_the_lowest_rate_of_misses_is_so_in_the_frame(world):
    results = simulate(world)
    for word in ("det",):
        (figure,) = curve_picture(CURVES[word]).figures(views(results)[0])
        if figure.title == "DET curves of 3 models":
            continue
        model, low, high = stretch(figure.title)
        far = np.linspace(low, high, 4001)[1:-1]
        mine = least_misses(results, model, far)
        for other in set(world.models) - {model}:
            assert ((mine < least_misses(results, other, far)) | (mine <= 1e-12)).all(), figure.title


def stretch(title):
    found = RUN.match(title)
    assert found, title
    model, above, below, start, end = found.groups()
    low = float(above or start or 0) / 100
    return model, low, float(below or end or 100) / 100


@pytest.mark.parametrize("word", ["pr", "fdr", "f1"])
@pytest.mark.parametrize("strength", [0.5, 1.5, 3])
def test_who_has_the_highest_precision_is_so_in_the_frame(word, strength):
    results = with_curves(dataclasses.replace(SMALL, strength=strength, step=0.3), curves=(word,))
    (figure,) = curve_picture(CURVES[word]).figures(views(results)[0])
    if " has the " not in figure.title:
        return
    model, low, high = stretch(figure.title)
    recall = np.linspace(low, high, 2001)[1:-1]
    alarms = {}
    for name in SMALL.models:
        rows = results.frame(PR).filter(split="test", model=name).sort("true_positives", "false_alarms")
        hits = rows["true_positives"].to_numpy()
        last = {}
        for hit, alarm in rows.select("true_positives", "false_alarms").rows():
            last.setdefault(hit, []).append(alarm)
        x = np.array([hit for hit, found in last.items() for _ in (0, 1)]) / hits.max()
        y = np.array([edge(found) for found in last.values() for edge in (min, max)])
        alarms[name] = np.interp(recall, x + np.tile([0, 1e-12], len(last)), y)
    for other in set(SMALL.models) - {model}:
        assert ((alarms[model] < alarms[other]) | (alarms[model] == 0)).all(), figure.title


def test_the_largest_area_is_that_of_metrics():
    for world in WORLDS:
        results = simulate(world)
        (figure,) = curve_picture(CURVES["roc"]).figures(views(results)[0])
        areas = dict(
            results.frame(METRICS).filter(split="test", measure="auc").select("model", "value").rows()
        )
        if not areas:
            continue
        if "largest area" in figure.title:
            assert figure.title.startswith(max(areas, key=areas.get))


def test_scores_that_cost_more_than_ignoring_them_are_named():
    results = with_curves(SMALL, curves=("nbe",))
    cost = results.frame(COST)
    for models, title in (
        ([], "At no prior does ignoring the scores cost less"),
        (["B"], "At some priors the scores of B cost more than ignoring them"),
        (["A", "C"], None),
    ):
        worse = pl.col("model").is_in(models) & (pl.col("prior_log_odds") == 1)
        value = pl.when(worse).then(1.5 * pl.col("trivial")).otherwise(0.9 * pl.col("trivial"))
        found = views(results.with_frames({COST: cost.with_columns(bayes_error=value)}))[0]
        (figure,) = curve_picture(CURVES["nbe"]).figures(found)
        assert title in (figure.title, None)
        assert [model in figure.title.split() for model in "ABC"] == [model in models for model in "ABC"]


def test_harm_that_rests_on_a_few_trials_is_no_finding():
    results = with_curves(SMALL, curves=("nbe",))
    cost = results.frame(COST)
    far_out = (pl.col("model") == "B") & (pl.col("prior_log_odds") == 6)
    value = pl.when(far_out).then(1.5 * pl.col("trivial")).otherwise(0.9 * pl.col("trivial"))
    found = views(results.with_frames({COST: cost.with_columns(bayes_error=value)}))[0]
    (figure,) = curve_picture(CURVES["nbe"]).figures(found)
    assert figure.title == f"Normalised Bayes error of {len(SMALL.models)} models against the prior"
    assert "fewer than 30 errors decide it" in figure.caption


def test_the_highest_net_benefit_is_that_of_the_frame():
    for strength in (0.5, 1.5, 3):
        results = with_curves(dataclasses.replace(SMALL, strength=strength, step=0.4), curves=("decision",))
        (figure,) = curve_picture(CURVES["decision"]).figures(views(results)[0])
        if " has the " not in figure.title:
            continue
        model, low, high = stretch(figure.title)
        rows = (
            results.frame(DECISION).filter(split="test").filter(pl.col("probability").is_between(low, high))
        )
        best = rows.group_by("probability").agg(
            pl.col("model").get(pl.col("net_benefit").arg_max()), pl.col("treat_all").first()
        )
        assert set(best["model"]) == {model}


def test_every_picture_has_a_title_a_subtitle_and_a_method_and_none_of_them_within():
    results = with_curves(SMALL)
    view = views(results)[0]
    for word in WORDS:
        for figure in curve_picture(CURVES[word]).figures(view):
            assert figure.title
            assert not figure.title.endswith(".")
            assert figure.subtitle.endswith("test set")
            assert not figure.caption[0].islower()
            assert figure.caption.endswith(".")
            assert "title" not in figure.spec


def test_titles_name_the_dataset_where_there_are_several():
    results = simulate(dataclasses.replace(SMALL, datasets=("x", "y")))
    subtitles = [curve_picture(CURVES["det"]).figures(view)[0].subtitle for view in views(results)]
    assert [text.rpartition(", ")[2] for text in subtitles] == ["test set of x", "test set of y"]


def test_a_long_lead_by_a_trial_is_no_title_where_another_leads_by_more():
    """B misses one target for good; A finds them later: A leads above 45% by 1 of 80, B below by up to 40 of 80."""
    first = stairs((0, 0), (0.45, 0.98), (0.5, 1), (1, 1))
    second = stairs((0, 0), (0.05, 0.6), (0.4, 79 / 80), (0.99, 79 / 80), (1, 1))
    curves = {"A": first, "B": second}
    ahead = lead(curves, 0.0, 1.0, float, best=1.0, highest=True)
    assert ahead is not None
    assert ahead.model == "A"
    assert not on_balance(curves, "A", 0.0, 1.0, highest=True)
    assert on_balance(curves, "B", 0.0, 1.0, highest=True)
    lower = {"A": stairs((0, 1), (1, 1)), "B": stairs((0, 0), (1, 2))}  # equal areas: neither is ahead
    assert not any(on_balance(lower, model, 0.0, 1.0, highest=False) for model in lower)
