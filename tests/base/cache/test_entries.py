"""Fingerprints tell values apart; entries give back what was put there, or nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from reporting.base.cache.cache import Damaged, pieces, read
from reporting.base.cache.fingerprint import fingerprint


@dataclass(frozen=True)
class Point:
    x: float


@dataclass(frozen=True)
class Other:
    x: float


def half(value):
    return value / 2


def third(value):
    return value / 3


ZEROS = np.zeros((2, 3))
APART = [
    (), (None,), (0,), (False,), (0.0,), ("",), (b"",), ("0",), ("a", "b"), ("ab",), ("a, 'b",), (("a",), "b"), (("a", "b"),),
    (ZEROS,), (ZEROS.T,), (ZEROS.ravel(),), (ZEROS.astype(np.int64),), (ZEROS + 1,), (ZEROS, ZEROS), (np.float64(0),),
    (sparse.csr_array(ZEROS),), (sparse.csr_array(ZEROS + 1),), ({"a": 1},), ({"a": 2},), ({"b": 1},), ([1],), ([1, 1],),
    (Point(1),), (Point(2),), (Other(1),), (half,), (third,), (partial(half, 1),), (partial(half, 2),), (partial(third, 1),),
    (partial(half, value=1),), (partial(half, ZEROS),),
]  # fmt: skip


def test_values_that_differ_have_fingerprints_that_differ():
    assert len({fingerprint(*values) for values in APART}) == len(APART)


def test_a_fingerprint_is_the_same_in_every_process_and_layout_of_memory():
    assert fingerprint("a", 1) == hashlib.sha256(b"('sequence', 2)('str', 'a')('int', 1)").hexdigest()
    assert fingerprint(np.arange(6).reshape(2, 3)) == fingerprint(
        np.asfortranarray(np.arange(6).reshape(2, 3))
    )


@pytest.mark.parametrize(
    "value", [lambda: 1, object(), {1, 2}, np.array([object()]), Point, partial(lambda: 1), iter(())]
)
def test_what_cannot_be_told_has_no_fingerprint(value):
    with pytest.raises(TypeError, match="has no fingerprint"):
        fingerprint(value)


def written(path, key, **found):
    path.write_bytes(b"".join(pieces(key, found)))
    return path


KINDS = st.sampled_from(["<f8", "<i8", "<i4", "|u1", "|b1"]).map(np.dtype)


@given(st.data(), KINDS)
def test_an_entry_gives_back_values_types_shapes_and_the_order_of_axes(tmp_path_factory, data, kind):
    array = data.draw(arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)))
    axes = data.draw(st.permutations(range(array.ndim)))
    turned = array.transpose(axes)
    path = written(
        tmp_path_factory.getbasetemp() / "entry",
        "k",
        a=array,
        turned=turned,
        part=array[..., :1] if array.ndim else array,
    )
    found = read(path, "k")
    assert list(found) == ["a", "turned", "part"]
    for name, expected in (("a", array), ("turned", turned)):
        np.testing.assert_array_equal(found[name], expected, strict=True)
        assert found[name].strides == expected.strides or array.size < 2 or 1 in array.shape
        assert found[name].flags.writeable
    np.testing.assert_array_equal(found["part"], array[..., :1] if array.ndim else array, strict=True)


def test_an_entry_that_is_cut_off_or_changed_anywhere_is_damaged(tmp_path):
    path = written(tmp_path / "entry", "k", a=np.arange(5.0), b=np.array(True))
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        with pytest.raises(Damaged):
            read(path, "k")
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(Damaged):
            read(path, "k")


def test_an_entry_under_the_name_of_another_is_damaged(tmp_path):
    path = written(tmp_path / "entry", "k", a=np.arange(5.0))
    with pytest.raises(Damaged):
        read(path, "l")


def test_objects_are_not_kept():
    with pytest.raises(TypeError, match="objects"):
        list(pieces("k", {"a": np.array([object()])}))
