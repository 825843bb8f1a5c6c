"""Values and gaps of groups, held against fairlearn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from build import build
from fairlearn.metrics import (
    MetricFrame,
    equalized_odds_difference,
    false_negative_rate,
    false_positive_rate,
)
from sklearn.metrics import accuracy_score, precision_score

from reporting.features.groups.disparities import DISPARITIES
from reporting.features.groups.group_metrics import GROUP_METRICS

FAIRLEARN = {
    "far": false_positive_rate,
    "frr": false_negative_rate,
    "accuracy": accuracy_score,
    "precision": precision_score,
}


def test_fairlearn_has_the_same_groups_and_gaps(tmp_path: Path) -> None:
    draw = np.random.default_rng(8)
    n = 900
    group, label = draw.choice(list("abc"), n, p=[0.5, 0.3, 0.2]), draw.random(n) < 0.4
    score = np.round(label + draw.normal(0, 0.7, n) + 0.2 * (group == "c"), 1)  # ties
    rows = [
        {"model": "M", "trial": f"{at}", "split": "test", "label": bool(y), "score": float(s), "group": g}
        for at, (y, s, g) in enumerate(zip(label, score, group, strict=True))
    ]
    config = (
        "criteria: ['fixed(threshold=0.5)']\nprimary: {measure: far, criterion: 'fixed(threshold=0.5)'}\n"
    )
    across = f"across: {{columns: group, measures: [{', '.join(FAIRLEARN)}]}}"
    report = build(tmp_path, rows, config + across, "epc=none", "thresholds.policy=none", "curves=[]")
    frame = MetricFrame(
        metrics=FAIRLEARN, y_true=label, y_pred=score >= 0.5, sensitive_features={"group": group}
    )
    for row in report.rows(GROUP_METRICS):
        theirs = frame.by_group.loc[row.group_values[0], row.measure]
        assert row.value == pytest.approx(theirs), (row.group, row.measure)
    gaps = {(row.measure, row.statistic): row.value for row in report.rows(DISPARITIES)}
    largest, smallest = frame.group_max(), frame.group_min()
    ranges, ratios = frame.difference(method="between_groups"), frame.ratio(method="between_groups")
    for measure in FAIRLEARN:
        assert gaps[measure, "maximum"] == pytest.approx(largest[measure])
        assert gaps[measure, "minimum"] == pytest.approx(smallest[measure])
        assert gaps[measure, "range"] == pytest.approx(ranges[measure])
        # Theirs is the smallest over the largest.
        assert gaps[measure, "ratio"] == pytest.approx(1 / ratios[measure])
    odds = equalized_odds_difference(label, score >= 0.5, sensitive_features=group)
    assert gaps[None, "equalised_odds"] == pytest.approx(odds)
