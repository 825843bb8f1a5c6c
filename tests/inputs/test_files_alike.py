"""The same trials from files of every kind, from folders and by placeholders: the same frames, byte for byte."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from from_config import frames_from

COLUMNS = ("model", "split", "trial", "label", "score", "gender")
SCORES = ["0.5", "0.30000000000000004", "0.5", "-0.125", "1e-07", "0.5", "0.25", "0.5"]
ROWS = [
    (model, split, trial, str(at % 2), SCORES[(at * step + shift) % 8], "fm"[at // 2 % 2])
    for model, step in (("007", 1), ("7", 3))
    for split, shift in (("dev", 0), ("test", 5))
    for at, trial in enumerate(("007", "07", "7", "é z", "1e3", "0x7", "true", "1.0"))
]
TABLE = pl.DataFrame(ROWS, schema=list(COLUMNS), orient="row")
"""Tied, and with keys that any guess at types would spoil."""
TYPED = TABLE.with_columns(pl.col("score").cast(pl.Float64), pl.col("label") == "1")
CONFIG = (
    "trials: {{source: '{}', columns: {{cluster: gender}}}}\nby: [gender]\nepc: none\nmeasures: [hter, auc]\n"
)


def zst(content: bytes) -> bytes:
    """Pack as the program zstd does, by way of a Parquet-free writer."""
    packed = io.BytesIO()
    pl.LazyFrame({"line": content.decode().splitlines()}).sink_csv(
        packed, include_header=False, quote_style="never", compression="zstd"
    )
    return packed.getvalue()


def whole(end: str, content: bytes) -> Callable[[Path], str]:
    """Write the table as one file."""

    def write(folder: Path) -> str:
        (folder / f"t{end}").write_bytes(content)
        return f"t{end}"

    return write


def ipc(folder: Path) -> str:
    TYPED.write_ipc(folder / "t.arrow", compression="zstd")
    return "t.arrow"


def parts(path: str, *said: str, end: str = ".csv") -> Callable[[Path], None]:
    """Write one file a value of some columns, which no file then holds."""

    def write(folder: Path) -> None:
        for key, rows in TABLE.partition_by(*said, as_dict=True, include_key=False).items():
            values = dict(zip(said, map(str, key), strict=True))
            file = folder / path.format(**values)
            file.parent.mkdir(parents=True, exist_ok=True)
            rows.write_parquet(file) if end == ".parquet" else rows.write_csv(file)

    return write


def lake(folder: Path) -> str:
    parts("lake/model={model}/split={split}/part0.parquet", "model", "split", end=".parquet")(folder)
    (folder / "lake" / "_SUCCESS").touch()
    (folder / "lake" / "README.txt").touch()
    (folder / "lake" / "_temporary").mkdir()
    (folder / "lake" / "_temporary" / "half.parquet").write_bytes(b"PAR1")
    (folder / "lake" / ".part0.parquet.crc").touch()
    return "lake/**/*.parquet"


def folder_of_lake(folder: Path) -> str:
    lake(folder)
    return "lake/"


def encoded_lake(folder: Path) -> str:
    for (trial,), rows in TABLE.partition_by("trial", as_dict=True, include_key=False).items():
        name = "trial=" + {"é z": "%C3%A9%20z"}.get(str(trial), str(trial))
        (folder / "by" / name).mkdir(parents=True)
        rows.write_csv(folder / "by" / name / "rows.csv")
    return "by"


def mixed_folder(folder: Path) -> str:
    (folder / "all" / "deep" / "er").mkdir(parents=True)
    TYPED[:5].write_parquet(folder / "all" / "a.pq")
    TABLE[5:11].write_csv(folder / "all" / "deep" / "b.tsv", separator="\t")
    TYPED[11:20].write_ndjson(folder / "all" / "deep" / "er" / "c.jsonl")
    TYPED[20:].write_ipc(folder / "all" / "d.feather")
    return "all"


def placeholders(folder: Path) -> str:
    parts("scores/{model}-{split}.csv", "model", "split")(folder)
    return "scores/{model}-{split}.csv"


def placeholders_and_stars(folder: Path) -> str:
    parts("runs/x/{split}/of {model}/y.csv", "model", "split")(folder)
    return "runs/**/{split}/of {model}/*.csv"


CSV = TABLE.write_csv().encode()
NDJSON = TYPED.write_ndjson().encode()
MIXED_JSON = "".join(
    json.dumps(dict(row, label=label, extra=[1]) if at % 3 else dict(row, label=label)) + "\r\n\n"
    for at, row in enumerate(TYPED.to_dicts())
    for label in [int(row["label"]) if at % 2 else row["label"]]
).encode()  # labels of two kinds, a column that only some objects have

SOURCES: dict[str, Callable[[Path], str]] = {
    "csv": whole(".csv", CSV),
    "csv in capitals": whole(".CSV", CSV),
    "csv with a mark and carriage returns": whole(".csv", b"\xef\xbb\xbf" + CSV.replace(b"\n", b"\r\n")),
    "csv.gz": whole(".csv.gz", gzip.compress(CSV, mtime=0)),
    "csv.gz of two parts": whole(
        ".csv.gz", gzip.compress(CSV[:99], mtime=0) + gzip.compress(CSV[99:], mtime=0)
    ),
    "csv.zst": whole(".csv.zst", zst(CSV)),
    "csv with semicolons": whole(".csv", CSV.replace(b",", b";")),
    "csv with semicolons and decimal commas": whole(
        ".csv",
        b"\n".join(re.sub(rb"(\d)\.(\d)", rb"\1,\2", row) for row in CSV.replace(b",", b";").split(b"\n")),
    ),
    "csv with bars": whole(".csv", CSV.replace(b",", b"|")),
    "csv with tabs, packed": whole(".csv.gz", gzip.compress(CSV.replace(b",", b"\t"), mtime=0)),
    "tsv with commas": whole(".tsv", CSV),
    "csv with carriage returns alone": whole(".csv", CSV.replace(b"\n", b"\r")),
    "csv with carriage returns alone, packed": whole(
        ".csv.gz", gzip.compress(CSV.replace(b"\n", b"\r"), mtime=0)
    ),
    "tsv": whole(".tsv", CSV.replace(b",", b"\t")),
    "tsv.gz": whole(".tsv.gz", gzip.compress(CSV.replace(b",", b"\t"), mtime=0)),
    "ndjson": whole(".ndjson", NDJSON),
    "jsonl.gz of two parts": whole(
        ".jsonl.gz", gzip.compress(NDJSON[:99], mtime=0) + gzip.compress(NDJSON[99:], mtime=0)
    ),
    "ndjson.zst": whole(".ndjson.zst", zst(NDJSON)),
    "ndjson of several kinds": whole(".ndjson", MIXED_JSON),
    "ndjson whose name looks like a glob": whole("[1]*.ndjson", NDJSON),
    "ipc": ipc,
    "lake": lake,
    "folder of a lake": folder_of_lake,
    "encoded lake": encoded_lake,
    "folder of all kinds": mixed_folder,
    "placeholders": placeholders,
    "placeholders and stars": placeholders_and_stars,
}


def frames(folder: Path, source: str) -> dict[str, bytes]:
    """Compute from a source, and serialize what comes out."""
    made = frames_from(folder, TYPED, CONFIG.format(source))
    return {name: frame.write_ipc(None).getvalue() for name, frame in made.items()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    found = frames(tmp_path_factory.mktemp("parquet"), "trials.parquet")
    assert "trials" in found
    assert len(found) > 1
    return found


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_trials_give_the_same_frames(tmp_path: Path, expected: dict[str, bytes], name: str) -> None:
    assert frames(tmp_path, SOURCES[name](tmp_path)) == expected
