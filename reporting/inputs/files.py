"""Files of rows, opened lazily: what they hold, under the names they give it, and what is wrong with them.

A file's ending shows its kind: Parquet, Arrow, rows separated by commas or tabs, or JSON objects, one
a line. Text may be packed, and is read line by line where Polars does not say what is wrong with it.
"""

from __future__ import annotations

import csv
import glob
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import polars as pl
from polars.exceptions import ComputeError, PanicException, PolarsError
from polars.selectors import by_name

from reporting.errors import UnreadableError, listed, quoted
from reporting.inputs.paths import Kind, kind_of
from reporting.inputs.spec import InMemory, Source

UNREADABLE = (PolarsError, PanicException, OSError)
"""What reading a file raises; over some damage its reader panics."""


def open_file(source: Source, names: Collection[str] = ()) -> pl.LazyFrame:
    """Scan one source, exactly that one (a name may look like a glob), with what its path gives of its rows.

    Kinds of text are read as text: nothing is guessed of what it means, but that between semicolons the
    comma of a number is its decimal point, in all columns but ``names``. DataError where it cannot be read.
    A table in memory is taken as it is.
    """
    if isinstance(source, InMemory):
        return source.frame.lazy()
    try:
        str(source.path).encode()
    except UnicodeEncodeError:
        raise UnreadableError(
            f"{str(source.path)!a}: its path is not UTF-8, rename the file or folder"
        ) from None
    try:
        raw = _SCANS[_kind(source.path)](source.path, names)
        schema = raw.collect_schema()
    except (*UNREADABLE, ValueError, csv.Error) as error:
        raise UnreadableError(f"{source.name}: cannot be read: {cause(source, error)}") from None
    for name, _ in source.path_values:
        if name in schema:
            raise UnreadableError(f"{source.name}: column {quoted(name)} is both in the file and in its path")
    return raw.with_columns(pl.lit(text).alias(name) for name, text in source.path_values)


def _kind(path: Path) -> Kind:
    return kind_of(path.name) or "parquet"


def cause(source: Source, error: Exception) -> str:
    """Say why a file cannot be read: what is wrong with it where, or else the reader's own message."""
    if isinstance(source, InMemory):
        return first_line(error)
    path, kind = source.path, _kind(source.path)
    try:
        return _fault(path, kind) or first_line(error)
    except OSError as its_own:
        # Put in the user's words what the system reports.
        if isinstance(its_own, PermissionError):
            return "permission denied"
        packed = ("unexpected end of file", "incomplete frame")
        return "it is cut off" if str(its_own) in packed else first_line(its_own)
    except PolarsError:
        return first_line(error)


def _fault(path: Path, kind: Kind) -> str:
    """Look for what is wrong with a file; an empty text where nothing is found."""
    if path.stat().st_size == 0:
        return "it is empty"
    if kind in ("parquet", "ipc"):
        return _ends(path, kind)
    if strange := not_utf8(path):
        return strange
    first = next((line for line in lines_of(path) if line.strip()), None)
    if first is None:
        return "it holds nothing"
    if kind != "ndjson":
        return fault_in_separated(path, _SEPARATED[kind])
    if "\r" in first.rstrip("\r"):
        return "its lines end in carriage returns alone; save it with line feeds"
    return fault_in_json_lines(path)


_SEPARATED: Mapping[Kind, str] = {"csv": ",", "tsv": "\t"}
_MARKS: Mapping[Kind, tuple[bytes, str]] = {"parquet": (b"PAR1", "Parquet"), "ipc": (b"ARROW1", "Arrow")}
"""What files of each kind begin and end with."""


def _ends(path: Path, kind: Kind) -> str:
    """Find a file that is truncated, or of another kind, by its first and last bytes."""
    mark, word = _MARKS[kind]
    with path.open("rb") as file:
        first = file.read(8)
        file.seek(-min(8, path.stat().st_size), 2)
        last = file.read()
    if first.startswith(b"FEA1"):
        return "it is of version 1 of Feather; save it as version 2"
    if first.startswith(b"\xff\xff\xff\xff") and kind == "ipc":
        return "it is a stream of Arrow records; save it as an Arrow file"
    if not first.startswith(mark):
        return f"it is not {word}: {mark.decode()} is missing at its beginning"
    return "" if last.endswith(mark) else f"it is cut off: {mark.decode()} is missing at its end"


def first_line(error: Exception) -> str:
    """Return the first line of another library's message; one that ends in a panic has none for readers."""
    if isinstance(error, PanicException):
        return "it is damaged inside: its bytes do not hold together"
    return str(error).strip().partition("\n")[0]


SEPARATORS = (",", ";", "\t", "|")
DECIMAL_COMMA = r"^\s*[+-]?[0-9]+,[0-9]+([eE][+-]?[0-9]+)?\s*$"


class TextForm(NamedTuple):
    """How the rows of a text are written: what separates columns, what ends lines, the header."""

    separator: str
    end: str
    names: list[str]


def scan_separated(path: Path, separator: str, names: Collection[str] = ()) -> pl.LazyFrame:
    """Scan a file whose values are all text; blank lines are no rows.

    Where the header shows one column, and several by another separator, that one is taken. Between semicolons
    a comma is the decimal point of a number, except in columns of ``names``: a key 1,5 is not 1.5.
    """
    form = _form_of(path, separator)
    twice = [name for name, n in Counter(form.names).items() if n > 1]
    if twice:  # Polars would rename it
        raise UnreadableError(
            f"{path.name}: column {listed(map(quoted, twice))} occurs more than once in the header"
        )
    scan = partial(
        pl.scan_csv, path, separator=form.separator, eol_char=form.end, infer_schema=False, glob=False
    )
    raw = scan()
    if len(form.names) == len(raw.collect_schema()):
        raw = scan(new_columns=form.names)  # Polars leaves a doubled quote in a name double
    if form.separator == ";":
        numbers = by_name([name for name in raw.collect_schema() if name not in names])
        comma = numbers.as_expr().str.contains(DECIMAL_COMMA)
        raw = raw.with_columns(
            pl.when(comma)
            .then(numbers.as_expr().str.replace(",", ".", literal=True))
            .otherwise(numbers.as_expr())
        )
    return raw.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines


def _form_of(path: Path, separator: str) -> TextForm:
    end = "\r" if _ends_in_returns(path) else "\n"
    names = next(_rows(path, separator, end), [])
    if len(names) == 1:
        by_others = {other: next(_rows(path, other, end), []) for other in SEPARATORS if other in names[0]}
        separator, names = max(by_others.items(), key=lambda it: len(it[1]), default=(separator, names))
    return TextForm(separator, end, names)


FIRST_BYTES = 2**16


def _ends_in_returns(path: Path) -> bool:
    """Return whether lines end in carriage returns alone, as far as the beginning of a file shows."""
    with path.open("rb") as file:
        start = file.read(FIRST_BYTES)
    if start.startswith(PACKED):
        return "\r" in next(lines_of(path), "").rstrip("\r")
    return b"\r" in start.rstrip(b"\r") and b"\n" not in start


def _rows(path: Path, separator: str, end: str) -> Iterator[list[str]]:
    """Read the rows that are not blank, the header first."""
    parts = (part for line in lines_of(path) for part in ([line] if end == "\n" else line.split("\r")))
    lines = (line.removeprefix(MARK) + "\n" for line in parts)
    return filter(None, csv.reader(lines, delimiter=separator))


def fault_in_separated(path: Path, separator: str) -> str:
    """Find the first row with another number of fields than the header; rows count from 1, blank ones not."""
    try:
        form = _form_of(path, separator)
        rows = _rows(path, form.separator, form.end)
        width = len(next(rows, []))
        for number, fields in enumerate(rows, start=1):
            if len(fields) != width:
                return (
                    f"row {number} has another number of fields than the header: {len(fields)}, not {width}"
                )
    except csv.Error as error:
        return str(error)
    return ""


def scan_json_lines(path: Path) -> pl.LazyFrame:
    """Scan a file whose values become text as written, so that a key ``"007"`` stays what it is.

    A number comes out as the shortest text that reads back the same, a list or mapping as JSON; a name that
    an object lacks is null.
    """
    status = path.stat()
    names = _names(path, status.st_mtime_ns, status.st_size)
    if not names:
        raise ValueError("no line holds a value")
    return pl.scan_ndjson(_literal(path), schema=dict.fromkeys(names, pl.String()))


def _literal(path: Path) -> str:
    """There is no other way to say that the name of a file is no pattern."""
    return glob.escape(str(path))


@lru_cache(maxsize=1024)
def _names(path: Path, modified: int, size: int) -> tuple[str, ...]:
    """Return the names that occur in any object; ValueError for the first line that is none.

    All lines are read, once as long as the file stays what it is.
    """
    try:
        names = tuple(pl.scan_ndjson(_literal(path), infer_schema_length=None).collect_schema())
    except PolarsError:  # values of several kinds, or a fault
        return _names_one_by_one(path)
    return _names_one_by_one(path) if _may_repeat(path, names) else names


def _may_repeat(path: Path, names: tuple[str, ...]) -> bool:
    """Return whether a name may occur twice in an object, of which Polars would take the first."""
    line = pl.col("line")
    twice = [line.str.count_matches(rf"{re.escape(json.dumps(name))}\s*:") > 1 for name in names]
    lines = pl.scan_lines(path, glob=False).select(pl.any_horizontal(twice).any())
    return bool(lines.collect(engine="streaming").item())


def _names_one_by_one(path: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in _objects(path) for name in row))


def fault_in_json_lines(path: Path) -> str:
    """Say which line is the first that is not a JSON object; an empty text where all are."""
    try:
        for _ in _objects(path):
            pass
    except ValueError as error:
        return str(error)
    return ""


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    """Read the objects; ValueError for the first fault, with the number of its line, from 1."""
    decode = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once).decode
    for number, line in enumerate(lines_of(path), start=1):
        if line.startswith(MARK):
            raise ValueError("it begins with a byte order mark, which JSON has not; save it without")
        if not line.strip():
            continue
        try:
            row = decode(line)
        except RecursionError:
            raise ValueError(f"line {number} is nested too deeply") from None
        except json.JSONDecodeError as error:
            raise ValueError(f"line {number} is not JSON (character {error.pos + 1}: {error.msg})") from None
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise ValueError(f'line {number} is not an object, such as {{"model": "A", "score": 0.5}}')
        yield row


def _refuse(word: str) -> NoReturn:
    raise ValueError(f'{word} is not a number in JSON; write null, or "{word}" in quotes')


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return row


AT_ONCE = 10_000
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""What files packed by gzip and Zstandard begin with."""
MARK = "\ufeff"
"""The byte order mark that some programs write first."""


def lines_of(path: Path) -> Iterator[str]:
    """Read the lines of a UTF-8 text, without their ends, a few at a time."""
    for batch in pl.scan_lines(path, glob=False).collect_batches(chunk_size=AT_ONCE, lazy=True):
        yield from batch.to_series()


def not_utf8(path: Path) -> str:
    """Say which line is the first that is not UTF-8; an empty text where all are."""
    with path.open("rb") as file:
        packed = file.read(4).startswith(PACKED)
    return _in_packed(path) if packed else _in_plain(path)


def _is_text(path: Path) -> bool:
    try:
        return all(True for _ in lines_of(path))
    except ComputeError:
        return False


def _in_plain(path: Path) -> str:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return _not_utf8(f"byte 0x{line[error.start]:02x} in line {number}")
    return ""


def _in_packed(path: Path) -> str:
    """Find a line by the sign that takes the place of what is not UTF-8."""
    if _is_text(path):
        return ""
    lines = pl.scan_csv(
        path,
        glob=False,
        has_header=False,
        infer_schema=False,
        separator="\x01",
        quote_char=None,
        encoding="utf8-lossy",
        new_columns=["line"],
        row_index_name="number",
        row_index_offset=1,
    )
    strange = lines.filter(pl.col("line").str.contains("\ufffd", literal=True)).head(1).collect()
    return _not_utf8(f"in line {strange['number'][0]}") if strange.height else ""


def _not_utf8(where: str) -> str:
    return f"not UTF-8 text ({where}); save as UTF-8"


_SCANS: Mapping[Kind, Callable[[Path, Collection[str]], pl.LazyFrame]] = {
    "parquet": lambda path, _: pl.scan_parquet(path, glob=False, hive_partitioning=False),
    "ipc": lambda path, _: pl.scan_ipc(path, glob=False, hive_partitioning=False),
    "csv": lambda path, names: scan_separated(path, ",", names),
    "tsv": lambda path, names: scan_separated(path, "\t", names),
    "ndjson": lambda path, _: scan_json_lines(path),
}
"""How each kind of file is opened."""
