"""The numbers of a validated prediction model as by ``rms::val.prob`` (Harrell), ``glm`` and ``loess`` of R.

rms, which alone would install 150 packages of Debian, ran once; R makes its numbers again from its own functions.
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
d <- read.csv(file("stdin"))
odds <- qlogis(d$p)
ranks <- wilcox.test(d$p[d$y == 1], d$p[d$y == 0], exact = FALSE)$statistic
gap <- abs(pmin(pmax(fitted(loess(y ~ p, data = d)), 0), 1) - d$p)
line <- abs(approx(lowess(d$p, d$y, iter = 0), xout = d$p, ties = mean)$y - d$p)
numbers <- c(auc = ranks[[1]] / sum(d$y) / sum(1 - d$y), brier = mean((d$p - d$y)^2), oe_ratio = sum(d$y) / sum(d$p),
  calibration_intercept = coef(glm(y ~ offset(odds), binomial, d, epsilon = 1e-14))[[1]],
  calibration_slope = coef(glm(y ~ odds, binomial, d, epsilon = 1e-14))[[2]],
  ici = mean(gap), e50 = median(gap), e90 = quantile(gap, .9)[[1]], emax = max(gap), eci = 100 * mean(gap^2),
  lowess_emax = max(line), lowess_e90 = quantile(line, .9)[[1]], lowess_mean = mean(line))
cat(paste(names(numbers), format(numbers, digits = 17)), sep = "\\n")
"""
VAL_PROB = {
    "auc": 0.78354152367879204,
    "brier": 0.17287079285714285,
    "calibration_slope": 0.77123000958623245,
    "lowess_emax": 0.063291434298734392,
    "lowess_e90": 0.056718112155041134,
    "lowess_mean": 0.032945141574237072,
}
"""What ``val.prob(p, y)`` of rms 6.5-0 gives for these rows: its C (ROC), Brier, Slope, Emax, E90 and Eavg."""


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
    printed = printed_by_r(SCRIPT, "R", text)
    in_r = {name: float(value) for name, value in map(str.split, printed.splitlines())}
    assert {name: in_r[name] for name in VAL_PROB} == pytest.approx(VAL_PROB, abs=1e-7)  # slope: its own stop
    own = dict(frames["metrics"].filter(split="test").select("measure", "value").iter_rows())
    for measure, value in own.items():
        assert value == pytest.approx(in_r[measure], abs=1e-9), measure
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
