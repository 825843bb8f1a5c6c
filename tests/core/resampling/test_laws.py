"""Laws that hold for every engine of the bootstrap (methods, properties P18, P19, P35, P36), against the exact distribution."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from build import built_from
from exact_bootstrap import exact_distribution
from from_config import frames_from
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.base.execution import SerialExecutor, ThreadExecutor
from reporting.core.counts.outcomes import Bins, outcomes, pair_outcomes
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.bootstrap import (
    BinnedCells,
    Task,
    pair_discordants,
    resample,
    resample_model,
)
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.units import trial_units
from reporting.core.stats import intervals
from reporting.core.stats.paired import Discordant, difference, standard_error

T2_TARGETS, T2_NONTARGETS = (150, 8, 26, 16), (18, 16, 34, 732)
"""Methods 8.6: accepted by both, by A only, by B only, by neither."""

HALVES = (0.5, 0.5)


def t2() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Label, and whether A and B accept each trial."""
    label = np.repeat([True, False], [sum(T2_TARGETS), sum(T2_NONTARGETS)])
    a, b = (
        np.concatenate([np.repeat(pattern, counts) for counts in (T2_TARGETS, T2_NONTARGETS)])
        for pattern in ([True, True, False, False], [True, False, True, False])
    )
    return label, a, b


def discordant() -> Discordant:
    label, a, b = t2()
    bins = [Bins(np.array([0]), accepts.astype(np.uint32)) for accepts in (a, b)]
    at = np.array([0]), np.array([0])
    return pair_discordants(pair_outcomes(label, *bins), at).column(0)


def weighted_differences(m: int, *, by_class: bool) -> np.ndarray:
    label, a, b = t2()
    units = trial_units(label, ("all", "test"), by_class=by_class)
    index = np.array([0])
    bins = {
        ((name, "0"), "op"): BinnedCells(cells_of(units, label, None, accepts.astype(np.int64), 2), index)
        for name, accepts in (("a", a), ("b", b))
    }
    drawn = resample(Task(units, bins, {}, 1), m, SerialExecutor()).errors
    hter = MEASURES["hter"]
    return (drawn[("a", "0"), "op"].values(hter) - drawn[("b", "0"), "op"].values(hter))[:, 0]


@settings(max_examples=40)
@given(*[st.integers(0, 9)] * 4, st.integers(10, 40), st.integers(10, 60))
def test_p19_exact_moments_are_the_plug_in_standard_error(n10, n01, t10, t01, more_targets, more_nontargets):
    """Methods, property P19, to 1e-12: mean D and variance SE^2 of the exact stratified bootstrap distribution."""
    d = Discordant(n10, n01, t10, t01, t10 + t01 + more_targets, n10 + n01 + more_nontargets)
    support, chance = exact_distribution(d)
    values = support / (2 * d.n_target * d.n_nontarget)
    mean = float(chance @ values)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(float(difference(d, *HALVES)), abs=1e-12)
    variance = float(chance @ (values - mean) ** 2)
    assert variance == pytest.approx(float(standard_error(d, *HALVES)) ** 2, abs=1e-12)


def test_weights_on_trials_drawn_by_class_are_the_exact_bootstrap():
    """T2 (methods 8.6): SE .0148912070, percentile p .0230163, the mass at 0; within 4 standard errors."""
    m = 20_000
    drawn = weighted_differences(m, by_class=True)
    support, chance = exact_distribution(discordant())
    values = support / (2 * sum(T2_TARGETS) * sum(T2_NONTARGETS))
    assert drawn.std() == pytest.approx(0.0148912070, rel=4 / np.sqrt(2 * m))
    at_zero = float(chance[support == 0].sum())
    assert at_zero == pytest.approx(0.00123730, abs=5e-8)
    assert (np.abs(drawn) < 1e-12).mean() == pytest.approx(at_zero, abs=4 * np.sqrt(at_zero / m))
    for cut in np.quantile(drawn, [0.05, 0.3, 0.5, 0.7, 0.95]):
        exact = float(chance[values <= cut + 1e-12].sum())
        assert (drawn <= cut + 1e-12).mean() == pytest.approx(
            exact, abs=4 * np.sqrt(exact * (1 - exact) / m) + 1e-4
        )
    assert intervals.percentile_p(drawn) == pytest.approx(0.0230163, abs=4 * np.sqrt(0.023 / m) + 2 / m)


def test_weights_drawn_without_classes_have_the_unstratified_spread():
    """Methods 8.6: SE .01491 at 4e5 draws."""
    assert weighted_differences(20_000, by_class=False).std() == pytest.approx(
        0.01491, rel=4 / np.sqrt(40_000)
    )


def test_p18_the_mean_of_replicates_of_a_linear_measure_is_its_value():
    label, a, b = t2()
    m = 20_000
    for accepts in (a, b):
        bins = Bins(np.array([0]), accepts.astype(np.uint32))
        drawn = resample_model(outcomes(label, bins), 1, ("x",), m, by_class=True).values(MEASURES["hter"])
        value = ((label & ~accepts).sum() / label.sum() + (~label & accepts).sum() / (~label).sum()) / 2
        assert drawn.mean() == pytest.approx(value, abs=4 * drawn.std() / np.sqrt(m))


def test_p35_every_trial_twice_halves_the_variance_and_leaves_the_value(tmp_path):
    rng = np.random.default_rng(1)
    rows = []
    for model, shift in (("a", 1.6), ("b", 1.2)):
        noise = rng.normal(size=240)
        for i in range(240):
            label, split = i % 3 == 0, ("dev", "test")[i % 2]
            score = round(float(noise[i] + shift * label), 1)
            rows.append({"model": model, "split": split, "trial": f"{i}", "label": label, "score": score})
    table = pl.DataFrame(rows)
    test = table.filter(split="test")
    twice = pl.concat([table, test.with_columns(trial=pl.col("trial") + "again")])
    config = "measures: [hter, auc]\ncriteria: [min_hter]\nepc: none"
    settings_ = "significance.replicates=6000", "significance.comparisons=given_thresholds"
    once, again = (
        frames_from(tmp_path / name, frame, config, *settings_)["comparisons"].sort("measure")
        for name, frame in (("once", table), ("twice", twice))
    )
    np.testing.assert_allclose(once["difference"], again["difference"], atol=1e-12)
    width = [(frame["ci_high"] - frame["ci_low"]).to_numpy() for frame in (once, again)]
    np.testing.assert_allclose(width[0] / width[1], np.sqrt(2), rtol=0.06)


def test_p36_neither_rows_nor_threads_change_a_byte(tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        {
            "model": model, "split": split, "trial": f"{split}{i}", "label": i % 3 == 0, "who": f"{i % 11}",
            "score": round(float(rng.normal() + (i % 3 == 0)), 1),
        }
        for model in "abc" for split in ("dev", "test") for i in range(60)
    ]  # fmt: skip
    table = pl.DataFrame(rows)
    for config in (
        "epc: {alphas: 5}",
        "trials: {source: trials.parquet, columns: {cluster: who}}\nepc: none",
    ):
        folder = tmp_path / config[:3]
        plain = frames_from(folder, table, config)
        shuffled = frames_from(folder, table.sample(fraction=1, shuffle=True, seed=3), config)
        with ThreadExecutor(3) as pool:
            threads = built_from(folder / "report.yaml", "significance.replicates=99", pool=pool).frames
        wanted = {name: _bytes(frame, tmp_path / "x.parquet") for name, frame in plain.items()}
        for other in (shuffled, threads):
            for name, frame in other.items():
                assert _bytes(frame, tmp_path / "x.parquet") == wanted[name], name


def _bytes(frame: pl.DataFrame, path: Path) -> bytes:
    frame.write_parquet(path)
    return path.read_bytes()
