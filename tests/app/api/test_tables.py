"""Trial tables made of arrays: both forms by hand, what they become, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import score_lists

import reporting
from reporting import trial_table
from reporting.errors import ConfigError, DataError


def test_labels_with_scores_of_two_models():
    table = trial_table([1, 0, 1], {"A": [3, 1, 2], "B": [0.5, 0.25, np.nan]}, speaker=["x", "y", "x"])
    assert table.rows() == [
        ("A", "test", "0", True, 3.0, "x"),
        ("A", "test", "1", False, 1.0, "y"),
        ("A", "test", "2", True, 2.0, "x"),
        ("B", "test", "0", True, 0.5, "x"),
        ("B", "test", "1", False, 0.25, "y"),
        ("B", "test", "2", True, pytest.approx(np.nan, nan_ok=True), "x"),
    ]
    assert table.columns == ["model", "split", "trial", "label", "score", "speaker"]


def test_scores_of_two_classes():
    table = trial_table(
        targets=[2, 3], nontargets=[1], model="mine", split="dev", trial=["a", "b", "c"], dataset="d"
    )
    assert table.rows() == [
        ("mine", "dev", "a", True, 2.0, "d"),
        ("mine", "dev", "b", True, 3.0, "d"),
        ("mine", "dev", "c", False, 1.0, "d"),
    ]


def test_models_of_unequal_numbers_get_no_keys():
    equal = trial_table(targets={"A": [1, 2], "B": [2, 3]}, nontargets={"A": [0], "B": [1]})
    assert equal["trial"].to_list() == ["0", "1", "2"] * 2
    unequal = trial_table(targets={"A": [1, 2], "B": [2]}, nontargets={"A": [0], "B": [1, 0]})
    assert "trial" not in unequal.columns


def test_keys_are_padded_so_that_text_order_is_row_order():
    keys = trial_table(np.arange(101) % 2, np.arange(101))["trial"]
    assert keys.to_list() == sorted(keys) == [f"{k:03d}" for k in range(101)]


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1.0, 0.0, 1.0]),
        ["target", "nontarget", "target"],
        ["1", "0", "1"],
        pl.Series([True, False, True]),
        (1, 0, 1),
    ],
)
def test_labels_may_be_written_as_the_contract_has_them(labels):
    assert trial_table(labels, [1, 2, 3])["label"].to_list() == [True, False, True]


@given(st.data())
def test_the_auc_is_the_share_of_ordered_pairs(data):
    """Mann and Whitney's count, exactly, of tied scores."""
    targets, nontargets = data.draw(score_lists()), data.draw(score_lists())
    pairs = [(t, n) for t in targets for n in nontargets]
    area = sum(Fraction(2 * (t > n) + (t == n), 2) for t, n in pairs) / len(pairs)
    table = trial_table(targets=targets, nontargets=nontargets)
    labels = [True] * len(targets) + [False] * len(nontargets)
    assert table.equals(trial_table(labels, {"A": targets + nontargets}))
    found = reporting.metrics(table, ["auc"], intervals=False)
    assert found["value"].item() == pytest.approx(float(area), abs=1e-12)


def test_splits_and_clusters_reach_the_comparison():
    rng = np.random.default_rng(1)
    y = np.tile([1, 0, 0, 1], 40)
    a, b = y + rng.normal(size=160).round(1), y + rng.normal(size=160).round(1)
    split = np.where(np.arange(160) < 80, "dev", "test")
    table = trial_table(y, {"A": a, "B": b}, split=split, cluster=np.arange(160) // 4)
    found = reporting.compare(table, "A", ["hter"], ["min_hter"], significance={"replicates": 99})
    assert set(found["unit"]) == {"cluster"}
    assert set(found["n_units"]) == {20}
    assert found["status"].null_count() == len(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [1, 0], "scores": {"A": [1, 2], "B": [1, 2, 3]}}, "scores['B'] (reporting.trial_table): 3 scores for the 2 labels of y_true"),
        ({"y_true": [1, np.nan, np.nan], "scores": [1, 2, 3]}, "y_true (reporting.trial_table): 2 of 3 labels are missing; first at index 1"),
        ({"y_true": ["1", None], "scores": [1, 2]}, "y_true (reporting.trial_table): 1 of 2 labels are missing; first at index 1"),
        ({"y_true": [1, -1, -1], "scores": [1, 2, 3]}, "y_true (reporting.trial_table): 2 of 3 labels are neither true, 1 or target nor false, 0 or nontarget; first '-1' at index 1; name the label of targets, pos_label='-1' or pos_label='1'"),
        ({"y_true": [[1], [0]], "scores": [1, 2]}, "y_true (reporting.trial_table): expected one value per trial, shape (N,), found shape (2, 1)"),
        ({"y_true": [1, 0], "scores": ["x", 1]}, "scores (reporting.trial_table): expected numbers, found 'x'"),
        ({"y_true": [1, 0], "scores": 3}, "scores (reporting.trial_table): expected one value per trial, shape (N,), found one value"),
        ({"y_true": [1, 0], "scores": {}}, "scores (reporting.trial_table): expected at least one model, found none"),
        ({"y_true": [1, 0], "scores": [1, 2], "trial": ["a"]}, "trial (reporting.trial_table): 1 value for 2 trials"),
        ({"targets": {"A": [1]}, "nontargets": {"B": [0]}}, "targets, nontargets (reporting.trial_table): model 'A', 'B' is in only one of them"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_told(arguments, message):
    with pytest.raises(DataError) as caught:
        trial_table(**arguments)
    assert caught.value.faults == (message,)


@pytest.mark.parametrize(
    "arguments", [{}, {"y_true": [1]}, {"scores": [1]}, {"targets": [1]}, {"y_true": [1], "scores": [1], "targets": [1], "nontargets": [0]}]
)  # fmt: skip
def test_one_of_both_forms_is_expected(arguments):
    with pytest.raises(ConfigError, match="expected either y_true and scores, or targets and nontargets"):
        trial_table(**arguments)


def test_the_label_is_no_further_column():
    with pytest.raises(ConfigError, match="label .*leave it out"):
        trial_table([1], [1], label=[1])
