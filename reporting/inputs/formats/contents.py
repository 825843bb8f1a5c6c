"""What the first bytes of a file show, where its name shows another format."""

from __future__ import annotations

from pathlib import Path

from reporting.inputs.formats.catalogue import ARROW, OLE, PARQUET, ZIP, Format

SIGNATURES = {
    b"PAR1": ("Parquet", ".parquet"),
    b"ARROW1": ("Arrow", ".arrow"),
    ZIP: ("a ZIP archive or a workbook of Excel or OpenDocument", ".zip, .xlsx or .ods"),
    OLE: ("a workbook of Excel before 2007", ".xls"),
    b"\x93NUMPY": ("a NumPy array", ".npy"),
    b"MATLAB 5.0 MAT": ("MATLAB variables", ".mat"),
    b"MATLAB 7.3 MAT": ("MATLAB variables", ".mat"),
    b"$FL": ("SPSS data", ".sav .zsav"),
    b"<stata_dta>": ("Stata data", ".dta"),
    b"HEADER RECORD*******LIB": ("a SAS transport file", ".xpt"),
    b"\0" * 12 + b"\xc2\xea\x81\x60": ("SAS data", ".sas7bdat"),
    b"BZh": ("bytes packed by bzip2", ".bz2"),
    b"\xfd7zXZ\0": ("bytes packed by xz", ".xz"),
    **dict.fromkeys(
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"), ("pickled objects, which may run code", "")
    ),
    b"%PDF-": ("a PDF document", ""),
    b"\x89HDF\r\n\x1a\n": ("HDF5", ""),
    b"SQLite format 3\0": ("a SQLite database", ""),
    b"\x89PNG\r\n": ("a picture", ""),
}
"""By first bytes: what a file holds, and how the name of one ends that is read."""
WRITTEN = (".por", ".xpt")
"""Ends of the names of data of SPSS and SAS that are text."""
LONGEST = 512


def contradiction(path: Path, kind: Format) -> str:
    """Say what a file holds in place of what its name shows; an empty text where nothing contradicts it."""
    with path.open("rb") as file:
        start = file.read(LONGEST)
    if not start or start.startswith(kind.begins or b"\0\0never"):
        return ""
    for mark, (what, ends) in SIGNATURES.items():
        if start.startswith(mark):
            return "" if path.suffix.lower() in ends.split() else _message(kind, what, ends)
    is_text = all(byte >= 32 or byte in b"\t\r\n\f" for byte in start)
    if kind in (PARQUET, ARROW) or kind.is_text or path.suffix.lower() in WRITTEN or not is_text:
        return ""
    if b"<html" in start.lower() or b"<table" in start.lower():
        return _message(kind, "a page of HTML", "")
    return _message(kind, "text", ".csv, .tsv or .txt")


def shown_by_content(path: Path) -> str:
    """Say what a file of an unknown name holds, and what to do; empty where nothing shows it."""
    with path.open("rb") as file:
        start = file.read(LONGEST)
    held = next((held for mark, held in SIGNATURES.items() if start.startswith(mark)), None)
    return f"it holds {held[0]}{_way_out(held[1])}" if held else ""


def _message(kind: Format, what: str, ends: str) -> str:
    return f"its name shows {kind.word}, but it holds {what}{_way_out(ends)}"


def _way_out(ends: str) -> str:
    return f"; rename it so that it ends in {ends}" if ends else "; export it as CSV"
