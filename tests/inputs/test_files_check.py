"""What is wrong with files, as `reporting check` tells it: one message, exit status 2."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from snapshot import snapshot
from typer.testing import CliRunner, Result

from reporting.app.cli import app
from reporting.inputs.paths import READABLE

GOOD = pl.DataFrame(
    {
        "model": ["a"] * 4,
        "split": ["dev", "dev", "test", "test"],
        "trial": ["1", "2", "1", "2"],
        "label": ["1", "0", "1", "0"],
        "score": ["0.5", "0.5", "1", "0"],
    }
)
CSV = GOOD.write_csv()
NDJSON = GOOD.write_ndjson()
Check = Callable[..., Result]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    monkeypatch.chdir(tmp_path)

    def check_source(source: str, more: str = "") -> Result:
        Path("report.yaml").write_text(f"trials: {{source: {source}{more}}}\n", encoding="utf-8")
        return CliRunner().invoke(app, ["check", "-q", "report.yaml"])

    return check_source


def fault(result: Result) -> str:
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    (line,) = result.stderr.splitlines()
    return (
        line[: line.rindex(" [TR")].removeprefix("error: ").removeprefix("trials.source (report.yaml:1:18): ")
    )


def written(name: str, content: str | bytes | pl.DataFrame) -> str:
    """Write a file under its name; a frame as Parquet or Arrow."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, pl.DataFrame):
        content.write_ipc(path) if path.suffix == ".arrow" else content.write_parquet(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def test_a_good_file_passes(check: Check) -> None:
    assert check(written("t.csv", CSV)).exit_code == 0


def packed(text: str, encoding: str = "utf-8") -> bytes:
    """Pack with gzip, every time to the same bytes."""
    return gzip.compress(text.encode(encoding), mtime=0)


ARROW = GOOD.write_ipc(None).getvalue()
CUT = "cannot be read: it is cut off"


FAULTS: list[tuple[str, str | bytes, str]] = [
    ("t.parquet", b"", "cannot be read: it is empty"),
    ("t.parquet", b"PK\x03\x04 a spreadsheet", "its name shows parquet, but it holds a ZIP archive or a workbook of Excel or OpenDocument; rename it so that it ends in .zip, .xlsx or .ods"),
    ("t.arrow", b"", "cannot be read: it is empty"),
    ("t.arrow", ARROW[:-20], f"{CUT}: ARROW1 is missing at its end"),
    ("t.ipc", b"what is this", "cannot be read: it is not Arrow: ARROW1 is missing at its beginning"),
    ("t.ipc", GOOD.write_ipc_stream(None).getvalue(), "cannot be read: it is a stream of Arrow records; save it as an Arrow file"),
    ("t.feather", b"FEA1 of old", "cannot be read: it is of version 1 of Feather; save it as version 2"),
    ("t.csv", b"", "cannot be read: it is empty"),
    ("t.csv.gz", b"", "cannot be read: it is empty"),
    ("t.csv.gz", packed(""), "cannot be read: it holds nothing"),
    ("t.csv.gz", packed(CSV)[:-12], CUT),
    ("t.csv.zst", b"\x28\xb5\x2f\xfd\x04", CUT),
    ("t.csv.gz", packed(CSV)[:-8] + bytes(8), "cannot be read: corrupt gzip stream does not have a matching checksum"),
    ("t.csv", "\n\n", "cannot be read: it holds nothing"),
    ("t.ndjson", b"", "cannot be read: it is empty"),
    ("t.ndjson", "\n", "cannot be read: it holds nothing"),
    ("t.ndjson.gz", packed(NDJSON)[:-12], CUT),
    ("t.csv", CSV + "a,dev,3,1,0.5,9", "cannot be read: row 5 has another number of fields than the header: 6, not 5"),
    ("t.csv.gz", packed(CSV + "a,dev,3,1,0.5,9"), "cannot be read: row 5 has another number of fields than the header: 6, not 5"),
    ("t.csv", CSV.encode("utf-16")[:-1], "cannot be read: not UTF-8 text (byte 0xff in line 1); save as UTF-8"),
    ("t.csv", CSV.replace("a,test,1", "a,test,\x81").encode("latin-1"), "cannot be read: not UTF-8 text (byte 0x81 in line 4); save as UTF-8"),
    ("t.csv.gz", packed(CSV.replace("a,test,1", "a,test,é"), "latin-1"), "cannot be read: not UTF-8 text (in line 4); save as UTF-8"),
    ("t.ndjson", NDJSON.replace("test", "\x81", 1).encode("latin-1"), "cannot be read: not UTF-8 text (byte 0x81 in line 3); save as UTF-8"),
    ("t.csv", CSV.replace("trial,", "score,", 1), "column 'score' (the score) is missing; did you mean 'score (2)'? (found: model, split, score (1), label, score (2))"),
    ("t.ndjson", NDJSON + '{"model":"a","sp', "cannot be read: line 5 is not JSON (character 14: Unterminated string starting at)"),
    ("t.ndjson", "\ufeff" + NDJSON, "cannot be read: it begins with a byte order mark, which JSON has not; save it without"),
    ("t.ndjson", "[1]\n" + NDJSON, 'cannot be read: line 1 is not an object, such as {"model": "A", "score": 0.5}'),
    ("t.ndjson", '[{"label": "POS", "score": 0.9}, {"label": "NEG", "score": 0.1}]', 'cannot be read: line 1 is not an object, such as {"truth": "...", "POS": 0.9, "NEG": 0.1}: one line per text, with its true label and the score of each class'),
    ("t.ndjson", NDJSON.replace('"0.5"', "NaN", 1), 'cannot be read: line 1 is not JSON: NaN is not a number in JSON; write null, or "NaN" in quotes'),
    ("t.ndjson", NDJSON.replace('"score"', '"model":"b","score"', 1), "cannot be read: line 1 is not JSON: 'model' occurs twice in an object"),
    ("t.jsonl", NDJSON.replace("score", "scores"), "column 'score' (the score) is missing; did you mean 'scores'? (found: model, split, trial, label, scores)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "message"), FAULTS, ids=[f"{name}: {said[:70]}" for name, _, said in FAULTS]
)
def test_a_file_that_cannot_be_read(check: Check, name: str, content: bytes, message: str) -> None:
    assert fault(check(written(name, content))) == f"{name}: {message}"


def test_a_parquet_file_that_is_cut_off(check: Check) -> None:
    path = Path(written("t.parquet", GOOD))
    path.write_bytes(path.read_bytes()[:-9])
    assert fault(check("t.parquet")) == f"t.parquet: {CUT}: PAR1 is missing at its end"


def test_a_parquet_file_that_is_spoilt_inside(check: Check) -> None:
    path = Path(written("t.parquet", GOOD))
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(60) + whole[64:])
    assert fault(check("t.parquet")).startswith("t.parquet: cannot be read: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": ["high", "0.5", "low", "0"]}, "column 'score' (the score): 2 of 4 rows not numbers; first 'high' at row 1 of t{}, 'low' at row 3 of t{}"),
        ({"score": [None, "0.5", "nan", "0"]}, "column 'score' (the score): 2 of 4 rows missing or NaN (trials.missing: drop or reject allows them); first row 1 of t{}, 'nan' at row 3 of t{}"),
        ({"label": ["Target", "nontarget", "target", "nontarget"]}, "column 'label' (the label): 1 of 4 rows hold unknown values: 'Target' (row 1 of t{}); did you mean 'target'? Map them: trials: {{values: {{target: ..., nontarget: ...}}}} (known: true, True, TRUE, 1, 1.0, target, false, False, FALSE, 0, 0.0, nontarget)"),
        ({"label": ["TARGET", "NONTARGET", "TARGET", "NONTARGET"]}, "column 'label' (the label): all 4 rows hold unknown values: 'TARGET' (row 1 of t{}), 'NONTARGET' (row 2 of t{}); did you mean 'nontarget'? Map them: trials: {{values: {{target: ..., nontarget: ...}}}} (known: true, True, TRUE, 1, 1.0, target, false, False, FALSE, 0, 0.0, nontarget)"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", [".csv", ".ndjson", ".parquet"])
def test_values_that_are_none(check: Check, change: dict[str, list[str]], message: str, end: str) -> None:
    frame = GOOD.with_columns(pl.Series(name, values) for name, values in change.items())
    content = {".csv": frame.write_csv(), ".ndjson": frame.write_ndjson(), ".parquet": frame}[end]
    assert fault(check(written(f"t{end}", content))).endswith(
        message.replace("t{}", f"t{end}").replace("{{", "{").replace("}}", "}")
    )


def test_folders_that_hold_nothing_that_is_read(check: Check) -> None:
    Path("none/deeper").mkdir(parents=True)
    assert fault(check("none")) == f"'none' is a folder without a file that is read (read: {READABLE})"
    for name in ("none/a.docx", "none/deeper/b.txt", "none/_SUCCESS", "none/.hidden.csv"):
        written(name, "x")
    assert fault(check("none")) == (
        f"'none' is a folder without a file that is read; it holds 'a.docx', 'b.txt' (read: {READABLE})"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t.csv.part", "'t.csv.part' looks like an unfinished download; wait for it or remove it"),
        ("t.docx", f"'t.docx' is not a kind of file that is read (read: {READABLE})"),
        ("t.parquet.gz", f"'t.parquet.gz' is not a kind of file that is read (read: {READABLE})"),
    ],
)
def test_files_of_no_kind(check: Check, name: str, message: str) -> None:
    assert fault(check(written(name, CSV))) == message


def test_a_folder_with_a_file_that_is_not_whole(check: Check) -> None:
    for name in ("d/a.csv", "d/e/b.parquet.tmp"):
        written(name, CSV)
    snapshot("inputs/files_check_a_folder_with_a_file_that_is_not_whole", fault(check("d")))


def test_a_table_whose_log_says_which_files_count(check: Check) -> None:
    written("d/_delta_log/0.json", "{}")
    written("d/a.parquet", GOOD)
    snapshot("inputs/files_check_a_table_whose_log_says_which_files_count", fault(check("d/*.parquet")))
    assert fault(check("d")).startswith("d: the table cannot be read: ")


@pytest.mark.parametrize("source", ["t.csv", "'*.csv'", "d"])
def test_a_link_to_nothing(check: Check, source: str) -> None:
    Path("d").mkdir()
    for name in ("t.csv", "d/t.csv"):
        Path(name).symlink_to("gone.csv")
    assert fault(check(source)) == "'t.csv' is a link to 'gone.csv', which does not exist"


def test_links_to_folders_are_followed_and_never_round(check: Check) -> None:
    written("real/a.csv", CSV)
    Path("d").mkdir()
    Path("d/in").symlink_to("../real")
    Path("real/loop").symlink_to("../real")
    assert check("d").exit_code == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("['*.csv', t.csv]", "'t.csv' is listed twice"),
        ("[d/t.csv, 'd/**/*.csv']", "'d/t.csv' is listed twice"),
        ("[t.csv, ./d/../t.csv]", "'d/../t.csv' is listed twice, also as 't.csv'"),
        ("[t.csv, link.tsv]", "'link.tsv' is listed twice, also as 't.csv'"),
    ],
)
def test_the_same_file_twice(check: Check, source: str, message: str) -> None:
    written("t.csv", CSV)
    written("d/t.csv", CSV)
    Path("link.tsv").symlink_to("t.csv")
    assert fault(check(source)) == message


@pytest.fixture
def open_folder(check: Check, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder that everybody may enter, all the way down."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        monkeypatch.chdir(name)
        yield Path(name)


@contextmanager
def nobody() -> Iterator[None]:
    """Be a user without rights, where the tests run as one who may do everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("shut", "source", "message"),
    [
        ("t.csv", "t.csv", "t.csv: cannot be read: permission denied"),
        ("d/t.ndjson", "d", "t.ndjson: cannot be read: permission denied"),
        ("d/t.parquet", "d/t.parquet", "t.parquet: cannot be read: permission denied"),
        ("d/e", "d", "'d' cannot be looked up (Permission denied)"),
        ("d/e", "'d/*/t.csv'", "'d/*/t.csv' cannot be looked up (Permission denied)"),
    ],
)
def test_no_permission(check: Check, open_folder: Path, shut: str, source: str, message: str) -> None:
    for name in ("t.csv", "d/e/t.csv"):
        written(name, CSV)
    written("d/t.parquet", GOOD) if "parquet" in shut else written("d/t.ndjson", NDJSON)
    written("report.yaml", "")
    Path("report.yaml").chmod(0o777)
    check(source)  # what is imported late is so before rights are gone
    Path(shut).chmod(0)
    try:
        with nobody():
            assert fault(check(source)).endswith(message)
    finally:
        Path(shut).chmod(0o755)


@pytest.mark.parametrize(
    ("names", "source", "message"),
    [
        (["a-b-dev.csv", "c-d-d.csv"], "'{model}-{split}.csv'", "'c-d-d.csv' can be read in two ways by '{model}-{split}.csv': model 'c-d', split 'd'; or model 'c', split 'd-d'; part the values by a folder, or by text that no value holds"),
        (["a.csv"], "'{model.csv'", "'{model.csv' has a '{' that is not part of a {column}; a brace of the path itself is written twice: {{"),
        (["m=a/m=b/t.csv"], "'**/*.csv'", "'m=a/m=b/t.csv' gives column 'm' two values: 'a' and 'b'"),
        (["model=a/b.csv"], "'**/{model}.csv'", "'model=a/b.csv' gives column 'model' two values: 'a' and 'b'"),
        (["m=%FF/t.csv"], "'**/*.csv'", "'m=%FF/t.csv': '%FF' is not UTF-8 in percent signs"),
        (["model=b/t.csv"], "'**/*.csv'", "t.csv: column 'model' is both in the file and in its path"),
        (["d/a.csv"], "'?'", "no file matches '?' in '.'; folders match: name what is in them, such as '?/*.parquet'"),
        (["a.csv"], "'[b-a].csv'", "'[b-a].csv' has brackets that cannot be read"),
    ],
)  # fmt: skip
def test_paths_that_do_not_say_what_they_should(
    check: Check, names: list[str], source: str, message: str
) -> None:
    for name in names:
        written(name, CSV)
    assert fault(check(source)).endswith(message)


@pytest.mark.parametrize("null", ["__HIVE_DEFAULT_PARTITION__", ""])
def test_a_folder_without_a_value_where_one_is_needed(check: Check, null: str) -> None:
    for model in ("a", null):
        written(f"lake/model={model}/t.csv", GOOD.drop("model").write_csv())
    assert fault(check("lake")).startswith(
        "column 'model' (the model): 4 of 8 rows empty; first '' at row 1 of "
    )


def test_files_that_do_not_agree_in_their_columns(check: Check) -> None:
    written("d/a.csv", CSV)
    written("d/b.parquet", GOOD.rename({"trial": "key"}))
    assert fault(check("d")) == "b.parquet: column trial is in some of the files and not in others"


def test_json_that_nests_values_is_read_as_its_text(check: Check) -> None:
    content = NDJSON.replace('"0.5"', "[0.5]", 1)
    snapshot(
        "inputs/files_check_json_that_nests_values_is_read_as_its_text",
        fault(check(written("t.ndjson", content))),
    )


def test_a_sign_that_stands_for_what_cannot_be_read_may_stand_in_a_text(check: Check) -> None:
    content = packed(CSV + "a,dev,\ufffd,1,0.5,9")
    snapshot(
        "inputs/files_check_a_sign_that_stands_for_what_cannot_be_read_may_stand_in_a_text",
        fault(check(written("t.csv.gz", content))),
    )
