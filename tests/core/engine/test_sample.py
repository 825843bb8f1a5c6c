"""One sample for a run, and for the mean over runs: the same methods, the same reasons for none."""

import numpy as np
import pytest
from build import build

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.intervals import interval
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.sample import Question, sample
from reporting.core.measures.catalogue import read_measure
from reporting.document.frames.metrics import METRICS

HTER = read_measure("hter")


def rows(model, run, seed, n=40, scale=1.0):
    rng = np.random.default_rng(seed)
    return [
        {
            "model": model,
            "run": run,
            "split": split,
            "trial": f"{split}{i:03}",
            "label": "target" if i % 3 == 0 else "nontarget",
            "score": round(scale * float(1 / (1 + np.exp(-rng.normal(1.5 * (i % 3 == 0))))), 2),
        }
        for split in ("dev", "test")
        for i in range(n)
    ]


@pytest.mark.parametrize("runs", ["seed", "reader"])
def test_the_mean_of_one_run_has_the_interval_of_that_run(tmp_path, runs):
    trials = [*rows("a", "1", 1), *rows("a", "2", 2), *rows("b", "1", 3)]
    config = f"trials: {{source: trials.parquet, columns: {{run: run}}, runs: {runs}}}\nmeasures: [hter, far, auc]\ncriteria: [eer]\n"
    built = build(tmp_path, trials, config)
    of_b = [row for row in built.rows(METRICS) if row.model == "b" and row.split == "test"]
    alone, mean = ({(r.measure, r.criterion): r for r in of_b if r.run == run} for run in ("1", "mean"))
    known = [key for key in mean if key in alone]
    assert len(known) == 5
    for key in known:
        one, other = alone[key], mean[key]
        assert (one.ci_low, one.ci_high, one.ci_method) == (other.ci_low, other.ci_high, other.ci_method)


def test_a_mean_is_withheld_where_that_of_each_run_is(tmp_path):
    """Replicates of a rate where another is fixed that allows less than four errors cannot reach it."""
    trials = [*rows("a", "1", 1), *rows("a", "2", 2)]
    config = "trials: {source: trials.parquet, columns: {run: run}}\nmeasures: ['frr_at_far(far=0.1)', auc]\n"
    built = build(tmp_path, trials, config)
    withheld = [
        (row.run, row.ci_low, "interval_withheld" in row.flags)
        for row in built.rows(METRICS)
        if row.measure.startswith("frr_at_far") and row.split == "test"
    ]
    assert withheld == [(run, None, True) for run in ("1", "2", "mean")]


def test_a_model_without_a_threshold_has_a_sample_that_says_why(tmp_path):
    trials = [*rows("a", "1", 1, scale=10.0), *rows("b", "1", 2, scale=10.0)]
    built = build(tmp_path, trials, "measures: [hter, auc]\ncriteria: [eer]\n")
    judged = built.judged(0)
    (system, _), bayes = (
        models_with_runs(judged.models),
        read_criterion("bayes(p_target=0.5, c_miss=1, c_fa=1)"),
    )
    none = sample(system, Question(HTER, bayes), judged.drawn, judged.study)
    assert (none.status(), none.estimand, none.operations) == ("not_calibrated_scale", None, [])
    assert np.isnan(none.point).all()
    assert np.isnan(none.replicates).all()
    assert interval(none).method is None
