"""Development and test differ: false alarms in at most 5 % of reports; briefly here, at length with -m long."""

import pytest

from tests.research.studies.drift import LEVEL, LEVELS, POWERS, Case, main, share


@pytest.mark.parametrize(
    "case",
    [
        Case("min_hter", 8, 200, 2000, d_prime=0.0),
        Case("min_hter", 4, 30, 30),
        Case("eer", 4, 400, 400, clusters=20),
        Case("min_hter", 4, 400, 400, clusters=20, shared=True),
    ],
    ids=lambda case: case.name,
)
def test_one_population_raises_few_alarms(case):
    """At .05 more than 9 of 80 have a chance of one in a hundred."""
    assert share(case, 0, 80).value <= 9 / 80


def test_scores_that_move_are_noticed():
    assert share(Case("min_hter", 4, 1000, 1000, clusters=50, shift=1.0), 0, 20).value == 1


def test_what_is_studied_spans_models_sizes_and_clusters():
    assert {case.models for case in LEVELS} == {2, 8}
    assert {case.clusters for case in LEVELS} == {0, 10, 30, 100}
    assert {case.shared for case in LEVELS} == {False, True}
    assert not any(case.shift for case in LEVELS)
    assert all(case.shift for case in POWERS)
    assert LEVEL == 0.05


@pytest.mark.long
def test_the_level_holds_everywhere():
    """Some minutes; ``python -m tests.research.studies.drift`` prints the same shares."""
    assert main(["--runs", "400"]) == 0
