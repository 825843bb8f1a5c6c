"""Lines of JSON: every value as text, none lost, none changed."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.inputs.files import open_file
from reporting.inputs.spec import File


def read(path: Path, text: str) -> dict[str, list[str | None]]:
    """Write a file and return its columns."""
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return open_file(File(path)).collect(engine="streaming").to_dict(as_series=False)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (['"007"', "7", '"7"', '""', "null"], ["007", "7", "7", "", None]),
        (["true", "1", "1.0", '"x"'], ["true", "1", "1", "x"]),
        (["18446744073709551615", "-1", "123456789012345678901234567890"], ["18446744073709551615", "-1", "123456789012345678901234567890"]),
        (['"\\u00e9\\ud83d\\ude00\\n\\""', '"é😀"'], ['é😀\n"', "é😀"]),
        (['{"a": [1]}', "[1, null]"], ['{"a": [1]}', "[1, null]"]),
    ],
)  # fmt: skip
def test_values_of_all_kinds_are_text(tmp_path: Path, values: list[str], texts: list[str]) -> None:
    text = "\n".join(f'{{"k": {value}}}' for value in values)
    assert read(tmp_path / "t.ndjson", text) == {"k": texts}
    assert read(tmp_path / "t.ndjson.gz", text) == {"k": texts}


def test_a_name_that_only_the_last_object_has_is_a_column(tmp_path: Path) -> None:
    text = '{"k": 1}\n' * 3000 + '{"late": 2, "k": "\\"late\\": 3"}\n'
    found = read(tmp_path / "t.jsonl", text)
    assert found == {"k": ["1"] * 3000 + ['"late": 3'], "late": [None] * 3000 + ["2"]}


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    assert read(tmp_path / "t.ndjson", '{"k": 1}') == {"k": ["1"]}
    assert read(tmp_path / "t.ndjson", '{"k": 1, "l": 2}') == {"k": ["1"], "l": ["2"]}


@given(scores=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_scores_come_back_bit_by_bit(tmp_path_factory: pytest.TempPathFactory, scores: list[float]) -> None:
    path = tmp_path_factory.getbasetemp() / "scores.ndjson"
    found = read(path, "".join(json.dumps({"score": score}) + "\n" for score in scores))
    back = pl.Series(found["score"]).cast(pl.Float64)
    assert [struct.pack("d", score) for score in back] == [struct.pack("d", score) for score in scores]
