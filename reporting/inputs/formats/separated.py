"""Rows separated by commas, tabs, semicolons, bars or blanks; every value is text as written.

A usual file is read as it is. One with comments, a title, no header, blanks between columns, separators at
the ends of lines, or names that are blank or occur twice is written anew first, line by line.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

import polars as pl

from reporting.errors import repeated
from reporting.inputs.formats import text
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.copies import place
from reporting.inputs.formats.numbers import decimal_commas, with_points
from reporting.inputs.values import NO_NUMBERS

SEPARATORS = (",", ";", "\t", "|")
BLANK = " "
"""Where nothing else separates fields, any number of blanks does."""
COMMENTS = ("#", "%", "//")
EXCEL = "sep="
"""How a line begins by which Excel is given the separator."""
FIRST_BYTES = 2**16
FIRST_LINES = 200
"""Lines by which the form of a file is known."""
WIDE = 100
"""Columns beyond which Polars is slow to plan."""
ONLY = "score"
"""What the only column of a file without a header is called."""


class TextForm(NamedTuple):
    """How the rows of a text are written, and what its columns are called."""

    separator: str
    end: str
    names: list[str]
    above: int = 0
    """Lines before the header, or before the first row where there is none."""
    comment: str = ""
    """What lines begin with that are no rows."""
    has_header: bool = True
    is_usual: bool = True
    """Whether Polars reads the file as it is."""
    below: int = 0
    """Rows under the header that say what columns are: those of Orange."""
    shares: tuple[int, int] | None = None
    """Where Weka's probabilities of all classes begin, and how many fields they have."""


def scan_separated(path: Path, reading: Reading, *, separator: str) -> pl.LazyFrame:
    """Scan a file whose values are all text; blank lines are no rows.

    Where the header shows one column, and several by another separator, that one is taken. Numbers get a
    decimal point where their columns show another sign (``numbers``), except in columns that hold names: a
    key 1,5 is not 1.5. Between semicolons a comma is the decimal point where a column shows nothing else.
    """
    form = _form_of(path, separator, reading.header)
    by_semicolons = form.separator == ";"
    if not form.is_usual:
        status = path.stat()
        key = (separator, reading.header)
        path, names = _written_anew(path, key, status.st_mtime_ns, status.st_size)
        form = TextForm("\t", "\n", names)
    scan = partial(
        pl.scan_csv, path, separator=form.separator, eol_char=form.end, infer_schema=False, glob=False
    )
    raw = scan()
    if len(form.names) == len(raw.collect_schema()):
        raw = scan(new_columns=form.names)  # Polars leaves a doubled quote in a name double
    raw = _without_blank_lines(raw)
    columns = [name for name in raw.collect_schema() if name not in reading.names]
    raw = with_points(raw, columns, reading.decimal)
    return decimal_commas(raw, columns) if by_semicolons and reading.decimal != "." else raw


def _without_blank_lines(raw: pl.LazyFrame) -> pl.LazyFrame:
    """Drop rows without a value.

    Polars moves a filter into the scan, at a cost that grows with the cube of the number of columns: 4 s for
    1,000. Wide tables are filtered batch after batch.
    """
    is_row = ~pl.all_horizontal(pl.all().is_null())
    schema = raw.collect_schema()
    if len(schema) <= WIDE:
        return raw.filter(is_row)
    return raw.map_batches(lambda rows: rows.filter(is_row), schema=schema, streamable=True)


def _form_of(path: Path, separator: str, header: bool | None = None) -> TextForm:
    end = "\r" if _ends_in_returns(path) else "\n"
    lines = [line for line in islice(_lines(path, end), FIRST_LINES) if line.strip()]
    comments = _before(lines)
    comment = next((mark for mark in COMMENTS if comments and lines[0].startswith(mark)), "")
    body = [line for line in lines[len(comments) :] if not (comment and line.startswith(comment))]
    separator = _separator(body, separator)
    if lines and lines[0].lower().startswith(EXCEL):
        separator = lines[0].strip()[len(EXCEL) :] or separator
    rows = list(_fields(body, separator))
    title = _title(rows)
    rows = rows[title:]
    first = rows[0] if rows else []
    in_comment = next(_fields([comments[-1].lstrip("#%/ ")], separator), []) if comment else []
    has_header = not _is_headless(rows) if header is None else header
    names, above = first, len(comments) + title
    if not has_header:
        names = numbered(len(first))
        if len(in_comment) == len(first) > 1:
            names = in_comment
    elif len(rows) > 1 and {len(row) for row in rows[1:]} == {len(first) + 1} and rows[1][-1]:
        names = ["row", *first]  # R writes row names, and no name above them
    below = len(ORANGE) if has_header and _is_orange(rows) else 0
    if below or any(name.startswith(OF_CLASS) for name in names):
        names = [re.sub(PREFIX, "", name) for name in names]
    names, shares = _distribution(names, rows)
    # Rows that end in a separator, below a header that does not.
    has_tails = len(rows) > 1 and all(len(row) == len(first) + 1 and not row[-1] for row in rows[1:])
    is_usual = (
        not above
        and has_header
        and separator != BLANK
        and len(names) == len(first)
        and not repeated(names)
        and not (len(names) > 1 and names[-1] == "")
        and not has_tails
        and not below
        and shares is None
        and names == first
    )
    return TextForm(separator, end, names, above, comment, has_header, is_usual, below, shares)


ORANGE = ("continuous", "class")
"""What the two rows under the header of Orange hold: the kind of a column, and what it is for."""
KINDS = {"continuous", "c", "discrete", "d", "string", "s", "time", "t", ""}
USES = {"", "class", "c", "meta", "m", "ignore", "i", "weight", "w"}
OF_CLASS = ("cD#", "cC#", "c#")
"""How Orange marks the class in a header of one row."""
PREFIX = r"^(?:[mciw][CDTS]?|[CDTS])#(?=.)"


def _is_orange(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the rows under the header are those of Orange: kinds or values of columns, then uses."""
    if len(rows) <= 1 + len(ORANGE) or len(rows[1]) != len(rows[0]) or len(rows[2]) != len(rows[0]):
        return False
    kinds, uses = ({cell.strip() for cell in row} for row in rows[1:3])
    listed_values = {kind for kind in kinds if " " in kind}
    return kinds - listed_values <= KINDS and uses <= USES and bool(uses & {"class", "c", "meta", "m"})


SHARES = "distribution"
"""Weka's column with the probabilities of all classes, that of the predicted one after a star."""


def _distribution(
    names: list[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], tuple[int, int] | None]:
    """Return the names with one a class, and where the probabilities are; of other files the names alone."""
    at = names.index(SHARES) if SHARES in names else -1
    first = rows[1] if len(rows) > 1 else []
    if at < 0 or len(first) != len(names):
        return names, None
    fields = next((n for n, name in enumerate(names[at + 1 :], start=1) if name), len(names) - at)
    shares = _shares(first, at, fields)
    if sum(share.startswith("*") for share in shares) != 1:
        return names, None
    by_class = [f"{SHARES} {n}" for n in range(1, len(shares) + 1)]
    return [*names[:at], *by_class, *names[at + fields :]], (at, fields)


def _shares(row: Sequence[str], at: int, fields: int) -> list[str]:
    return ",".join(row[at : at + fields]).split(",")


def _before(lines: Sequence[str]) -> list[str]:
    """Return the lines before all rows that are none by their first signs."""
    if lines and lines[0].lower().startswith(EXCEL) and len(lines[0].strip()) <= len(EXCEL) + 1:
        return list(lines[:1])
    return list(takewhile(lambda line: line.startswith(COMMENTS), lines))


def _separator(lines: Sequence[str], expected: str) -> str:
    """Return what separates fields: the usual sign, or else what makes most of the first line."""
    if not lines or any(len(row) > 1 for row in _fields(lines[:1], expected)):
        return expected
    by_first = {other: len(next(_fields(lines[:1], other), [])) for other in SEPARATORS}
    best = max(by_first, key=lambda other: by_first[other])
    if by_first[best] > 1:
        return best
    widths = {}
    for other in (*SEPARATORS, BLANK):
        (width, n), *_ = Counter(map(len, _fields(lines, other))).most_common(1) or [(0, 0)]
        widths[other] = width if n > len(lines) / 2 else 0
    return max(widths, key=lambda other: widths[other]) if max(widths.values()) > 1 else expected


def _title(rows: Sequence[Sequence[str]]) -> int:
    """Return how many first rows are a title: one field each, above rows of one number of several."""
    many = next((at for at, row in enumerate(rows) if len([field for field in row if field]) > 1), 0)
    if not many or len(rows) < many + 2:
        return 0
    widths = {len(row) for row in rows[many:]}
    return many if len(widths) == 1 else 0


def _is_headless(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row holds values, not names.

    All of it are numbers, but 0, 1, ..., which name classes; or it holds a number above numbers, and that is
    a fraction, or a word of the row occurs again below it.
    """
    if not rows or not rows[0]:
        return False
    first, (pairs, numbers) = list(rows[0]), _numbers_above(rows)
    if not numbers:
        return False
    if len(numbers) == len(first):
        return len(first) == 1 or [_value(name) for name in first] not in (
            list(range(len(first))),
            list(range(1, len(first) + 1)),
        )
    words = any(name and not _is_number(name) and name in held for name, held in pairs)
    return words or any(_value(name) % 1 for name in numbers)


def _numbers_above(rows: Sequence[Sequence[str]]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return what the first row has above every column, and what of it is a number above numbers alone.

    The header of files that were joined occurs whole.
    """
    first, below = list(rows[0]), [row for row in rows[1:] if list(row) != list(rows[0])]
    columns = [[row[at] for row in below if at < len(row) and row[at]] for at in range(len(first))]
    pairs = list(zip(first, columns, strict=True))
    return pairs, [name for name, held in pairs if _is_number(name) and all(map(_is_number, held))]


def header_in_doubt(path: Path, separator: str) -> tuple[list[str], bool]:
    """Return the first row where whole numbers leave open whether it is a header, and whether it is read so.

    Nothing where a fraction or a word of the rows below shows it, or all names are words.
    """
    form = _form_of(path, separator)
    rows = list(islice(_rows(path, form), FIRST_LINES))
    if len(rows) < len(("header", "row")) or form.names[:1] == ["row"]:
        return [], form.has_header
    pairs, numbers = _numbers_above(rows)
    is_fraction = any(_value(name) % 1 for name in numbers)
    repeats = any(name and not _is_number(name) and name in held for name, held in pairs)
    values = [_value(name) for name in numbers]
    are_classes = len(numbers) < len(pairs) and values in (
        list(range(len(values))),
        list(range(1, len(values) + 1)),
    )
    if not numbers or len(pairs) == 1 or is_fraction or repeats or (are_classes and len(values) > 1):
        return [], form.has_header
    if len(numbers) == len(pairs) and any(_value(each) % 1 for _, held in pairs for each in held):
        return [], form.has_header
    return list(rows[0]), form.has_header


def _value(field: str) -> float:
    return float(field.strip().removesuffix("%").replace(",", ".", 1))


def _is_number(field: str) -> bool:
    bare = field.strip()
    if not bare or bare in NO_NUMBERS:
        return False
    try:
        _value(bare)
    except ValueError:
        return False
    return not bare.lower().lstrip("+-").startswith(("inf", "nan")) and "_" not in bare


def numbered(n: int) -> list[str]:
    """Return the names of columns without a header."""
    return [ONLY] if n == 1 else [f"column {at}" for at in range(1, n + 1)]


def _ends_in_returns(path: Path) -> bool:
    """Return whether lines end in carriage returns alone, as far as the beginning of a file shows."""
    with path.open("rb") as file:
        start = file.read(FIRST_BYTES)
    if start.startswith(text.PACKED):
        return "\r" in next(text.lines_of(path), "").rstrip("\r")
    return b"\r" in start.rstrip(b"\r") and b"\n" not in start


def _lines(path: Path, end: str) -> Iterator[str]:
    parts = (part for line in text.lines_of(path) for part in ([line] if end == "\n" else line.split("\r")))
    return (line.removeprefix(text.MARK) for line in parts)


def _fields(lines: Iterable[str], separator: str, *, strict: bool = False) -> Iterator[list[str]]:
    ended = (f"{line.strip() if separator == BLANK else line}\n" for line in lines)
    is_blank = separator == BLANK
    return filter(None, csv.reader(ended, delimiter=separator, skipinitialspace=is_blank, strict=strict))


def _rows(path: Path, form: TextForm, *, strict: bool = False) -> Iterator[list[str]]:
    lines = (line for line in _lines(path, form.end) if line.strip())
    held = islice(lines, form.above, None)
    without = (line for line in held if not (form.comment and line.startswith(form.comment)))
    return _fields(without, form.separator, strict=strict)


@lru_cache(maxsize=64)
def _written_anew(
    path: Path, key: tuple[str, bool | None], modified: int, size: int
) -> tuple[Path, list[str]]:
    form = _form_of(path, *key)
    kept = kept_columns(form.names, _values(path, form))
    copy = place() / path.name
    with copy.open("w", encoding="utf-8", newline="") as file:
        to = csv.writer(file, delimiter="\t", lineterminator="\n")
        to.writerow(kept.values())
        to.writerows([row[at] for at in kept] for row in _values(path, form))
    return copy, list(kept.values())


OPEN_QUOTE = 'a value opens a quote (") and does not end with it; double the quote, and quote the whole value'


def _values(path: Path, form: TextForm) -> Iterator[list[str]]:
    """Read the rows under the header; ValueError for the first of another number of fields."""
    rows, n = _rows(path, form), len(form.names)
    for _ in range(form.has_header + form.below):
        next(rows, None)
    for number, row in enumerate(rows, start=1):
        if form.shares is not None:
            at, fields = form.shares
            row[at : at + fields] = [share.removeprefix("*") for share in _shares(row, at, fields)]
        if len(row) == n + 1 and not row[-1] and not form.is_usual:
            row.pop()
        if len(row) != n:
            of_quote = f"; {OPEN_QUOTE}" if "\n" in row[-1] else ""
            raise ValueError(
                f"row {number} has another number of fields than the header: {len(row)}, not {n}{of_quote}"
            )
        yield row


def kept_columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[int, str]:
    """Return the places of the columns that are kept, and their names.

    A column without name and values goes, and so does one that repeats another of its name; of names that
    occur twice over different values, each gets a number.
    """
    twins: dict[int, int] = {}
    for at, name in enumerate(names):
        if name and name in names[:at]:
            twins[at] = names.index(name)
    blank, other = {at for at, name in enumerate(names) if not name.strip()}, set[int]()
    for row in rows:
        blank -= {at for at in blank if row[at].strip()}
        other |= {at for at, first in twins.items() if row[at] != row[first]}
    doubled = {names[at] for at in other}
    kept: dict[int, str] = {}
    for at, name in enumerate(names):
        if at in blank or (at in twins and at not in other):
            continue
        n = names[: at + 1].count(name)
        new = f"{name} ({n})" if name in doubled else name or f"column {at + 1}"
        kept[at] = new
    return kept


def fault_in_separated(path: Path, separator: str) -> str:
    """Find the first row with another number of fields than the header, or with a quote that nothing closes.

    Rows count from 1, blank ones not.
    """
    if fault := text.fault_in_text(path):
        return fault
    try:
        form = _form_of(path, separator)
        for _ in _values(path, form):
            pass
    except (csv.Error, ValueError) as error:
        return str(error)
    number = 1 - form.has_header
    try:
        for _ in _rows(path, form, strict=True):
            number += 1
    except csv.Error:
        return f"row {number}: {OPEN_QUOTE}"
    return ""


COMMAS, TABS = (
    Reader(partial(scan_separated, separator=sign), partial(fault_in_separated, separator=sign))
    for sign in (",", "\t")
)


def _scan_histogram(path: Path, reading: Reading) -> pl.LazyFrame:
    """Scan a file with a score and a number of trials a line; without a header, they get these names."""
    rows = scan_separated(path, reading, separator="\t")
    return rows.rename(dict(zip(numbered(2), (ONLY, "count"), strict=True)), strict=False)


HISTOGRAM = Reader(_scan_histogram, partial(fault_in_separated, separator="\t"))
