"""The numbers of a validated prediction model as by ``rms::val.prob`` (Harrell), ``glm`` and ``loess`` of R.

``val.prob`` smooths by ``lowess`` without robustness iterations, a straight local line at fewer points; the report
uses ``loess``, as Austin and Steyerberg (2019) do, whose numbers R gives too. Both are right about their own curve: the
indices of the two differ by at most a percentage point or two here.
"""

import numpy as np
import pytest
from build import build
from in_r import printed_by_r
from sklearn.metrics import confusion_matrix

from reporting.document.frames.metrics import METRICS
from reporting.features.calibration_and_benefit.net_benefit_frame import NET_BENEFIT

ASKED = """
profile: stratos
thresholds: {policy: none}
models: {A: {scale: probability}}
measures: [auc, brier, oe_ratio, calibration_intercept, calibration_slope, ici, e50, e90, emax, eci]
curves: [calibration, decision, standardised_benefit]
"""
SCRIPT = """
suppressMessages(library(rms))
d <- read.csv(file("stdin"))
v <- val.prob(d$p, d$y, pl = FALSE)
odds <- qlogis(d$p)
gap <- abs(pmin(pmax(fitted(loess(y ~ p, data = d)), 0), 1) - d$p)
numbers <- c(auc = v[["C (ROC)"]], brier = v[["Brier"]], oe_ratio = sum(d$y) / sum(d$p),
  calibration_intercept = coef(glm(y ~ offset(odds), binomial, d))[[1]],
  calibration_slope = v[["Slope"]],
  ici = mean(gap), e50 = median(gap), e90 = quantile(gap, .9)[[1]], emax = max(gap), eci = 100 * mean(gap^2),
  lowess_emax = v[["Emax"]], lowess_e90 = v[["E90"]], lowess_mean = v[["Eavg"]])
cat(paste(names(numbers), format(numbers, digits = 17)), sep = "\\n")
"""


@pytest.fixture(scope="module")
def cohort():
    rng = np.random.default_rng(11)
    odds = rng.normal(-1, 1.2, 700)
    label = rng.random(700) < 1 / (1 + np.exp(-odds))
    return label, np.round(1 / (1 + np.exp(-1.4 * odds - 0.2)), 3).clip(0.001, 0.999)


@pytest.fixture(scope="module")
def frames(cohort, tmp_path_factory):
    rows = [
        {"trial": f"t{k}", "model": "A", "label": int(y), "score": p}
        for k, (y, p) in enumerate(zip(*cohort, strict=True))
    ]
    return build(tmp_path_factory.mktemp("cohort"), rows, ASKED).only(METRICS, NET_BENEFIT)


def test_every_measure_as_in_r(cohort, frames):
    text = "y,p\n" + "".join(f"{int(y)},{float(p)!r}\n" for y, p in zip(*cohort, strict=True))
    printed = printed_by_r(SCRIPT, "R or its package rms", text)
    in_r = {name: float(value) for name, value in map(str.split, printed.splitlines())}
    own = dict(frames["metrics"].filter(split="test").select("measure", "value").iter_rows())
    for measure, value in own.items():
        # Newton's method of glm stops at a relative change of 1e-8 of the deviance.
        assert value == pytest.approx(in_r[measure], abs=1e-6 if "calibration" in measure else 1e-9), measure
    for measure in ("emax", "e90"):
        assert own[measure] == pytest.approx(in_r[f"lowess_{measure}"], abs=0.03)
    assert own["ici"] == pytest.approx(in_r["lowess_mean"], abs=0.01)


def test_net_benefits_by_confusion_matrices(cohort, frames):
    label, p = cohort
    n, share = len(label), label.mean()
    for row in frames["net_benefit"].iter_rows(named=True):
        at, unit = row["probability"], share if row["standardised"] else 1
        (_, alarms), (_, hits) = confusion_matrix(label, p >= at)
        assert row["net_benefit"] == pytest.approx((hits / n - alarms / n * at / (1 - at)) / unit, abs=1e-12)
        assert row["treat_all"] == pytest.approx((share - (1 - share) * at / (1 - at)) / unit, abs=1e-9)
