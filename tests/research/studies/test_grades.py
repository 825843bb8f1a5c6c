"""Mean scores, in few runs: limits hold with topics declared and do not without."""

from __future__ import annotations

import math

import pytest

from tests.research.studies.grades import GradedDesign, study

RUNS = 300
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize(
    "design", [GradedDesign("grades 0 to 5", 30), GradedDesign("partial credit", 100, 10)]
)
def test_limits_hold_where_topics_are_declared(design: GradedDesign) -> None:
    held = study(design, RUNS)
    assert min(held["mean"], held["difference"]) > LEAST
    assert (held["difference, items independent"] > LEAST) == (not design.topics)
