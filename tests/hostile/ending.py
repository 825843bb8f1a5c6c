"""How a command ended: judged by the contract, from its exit code to the last byte that it left."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
from command import Ended

from reporting.errors import ReportingError
from tests.hostile.texts import MARKER

CODES = (0, 1, 2)
"""A command may also fail by itself (3), but not by what it is given."""
VERDICTS = {
    0: "verified: all ",
    1: "not verified: files differ",
    2: "no difference found, but not everything could be compared",
}
"""How the last line of ``verify`` begins, which may end with 2 and print what it could compare."""
LONGEST_MESSAGE = 4_000
"""Characters of one message."""


def faults_of(ended: Ended) -> Iterator[str]:
    """Yield what the contract does not allow: the exit code, and what was printed."""
    lines = ended.stderr.splitlines()
    if ended.returncode not in CODES:
        yield f"exit {ended.returncode}: {(lines or ['nothing printed'])[-1][:300]}"
    if "Traceback" in ended.stderr + ended.stdout:
        yield "a traceback is printed"
    if VERDICTS.get(ended.returncode, "\0") in ended.stdout:
        yield from _faults_of_verdict(ended)
    elif ended.returncode == 2:
        yield from _faults_of_messages(ended)
    for c in set(ended.stdout + ended.stderr) - {"\n"}:
        if unicodedata.category(c) in ("Cc", "Cs"):
            yield f"U+{ord(c):04X} is printed as it is"
    if ended.returncode == 0 and not ended.stdout.strip():
        yield "exit 0 without a line on stdout"


def _faults_of_verdict(ended: Ended) -> Iterator[str]:
    """Yield what is wrong with what ``verify`` prints."""
    *lines, last = ended.stdout.splitlines()
    if not last.startswith(VERDICTS[ended.returncode]):
        yield f"status {ended.returncode} ends with {last[:100]!r}"
    reasons = [line for line in lines if line.startswith("cannot be verified: ")]
    if ended.returncode == 2 and not reasons:
        yield "status 2 without a reason"
    for line in reasons:
        yield from _faults_of_message(line)
    for line in lines:
        if len(line) > LONGEST_MESSAGE:
            yield f"a line of {len(line)} characters: {line[:200]}"


def _faults_of_messages(ended: Ended) -> Iterator[str]:
    lines = ended.stderr.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    if not errors and not ended.stderr.startswith("Usage:"):
        yield f"exit 2 without a message: {ended.stderr[:200]!r}"
    if ended.stdout:
        yield "exit 2, and something on stdout"
    if len(set(errors)) < len(errors):
        yield f"one message twice: {next(e for e in errors if errors.count(e) > 1)[:300]}"
    for line in errors:
        if re.fullmatch(r"error: [^:]*:?\s*", line) and len(line) < 20:
            yield f"a message that says nothing: {line}"
        yield from _faults_of_message(line)
    if any("cannot be drawn" in line for line in errors):
        yield f"a figure ended the run: {errors[0][:300]}"


def _faults_of_message(line: str) -> Iterator[str]:
    if len(line) > LONGEST_MESSAGE:
        yield f"a message of {len(line)} characters: {line[:200]}"
    if strange := re.search(FOREIGN, line):
        yield f"words of another library ({strange[0]}): {line[:300]}"


def faults_of_result(result: object) -> Iterator[str]:
    """Yield what the contract does not allow in what a call returns: a message, a text for a page, a frame."""
    if isinstance(result, ReportingError):
        lines = result.faults
        if not lines or min(map(len, lines)) < 10:
            yield f"a message that says nothing: {lines!r}"
        for line in lines:
            yield from _faults_of_message(line)
            if odd := {c for c in line if unicodedata.category(c) in ("Cc", "Cs")}:
                yield f"{odd!a} in a message: {line[:300]!a}"
    elif isinstance(result, str) and "<" in result[:5]:
        yield from _faults_of_page(f"<!doctype html><html><body>{result}</body></html>")
    elif isinstance(result, str):
        yield from (
            f"{c!a} is printed as it is"
            for c in set(result) - {"\n"}
            if unicodedata.category(c) in ("Cc", "Cs")
        )
    elif hasattr(result, "as_raw_html"):
        yield from _faults_of_page(result.as_raw_html())
    elif isinstance(result, pl.DataFrame) and "status" in result.columns:
        nan = [column.name for column in result if column.dtype.is_float() and column.is_nan().any()]
        yield from (f"NaN in the column {name}" for name in nan)


FOREIGN = (
    r"pydantic|polars|ndarray|NoneType|object at 0x|__\w+__\(|Resolved plan until failure|jinja2|ComputeError"
)
"""What belongs into a traceback."""


def digests(folder: Path) -> dict[str, str]:
    """Return what stands in a folder: the digest of every file, by its path."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def faults_of_report(folder: Path) -> Iterator[str]:
    """Yield what is broken in a report: files that cannot be read, and texts that act."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        if path.suffix == ".parquet":
            pl.read_parquet(path)
            continue
        if path.suffix in READERS:
            text = path.read_bytes().decode("utf-8")
            name = path.relative_to(folder)
            for c in set(text) - set("\n\t\r") if path.name != "manifest.json" else ():
                if unicodedata.category(c) in ("Cc", "Cs") or c in "\u202a\u202b\u202d\u202e\ufffe\uffff":
                    yield f"{name}: U+{ord(c):04X} in the file"
            yield from (f"{name}: {fault}" for fault in READERS[path.suffix](text))


def _faults_of_json(text: str) -> Iterator[str]:
    constants: list[str] = []
    try:
        json.loads(text, parse_constant=lambda word: constants.append(word))
    except ValueError as error:
        yield f"not JSON: {error}"
    yield from (f"{word} is no JSON" for word in constants)


def _faults_of_xml(text: str) -> Iterator[str]:
    try:
        tree = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield f"not XML: {error}"
        return
    for element in tree.iter():
        tag = element.tag.rpartition("}")[2]
        if tag in ("script", "foreignObject", "iframe", "img"):
            yield f"a tag <{tag}>"
        for key, value in element.attrib.items():
            if key.lower().startswith("on") or value.lower().lstrip().startswith("javascript:"):
                yield f"an attribute {key}={value!r}"


class _Page(HTMLParser):
    """Collects what acts in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []
        self._in: str = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        kind = dict(attrs).get("type")
        self._in = "data" if tag == "script" and kind == "application/json" else tag
        for key, value in attrs:
            leads = key in ("href", "src", "action", "formaction", "data", "xlink:href")
            if key.startswith("on") or (leads and (value or "").lower().lstrip().startswith("javascript:")):
                self.acts.append(f"an attribute {key}={value!r}")
        if tag in ("iframe", "object", "embed", "base") or (tag == "img" and dict(attrs).get("src") == "x"):
            self.acts.append(f"a tag <{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script" and MARKER in data and not data.lstrip().startswith(("{", "[")):
            self.acts.append(f"a script: {data[:100]!r}")
        if self._in == "style" and "display:none}" in data.replace(" ", "") and "*{display" in data:
            self.acts.append("a style")


def _faults_of_page(text: str) -> Iterator[str]:
    page = _Page()
    page.feed(text)
    yield from page.acts


def _faults_of_tex(text: str) -> Iterator[str]:
    for word in (r"\input{/etc", r"\write18", r"\openout", r"\csname x", r"\include{x"):
        if word in text:
            yield f"{word} as it is"


def _faults_of_cells(text: str) -> Iterator[str]:
    for row in csv.reader(text.splitlines(keepends=True)):
        for cell in row:
            if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not re.fullmatch(
                r"[-+]?[\d.,eE+-]*(inf)?", cell
            ):
                yield f"a formula: {cell[:60]!r}"


def _faults_of_markdown(text: str) -> Iterator[str]:
    if re.search(r"(?<!\\)<(script|img|svg|iframe|b>)", text):
        yield "a tag as it is"
    if re.search(r"(?<!\\)\]\(javascript:", text):
        yield "a link to a script"


READERS = {
    ".json": _faults_of_json,
    ".svg": _faults_of_xml,
    ".xml": _faults_of_xml,
    ".html": _faults_of_page,
    ".tex": _faults_of_tex,
    ".csv": _faults_of_cells,
    ".md": _faults_of_markdown,
}
