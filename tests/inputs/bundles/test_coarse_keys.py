"""Coarse keys: floored in the total order of floats, never rounded towards zero."""

import math
import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reporting.core.stats.staircase import cumulate, group_ties
from reporting.inputs.spec import FEWEST_BITS, MOST_BITS
from reporting.inputs.values import coarse_key

BITS = st.integers(FEWEST_BITS, MOST_BITS)
SCORES = st.lists(st.floats(allow_nan=False), min_size=1, max_size=30)
GREATEST, LEAST = 1.7976931348623157e308, 5e-324


def keys(scores, bits):
    frame = pl.DataFrame({"score": pl.Series(scores, dtype=pl.Float64)})
    return frame.lazy().select(coarse_key(pl.col("score"), bits)).collect()["score"].to_numpy()


def in_python(score, bits):
    if math.isinf(score):
        return score
    place = struct.unpack("<q", struct.pack("<d", score + 0.0))[0]
    place = place if place >= 0 else -(place & (2**63 - 1)) - 1
    place = place // 2 ** (64 - bits) * 2 ** (64 - bits)
    raw = place if place >= 0 else (-place - 1) - 2**63
    return struct.unpack("<d", struct.pack("<q", raw))[0]


def same_bits(one, other):
    return np.asarray(one, dtype=np.float64).tobytes() == np.asarray(other, dtype=np.float64).tobytes()


@pytest.mark.parametrize(
    ("score", "key"),
    [
        (1.0, 1.0), (1.03, 1.0), (1.0625, 1.0625), (0.0, 0.0), (-0.0, 0.0), (LEAST, 0.0),
        (math.inf, math.inf), (-math.inf, -math.inf), (-GREATEST, -GREATEST),
        (-1.0, -math.nextafter(1.0625, 0)), (-1.03, -math.nextafter(1.0625, 0)),
        (-1.0625, -math.nextafter(1.125, 0)),
    ],
)  # fmt: skip
def test_sixteen_bits_keep_four_binary_digits(score, key):
    assert same_bits(keys([score], 16), [key])


@given(SCORES, BITS)
@example([-0.0, 0.0, LEAST, -LEAST, GREATEST, -GREATEST, 2.2250738585072014e-308], 16)
@example([1.0, math.nextafter(1.0, 2), math.nextafter(1.0, 0), -1.0, math.nextafter(-1.0, -2)], 63)
def test_keys_are_places_in_the_total_order_floored(scores, bits):
    assert same_bits(keys(scores, bits), [in_python(score, bits) for score in scores])


@given(SCORES, BITS)
def test_keys_never_lie_above_their_score_and_keep_the_order(scores, bits):
    scores = sorted(scores)
    found = keys(scores, bits)
    assert (found <= np.asarray(scores)).all()
    assert (found[:-1] <= found[1:]).all()
    assert (np.isfinite(found) == np.isfinite(scores)).all()


@given(SCORES, BITS, BITS)
def test_a_key_of_a_key_is_the_coarser_of_both(scores, one, other):
    once = keys(scores, min(one, other))
    assert same_bits(keys(keys(scores, one), other), once)
    assert same_bits(keys(once, min(one, other)), once)


@given(SCORES, SCORES, BITS)
def test_every_vertex_of_the_coarser_curve_is_a_point_of_the_exact_one(targets, nontargets, bits):
    score = np.array([*targets, *nontargets])
    label = np.array([True] * len(targets) + [False] * len(nontargets))
    exact, coarse = (
        set(zip(*map(tuple, cumulate(*group_ties(s, label)[1:3])), strict=True))
        for s in (score, keys(score, bits))
    )
    assert coarse <= exact
