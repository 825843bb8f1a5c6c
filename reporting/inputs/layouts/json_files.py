"""Files of JSON that are no tables: whole, line by line, or in the archive of an Inspect log."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import polars as pl

from reporting.errors import DataError, UnreadableError, listed, quoted
from reporting.inputs.files import UNREADABLE, cause, first_line
from reporting.inputs.formats.copies import beyond_limit, plain
from reporting.inputs.formats.text import lines_of
from reporting.inputs.formats.whole import MEGABYTE
from reporting.inputs.layouts.raw import source_name
from reporting.inputs.spec import File, TrialSpec, readable


def json_files(spec: TrialSpec, passed_over: re.Pattern[str]) -> list[File]:
    """Return the sources that are files, but for those whose names say that they are none of the layout's."""
    files = []
    for source in readable(spec.sources):
        if not isinstance(source, File):
            raise UnreadableError(
                f"{source.name}: layout {spec.layout} is one of files, not of tables in memory"
            )
        files.append(source)
    kept = [file for file in files if not passed_over.fullmatch(origin_path(file).name)]
    if not kept:
        raise DataError(
            f"layout {spec.layout}: no file is one of it (found: {listed(f.name for f in files)})"
        )
    return kept


def origin_path(source: File) -> PurePath:
    """Return the path of a file, or its address where it was fetched."""
    return PurePath(source.origin.name) if source.origin else source.path.absolute()


def read_json(file: File) -> Any:
    """Read a file that is one value of JSON."""
    try:
        return _parsed(file.path.read_bytes(), f"{source_name(file)}: it")
    except OSError as error:
        raise UnreadableError(f"{source_name(file)}: cannot be read: {first_line(error)}") from None


def json_lines(file: File) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Read the lines of a file as objects, each with its number from 1; blank ones are passed over."""
    for number, line in text_lines(file):
        row = _parsed(line, f"{source_name(file)}: line {number}")
        if not isinstance(row, dict):
            raise UnreadableError(f"{source_name(file)}: line {number} is not an object")
        yield number, row


def text_lines(file: File) -> Iterator[tuple[int, str]]:
    """Read the lines of a file that are not blank, each with its number from 1; the file may be packed."""
    lines = enumerate(lines_of(plain(file.path)), start=1)
    try:
        yield from ((number, line.strip()) for number, line in lines if line.strip())
    except UNREADABLE as error:
        raise UnreadableError(f"{source_name(file)}: cannot be read: {cause(file, error)}") from None


def _parsed(text: str | bytes, where: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise UnreadableError(f"{where} is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{where} is not JSON (character {error.pos + 1}: {error.msg})") from None
    except ValueError as error:  # not UTF-8, or a number of too many digits
        raise UnreadableError(f"{where} is not JSON: {error}") from None


def as_text(value: Any) -> str:
    """Return a value as text that can be written; half a character is written as its number."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "backslashreplace").decode()


def number_of(value: Any, what: str) -> float | None:
    """Return a score as a number, None where there is none; DataError where it is something else."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} is {quoted(as_text(value))}, not a number") from None


ZSTANDARD = 93
"""The number of this packing in ZIP files; ``zipfile`` knows it from Python 3.14 on."""


def read_archive(file: File, megabytes: int) -> Mapping[str, Any] | None:
    """Read the header and the summaries of samples from an ``.eval`` file; None where it is no archive.

    A member may be packed with deflate or Zstandard. DataError where they unpack to more than ``megabytes``.
    """
    name = source_name(file)
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = {each.filename: each for each in archive.infolist()}
            wanted = ("header.json", "summaries.json")
            missing = [quoted(each) for each in wanted if each not in members]
            if missing:
                raise UnreadableError(
                    f"{name}: {listed(missing)} is missing in the log; an unfinished evaluation has none"
                )
            if sum(members[each].file_size for each in wanted) > megabytes * MEGABYTE:
                raise DataError(beyond_limit(name, megabytes))
            header, samples = (
                _parsed(_member(file, archive, members[each]), f"{name}: {each}") for each in wanted
            )
    except zipfile.BadZipFile as error:
        with file.path.open("rb") as held:
            is_archive = held.read(2) == b"PK" or zipfile.is_zipfile(file.path)
        if is_archive:
            raise UnreadableError(f"{name}: cannot be read: {first_line(error)}") from None
        return None
    except (*UNREADABLE, NotImplementedError, EOFError, zlib.error) as error:
        raise UnreadableError(f"{name}: cannot be read: {first_line(error)}") from None
    return {**header, "samples": samples} if isinstance(header, dict) else {}


def _member(file: File, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    with file.path.open("rb") as held:
        held.seek(member.header_offset)
        head = held.read(30)
        name, extra = struct.unpack("<HH", head[26:30])
        held.seek(name + extra, io.SEEK_CUR)
        packed = held.read(member.compress_size)
    return "\n".join(pl.scan_lines(io.BytesIO(packed)).collect().to_series()).encode()
