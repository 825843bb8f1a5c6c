"""One value of JSON that is a table, as pandas and MLflow write it."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest
from inputs.formats.opened import table

from reporting.errors import DataError

FRAME = pd.DataFrame({"id": ["007", "é", None], "label": [1, 0, 1], "score": [0.1, 1e-300, float("nan")]})
TEXTS = {"id": ["007", "é", None], "label": ["1", "0", "1"], "score": ["0.1", "1e-300", None]}


@pytest.mark.parametrize("orient", ["records", "columns", "index", "split", "table"])
def test_every_form_of_pandas_is_the_same_table(tmp_path, orient):
    FRAME.to_json(tmp_path / "t.json", orient=orient, double_precision=15)
    held = {name: values for name, values in table(tmp_path / "t.json").items() if name != "index"}
    assert held == TEXTS | {"score": [held["score"][0], held["score"][1], None]}
    assert float(held["score"][0]) == 0.1
    assert float(held["score"][1]) in (1e-300, 0.0)  # pandas writes 15 decimals


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ({"labels": [1, 0], "scores": [0.5, 2], "model": "A"}, {"labels": ["1", "0"], "scores": ["0.5", "2"], "model": ["A", "A"]}),
        ({"version": 1, "results": [{"y": True, "p": [1]}, {"y": None}]}, {"y": ["true", None], "p": ["[1]", None]}),
        ({"columns": ["a", "b"], "data": [[1, "x"], [None, "y"]]}, {"a": ["1", None], "b": ["x", "y"]}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["json", "json.gz"])
def test_columns_records_inside_and_split(tmp_path, held, expected, end):
    content = json.dumps(held).encode()
    (tmp_path / f"t.{end}").write_bytes(gzip.compress(content) if end.endswith("gz") else content)
    assert table(tmp_path / f"t.{end}") == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[1, 2]", "it is no table; expected a list of objects"),
        ('{"a": {"b": {"c": 1}}}', "it is no table"),
        ('{"a": [1, 2], "b": [1], "c": [1]}', "its columns differ in length ('a': 2, 'b': 1, 'c': 1)"),
        ('{"columns": ["a", "b"], "data": [[1, 2], [1]]}', "row 2 of 'data' has not 2 values"),
        ('{"columns": ["a", "a"], "data": [[1, 2]]}', "column 'a' occurs more than once"),
        ('[{"a": 1, "a": 2}]', "'a' occurs twice in an object"),
        ('[{"a": 1},', "it is not JSON (line 1, character 11: "),
        ("[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_no_table(tmp_path, text, fault):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(DataError) as error:
        table(tmp_path / "t.json")
    assert f"t.json: cannot be read: {fault}" in str(error.value)
