"""Success rates, in few runs: limits hold with families declared and do not without; grades at the threshold count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.research.studies.evals import EQUAL, THRESHOLD, SimulatedDesign, scores_of, study

RUNS = 150
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize("families", [0, 20])
def test_limits_hold_where_families_are_declared(families: int) -> None:
    found = study(SimulatedDesign("both .7", 200, EQUAL, families), RUNS)
    assert min(found["success rate"], found["difference"]) > LEAST
    assert found["claimed"] < 1 - LEAST
    if families:
        assert found["difference, items independent"] < LEAST
        assert found["claimed, items independent"] > 1 - LEAST


def test_the_success_rates_of_the_design_are_true() -> None:
    design = SimulatedDesign("unequal", 40_000, (0.7, 0.6), 2_000)
    scores = scores_of(design, design.units(), np.random.default_rng(1))
    rates = [float((score >= THRESHOLD).mean()) for score in scores]
    assert rates == pytest.approx(design.rates, abs=0.02)
    assert len(np.unique(scores[0])) <= 21  # ties
