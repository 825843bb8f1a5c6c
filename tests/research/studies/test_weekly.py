"""Weekly gates hold their errors: briefly here, at length with -m long."""

import numpy as np
import pytest

from tests.research.studies.weekly import (
    ERROR,
    FIRST_BAD,
    KINDS,
    LEVEL,
    Speakers,
    bounds,
    study,
    table,
    wrong_verdicts,
    year,
)


def test_a_few_series_see_the_regression_and_hardly_anything_else():
    series = [year(np.random.default_rng([3, k]), 10, FIRST_BAD) for k in range(12)]
    before = [o for one in series for kind in (one.plain, one.always) for o in kind[: FIRST_BAD - 1]]
    assert before.count("fail") <= 10
    assert sum("fail" in one.plain[FIRST_BAD - 1 :] for one in series) >= 10
    assert sum("fail" in one.always[FIRST_BAD - 1 :] for one in series) >= 9


def test_speakers_who_come_back_are_bet_on_once():
    same = Speakers(same=True)
    assert wrong_verdicts(same, 6, by_cluster=True) <= bounds(2 * ERROR, 6)
    assert wrong_verdicts(same, 6, by_cluster=False) > bounds(2 * ERROR, 6)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_years_of_speakers_keep_their_error(kind, margin):
    assert wrong_verdicts(KINDS[kind], 400, by_cluster=True, margin=margin) <= 2 * ERROR


@pytest.mark.long
def test_errors_of_weeks_and_of_years():
    found = study(150)
    said = table(found)
    for kind in ("plain", "always"):
        assert found.false_week[kind] <= bounds(1 - LEVEL, 150), said
    assert found.false_week["plain"] <= bounds(ERROR, 150 * 52), said
    assert found.false_year["always"] <= bounds(ERROR, 150), said
    assert found.false_year["plain"] > 0.5, said
    assert found.found_in_week["plain"] >= 0.9, said
    assert found.found_by["always"][-1] >= 0.9, said
