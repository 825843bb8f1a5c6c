"""Clusters of unequal size in a report: counted, and read by their factor and degrees of freedom."""

import math

import numpy as np
import polars as pl
import pytest
from from_config import frames_from, only
from polars.testing import assert_frame_equal
from scipy.special import logit
from scipy.stats import t as student_t

SIZES = 12, 4, 4, 2, 2
"""sum n = 24, sum n^2 = 184 and sum n^3 = 1872: K = 576 / 184, f = 1 / (1 - 2 1872 / (184 24) + 184 / 576)."""
K = 576 / 184
FACTOR = 1 / (1 - 2 * 1872 / (184 * 24) + 184 / 576)
DF = K - K / (FACTOR * (K - 1))
CONFIG = """
trials: {source: trials.parquet, columns: {cluster: speaker}}
measures: [far, frr, hter, f1, auc]
thresholds: {policy: none}
criteria: [fixed(threshold=0.0)]
primary: {measure: auc}
epc: none
significance: {replicates: 99}
"""


def rows(of_model="a", names="pqrst", seed=3):
    """Targets and non-targets of five speakers, as many of either class."""
    rng, made = np.random.default_rng(seed), []
    for speaker, size in zip(names, SIZES, strict=True):
        for at in range(2 * size):
            label = at % 2
            score = rng.normal(2.0 * label - 1.0, 1.5)
            made.append((of_model, "test", f"{speaker}{at}", speaker, label, score))
    columns = ("model", "split", "trial", "speaker", "label", "score")
    return [dict(zip(columns, row, strict=True)) for row in made]


def test_they_are_counted_in_trials(tmp_path):
    found = frames_from(tmp_path, rows(), CONFIG)["trials"]
    row = only(found, split="test")
    assert (row["n_clusters"], row["effective_clusters"], row["largest_cluster"]) == (5, K, 0.5)


def test_an_area_has_their_factor_and_t(tmp_path):
    table = pl.DataFrame(rows())
    row = only(frames_from(tmp_path, rows(), CONFIG)["metrics"], split="test", measure="auc")
    label, score = table["label"].to_numpy() == 1, table["score"].to_numpy()
    beaten = [
        np.mean(score[~label] < s) if of else np.mean(score[label] > s)
        for s, of in zip(score, label, strict=True)
    ]
    area, sums = np.mean(score[label][:, None] > score[~label]), []
    for speaker in "pqrst":
        members = (table["speaker"] == speaker).to_numpy()
        sums.append(sum((np.array(beaten)[members] - area) / 24))
    se = math.sqrt(FACTOR * sum(x * x for x in sums))
    half = student_t.ppf(0.975, DF) * se / (area * (1 - area))
    assert (row["value"], row["se"]) == (pytest.approx(area), pytest.approx(se))
    assert logit([row["ci_low"], row["ci_high"]]) == pytest.approx(logit(area) + half * np.array([-1, 1]))
    assert "few_clusters" in row["flags"]


def test_what_replicates_make_has_their_factor_and_t(tmp_path):
    """F1 on the logit scale: SE sqrt(f) SD(V*), whatever that is, and t with its degrees of freedom."""
    table = [*rows(), *rows("b", seed=4)]
    frames = frames_from(tmp_path, table, CONFIG, "primary.measure=f1")
    row = only(frames["metrics"], split="test", measure="f1", model="a")
    reach = np.diff(logit([row["ci_low"], row["ci_high"]]))[0] / 2 * row["value"] * (1 - row["value"])
    assert reach == pytest.approx(student_t.ppf(0.975, DF) * row["se"], rel=1e-9)
    pair = only(frames["comparisons"], measure="auc")
    half = (pair["ci_high"] - pair["ci_low"]) / 2
    assert half == pytest.approx(student_t.ppf(0.975, DF) * pair["se"], rel=1e-9)


def by_speaker(table, error):
    """What each speaker moves an error rate, the variance that is the sum of squares, and the rate."""
    rate, sums = error.mean(), []
    for speaker in "pqrst":
        members = (table["speaker"] == speaker).to_numpy()
        sums.append(math.sqrt(FACTOR) * (error[members] - rate).sum() / len(error))
    return np.array(sums), rate


SUMS = "measures=[auc, far, frr, hter, balanced_accuracy, youden, 'dcf(p_target=0.1)', 'weighted_error(alpha=0.3)']"


def limits(row):
    return row["ci_low"], row["ci_high"]


def squared(value, weights, rates, r):
    """V -+ sqrt(d0^2 + d1^2 + 2 r d0 d1), d from the limits of both rates in the frame."""
    low, high = (
        [w * abs(rate["value"] - rate[end]) for w, rate in zip(weights, rates, strict=True)]
        for end in ("ci_low", "ci_high")
    )
    reach = [math.sqrt(a * a + b * b + 2 * r * a * b) for a, b in (low, high)]
    return max(0, value - reach[0]), value + reach[1]


def test_sums_of_both_rates_have_their_correlation_by_cluster(tmp_path):
    table = pl.DataFrame(rows())
    label, score = table["label"].to_numpy() == 1, table["score"].to_numpy()
    moved = [
        by_speaker(
            table.filter(pl.col("label") == of), np.where(of, score < 0, score >= 0)[label == bool(of)]
        )[0]
        for of in (0, 1)
    ]
    r = moved[0] @ moved[1] / math.sqrt((moved[0] ** 2).sum() * (moved[1] ** 2).sum())
    assert abs(r) > 0.1
    found = frames_from(tmp_path, rows(), CONFIG, SUMS)["metrics"].filter(split="test")
    at = {row["measure"]: row for row in found.rows(named=True)}
    both = at["far"], at["frr"]
    assert not {row["ci_method"] for row in both} - {"wilson_effective"}
    for name, weights in (
        ("hter", (0.5, 0.5)),
        ("dcf(p_target=0.1)", (9, 1)),
        ("weighted_error(alpha=0.3)", (0.3, 0.7)),
    ):
        row = at[name]
        assert row["ci_method"] == "square_and_add"
        assert limits(row) == pytest.approx(squared(row["value"], weights, both, r), rel=1e-9)
    low, high = limits(at["hter"])
    assert limits(at["balanced_accuracy"]) == pytest.approx((1 - high, 1 - low), abs=1e-12)
    assert limits(at["youden"]) == pytest.approx((1 - 2 * high, 1 - 2 * low), abs=1e-12)


def test_other_names_and_a_group_of_all_change_no_closed_form(tmp_path):
    closed = pl.col("measure").is_in(["far", "frr", "hter", "auc"])
    shown = ["measure", "value", "ci_low", "ci_high", "ci_method", "unit"]
    one, other = (
        frames_from(
            tmp_path / names, [row | {"all": "x"} for row in rows(names=names)], CONFIG + "by: [all]\n"
        )
        for names in ("pqrst", "tsrqp")
    )
    found = [each["metrics"].filter(closed, split="test").select("group", *shown) for each in (one, other)]
    # Sums over clusters are taken in the order of their names.
    assert_frame_equal(*found, rel_tol=1e-12)
    whole, group = (found[0].filter(group=name).select(shown) for name in ("", "all=x"))
    assert whole.equals(group)
