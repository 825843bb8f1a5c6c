"""The frames of fits, against formulas written out again and against frames of the trials."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from from_config import frames_from, only
from scipy.integrate import quad
from scipy.stats import norm

from reporting.document.frames.fit_curves import FIT_CURVES
from reporting.features.fits.fitted import Fitted
from reporting.features.fits.frame import FIT_METRICS, FITS
from reporting.features.fits.quantities import Quantity, redrawn

CONFIG = """
    measures: [far, frr, hter, f1, "f1(prevalence=0.1)", mcc, npv, auc, eer_rocch, ap_step, "pauc(far_max=0.2)"]
    criteria: [min_hter, "fixed(threshold=0.5)"]
    epc: none
    fits: [binormal, alpha_binormal, binormal_ordinal, "binormal(ddof=1,prevalence=sample,interval=bootstrap)"]
    significance: {replicates: 999}
"""


def trials(n: int = 120, seed: int = 1, offset: float = 0.0) -> pl.DataFrame:
    """Two models on the same trials, scores with ties, dev and test."""
    rng = np.random.default_rng(seed)
    label = np.arange(2 * n) % 3 == 0
    rows = []
    for model, shift in (("A", 1.6), ("B", 1.0)):
        score = np.round(
            rng.normal(0, 1, 2 * n) + np.where(label, shift + 0.3 * rng.normal(size=2 * n), 0), 2
        )
        rows.append(
            pl.DataFrame(
                {
                    "model": [model] * (2 * n),
                    "split": ["dev"] * n + ["test"] * n,
                    "trial": [str(i) for i in range(2 * n)],
                    "label": label,
                    "score": score + offset,
                }
            )
        )
    return pl.concat(rows)


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    return frames_from(tmp_path_factory.mktemp("fits") / "a", trials(), CONFIG)


def scores(model: str, split: str, table: pl.DataFrame | None = None) -> tuple[np.ndarray, np.ndarray]:
    rows = (trials() if table is None else table).filter(model=model, split=split)
    return rows.filter("label")["score"].to_numpy(), rows.filter(~pl.col("label"))["score"].to_numpy()


def value(frames: dict[str, pl.DataFrame], name: str, fit: str = "binormal", **key: str) -> dict[str, object]:
    return only(frames["fits"], fit=fit, parameter=name, **({"model": "A", "split": "test"} | key))


def test_the_frames_follow_their_contracts(frames: dict[str, pl.DataFrame]) -> None:
    for contract in (FITS, FIT_METRICS, FIT_CURVES):
        frame = frames[contract.name]
        assert frame.schema == contract.schema
        assert frame.equals(frame.sort(list(contract.sorted_by)))
        assert set(frame["model"]) == {"A", "B"}
    assert set(frames["fits"]["split"]) == {"dev", "test"}


def test_a_fitted_curve_lies_in_its_band_to_its_ends(frames: dict[str, pl.DataFrame]) -> None:
    """Where FRR is 1e-20, too, 1 - TPR would be 0."""
    rows = frames["fit_curves"].drop_nulls("p_miss_low")
    assert rows["p_miss"].min() < 1e-17  # type: ignore[operator]
    assert rows.filter(~pl.col("p_miss").is_between("p_miss_low", "p_miss_high")).is_empty()


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_curve_by_moments(frames: dict[str, pl.DataFrame], split: str) -> None:
    targets, nontargets = scores("A", split)
    a = (targets.mean() - nontargets.mean()) / targets.std()
    b = nontargets.std() / targets.std()
    expected = {
        "a": a,
        "b": b,
        "auc": norm.cdf(a / math.hypot(1, b)),
        "eer": norm.cdf(-a / (1 + b)),
        "pauc(far_max=0.2)": quad(lambda f: norm.cdf(a + b * norm.ppf(f)), 0, 0.2)[0],
        "mean_target": targets.mean(),
        "sd_nontarget": nontargets.std(),
        "prevalence": 0.5,
    }
    for name, number in expected.items():
        assert value(frames, name, split=split)["value"] == pytest.approx(number, abs=1e-9), name


def test_precision_is_that_of_the_share_of_targets(frames: dict[str, pl.DataFrame]) -> None:
    targets, nontargets = scores("A", "test")
    found = {name: value(frames, name)["value"] for name in ("a", "b")}
    a, b = float(str(found["a"])), float(str(found["b"]))
    for fit, share in (
        ("binormal", 0.5),
        ("alpha_binormal", len(targets) / (len(targets) + len(nontargets))),
    ):

        def precision(z: float, share: float = share) -> float:
            hits, alarms = share * norm.sf(z), (1 - share) * norm.sf((z + a) / b)
            return float(norm.pdf(z) * hits / (hits + alarms))

        assert value(frames, "ap", fit)["value"] == pytest.approx(quad(precision, -9, 9)[0], abs=1e-8)
    assert value(frames, "prevalence", "alpha_binormal")["value"] == pytest.approx(1 / 3)


def test_errors_by_the_delta_method_and_by_redrawing_agree(frames: dict[str, pl.DataFrame]) -> None:
    a, b = (float(str(value(frames, name)["value"])) for name in ("a", "b"))
    n_1, n_0 = (len(part) for part in scores("A", "test"))
    v_a = 1 / n_1 + b**2 / n_0 + a**2 / (2 * n_1)
    v_b, v_ab = b**2 * (1 / n_0 + 1 / n_1) / 2, a * b / (2 * n_1)
    assert value(frames, "a")["se"] == pytest.approx(math.sqrt(v_a), rel=1e-6)
    scale = 1 / math.hypot(1, b)
    slope = scale, -a * b * scale**3
    variance = slope[0] ** 2 * v_a + 2 * slope[0] * slope[1] * v_ab + slope[1] ** 2 * v_b
    se = norm.pdf(a * scale) * math.sqrt(variance)
    row = value(frames, "auc")
    assert row["se"] == pytest.approx(se, rel=1e-5)
    auc = norm.cdf(a * scale)
    half = norm.ppf(0.975) * se / (auc * (1 - auc))
    logit = math.log(auc / (1 - auc))
    assert row["ci_low"] == pytest.approx(1 / (1 + math.exp(half - logit)), rel=1e-5)
    assert (row["ci_method"], row["level"]) == ("normal", 0.95)
    boot = "binormal(prevalence=sample,ddof=1,interval=bootstrap)"
    for name in ("a", "b", "auc", "eer", "ap", "pauc(far_max=0.2)"):
        by_delta, redrawn = value(frames, name, "alpha_binormal"), value(frames, name, boot)
        assert redrawn["se"] == pytest.approx(by_delta["se"], rel=0.25), name
        assert redrawn["ci_method"] == "percentile"


def test_every_measure_at_a_threshold_on_the_rates_of_the_fit(frames: dict[str, pl.DataFrame]) -> None:
    targets, nontargets = scores("A", "test")
    far = norm.sf((0.5 - nontargets.mean()) / nontargets.std())
    frr = norm.cdf((0.5 - targets.mean()) / targets.std())

    def f1(share: float) -> float:
        hits = share * (1 - frr)
        return float(2 * hits / (hits + share + (1 - share) * far))

    criterion = "fixed(threshold=0.5)"
    wanted = {"far": far, "frr": frr, "hter": (far + frr) / 2, "f1": f1(1 / 3), "f1(prevalence=0.1)": f1(0.1)}
    wanted["npv"] = 2 / 3 * (1 - far) / (2 / 3 * (1 - far) + frr / 3)
    for measure, number in wanted.items():
        row = only(
            frames["fit_metrics"], model="A", fit="alpha_binormal", measure=measure, criterion=criterion
        )
        assert row["value"] == pytest.approx(number, abs=1e-12), measure
        observed = only(frames["metrics"], model="A", split="test", measure=measure, criterion=criterion)
        assert row["observed"] == observed["value"]
    half = only(frames["fit_metrics"], model="A", fit="binormal", measure="f1", criterion=criterion)
    assert half["value"] == pytest.approx(f1(0.5), abs=1e-12)


def test_the_curve_runs_between_the_corners_within_its_band(frames: dict[str, pl.DataFrame]) -> None:
    rows = frames["fit_curves"].filter(model="A", split="test", fit="binormal")
    a, b = (float(str(value(frames, name)["value"])) for name in ("a", "b"))
    far, frr = rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()
    np.testing.assert_allclose(1 - frr, norm.cdf(a + b * norm.ppf(far)), atol=1e-12)
    assert far.min() < 1e-9
    assert far.max() > 1 - 1e-9
    assert (rows["p_miss_low"] <= rows["p_miss"]).all()
    assert (rows["p_miss"] <= rows["p_miss_high"]).all()
    share = 0.5
    precision = share * (1 - frr) / (share * (1 - frr) + (1 - share) * far)
    np.testing.assert_allclose(rows["precision"], precision, atol=1e-9)
    recall = 1 - frr
    np.testing.assert_allclose(rows["f1"], 2 * precision * recall / (precision + recall), atol=1e-9)


def test_order_of_rows_and_other_models_do_not_matter(
    tmp_path: Path, frames: dict[str, pl.DataFrame]
) -> None:
    shuffled = frames_from(tmp_path / "s", trials().sample(fraction=1, shuffle=True, seed=5), CONFIG)
    alone = frames_from(tmp_path / "o", trials().filter(model="A"), CONFIG)
    for name in ("fits", "fit_metrics", "fit_curves"):
        assert shuffled[name].equals(frames[name])
        assert alone[name].equals(frames[name].filter(model="A"))


def test_without_a_curve_every_number_is_null_with_the_reason(tmp_path: Path) -> None:
    table = trials().with_columns(
        pl.when(pl.col("trial") == "200").then(math.inf).otherwise(pl.col("score")).alias("score")
    )
    frames = frames_from(tmp_path / "i", table, CONFIG)
    rows = frames["fits"].filter(fit="binormal", split="test")
    assert set(rows["status"]) == {"infinite_scores"}
    assert rows.select("value", "se", "ci_low", "ci_high").null_count().sum_horizontal().item() == 4 * len(
        rows
    )
    assert set(frames["fit_metrics"].filter(fit="binormal")["status"]) == {"infinite_scores"}
    ranks = frames["fits"].filter(fit="binormal_ordinal", split="test", parameter="auc")
    assert ranks["status"].null_count() == 2


def test_clusters_and_weights_are_said(tmp_path: Path) -> None:
    table = trials().with_columns(
        cluster=pl.col("trial").cast(pl.Int64) // 10,
        stratum=pl.when(pl.col("trial").cast(pl.Int64) % 2 == 0).then(pl.lit("a")).otherwise(pl.lit("b")),
    )
    clustered = frames_from(tmp_path / "c", table.drop("stratum"), CONFIG)
    assert "assumes_independent_trials" in value(clustered, "auc")["flags"]  # type: ignore[operator]
    weighted = frames_from(
        tmp_path / "w",
        table.drop("cluster"),
        "trials: {source: trials.parquet, weights: {stratum: {a: 1, b: 3}}}\nfits: [binormal]\nepc: none\n",
    )
    targets = table.filter(model="A", split="test").filter("label")
    mean = np.average(targets["score"], weights=np.where(targets["stratum"] == "a", 1, 3))
    assert value(weighted, "mean_target")["value"] == pytest.approx(mean, abs=1e-12)
    row = value(weighted, "auc")
    assert row["value"] is not None
    assert row["se"] is None
    assert row["ci_low"] is None


def test_weights_have_values_and_no_errors_however_they_are_spelt(tmp_path: Path) -> None:
    table = trials().with_columns(
        stratum=pl.when(pl.col("trial").cast(pl.Int64) % 2 == 0).then(pl.lit("a")).otherwise(pl.lit("b"))
    )
    config = "trials: {{source: trials.parquet, weights: {{stratum: {{a: 1, b: {}}}}}}}\nepc: none\n"
    config += "fits: [binormal, binormal_ordinal]\n"
    one, other = (frames_from(tmp_path / str(b), table, config.format(b))["fits"] for b in (0.5, 0.5001))
    for frame in (one, other):
        assert frame["se"].null_count() == len(frame)
        tested = frame.filter(
            pl.col("parameter").str.starts_with("goodness") | (pl.col("parameter") == "log_likelihood")
        )
        assert set(tested["status"]) == {"weighted"}
    values = (
        one.filter(parameter="auc")["value"].to_numpy(),
        other.filter(parameter="auc")["value"].to_numpy(),
    )
    np.testing.assert_allclose(*values, atol=1e-3)


def test_the_share_of_a_row_is_that_of_its_value(frames: dict[str, pl.DataFrame]) -> None:
    rows = frames["fit_metrics"].filter(model="A", fit="binormal", criterion="min_hter")
    share = dict(rows.select("measure", "prevalence").iter_rows())
    assert (share["f1"], share["f1(prevalence=0.1)"], share["far"]) == (0.5, 0.1, None)


def test_a_group_without_dev_takes_the_power_of_the_whole(tmp_path: Path) -> None:
    table = trials(offset=10.0).with_columns(
        gender=pl.when((pl.col("split") == "test") & (pl.col("trial").cast(pl.Int64) % 4 < 2))
        .then(pl.lit("m"))
        .otherwise(pl.lit("f"))
    )
    config = 'by: [gender]\nepc: none\nfits: ["binormal(transform=box_cox)"]\n'
    rows = frames_from(tmp_path / "g", table, config)["fits"].filter(
        model="A", split="test", parameter="lambda"
    )
    assert rows["group"].to_list() == ["", "gender=f", "gender=m"]
    assert rows["value"].n_unique() == 1
    assert rows["value"].null_count() == 0


def test_a_replicate_without_a_curve_counts_on_both_sides() -> None:
    a = np.arange(1.0, 1001.0)
    a[[3, 500]] = np.nan
    identity = Quantity("a", lambda a, b, share: a)
    found = redrawn(identity, stub_fit(), 0.5, (a, np.ones(1000), np.full(1000, 0.5)), 0.95)
    # Of 1000 the 25th and 976th: with two more beyond either end the 23rd and 978th of the 998.
    kept = np.sort(a[np.isfinite(a)])
    assert (found.low, found.high) == (kept[22], kept[975])
    assert found.se == pytest.approx(kept.std(ddof=1))
    a[:50] = np.nan
    found = redrawn(identity, stub_fit(), 0.5, (a, np.ones(1000), np.full(1000, 0.5)), 0.95)
    assert math.isnan(found.se)
    assert math.isinf(found.low)
    assert math.isinf(found.high)


def stub_fit() -> Fitted:
    """A curve whose rates and redraws nothing asks for."""

    def nothing(*_: object) -> tuple[np.ndarray, np.ndarray]:
        raise AssertionError

    return Fitted(500.0, 1.0, np.eye(2), nothing, nothing)
