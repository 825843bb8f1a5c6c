"""The formats of files that hold tables, known by the ends of their names; ``FORMATS`` lists them.

Nothing here imports what reads a format: a config is read without Polars.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reporting.base.extensions import attribute, extra
from reporting.base.records import dataclass

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Reading:
    """What helps to read a file: what a config states of it, and which columns hold no numbers."""

    names: frozenset[str] = frozenset()
    """Columns that hold names, in which a comma is a letter."""
    decimal: str = ""
    """The decimal sign of all numbers, a point or a comma; empty: what each column shows."""
    header: bool | None = None
    """Whether the first line names the columns; None: what the lines show."""
    sheet: str = ""
    """The sheet of a workbook, or the table of a file that holds several; empty: the only one."""


class Reader(NamedTuple):
    """How the files of a format are read."""

    scan: Callable[[Path, Reading], pl.LazyFrame]
    """Return the rows, lazily, under the file's own names."""
    fault: Callable[[Path], str]
    """Look for what is wrong with a file that could not be scanned; an empty text where nothing is found."""


@dataclass(frozen=True)
class Format:
    """A format of files. ``reader``: where its ``Reader`` is, as MODULE:NAME in this folder."""

    word: str
    suffixes: tuple[str, ...]
    reader: str
    holds: str = ""
    """What its files hold, for readers."""
    is_text: bool = False
    """Whether it is UTF-8 text, which may also be packed."""
    in_folders: bool = True
    """Whether a folder that is a source means such files too; else they are read where they are named."""
    begins: tuple[bytes, ...] = ()
    """What files begin with, one of these, where that distinguishes them from others."""
    extra: str = ""
    """The extra of this package that brings the library that reads it; empty: none is needed."""

    @property
    def opened(self) -> Reader:
        """Its reader; ConfigError where the library that it needs is not installed."""
        with extra(self.extra, f"a file {self.suffixes[0]}"):
            reader: Reader = attribute(*f"{__package__}.{self.reader}".split(":"))
        return reader


PARQUET = Format("parquet", (".parquet", ".pq"), "columnar:OF_PARQUET", "Parquet", begins=(b"PAR1",))
ARROW = Format(
    "arrow", (".arrow", ".ipc", ".feather"), "columnar:OF_ARROW", "Arrow, Feather", begins=(b"ARROW1",)
)
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
OF_R = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"X\n", b"A\n", b"B\n", b"RDX", b"RDA", b"RDB")
"""What R saves: packed, or a word for its encoding."""
FORMATS = (
    PARQUET,
    ARROW,
    Format(
        "csv",
        (".csv",),
        "separated:COMMAS",
        "text; commas, semicolons, tabs, bars or blanks between columns",
        is_text=True,
    ),
    Format("tsv", (".tsv", ".tab"), "separated:TABS", "text; tabs between columns", is_text=True),
    Format(
        "ndjson", (".ndjson", ".jsonl"), "json_lines:JSON_LINES", "JSON lines: an object a line", is_text=True
    ),
    Format(
        "text",
        (".txt", ".dat"),
        "separated:TABS",
        "text with any of these separators",
        is_text=True,
        in_folders=False,
    ),
    Format("arff", (".arff",), "arff:ARFF", "Weka", is_text=True),
    Format(
        "histogram",
        (".hist",),
        "separated:HISTOGRAM",
        "numbers of trials at each score of one class",
        is_text=True,
    ),
    Format(
        "json",
        (".json",),
        "json_tables:JSON",
        "a list of objects, columns by name, or columns and data",
        is_text=True,
        in_folders=False,
    ),
    Format(
        "imrmc",
        (".imrmc",),
        "reader_study:READER_STUDY",
        "reader studies of iMRMC (FDA): readers, modalities, cases and truth",
        is_text=True,
    ),
    Format("numpy", (".npy", ".npz"), "arrays:NUMPY", "NumPy arrays", begins=(b"\x93NUMPY", ZIP)),
    Format("matlab", (".mat",), "arrays:MATLAB", "MATLAB, up to version 7"),
    Format(
        "excel",
        (".xlsx", ".xlsm", ".xls"),
        "sheets:SHEETS",
        "workbooks of Excel",
        begins=(ZIP, OLE),
        extra="excel",
    ),
    Format("ods", (".ods",), "sheets:SHEETS", "workbooks of OpenDocument", begins=(ZIP,), extra="excel"),
    Format("stata", (".dta",), "statistics:STATISTICS", "Stata", extra="statistics"),
    Format("spss", (".sav", ".zsav", ".por"), "statistics:STATISTICS", "SPSS", extra="statistics"),
    Format("sas", (".sas7bdat", ".xpt"), "statistics:STATISTICS", "SAS", extra="statistics"),
    Format("r", (".rds", ".rda", ".rdata"), "r_data:R_DATA", "data frames of R", begins=OF_R, extra="r"),
    Format(
        "zip",
        (".zip",),
        "separated:COMMAS",
        "archives of tables of any of these formats",
        begins=(ZIP,),
        in_folders=False,
    ),
)
"""In the order in which messages name them."""
PACKED = (".gz", ".zst", ".bz2", ".xz")
"""What may follow the ends of text."""
ARCHIVES = (".zip",)
"""The ends of archives, which hold one table of any format."""
HALF_WRITTEN = (".part", ".partial", ".filepart", ".crdownload", ".tmp")
"""What programs add to the name of a file until it is whole."""
READABLE = (
    f"{', '.join(suffix for each in FORMATS for suffix in each.suffixes)};"
    f" those of text also with {', '.join(PACKED[:-1])} or {PACKED[-1]}"
)


def format_of(name: str) -> Format | None:
    """Return the format of a file of this name; None: it is none that is read."""
    lower = name.lower()
    bare = next((lower.removesuffix(end) for end in PACKED if lower.endswith(end)), lower)
    known = next((each for each in FORMATS if bare.endswith(each.suffixes)), None)
    return known if known and (bare == lower or known.is_text) else None


def is_table(name: str) -> bool:
    """Return whether the name alone shows a table, so that a folder of them is a source."""
    known = format_of(name)
    return known is not None and known.in_folders


def word_of(name: str) -> str:
    """Return the word of the format of a file of this name; empty for none."""
    known = format_of(name)
    return known.word if known else ""


def is_half_written(name: str) -> bool:
    """Return whether the name is that of a table that is still being written."""
    lower = name.lower()
    return any(lower.endswith(end) and is_table(lower.removesuffix(end)) for end in HALF_WRITTEN)
