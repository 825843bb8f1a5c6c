"""Members, counts and samples of a partition: fractions by hand, and one number with the breakdown."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from build import Built, build
from ranks_by_column import PLAIN, ranks_of
from scipy.stats import ttest_rel

from reporting.core.counts.ranks import Ranks
from reporting.core.engine.partition import (
    Partition,
    finite_values,
)
from reporting.core.measures.threshold import FAR, FRR
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS


def test_a_member_without_a_class_has_no_rate_of_it() -> None:
    ranks = ranks_of([1, 1, 0, 0], sex=list("ffmm"))
    every = Partition.of(ranks, ("sex",))
    counts = every.counts(np.ones(4, dtype=bool), ranks.label, None)
    assert np.isnan(finite_values(counts, FRR)).tolist() == [[False, True]]
    assert np.isnan(finite_values(counts, FAR)).tolist() == [[True, False]]


def test_members_of_one_class_share_the_trials_of_the_other() -> None:
    ranks = ranks_of([1, 1, 0, 0, 0], attack=["", "", "x", "y", "x"])
    every = Partition.of(ranks, ("attack",), {"attack": "nontarget"})
    assert every.values == [("x",), ("y",)]
    assert [each.tolist() for each in every.members] == [[0, 1, 2, 4], [0, 1, 3]]


def test_members_share_the_units_that_have_trials_in_both() -> None:
    ranks = ranks_of([1, 0, 1, 0], sex=list("abbc"))
    every = Partition.of(ranks, ("sex",))
    assert np.array_equal(every.shared(trial_units(ranks.label, ("d", "test"))), np.eye(3, dtype=bool))
    spanning = Ranks(
        ranks.label, np.array([0, 0, 1, 2], dtype=np.uint32), {}, paired=True, attributes=ranks.attributes
    )
    (units,) = cluster_units([spanning], ("d", "test"))
    assert every.shared(units).tolist() == [[True, True, False], [True, True, False], [False, False, True]]


MEANS = "averaged_over: group\nprimary: {measure: far, criterion: 'fixed(threshold=0)'}\ncriteria: ['fixed(threshold=0)']\nmeasures: [far, auc]\nby: [group]\n"  # fmt: skip


def _of_days(errors: dict[str, int], model: str = "M") -> list[dict[str, Any]]:
    """Return days of ten non-targets, some accepted at 0, and ten targets."""
    return [
        {"model": model, "trial": f"{day}{label}{at}", "split": "test", "label": label, "group": day}
        | {"score": 1.0 if label or at < n else -1.0}
        for day, n in errors.items()
        for label in (0, 1)
        for at in range(10)
    ]


def _mean_of(built: Built, measure: str = "far", model: str = "M") -> Any:
    (row,) = (
        r for r in built.rows(METRICS) if (r.group, r.measure, r.model) == ("mean(group)", measure, model)
    )
    return row


def test_a_mean_is_that_of_the_members_and_its_t_that_of_scipy(tmp_path: Path) -> None:
    first, second = {"a": 1, "b": 3, "c": 2, "d": 6}, {"a": 2, "b": 5, "c": 2, "d": 9}
    built = build(tmp_path, _of_days(first) + _of_days(second, "N"), MEANS, *PLAIN)
    assert _mean_of(built).value == pytest.approx(float(Fraction(1 + 3 + 2 + 6, 40)))
    groups = {
        row.group: row.value for row in built.rows(METRICS) if row.measure == "far" and row.model == "M"
    }
    assert _mean_of(built).value == pytest.approx(np.mean([groups[f"group={day}"] for day in first]))
    (row,) = (r for r in built.rows(COMPARISONS) if (r.group, r.measure) == ("mean(group)", "far"))
    sign = 1 if row.model == "M" else -1
    assert row.difference == pytest.approx(sign * float(Fraction(12 - 18, 40)))
    theirs = ttest_rel(list(first.values()), list(second.values()))
    assert (row.p_value, row.p_method, row.n_units) == (pytest.approx(theirs.pvalue), "t", 4)


@pytest.mark.parametrize("errors", [{"a": 0, "b": 0, "c": 0}, {"a": 2, "b": 2, "c": 2, "d": 2}, {"a": 3}])
def test_a_mean_of_equal_values_says_why_it_has_no_interval(tmp_path: Path, errors: dict[str, int]) -> None:
    row = _mean_of(build(tmp_path, _of_days(errors), MEANS, *PLAIN))
    assert (row.value, row.ci_low, row.ci_method) == (
        pytest.approx(next(iter(errors.values())) / 10),
        None,
        None,
    )
    assert row.flags == ["few_clusters", "values_alike"]


def test_a_mean_of_no_value_has_a_status(tmp_path: Path) -> None:
    rows = [row for row in _of_days({"a": 1, "b": 2}) if row["label"] or row["group"] == "z"]
    row = _mean_of(build(tmp_path, rows, MEANS, *PLAIN))
    assert (row.value, row.status, row.flags) == (None, "degenerate", [])
