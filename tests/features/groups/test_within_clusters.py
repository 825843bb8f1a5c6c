"""A group that is one cluster: its trials are the units, and the page says what its CI is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import build

from reporting.core.stats.intervals import wilson
from reporting.document.frames.metrics import METRICS
from reporting.features.groups.breakdowns import breakdowns


def _of_hospitals() -> list[dict[str, Any]]:
    """Three hospitals with 12 patients each, 6 of them ill; hospital ``h0`` misses one of the ill."""
    rows = []
    for at in range(3):
        for patient in range(12):
            ill = patient < 6
            score = 0.1 if (at, patient) == (0, 0) else 0.9 if ill else 0.2
            trial = {
                "trial": f"{at}-{patient}",
                "hospital": f"h{at}",
                "ward": "ab"[at > 0],
                "label": int(ill),
            }
            rows.append(trial | {"model": "m", "split": "test", "score": score + patient / 1000})
    return rows


CLUSTERED = (
    "trials: {source: trials.parquet, columns: {cluster: hospital}}\ncriteria: ['fixed(threshold=0.5)']\n"
)
CLUSTERED += "primary: {measure: frr, criterion: 'fixed(threshold=0.5)'}\nmeasures: [frr, auc]\nepc: none\n"


def test_within_one_cluster_the_trials_are_the_units(tmp_path: Path) -> None:
    by = "by: [hospital, ward]\nthresholds: {policy: none}\n"
    rows = build(tmp_path / "clusters", _of_hospitals(), CLUSTERED + by).rows(METRICS)
    alone = CLUSTERED.replace(", columns: {cluster: hospital}", "") + by
    independent = build(tmp_path / "trials", _of_hospitals(), alone).rows(METRICS)
    interval = {
        (r.group, r.measure): (r.ci_low, r.ci_high, r.ci_method, r.unit, r.n_units) for r in independent
    }
    for row in rows:
        if row.group.startswith("hospital=") or row.group == "ward=a":
            found = (row.ci_low, row.ci_high, row.ci_method, row.unit, row.n_units)
            assert found == interval[row.group, row.measure]
            assert row.unit == "trial"
            assert "within_cluster" in row.flags
            assert "few_clusters" not in row.flags
        else:
            assert row.unit in ("cluster", None)
            assert "within_cluster" not in row.flags
    (first,) = (
        r for r in rows if (r.group, r.measure, r.criterion) == ("hospital=h0", "frr", "fixed(threshold=0.5)")
    )
    low, high = wilson(1, 6, 0.95)
    assert first.value == pytest.approx(1 / 6)
    assert (first.ci_low, first.ci_high) == pytest.approx((low, high))


def test_the_page_says_what_a_ci_within_a_cluster_is_about(tmp_path: Path) -> None:
    built = build(tmp_path, _of_hospitals(), CLUSTERED + "by: [hospital]\nthresholds: {policy: none}\n")
    section = breakdowns(built.results)
    assert section is not None
    (table,) = section.blocks
    assert any("about that cluster alone" in note for note in table.notes)


@pytest.mark.parametrize("policy", ["kfold, folds: 3", "dev"])
@pytest.mark.parametrize("comparisons", ["procedure", "given_thresholds"])
def test_thresholds_chosen_elsewhere_are_chosen_over_clusters(
    tmp_path: Path, policy: str, comparisons: str
) -> None:
    rows = _of_hospitals()
    if policy == "dev":
        rows += [row | {"split": "dev", "trial": f"dev {row['trial']}"} for row in rows]
    rows += [
        row | {"model": "n", "score": row["score"] ** 2 - row["score"] * (i % 5 == 0)}
        for i, row in enumerate(rows)
    ]
    config = CLUSTERED.replace("fixed(threshold=0.5)", "min_hter")
    by = f"by: [hospital]\nthresholds: {{policy: {policy}}}\nsignificance: {{comparisons: {comparisons}, replicates: 99}}\n"
    built = build(tmp_path, rows, config + by)
    within = [
        row
        for row in built.rows(METRICS)
        if row.group and row.split == "test" and row.criterion == "min_hter"
    ]
    assert {row.group for row in within} == {"hospital=h0", "hospital=h1", "hospital=h2"}
    for row in within:
        assert (row.unit, row.n_units) == ("trial", 12)
        assert row.ci_low is not None
        assert "within_cluster" in row.flags
