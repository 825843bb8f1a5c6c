"""The AUC of few trials of a class, in few tables: the reported interval holds, DeLong's alone does not."""

from __future__ import annotations

import math

import pytest

from tests.research.studies.areas import independent

TABLES = 300


@pytest.mark.parametrize(
    ("shape", "sizes", "area"),
    [
        ("equal spread", (3, 300), 0.95),
        ("five grades", (5, 500), 0.95),
        ("rare class spreads twice", (10, 100), 0.95),
    ],
)
def test_the_reported_interval_holds_where_delongs_does_not(
    shape: str, sizes: tuple[int, int], area: float
) -> None:
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / TABLES)
    held = {method: of[0] for method, of in independent(shape, sizes, area, TABLES).items()}
    assert held["DeLong"] < least < held["reported"]
