"""Intervals of one model's numbers that replicates cannot judge, from the config to the frames, by hand."""

import math

import numpy as np
import pytest
from build import build
from scipy.stats import beta, norm

from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS

Z = norm.ppf(0.975)


def rows_of(folder, targets, nontargets, measures, prevalence="null", **columns):
    """Test rows of one model with the same trials on dev and test."""
    rows = [
        {"model": "a", "split": split, "trial": f"{split}{i}", "label": label, "score": float(score)}
        | {name: f"{split}{of(i)}" for name, of in columns.items()}
        for split in ("dev", "test")
        for i, (label, score) in enumerate([(True, s) for s in targets] + [(False, s) for s in nontargets])
    ]
    several = f"[{', '.join(columns)}]" if len(columns) > 1 else "".join(columns)
    clusters = f"cluster: {several}" if columns else ""
    role = f"trials: {{source: trials.parquet, prevalence: {prevalence}, columns: {{{clusters}}}}}\n"
    config = f"{role}models: {{a: {{scale: llr}}}}\nmeasures: {measures}\ncriteria: [min_hter]\nepc: none\n"
    built = build(folder, rows, config)
    return {row.measure: row for row in built.rows(METRICS) if row.split == "test" and row.criterion is None}


def wilson(k, n):
    p = k / n
    middle, half = p + Z * Z / (2 * n), Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return (middle - half) / (1 + Z * Z / n), (middle + half) / (1 + Z * Z / n)


def square_and_add(*terms):
    """Of (weight, k, n)."""
    value = sum(w * k / n for w, k, n in terms)
    limits = [wilson(k, n) for _, k, n in terms]
    down = sum((w * (k / n - low)) ** 2 for (w, k, n), (low, _) in zip(terms, limits, strict=True))
    up = sum((w * (high - k / n)) ** 2 for (w, k, n), (_, high) in zip(terms, limits, strict=True))
    return value - math.sqrt(down), value + math.sqrt(up)


def test_a_cost_of_bayes_decisions_is_a_sum_of_two_rates(tmp_path):
    """At 0, which is accepted, 2 of 10 targets are missed and 4 of 20 non-targets accepted; at log 3, 5 and 1."""
    targets = [-2, -1, 0, 0.5, 1, 2, 3, 3, 4, 5]
    nontargets = [-3] * 10 + [-1] * 6 + [0, 0.5, 1, 2]
    found = rows_of(tmp_path, targets, nontargets, "[actdcf, 'actdcf(p_target=0.25)', bayes_error]")
    expected = {
        "actdcf": square_and_add((1, 4, 20), (1, 2, 10)),
        "actdcf(p_target=0.25)": square_and_add((3, 1, 20), (1, 5, 10)),
        "bayes_error": square_and_add((0.5, 4, 20), (0.5, 2, 10)),
    }
    for measure, limits in expected.items():
        row = found[measure]
        assert row.ci_method == "square_and_add"
        assert (row.ci_low, row.ci_high) == pytest.approx(limits)
        assert row.replicates is None


def test_a_mean_of_costs_has_the_mean_of_their_limits(tmp_path):
    """SRE21's point twice is that point; no target is missed and no non-target accepted, yet the cost is not 0."""
    targets, nontargets = np.linspace(7, 9, 12), np.linspace(-9, -7, 15)
    found = rows_of(tmp_path, targets, nontargets, "[cprimary, actdcf]")
    assert found["cprimary"].value == 0
    assert found["cprimary"].ci_method == "square_and_add"
    assert found["cprimary"].ci_low == 0
    far, frr = beta.ppf(0.975, 1, 15), beta.ppf(0.975, 1, 12)
    costs = [math.hypot(far * (1 - p) / p, frr) for p in (0.01, 0.005)]
    assert found["cprimary"].ci_high == pytest.approx(np.mean(costs))


def test_recalibrated_scores_keep_their_replicates(tmp_path):
    rng = np.random.default_rng(5)
    found = rows_of(
        tmp_path,
        rng.normal(1, 1, 40).round(1),
        rng.normal(-1, 1, 40).round(1),
        "['actdcf(calibration=affine)']",
    )
    assert found["actdcf(calibration=affine)"].ci_method == "percentile"


def test_clusters_make_a_cost_less_certain(tmp_path):
    targets, nontargets = [-1] * 4 + [2] * 8, [-2] * 12 + [1] * 4
    alone = rows_of(tmp_path / "alone", targets, nontargets, "[actdcf]")["actdcf"]
    together = rows_of(tmp_path / "together", targets, nontargets, "[actdcf]", speaker=lambda i: i // 4)[
        "actdcf"
    ]
    assert alone.ci_method == together.ci_method == "square_and_add"
    assert together.ci_high - together.ci_low > 1.5 * (alone.ci_high - alone.ci_low)


def test_ten_targets_among_the_ten_highest_scores(tmp_path):
    """Clopper and Pearson of 10 of 10: from .025^(1/10)."""
    found = rows_of(tmp_path, np.arange(20, 60), np.arange(-20, 20), "[precision_at, precision_at_share]")
    row = found["precision_at"]
    assert (row.value, row.ci_method) == (1, "clopper_pearson")
    assert (row.ci_low, row.ci_high) == pytest.approx((0.025**0.1, 1))
    assert found["precision_at_share"].ci_low == pytest.approx(0.025 ** (1 / 8))


def test_some_nontargets_among_the_highest_scores(tmp_path):
    """At most as certain as that many trials are, and by their limits, which stay within [0, 1]."""
    nontargets = [*range(-20, 15), 41.5, 44.5, 48.5, 51.5, 55.5]
    row = rows_of(tmp_path, range(20, 60), nontargets, "['precision_at(k=20)']")["precision_at(k=20)"]
    low, high = wilson(16, 20)
    assert row.value == 0.8
    assert row.ci_method == "wilson"
    assert row.ci_low < low + 1e-12
    assert high - 1e-12 < row.ci_high < 1


def test_clusters_of_nothing_but_targets_show_no_uncertainty(tmp_path):
    row = rows_of(tmp_path, range(20, 60), range(-20, 20), "[precision_at]", speaker=lambda i: i // 5)[
        "precision_at"
    ]
    assert row.value == 1
    assert row.ci_low is None


@pytest.mark.parametrize(("n", "withheld"), [(399, True), (400, False)])
def test_a_fixed_rate_needs_four_errors(tmp_path, n, withheld):
    rng = np.random.default_rng(2)
    row = rows_of(tmp_path, rng.normal(2, 1, 30).round(2), rng.normal(0, 1, n).round(2), "[frr_at_far]")[
        "frr_at_far"
    ]
    assert (row.ci_low is None) == ("interval_withheld" in row.flags) == withheld


@pytest.mark.parametrize("pairs", [False, True])
def test_recall_at_a_fixed_precision_has_no_interval_of_pair_trials(tmp_path, pairs):
    rng = np.random.default_rng(2)
    columns = {"enroll": lambda i: i % 12, "test": lambda i: (i + i // 12) % 12}
    row = rows_of(
        tmp_path,
        rng.normal(2, 1, 60).round(2),
        rng.normal(0, 1, 60).round(2),
        "[recall_at]",
        **dict(list(columns.items())[: 1 + pairs]),
    )["recall_at"]
    assert (row.ci_low is None) == ("interval_withheld" in row.flags) == pairs


def test_areas_are_symmetric_on_their_own_scale(tmp_path):
    rng = np.random.default_rng(3)
    found = rows_of(
        tmp_path,
        rng.normal(1, 1, 50).round(1),
        rng.normal(0, 1, 60).round(1),
        "[ap_dg, pauc, prg_area]",
    )
    logit, far_from_1 = (lambda p: math.log(p / (1 - p))), (lambda p: math.log(1 - p))
    scales = {
        "ap_dg": ("logit_normal", logit),
        "pauc": ("log_normal", far_from_1),
        "prg_area": ("log_normal", far_from_1),
    }
    for measure, (method, scale) in scales.items():
        row = found[measure]
        assert (row.ci_method, row.replicates) == (method, 99)
        assert scale(row.ci_low) + scale(row.ci_high) == pytest.approx(2 * scale(row.value))
        assert row.se > 0


def test_a_slope_is_symmetric(tmp_path):
    rng = np.random.default_rng(3)
    targets, nontargets = rng.normal(1, 1, 50).round(1), rng.normal(-1, 1, 60).round(1)
    found = rows_of(tmp_path, targets, nontargets, "[calibration_slope]", prevalence=0.5)
    (row,) = [row for name, row in found.items() if name.startswith("calibration_slope")]
    assert row.ci_method == "normal"
    assert row.ci_high - row.value == pytest.approx(Z * row.se) == pytest.approx(row.value - row.ci_low)


def test_points_of_a_curve_of_clusters_are_read_against_t(tmp_path):
    """On the logit scale both limits of a measure that is no sum of rates are as far from the value."""
    rng = np.random.default_rng(4)
    rows = [
        {"model": "a", "split": split, "trial": f"{split}{i}", "label": i % 3 == 0, "speaker": f"s{i % 12}"}
        | {"score": round(float(rng.normal() + (i % 3 == 0)), 1)}
        for split in ("dev", "test")
        for i in range(120)
    ]
    config = "trials: {source: trials.parquet, columns: {cluster: speaker}}\nmeasures: [hter]\ncriteria: [min_hter]\nepc: {criteria: [weighted_error], measures: [f1]}\n"
    points = [row for row in build(tmp_path, rows, config).rows(EPC) if row.ci_low is not None]
    assert len(points) > 2
    for row in points:
        ends = [math.log(p / (1 - p)) for p in (row.ci_low, row.value, row.ci_high)]
        assert ends[0] + ends[2] == pytest.approx(2 * ends[1])
