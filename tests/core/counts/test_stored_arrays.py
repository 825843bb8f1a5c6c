"""Large arrays on disk: the same frames to the byte."""

import numpy as np
import pytest
from from_config import frames_from

from reporting.base.execution import array_store as shelves
from reporting.base.execution.array_store import (
    IN_MEMORY,
    ArrayStore,
    StoredArray,
    StoredArrays,
    opened,
)
from reporting.core.counts import count as counting
from reporting.core.counts.cuts import ShelvedCuts, count_cuts, shelved


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(shelves, "LARGE_ARRAY", 1)
    monkeypatch.setattr(counting, "LARGE_MODEL", 1)


def test_small_arrays_stay_in_memory(tmp_path):
    small = np.arange(10)
    assert ArrayStore(tmp_path).keep(small) is small
    assert not list(tmp_path.iterdir())


def test_what_finds_no_room_in_memory_goes_to_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(shelves, "ROOM", 20_000)
    store, array, small = ArrayStore(tmp_path), np.arange(1000), np.arange(10)
    kept = [store.keep(array) for _ in range(4)]
    assert [isinstance(each, StoredArray) for each in kept] == [False, False, True, True]
    assert store.keep(small) is small


def test_without_a_folder_everything_stays(everything_is_large):
    array = np.arange(10)
    assert IN_MEMORY.keep(array) is array


def test_a_large_array_comes_back_read_only(everything_is_large, tmp_path):
    array = np.array([1.5, -np.inf, np.inf])
    kept = ArrayStore(tmp_path).keep(array)
    assert isinstance(kept, StoredArray)
    np.testing.assert_array_equal(opened(kept), array)
    with pytest.raises(ValueError, match="read-only"):
        opened(kept)[0] = 2
    held = StoredArrays({"a": kept, "b": array})
    assert list(held) == ["a", "b"]
    assert len(held) == 2
    np.testing.assert_array_equal(held["a"], held["b"])


def test_shelved_cuts_are_the_cuts(everything_is_large, tmp_path):
    rng = np.random.default_rng(3)
    cuts, _ = count_cuts(np.round(rng.normal(size=500), 1), rng.random(500) < 0.3)
    away = shelved(cuts, ArrayStore(tmp_path))
    assert isinstance(away, ShelvedCuts)
    for name in ("score", "n_target", "n_nontarget", "hull"):
        ours, theirs = getattr(away, name), getattr(cuts, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(away.staircase.misses, cuts.staircase.misses)
    assert (away.totals, away.trials) == (cuts.totals, cuts.trials)
    for ours, theirs in zip(away.errors(np.arange(5)), cuts.errors(np.arange(5)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_cuts_that_find_no_room_as_a_whole_are_shelved_though_one_array_would(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    cuts, _ = count_cuts(rng.normal(size=1000), rng.random(1000) < 0.3)
    monkeypatch.setattr(shelves, "ROOM", 2 * cuts.score.nbytes)
    away = shelved(cuts, ArrayStore(tmp_path))
    assert isinstance(away, ShelvedCuts)
    np.testing.assert_array_equal(away.staircase.misses, cuts.staircase.misses)


def table():
    rng = np.random.default_rng(4)
    for model in ("a", "b", "c"):
        for i in range(120):
            yield {
                "model": model,
                "split": "dev" if i % 2 else "test",
                "trial": f"t{i:03d}",
                "label": bool(i % 3 == 0),
                "score": float(np.round(rng.normal() + (i % 3 == 0), 1)),
                "sex": "fm"[i % 4 // 2],
            }


CONFIG = "significance: {replicates: 60}\nby: [sex]\ncurves: [roc, det, pr]\nmeasures: [hter, auc, eer_rocch, ap_step]\n"


def test_frames_are_the_same_to_the_byte(tmp_path, monkeypatch, everything_is_large):
    away = frames_from(tmp_path / "away", list(table()), CONFIG, shelf=ArrayStore(_made(tmp_path / "shelf")))
    assert any((tmp_path / "shelf").iterdir())
    monkeypatch.undo()
    here = frames_from(tmp_path / "here", list(table()), CONFIG)
    assert away.keys() == here.keys()
    for name, frame in here.items():
        assert frame.equals(away[name], null_equal=True), name


def _made(folder):
    folder.mkdir()
    return folder


def test_sets_with_the_same_scores_have_staircases_of_their_own(everything_is_large, tmp_path):
    """Files that other processes open bear the hash of their bytes: equal scores are one file."""
    store, score = ArrayStore(tmp_path, hashed=True), np.arange(6.0)
    first, second = (shelved(count_cuts(score, label)[0], store) for label in (score > 2, score < 3))
    assert first.staircase.misses.tolist() == [0, 0, 0, 0, 1, 2, 3]
    assert second.staircase.misses.tolist() == [0, 1, 2, 3, 3, 3, 3]
