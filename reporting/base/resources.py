"""Where the packaged folders are, and what a user's folder of templates holds.

Packaged folders are next to the modules in a wheel, at the top of a checkout otherwise.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from reporting.base.records import dataclass
from reporting.errors import OwnTemplateError, did_you_mean, quoted

PACKAGE = Path(__file__).resolve().parents[1]

HOUSE = {"html": "html/house.css", "latex": "latex/house.tex.j2"}
"""A house style: CSS after the program's, and lines of the LaTeX preamble."""

OWN_SECTION = ".yaml"
MOST_FILES = 200
MOST_BYTES = 1_000_000


def folder(name: str) -> Path:
    """Return the folder ``templates`` or ``configs``; FileNotFoundError when the installation lost it."""
    for candidate in (PACKAGE / name, PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder {name!r} is missing from this installation of reporting")


@dataclass(frozen=True)
class OwnTemplates:
    """A user's folder of templates: the text of every file, and its sha256, by path within the folder."""

    path: Path
    texts: Mapping[str, str]
    digests: Mapping[str, str]

    def of(self, room: str) -> dict[str, str]:
        """Return the texts of one room (``html``, ``latex``, ``sections``, ...) by file name."""
        return {name.partition("/")[2]: text for name, text in self.texts.items() if _room(name) == room}

    def place(self, name: str) -> str:
        """Return the place of a file, as a message shows it."""
        return str(self.path / name)


def read_templates(path: Path) -> OwnTemplates:
    """Read a folder of templates; ConfigError for the first file that does not belong in it.

    Hidden files are left alone. Links that lead out of the folder are refused.
    """
    texts, digests = {}, {}
    for name in sorted(_names(path)):
        _check_name(path, name)
        raw = _read(path / name)
        digests[name] = hashlib.sha256(raw).hexdigest()
        texts[name] = _text(path / name, raw)
    return OwnTemplates(path, texts, digests)


def _names(path: Path) -> Iterator[str]:
    if not path.is_dir():
        near = path.parent.iterdir() if path.parent.is_dir() else ()
        guess = did_you_mean(path.name, sorted(each.name for each in near if each.is_dir()))
        raise OwnTemplateError(f"there is no folder {str(path)!r}{guess}")
    root, seen = path.resolve(), 0
    for place, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        here = [Path(place) / name for name in (*folders, *files) if not name.startswith(".")]
        seen += len(here)
        if seen > MOST_FILES:
            raise OwnTemplateError(
                f"{path}: more than {MOST_FILES} files; expected a folder of templates alone"
            )
        for each in here:
            _check_kind(each, root)
            if not each.is_dir():
                yield each.relative_to(path).as_posix()


def _check_kind(path: Path, root: Path) -> None:
    if path.is_dir() and path.is_symlink():
        raise OwnTemplateError(f"{path}: a link to a folder is not followed")
    if not path.resolve().is_relative_to(root):
        raise OwnTemplateError(f"{path}: the link leads out of the folder of templates")
    if not (path.is_file() or path.is_dir()):
        raise OwnTemplateError(f"{path}: not a file")


def _check_name(path: Path, name: str) -> None:
    """Refuse a file that nothing would ever read: most often a name with a slip in it."""
    room, file = _room(name), name.partition("/")[2]
    if not room and name.endswith((".md", ".txt")):
        return
    if room == "sections" and "/" not in file and file.endswith(OWN_SECTION):
        return
    ours = templates_of(room)
    partial = file.startswith("_") and any(
        file.endswith("".join(PurePosixPath(each).suffixes)) for each in ours
    )
    if name in HOUSE.values() or file in ours or partial:
        return
    if name.endswith(".js"):
        raise OwnTemplateError(
            f"{path / name}: scripts are not allowed in templates; the page runs only its own"
        )
    known = [f"{each}/{name_of_ours}" for each in _rooms() for name_of_ours in templates_of(each)] + [
        *HOUSE.values()
    ]
    raise OwnTemplateError(
        f"{path / name}: {quoted(name)} replaces none of our templates{did_you_mean(name, known)}"
        f" (allowed: their names, {', '.join(HOUSE.values())}, sections/NAME{OWN_SECTION}, and parts to"
        " include, whose names begin with _)"
    )


def templates_of(room: str) -> list[str]:
    """Return the names of our templates for one format, in order."""
    place = folder("templates") / room
    return sorted(path.name for path in place.glob("*.j2")) if room in _rooms() else []


def _rooms() -> list[str]:
    return sorted(path.name for path in folder("templates").iterdir() if path.is_dir())


def _room(name: str) -> str:
    return name.partition("/")[0] if "/" in name else ""


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise OwnTemplateError(f"{path}: more than {MOST_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise OwnTemplateError(f"{path}: cannot be read ({error.strerror})") from None


def _text(path: Path, raw: bytes) -> str:
    """Decode a file; line ends become those a browser reads, for the page's policy digests the style."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OwnTemplateError(f"{path}:{raw[: error.start].count(10) + 1}: not UTF-8 text") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for at, line in enumerate(text.split("\n"), 1):
        if any(ord(character) < 0x20 and character != "\t" for character in line):
            raise OwnTemplateError(f"{path}:{at}: a control character")
    return text
