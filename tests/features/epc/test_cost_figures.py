"""The pictures along the cost ratio: their axis, their numbers against the frames, and titles that are true."""

import json
import math

import numpy as np
import polars as pl
import pytest
from simulated_results import World, simulate

from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.words.terms import VOCABULARIES
from reporting.document.words.view import views
from reporting.features.epc.chart import cost_figure, epc_figures
from reporting.features.epc.cost_axis import cost_axis, place, ratio_text
from reporting.features.epc.cost_curves_chart import CostCurves
from reporting.features.epc.cost_difference_chart import FinalistsAlong, cost_difference_figure

GRID = [k / 100 for k in range(1, 100)]


def view_of(**world):
    return views(simulate(World(**({"alphas": 21} | world))))[0]


def series(figure, kind):
    return [each for each in figure.series if each.kind == kind]


def difference(view):
    return cost_difference_figure(view, cost_axis(view.terms, GRID), 60)


def test_the_axis_is_logarithmic_and_says_which_error_costs_more():
    axis = cost_axis(VOCABULARIES["detection"], GRID)
    assert axis.sides == ("← a miss costs more", "a false alarm costs more →")
    assert [text for _, text in axis.ticks] == ["32×", "9×", "2×", "1×", "2×", "9×", "32×"]
    for at, text in axis.ticks:
        assert 10 ** abs(at) == pytest.approx(float(text.removesuffix("×")))
    assert axis.low < place(0.01) < place(0.99) < axis.high


@pytest.mark.parametrize(
    ("alpha", "text"),
    [(0.1, "1:9"), (0.5, "1:1"), (0.9, "9:1"), (0.4, "1:1.5"), (0.01, "1:99"), (0.9999, "10000:1")],
)
def test_ratios_have_two_digits(alpha, text):
    assert ratio_text(alpha) == text


def test_costs_are_those_of_the_frame_over_the_best_constant_decision():
    view = view_of(models=("a", "b", "c"))
    first, second = epc_figures(view)
    assert first.name == cost_figure(view) == "epc_weighted_error"
    assert (first.folded, second.folded) == (False, True)
    rows = view.results.frame(EPC).filter(measure="weighted_error", criterion="weighted_error")
    for line in series(first, "line"):
        mine = rows.filter(pl.col("alpha").is_between(0, 1, closed="none"), model=line.label).sort("alpha")
        alpha, value = mine["alpha"].to_numpy(), mine["value"].to_numpy()
        wanted = np.minimum(value / np.minimum(alpha, 1 - alpha), 1.02 * first.y_axis.high)
        assert np.interp(np.log10(alpha / (1 - alpha)), line.x, line.y) == pytest.approx(wanted, abs=2e-3)
    assert second.x_axis.title.startswith("α")
    seen = rows.filter(pl.col("alpha").is_between(0.05, 0.95))
    alphas = seen["alpha"].to_numpy()
    assert (seen["value"].to_numpy() / np.minimum(alphas, 1 - alphas)).max() <= first.y_axis.high
    json.dumps(first.spec, allow_nan=False)


def test_the_height_of_the_hter_curves_follows_the_inner_weights():
    view = view_of(models=("a", "b"))
    spiked = view.results.frame(EPC).with_columns(
        value=pl.when(pl.col("alpha") < 0.04).then(0.9).otherwise("value")
    )
    plain, high = (epc_figures(each)[1] for each in (view, views(view.results.with_frames({EPC: spiked}))[0]))
    assert high.y_axis.high == plain.y_axis.high < 60


@pytest.mark.parametrize("seed", range(4))
def test_the_title_counts_where_a_model_costs_least(seed):
    view = view_of(models=("a", "b", "c"), step=0.2, seed=seed)
    curves = CostCurves(view)
    least = curves.rows.filter(pl.col("value") == pl.col("value").min().over("alpha"))
    counts = least["model"].value_counts().sort("count")
    n, title = len(curves.alphas), epc_figures(view)[0].title
    first = counts.row(-1, named=True)
    where = "every cost ratio" if first["count"] == n else f"{first['count']} of {n} cost ratios"
    assert title.startswith(f"{first['model']} has the lowest observed cost at {where}")


def test_the_difference_is_leader_less_second_whichever_way_the_frame_has_it():
    view = view_of(models=("a", "b"), strength=2.0)
    for wanted in (view.finalists, view.finalists[::-1]):
        pair = FinalistsAlong(view, wanted)
        rows = view.results.frame(EPC).filter(measure="weighted_error", criterion="weighted_error")
        value = {(r["model"], r["alpha"]): r["value"] for r in rows.iter_rows(named=True)}
        for row in pair.rows:
            apart = value[wanted[0], row.parameter] - value[wanted[1], row.parameter]
            assert row.difference == pytest.approx(apart)
            assert row.band_low <= row.difference <= row.band_high
    figure = difference(view)
    (line,), (band,) = series(figure, "line"), series(figure, "band")
    pair = FinalistsAlong(view, view.finalists)
    assert line.x == pytest.approx([math.log10(a / (1 - a)) for a in pair.alphas], abs=1e-5)
    assert line.y == pytest.approx([100 * row.difference for row in pair.rows], abs=1e-5)
    assert band.y_high == pytest.approx([100 * row.band_high for row in pair.rows], abs=1e-5)
    assert figure.subtitle.endswith(f"below 0 {view.names[view.finalists[0]]} costs less")


def with_bands(view, low, high):
    """The view with these bands of leader less second along alpha, in the frame's own direction."""
    leader = pl.col("model") == view.finalists[0]
    along = pl.col("parameter").is_not_null()
    rows = view.results.frame(COMPARISONS).with_columns(
        band_low=pl.when(along).then(pl.when(leader).then(low).otherwise(-high)),
        band_high=pl.when(along).then(pl.when(leader).then(high).otherwise(-low)),
    )
    return views(view.results.with_frames({COMPARISONS: rows}))[0]


@pytest.mark.parametrize("models", [("a", "b"), ("b", "a")])
def test_the_title_of_the_difference_is_true(models):
    view = view_of(models=models)
    name, other = (view.names[key] for key in view.finalists)
    alpha, half = pl.col("parameter"), pl.lit(0.5)
    held = with_bands(view, -half, half)
    inconclusive = f"{name} against {other}: inconclusive when all cost ratios are judged together"
    assert difference(held).title == inconclusive
    assert "wider than the CI of the headline" in difference(held).caption
    less = with_bands(view, -half, pl.when(alpha.is_between(0.0999, 0.5001)).then(-0.1).otherwise(0.1))
    assert difference(less).title == f"{name} costs less than {other} from 1:9 to 1:1 (simultaneous band)"
    everywhere = with_bands(view, -half, -half / 2)
    assert (
        difference(everywhere).title
        == f"{name} costs less than {other} at every cost ratio (simultaneous band)"
    )
    more = with_bands(view, pl.when(alpha > 0.89).then(0.1).otherwise(-0.1), half)
    assert difference(more).title.startswith(f"{name} costs more than {other} from ")
    # A band that ends on 0 holds it.
    touching = with_bands(view, -half, pl.lit(0.0))
    assert "inconclusive" in difference(touching).title


def test_without_a_band_nothing_is_claimed_or_shaded():
    view = view_of(models=("a", "b"), strength=5.0)
    rows = view.results.frame(COMPARISONS).with_columns(
        band_low=pl.lit(None, pl.Float64), band_high=pl.lit(None, pl.Float64)
    )
    figure = difference(views(view.results.with_frames({COMPARISONS: rows}))[0])
    assert not series(figure, "band")
    assert "costs" not in figure.title
    assert "inconclusive" not in figure.title


def test_figures_of_several_datasets_have_names_of_their_own():
    results = simulate(World(alphas=21, datasets=("x", "y")))
    for view in views(results):
        first, second = epc_figures(view)
        assert (first.name, second.name) == (f"epc_weighted_error_{view.label}", f"epc_{view.label}")
        assert difference(view).name == f"cost_difference_{view.label}"


def test_one_model_has_no_difference():
    assert difference(view_of(models=("a",))) is None
