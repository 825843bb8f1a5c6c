"""Every number of a drift check once more by SciPy, statsmodels and R, from the trials alone."""

import json

import numpy as np
import polars as pl
import pytest
from in_r import printed_by_r
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

import reporting
from reporting.features.handover.check import check_scores

CONFIG = """
trials: {source: trials.parquet, columns: {cluster: speaker}}
handover: true
criteria: ["target_far(far=0.25)"]
primary: {measure: frr, criterion: "target_far(far=0.25)"}
significance: {unit: UNIT}
curves: []
epc: none
report: {formats: [json]}
"""


def trials(seed, split, size=480, shift=0.0):
    """Normal scores with two decimals, a third of them targets, of 40 speakers that are alike."""
    rng = np.random.default_rng(seed)
    label, speaker = np.arange(size) % 3 == 0, np.arange(size) // 12
    score = rng.normal(size=size) + rng.normal(size=40)[speaker] + 2 * label + shift
    columns = {"label": label, "score": score.round(2), "speaker": speaker, "split": split}
    return pl.DataFrame({"model": "a", "trial": [f"{split}{seed}-{k}" for k in range(size)], **columns})


def checked(folder, unit, shift):
    """Return the test trials of a report, new ones, the threshold, and their check by quantity."""
    old, new = trials(2, "test"), trials(3, "test", 360, shift)
    pl.concat([trials(1, "dev"), old]).write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(CONFIG.replace("UNIT", unit))
    reporting.make_report(folder / "report.yaml", folder / "report")
    new.drop("split").write_parquet(folder / "new.parquet")
    handed = reporting.load_thresholds(folder / "report" / "thresholds.json")
    compared = check_scores(handed, [folder / "new.parquet"]).compared
    return old, new, handed.find().threshold, {each.quantity: each for each in compared}


def of_rate(rate, table, threshold):
    """Return whether each trial of a rate is counted, and its speaker."""
    label, accepted = table["label"].to_numpy(), table["score"].to_numpy() >= threshold
    among = {"alert_rate": label | True, "far": ~label, "frr": label, "precision": accepted}[rate]
    counted = {"alert_rate": accepted, "far": accepted, "frr": ~accepted, "precision": label}[rate]
    return counted[among].astype(float), table["speaker"].to_numpy()[among]


RATES = "alert_rate", "far", "frr", "precision"


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_trials_one_by_one(tmp_path, shift):
    old, new, threshold, compared = checked(tmp_path, "trial", shift)
    for rate in RATES:
        found, (before, _), (now, _) = (
            compared[rate],
            *(of_rate(rate, table, threshold) for table in (old, new)),
        )
        counts = int(now.sum()), len(now), int(before.sum()), len(before)
        assert min(counts[0], counts[2]) > 3, "few errors have other limits"
        assert found.difference == pytest.approx(now.mean() - before.mean())
        limits = confint_proportions_2indep(*counts, method="newcomb")
        assert (found.difference_low, found.difference_high) == pytest.approx(limits, abs=1e-12)
        square = [[counts[0], counts[1] - counts[0]], [counts[2], counts[3] - counts[2]]]
        tails = [stats.fisher_exact(square, alternative=side).pvalue for side in ("less", "greater")]
        assert found.p_value == pytest.approx(min(1, 2 * min(tails)), rel=1e-9)
    _gaps_are_those_of_scipy(compared["scores"], old, new)
    p = [each.p_value for each in compared.values()]
    adjusted = multipletests(p, method="holm")[1]
    assert [each.p_adjusted for each in compared.values()] == pytest.approx(adjusted, rel=1e-12)
    assert [each.drifted for each in compared.values()] == (adjusted <= 0.05).tolist()
    assert any(each.drifted for each in compared.values()) is bool(shift)


def _gaps_are_those_of_scipy(found, old, new):
    """The largest gap at twentieths of the test scores, and Kolmogorov's law at it."""
    before, now = (stats.ecdf(table["score"].to_numpy()) for table in (old, new))
    kept = np.quantile(old["score"], np.arange(1, 20) / 20, method="inverted_cdf")
    below = np.nextafter(kept, -np.inf)
    gaps = before.cdf.evaluate(below) - now.cdf.evaluate(below)
    assert found.difference == pytest.approx(gaps[np.abs(gaps).argmax()])
    size = len(old) * len(new) / (len(old) + len(new))
    assert found.p_value == pytest.approx(stats.kstwobign.sf(np.abs(gaps).max() * size**0.5), rel=1e-9)


def test_r_has_the_same_tails(tmp_path):
    """R's phyper of what is accepted among all that are, given the margins: Fisher's tails without SciPy."""
    old, new, threshold, compared = checked(tmp_path, "trial", 0.5)
    for rate in RATES:
        (before, _), (now, _) = (of_rate(rate, table, threshold) for table in (old, new))
        marked = before.sum() + now.sum()
        rest = len(before) + len(now) - marked
        text = printed_by_r(
            f"x <- {now.sum()}; cat(format(min(1, 2 * min(phyper(x, {marked}, {rest}, {len(now)}),"
            f" phyper(x - 1, {marked}, {rest}, {len(now)}, lower.tail=FALSE))), digits=15))",
            missing="R",
        )
        assert compared[rate].p_value == pytest.approx(json.loads(text), rel=1e-9)


def test_speakers_that_are_alike(tmp_path):
    """Trials are worth p (1 - p) / variance by the clustered covariance of statsmodels, and not more than there are.

    Ours are up to 5 % less: statsmodels divides by 1 - 1 / G, of clusters of unequal size too much (those of
    precision), and few errors count by how alike the scores are. p of a linear model with that covariance has
    normal tails in place of Fisher's with Student's t, and is smaller.
    """
    old, new, threshold, compared = checked(tmp_path, "cluster", 0.5)
    shares = {}
    for rate in RATES:
        found, sets = compared[rate], [of_rate(rate, table, threshold) for table in (old, new)]
        sizes = getattr(found.of.expected, rate).effective_trials, found.effective_trials
        for at, (size, (counted, speaker)) in enumerate(zip(sizes, sets, strict=True)):
            fit = OLS(counted, np.ones(len(counted))).fit(cov_type="cluster", cov_kwds={"groups": speaker})
            worth = counted.mean() * (1 - counted.mean()) / fit.bse[0] ** 2
            shares[rate, at] = size / min(worth, len(counted))
        (before, of_old), (now, of_new) = sets
        groups = np.concatenate([of_old, 1000 + of_new])
        design = np.column_stack([np.ones(len(groups)), np.arange(len(groups)) >= len(before)])
        fit = OLS(np.concatenate([before, now]), design).fit(cov_type="cluster", cov_kwds={"groups": groups})
        assert found.p_value > fit.pvalues[1]
    assert all(0.95 < share < 1 + 1e-9 for share in shares.values()), shares
    assert shares["alert_rate", 0] == pytest.approx(1, rel=1e-12)
    assert shares["frr", 0] == pytest.approx(1, rel=1e-12)
