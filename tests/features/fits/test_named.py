"""Fits by name: what they return on counts, and why they return nothing."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from reporting.core.counts.cuts import Cuts, count_cuts
from reporting.core.engine.curves import Fit
from reporting.errors import ConfigError
from reporting.features.fits.catalogue import FITS, read_fit
from reporting.features.fits.fitted import At, Fitted, fitted, share

TARGETS, NONTARGETS = [0.0, 2.0, 4.0, 6.0], [-3.0, -1.0, 1.0, 1.0]


def cuts_of(targets: list[float], nontargets: list[float]) -> Cuts:
    score = np.array([*targets, *nontargets], dtype=np.float64)
    label = np.arange(len(score)) < len(targets)
    return count_cuts(score, label)[0]


def curve(name: str, cuts: Cuts, dev: Cuts | None = None) -> Fitted:
    found = fitted(read_fit(name), cuts, dev)
    assert isinstance(found, Fitted), found
    return found


def at(threshold: float, misses: float = math.nan, false_alarms: float = math.nan) -> At:
    return At(np.array([threshold]), np.array([misses]), np.array([false_alarms]))


@pytest.mark.parametrize("key", FITS)
def test_a_name_reads_back(key: str) -> None:
    fit = FITS[key]
    assert read_fit(str(fit)) == fit
    changed = fit.at(prevalence=0.25, interval="bootstrap")
    assert read_fit(str(changed)) == changed
    assert changed.printed == f"{fit.label} (prevalence 0.25, bootstrap)"


def test_names_are_guessed_and_values_checked() -> None:
    with pytest.raises(ConfigError, match="'binormall' is not a fit; did you mean 'binormal'"):
        read_fit("binormall")
    with pytest.raises(ConfigError, match="transform=log: expected none or box_cox or yeo_johnson"):
        read_fit("binormal(transform=log)")
    with pytest.raises(ConfigError, match="prevalence=2 is outside"):
        read_fit("alpha_binormal(prevalence=2)")


def test_moments_by_hand() -> None:
    """Means 3 and -1/2; variances 5 and 2.75 by n, 20/3 and 11/3 by n - 1."""
    cuts = cuts_of(TARGETS, NONTARGETS)
    found = curve("binormal", cuts)
    assert found.a == pytest.approx(3.5 / math.sqrt(5), abs=1e-14)
    assert found.b == pytest.approx(math.sqrt(2.75 / 5), abs=1e-14)
    unbiased = curve("binormal(ddof=1)", cuts)
    assert unbiased.a == pytest.approx(3.5 / math.sqrt(20 / 3), abs=1e-14)
    assert unbiased.b == pytest.approx(found.b, abs=1e-14)
    far, frr = found.rates(at(1.0))
    assert far[0] == pytest.approx(norm.sf(1.5 / math.sqrt(2.75)), abs=1e-14)
    assert frr[0] == pytest.approx(norm.cdf(-2 / math.sqrt(5)), abs=1e-14)
    assert [rate[0] for rate in found.rates(at(-math.inf))] == [1, 0]
    assert [rate[0] for rate in found.rates(at(math.inf))] == [0, 1]


def test_both_binormal_fits_are_one_curve_and_two_shares() -> None:
    cuts = cuts_of(TARGETS, NONTARGETS[:3])
    one, other = curve("binormal", cuts), curve("alpha_binormal", cuts)
    assert (one.a, one.b) == (other.a, other.b)
    assert share(FITS["binormal"], cuts) == (0.5, 0.0)
    assert share(FITS["alpha_binormal"], cuts) == (
        pytest.approx(4 / 7),
        pytest.approx(math.sqrt(4 / 7 * 3 / 7 / 7)),
    )


@pytest.mark.parametrize(
    ("targets", "nontargets", "name", "status"),
    [
        ([], NONTARGETS, "binormal", "no_targets"),
        (TARGETS, [], "binormal_ordinal", "no_nontargets"),
        ([math.inf, *TARGETS], NONTARGETS, "binormal", "infinite_scores"),
        (TARGETS, [-math.inf, *NONTARGETS], "binormal(transform=yeo_johnson)", "infinite_scores"),
        (TARGETS, NONTARGETS, "binormal(transform=box_cox)", "not_positive"),
        ([1.0, 1.0], NONTARGETS, "binormal", "degenerate"),
        ([1.0], NONTARGETS, "alpha_binormal", "degenerate"),
        ([5.0, 6.0], NONTARGETS, "binormal_ordinal", "degenerate"),
    ],
)
def test_without_a_curve_there_is_a_status(
    targets: list[float], nontargets: list[float], name: str, status: str
) -> None:
    assert fitted(read_fit(name), cuts_of(targets, nontargets), None) == status


def test_a_transform_is_learnt_on_dev() -> None:
    rng = np.random.default_rng(3)
    dev = cuts_of(list(np.exp(rng.normal(1, 0.5, 400))), list(np.exp(rng.normal(0, 0.5, 400))))
    test = cuts_of(list(rng.normal(20, 1, 50)), list(rng.normal(17, 1, 50)))
    name = "binormal(transform=box_cox)"
    learnt = curve(name, test, dev).further["lambda"][0]
    assert learnt == pytest.approx(curve(name, dev).further["lambda"][0]) == pytest.approx(0, abs=0.15)
    assert abs(curve(name, test).further["lambda"][0] - learnt) > 0.3
    # log s of s about 20 is nearly a line: the curve is nearly that of the scores.
    assert curve(name, test, dev).a == pytest.approx(curve("binormal", test).a, rel=0.2)


@pytest.mark.parametrize("name", ["binormal", "binormal(transform=yeo_johnson)", "binormal_ordinal"])
def test_redrawn_curves_scatter_as_the_covariance_says(name: str) -> None:
    rng = np.random.default_rng(8)
    cuts = cuts_of(list(rng.normal(1.5, 1.3, 400)), list(rng.normal(0, 1, 500)))
    found = curve(name, cuts)
    a, b = found.redraw(np.random.default_rng(5), 1500)
    spread = np.cov(a, b)
    np.testing.assert_allclose(np.sqrt(np.diag(spread)), np.sqrt(np.diag(found.covariance)), rtol=0.1)
    assert spread[0, 1] == pytest.approx(found.covariance[0, 1], rel=0.35)
    assert a.mean() == pytest.approx(found.a, abs=0.05)


def test_only_a_fit_by_ranks_survives_a_bend() -> None:
    rng = np.random.default_rng(2)
    targets, nontargets = rng.normal(1, 1, 150), rng.normal(0, 1, 200)
    plain = cuts_of(list(targets), list(nontargets))
    bent = cuts_of(list(np.exp(targets)), list(np.exp(nontargets)))
    ranks = curve("binormal_ordinal", plain), curve("binormal_ordinal", bent)
    assert (ranks[0].a, ranks[0].b) == (ranks[1].a, ranks[1].b)
    assert abs(curve("binormal", plain).a - curve("binormal", bent).a) > 0.1


def test_a_fit_by_ranks_reads_rates_at_the_likeliest_place() -> None:
    """Counts that lie on the curve are read back as they are."""
    rng = np.random.default_rng(4)
    cuts = cuts_of(list(rng.normal(1.5, 1, 4000)), list(rng.normal(0, 1, 4000)))
    found = curve("binormal_ordinal", cuts)
    far = 0.2
    frr = norm.cdf(-(found.a + found.b * norm.ppf(far)))
    read = found.rates(at(math.nan, 4000 * frr, 4000 * far))
    assert [rate[0] for rate in read] == [pytest.approx(far, abs=1e-6), pytest.approx(frr, abs=1e-6)]


def test_the_catalogue_is_complete() -> None:
    for fit in FITS.values():
        assert isinstance(fit, Fit)
        assert fit.definition
        assert fit.source
        assert fit.family in ("moments", "ranks")


@pytest.mark.parametrize("transform", ["box_cox", "yeo_johnson"])
def test_powers_of_scores_far_from_zero_keep_their_digits(transform: str) -> None:
    """Against exact arithmetic at the same power; plain powers of 1000 to the -5 have none left."""
    rng = np.random.default_rng(1)
    noise = np.concatenate([rng.gumbel(size=300) + 1.5, rng.gumbel(size=500)])
    score = np.round(1000 + 10 * noise, 3)
    cuts = cuts_of(list(score[:300]), list(score[300:]))
    found = curve(f"binormal(transform={transform})", cuts)
    lam = Fraction(found.further["lambda"][0])
    assert lam == -5
    exact = [-float((1 / (Fraction(str(s)) + (transform == "yeo_johnson")) ** 5) * 10**15) for s in score]
    targets, nontargets = np.array(exact[:300]), np.array(exact[300:])
    assert found.a == pytest.approx((targets.mean() - nontargets.mean()) / targets.std(), rel=1e-9)
    assert found.b == pytest.approx(nontargets.std() / targets.std(), rel=1e-9)


def test_a_threshold_below_all_that_can_be_transformed_accepts_all() -> None:
    rng = np.random.default_rng(9)
    cuts = cuts_of(list(np.exp(rng.normal(1, 1, 50))), list(np.exp(rng.normal(0, 1, 50))))
    found = curve("binormal(transform=box_cox)", cuts)
    assert [rate[0] for rate in found.rates(at(-1.0))] == [1, 0]
    assert [rate[0] for rate in found.rates(at(0.0))] == [1, 0]


@pytest.mark.parametrize(("grades", "joined"), [(10, False), (20, True), (300, False)])
def test_grades_that_are_joined_are_flagged(grades: int, joined: bool) -> None:
    """Ten categories hold 10 grades and join 20; 300 different scores are no grades."""
    targets = [float(i) for i in range(grades) for _ in range(1 + i % 3)]
    nontargets = [float(i) for i in range(grades) for _ in range(1 + (grades - i) % 4)]
    flags = curve("binormal_ordinal(categories=10)", cuts_of(targets, nontargets)).flags
    assert ("joined_grades" in flags) == joined
