"""Frames are sorted by their key, however they come."""

from typing import Annotated

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.base.records import dataclass
from reporting.document.frames import contract
from reporting.document.frames.contract import Frame, FrameRow


@dataclass(frozen=True, kw_only=True, slots=True)
class Placed(FrameRow):
    name: Annotated[str, "name"]
    place: Annotated[float | None, "place"]
    count: Annotated[int | None, "count"]


PLACED = Frame("placed", Placed, ("name", "place", "count"))

places = st.none() | st.sampled_from([-np.inf, -0.0, 0.0, 1.5, np.inf])
rows = st.tuples(st.sampled_from(["", "a", "b"]), places, st.none() | st.integers(-1, 1))


@given(st.lists(rows, min_size=2, max_size=4), st.integers(0, 3))
@settings(max_examples=100)
def test_a_frame_in_order_is_what_sorting_gives(drawn: list[tuple[object, ...]], at: int) -> None:
    parts = [pl.DataFrame([row], schema=PLACED.schema, orient="row") for row in drawn]
    expected = PLACED.stacked(parts)
    parts = [expected[each : each + 1] for each in range(len(expected))]
    parts.insert(at, parts.pop())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract, "MOST_COPIED", 0)
        assert PLACED.stacked(parts).equals(expected)


def test_a_large_frame_in_order_is_not_copied() -> None:
    count = np.arange(contract.MOST_COPIED + 1)
    frame = PLACED.of_columns([{"name": "a", "place": 1.0, "count": count}])
    assert np.shares_memory(PLACED.assembled([frame])["count"].to_numpy(), frame["count"].to_numpy())
    assert PLACED.of_columns([{"name": "a", "place": 1.0, "count": count[::-1]}]).equals(frame)
