"""Replicates of very many models, drawn for some at a time and kept on disk: the numbers are the same."""

import numpy as np
import pytest
from build import build
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from simulated_parts import rows_of

from reporting.base.execution import array_store
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore, StoredArray
from reporting.core.resampling import shelved
from reporting.core.resampling.bootstrap import Replicates
from reporting.core.resampling.shelved import ShelvedErrors, some_at_once

TWELVE = tuple("abcdefghijkl")
PLACE = ("a", "0"), "min_hter"


def test_stretches_hold_every_model_once_and_in_order(monkeypatch):
    monkeypatch.setattr(shelved, "AT_ONCE", 3)
    assert some_at_once(list("abcdefg"), 1000) == [list("abc"), list("def"), ["g"]]
    assert some_at_once(list("abc"), 1000) == [list("abc")]
    assert some_at_once([], 1000) == [[]]


def test_the_more_replicates_the_fewer_models_at_once():
    assert [len(stretch) for stretch in some_at_once(list(range(100)), 1000)] == [*[16] * 6, 4]
    assert {len(stretch) for stretch in some_at_once(list(range(100)), 10_000)} == {10}
    assert {len(stretch) for stretch in some_at_once(list(range(3)), 10**9)} == {1}


COUNTS = arrays(np.int32, (4, 3), elements=st.integers(0, 2**20))


@given(COUNTS, COUNTS, st.sampled_from(["C", "F"]), st.sampled_from([np.int32, np.int64]))
def test_errors_come_back_with_their_type_and_their_order_in_memory(misses, alarms, order, dtype):
    misses, alarms = (np.asarray(counts, dtype=dtype, order=order) for counts in (misses, alarms))
    sizes = np.full((4, 1), 300, dtype=dtype), np.full((4, 1), 70_000, dtype=dtype)
    errors = ShelvedErrors(IN_MEMORY)
    errors.update({PLACE: Replicates(misses, alarms, *sizes, redrawn=True)})
    (found,) = errors.values()
    assert list(errors) == [PLACE]
    assert found.redrawn
    for name, given_counts in (("misses", misses), ("false_alarms", alarms), ("n_nontarget", sizes[1])):
        back = getattr(found, name)
        assert back.dtype == dtype
        assert (back.flags.c_contiguous, back.flags.f_contiguous) == (
            given_counts.flags.c_contiguous,
            given_counts.flags.f_contiguous,
        )
        assert back.tolist() == given_counts.tolist()


def test_counts_take_as_few_bytes_on_disk_as_they_need(tmp_path):
    misses, alarms = np.full((2**19, 2), 255), np.full((2**19, 2), 256)
    errors = ShelvedErrors(ArrayStore(tmp_path))
    errors.update({PLACE: Replicates(misses, alarms, misses[:, :1], alarms[:, :1], redrawn=False)})
    by_size = sorted(file.stat().st_size // 2**20 for file in tmp_path.iterdir())
    assert by_size == [1, 1, 2]  # misses, n_nontarget and false alarms; n_target, of half a MB, stays
    assert errors[PLACE].false_alarms.dtype == np.int64
    assert (errors[PLACE].false_alarms == alarms).all()


@pytest.mark.parametrize(
    "overrides",
    [
        ("curves=[roc]", "primary.measure=auc", "by=[gender]"),
        ("trials.columns.cluster=speaker", "epc.measures=[hter]"),
        ("significance.correction=maxt", "significance.pairs=all", "epc.measures=[hter]"),
        ("baseline=c",),
    ],
    ids=["bands and groups", "clusters", "all pairs", "a baseline"],
)
def test_frames_are_those_of_all_models_at_once(tmp_path, monkeypatch, overrides):
    config = "measures: [hter, auc]\ncriteria: [min_hter]\ncurves: []\n"
    if not any(key.startswith(("curves", "epc")) for key in overrides):
        config += "epc: none\n"
    rows = rows_of(models=TWELVE, n=60)
    at_once = build(tmp_path / "at once", rows, config, *overrides).frames
    for name, value in (("ROOM", 0), ("SMALL_ARRAY", 0)):
        monkeypatch.setattr(array_store, name, value)
    monkeypatch.setattr(shelved, "AT_ONCE", 5)
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    built = build(tmp_path / "some at a time", rows, config, *overrides, shelf=ArrayStore(shelf))
    assert set(built.frames) == set(at_once)
    for name, frame in at_once.items():
        assert built.frames[name].equals(frame), name
    drawn = built.judged().drawn
    assert len(drawn.sweeps) == 12
    assert all(isinstance(held, StoredArray) for of in drawn.sweeps.values() for held in of._held.values())
    assert isinstance(drawn.errors, ShelvedErrors)
