"""Files of Weka and Orange: heads that say what columns are, and probabilities of all classes in one column."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from reporting.errors import DataError
from reporting.inputs.files import open_file
from reporting.inputs.spec import File


def table(path: Path, text: str) -> pl.DataFrame:
    path.write_text(text)
    return open_file(File(path)).collect()


HEAD = "%a comment\n@RELATION r\n@attribute 'P(a b)' numeric\n@Attribute class {yes,'no, not'}\n@data\n"


def test_attributes_name_the_columns(tmp_path):
    rows = table(tmp_path / "r.arff", f"{HEAD}0.5, yes\n% another\n\n?,'no, not'\n")
    assert rows.columns == ["P(a b)", "class"]
    assert rows.rows() == [("0.5", "yes"), ("?", "no, not")]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{HEAD}0.5\n", "row 1 has 1 value, not 2 as the head has attributes"),
        (f"{HEAD}{{0 0.5, 1 yes}}\n", "its rows are sparse"),
        ("a,b\n1,2\n", "its head holds a line 'a,b' that is no attribute"),
        ("@relation r\n@attribute a numeric\n", "it holds no line @data"),
        ("", "it is empty"),
    ],
)
def test_what_is_no_such_file(tmp_path, text, fault):
    with pytest.raises(DataError, match="r.arff: cannot be read") as refused:
        table(tmp_path / "r.arff", text)
    assert fault in str(refused.value)


def test_three_rows_of_orange(tmp_path):
    text = "age\tdisease\tModel\ncontinuous\tno yes\tc\n\tclass\tmeta\n63\tyes\t0.8\n40\tno\t0.1\n"
    rows = table(tmp_path / "o.tab", text)
    assert rows.columns == ["age", "disease", "Model"]
    assert rows.rows() == [("63", "yes", "0.8"), ("40", "no", "0.1")]


def test_prefixes_of_orange(tmp_path):
    rows = table(tmp_path / "o.csv", "C#age,cD#disease,mC#Model,note\n63,yes,0.8,a\n40,no,0.1,b\n")
    assert rows.columns == ["age", "disease", "Model", "note"]


def test_rows_that_are_values_stay(tmp_path):
    """Letters that Orange gives a meaning, in a table of another program."""
    rows = table(tmp_path / "o.csv", "a,b,C#minor\nc,d,x\nm,i,y\nd,c,z\n")
    assert len(rows) == 3
    assert rows.columns == ["a", "b", "C#minor"]


@pytest.mark.parametrize("quote", ["", '"'])
def test_the_distribution_has_a_column_for_each_class(tmp_path, quote):
    head = "inst#,actual,predicted,error,distribution" + ("," if not quote else "")
    lines = [f"1,1:no,1:no,,{quote}*0.9,0.1{quote}", f"2,2:yes,1:no,+,{quote}*0.6,0.4{quote}"]
    rows = table(tmp_path / "w.csv", "\n".join([head, *lines]) + "\n")
    assert rows.select("distribution 1", "distribution 2").rows() == [("0.9", "0.1"), ("0.6", "0.4")]
    assert rows["actual"].to_list() == ["1:no", "2:yes"]


def test_a_column_of_that_name_without_a_star_stays(tmp_path):
    assert table(tmp_path / "w.csv", "id,distribution\n1,0.5\n2,0.75\n").columns == ["id", "distribution"]
