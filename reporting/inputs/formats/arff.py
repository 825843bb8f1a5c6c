"""Files of Weka: a head that names the attributes, then a row a line, in which ``?`` is a missing value."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import polars as pl

from reporting.base.legible import counted
from reporting.errors import quoted
from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.copies import place
from reporting.inputs.formats.separated import kept_columns, scan_separated

ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+\S", re.IGNORECASE)


def scan_arff(path: Path, reading: Reading) -> pl.LazyFrame:
    """Scan the rows of a file, all values as text; ValueError for sparse rows and where the head is none."""
    status = path.stat()
    return scan_separated(_written(path, status.st_mtime_ns, status.st_size), reading, separator="\t")


@lru_cache(maxsize=64)
def _written(path: Path, modified: int, size: int) -> Path:
    names, rows = _parts(path)
    kept = kept_columns(names, _parts(path)[1])
    copy = place() / f"{path.name}.tsv"
    with copy.open("w", encoding="utf-8", newline="") as file:
        to = csv.writer(file, delimiter="\t", lineterminator="\n")
        to.writerow(kept.values())
        to.writerows([row[at] for at in kept] for row in rows)
    return copy


def _parts(path: Path) -> tuple[list[str], Iterator[list[str]]]:
    lines = (line.removeprefix(text.MARK).strip() for line in text.lines_of(path))
    held = (line for line in lines if line and not line.startswith("%"))
    names: list[str] = []
    for line in held:
        if line.lower() == "@data":
            return names, _rows(held, len(names))
        if named := ATTRIBUTE.match(line):
            name = named[1]
            is_quoted = name[:1] in ("'", '"')
            names.append(re.sub(r"\\(.)", r"\1", name[1:-1]) if is_quoted else name)
        elif not line.lower().startswith("@relation"):
            raise ValueError(f"its head holds a line {quoted(line)} that is no attribute")
    raise ValueError("it holds no line @data, after which rows begin")


def _rows(lines: Iterator[str], n: int) -> Iterator[list[str]]:
    quote = csv.reader(lines, quotechar="'", escapechar="\\", skipinitialspace=True)
    for number, row in enumerate(quote, start=1):
        if row[:1] and row[0].startswith("{"):
            raise ValueError("its rows are sparse ({0 value, ...}); save them as CSV")
        if len(row) != n:
            raise ValueError(
                f"row {number} has {counted(len(row), 'value')}, not {n} as the head has attributes"
            )
        yield [each.strip() for each in row]


ARFF = Reader(scan_arff, text.fault_in_text)
