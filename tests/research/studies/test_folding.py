"""The size of the swap test at thresholds across folds; ``folding.md`` has the figures."""

import numpy as np
import pytest

from tests.research.studies.folding import CELLS, ROWS, sizes


@pytest.mark.long
def test_equal_models_are_rejected_as_often_as_the_level_says():
    """400 runs: .05 within three standard errors of .011; thresholds held reject far more often."""
    found = sizes(next(iter(CELLS)), 0, 400)
    swap, held = (
        {row: np.mean([one[f"{row}: {test}"] for one in found]) for row in ROWS} for test in ("swap", "held")
    )
    for row in ROWS:
        assert 0.01 < swap[row] < 0.09, row
        assert held[row] > swap[row] + 0.03, row
