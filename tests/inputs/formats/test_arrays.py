"""Arrays written by NumPy and SciPy are read value by value, and nothing in them is executed."""

from __future__ import annotations

import numpy as np
import pytest
from inputs.formats.opened import table
from scipy.io import savemat

from reporting.errors import DataError
from reporting.inputs.formats import whole

LABELS, SCORES = np.array([1, 0, 1, 1]), np.array([0.1, np.pi, -1e-300, 7.0])


def test_arrays_of_one_length_are_columns(tmp_path):
    words = np.array(["a", "é", "", "d"])
    np.savez(
        tmp_path / "v.npz", y=LABELS, p=SCORES, who=words, big=SCORES.astype(">f8"), model="ours", at=0.5
    )
    assert table(tmp_path / "v.npz") == {
        "y": LABELS.tolist(), "p": SCORES.tolist(), "who": words.tolist(), "big": SCORES.tolist(),
        "model": ["ours"] * 4, "at": [0.5] * 4,
    }  # fmt: skip


def test_an_array_alone_is_named_by_its_values_and_numbered(tmp_path):
    np.save(tmp_path / "x.npy", LABELS[:, None])
    np.save(tmp_path / "y.npy", SCORES.astype(np.float32))
    assert table(tmp_path / "x.npy") == {"row": [1, 2, 3, 4], "label": [1, 0, 1, 1]}
    assert table(tmp_path / "y.npy") == {"row": [1, 2, 3, 4], "score": SCORES.astype(np.float32).tolist()}


def test_columns_of_matrices_and_fields_of_records(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert table(tmp_path / "m.npy") == {"0": [0.25, 0.5], "1": [0.75, 0.5]}
    np.save(tmp_path / "r.npy", np.array([(1, 0.5), (0, 0.25)], dtype=[("label", "i4"), ("score", "f8")]))
    assert table(tmp_path / "r.npy") == {"label": [1, 0], "score": [0.5, 0.25]}


def test_variables_of_matlab(tmp_path):
    names = np.array(["a", "bc", "d", "e"], dtype=object)
    savemat(tmp_path / "a.mat", {"labels": LABELS, "scores": SCORES[:, None], "names": names})
    expected = {"labels": LABELS.tolist(), "scores": SCORES.tolist(), "names": names.tolist()}
    assert table(tmp_path / "a.mat") == expected
    savemat(tmp_path / "s.mat", {"result": {"labels": LABELS, "scores": SCORES}}, do_compression=True)
    assert table(tmp_path / "s.mat") == {"labels": LABELS.tolist(), "scores": SCORES.tolist()}


@pytest.mark.parametrize("end", ["npz", "mat"])
def test_scores_of_two_classes_may_differ_in_number(tmp_path, end):
    held = {"genuine": SCORES, "impostor": SCORES[:2]}
    (np.savez if end == "npz" else savemat)(
        tmp_path / f"c.{end}", **(held if end == "npz" else {"mdict": held})
    )
    expected = {"genuine": SCORES.tolist(), "impostor": [*SCORES[:2].tolist(), None, None]}
    assert table(tmp_path / f"c.{end}") == expected


class Run:
    def __reduce__(self):
        raise SystemExit("executed")


def test_what_would_have_to_be_executed_is_refused(tmp_path):
    objects = np.array([{"a": 1}, None], dtype=object)
    np.save(tmp_path / "o.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "o.npz", y=objects, allow_pickle=True)
    for name in ("o.npy", "o.npz"):
        with pytest.raises(
            DataError, match=f"{name}: cannot be read: it holds Python objects, which are not read"
        ):
            table(tmp_path / name)


def test_headers_that_promise_more_than_there_is(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", SCORES)
    content = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(content.replace(b"(4,)", b"(4000000000,)"))
    with pytest.raises(DataError, match="x.npy: cannot be read: "):
        table(tmp_path / "x.npy")
    with (tmp_path / "big.npy").open("wb") as file:  # 5 GB by its header, and a hole on the disk
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (625_000_000,)}
        )
        file.truncate(5_000_000_128)
    with pytest.raises(
        DataError, match="big.npy: cannot be read: it holds 4,768 MB, and .* save it as Parquet"
    ):
        table(tmp_path / "big.npy")
    monkeypatch.setattr(whole, "MOST", 0)
    savemat(tmp_path / "z.mat", {"x": np.zeros(10**6)}, do_compression=True)
    np.savez_compressed(tmp_path / "z.npz", x=np.zeros(10**6))
    for name in ("z.mat", "z.npz"):
        with pytest.raises(
            DataError, match=f"{name}: cannot be read: it holds 7 MB, and a file of this kind"
        ):
            table(tmp_path / name)


def test_arrays_that_are_no_table_are_listed(tmp_path):
    np.savez(tmp_path / "x.npz", y=LABELS, p=SCORES, thresholds=np.arange(7.0))
    with pytest.raises(DataError, match=r"its arrays differ in length \(y 4, p 4, thresholds 7\)"):
        table(tmp_path / "x.npz")
    np.save(tmp_path / "c.npy", np.zeros((2, 2, 2)))
    with pytest.raises(DataError, match="has 3 dimensions; a table has two"):
        table(tmp_path / "c.npy")
    (tmp_path / "h.mat").write_bytes(
        b"MATLAB 7.3 MAT-file, Platform: x".ljust(512, b" ") + b"\x89HDF\r\n\x1a\n"
    )
    with pytest.raises(DataError, match="it is of version 7.3, which is HDF5; save it with"):
        table(tmp_path / "h.mat")
