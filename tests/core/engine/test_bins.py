"""Replicates that see bins of very many scores: the same spread, at the same point."""

import numpy as np
import pytest
from from_config import frames_from, only

ASKED = (
    "significance: {replicates: 400, replicate_on: %s, bands: %s}\n"
    "measures: [hter, auc, eer_rocch, 'mindcf(p_target=0.1)', 'pauc(far_max=0.1)', ap_step,"
    " 'frr_at_far(far=0.02)', 'far_at_frr(frr=0.1)', 'sensitivity_at(specificity=0.98)']\n"
    "epc: {alphas: 3}\n"
)
READ_AT_A_RATE = "frr_at_far(far=0.02)", "far_at_frr(frr=0.1)", "sensitivity_at(specificity=0.98)"


def rows(n=6000):
    """Two models on trials of their own scores, hardly any two of them equal."""
    rng = np.random.default_rng(5)
    label, shared = rng.random(n) < 0.3, rng.normal(size=n)
    for model, lift in (("a", 1.6), ("b", 1.8)):
        score = label * lift + 0.7 * shared + 0.7 * rng.normal(size=n)
        for i in range(n):
            split = "dev" if i % 2 else "test"
            yield {
                "model": model,
                "split": split,
                "trial": f"t{i:05d}",
                "label": bool(label[i]),
                "score": score[i],
            }


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    table = list(rows())
    return {
        on: frames_from(tmp_path_factory.mktemp(on), table, ASKED % (on, "fixed_width"))
        for on in ("scores", "bins")
    }


@pytest.mark.parametrize(
    "measure", ["eer_rocch", "mindcf(p_target=0.1)", "pauc(far_max=0.1)", "auc", "ap_step", *READ_AT_A_RATE]
)
def test_intervals_and_comparisons_of_sweeps_are_nearly_the_same(seen, measure, monkeypatch):
    free, binned = (only(seen[on]["metrics"], split="test", model="b", measure=measure) for on in seen)
    assert free["value"] == binned["value"]
    width = free["ci_high"] - free["ci_low"]
    for limit in ("ci_low", "ci_high"):
        assert binned[limit] == pytest.approx(free[limit], abs=0.06 * width)
    free, binned = (only(seen[on]["comparisons"], measure=measure) for on in seen)
    assert free["difference"] == binned["difference"]
    assert binned["ci_low"] == pytest.approx(free["ci_low"], abs=0.06 * (free["ci_high"] - free["ci_low"]))


def test_bands_are_nearly_the_same(seen):
    free, binned = (seen[on]["bands"].filter(model="a").sort("p_fa") for on in seen)
    widths = [
        np.interp([0.05, 0.2, 0.5], f["p_fa"], f["p_miss_high"] - f["p_miss_low"]) for f in (free, binned)
    ]
    np.testing.assert_allclose(widths[1], widths[0], rtol=0.05)


def test_every_number_that_bins_touched_says_so(seen):
    rows = {on: seen[on]["metrics"].filter(split="test", model="a") for on in seen}
    flagged = {
        on: set(found.filter(found["flags"].list.contains("coarse_test"))["measure"])
        for on, found in rows.items()
    }
    binned = {"eer_rocch", "mindcf(p_target=0.1)", "pauc(far_max=0.1)", *READ_AT_A_RATE}
    assert flagged == {"scores": set(), "bins": binned}
    sweeps = seen["bins"]["comparisons"].filter(measure="eer_rocch")
    assert sweeps["flags"].to_list() == [["coarse_test"]]


def test_limits_at_thresholds_see_the_scores(tmp_path):
    frames = frames_from(tmp_path, list(rows(400)), ASKED % ("bins", "threshold"))
    assert not frames["metrics"]["flags"].explode().is_in(["coarse_test"]).any()
