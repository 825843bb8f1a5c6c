"""Reports of two crossed pools, from the config: closed forms written out, and every other frame has limits."""

import numpy as np
import polars as pl
import pytest
from build import build
from from_config import frames_from, only
from scipy.special import expit, logit
from scipy.stats import rankdata
from scipy.stats import t as student_t

from reporting.core.engine.joint import joint_values
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import difference
from reporting.features.catalogue import FEATURES

POOLS = """
trials: {source: trials.parquet, columns: {cluster: [person, sensor]}, clusters: {pools: two}}
models: {a: {scale: llr}, b: {scale: llr}, c: {scale: llr}}
"""
ASKED = (
    POOLS
    + """
measures: [hter, far, frr, f1, auc]
criteria: [fixed(threshold=0.8)]
epc: none
"""
)
EVERYTHING = (
    POOLS
    + """
measures: [hter, eer, ap, cllr, mindcf(p_target=0.1)]
criteria: [min_hter]
by: [site]
across: [site]
curves: [roc, det, pr]
"""
    + "abstention: {cost: {review: 0.2}}\n" * ("abstention" in FEATURES)
)


def rows(persons=10, sensors=12, models="abc", seed=0):
    """Every person meets every sensor once on dev and test; models share half of every effect."""
    rng, made = np.random.default_rng(seed), []
    for split in ("dev", "test"):
        shape = persons, sensors
        label = rng.random(shape) < 0.4

        def effect(*size):
            return rng.normal(size=size) + rng.normal(size=(len(models), *size))

        score = 0.4 * effect(persons, 1) + 0.3 * effect(1, sensors) + 0.4 * effect(*shape) + 1.6 * label
        for (i, j), is_target in np.ndenumerate(label):
            made += [
                {
                    "model": model, "split": split, "trial": f"{split} {i:02} {j:02}", "label": bool(is_target),
                    "score": round(float(score[k, i, j]), 1), "person": f"{split} p{i:02}",
                    "sensor": f"{split} s{j:02}", "site": "xy"[i % 2],
                }
                for k, model in enumerate(models)
            ]  # fmt: skip
    return made


def crossed(psi, label):
    """The variance and the degrees of freedom of influences (shape (A, B)) of as many trials.

    Members have the size of their targets and non-targets as shares of these.
    """
    size = np.where(label, 1 / label.sum(), 1 / (~label).sum()) / 2
    p, q = size.sum(axis=1), size.sum(axis=0)
    across, down = psi.sum(axis=1), psi.sum(axis=0)
    rest = psi - np.outer(across, q) - np.outer(p, down)
    lacking = [1 - 2 * (w**3).sum() / (w**2).sum() + (w**2).sum() for w in (p, q)]
    effective = [1 / (w**2).sum() for w in (p, q)]
    (f, d), (g, e) = ((1 / h, max(1, k - h * k / (k - 1))) for h, k in zip(lacking, effective, strict=True))
    parts = np.array([f * (across**2).sum(), g * (down**2).sum(), f * g * (rest**2).sum()])
    df = np.array([d, e, d * e])
    own = [part for part in (0, 1) if parts[part] > parts[2]]
    if len(own) == 2:
        variance = parts[0] + parts[1] - parts[2]
        return variance, variance**2 / (parts**2 / df).sum()
    return (parts[2], df[2]) if not own else (parts[own[0]], df[own[0]])


def of_test(table, model, shape):
    one = pl.DataFrame(table).filter(model=model, split="test").sort("person", "sensor")
    return one["label"].to_numpy().reshape(shape), one["score"].to_numpy().reshape(shape)


def influences(label, score):
    """FAR, FRR, HTER and AUC with what every trial moves them by, on the spot."""
    error = np.where(label, score < 0.8, score >= 0.8)
    n1, n0 = label.sum(), (~label).sum()
    far, frr = error[~label].mean(), error[label].mean()
    of_far, of_frr = np.where(label, 0, (error - far) / n0), np.where(label, (error - frr) / n1, 0)
    rank, place = rankdata(score.ravel()).reshape(score.shape), np.empty(score.shape)
    place[label] = (rank[label] - rankdata(score[label])) / n0
    place[~label] = 1 - (rank[~label] - rankdata(score[~label])) / n1
    area = place[label].mean()
    return {
        "far": (far, of_far),
        "frr": (frr, of_frr),
        "hter": ((far + frr) / 2, (of_far + of_frr) / 2),
        "auc": (area, (place - area) / np.where(label, n1, n0)),
    }


@pytest.mark.parametrize("seed", range(3))
def test_numbers_and_differences_have_closed_forms(tmp_path, seed):
    table, shape = rows(seed=seed), (10, 12)
    frames = frames_from(tmp_path, table, ASKED)
    (label, _), _ = tested = [of_test(table, model, shape) for model in "ab"]
    a, b = (influences(*of) for of in tested)
    for measure in ("far", "frr", "hter", "auc"):
        criterion = None if measure == "auc" else "fixed(threshold=0.8)"
        row = only(
            frames["comparisons"],
            measure=measure,
            model="b",
            baseline="a",
            criterion=criterion,
            parameter=None,
        )
        variance, df = crossed(b[measure][1] - a[measure][1], label)
        difference = b[measure][0] - a[measure][0]
        assert row["difference"] == pytest.approx(difference)
        assert row["se"] == pytest.approx(np.sqrt(variance), rel=1e-6)
        assert row["p_value"] == pytest.approx(
            2 * student_t.sf(abs(difference) / np.sqrt(variance), df), rel=1e-5
        )
        assert row["ci_high"] - difference == pytest.approx(
            student_t.ppf(0.975, df) * np.sqrt(variance), rel=1e-5
        )
        assert row["mc_error"] == 0
    value, psi = a["auc"]
    variance, df = crossed(psi, label)
    row = only(frames["metrics"], measure="auc", model="a", split="test")
    reach = student_t.ppf(0.975, df) * np.sqrt(variance) / (value * (1 - value))
    assert (row["ci_method"], row["se"]) == ("logit_clustered", pytest.approx(np.sqrt(variance)))
    assert (row["ci_low"], row["ci_high"]) == tuple(
        pytest.approx(expit(logit(value) + of)) for of in (-reach, reach)
    )


def test_f1_of_one_model_is_that_of_its_influences(tmp_path):
    """F1 = 2 TP / (2 TP + FP + FN), by differences of it as a trial weighs a little more."""
    table, shape = rows(seed=5), (10, 12)
    frames = frames_from(tmp_path, table, ASKED)
    label, score = of_test(table, "a", shape)
    accepted = score >= 0.8

    def f1(weight):
        right, wrong = ((weight * (accepted & of)).sum() for of in (label, ~label))
        return 2 * right / (right + wrong + (weight * label).sum())

    psi, whole = np.zeros(shape), np.ones(shape)
    for cell in np.ndindex(shape):
        more = whole.copy()
        more[cell] += 1e-6
        psi[cell] = (f1(more) - f1(whole)) / 1e-6
    row = only(frames["metrics"], measure="f1", model="a", split="test", criterion="fixed(threshold=0.8)")
    assert row["value"] == pytest.approx(f1(whole))
    assert row["se"] == pytest.approx(np.sqrt(crossed(psi, label)[0]), rel=1e-4)


def test_the_order_of_pools_changes_no_closed_form(tmp_path):
    """Nor do names of members and the order of rows."""
    table = rows()
    frames = frames_from(tmp_path / "one", table, ASKED)
    turned = [row | {"person": row["sensor"], "sensor": row["person"][::-1]} for row in reversed(table)]
    again = frames_from(tmp_path / "other", turned, ASKED)
    columns = ["model", "measure", "criterion", "difference", "se", "ci_low", "ci_high", "p_value"]
    for name in ("comparisons", "metrics"):
        held = [column for column in columns if column in frames[name].columns]
        both = [frames[name], again[name]]
        if name == "comparisons":
            both = [of.filter(pl.col("inference").ne_missing("procedure")) for of in both]
        one, other = (of.select(held) for of in both)
        for column in held:
            if one[column].dtype == pl.Float64:
                given = one[column].fill_null(-1).to_list()
                assert other[column].fill_null(-1).to_list() == pytest.approx(given, rel=1e-9)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    return frames_from(
        folder, rows(), EVERYTHING, "significance.replicates=199", "report.sections=[ranking, rest]"
    )


def test_every_frame_counts_draws_and_not_the_three_replicates_of_each(everything):
    for name, frame in everything.items():
        if "replicates" in frame.columns:
            assert set(frame["replicates"].drop_nulls()) <= {199}, name


def test_optima_and_areas_under_precision_have_limits_by_replicates(everything):
    metrics = everything["metrics"].filter(split="test", group="")
    for measure in ("eer_rocch", "ap_step", "cllr", "mindcf(p_target=0.1)"):
        for row in metrics.filter(measure=measure).iter_rows(named=True):
            assert row["ci_low"] < row["value"] < row["ci_high"]


def test_bands_of_curves_hold_their_intervals(everything):
    epc = everything["epc"].filter(group="").drop_nulls(["ci_low", "band_low"])
    assert epc.height
    assert (epc["band_low"] <= epc["ci_low"] + 1e-12).all()
    assert (epc["band_high"] >= epc["ci_high"] - 1e-12).all()
    for name, low in (("bands", "p_miss_low"), ("curve_differences", "band_low")):
        frame = everything[name]
        assert frame["status"].null_count() == frame.height
        assert frame[low].is_finite().all()
        assert frame["unit"].unique().to_list() == ["cluster"]


def test_epc_differences_have_bands_around_intervals(everything):
    along = everything["comparisons"].filter(pl.col("parameter").is_not_null(), group="")
    known = along.drop_nulls(["ci_low", "band_low"])
    assert known.height
    assert (known["band_low"] <= known["ci_low"] + 1e-12).all()


def test_groups_ranks_and_winners_are_there(everything):
    groups = everything["metrics"].filter(
        pl.col("group").is_in(["site=x", "site=y"]), split="test", measure="hter"
    )
    assert groups.drop_nulls("ci_low").height == groups.filter(pl.col("threshold_source") == "dev").height > 0
    assert everything["standing"]["may_be_best"].any()
    assert everything["standing"]["p_best"].is_finite().all()
    assert everything["winners"].drop_nulls("p_best").height
    assert everything["ranking"].drop_nulls(["band_low", "rank_low"]).height == 3
    if "abstention" in FEATURES:
        assert everything["risk_coverage"].drop_nulls("band_low").height
        assert everything["abstention_comparisons"].drop_nulls("ci_low").height


def test_families_of_models_are_compared_by_no_less_than_their_difference(tmp_path):
    """What ranks models lacks - S_AB: its standard error is at least that of the two alone."""
    judged = build(tmp_path, rows(), EVERYTHING, "significance.replicates=199").judged()
    joint = joint_values(judged.models, judged.drawn, judged.study)
    assert joint is not None
    assert joint.replicates.shape == (199, 3)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        of = difference(
            Pair(joint.samples[i].system, joint.samples[j].system),
            joint.samples[i].question,
            judged.drawn,
            judged.study,
        )
        together = (joint.replicates[:, i] - joint.replicates[:, j]).std(ddof=1)
        assert together * joint.samples[0].design.inflation >= 0.9 * of.estimate().se
