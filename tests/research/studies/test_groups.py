"""Contrasts over groups, in few runs: what is printed covers, and the percentile interval of a range never does."""

from __future__ import annotations

import math

import pytest

from tests.research.studies.groups import COVERAGE, EQUAL, SimulatedDesign, study

RUNS = 80
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize(("speakers", "spanning"), [(0, False), (30, True), (30, False)])
def test_limits_cover_where_percentiles_do_not(speakers: int, spanning: bool) -> None:
    found = study(SimulatedDesign("equal", EQUAL, (240,) * 4, EQUAL, speakers, spanning), RUNS)
    assert {name: found[name] for name in COVERAGE if found[name] < LEAST} == {}
    assert found["a range claimed"] <= 1 - LEAST
    assert found["bias: range"] > 0.01
    assert found["percentile: range"] == found["percentile: Gini"] == 0.0
    assert found["percentile: largest"] < found["largest"]
