"""What is written reads back the same, whatever things are called and wherever they are."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.app.config.document import FilePosition, read_document, read_yaml
from reporting.app.config.read import read_plan
from reporting.app.init.lines import Line, written
from reporting.app.init.look import pattern_of, sample_of
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import ConfigError
from reporting.inputs.spec import File
from tests.app.init.examples import long_table, wide_table

OUT = "report.yaml"
HOSTILE = ["no", "1e3", "a: b", "x #y", "'q'", '"', "two\nlines", "\x07bell\x7f", "{a}", "[b", "- c", "&d", "~", "null", " ", "é\u2028\u200b", "\U0001f600", "\U000e0001", "!t", "%", "@", "`", "back\\slash", "y", "0x10", "=", "<<", "? z"]  # fmt: skip
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def read(text: str) -> object:
    faults: list = []
    entry = read_yaml(text, "here", lambda mark: FilePosition(mark.line + 1, mark.column + 1, "here"), faults)
    assert not faults
    return entry.plain()


@given(texts, texts, st.lists(texts, max_size=3), texts)
def test_any_text_reads_back_the_same(key, value, several, why):
    lines = [
        Line(("a", "text"), value, why),
        Line(("a", "list"), several, why, is_open=True),
        Line(("a", "offered"), value, why, is_offered=True),
        Line(("map",), {key: {"x": value}}),
        Line(("offers", key), {key: value}, why, is_offered=True),
    ]
    assert read(written(lines)) == {"a": {"text": value, "list": several}, "map": {key: {"x": value}}}


@given(texts, texts)
def test_what_is_offered_reads_back_once_it_is_uncommented(key, value):
    text = written([Line(("a", key), [value], is_offered=True)])
    assert read(text.removeprefix("# ")) == {"a": {key: [value]}}


def test_hostile_columns_and_models_pass_the_check(tmp_path):
    names = dict(zip(("model", "label", "split", "trial", "speaker"), ("system: #1", "no label", "set\n", "utt\x07", '"spk"'), strict=True))  # fmt: skip
    table = long_table(HOSTILE[:8]).rename(names)
    table.write_parquet(tmp_path / "t: #1.parquet")
    said = write_starter([str(tmp_path / "t: #1.parquet")], tmp_path / "report.yaml")
    assert all(line.isprintable() for line in said.split("\n"))
    assert "8 models" in check_report(tmp_path / "report.yaml")


def test_hostile_columns_of_scores_pass_the_check(tmp_path):
    table = wide_table().rename({"A": "1e3", "B": "a: b\n", "C": '{"x"} # no'})
    table.write_parquet(tmp_path / "t.parquet")
    write_starter([str(tmp_path / "t.parquet")], tmp_path / "report.yaml")
    assert "3 models" in check_report(tmp_path / "report.yaml")


def test_the_defaults_are_those_that_hold_when_they_are_left_out(tmp_path):
    long_table().write_csv(tmp_path / "t.csv")
    config = tmp_path / "report.yaml"
    write_starter([str(tmp_path / "t.csv")], config)
    plan = read_plan(config)
    offers = ("title", "baseline", "by", "cluster", "models")
    lines = [
        line.replace("# ", "", 1) if line.strip().startswith("# ") and ": " in line and line.split()[1].rstrip(":") in KEYS else line
        for line in config.read_text().splitlines()
        if not any(line.startswith(f"# {name}:") for name in offers)
    ]  # fmt: skip
    assert len(read("\n".join(lines))) == 9
    config.write_text("\n".join(lines))
    assert read_plan(config) == plan


KEYS = ("missing", "unlabelled", "prevalence", "primary", "criteria", "measures", "curves", "thresholds", "epc", "significance", "report")  # fmt: skip


@pytest.mark.parametrize("folder", ["deep/er", "od{d}[1]*", ".", "../side"])
@pytest.mark.parametrize("asked", ["data/t.csv", "data", "data/*.csv", "data/{model}.csv"])
def test_sources_are_relative_to_the_config(tmp_path, monkeypatch, folder, asked):
    here = tmp_path / "w{o}rk[ing]"
    (here / "data").mkdir(parents=True)
    (here / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(here)
    long_table().drop(*["model"] * ("{" in asked)).unique(["trial"] if "{" in asked else None).write_csv(
        "data/t.csv"
    )
    write_starter([asked], Path(folder) / "report.yaml")
    monkeypatch.chdir("/")
    assert "rows, " in check_report(here / folder / "report.yaml")


def test_links_in_the_way_to_the_config_do_not_mislead(tmp_path, monkeypatch):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a/b")
    long_table().write_csv(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)
    write_starter(["t.csv"], Path("link/report.yaml"))
    assert read_document(Path("link/report.yaml"), []).plain()["trials"]["source"] == "../../t.csv"
    check_report(Path("link/report.yaml"))


@pytest.mark.parametrize(
    ("names", "lacking", "pattern"),
    [
        (["A-dev.csv", "A-test.csv", "B-dev.csv", "B-test.csv"], {"model", "split"}, "{model}-{split}.csv"),
        (["dev/A.txt", "eval/A.txt"], {"model", "split"}, "{split}/{model}.txt"),
        (["dev.csv", "test.csv"], {"split"}, "{split}.csv"),
        (["dev.csv", "test.csv"], {"model", "split"}, None),
        (["x/TC1/scores", "x/TC2/scores"], {"model"}, "{model}/scores"),
        (["run{1}[a].csv", "run{1}[b].csv"], {"model"}, "run{{1}}[[]{model}].csv"),
        (["a.csv", "b.csv"], {"split"}, None),
    ],
)
def test_names_of_files_say_model_and_split(tmp_path, names, lacking, pattern):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    told = pattern_of([File(tmp_path / name) for name in names], lacking, tmp_path / OUT)
    found = told and told.pattern
    assert found == (f"x/{pattern}" if names[0].startswith("x/") else pattern)


def test_a_pattern_that_finds_other_files_is_not_taken(tmp_path):
    for name in ("A.txt", "B.txt", "README.txt"):
        (tmp_path / name).touch()
    files = [File(tmp_path / name) for name in ("A.txt", "B.txt")]
    assert pattern_of(files, {"model"}, tmp_path / OUT) is None
    assert pattern_of(files, {"model"}, tmp_path / OUT, [tmp_path / "README.txt"]).pattern == "{model}.txt"


@pytest.mark.parametrize("end", ["parquet", "arrow", "csv", "ndjson"])
def test_of_a_large_table_some_rows_are_read(tmp_path, end):
    path = tmp_path / f"t.{end}"
    table = pl.DataFrame({"row": range(50_000)})
    {
        "parquet": table.write_parquet,
        "arrow": table.write_ipc,
        "csv": table.write_csv,
        "ndjson": table.write_ndjson,
    }[end](path)
    sample = sample_of(File(path), 1000)["row"].cast(pl.Int64)
    assert len(sample) == 1000
    assert sample[0] == 0
    if end in ("parquet", "arrow"):
        assert sample[-1] == 49_999


def test_a_name_that_is_no_text_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"t\xff.csv")
    long_table().write_csv("t.csv")
    Path("t.csv").rename(name)
    with pytest.raises(ConfigError, match="is not UTF-8, which no config can hold"):
        write_starter([name], Path("report.yaml"))
