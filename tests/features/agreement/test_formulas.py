import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from discordant_counts import T2, counts, discordant
from hypothesis import given
from sklearn.metrics import cohen_kappa_score

from reporting.features.agreement.frame import agreement


def test_agreement_of_t2_by_hand():
    """Both accept 150 targets and 18 non-targets; one alone 34 and 50; neither 16 and 732."""
    found = agreement(T2)
    assert found[:4] == (150 + 732, 8 + 34, 26 + 16, 16 + 18)
    alike, first, second = Fraction(916, 1000), Fraction(192, 1000), Fraction(228, 1000)
    assert (first, second) == (Fraction(150 + 8 + 18 + 16, 1000), Fraction(150 + 26 + 18 + 34, 1000))
    chance = first * second + (1 - first) * (1 - second)
    assert found.alike == pytest.approx(float(alike), abs=1e-15)
    assert found.kappa == pytest.approx(float((alike - chance) / (1 - chance)), abs=1e-15)


def decisions(c):
    """Label and both decisions of every trial."""
    patterns = [(label, a, b) for label in (0, 1) for a, b in ((0, 0), (1, 0), (0, 1), (1, 1))]
    return np.repeat(np.array(patterns), c, axis=0).T


@given(counts())
def test_agreement_is_that_of_the_trials_one_by_one(c):
    label, a, b = decisions(c)
    found, back = agreement(discordant(c)), agreement(discordant([c[i] for i in (0, 2, 1, 3, 4, 6, 5, 7)]))
    right = [(a == label) & (b == label), (a == label) & (b != label), (a != label) & (b == label)]
    assert found[:3] == tuple(map(np.sum, right))
    assert sum(found[:4]) == sum(c)
    assert found.alike == np.mean(a == b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where all is in one cell
        assert found.kappa == pytest.approx(cohen_kappa_score(a, b), abs=1e-12, nan_ok=True)
    assert back == pytest.approx([found[i] for i in (0, 2, 1, 3, 4, 5)], nan_ok=True, abs=1e-15)


@given(counts())
def test_a_model_agrees_wholly_with_itself(c):
    alone = [c[0], 0, 0, c[3], c[4], 0, 0, c[7]]
    found = agreement(discordant(alone))
    rejected, accepted = alone[0] + alone[4], alone[3] + alone[7]
    assert (found.first_right, found.second_right) == (0, 0)
    if rejected and accepted:
        assert (found.alike, found.kappa) == (1, 1)
    else:
        assert math.isnan(found.kappa)
        assert found.alike == 1 or rejected + accepted == 0
