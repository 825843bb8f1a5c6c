"""A rate has the clusters of its own class: those of the other class neither withhold nor widen it."""

import numpy as np
import pytest
from build import build
from scipy.stats import t as student

from reporting.core.measures.catalogue import read_measure
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.transfer import TRANSFER
from reporting.features.abstention.frame import ABSTENTION
from reporting.features.groups.group_metrics import GROUP_METRICS

CONFIG = """
trials: {source: trials.parquet, columns: {cluster: speaker, dataset: dataset}}
measures: [hter, far, frr, specificity, recall, precision, auc]
criteria: [eer]
epc: none
baseline: a
significance: {comparisons: given_thresholds}
"""
OF_NONTARGETS, OF_TARGETS = {"far", "specificity"}, {"frr", "recall"}
CLUSTERS = 15


def table(dataset, of_targets):
    """Non-targets equally over fifteen clusters; ``of_targets`` in the first."""
    rng, rows = np.random.default_rng([3, len(dataset)]), []
    for split in ("dev", "test"):
        speaker = np.r_[
            np.where(np.arange(60) < of_targets, 0, np.arange(60) % CLUSTERS), np.arange(150) % CLUSTERS
        ]
        common = rng.normal(size=210)
        for model, apart in (("a", 1.0), ("b", 2.0)):
            label = np.arange(210) < 60
            scores = np.round(common + 0.7 * rng.normal(size=210) + apart * label, 2)
            rows += [
                {
                    "model": model,
                    "dataset": dataset,
                    "split": split,
                    "trial": f"{dataset}{split}{at}",
                    "label": bool(label[at]),
                    "score": float(scores[at]),
                    "speaker": f"{dataset}{split}{speaker[at]}",
                }
                for at in range(210)
            ]
    return rows


def read(folder, of_targets):
    return build(folder, table("x", of_targets) + table("yy", of_targets), CONFIG)


def shown(built, frame, **where):
    rows = [
        row for row in built.rows(frame) if all(getattr(row, name) == value for name, value in where.items())
    ]
    assert rows
    return rows


def test_targets_in_one_cluster_leave_false_alarms_their_limits(tmp_path):
    built = read(tmp_path, 48)
    for row in shown(built, METRICS, split="test", inference="given_thresholds"):
        has = row.measure in OF_NONTARGETS
        assert (row.ci_low is not None, "too_few_clusters" in row.flags) == (has, not has), row
    for row in shown(built, COMPARISONS, inference="given_thresholds"):
        has = row.measure in OF_NONTARGETS
        expected = None if has else "too_few_clusters"
        assert (row.p_value is not None, row.status) == (has, expected), row
        assert ("too_few_clusters" in row.flags) != has
    own = {
        (row.dataset, row.model, row.criterion, row.measure): (row.ci_low, row.ci_high)
        for row in shown(built, METRICS, split="test")
        if row.inference
    }
    for row in shown(built, TRANSFER, over="threshold"):
        assert (row.low is not None) == (row.measure in OF_NONTARGETS), row
        if row.dev_dataset == row.test_dataset:
            assert (row.low, row.high) == own[row.test_dataset, row.model, row.criterion, row.measure]


def test_a_difference_of_false_alarms_does_not_see_how_targets_are_spread(tmp_path):
    """t with G - 1 = 14 degrees of freedom and the error of equal clusters, in either table."""
    equal, unequal = read(tmp_path / "equal", 0), read(tmp_path / "unequal", 30)
    kept = [
        {
            row.measure: row
            for row in shown(built, COMPARISONS, dataset="x", criterion="eer", inference="given_thresholds")
        }
        for built in (equal, unequal)
    ]
    for row in kept:
        far = row["far"]
        assert far.p_value == pytest.approx(2 * student.sf(abs(far.difference) / far.se, CLUSTERS - 1))
        assert "few_clusters" in far.flags
    first, second = ((row["far"].se, row["far"].ci_low, row["far"].p_value) for row in kept)
    assert first == second
    assert kept[0]["hter"].p_value != kept[1]["hter"].p_value


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("far", False),
        ("specificity", False),
        ("frr", True),
        ("recall", True),
        ("hter", None),
        ("precision", None),
        ("auc", None),
        ("f1", None),
        ("error_rate", None),
        ("weighted_error(alpha=0)", True),
        ("weighted_error(alpha=1)", False),
        ("weighted_error(alpha=0.5)", None),
    ],
)
def test_which_class_a_measure_counts(name, only):
    assert read_measure(name).one_class is only


def test_abstention_and_groups_ask_the_class_that_they_count(tmp_path):
    rows = [row | {"sex": "fm"[int(row["trial"][-1]) % 2]} for row in table("x", 48)]
    config = CONFIG + "across: sex\nabstention: {cost: {review: 0.1}}\n"
    built = build(tmp_path, rows, config)
    for frame in (ABSTENTION, GROUP_METRICS):
        kept = [
            row
            for row in built.rows(frame)
            if getattr(row, "quantity", getattr(row, "measure", "")) in ("far", "frr")
        ]
        assert {(row.ci_low is not None) for row in kept} == {True, False}
        for row in kept:
            measure = getattr(row, "quantity", None) or row.measure
            if row.value is not None and "rest" not in getattr(row, "group", ""):
                assert (row.ci_low is not None) == (measure == "far"), row
