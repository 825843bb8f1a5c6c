"""The same trials in tables of several libraries give the same frames, byte for byte."""

from __future__ import annotations

import io
import sys

import pandas as pd
import polars as pl
import pytest

import reporting
from reporting.app.api.tables import table_of
from reporting.errors import ConfigError, DataError

SAID = {"significance": {"replicates": 99}, "by": ["gender"]}


def trials() -> pl.DataFrame:
    """Two models with ties; numbers as keys, a category and true and false."""
    return pl.DataFrame(
        [
            {
                "model": model,
                "split": split,
                "trial": i,
                "label": i % 3 == 0,
                "score": (i * (7 + shift) % 11) / 4 + (i % 3 == 0),
                "gender": "fm"[i // 3 % 2],
            }
            for shift, model in enumerate("AB")
            for split in ("dev", "test")
            for i in range(30)
        ]
    )


class Handed:
    """A table of some library that knows nothing but the C interface of Arrow."""

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def in_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Columns as pandas has them when nobody takes care, with an index of its own."""
    made = pd.DataFrame(table.to_dict(as_series=False))
    return made.set_index(pd.Index(range(100, 100 + len(made))))


def in_careful_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Columns of the types that know what is missing, categories, and plain objects."""
    kinds = {"model": "category", "trial": "Int64", "label": "boolean", "score": "Float64", "gender": object}
    return in_pandas(table).astype(kinds)


MADE = {
    "lazy": lambda table: table.lazy(),
    "pandas": in_pandas,
    "careful pandas": in_careful_pandas,
    "handed over": Handed,
    "rows": lambda table: table.to_dicts(),
}


def bytes_of(frame: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """What the Parquet file of the table gives."""
    path = tmp_path_factory.mktemp("file") / "trials.parquet"
    trials().write_parquet(path)
    return answers(path)


def answers(table: object) -> tuple[bytes, bytes]:
    asked = (["hter", "auc"], ["min_hter"])
    return tuple(bytes_of(ask(table, measures=asked[0], criteria=asked[1], **SAID)) for ask in (reporting.metrics, reporting.compare))  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_every_library_gives_the_bytes_of_the_file(kind, expected):
    assert answers(MADE[kind](trials())) == expected


def test_a_polars_frame_gives_the_bytes_of_the_file(expected):
    assert answers(trials()) == expected


def test_arrow_tables_and_readers_give_the_bytes_of_the_file(expected):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(trials())
    assert answers(table) == expected
    assert reporting.roc(table.to_reader()).equals(reporting.roc(trials()))
    # A pandas table whose columns lie in Arrow's memory.
    assert reporting.roc(table.to_pandas(types_mapper=pd.ArrowDtype)).equals(reporting.roc(trials()))


def test_relations_of_duckdb_give_the_bytes_of_the_file(expected, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    trials().write_parquet(tmp_path / "trials.parquet")
    with duckdb.connect() as connection:
        relation = connection.sql(f"select * from '{tmp_path / 'trials.parquet'}' order by score")
        assert answers(relation) == expected
        chosen = relation.filter("model = 'A'")
        assert reporting.roc(chosen).equals(reporting.roc(trials().filter(model="A")))


def test_columns_of_every_library_are_labels_and_scores():
    pa = pytest.importorskip("pyarrow")
    rows = trials().filter(model="A", split="test")
    expected = reporting.trial_table(rows["label"].to_list(), rows["score"].to_list())
    for label, score in (
        (rows["label"], rows["score"]),
        (rows["label"].to_numpy(), rows["score"].to_numpy()),
        (pd.Series(rows["label"].to_list()), pd.Series(rows["score"].to_list(), dtype="Float64")),
        (pa.table(rows)["label"], pa.table(rows)["score"]),
        (pa.array(rows["label"].to_list()), {"A": pa.array(rows["score"].to_list())}),
    ):
        assert reporting.trial_table(label, score).equals(expected)


def test_pandas_is_taken_without_pyarrow(monkeypatch):
    """Also where pyarrow is installed: it is never asked for."""
    table = in_careful_pandas(trials())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert table_of(table, "here").equals(trials())


def test_what_pandas_takes_for_missing_is_null():
    given = pd.DataFrame(
        {
            "text": ["a", None],
            "category": pd.Categorical(["b", None]),
            "of numbers": pd.Categorical([7, None]),
            "integer": pd.array([2**60 + 1, None], dtype="Int64"),
            "truth": pd.array([True, None], dtype="boolean"),
            "score": [0.5, float("nan")],
            "mixed": [7, "x"],
            8: [True, None],
        }
    )
    taken = table_of(given, "here")
    assert taken.rows() == [("a", "b", 7, 2**60 + 1, True, 0.5, "7", True), (None,) * 6 + ("x", None)]
    assert taken.columns == [*map(str, given.columns)]


def test_rows_may_lack_a_name():
    assert table_of([{"a": 1}, {"b": "x"}], "here").rows() == [(1, None), (None, "x")]


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (pd.Series([1, 2]), ConfigError, "trials (reporting.roc): expected a table (Polars, pandas, Arrow, DuckDB, a list of rows) or the path of one, found one column of 2 values; make a table of labels and scores with reporting.trial_table(labels, scores)"),
        (pl.Series([1, 2]), ConfigError, "found one column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), DataError, "trials (reporting.roc): cannot be read: column 'a' occurs more than once in it"),
        ({"a": [1]}, ConfigError, "or the path of one, found dict"),
        (7, ConfigError, "a list of rows) or the path of one, found int"),
        ([], ConfigError, "or the path of one, found list"),
        (pd.DataFrame({"model": ["A"]}), DataError, "column 'label' (the label) is missing"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_told(given, kind, message):
    with pytest.raises(kind) as caught:
        reporting.roc(given)
    assert message in str(caught.value)
