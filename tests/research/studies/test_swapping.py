"""The size of the swap test, briefly here and at length with -m long; ``swapping.md`` has the figures."""

import numpy as np
import pytest

from tests.research.studies.comparing import SMALL
from tests.research.studies.models import runs
from tests.research.studies.swapping import PAIRS, equal_mean, swapped, swapping_study, unequal


def rejected(n, **settings):
    study = swapping_study(99)
    made = [swapped(rng, asked, SMALL, **settings) for rng, asked in runs(study, 5, 0, n)]
    return {
        f"{measure} @ {criterion}": np.mean([one[f"{measure} @ {criterion}: swap"] for one in made])
        for measure, criterion in PAIRS
    }


@pytest.mark.long
def test_equal_models_are_rejected_as_often_as_the_level_says():
    """400 runs: .05 within three standard errors of .011."""
    for row, share in rejected(400).items():
        assert 0.01 < share < 0.09, row


@pytest.mark.long
@pytest.mark.parametrize("row", [("hter", "min_hter"), ("hter", "eer"), ("hter", "target_far")])
def test_models_of_equal_value_and_other_shapes(row):
    """Targets N(2, 1) and N(mean, 1.5^2): not exchangeable, and rejected hardly more often."""
    share = rejected(300, draw=unequal, mean=equal_mean(row, 1.5), sd=1.5)[f"{row[0]} @ {row[1]}"]
    assert 0.01 < share < 0.11
