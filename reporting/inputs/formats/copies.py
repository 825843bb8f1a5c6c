"""Files as their readers take them: unpacked, and text in UTF-8; what is changed becomes a copy.

Copies are in a folder of this process, one for each state of a file, and vanish with it. ``MOST_TIMES`` and a
number of megabytes bound what a copy may become: a few kilobytes can hold more than any disk.
"""

from __future__ import annotations

import atexit
import bz2
import gzip
import lzma
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO

from reporting.errors import DataError, SeveralTablesError, UnreadableError, listed, quoted
from reporting.inputs.formats.catalogue import ARCHIVES, format_of
from reporting.inputs.formats.whole import FREE, MEGABYTE, MOST_TIMES, ManyTablesError
from reporting.inputs.spec import UNPACKED_LIMIT

OPENERS: dict[str, Callable[[Path], IO[bytes]]] = {
    ".gz": gzip.open,  # type: ignore[dict-item]
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
"""Packings that Python reads."""
COPIED = (".bz2", ".xz")
"""Those of them that Polars does not read."""
DAMAGE = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
"""What reading packed bytes raises."""
ASIDE = "__macosx"
"""The folder that archives hold for the system that made them."""
LOOKED_AT = 64 * MEGABYTE
"""Bytes of a text in which a sign of another encoding is looked for."""


def plain(path: Path, megabytes: int = UNPACKED_LIMIT, member: str = "") -> Path:
    """Return where a file can be read: itself, or a copy that is unpacked or in UTF-8.

    ``member`` is the table that is meant in an archive of several. Raises DataError where an archive does not
    hold it, or one table, or becomes larger than allowed.
    """
    try:
        status = path.stat()
    except OSError:
        return path  # who reads it reports that
    if not path.is_file():
        return path
    state = (path.absolute(), status.st_mtime_ns, status.st_size, member)
    if state not in _COPIES:
        copy = _plain_copy(path, status.st_size, megabytes, member)
        _COPIES[state] = None if copy == path else copy
    return _COPIES[state] or path


_COPIES: dict[tuple[Path, int, int, str], Path | None] = {}
"""The copy of each state of a file, if it needs one; an archive that was allowed once is allowed."""


def _plain_copy(path: Path, size: int, megabytes: int, member: str) -> Path:
    suffix = path.suffix.lower()
    if is_archive(path):
        return plain(_member(path, size, megabytes, member))
    if suffix in COPIED:
        copy = place() / path.stem
        try:
            with OPENERS[suffix](path) as packed:
                _copy(packed, copy, size, megabytes, path.name)
        except DAMAGE as error:
            raise UnreadableError(f"{path.name}: cannot be unpacked: {error}") from None
        return plain(copy)
    known = format_of(path.name)
    if (known is None or known.is_text) and suffix not in (*OPENERS, ".zst"):
        with suppress(OSError):  # who reads it reports that
            if size > LOOKED_AT and (known is None or known.word != "json"):
                _check_lines(path)
            encoding = encoding_of(path)
            return path if encoding == "utf-8" else _in_utf8(path, encoding)
    return path


def _check_lines(path: Path) -> None:
    """Raise DataError where a text has no end of a line for so long that no memory holds it."""
    with path.open("rb") as file:
        start = file.read(LOOKED_AT)
    if b"\n" not in start and b"\r" not in start:
        most = LOOKED_AT // MEGABYTE
        raise UnreadableError(f"{path.name}: its first line is longer than {most} MB, so it is no table")


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="reporting-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def place() -> Path:
    """Return an empty folder for one copy, which keeps its name."""
    return Path(tempfile.mkdtemp(dir=_folder()))


def _member(path: Path, size: int, megabytes: int, member: str) -> Path:
    try:
        with zipfile.ZipFile(path) as archive:
            held = [each for each in archive.infolist() if not each.is_dir()]
            paths = {each.filename: PurePosixPath(each.filename.lower()) for each in held}
            aside = {name for name, at in paths.items() if ASIDE in at.parts or at.name.startswith(".")}
            held = [each for each in held if each.filename not in aside]
            tables = [each for each in held if (known := format_of(each.filename)) and known.in_folders]
            tables = tables or [each for each in held if format_of(each.filename)]
            tables = [each for each in tables if PurePosixPath(each.filename).suffix.lower() not in ARCHIVES]
            names = [each.filename for each in tables]
            if member and member not in names:
                raise UnreadableError(
                    f"{path.name}: it holds no table {quoted(member)} (found: {listed(map(quoted, names))})"
                )
            tables = [each for each in tables if each.filename == member] or tables
            if len(tables) > 1:
                raise several_tables(path.name, ManyTablesError("it holds the tables", names))
            if not tables:
                files = listed(quoted(each.filename) for each in held) or "nothing"
                raise UnreadableError(f"{path.name}: it holds no table ({files}); unpack it, and name a file")
            table = tables[0]
            if table.flag_bits & 1:
                raise UnreadableError(f"{path.name}: {quoted(table.filename)} needs a password; unpack it")
            copy = place() / PurePosixPath(table.filename.replace("\\", "/")).name
            with archive.open(table) as packed:
                _copy(packed, copy, size, megabytes, path.name)
            return copy
    except DAMAGE as error:
        raise UnreadableError(f"{path.name}: cannot be unpacked: {str(error) or 'it is damaged'}") from None


def several_tables(name: str, fault: ManyTablesError) -> SeveralTablesError:
    """Return the error of a file of several tables, which names them."""
    error = SeveralTablesError(f"{name}: {fault}")
    error.names = fault.names
    return error


def is_archive(path: Path) -> bool:
    """Return whether a file is an archive by its name."""
    return path.suffix.lower() in ARCHIVES


def _copy(packed: IO[bytes], to: Path, size: int, megabytes: int, name: str) -> None:
    unpacked = 0
    with to.open("wb") as file:
        while piece := packed.read(MEGABYTE):
            unpacked += len(piece)
            check_growth(unpacked, size, megabytes, name)
            file.write(piece)


def beyond_limit(name: str, megabytes: int) -> str:
    """Say that a packed file holds more text than is allowed."""
    return (
        f"{name}: it holds more than {megabytes:,} MB of text once it is unpacked; where that is meant, raise"
        " trials.unpacked_limit"
    )


def check_growth(unpacked: int, size: int, megabytes: int, name: str) -> None:
    """Raise DataError where so many bytes come out of a file of ``size``."""
    if unpacked > megabytes * MEGABYTE:
        raise DataError(beyond_limit(name, megabytes))
    if unpacked > max(FREE, MOST_TIMES * size):
        raise DataError(
            f"{name}: it becomes more than {MOST_TIMES:,} times as large once it is unpacked; where that is"
            " meant, unpack it"
        )


MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
"""The encodings whose texts begin with a mark."""
SIGNS = frozenset("€‚ƒ„…†‡‰‹›‘’“”•–—™ ¡¢£¥§©ª«°±²³´µ·¹º»¼½¾¿×÷")
"""What texts in Windows-1252 hold but letters; other signs are those of another encoding, or damage."""


IN_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""A letter beyond ASCII in UTF-8."""


def encoding_of(path: Path) -> str:
    """Return the encoding of a text: UTF-8 where nothing shows another, which its beginning or letters do."""
    with path.open("rb") as file:
        start = file.read(LOOKED_AT)
    marked = next((encoding for mark, encoding in MARKS.items() if start.startswith(mark)), "")
    if marked:
        return marked if _is_text(start, marked) else "utf-8"
    if b"\0" in start:
        return _by_zeros(start)
    if start.isascii():
        return "utf-8"
    try:
        start[: start.rfind(b"\n") + 1 or None].decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252" if _is_western(start) else "utf-8"
    return "utf-8"


def _by_zeros(start: bytes) -> str:
    """Return UTF-16 where every other byte of most letters is 0, as without a mark at the beginning."""
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if zeros.count(0) * 2 > len(zeros) and _is_text(start, encoding):
            return encoding
    return "utf-8"


def _is_text(start: bytes, encoding: str) -> bool:
    text = start[: len(start) // 4 * 4].decode(encoding, "replace")
    return "\ufffd" not in text[:-1] and "\0" not in text


def _is_western(start: bytes) -> bool:
    """Return whether all bytes beyond ASCII are letters of words, or signs of Windows-1252.

    Where some of them are letters in UTF-8, it is UTF-8 with a damaged byte.
    """
    if any(byte < 32 and byte not in b"\t\n\r\f" for byte in set(start)) or IN_UTF8.search(start):
        return False
    try:
        beyond = {letter for letter in start.decode("cp1252") if ord(letter) > 126}
    except UnicodeDecodeError:
        return False
    return all(letter.isalpha() or letter in SIGNS for letter in beyond)


def _in_utf8(path: Path, encoding: str) -> Path:
    copy = place() / path.name
    try:
        with (
            path.open(encoding=encoding, newline="") as text,
            copy.open("w", encoding="utf-8", newline="") as to,
        ):
            shutil.copyfileobj(text, to, MEGABYTE)
    except UnicodeDecodeError:
        return path  # who reads it reports where it is not UTF-8
    return copy
