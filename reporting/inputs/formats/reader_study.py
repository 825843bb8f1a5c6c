"""Reader studies as the FDA's iMRMC takes them: free text, ``BEGIN DATA:``, then a reading a line.

A reading is the reader, the case, the modality and the score; the truth of a case, 0 or 1, is the score of
the reader ``-1`` by the modality ``0`` (``truth`` and ``truth`` in files of the R package).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import dropwhile, islice
from pathlib import Path

import polars as pl

from reporting.errors import listed, quoted
from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.whole import check_size
from reporting.inputs.values import number

BEGIN = "begin data"
OF_READING = ("reader", "case", "modality", "score")
TRUTHS = ("-1", "truth")
"""What the reader of a truth is called."""


def scan_reader_study(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return a row per reading: reader, case, modality, truth, score.

    ValueError where the lines are no readings, a case has no truth or two, or a reader has read a case twice
    in one modality.
    """
    check_size(path.stat().st_size)
    held = list(_fields(path))
    if not held:
        raise ValueError("it holds no readings: no line 'BEGIN DATA:' with lines below it")
    for line, row in held:
        if len(row) != len(OF_READING):
            raise ValueError(f"line {line} has {len(row)} fields; expected reader, case, modality and score")
    rows = pl.DataFrame([row for _, row in held], schema=dict.fromkeys(OF_READING, pl.String()), orient="row")
    is_truth = pl.col("reader").str.to_lowercase().is_in(TRUTHS)
    truths = rows.filter(is_truth).select("case", truth="score")
    readings = rows.filter(~is_truth)
    _check(truths, readings)
    joined = readings.join(truths, on="case", how="left", maintain_order="left")
    return joined.select("reader", "case", "modality", "truth", "score").lazy()


def _fields(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of the lines below ``BEGIN DATA:``, each with the number of its line."""
    numbered = enumerate(text.lines_of(path), start=1)
    below = dropwhile(lambda each: not each[1].strip().lower().startswith(BEGIN), numbered)
    for line, content in islice(below, 1, None):
        if content.strip():
            yield line, [field.strip() for field in next(csv.reader([content]))]


def _check(truths: pl.DataFrame, readings: pl.DataFrame) -> None:
    odd = truths.filter(~number(pl.col("truth")).is_in([0.0, 1.0]).fill_null(value=False))
    twice = truths.filter(pl.col("case").is_duplicated())
    without = readings.filter(~pl.col("case").is_in(truths["case"].implode()))
    again = readings.filter(pl.struct("reader", "case", "modality").is_duplicated())
    for cases, fault in (
        (odd, "the truth of a case is 0 or 1, found another for case"),
        (twice, "more than one truth (a line of reader -1) for case"),
        (without, "no truth (a line of reader -1, modality 0) for case"),
        (again, "more than one score of a reader in one modality for case"),
    ):
        if cases.height:
            names = cases["case"].unique(maintain_order=True)
            raise ValueError(f"{fault} {listed(map(quoted, names), 3)}")


READER_STUDY = Reader(scan_reader_study, text.fault_in_text)
