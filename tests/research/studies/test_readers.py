"""The level of comparisons of means over readers."""

import pytest

from tests.research.studies.readers import STRUCTURES, rejected_and_covered


@pytest.mark.long
def test_equal_tests_are_rejected_as_often_as_the_level_says():
    """1,000 tables of five readers under Roe and Metz's model: .05 within three standard errors."""
    shares = rejected_and_covered(STRUCTURES["high, low"], readers=5, cases=50, runs=1000)
    assert 0.029 < shares.rejected < 0.071
