"""Limits along an EPC: those of ``metrics`` at each alpha, a band around them, all within the measure's range."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from build import build, built_from
from hypothesis import given, settings
from hypothesis import strategies as st
from proportions import clopper_pearson
from scipy.stats import norm
from scipy.stats import t as student_t

from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.sample import Question, sample
from reporting.core.measures.catalogue import read_measure
from reporting.core.stats.intervals import wilson
from reporting.core.stats.multiplicity import critical_value
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.features.epc.limits import limits_along
from reporting.features.epc.winners import WINNERS


def table(
    seed=1,
    models=("a",),
    runs=("",),
    clusters=0,
    weights=False,
    n=90,
    apart=1.5,
    decimals=1,
    on=("dev", "test"),
):
    """Rows of every model and run on dev and test, a third of them targets; clusters are others on dev."""
    rng, rows = np.random.default_rng(seed), []
    for split, model, run in itertools.product(on, models, runs):
        for i in range(n):
            target = i % 3 == 0
            row = {"model": model, "split": split, "trial": f"{split}{i}", "label": target}
            row["score"] = round(float(rng.normal() + apart * target), decimals)
            if run:
                row["run"] = run
            if clusters:
                row["speaker"] = f"{split}{i // 3 % clusters}"
            if weights:
                row["stratum"] = "xy"[i % 2]
            rows.append(row)
    return rows


def columns(rows):
    """What names the columns of a table."""
    cluster = "columns: {cluster: speaker}, " if "speaker" in rows[0] else ""
    weights = (
        "columns: {stratum: stratum}, weights: {stratum: {x: 1, y: 3}}, " if "stratum" in rows[0] else ""
    )
    return f"trials: {{{cluster}{weights}source: trials.parquet}}\n"


MEASURES = "[weighted_error, hter, far, frr, f1, precision, mcc, accuracy, npv]"
ALONG = f"criteria: [min_hter]\nmeasures: [hter]\nepc: {{criteria: [weighted_error], measures: {MEASURES}}}\n"
DESIGNS = {
    "independent": {},
    "clusters": {"clusters": 6},
    "weights": {"weights": True},
    "runs": {"runs": ("r1", "r2")},
    "runs, clusters": {"runs": ("r1", "r2"), "clusters": 7},
    "few": {"n": 12},
    "perfect": {"apart": 20.0},
}


def holds(row):
    """The laws of every row: value in interval, interval in band, all within the measure's range."""
    least, most = read_measure(row.measure).bounds
    if row.value is None:
        assert (row.ci_low, row.band_low) == (None, None)
        return
    for low, high in ((row.ci_low, row.ci_high), (row.band_low, row.band_high)):
        assert (low is None) == (high is None)
        if low is not None:
            assert least <= low <= row.value + 1e-12
            assert row.value - 1e-12 <= high <= most
    if row.band_low is not None:
        assert row.band_low <= row.ci_low <= row.ci_high <= row.band_high


@pytest.mark.parametrize("estimand", ["given_thresholds", "procedure"])
@pytest.mark.parametrize("design", DESIGNS)
def test_limits_lie_in_the_band_and_both_in_the_range(tmp_path, design, estimand):
    rows = table(**DESIGNS[design])
    config = columns(rows) + ALONG + f"significance: {{intervals: {estimand}}}\n"
    found = build(tmp_path, rows, config, "epc.alphas=11").rows(EPC)
    for row in found:
        holds(row)
    banded = [row for row in found if row.band_low is not None and row.measure == "weighted_error"]
    assert len({row.alpha for row in banded}) == 11
    assert all(row.band_low < row.band_high for row in banded)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 1000),
    clusters=st.sampled_from([0, 2, 3, 9]),
    n=st.sampled_from([9, 30]),
    decimals=st.sampled_from([0, 1]),
    runs=st.sampled_from([("",), ("r1", "r2")]),
)
def test_laws_of_small_tables(tmp_path_factory, seed, clusters, n, decimals, runs):
    rows = table(seed, clusters=clusters, n=n, decimals=decimals, runs=runs)
    built = build(tmp_path_factory.mktemp("law"), rows, columns(rows) + ALONG)
    for row in built.rows(EPC):
        holds(row)


@pytest.mark.parametrize("design", ["independent", "clusters", "weights"])
def test_one_number_has_one_interval(tmp_path, design):
    """The EPC of a criterion at alpha .25, and the criterion at its own alpha of .25."""
    rows = table(**DESIGNS[design], models=("a", "b"))
    asked = "[hter, frr, f1, weighted_error(alpha=0.25)]"
    config = columns(rows) + (
        f"criteria: [weighted_error(alpha=0.25)]\nmeasures: {asked}\n"
        f"epc: {{criteria: [weighted_error], measures: {asked}}}\n"
    )
    built = build(tmp_path, rows, config)
    ends = {
        (row.model, row.measure): (row.ci_low, row.ci_high)
        for row in built.rows(METRICS)
        if row.split == "test" and row.threshold_source == "dev"
    }
    along = {
        (row.model, row.measure): (row.ci_low, row.ci_high) for row in built.rows(EPC) if row.alpha == 0.25
    }
    assert along == ends
    assert len(ends) == 8


@pytest.mark.parametrize("name", ["far", "frr"])
def test_each_rate_reaches_as_far_as_its_own_clusters_let_it(tmp_path, name):
    """Targets of 4 speakers, non-targets of 20: c t / z of 3 and of 19 degrees of freedom."""
    rows = [
        row | {"speaker": f"{row['split']}{at // 3 % 4 if row['label'] else at % 20}"}
        for at, row in enumerate(table(n=240))
    ]
    config = columns(rows) + ALONG.replace(MEASURES, "[far, frr]")
    judged = build(tmp_path, rows, config, "epc.alphas=11").judged(0)
    (system,), measure = models_with_runs(judged.models), read_measure(name)
    ((criterion, operation),) = system.first.along.items()
    of = sample(system, Question(measure, criterion, along=True), judged.drawn, judged.study)
    c = critical_value([of.replicates - of.point], 0.95)
    share = MISSES if name == "frr" else FALSE_ALARMS
    for at, limits in enumerate(limits_along(of)):
        rate = judged.drawn.error_rates.at(system.first, operation, share, at)
        t = student_t(rate.df)
        assert rate.df == (3 if name == "frr" else 19)
        level = 2 * t.cdf(c * t.ppf(0.975) / norm.ppf(0.975)) - 1
        exact = rate._replace(few=True).limits(max(level, 0.95**0.5))
        assert limits.band_low == pytest.approx(min(exact.low, limits.ci_low), abs=1e-12)
        assert limits.band_high == pytest.approx(max(exact.high, limits.ci_high), abs=1e-12)


def test_winners_have_the_intervals_of_the_curve(tmp_path):
    rows = table(models=("a", "b"), clusters=8)
    built = build(tmp_path, rows, columns(rows) + ALONG)
    along = {
        (r.model, r.alpha): (r.ci_low, r.ci_high) for r in built.rows(EPC) if r.measure == "weighted_error"
    }
    winners = built.rows(WINNERS)
    assert len(winners) == 6
    for row in winners:
        assert (row.ci_low, row.ci_high) == along[row.model, row.alpha]


def test_without_errors_the_interval_is_exact(tmp_path):
    """At alpha 0 only misses cost: no threshold misses a target, and 30 targets leave up to 11.6% open."""
    found = build(tmp_path, table(apart=20.0), ALONG).rows(EPC)
    (first,) = [row for row in found if row.measure == "weighted_error" and row.alpha == 0]
    assert first.value == 0
    assert (first.ci_low, first.ci_high) == pytest.approx(clopper_pearson(0, 30, 0.95))
    assert first.band_high > first.ci_high


def test_few_errors_are_counted(tmp_path):
    found = build(tmp_path, table(), ALONG).rows(EPC)
    for row in (row for row in found if row.measure == "frr" and 0 < row.misses < 30):
        assert (row.ci_low, row.ci_high) == pytest.approx(wilson(row.misses, 30, 0.95))


def test_the_band_of_six_clusters_is_wider_than_their_intervals(tmp_path):
    """It was narrower at every alpha: the factor of clusters and Student's t were missing."""
    found = build(
        tmp_path, table(clusters=6), columns(table(clusters=6)) + ALONG, "significance.replicates=399"
    )
    rows = [row for row in found.rows(EPC) if row.measure == "hter"]
    assert all(row.band_high - row.band_low > row.ci_high - row.ci_low for row in rows)


def test_one_cluster_has_no_band(tmp_path):
    rows = table(clusters=1)
    for row in build(tmp_path, rows, columns(rows) + ALONG).rows(EPC):
        assert (row.band_low, row.band_high, row.ci_low, row.ci_high) == (None,) * 4


def test_limits_of_a_mean_are_of_all_runs(shared):
    """Two runs, one without a rejected trial in some resamples: the limits were those of the first run."""
    folder = shared / "cases" / "combinations" / "n2_mean_npv"
    means = [row for row in built_from(folder / "report.yaml").rows(METRICS) if row.run == "mean"]
    assert any(row.ci_low is not None for row in means)
    for row in means:
        assert row.ci_low is None or row.ci_low <= row.value <= row.ci_high
