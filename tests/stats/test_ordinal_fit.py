import json
import math
import shutil
import subprocess

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import norm
from statsmodels.miscmodels.ordinal_model import OrderedModel
from tied import auc_se

from reporting.stats.ordinal import categories, cell_chances, fit_ordinal, fit_ordinals
from reporting.stats.staircase import group_ties

POSITIVE, NEGATIVE = [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]

ASAH = """
suppressMessages(library(pROC)); data(aSAH)
cat("label", as.integer(aSAH$outcome == "Poor"), "\\n")
for (name in c("wfns", "s100b", "ndka")) cat(name, sprintf("%.17g", as.numeric(aSAH[[name]])), "\\n")
"""

CLM = """
suppressMessages(library(ordinal))
for (table in list({tables})) {{
  J <- length(table) / 2
  d <- data.frame(y = factor(rep(1:J, 2), ordered = TRUE), x = rep(c(1, 0), each = J), w = table)
  m <- clm(y ~ x, scale = ~ x, weights = w, data = d, link = "probit",
           control = clm.control(gradTol = 1e-9, maxIter = 500))
  cat(sprintf("%.17g", c(coef(m), sqrt(diag(vcov(m))), logLik(m))), "\\n")
}}
"""


def r_numbers(script, missing):
    rscript = shutil.which("Rscript")
    ran = rscript and subprocess.run([rscript, "-e", script], capture_output=True, text=True, check=False)
    if not ran or ran.returncode:
        pytest.skip(f"{missing} is missing")
    return ran.stdout


def drawn(rng, a, b, n_target, n_nontarget, size=6):
    cuts = np.linspace(-1, 2, size - 1)
    bins = (
        np.searchsorted(cuts, z) for z in (rng.normal(a / b, 1 / b, n_target), rng.normal(size=n_nontarget))
    )
    return tuple(np.bincount(at, minlength=size) for at in bins)


def test_published_ratings(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["ct1982"]
    assert (known["pos"], known["neg"]) == (POSITIVE, NEGATIVE)
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    assert fit.status is None
    assert [fit.a, fit.b, fit.auc] == pytest.approx([known[k] for k in ("a", "b", "Az")], abs=2e-7)
    errors = np.sqrt(np.diag(fit.covariance))
    assert [*errors, auc_se(fit)] == pytest.approx([known[k] for k in ("a_se", "b_se", "Az_se")], abs=6e-7)
    assert fit.cuts == pytest.approx(known["cuts"], abs=6e-7)
    assert fit.loglik == pytest.approx(known["loglik"], abs=6e-7)


def test_published_test_of_fit_is_pearsons():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    assert (fit.chi_squared, fit.df) == (pytest.approx(0.2093, abs=5e-5), 2)
    assert fit.p_value == pytest.approx(math.exp(-fit.chi_squared / 2))
    saturated = sum(k * math.log(k / sum(counts)) for counts in (POSITIVE, NEGATIVE) for k in counts)
    assert 2 * (saturated - fit.loglik) != pytest.approx(0.2093, abs=5e-4)


def test_patients(shared):
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["asah"]["binormal_mle"]
    lines = (line.split() for line in r_numbers(ASAH, "pROC").splitlines())
    data = {name: np.array(numbers, dtype=float) for name, *numbers in lines}
    for name, expected in known.items():
        _, p, n, _ = group_ties(data[name], data["label"] == 1)
        fit = fit_ordinal(*categories(p, n, most=200)[:2])
        got = fit.a, fit.b, fit.auc, auc_se(fit)
        assert got == pytest.approx([expected[k] for k in ("a", "b", "Az", "se")], abs=2e-6)
        # 52 runs of ndka merged to 50: less than a thirtieth of a standard error.
        merged = fit_ordinal(*categories(p, n)[:2])
        assert (merged.a, merged.auc) == pytest.approx((fit.a, fit.auc), abs=auc_se(fit) / 30)


def test_two_points_are_met_exactly():
    p, n = [2, 3, 5], [6, 3, 1]
    fit = fit_ordinal(p, n)
    x, y = ndtri([0.4, 0.1]), ndtri([0.8, 0.5])
    b = (y[0] - y[1]) / (x[0] - x[1])
    assert (fit.b, fit.a) == pytest.approx((b, y[0] - b * x[0]))
    assert math.isnan(fit.chi_squared)


@pytest.mark.parametrize(
    ("p", "n"),
    [
        ([3, 4], [4, 3]),  # a single point
        ([0, 0, 0], [1, 2, 3]),  # an empty class
        ([0, 0, 2, 3], [3, 2, 0, 0]),  # separated
        ([0, 1, 2, 3], [3, 2, 0, 0]),  # separated up to one tie: all points on the axes
        ([3, 2, 1, 0], [0, 0, 2, 3]),  # separated, the wrong way
        ([3, 0, 4, 1], [0, 2, 0, 0]),  # the curve of a single place of the non-targets
        ([2, 0, 3], [1, 4, 2]),  # points beside each other: horizontal and vertical pieces fit exactly
        ([1, 4, 2], [2, 0, 3]),
        ([0, 3, 4, 0], [1, 1, 1, 1]),
        ([5], [5]),
        ([], []),
    ],
)
def test_no_finite_fit(p, n):
    fit = fit_ordinal(p, n)
    assert (fit.status, fit.iterations) == ("degenerate", 0)
    assert np.isnan(
        [fit.a, fit.b, fit.loglik, fit.auc, auc_se(fit), fit.p_value, *fit.cuts, *fit.covariance.ravel()]
    ).all()


def test_flat_likelihood_gives_no_number():
    # A finite fit exists, but any b from .5 to 2 is as likely within 1e-6.
    assert fit_ordinal([15, 224, 1, 0], [0, 10, 229, 1]).status == "degenerate"


def test_empty_categories_change_nothing():
    fit = fit_ordinal(POSITIVE, NEGATIVE)
    padded = fit_ordinal([0, 3, 2, 0, 0, 2, 11, 33, 0], [0, 33, 6, 0, 0, 6, 11, 2, 0])
    assert (padded.a, padded.b, padded.chi_squared, padded.df) == pytest.approx(
        (fit.a, fit.b, fit.chi_squared, 2)
    )
    first, second, third, fourth = fit.cuts
    assert padded.cuts == pytest.approx([-np.inf, first, second, second, second, third, fourth, np.inf])
    assert np.isnan(padded.cuts_se[[0, -1]]).all()
    of_targets, of_nontargets = cell_chances(padded)
    assert (of_targets.sum(), of_nontargets.sum()) == pytest.approx((1, 1))
    assert of_targets[[0, 3, 4, 8]].tolist() == [0] * 4


def test_as_by_cumulative_link_models():
    rng = np.random.default_rng(3)
    tables = [(POSITIVE, NEGATIVE), drawn(rng, 1.2, 1.4, 200, 150)]
    told = ", ".join(f"c({', '.join(str(count) for count in (*p, *n))})" for p, n in tables)
    lines = r_numbers(CLM.format(tables=told), "R package ordinal").splitlines()
    for (p, n), line in zip(tables, lines, strict=True):
        got = np.array(line.split(), dtype=float)
        size = len(p) - 1
        # There: P(y <= j) = Phi((c_j - mean x) / exp(scale x)), so that b = exp(-scale) and a = b mean.
        cuts, mean, scale, loglik = got[:size], got[size], got[size + 1], got[-1]
        fit = fit_ordinal(p, n)
        assert fit.cuts == pytest.approx(cuts, abs=1e-5)
        assert (fit.a, fit.b, fit.loglik) == pytest.approx(
            (mean * math.exp(-scale), math.exp(-scale), loglik), abs=1e-5
        )
        errors = got[size + 2 : -1]
        assert fit.cuts_se == pytest.approx(errors[:size], rel=1e-4)
        assert math.sqrt(fit.covariance[1, 1]) / fit.b == pytest.approx(errors[-1], rel=1e-4)


def test_probit_model_where_b_is_one():
    # A table whose points lie on a curve with b = 1: a model that imposes it fits no better and no worse.
    cuts, total = np.array([-0.5, 0.5, 1.0, 2.0]), 2000
    shares = [np.diff(ndtr([-np.inf, *(cuts - shift), np.inf])) for shift in (1.3, 0)]
    p, n = (np.round(share * total).astype(int) for share in shares)
    fit = fit_ordinal(p, n)
    y = np.concatenate([np.repeat(np.arange(5), counts) for counts in (p, n)])
    x = np.repeat([1.0, 0.0], [p.sum(), n.sum()])
    probit = OrderedModel(y, x[:, None], distr=norm).fit(method="bfgs", disp=False)
    assert fit.b == pytest.approx(1, abs=3e-3)
    assert fit.a == pytest.approx(probit.params[0], abs=3e-3)
    assert 0 <= fit.loglik - probit.llf < 1e-2


def test_coverage_of_the_area():
    rng = np.random.default_rng(11)
    tables = [drawn(rng, 1.5, 0.8, 60, 60) for _ in range(400)]
    fits = fit_ordinals(*np.array(tables).transpose(1, 0, 2))
    truth = ndtr(1.5 / math.hypot(1, 0.8))
    spread = np.hypot(1, fits.b)
    slope = norm.pdf(fits.a / spread)[:, None] * np.stack((1 / spread, -fits.a * fits.b / spread**3), axis=1)
    error = np.sqrt((slope[:, :, None] * fits.covariance * slope[:, None, :]).sum(axis=(1, 2)))
    area = ndtr(fits.a / spread)
    covered = np.abs(area - truth) <= 1.96 * error
    assert np.isfinite(error).mean() > 0.98
    assert 0.90 < covered[np.isfinite(error)].mean() < 0.98
    assert np.nanmean(area) == pytest.approx(truth, abs=0.006)
    assert np.nanmean(error) == pytest.approx(np.nanstd(area), rel=0.15)


def test_size_of_the_test_of_fit():
    rng = np.random.default_rng(5)
    fits = [fit_ordinal(*drawn(rng, 1, 0.9, 100, 100)) for _ in range(300)]
    p_values = np.array([fit.p_value for fit in fits if not math.isnan(fit.p_value)])
    assert len(p_values) > 150
    assert (p_values < 0.1).mean() == pytest.approx(0.1, abs=0.06)
