"""Smooth calibration curves, net benefits, risks: their frames from trials on, by hand and at the edges."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build
from hypothesis import given
from hypothesis import strategies as st

from reporting.engine.probability_cells import EXACT, ProbabilityCells
from reporting.execution import ThreadExecutor
from reporting.frames import CALIBRATION, METRICS, NET_BENEFIT, NET_BENEFIT_DIFFERENCES, RISKS
from reporting.stats.net_benefit import net_benefits
from reporting.stats.smooth_calibration import fit, table_of
from reporting.stats.staircase import group_ties

ASKED = """
thresholds: {policy: none}
models: {A: {scale: probability}, B: {scale: probability}}
primary: {measure: auc}
measures: [auc, ici, e50, e90, emax, eci]
criteria: []
epc: none
curves: [calibration, risk_distribution, standardised_benefit, benefit_difference]
"""
OF_ONE = ASKED.replace(", B: {scale: probability}", "")
DRAWN = CALIBRATION, NET_BENEFIT, NET_BENEFIT_DIFFERENCES, RISKS
FULL = "significance.replicates=199"


def rows_of(**models):
    """Rows from outcomes and probabilities by model: ``A=([1, 0], [.7, .2])``."""
    return [
        {"trial": f"t{number}", "model": model, "label": int(label), "score": float(p)}
        for model, (labels, probabilities) in models.items()
        for number, (label, p) in enumerate(zip(labels, probabilities, strict=True))
    ]


def cohort(n=150, seed=3, digits=3):
    """Two models of the same cases, one overconfident and one noisy; probabilities are tied."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-0.5, 1.3, n)
    label = rng.random(n) < 1 / (1 + np.exp(-odds))
    label[:2] = True, False
    a, b = 1.6 * odds, 0.8 * odds + rng.normal(0, 0.7, n)
    return rows_of(**{m: (label, (1 / (1 + np.exp(-x))).round(digits)) for m, x in (("A", a), ("B", b))})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("cohort"), cohort(), ASKED, FULL)


def test_net_benefits_by_hand(tmp_path):
    """10 cases, 4 with the condition. At .2 A treats 3 of the 4 and 2 others, B all 4 and 4 others.

    A 3/10 - 2/10 1/4 = 1/4, B 4/10 - 4/10 1/4 = 3/10, the difference -1/20; over the prevalence 2/5 it is
    -1/8. Treating all has 4/10 - 6/10 1/4 = 1/4.
    """
    label = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    a = [0.9, 0.6, 0.2, 0.1, 0.5, 0.3, 0.1, 0.1, 0.05, 0.0]
    b = [0.9, 0.6, 0.3, 0.2, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1]
    frames = build(tmp_path, rows_of(A=(label, a), B=(label, b)), ASKED, FULL).only(*DRAWN)
    at = frames["net_benefit"].filter(pl.col("probability") == 0.2).sort("model", "standardised")
    assert at["net_benefit"].to_list() == pytest.approx([0.25, 0.625, 0.3, 0.75], abs=1e-15)
    assert at["treat_all"].to_list() == pytest.approx([0.25, 0.625] * 2, abs=1e-15)
    of_pair = frames["net_benefit_differences"].filter(pl.col("probability") == 0.2)
    assert of_pair["model"].unique().to_list() == ["B"]
    by_hand = [float(Fraction(1, 20)), float(Fraction(1, 8))]
    assert of_pair.sort("standardised")["difference"].to_list() == pytest.approx(by_hand, abs=1e-15)


def test_a_share_that_is_declared_replaces_that_of_the_cases(tmp_path):
    """At .5 A finds 1/2 of the targets and alarms at 1/4: of a population with 1/10, .05 - .9 / 4."""
    label, a = [1, 1, 0, 0, 0, 0], [0.7, 0.2, 0.6, 0.1, 0.2, 0.3]
    rows = rows_of(A=(label, a), B=(label, a))
    text = "trials: {source: trials.parquet, prevalence: 0.1}\n" + ASKED
    frames = build(tmp_path, rows, text, FULL).only(NET_BENEFIT)
    at = frames["net_benefit"].filter(pl.col("probability") == 0.5, model="A").sort("standardised")
    assert at["net_benefit"].to_list() == pytest.approx([0.05 - 0.225, (0.05 - 0.225) / 0.1], abs=1e-15)


def test_the_curve_is_that_of_the_trials(built):
    rows = pl.DataFrame(cohort()).filter(model="A")
    table = group_ties(rows["score"].to_numpy(), rows["label"].to_numpy().astype(bool))[:3]
    curve = built.frames["calibration"].filter(model="A")
    p = curve["probability"].to_numpy()
    ordered = np.sort(rows["score"].to_numpy())
    assert (p[0], p[-1]) == (ordered[4], ordered[-5])
    assert curve["frequency"].to_numpy() == pytest.approx(fit(table_of(*table)).at(p)[0], abs=1e-12)


def test_limits_enclose_what_they_are_limits_of(built):
    for name, value in (
        ("calibration", "frequency"),
        ("net_benefit", "net_benefit"),
        ("net_benefit_differences", "difference"),
    ):
        frame = built.frames[name]
        ordered = frame.select(
            (pl.col("band_low") <= pl.col("ci_low")).all().alias("low"),
            (pl.col("ci_low") <= pl.col(value)).all().alias("below"),
            (pl.col(value) <= pl.col("ci_high")).all().alias("above"),
            (pl.col("ci_high") <= pl.col("band_high")).all().alias("high"),
        )
        assert ordered.row(0) == (True,) * 4, name
        assert frame.select("level", "replicates", "unit", "status").unique().rows() == [
            (0.95, 199, "trial", None)
        ]


def test_standardising_divides_by_the_prevalence(built):
    """The values exactly; limits by the replicates, each of which has a prevalence of its own."""
    plain, standardised = (
        built.frames["net_benefit"].filter(pl.col("standardised") == flag, model="A")
        for flag in (False, True)
    )
    labels = pl.DataFrame(cohort()).filter(model="A")["label"]
    np.testing.assert_allclose(standardised["net_benefit"], plain["net_benefit"] / labels.mean(), rtol=1e-12)
    width = [frame["ci_high"] - frame["ci_low"] for frame in (plain, standardised)]
    assert (
        width[1][0] / width[0][0]
    ) < 0.2 / labels.mean()  # treating nearly all: only the prevalence varies


def test_risks_count_every_case_once(built):
    risks = built.frames["risks"].filter(model="A")
    rows = pl.DataFrame(cohort()).filter(model="A")
    assert (risks["n_target"].sum(), risks["n_nontarget"].sum()) == (
        rows["label"].sum(),
        len(rows) - rows["label"].sum(),
    )
    at = risks.filter(pl.col("low") == 0.5)
    inside = rows.filter((pl.col("score") >= 0.5) & (pl.col("score") < 0.52))
    assert at["n_target"].item() == inside["label"].sum()


def test_equal_bytes_whatever_the_order_and_the_executor(built, tmp_path):
    shuffled = pl.DataFrame(cohort()).sample(fraction=1, shuffle=True, seed=1)
    with ThreadExecutor(2) as pool:
        again = build(tmp_path, shuffled, ASKED, FULL, pool=pool).only(*DRAWN, METRICS)
    for name, frame in again.items():
        assert frame.equals(built.frames[name]), name


def test_clusters_are_resampled_whole(tmp_path):
    rows = [row | {"cluster": f"c{int(row['trial'][1:]) % 30}"} for row in cohort()]
    frames = build(tmp_path, rows, ASKED, FULL).only(*DRAWN)
    for name in ("calibration", "net_benefit", "net_benefit_differences"):
        assert frames[name]["unit"].unique().to_list() == ["cluster"]


def test_replicates_of_many_probabilities_see_cells(tmp_path):
    """More than ``EXACT`` distinct ones: cells begin at every threshold, and nothing moves by merging."""
    rows = cohort(n=900, digits=6)
    built = build(tmp_path, rows, ASKED, FULL)
    (part,) = built.parts
    model = part.models[0]
    cells = ProbabilityCells.of(model)
    assert len(model.test.score) > EXACT >= len(cells.start)
    passed = np.searchsorted(model.test.score, np.arange(1, 100) / 100)
    assert set(passed[passed < len(model.test.score)]) <= set(cells.start)
    assert sum(counts.sum() for counts in cells.counts(model)) == 900
    drawn = built.judged().drawn.sweeps[model.id]
    for measure in built.study.measures:
        if measure.smooth:
            value = model.value(measure).number
            spread = drawn[measure].std()
            assert abs(np.median(drawn[measure]) - value) < 3 * spread
    curve, again = built.frames["calibration"].filter(model="A"), drawn["smooth calibration curve"]
    assert again.shape == (199, len(curve))
    assert np.abs(again.mean(axis=0) - curve["frequency"].to_numpy()).max() < 0.1


@pytest.mark.parametrize(
    ("models", "overrides", "statuses"),
    [
        ({"A": ([1, 1, 1], [0.2, 0.5, 0.9])}, (), {"no_nontargets"}),
        ({"A": ([0, 0, 0], [0.2, 0.5, 0.9])}, (), {"no_targets"}),
        ({"A": ([1, 0, 1], [0.2, 0.5, 0.9])}, ("models.A.scale=score",), {"not_probability"}),
        ({"A": ([1, 0, 1], [0.2, 0.5, 0.9])}, ("models.A.scale=llr",), {"no_prevalence"}),
        ({"A": ([1, 0, 1], [0.4, 0.4, 0.4])}, (), {None}),
        ({"A": ([1, 0, 1, 0], [0.0, 1.0, 1.0, 0.0])}, (), {None}),
        ({"A": ([1, 0, 1, 0], [0.3, 0.3, 0.7, 0.7])}, (), {None}),
        ({"A": ([1, 0], [0.3, 0.7])}, (), {None}),
    ],
)
def test_what_cannot_be_drawn_says_why(tmp_path, models, overrides, statuses):
    frames = build(tmp_path, rows_of(**models), OF_ONE, FULL, *overrides).only(*DRAWN)
    for name in ("calibration", "net_benefit"):
        assert set(frames[name]["status"]) == statuses, name
        for column in ("ci_low", "band_high"):
            assert not frames[name][column].is_nan().any()


def test_a_pair_without_common_cases_or_without_probabilities(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "trial"} for row in cohort(40)]
    frames = build(tmp_path / "unpaired", rows, ASKED, FULL).only(NET_BENEFIT_DIFFERENCES)
    assert set(frames["net_benefit_differences"]["status"]) == {"no_trial_key"}
    frames = build(tmp_path / "plain", cohort(40), ASKED, FULL, "models.B.scale=score").only(*DRAWN)
    assert set(frames["net_benefit_differences"]["status"]) == {"not_probability"}
    of_one = [row for row in cohort(40) if row["model"] == "A"]
    assert (
        build(tmp_path / "one", of_one, OF_ONE, FULL)
        .only(NET_BENEFIT_DIFFERENCES)["net_benefit_differences"]
        .is_empty()
    )


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20), st.integers(1, 20), st.floats(0.01, 0.99))
def test_laws_of_net_benefit(found, alarms, targets, nontargets, p):
    found, alarms = min(found, targets), min(alarms, nontargets)
    at = np.array([p])

    def benefit(found, alarms):
        return net_benefits(np.array([targets - found]), np.array([alarms]), targets, nontargets, at)[:, 0]

    n, share = targets + nontargets, targets / (targets + nontargets)
    plain, standardised = benefit(found, alarms)
    assert plain == pytest.approx(found / n - alarms / n * p / (1 - p), abs=1e-12)
    assert standardised == pytest.approx(plain / share, rel=1e-12)
    assert (benefit(0, 0) == 0).all()  # treat none
    assert benefit(targets, 0) == pytest.approx([share, 1], abs=1e-12)  # perfect
    every = benefit(targets, nontargets)[0]
    assert every == pytest.approx((share - p) / (1 - p), abs=1e-9)  # treat all: 0 where p is the prevalence
    assert plain <= share + 1e-12
