"""Smooth calibration curves, net benefits, risks: their frames from trials on, by hand and at the edges."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from build import build
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.execution import ThreadExecutor
from reporting.base.execution.array_store import ArrayStore
from reporting.core.counts.cuts import ShelvedCuts
from reporting.core.engine.probability_cells import EXACT, MANY, NARROW, ProbabilityCells
from reporting.core.stats.rates import net_benefits
from reporting.core.stats.smooth_calibration import fit, table_of
from reporting.core.stats.staircase import group_ties
from reporting.document.frames.histogram import RISKS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.precision_bands import PRECISION_BANDS
from reporting.features.calibration_and_benefit.calibration_frame import CALIBRATION
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
    DecidedModel,
)
from reporting.features.curves.roc_frame import PR

ASKED = """
thresholds: {policy: none}
models: {A: {scale: probability}, B: {scale: probability}}
primary: {measure: auc}
measures: [auc, ici, e50, e90, emax, eci]
criteria: []
epc: none
curves: [calibration, risk_distribution, standardised_benefit, benefit_difference, pr_band]
"""
OF_ONE = ASKED.replace(", B: {scale: probability}", "")
DRAWN = CALIBRATION, NET_BENEFIT, NET_BENEFIT_DIFFERENCES, PRECISION_BANDS, RISKS
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
        ("precision_bands", "precision"),
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


def test_the_names_of_runs_move_no_limit_of_a_difference(tmp_path):
    """Three runs of A against one of B: each counts alike, the third as the first."""
    cases = pl.DataFrame(cohort()).with_columns(run=pl.lit("w"))
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: seed}\n" + ASKED
    found = []
    for names in ("xyz", "zyx"):
        runs = [
            cases.filter(model="A").with_columns(score=pl.col("score").pow(power).round(3), run=pl.lit(run))
            for power, run in zip((1, 3, 9), names, strict=True)
        ]
        rows = pl.concat([cases.filter(model="B"), *runs])
        found.append(build(tmp_path / names, rows, config, FULL).frames["net_benefit_differences"])
    for column in ("difference", "ci_low", "ci_high", "band_low", "band_high"):
        np.testing.assert_allclose(found[0][column], found[1][column], rtol=1e-12)


def test_standardising_divides_by_the_prevalence(built):
    """The values exactly; limits by the replicates, each of which has a prevalence of its own."""
    plain, standardised = (
        built.frames["net_benefit"].filter(pl.col("standardised") == flag, model="A")
        for flag in (False, True)
    )
    labels = pl.DataFrame(cohort()).filter(model="A")["label"]
    np.testing.assert_allclose(standardised["net_benefit"], plain["net_benefit"] / labels.mean(), rtol=1e-12)
    width = [frame["ci_high"] - frame["ci_low"] for frame in (plain, standardised)]
    # Nearly all are treated: little but the prevalence varies.
    assert width[1][0] / width[0][0] < 0.3 / labels.mean()


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
    for name in ("calibration", "net_benefit", "net_benefit_differences", "precision_bands"):
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
    assert sum(counts.sum() for counts in model.test.in_bins(cells.start)) == 900
    drawn = built.judged().drawn.sweeps[model.id]
    for measure in built.study.measures:
        if measure.smooth:
            value = model.value(measure).number
            spread = drawn[measure].std()
            assert abs(np.median(drawn[measure]) - value) < 3 * spread
    curve, again = (
        built.frames["calibration"].filter(model="A"),
        drawn["smooth calibration curve, none, None"],
    )
    assert again.shape == (199, len(curve))
    assert np.abs(again.mean(axis=0) - curve["frequency"].to_numpy()).max() < 0.1


def test_emax_begins_where_the_band_leaves_the_diagonal_at_the_latest(tmp_path):
    """Few of these 100 cases have the condition; resamples alone would have it begin at .105."""
    rng = np.random.default_rng(1)
    odds = rng.normal(-3, 1.2, 100)
    label = rng.random(100) < 1 / (1 + np.exp(-odds))
    label[:2] = True, False
    rows = rows_of(A=(label, (1 / (1 + np.exp(-odds))).round(3)))
    built = build(tmp_path, rows, OF_ONE, FULL)
    band = built.frames["calibration"]
    below, above = (
        band["probability"] - band["band_high"],
        band["band_low"] - band["probability"],
    )
    assert max(below.max(), above.max()) <= 0
    (row,) = built.only(METRICS)["metrics"].filter(measure="emax", split="test").to_dicts()
    assert row["ci_low"] == 0 < row["value"] <= row["ci_high"]


def test_what_narrow_cells_move_is_within_their_bound(tmp_path, monkeypatch):
    """The same resamples with every probability, and with cells: a width of the cells moves them by as much.

    Once in the replicate, and once in the trials, whose difference is taken off. What is left is chance.
    """
    asked = ASKED.replace(
        "ici, e50, e90, emax, eci", "oe_ratio, calibration_intercept, calibration_slope, brier"
    )
    rows, drawn = cohort(n=3000, digits=9), []
    for number, many in enumerate((MANY, 1000)):
        monkeypatch.setattr("reporting.core.engine.probability_cells.MANY", many)
        built = build(tmp_path / str(number), rows, asked, FULL)
        model = built.parts[0].models[0]
        drawn.append({str(m): values for m, values in built.judged().drawn.sweeps[model.id].items()})
    exact, merged = drawn
    cells = ProbabilityCells.narrow(model.scaling.log_odds(model.test.score))
    assert 300 < len(cells.start) < len(model.test.score) / 2
    log_odds = np.log(model.test.score) - np.log1p(-model.test.score)
    spread = np.maximum.reduceat(log_odds, cells.start) - np.minimum.reduceat(log_odds, cells.start)
    assert spread.max() < NARROW
    moved = {m: np.abs(merged[m] - exact[m]).max() for m in exact if m != "auc" and np.ndim(exact[m]) == 1}
    assert moved["calibration_intercept"] < 2 * NARROW
    assert np.abs(np.log(merged["oe_ratio"] / exact["oe_ratio"])).max() < 2 * NARROW
    assert set(moved) == {"oe_ratio", "calibration_intercept", "calibration_slope", "brier"}
    assert all(0 < most < 0.01 * exact[m].std() for m, most in moved.items())


def test_net_benefits_of_arrays_on_disk(tmp_path):
    """Large tables keep their counts there."""
    rows = cohort(n=300)
    built = build(tmp_path / "memory", rows, ASKED, FULL)
    model = built.parts[0].models[0]
    shelved = replace(model, test=ShelvedCuts(model.test, ArrayStore(tmp_path)))
    decided, again = (DecidedModel.of(each, built.study) for each in (model, shelved))
    assert again.benefits.tolist() == decided.benefits.tolist()


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


def test_a_precision_by_hand(tmp_path):
    """4 with the condition at .9, .8, .8 and .4; 6 without at .8, .5 and below.

    Half of the targets lies between .9 and the tie at .8, which brings 2 targets and 1 false alarm: a false alarm
    is there by half, and precision is 2 / 2.5. Three quarters is the whole tie, 3 / 4.
    """
    label, a = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0.9, 0.8, 0.8, 0.4, 0.8, 0.5, 0.3, 0.2, 0.1, 0.1]
    text = OF_ONE.replace("pr_band", "pr_band, pr")
    frames = build(tmp_path, rows_of(A=(label, a)), text, FULL).only(PRECISION_BANDS, PR)
    at = {row["recall"]: row for row in frames["precision_bands"].to_dicts()}
    assert at[0.25]["precision"] == 1
    assert at[0.5]["precision"] == pytest.approx(float(Fraction(2) / Fraction(5, 2)), abs=1e-12)
    assert at[0.75]["precision"] == pytest.approx(0.75, abs=1e-12)
    corners = (
        frames["pr"].filter(pl.col("recall").is_in([0.25, 0.75])).group_by("recall").agg(pl.max("precision"))
    )
    assert sorted(corners["precision"]) == pytest.approx([0.75, 1])
    assert 0 < at[0.25]["ci_low"] < at[0.25]["ci_high"] == 1
    # Far fewer than five errors are expected where both rates are equal: limits at points, and no band.
    assert (at[0.25]["band_low"], at[0.25]["status"]) == (None, "few_errors")


def test_a_declared_share_moves_precision_and_its_limits(tmp_path):
    """Log odds move by those of the share, limits too: resamples of a sample without a share of its own."""
    rows = cohort(200)
    declared = "trials: {source: trials.parquet, prevalence: 0.1}\n" + ASKED
    frame = build(tmp_path, rows, declared, FULL).only(PRECISION_BANDS)["precision_bands"].filter(model="A")
    table = pl.DataFrame(rows).filter(model="A")
    label, score = table["label"].to_numpy() == 1, table["score"].to_numpy()
    far = _far_at(0.8, label, score)
    at = frame.filter(pl.col("recall") == 0.8)
    assert at["precision"].item() == pytest.approx(0.1 * 0.8 / (0.1 * 0.8 + 0.9 * far), abs=1e-12)
    limits = at.select("band_low", "ci_low", "precision", "ci_high", "band_high").row(0)
    assert list(limits) == sorted(limits)
    assert at["status"].item() is None


def test_no_precision_without_a_class(tmp_path):
    for label, status in ((1, "no_nontargets"), (0, "no_targets")):
        rows = rows_of(A=([label] * 3, [0.2, 0.5, 0.9]))
        frame = build(tmp_path / status, rows, OF_ONE, FULL).only(PRECISION_BANDS)["precision_bands"]
        assert frame["status"].to_list() == [status]


def test_plain_scores_have_a_precision_band(tmp_path):
    """It needs no probabilities: doubled scores, declared as plain, give the same numbers."""
    frames = [
        build(tmp_path / scale, rows, OF_ONE, FULL, f"models.A.scale={scale}").only(PRECISION_BANDS)
        for scale, rows in (
            ("probability", cohort(60)),
            ("score", [row | {"score": 8 * row["score"]} for row in cohort(60)]),
        )
    ]
    of_a = [each["precision_bands"].filter(model="A") for each in frames]
    assert of_a[0].equals(of_a[1])


def test_the_spread_of_resampled_curves_as_by_brute_force(tmp_path):
    """Rows drawn with replacement by NumPy, every curve by counting: net benefits, their difference, precision."""
    rows = cohort(300)
    frames = build(tmp_path, rows, ASKED, "significance.replicates=2000").only(*DRAWN)
    table = pl.DataFrame(rows).pivot("model", index=["trial", "label"], values="score")
    label, a, b = (table[name].to_numpy() for name in ("label", "A", "B"))
    drawn = np.random.default_rng(0).integers(0, len(label), (2000, len(label)))

    def benefit(p, at):
        y, accepted = label[drawn], p[drawn] >= at
        return (y * accepted).mean(axis=1) - ((1 - y) * accepted).mean(axis=1) * at / (1 - at)

    def standard_error(name, at, **of):
        (row,) = frames[name].filter(pl.col(at[0]) == at[1], **of).to_dicts()
        return (row["ci_high"] - row["ci_low"]) / (2 * 1.959964)

    for at in (0.2, 0.4, 0.6):  # where many decisions differ, and no spread is raised
        own, other, share = benefit(a, at), benefit(b, at), label[drawn].mean(axis=1)
        where = ("probability", at)
        for standardised, by in ((False, 1), (True, share)):
            found = standard_error("net_benefit", where, model="A", standardised=standardised)
            assert found == pytest.approx((own / by).std(), rel=0.08)
            found = standard_error("net_benefit_differences", where, model="B", standardised=standardised)
            assert found == pytest.approx((other / by - own / by).std(), rel=0.08)
    log_odds = []
    for chosen in drawn[:300]:
        y, p = label[chosen] == 1, a[chosen]
        hits, alarms = 0.8 * y.sum(), _far_at(0.8, y, p) * (~y).sum()
        log_odds.append(np.log((hits + 0.5) / (y.sum() + 1) / (alarms + 0.5) * ((~y).sum() + 1)) + _odds(y))
    (row,) = frames["precision_bands"].filter(pl.col("recall") == 0.8, model="A").to_dicts()
    limits = [np.log(row[name] / (1 - row[name])) for name in ("ci_low", "ci_high")]
    assert (limits[1] - limits[0]) / (2 * 1.959964) == pytest.approx(np.std(log_odds), rel=0.15)


def _odds(y):
    return np.log(y.sum() / (~y).sum())


def _far_at(recall, y, p):
    """The FAR just before a recall, of all distinct probabilities from above, one by one."""
    cuts = np.unique(p)[::-1]
    recalls, fars = ([0, *((p[of] >= cut).mean() for cut in cuts)] for of in (y, ~y))
    return np.interp(recall - 1e-12, recalls, fars)


def test_weights_of_strata_are_repeated_rows(tmp_path):
    """Net benefits with weights of 1 and 2 are those of a table with the rows of the second stratum twice."""
    rows = cohort(60)
    weighed = [row | {"stratum": "xy"[int(row["trial"][1:]) % 3 == 0]} for row in rows]
    twice = rows + [row | {"trial": row["trial"] + "b"} for row in weighed if row["stratum"] == "y"]
    weights = "trials: {source: trials.parquet, weights: {stratum: {x: 0.5, y: 1}}}\n"
    curves = ASKED.replace("curves: [", "curves: [decision, ")
    one = build(tmp_path / "weighed", weighed, weights + curves).frames
    two = build(tmp_path / "repeated", twice, curves).frames
    assert one["net_benefit"]["net_benefit"].to_numpy() == pytest.approx(
        two["net_benefit"]["net_benefit"].to_numpy()
    )
    columns = "net_benefit_differences", "difference"
    assert one[columns[0]][columns[1]].to_numpy() == pytest.approx(two[columns[0]][columns[1]].to_numpy())
    plain = one["net_benefit"].filter(~pl.col("standardised"))
    assert plain["net_benefit"].to_numpy() == pytest.approx(one["decision"]["net_benefit"].to_numpy())


def test_scores_that_a_map_makes_one_probability_have_an_interval(tmp_path):
    """On dev no score differs from another in its share of targets: the map is flat, and the curve a point."""
    rows = [
        {
            "trial": f"{split}{at}",
            "model": "A",
            "split": split,
            "label": at % 2 == 0,
            "score": float(at // 2 % 3),
        }
        for split in ("dev", "test")
        for at in range(12)
    ]
    asked = "primary: {measure: auc}\nmeasures: ['ici(calibration=affine)']\ncurves: []\nepc: none"
    rows = [row for row in build(tmp_path, rows, asked).rows(METRICS) if row.measure.startswith("ici")]
    assert [row.value for row in rows if row.split == "test"] == [pytest.approx(0, abs=1e-12)]
