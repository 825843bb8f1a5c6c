"""The ringnorm example: sizes, law, the same bytes twice, and the config from table to report."""

import hashlib

import numpy as np
import polars as pl
import pytest

from configs.papers.hamel.data import SCORERS, trials
from configs.papers.hamel.ringnorm import bayes_auc, length_auc, sum_binormal
from reporting.core.stats import sweep
from reporting.core.stats.staircase import cumulate, group_ties


@pytest.fixture(scope="module")
def table():
    return trials()


def scores(table, **wanted):
    rows = table.filter(**wanted)
    return rows["score"].to_numpy(), (rows["label"] == "target").to_numpy()


def test_the_same_twice(table):
    assert table.equals(trials())
    digest = hashlib.sha256(table["score"].to_numpy().tobytes()).hexdigest()
    assert digest == hashlib.sha256(trials()["score"].to_numpy().tobytes()).hexdigest()
    assert table["score"].round(6).equals(table["score"])


def test_sizes(table):
    counted = table.group_by("dataset", "split", "model", "label").len()
    sizes = {row[:4]: row[4] for row in counted.rows()}
    assert set(sizes.values()) == {3700, 370}
    for model in SCORERS:
        assert sizes["equal", "dev", model, "nontarget"] == sizes["equal", "test", model, "nontarget"] == 3700
        assert sizes["tenth", "test", model, "nontarget"] == 370
        assert sizes["tenth", "test", model, "target"] == 3700
    assert ("tenth", "dev", "sum", "target") not in sizes


def test_a_tenth_is_part_of_the_whole(table):
    whole, kept = (table.filter(dataset=name, split="test").drop("dataset") for name in ("equal", "tenth"))
    key = ["model", "trial", "label", "score"]
    assert len(kept.join(whole, on=key, how="semi")) == len(kept)
    by_model = kept.filter(label="nontarget").group_by("model").agg(pl.col("trial").sort())
    assert by_model["trial"].n_unique() == 1


def test_the_law_is_ringnorm(table):
    """Within four standard errors, those of an AUC being below 1/2 / sqrt(3700)."""
    step = 4 / 20
    exact = {
        "five": bayes_auc(5 * step, 5),
        "six": bayes_auc(6 * step, 6),
        "others": bayes_auc(5 * step, 5),
        "all": bayes_auc(20 * step),
        "sum": sum_binormal(20 * step).auc,
        "square": length_auc(step, 1),
    }
    for split in ("dev", "test"):
        for model, area in exact.items():
            score, label = scores(table, dataset="equal", split=split, model=model)
            _, p, n, _ = group_ties(score, label)
            error = np.sqrt(area * (1 - area) / 3700)
            assert float(sweep.auc(*cumulate(p, n))) == pytest.approx(area, abs=4 * error)
    score, label = scores(table, dataset="equal", split="test", model="sum")
    assert score[~label].std() / score[label].std() == pytest.approx(2, abs=0.1)
    assert score[label].mean() == pytest.approx(2 * np.sqrt(20), abs=0.4)


def test_six_sees_what_five_sees_and_others_do_not(table):
    found = {m: scores(table, dataset="equal", split="test", model=m)[0] for m in ("five", "six", "others")}
    label = scores(table, dataset="equal", split="test", model="five")[1]
    for members in (label, ~label):
        near = np.corrcoef(found["five"][members], found["six"][members])[0, 1]
        far = np.corrcoef(found["five"][members], found["others"][members])[0, 1]
        assert near > 0.8
        assert abs(far) < 0.1
