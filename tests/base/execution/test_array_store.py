"""Shared values on disk: whole, read-only, never unpickled where the hash is another."""

from __future__ import annotations

import pickle
import resource
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from fits_of_questions import FITS
from scipy import sparse

from reporting.base.execution.array_store import (
    LARGE,
    DamagedFile,
    UnseenFile,
    forget,
    get,
    give_back_memory,
    lent,
    put,
)
from reporting.base.execution.task import LARGE_RESULT, folder_errors, result_of, run_task
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from reporting.errors import OutputError

LONG = np.arange(LARGE, dtype=np.int64)


@pytest.fixture(autouse=True)
def _nothing_kept():
    forget()
    yield
    forget()


@pytest.mark.parametrize(
    "array",
    [
        LONG,
        LONG.reshape(256, -1),
        np.asfortranarray(LONG.reshape(256, -1)),
        LONG[::3],
        LONG.astype(np.float32),
        LONG % 2 == 0,
        LONG[:5],
    ],
    ids=["long", "rows", "columns", "strided", "float32", "bool", "short"],
)
def test_an_array_comes_back_as_it_was(tmp_path, array):
    found = get(put(("beside", array, {"again": array}), tmp_path))
    assert found[0] == "beside"
    np.testing.assert_array_equal(found[1], array)
    assert (found[1].dtype, found[1].shape) == (array.dtype, array.shape)
    assert found[1].flags.f_contiguous == np.ascontiguousarray(array).flags.f_contiguous or array.ndim == 2
    assert np.shares_memory(found[1], found[2]["again"])
    large = array.nbytes >= LARGE
    assert len(list(tmp_path.glob("*.npy"))) == large
    assert found[1].flags.writeable is not large


def test_sparse_tables_and_columns_of_text_have_files_of_their_own(tmp_path):
    text = pl.Series("trial", [f"key{k}" for k in range(LARGE // 4)])
    table = sparse.csr_array(np.tile(np.eye(100, dtype=np.int32), (100, 2)))
    found = get(
        put({"table": table, "text": text, "frame": text.to_frame(), "short": text.head(2)}, tmp_path)
    )
    assert (found["table"] != table).nnz == 0
    assert found["text"].equals(text, check_names=True)
    assert found["frame"].equals(text.to_frame())
    assert found["short"].equals(text.head(2))
    assert sorted({path.suffix for path in tmp_path.iterdir()}) == [".frame", ".npy", ".pickle", ".series"]


def test_columns_of_objects_and_plans_over_files_stay_in_the_pickle(tmp_path):
    objects = np.array(["x", None] * LARGE, dtype=object)
    pl.DataFrame({"a": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    plan = pl.scan_parquet(tmp_path / "a.parquet").filter(pl.col("a") > 1)
    found = get(put((objects, plan), tmp_path))
    assert found[0].tolist() == objects.tolist()
    assert found[1].collect()["a"].to_list() == [2]


def test_one_array_is_written_once(tmp_path):
    put([LONG, LONG, LONG.copy(), LONG + 1], tmp_path)
    assert len(list(tmp_path.glob("*.npy"))) == 2


@pytest.mark.parametrize("suffix", ["npy", "pickle"])
def test_a_file_that_was_changed_is_not_read(tmp_path, suffix):
    shelved = put((LONG, "x"), tmp_path)
    (file,) = tmp_path.glob(f"*.{suffix}")
    held = bytearray(file.read_bytes())
    held[-1] ^= 1
    file.write_bytes(held)
    with pytest.raises(DamagedFile, match=suffix):
        get(shelved)
    with pytest.raises(OutputError, match="does not hold what was written there"), folder_errors(tmp_path):
        get(shelved)


def test_a_file_that_is_not_there_is_told_with_the_key_that_names_the_folder(tmp_path):
    with lent(LONG, tmp_path) as shelved:
        pass
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UnseenFile, match="No such file"):
        get(shelved)
    with (
        pytest.raises(OutputError, match=r"^run.folder: a worker cannot read what the run has put into"),
        folder_errors(tmp_path),
    ):
        get(shelved)


def test_a_process_keeps_the_last_two_values(tmp_path):
    first, second, third = (put([number, LONG + number], tmp_path) for number in range(3))
    kept = get(first)
    assert get(second) is not kept
    assert get(first) is kept
    get(third)
    assert get(third)[0] == 2
    assert get(first) is not kept


def test_a_result_is_a_message_or_a_file_that_is_taken_away(tmp_path):
    with lent(2, tmp_path) as shared:
        assert isinstance(run_task(_times, shared, 21), bytes)
        assert result_of(run_task(_times, shared, 21)) == 42
        large = np.ones(LARGE_RESULT // 8)
        results = [run_task(_times, shared, large) for _ in range(2)]
        before = len(list(Path(shared.path).parent.iterdir()))
        for result in results:
            np.testing.assert_array_equal(result_of(result), 2 * large)
        assert len(list(Path(shared.path).parent.iterdir())) == before - 2
        again = run_task(_times, shared, large)
        Path(again.path).write_bytes(b"cos\nsystem\n(S'true'\ntR.")
        with pytest.raises(DamagedFile):
            result_of(again)
    assert list(tmp_path.iterdir()) == []


def _times(shared, item):
    return shared * item


@pytest.mark.parametrize("value", [*MEASURES.values(), *CRITERIA.values(), *FITS.values()], ids=str)
def test_every_measure_criterion_and_fit_travels(value):
    found = pickle.loads(pickle.dumps(value))
    assert found == value
    assert hash(found) == hash(value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process has in memory so")
def test_memory_that_was_freed_below_what_is_kept_is_given_back():
    def in_memory():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    arrays = [np.ones(2**13) for _ in range(2000)]  # 64 kB each, below what the C library maps apart
    kept = arrays[-1]
    full = in_memory()
    del arrays
    give_back_memory()
    assert full - in_memory() > 100e6
    assert kept.sum() == 2**13
