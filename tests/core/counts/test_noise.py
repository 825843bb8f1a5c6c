"""Noise on the counts of a bundle: OpenDP's law, which counts a file has, what noise adds to rates and areas."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2

from reporting.app.run.noising import _with_noise, noisy
from reporting.core.counts.noise import BinNoise, noise_in, noise_variance
from reporting.core.stats.confusion import Share, accuracy, precision
from reporting.errors import DataError
from reporting.inputs.bundle import About, Bundle, Noise, Read, content_of, summed

MODEL = ("a", "0")


@pytest.mark.parametrize("epsilon", [0.25, math.log(2), 1.7])
def test_draws_have_the_discrete_laplace_law(epsilon):
    draws = _with_noise(np.full((6000,), 7), epsilon) - 7
    a, most = math.exp(-epsilon), int(4 / epsilon)
    values = np.arange(-most, most + 1)
    expected = len(draws) * (1 - a) / (1 + a) * a ** abs(values)
    expected = np.append(expected, len(draws) - expected.sum())
    observed = np.append([(draws == value).sum() for value in values], (abs(draws) > most).sum())
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert chi2.sf(statistic, len(expected) - 1) > 1e-6


def test_draws_are_independent_and_follow_no_seed():
    np.random.seed(1)
    first = _with_noise(np.zeros(2000, dtype=np.int64), 0.5)
    np.random.seed(1)
    second = _with_noise(np.zeros(2000, dtype=np.int64), 0.5)
    assert (first != second).any()
    for one, other in ((first, second), (first[1:], first[:-1])):
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / math.sqrt(len(one))


def test_every_epsilon_is_kept():
    for epsilon in (0.001, 0.1, 0.7, 1 / 3, 1, 99.9):
        assert _with_noise(np.array([3]), epsilon).shape == (1,)


def bundle(rows, models="ab", read=1000):
    """A bundle of counts: (model, split, label, key, number of trials)."""
    scores = tuple((model, "0") for model in models)
    known = tuple(
        Read(model, "0", "all", split, read, 3, 2, 1, 1, 1) for model in models for split in ("dev", "test")
    )
    about = About("cuts", 40, scores, (), None, "dev", "error", "error", known, "", "0")
    frame = pl.DataFrame(rows, ["model", "split", "label", "key", "n"], orient="row")
    frame = frame.with_columns(
        pl.col("label").cast(pl.Boolean), pl.col("key").cast(pl.Float64), pl.col("n").cast(pl.Int64),
        run=pl.lit("0"), dataset=pl.lit("all"),
    )  # fmt: skip
    rows = summed(about, frame)
    return Bundle(replace(about, content=content_of(rows)), rows)


COUNTS = [
    ("a", "dev", 1, 0.5, 400), ("a", "dev", 0, -3.0, 500), ("a", "test", 1, 9.0, 300), ("a", "test", 0, -math.inf, 200),
    ("b", "dev", 1, 0.25, 400), ("b", "dev", 0, 0.75, 500), ("b", "test", 1, 1.0, 300), ("b", "test", 0, 0.0, 200),
]  # fmt: skip


def test_a_file_has_every_bin_and_nothing_else_of_the_rows():
    # At epsilon 100 noise is 0 but for 1 in 10^43 draws: the counts are those of the bins.
    file = noisy(bundle(COUNTS), Noise(100.0, 0.0, 1.0, 4), ())
    assert file.rows.height == 2 * 2 * 2 * 4
    cells = file.rows.group_by("model", "split", "label", maintain_order=True).agg("key", "n")
    assert cells["key"].to_list() == [[0.0, 0.25, 0.5, 0.75]] * 8
    assert dict(zip(cells.select("model", "split", "label").rows(), cells["n"].to_list(), strict=True)) == {
        ("a", "dev", False): [500, 0, 0, 0],
        ("a", "dev", True): [0, 0, 400, 0],
        ("a", "test", False): [200, 0, 0, 0],
        ("a", "test", True): [0, 0, 0, 300],
        ("b", "dev", False): [0, 0, 0, 500],
        ("b", "dev", True): [0, 400, 0, 0],
        ("b", "test", False): [200, 0, 0, 0],
        ("b", "test", True): [0, 0, 0, 300],
    }
    assert {(r.rows_read, r.n_unlabelled, r.n_missing, r.n_infinite) for r in file.about.read} == {
        (900, 0, 0, 0), (500, 0, 0, 0),
    }  # fmt: skip
    assert '"format": 2' in file.about.to_json()


def test_a_class_without_trials_has_bins_too():
    file = noisy(bundle([row for row in COUNTS if row[2] or row[1] == "dev"]), Noise(1.0, 0.0, 1.0, 4), ())
    assert file.rows.filter(split="test", label=False)["key"].len() == 8


def test_turned_models_have_turned_bins():
    file = noisy(bundle(COUNTS), Noise(100.0, 0.0, 1.0, 4), ("b",))
    keys = file.rows.filter(model="b")["key"].unique().sort()
    assert keys.to_list() == pytest.approx([-1.0, -0.75, -0.5, -0.25], rel=1e-8)  # floored to 40 bits


def test_noise_moves_counts_and_leaves_models_alike():
    file = noisy(bundle(COUNTS), Noise(0.1, 0.0, 1.0, 16), ())
    exact = noisy(bundle(COUNTS), Noise(100.0, 0.0, 1.0, 16), ())
    assert not file.rows.equals(exact.rows)
    assert file.rows["n"].min() >= 0
    totals = file.rows.group_by("model", "split", "label").agg(pl.col("n").sum())
    assert (totals.group_by("split", "label").agg(pl.col("n").n_unique())["n"] == 1).all()
    assert {r.rows_read for r in file.about.read} == set(
        totals.group_by("model", "split").agg(pl.col("n").sum())["n"]
    )


def test_bins_that_share_a_key_are_refused():
    whole = bundle([(model, split, 1, 1.0, 5) for model in "ab" for split in ("dev", "test")])
    coarse = replace(whole, about=replace(whole.about, bits=12))
    with pytest.raises(DataError, match="12 bits of a score do not separate so many bins from 1 to 2"):
        noisy(coarse, Noise(1.0, 1.0, 2.0, 64), ())


NOISE = BinNoise(4.0, {MODEL: np.array([0.0, 1, 2, 3])})


def test_what_noise_adds_to_rates_by_hand():
    # A FAR of 1/10 among 50 with one of four bins accepted: 4 ((9/10)^2 + 3 (1/10)^2) / 50^2 = 3.36 / 2500.
    far, frr = Share("fp", "nontarget"), Share("fn", "target")
    for threshold in (2.5, 3.0):
        assert NOISE.of_rate(MODEL, threshold, far, 0.1, 50) == pytest.approx(3.36 / 2500)
    # The misses of the same threshold lie in three bins: 4 (3 (9/10)^2 + (1/10)^2) / 50^2.
    assert NOISE.of_rate(MODEL, 2.5, frr, 0.1, 50) == pytest.approx(4 * 2.44 / 2500)
    # Precision has a bin of each class, accuracy all eight: one of targets, three of non-targets are right.
    assert NOISE.of_rate(MODEL, 2.5, precision, 0.25, 20) == pytest.approx(4 * (0.75**2 + 0.25**2) / 400)
    assert NOISE.of_rate(MODEL, 2.5, accuracy, 0.8, 100) == pytest.approx(4 * 4 * (0.2**2 + 0.8**2) / 10_000)
    # Two models share the total: less (w1 + 3 w2)^2 / 4 / 2 with weights 9/10 and -1/10 over 50.
    both = BinNoise(4.0, {**NOISE.keys, ("b", "0"): NOISE.keys[MODEL]})
    assert both.of_rate(MODEL, 2.5, far, 0.1, 50) == pytest.approx(4 * (0.84 - 0.6**2 / 8) / 2500)
    # With everything accepted FAR is 1 whatever the noise.
    assert NOISE.of_rate(MODEL, -1.0, far, 1.0, 50) == 0
    assert NOISE.of_trials == 16


def test_what_noise_adds_to_an_area_by_hand():
    # Targets 1 at 1 and 1 at 2, non-targets 2 at 1: placements of targets in the four bins 0, 1/2, 1, 1, of
    # non-targets 1, 3/4, 1/4, 0; AUC 3/4. Squares of distances: 9/16 + 1/16 + 1/16 + 1/16, 1/16 + 0 + 4/16 + 9/16.
    score, n_target, n_nontarget = np.array([1.0, 2]), np.array([1, 1]), np.array([2, 0])
    added = NOISE.of_area(MODEL, score, n_target, n_nontarget, 0.75)
    assert added == pytest.approx(4 * (12 / 16 / 4 + 14 / 16 / 4))


def test_noise_of_files_adds_up():
    first, second = (noisy(bundle(COUNTS), Noise(epsilon, 0.0, 1.0, 4), ()) for epsilon in (1.0, 0.5))
    assert noise_in(bundle(COUNTS)) is None
    alone = noise_in(first)
    pooled = noise_in(replace(first, parts=(first, second)))
    assert alone.variance == noise_variance(1)
    assert pooled.variance == noise_variance(1) + noise_variance(0.5)
    assert pooled.n_bins == 4
    # Two models share their totals, so the noise of these is halved.
    assert pooled.of_trials == pytest.approx(pooled.variance * 4 / 2)
