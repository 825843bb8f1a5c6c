"""The page of the paper on the binormal assumption: its numbers by other means, its verdicts both ways."""

from __future__ import annotations

import dataclasses

import numpy as np
import paper_results
import polars as pl
import pytest
from paper_results import shipped
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score

from configs.papers.brodersen import claims, figures
from configs.papers.brodersen.ap_estimators import ap_estimators_frame
from configs.papers.brodersen.data import trials
from configs.papers.brodersen.estimators import Law
from configs.papers.brodersen.page import brodersen
from configs.papers.brodersen.sample import Sample, Simulated, same_order, samples
from reporting.document.blocks import Figure, Prose, Section, Table
from reporting.document.frames.roc import ROC


def results_of(folder, table, *overrides):
    return paper_results.results_of(
        folder, shipped("brodersen"), table, *overrides, own=lambda seed: {NAME: ap_estimators_frame(seed)}
    )


NAME = "ap_estimators"
LAW = Law()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("page"), trials())


@pytest.fixture(scope="module")
def page(results):
    return brodersen(results)


@pytest.fixture(scope="module")
def simulated(results):
    return Simulated(results.frames[NAME])


def inside(blocks):
    """All blocks, those in sections too."""
    return [one for b in blocks for one in (inside(b.blocks) if isinstance(b, Section) else [b])]


def table_of(page, name):
    return next(b for b in inside(page) if isinstance(b, Table) and b.name == name)


def rows_of(page, name):
    return [[cell.text for cell in row] for row in table_of(page, name).rows]


def test_the_first_block_is_the_citation(page):
    assert isinstance(page[0], Prose)
    for said in ("Brodersen", "ICPR", "4263", "doi:10.1109/ICPR.2010.1036", "drawn anew"):
        assert said in page[0].text
    assert isinstance(page[1], Table)
    assert page[1].name == "paper_claims"


def test_the_figures_and_their_texts(page):
    drawn = [b for b in inside(page) if isinstance(b, Figure)]
    assert [figure.name for figure in drawn] == [
        "paper_densities", "paper_roc", "paper_pr", "paper_pr_zoom",
        "paper_bias", "paper_bias_zoom", "paper_rmse", "paper_rmse_zoom",
    ]  # fmt: skip
    for figure in drawn:
        assert figure.caption.startswith("Figure ")
        assert any(letter.isdigit() for letter in figure.alt)
        assert len({series.label for series in figure.series if series.kind == "line"}) > 2


def test_the_areas_of_the_sample_by_other_means(page):
    """scikit-learn for the trials, numerical integrals of scipy's normal distributions for the fits."""
    table = trials().filter(model="values", split="test")
    label, score = table["label"].to_numpy(), table["score"].to_numpy()
    found = {row[0].replace("\u202f", " "): row[1:] for row in rows_of(page, "paper_areas")}
    assert found["truth"] == ["0.760", "0.677", ""]
    steps = average_precision_score(label, score)
    assert found["trials, steps"][:2] == [f"{roc_auc_score(label, score):.3f}", f"{steps:.3f}"]
    one, other = score[label == 1], score[label == 0]
    auc = norm.cdf((one.mean() - other.mean()) / np.hypot(one.std(), other.std()))
    for name, share in (("binormal, α := ½", 0.5), ("α-binormal", 0.4)):
        area = integral(norm(one.mean(), one.std()), norm(other.mean(), other.std()), share)
        assert found[name][:2] == [f"{auc:.3f}", f"{area:.3f}"]
        assert found[name][2] == f"{area - 0.6767656676:+.3f}".replace("-", "−")
    assert len(found) == 8


def integral(targets, nontargets, share):
    """The area under precision over recall of two distributions."""

    def weighted(t):
        hits, alarms = share * targets.sf(t), (1 - share) * nontargets.sf(t)
        return targets.pdf(t) * hits / (hits + alarms) if hits + alarms > 0 else 0.0

    return quad(weighted, -30, 30, epsabs=1e-10, limit=200)[0]


def test_the_tables_of_the_simulations_are_the_frame(page, results):
    frame = results.frames[NAME].drop_nulls("truth")
    for key in ("bias", "rmse"):
        rows = rows_of(page, f"paper_{key}")
        assert [float(row[0]) for row in rows] == sorted(frame["alpha"].unique())
        for row in rows:
            here = frame.filter(alpha=float(row[0]))
            expected = {r["estimator"]: r[key] for r in here.to_dicts()}
            shown = [float(text.replace("−", "-")) for text in row[2:-1]]
            order = ["step", "trapezoid", "davis_goadrich", "open_trapezoid", "binormal", "alpha_binormal"]
            assert shown[:6] == pytest.approx([expected[name] for name in order], abs=5.1e-4)
            assert float(row[-1]) == pytest.approx(here[f"{key}_se"].max(), abs=5.1e-4)
    assert "degenerate" in table_of(page, "paper_bias").notes[1]


def test_the_verdicts_on_the_sample(page):
    verdicts = [row[-1].split(";")[0] for row in rows_of(page, "paper_claims")]
    yes, no, open_ = "holds", "does not hold", "not decided here"
    assert verdicts == [yes, yes, yes, no, yes, no, no, no, no, no, yes, no, open_]
    assert len(table_of(page, "paper_claims").notes) == 7


def changed(simulated, estimator, alphas=None, **numbers):
    """The simulations with other numbers of one estimator."""
    here = pl.col("estimator") == estimator
    if alphas is not None:
        here &= pl.col("alpha").is_in(alphas)
    here &= pl.col("status").is_null()
    columns = [pl.when(here).then(value).otherwise(name).alias(name) for name, value in numbers.items()]
    return Simulated(simulated.frame.with_columns(columns))


def test_imprecision_both_ways(simulated):
    assert claims.imprecise(simulated).holds
    same = changed(simulated, "davis_goadrich", rmse=0.1 * pl.col("truth"))
    assert not claims.imprecise(same).holds


def test_imbalance_both_ways(simulated):
    assert claims.imbalance(simulated).holds
    assert not claims.imbalance(changed(simulated, "binormal", [0.9], bias=0.0)).holds
    assert not claims.imbalance(changed(simulated, "binormal", [0.5], bias=0.1)).holds
    assert "at 10 of 11" in claims.imbalance(changed(simulated, "binormal", [0.9], bias=0.0)).ours


def test_the_least_bias_both_ways(simulated):
    assert claims.least_biased(simulated, claims.ANCHORED).holds
    worse = changed(simulated, "alpha_binormal", [0.4], bias=-0.2)
    assert not claims.least_biased(worse, claims.ANCHORED).holds
    assert "α = 0.4 −0.200 against +0.0" in claims.least_biased(worse, claims.ANCHORED).ours
    opened = claims.least_biased(simulated, ("open_trapezoid",))
    assert not opened.holds
    assert opened.erratum == claims.CLAIMS["smaller_error_few_open"].erratum
    biased = changed(simulated, "open_trapezoid", bias=-0.2)
    assert claims.least_biased(biased, ("open_trapezoid",)).holds


def test_the_smaller_error_both_ways(simulated):
    few = claims.smaller_error(simulated, claims.ANCHORED, few=True)
    assert few.holds
    assert not few.erratum
    every = claims.smaller_error(simulated, claims.ANCHORED, few=False)
    assert not every.holds
    assert "of 12 shares: 0.02" in every.ours
    better = changed(simulated, "alpha_binormal", rmse=0.001, rmse_se=0.0)
    for rivals in (claims.ANCHORED, ("open_trapezoid",)):
        assert claims.smaller_error(better, rivals, few=False).holds
        assert claims.smaller_error(better, rivals, few=True).holds
    worse = changed(simulated, "alpha_binormal", rmse=1.0)
    assert not claims.smaller_error(worse, claims.ANCHORED, few=True).holds
    assert claims.smaller_error(worse, claims.ANCHORED, few=False).ours.endswith("0 of 12 shares: none")


def test_equation_7_as_printed_and_as_corrected():
    """-.027, 1.000, .190 against .8555, .6775, .4955; the first by exact probabilities of the classes."""
    found = claims.equation_7(LAW, 0.4)
    assert found.printed == "−0.027; 1.000; 0.190"
    assert found.ours == "0.8555; 0.6775; 0.4955"
    assert not found.holds
    for tpr, text in zip((0.1, 0.5, 0.9), found.ours.split("; "), strict=True):
        alarms = norm(-1, 2).sf(norm(1, 2).isf(tpr))
        assert float(text) == pytest.approx(0.4 * tpr / (0.4 * tpr + 0.6 * alarms), abs=5.1e-5)
    assert claims.equation_7(LAW, 1.0).holds  # without non-targets precision is 1, whatever they do


def test_hits_both_ways():
    assert claims.hits(LAW).printed == "0.309"
    assert claims.hits(LAW).ours == "0.691"
    assert not claims.hits(LAW).holds
    assert claims.hits(Law(mean=0.0)).holds


def test_invariance_both_ways(results):
    by_moments, by_ranks = claims.invariance(samples(results))
    assert (by_moments.holds, by_ranks.holds) == (False, True)
    table = trials().filter(split="test")
    for model, text in zip(("values", "exponentials"), by_moments.ours.split(" and "), strict=True):
        one, other = (table.filter(model=model, label=label)["score"].to_numpy() for label in (1, 0))
        auc = norm.cdf((one.mean() - other.mean()) / np.hypot(one.std(), other.std()))
        assert text == f"{auc:.4f}"
    pair = same_order(samples(results))
    alike = [dataclasses.replace(one, fits={"binormal": {"auc": 0.7}}) for one in pair]
    assert [claim.holds for claim in claims.invariance(alike)] == [True, None]
    unlike = [pair[0], dataclasses.replace(pair[1], misses=pair[1].misses[::-1])]
    assert same_order(unlike) is None
    assert [claim.holds for claim in claims.invariance(unlike)] == [None, None]
    assert [claim.holds for claim in claims.invariance([])] == [None, None]


def test_false_discoveries_both_ways(results):
    (found,) = claims.discoveries(samples(results))
    assert not found.holds
    area, false = map(float, found.ours.split(" and "))
    assert area + false == pytest.approx(1, abs=1e-3)
    assert area == pytest.approx(samples(results)[0].measured["ap_dg"], abs=6e-4)
    half = Sample("chance", np.array([0, 2]), np.array([2, 0]))
    assert claims.discoveries([half])[0].holds
    assert claims.discoveries([]) == []


def test_variances_are_told_not_judged(simulated):
    found = claims.variances(simulated)
    assert found.holds is None
    biases = [
        simulated.frame.filter(alpha=0.05, estimator=name)["bias"].item()
        for name in ("alpha_binormal", "alpha_binormal_ddof1")
    ]
    assert f"{biases[0]:+.3f} over n, {biases[1]:+.3f} over" in found.ours


def test_every_cut_is_found_again_between_corners(results):
    sample = samples(results)[0]
    table = trials().filter(model="values", split="test").sort("score")
    label = table["label"].to_numpy()
    misses, alarms = sample.every_cut
    assert misses.tolist() == [0, *np.cumsum(label)]
    assert alarms.tolist() == [60, *(60 - np.cumsum(1 - label))]
    small = Sample("small", np.array([0, 1, 1, 3]), np.array([2, 2, 0, 0]))
    assert [counts.tolist() for counts in small.every_cut] == [[0, 1, 1, 1, 2, 3], [2, 2, 1, 0, 0, 0]]
    # Lines from (1/3, 1) to (2/3, 1) and from (2/3, 1/2) to (1, 3/5).
    assert small.areas == {"open_trapezoid": pytest.approx(1 / 3 + 1 / 3 * 0.55, abs=1e-15)}
    assert dataclasses.replace(small, tied=True).areas == {}


def test_other_data_without_fits_or_classes(tmp_path, results):
    """Fits left out, one model, ties everywhere: the page says what it can."""
    table = trials().filter(model="values").with_columns(pl.col("score").round(0))
    found = brodersen(
        results_of(
            tmp_path, table, "fits=[]", "baseline=null", "models={}", "curves=[roc]", "measures=[hter]"
        )
    )
    names = [row[0] for row in rows_of(found, "paper_areas")]
    assert names == ["truth", "trials, Davis–Goadrich"]
    lines = next(b for b in inside(found) if isinstance(b, Figure) and b.name == "paper_pr").series
    assert [series.label for series in lines if series.kind == "line"] == ["trials", "truth"]
    only = results.with_frames({ROC: ROC.empty})
    assert "Figure 1 needs targets" in " ".join(
        b.text for b in inside(brodersen(only)) if isinstance(b, Prose)
    )
    assert len(brodersen(dataclasses.replace(results, frames={}))) == 2


def test_drawn_curves_are_the_formulas(results):
    sample = samples(results)[0]
    drawn = {series.label: series for series in figures.pr_figure(sample, LAW).series}
    truth = drawn["truth"]
    for recall, precision in list(zip(truth.x, truth.y, strict=True))[10:-10:25]:
        alarms = norm(-1, 2).sf(norm(1, 2).isf(recall / 100))
        assert precision == pytest.approx(100 * 0.4 * recall / (0.4 * recall + 60 * alarms), abs=1e-2)
    densities = figures.density_figure(sample, LAW)
    top = max(y for series in densities.series if series.label == "targets, truth" for y in series.y)
    assert top == pytest.approx(1 / (2 * np.sqrt(2 * np.pi)), abs=1e-4)
