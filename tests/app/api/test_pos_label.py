"""Labels of other words: ``pos_label`` names that of targets; further columns come with labels and scores."""

from __future__ import annotations

import pytest

import reporting
from reporting.errors import ConfigError, DataError

SICK = ["sick", "well", "well"] * 20
SCORES = [0.9, 0.4, 0.1] * 20


def test_labels_of_two_words_are_asked_for_the_target():
    with pytest.raises(DataError, match="name the label of targets, pos_label='sick' or pos_label='well'$"):
        reporting.trial_table(SICK, SCORES)


@pytest.mark.parametrize(
    ("labels", "pos_label"), [(SICK, "sick"), ([2, 1, 1] * 20, 2), ([0, 1, 1] * 20, 0), ([1] * 60, 1)]
)
def test_pos_label_is_that_of_targets(labels, pos_label):
    table = reporting.trial_table(labels, SCORES, pos_label=pos_label)
    assert table["label"].to_list() == [label == pos_label for label in labels]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (SICK, r"expected one of two labels of y_true, found 'ill' \(labels: 'sick', 'well'\)"),
        (["ill", "well", "dead"] * 20, r"expected one of two labels of y_true, found 'ill' \(labels: "),
        (["ill", None, "well"] * 20, "20 of 60 labels are missing; first at index 1"),
    ],
)
def test_what_is_no_label_of_two(labels, said):
    with pytest.raises(DataError, match=said):
        reporting.trial_table(labels, SCORES, pos_label="ill")


def test_pos_label_needs_labels():
    with pytest.raises(ConfigError, match="names a label of y_true, and there is none"):
        reporting.trial_table(targets=[1.0], nontargets=[0.0], pos_label="ill")


def test_a_column_of_another_name_serves_breakdowns():
    report = reporting.make_report(
        SICK,
        SCORES,
        pos_label="sick",
        gender=["f", "m", "m", "f"] * 15,
        by=["gender"],
        primary="auc",
        thresholds={"policy": "none"},
        significance={"replicates": 99},
    )
    assert {"gender=f", "gender=m"} <= {*report.frames["metrics"]["group"]}


def test_a_column_that_no_breakdown_names_may_be_a_slip():
    with pytest.raises(ConfigError, match="gender .*: unknown key"):
        reporting.make_report(SICK, SCORES, pos_label="sick", gender=["f", "m", "m", "f"] * 15)
    with pytest.raises(DataError, match="gender .*: 2 values for 60 trials"):
        reporting.make_report(SICK, SCORES, pos_label="sick", gender=["f", "m"], by=["gender"])
