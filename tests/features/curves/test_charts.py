"""The further pictures: their numbers against the frames, their edges, and what is said where one is missing."""

import dataclasses
import json
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest
import vl_convert
from curve_results import WORDS, picture, replaced, with_curves
from scipy.special import ndtr
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.measures.costs import OperatingPoint
from reporting.document.blocks import Figure, Prose
from reporting.document.charts.picture import curve_picture
from reporting.document.charts.probit import BELOW_ONE, window
from reporting.document.frames.histogram import HISTOGRAM, RISKS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.calibration_and_benefit.calibration_frame import CALIBRATION
from reporting.features.calibration_and_benefit.net_benefit_chart import finalists_difference
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
)
from reporting.features.calibration_and_benefit.probability_frames import DECISION, RELIABILITY
from reporting.features.catalogue import CURVES
from reporting.features.curves.histogram_chart import joined
from reporting.features.curves.roc_frame import PR
from reporting.features.likelihood_ratios.frame import COST, CROSS_ENTROPY
from reporting.features.pictures import curve_figures

SMALL = World(models=("A", "B"), n_target=60, n_nontarget=90, strength=1.5, alphas=3, baseline="A")
PIXELS = 300
HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "a'b\"c`d", "日本 Ω", "datum.x", "targets", "")


@pytest.fixture(scope="module")
def results():
    return with_curves(SMALL)


@pytest.fixture(scope="module")
def view(results):
    return views(results)[0]


def figures(results):
    section = curve_figures(results)
    return figures_of(flat(section.blocks) if section else ())


def figures_of(blocks):
    # The curves along costs have tests of their own.
    return [block for block in blocks if isinstance(block, Figure) and not block.name.startswith("epc")]


def notes(results):
    section = curve_figures(results)
    return [block.text for block in flat(section.blocks) if isinstance(block, Prose)] if section else []


def flat(blocks):
    for block in blocks:
        yield from flat(block.blocks) if hasattr(block, "blocks") else [block]


def lines(figure, label="A"):
    return [(np.array(s.x), np.array(s.y)) for s in figure.series if (s.kind, s.label) == ("line", label)]


def line(figure, label="A"):
    (found,) = lines(figure, label)
    return found


def rows(frame, model="A"):
    return frame.filter(pl.col("model") == model, pl.col("split") == "test")


def passes_through(figure, x, y, label="A"):
    """Whether points lie within a pixel of the drawn line."""
    across, up = (axis.high - axis.low for axis in (figure.x_axis, figure.y_axis))
    drawn_x, drawn_y = line(figure, label)
    start, end = (
        np.column_stack((drawn_x / across, drawn_y / up))[part] for part in (slice(-1), slice(1, None))
    )
    points = np.column_stack((np.asarray(x) / across, np.asarray(y) / up))[:, None]
    along = end - start
    share = ((points - start) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-30)
    nearest = start + np.clip(share, 0, 1)[..., None] * along
    return np.linalg.norm(points - nearest, axis=-1).min(axis=1).max() * PIXELS <= 1.5


def is_sound(figure):
    json.dumps(figure.spec, allow_nan=False)
    for series in figure.series:
        assert np.isfinite((*series.x, *series.y, *series.y_high)).all()
        assert len(series.x) == len(series.y)
        assert len(series.y_high) in (0, len(series.x))
    for axis in (figure.x_axis, figure.y_axis):
        assert axis.low < axis.high
        assert 2 <= len(axis.ticks) <= 13
    return True


def test_every_word_has_a_picture_and_every_spec_is_drawn_with_hostile_names():
    hostile = with_curves(dataclasses.replace(SMALL, models=HOSTILE, baseline=None))
    drawn = figures(hostile)
    assert set(CURVES) - {"roc_mean"} == set(WORDS)  # which is of folds alone
    of_models = 2 * 6  # histograms and distributions of risks: one for each model
    assert len(drawn) == len(WORDS) - 2 + of_models
    for figure in drawn:
        assert is_sound(figure)
        svg = vl_convert.vegalite_to_svg(figure.spec, vl_version="6.1")
        shown = "\n".join(element.text for element in ET.fromstring(svg).iter() if element.text)
        of_few = figure.name.startswith(
            (
                "histogram",
                "risk_distribution",
                "roc_threshold",
                "benefit_difference",
                "standardised_difference",
            )
        )
        wanted = () if of_few else HOSTILE[:-1]
        assert all(name in shown for name in wanted), figure.name
        assert "undefined" not in shown
        assert "NaN" not in shown


@pytest.mark.parametrize(
    ("targets", "nontargets"),
    [
        ([2.0, 3.0], [0.0, 1.0]),
        ([1.0, 1.0], [1.0, 1.0]),
        ([np.inf, 1.0], [-np.inf, 0.0]),
        ([np.inf], [-np.inf]),
        ([1.7e308], [-1.7e308, 1.7e308]),
        ([1.7e308], [1.1e308, 1.5e308]),
        ([1.0, float(np.nextafter(1, 2))], [1.0]),
        ([], [0.0, 1.0]),
        ([0.0, 1.0], []),
    ],
    ids=[
        "perfect",
        "constant",
        "infinite",
        "only infinite",
        "largest",
        "far",
        "near",
        "no targets",
        "no non-targets",
    ],
)
def test_extreme_scores_are_drawn_or_said_to_be_missing(results, targets, nontargets):
    blocks = [*flat(curve_figures(replaced(results, targets, nontargets)).blocks)]
    drawn = figures_of(blocks)
    assert all(is_sound(figure) for figure in drawn)
    assert len(blocks) >= len(WORDS) - 2
    if not targets or not nontargets:
        # The cautions say what is the matter; DET and ROC have always stayed away in silence.
        of_one_class = {
            f"{name}_m{number}" for name in ("histogram", "risk_distribution") for number in (1, 2)
        }
        assert {figure.name for figure in drawn} <= of_one_class | {"reliability"}


def test_what_was_asked_for_and_cannot_be_drawn_is_said_in_a_line():
    plain = with_curves(SMALL, scale="score").with_frames(
        {
            PR: PR.empty,
            COST: COST.empty,
            CROSS_ENTROPY: CROSS_ENTROPY.empty,
            HISTOGRAM: HISTOGRAM.empty,
            RELIABILITY: RELIABILITY.empty,
            DECISION: DECISION.empty,
            CALIBRATION: CALIBRATION.empty,
            RISKS: RISKS.empty,
            NET_BENEFIT: NET_BENEFIT.empty,
            NET_BENEFIT_DIFFERENCES: NET_BENEFIT_DIFFERENCES.empty,
            PRECISION_BANDS: PRECISION_BANDS.empty,
        }
    )
    assert notes(plain) == [
        "The precision-recall curve needs targets and non-targets on test.",
        "The applied probability of error (APE) needs targets and non-targets on test.",
        "The normalised Bayes error needs targets and non-targets on test.",
        "The empirical cross-entropy needs targets and non-targets on test.",
        "The decision curve needs probabilities; none of the models declares them.",
        "A histogram needs finite scores on test.",
        "The reliability diagram needs probabilities; none of the models declares them.",
        "The F1 curve needs targets and non-targets on test.",
        "The precision-recall-gain curve needs targets and non-targets on test.",
        "The false discovery curve needs targets and non-targets on test.",
        "The gain curve needs targets and non-targets on test.",
        "The lift curve needs targets and non-targets on test.",
        "The picture of precision and recall against the threshold needs targets and non-targets on test, and"
        " more than one finite threshold.",
        "The picture of FAR and FRR against the threshold needs targets and non-targets on test, and more than one"
        " finite threshold.",
        "The calibration curve needs probabilities; none of the models declares them.",
        "The distribution of predicted probabilities needs probabilities; none of the models declares them.",
        "The standardised net benefit needs probabilities; none of the models declares them.",
        "The difference in net benefit needs two models.",
        "The difference in standardised net benefit needs two models.",
        "The precision-recall band needs targets and non-targets on test.",
    ]
    assert all(is_sound(figure) for figure in figures(plain))


def test_pictures_come_in_the_order_asked_for_but_a_roc_behind_its_det():
    asked = with_curves(SMALL, curves=("tippett", "roc", "det", "pr"))
    assert [figure.name for figure in figures(asked)] == ["tippett", "det", "pr", "roc"]


def test_a_roc_is_first_and_open_where_the_field_reports_sensitivity():
    asked = with_curves(SMALL, curves=("det", "pr", "roc"))
    asked = dataclasses.replace(asked, study=dataclasses.replace(asked.study, vocabulary="medical"))
    drawn = {figure.name: figure.folded for figure in figures(asked)}
    assert list(drawn) == ["pr", "roc", "det"]
    assert (drawn["roc"], drawn["det"]) == (False, True)


def test_names_of_figures_are_unique_over_datasets_and_models():
    two = dataclasses.replace(SMALL, datasets=("a", "b"))
    names = [figure.name for figure in figures(with_curves(two, curves=("histogram", "pr")))]
    assert names == [
        f"{name}_{dataset}" for dataset in "ab" for name in ("histogram_m1", "histogram_m2", "pr")
    ]


def test_precision_and_recall_are_the_frame_in_percent(results, view):
    known = rows(results.frame(PR)).drop_nulls()
    assert passes_through(picture("pr", view), 100 * known["recall"], 100 * known["precision"])
    assert passes_through(picture("fdr", view), 100 * known["recall"], 100 - 100 * known["precision"])
    assert not passes_through(picture("pr", view), 100 * known["recall"], 95 * known["precision"])


@pytest.mark.parametrize("below", [0, 60_000])
def test_precision_between_two_corners_is_curved_as_counts_say(results, below):
    # One target far above, the rest tied with 60 non-targets: from (1, 0) straight in counts to (20, 60).
    found = views(replaced(results, [9.0] + [1.0] * 19, [1.0] * 60 + [0.0] * below))[0]
    hits = np.linspace(1, 20, 500)
    alarms = (hits - 1) / 19 * 60
    figure = picture("pr", found)
    assert passes_through(figure, 100 * hits / 20, 100 * hits / (hits + alarms))
    assert line(figure)[1][0] == 100
    straight = np.interp(hits, [1, 20], [1.0, 0.25])
    assert not passes_through(figure, 100 * hits / 20, 100 * straight)


def thin(figure):
    return [s for s in figure.series if s.kind == "guide" and not s.label]


def test_precision_and_recall_over_the_threshold_are_the_frame_and_recall_is_thin(results, view):
    figure = picture("pr_threshold", view)
    for series, model in zip(thin(figure), ("B", "A"), strict=True):
        known = rows(results.frame(PR), model).filter(pl.col("threshold").is_finite()).sort("threshold")
        assert passes_through(figure, known["threshold"], 100 * known["precision"], model)
        recall = np.interp(known["threshold"], series.x, series.y)
        np.testing.assert_allclose(recall, 100 * known["recall"], atol=0.7)
        assert (np.diff(series.y) <= 0).all()
    assert [s.style for s in thin(figure)] == [2, 1]
    assert not passes_through(figure, known["threshold"], 95 * known["precision"], "A")


def test_over_the_threshold_counts_run_straight_and_precision_does_not(results):
    # Corners (1, 0) at 7, (2, 20) at 3.5, (4, 20) at 1.5: from 3.5 on one target less and 20 non-targets.
    found = views(replaced(results, [9.0, 5.0, 2.0, 2.0], [5.0] * 20 + [1.0] * 4))[0]
    known = rows(found.results.frame(PR)).filter(pl.col("threshold").is_finite()).sort("threshold")
    assert known["threshold"].to_list() == [1.5, 3.5, 7]
    figure = picture("pr_threshold", found)
    at = np.linspace(3.5, 7, 200)
    hits, alarms = np.interp(at, [3.5, 7], [2, 1]), np.interp(at, [3.5, 7], [20, 0])
    assert passes_through(figure, at, 100 * hits / (hits + alarms))
    assert not passes_through(figure, at, np.interp(at, [3.5, 7], [100 / 11, 100]))
    # As many accepted as there are targets, 4: 3/21 of the way down from 7, with 1 + 1/7 targets of 4.
    alt = curve_picture(CURVES["pr_threshold"]).figures(found)[0].alt
    snapshot("curves/charts_over_the_threshold_counts_run_straight_and_precision_does_not", alt)


def test_false_acceptance_and_rejection_over_the_threshold_are_the_frame(results, view):
    figure = picture("error_threshold", view)
    for series, model in zip(thin(figure), ("B", "A"), strict=True):
        known = rows(results.frame(PR), model).filter(pl.col("threshold").is_finite()).sort("threshold")
        alarms = known["false_alarms"] / rows(results.frame(PR), model)["false_alarms"].max()
        assert passes_through(figure, known["threshold"], 100 * alarms, model)
        missed = np.interp(known["threshold"], series.x, series.y)
        np.testing.assert_allclose(missed, 100 - 100 * known["recall"], atol=0.7)
        assert (np.diff(series.y) >= 0).all()


def test_false_acceptance_meets_false_rejection_at_the_equal_error(results):
    # Corners (1, 0) at 7, (2, 20) at 3.5 of 4 targets and 24 non-targets: from 3.5 to 7 FAR falls from 5/6 to 0
    # and FRR rises from 1/2 to 3/4; both are 15/26 at 4/13 of the way up.
    found = views(replaced(results, [9.0, 5.0, 2.0, 2.0], [5.0] * 20 + [1.0] * 4))[0]
    snapshot(
        "curves/charts_false_acceptance_meets_false_rejection_at_the_equal_error",
        curve_picture(CURVES["error_threshold"]).figures(found)[0].alt,
    )


def test_dots_of_precision_and_recall_stand_at_the_threshold_of_dev(view):
    figure = picture("pr_threshold", view)
    dots = [(s.label, *s.x, *s.y) for s in figure.series if s.kind == "points"]
    expected = []
    for model in ("A", "B"):
        row = view.operating_point(model, view.point_criterion)
        hits = row.n_target - row.misses
        for share in (hits / (hits + row.false_alarms), hits / row.n_target):
            expected.append(
                (model, pytest.approx(row.threshold, abs=1e-4), pytest.approx(100 * share, abs=1e-4))
            )
    assert dots == expected
    snapshot("curves/charts_dots_of_precision_and_recall_stand_at_the_threshold_of_dev", figure.caption)


def test_with_one_finite_threshold_there_is_no_sweep_to_draw(results):
    perfect = replaced(with_curves(SMALL, curves=("pr_threshold",)), [2.0, 3.0], [0.0, 1.0])
    assert not [figure for figure in figures(perfect) if figure.name == "pr_threshold"]
    snapshot("curves/charts_with_one_finite_threshold_there_is_no_sweep_to_draw", "\n".join(notes(perfect)))


def test_gains_are_zero_at_the_share_of_targets_and_straight_between_corners(results):
    found = views(replaced(results, [9.0] + [1.0] * 19, [1.0] * 60))[0]
    hits = np.linspace(5.1, 20, 200)
    alarms, odds = (hits - 1) / 19 * 60, 20 / 60
    recall_gain, precision_gain = 1 - odds * (20 - hits) / hits, 1 - odds * alarms / hits
    assert passes_through(picture("prg", found), 100 * recall_gain, 100 * precision_gain)
    assert (recall_gain[-1], precision_gain[-1]) == (1, 0)


def test_gain_and_lift_count_accepted_trials(results, view):
    known = rows(results.frame(PR)).drop_nulls()
    share = (known["true_positives"] + known["false_alarms"]) / 150
    assert passes_through(picture("gain", view), 100 * share, 100 * known["recall"])
    assert passes_through(picture("lift", view), 100 * share, known["precision"] / 0.4)
    assert line(picture("lift", view))[1][-1] == pytest.approx(1)


def test_lift_is_curved_where_non_targets_alone_come_in(results):
    found = views(replaced(results, [9.0] * 20, [1.0] * 60))[0]
    share = np.linspace(0.25, 1, 100)
    assert passes_through(picture("lift", found), 100 * share, 1 / share)


def test_bayes_errors_are_the_frame_and_the_minimum_is_thin(results, view):
    known = rows(results.frame(COST)).filter(pl.col("prior_log_odds").is_between(-8, 8))
    tau = known["prior_log_odds"]
    figure = picture("ape", view)
    assert passes_through(figure, tau, 100 * known["bayes_error"])
    thin = [s for s in figure.series if s.kind == "guide" and not s.label]
    assert [s.style for s in thin] == [2, 1]
    np.testing.assert_allclose(np.interp(tau, thin[1].x, thin[1].y), 100 * known["min_bayes_error"], atol=0.2)
    inside = known.filter(pl.col("bayes_error") <= 1.1 * pl.col("trivial"))
    normalised = 100 * inside["bayes_error"] / inside["trivial"]
    assert passes_through(picture("nbe", view), inside["prior_log_odds"], normalised)


def test_without_likelihood_ratios_the_minimum_is_the_line_and_says_so():
    found = views(with_curves(SMALL, scale="score"))[0]
    figure = picture("ape", found)
    assert [s.label for s in figure.series if s.kind == "line"] == ["B (minimum)", "A (minimum)"]
    assert not [s for s in figure.series if s.kind == "guide" and not s.label]
    caption = next(f.caption for f in figures(found.results) if f.name == "ape")
    assert "No model has likelihood ratios" in caption


def test_operating_points_stand_at_their_effective_prior(results):
    points = (
        OperatingPoint("SRE08", 0.01, 10, 1),
        OperatingPoint("never", 0.0),
        OperatingPoint("even"),
        OperatingPoint("rare", 0.01),
    )
    study = dataclasses.replace(results.study, operating_points=points)
    found = views(dataclasses.replace(results, study=study))[0]
    for figure, place in (
        (picture("ape", found), np.log(0.1 / 0.99)),
        (picture("cost", found), 100 * 0.1 / 1.09),
    ):
        assert [s.x for s in figure.series if s.label == "SRE08"] == [pytest.approx((place,) * 3)]
        assert "never" not in {s.label for s in figure.series}
    caption = next(figure.caption for figure in figures(found.results) if figure.name == "nbe")
    assert caption.endswith(" Vertical lines, left to right: rare, SRE08 and even.")


def test_the_cost_curve_is_the_lower_envelope_of_all_cuts(results, view):
    cuts = rows(results.frame(ROC))
    x, y = line(picture("cost", view))
    weight = np.linspace(0, 1, 301)
    every = weight[:, None] * cuts["p_miss"].to_numpy() + (1 - weight)[:, None] * cuts["p_fa"].to_numpy()
    np.testing.assert_allclose(np.interp(100 * weight, x, y), 100 * every.min(axis=1), atol=0.2)
    assert y.max() == pytest.approx(100 * eer_rocch(results), abs=1e-4)


def eer_rocch(results):
    found = results.frame(METRICS).filter(pl.col("measure") == "eer_rocch", pl.col("model") == "A")
    return found.filter(pl.col("split") == "test")["value"][0]


def test_a_chosen_threshold_is_a_straight_line_of_cost(view):
    thin = [s for s in picture("cost", view).series if s.kind == "guide" and not s.label]
    for series, model in zip(thin, ("B", "A"), strict=True):
        row = view.operating_point(model, view.point_criterion)
        assert series.x == (0, 100)
        far, frr = row.false_alarms / row.n_nontarget, row.misses / row.n_target
        assert series.y == pytest.approx((100 * far, 100 * frr), abs=1e-4)


def test_optimal_ratios_are_steps_between_the_vertices_of_the_hull(results, view):
    hull = rows(results.frame(ROC)).filter(pl.col("on_hull")).sort("threshold")
    x, y = (np.log(10) * values for values in line(picture("llr", view)))
    for low, high, ratio in zip(
        hull["threshold"][1:-2], hull["threshold"][2:-1], hull["llr"][1:-2], strict=True
    ):
        inside = (x >= low - 2e-5) & (x <= high + 2e-5) & (np.abs(y - ratio) < 1e-4)
        assert inside.sum() >= 2
    assert (np.diff(y) >= 0).all()


def test_tippett_curves_fall_and_pass_the_frame(results, view):
    known = rows(results.frame(ROC)).filter(pl.col("threshold").is_finite()).sort("threshold")
    figure = picture("tippett", view)
    for (x, y), share in zip(lines(figure), (1 - known["p_miss"], known["p_fa"]), strict=True):
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) <= 0).all()
        np.testing.assert_allclose(np.interp(known["threshold"] / np.log(10), x, y), 100 * share, atol=0.7)
    layer = next(layer for layer in figure.spec["layer"] if layer.get("name") == "tippett_curves")
    assert layer["encoding"]["detail"]["field"] == "part"
    drawn = figure.spec["datasets"][layer["data"]["name"]]
    assert {row.get("part", 0) for row in drawn if row["model"] == "A"} == {0, 1}


def test_tippett_curves_of_separated_classes_come_from_the_bins(results):
    found = views(replaced(results, [5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 2.0, 3.0]))[0]
    (x, targets), (_, nontargets) = lines(picture("tippett", found))
    assert np.interp(6.5 / np.log(10), x, targets) == pytest.approx(50, abs=5)
    assert np.interp(1.5 / np.log(10), lines(picture("tippett", found))[1][0], nontargets) == pytest.approx(
        50, abs=5
    )


def test_a_histogram_has_the_whole_of_each_class_and_the_threshold(results, view):
    figure = picture("histogram", view)
    bins = rows(results.frame(HISTOGRAM))
    drawn = joined(view, "A")
    width = drawn["high"][0] - drawn["low"][0]
    assert len(bins) % len(drawn) == 0
    assert drawn["n_target"].sum() == bins["n_target"].sum()
    for label in ("targets", "non-targets"):
        x, y = line(figure, label)
        assert (np.diff(x) * (y[1:] + y[:-1]) / 2).sum() / width == pytest.approx(100, rel=1e-3)
    chosen = view.operating_point("A", view.point_criterion).threshold
    assert [s.x for s in figure.series if s.label == "threshold"] == [(chosen,) * 3]


def test_at_most_six_histograms_are_drawn_and_the_rest_is_counted():
    many = with_curves(dataclasses.replace(SMALL, models=tuple("ABCDEFGH")), curves=("histogram",))
    assert [figure.name for figure in figures(many)] == [f"histogram_m{number}" for number in range(1, 7)]
    assert notes(many) == ["Histograms of 2 more models are left out; the first 6 are drawn."]


def test_reliability_and_decisions_are_their_frames(results, view):
    bins, benefit = rows(results.frame(RELIABILITY)), rows(results.frame(DECISION))
    figure = picture("reliability", view)
    assert passes_through(figure, 100 * bins["mean_probability"], 100 * bins["observed"])
    assert {s.label for s in figure.series if s.kind == "band"} == {"B"}
    drawn = picture("decision", view)
    high = benefit.filter(100 * pl.col("net_benefit") >= drawn.y_axis.low)
    assert passes_through(drawn, 100 * high["probability"], 100 * high["net_benefit"])


def test_the_smooth_calibration_curve_is_its_frame(results, view):
    curve, figure = rows(results.frame(CALIBRATION)), picture("calibration", view)
    assert passes_through(figure, 100 * curve["probability"], 100 * curve["frequency"])
    # The pointwise limits and the band around them, of the first in rank alone.
    assert [s.label for s in figure.series if s.kind == "band"] == ["B", "B"]
    assert "dark, pointwise 95% intervals; light, 95% simultaneous band" in figure.caption
    gap = float((curve["frequency"] - curve["probability"]).abs().max())
    assert f"A {100 * gap:.1f} percentage points" in figure.alt


def test_risks_by_outcome_are_shares_of_each_class(results, view):
    bins = rows(results.frame(RISKS))
    assert bins.select(pl.col("low").min(), pl.col("high").max()).row(0) == (0, 1)
    figure = picture("risk_distribution", view)
    for label, column in (("targets", "n_target"), ("non-targets", "n_nontarget")):
        x, y = line(figure, label)
        width = 100 / len(joined(view, "A", RISKS))
        assert (np.diff(x) * (y[1:] + y[:-1]) / 2).sum() / width == pytest.approx(100, rel=1e-2)
        held = bins[column].cum_sum().to_numpy()
        middle = bins.filter(pl.Series(2 * held >= held[-1]))[0]
        median = 50 * (middle["low"] + middle["high"]).item()
        assert f"{median:.0f}% for {label}" in figure.alt


def test_the_standardised_benefit_is_its_frame(results, view):
    benefit = rows(results.frame(NET_BENEFIT)).filter("standardised")
    figure = picture("standardised_benefit", view)
    high = benefit.filter(100 * pl.col("net_benefit") >= figure.y_axis.low)
    assert passes_through(figure, 100 * high["probability"], 100 * high["net_benefit"])
    assert [s.label for s in figure.series if s.kind == "band"] == ["B", "B"]


def test_the_difference_of_the_finalists_whichever_way_the_frame_has_it(results, view):
    """B is ahead of A; the frame has the later model less the earlier."""
    of_pair = results.frame(NET_BENEFIT_DIFFERENCES).filter(~pl.col("standardised"), model="B", baseline="A")
    figure = picture("benefit_difference", view)
    assert view.finalists == ("B", "A")
    assert passes_through(figure, 100 * of_pair["probability"], 100 * of_pair["difference"], "B − A")
    limits = {"ci_low": "ci_high", "ci_high": "ci_low", "band_low": "band_high", "band_high": "band_low"}
    turned = of_pair.with_columns(
        *(-pl.col(name).alias(other) for name, other in (limits | {"difference": "difference"}).items()),
        model=pl.lit("A"),
        baseline=pl.lit("B"),
    )
    other_way = views(results.with_frames({NET_BENEFIT_DIFFERENCES: turned}))[0]
    first, second = finalists_difference(view), finalists_difference(other_way)
    assert (first.sign, second.sign) == (1, -1)
    for name in ("difference", *limits):
        np.testing.assert_array_equal(first.column(name), second.column(name))
    assert picture("benefit_difference", other_way).series == figure.series
    assert "B has a higher net benefit than A" not in figure.title  # the limits hold 0 everywhere
    snapshot("curves/charts_the_difference_of_the_finalists_whichever_way_the_frame_has_it", figure.title)


def test_the_standardised_difference_is_its_frame_and_says_its_unit(results, view):
    of_pair = results.frame(NET_BENEFIT_DIFFERENCES).filter("standardised", model="B", baseline="A")
    figure = picture("standardised_difference", view)
    assert passes_through(figure, 100 * of_pair["probability"], 100 * of_pair["difference"], "B − A")
    assert "tandardised net benefit of B minus that of A in % of the share" in figure.caption
    assert figure.y_axis.title.startswith("Difference in standardised net benefit (% of the ")


def test_the_decision_curve_has_limits_where_a_report_has_them(results, view):
    figure = picture("decision", view)
    assert [s.label for s in figure.series if s.kind == "band"] == ["B", "B"]
    bare = views(results.with_frames({NET_BENEFIT: NET_BENEFIT.empty}))[0]
    plain = picture("decision", bare)
    assert not any(s.kind == "band" for s in plain.series)
    assert "Shading" in figure.caption
    assert "Shading" not in plain.caption


def test_the_precision_band_is_its_frame(results, view):
    of_a, figure = rows(results.frame(PRECISION_BANDS)), picture("pr_band", view)
    assert passes_through(figure, 100 * of_a["recall"], 100 * of_a["precision"])
    assert [s.label for s in figure.series if s.kind == "band"] == ["B", "B"]
    at = of_a.filter(pl.col("recall") == 0.8)["precision"].item()
    assert f"A {100 * at:.1f}%" in figure.alt


def test_the_variants_of_the_roc_show_the_same_points(view):
    x, hits = line(picture("roc", view))
    assert passes_through(picture("roc_error", view), x, 100 - hits)
    figure = picture("roc_log", view)
    log_x, log_y = line(figure)
    shown = log_x >= figure.x_axis.low
    assert passes_through(picture("roc", view), 10 ** log_x[shown], log_y[shown])


def test_lines_of_equal_cost_pass_the_dots_of_the_baseline_and_the_best(view):
    for word, far_of, frr_of in (
        ("roc_error", lambda x: x / 100, lambda y: y / 100),
        ("det", ndtr, ndtr),
    ):
        figure = picture(word, view)
        thin = [s for s in figure.series if s.kind == "guide" and not s.label]
        assert [s.style for s in thin] == [2, 1]
        for series, model in zip(thin, ("B", "A"), strict=True):
            value = view.primary(model).value
            x, y = np.array(series.x), np.array(series.y)
            inside = (x > figure.x_axis.low) & (y > figure.y_axis.low)
            inside &= (x < figure.x_axis.high) & (y < figure.y_axis.high)
            assert inside.sum() > 2
            np.testing.assert_allclose((far_of(x) + frr_of(y))[inside] / 2, value, atol=1e-4)


def test_a_measure_that_is_no_weighted_sum_has_no_lines_of_equal_cost(results):
    from reporting.core.measures.sweep import AUC

    study = dataclasses.replace(
        results.study, primary=dataclasses.replace(results.study.primary, measure=AUC)
    )
    figure = picture("roc", views(dataclasses.replace(results, study=study))[0])
    assert not [s for s in figure.series if s.kind == "guide" and not s.label]


def test_the_colour_of_the_threshold_runs_once_along_the_curve(results, view):
    figure = picture("roc_threshold", view)
    layer = next(layer for layer in figure.spec["layer"] if "stroke" in layer["encoding"])
    segments = figure.spec["datasets"][layer["data"]["name"]]
    shade = [segment["shade"] for segment in segments]
    assert shade == sorted(shade)
    assert (segments[0]["x"], segments[0]["y"]) == (100, 100)
    assert (segments[-1]["x2"], segments[-1]["y2"]) == (0, 0)
    texts = json.loads(layer["encoding"]["stroke"]["legend"]["labelExpr"].partition("]")[0] + "]")
    values = [float(text.replace("−", "-")) for text in texts]
    assert values == sorted(values)
    assert values[0] == pytest.approx(rows(results.frame(HISTOGRAM))["low"].min(), abs=0.01)


@pytest.mark.parametrize("strength", [0.5, 1.5, 3.0])
@pytest.mark.parametrize(("n_target", "n_nontarget"), [(60, 90), (20, 3000)])
def test_the_det_begins_below_one_error_or_where_the_first_curve_comes_into_sight(
    strength, n_target, n_nontarget
):
    world = dataclasses.replace(SMALL, strength=strength, n_target=n_target, n_nontarget=n_nontarget)
    found = views(simulate(world))[0]
    ranges = window(found)
    high = ranges[0][1]
    assert ranges[1][1] == high
    frame = found.results.frame(ROC).filter(split="test")
    for (low, _), mine, other, trials in zip(
        ranges, ("p_fa", "p_miss"), ("p_miss", "p_fa"), (n_nontarget, n_target), strict=True
    ):
        assert BELOW_ONE * 100 / trials <= low + 1e-9 or low == high / 4
        in_sight = 100 * frame.filter(100 * pl.col(other) <= high)[mine].min()
        assert low <= max(in_sight, 100 / trials)
        assert low >= min(BELOW_ONE * max(in_sight, 100 / trials), high / 4) - 1e-9 or any(
            100 * rate <= low / BELOW_ONE + 1e-9 for rate in frame[mine]
        )


def test_no_curve_has_more_vertices_than_pixels_can_show():
    world = World(models=("A",), n_target=20_000, n_nontarget=30_000, decimals=9, alphas=3)
    for figure in figures(with_curves(world)):
        for series in figure.series:
            assert len(series.x) <= 4 * PIXELS, figure.name
        for table in figure.spec["datasets"].values():
            assert len(table) <= 2 * 4 * 720, figure.name
