"""YAML text -> a tree of entries that know their place.

Every scalar keeps the text it is written with (``007`` stays ``007``, ``1e-3`` stays ``1e-3``): the
schema, not YAML, decides what is a number and what is a word.

``--set key.path=value`` puts a value, read as YAML, into the tree; names with parameters that YAML split at a
comma, such as ``[hter, dcf(p_target=0.01, c_miss=10)]``, are reported once and rejoined.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from reporting.base.contents import QUOTING
from reporting.errors import LONGEST_SHOWN, ConfigError, ConfigFileError, one_line, quoted

TAGS = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "merge")
}


MOST_BYTES = 1_000_000
MOST_DEPTH = 50
MOST_VALUES = 20_000
"""Bounds of one document: its bytes, how deep it is nested, its values where every alias is written out."""


class FilePosition(NamedTuple):
    """A place, 1-based; line 0 means an override, which has only a name."""

    line: int
    column: int
    file: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


class Fault(NamedTuple):
    """One thing to mend, and where."""

    mark: FilePosition
    text: str


Trail = tuple[str | int, ...]
Marker = Callable[[Any], FilePosition]


@dataclasses.dataclass
class ConfigEntry:
    """One value of the document: text, nothing (None), a list or a mapping; ``key`` marks its key."""

    value: str | list[ConfigEntry] | dict[str, ConfigEntry] | None
    mark: FilePosition
    key: FilePosition | None = None

    def child(self, part: str | int) -> ConfigEntry | None:
        """Return the entry below this one, or None."""
        if isinstance(self.value, dict):
            return self.value.get(str(part))
        if isinstance(self.value, list) and isinstance(part, int) and part < len(self.value):
            return self.value[part]
        return None

    def plain(self) -> Any:
        """Return the value without its places."""
        if isinstance(self.value, dict):
            return {key: entry.plain() for key, entry in self.value.items()}
        if isinstance(self.value, list):
            return [entry.plain() for entry in self.value]
        return self.value


def read_document(path: Path, faults: list[Fault]) -> ConfigEntry:
    """Read a config file; ConfigError where it cannot be read at all, else faults are collected."""
    entry = read_yaml(_text_of(path), str(path), faults)
    if entry.value is None:
        raise ConfigFileError(f"{path}: the file is empty; the smallest config names the trials' source")
    if not isinstance(entry.value, dict):
        kind = "a list" if isinstance(entry.value, list) else "plain text"
        way = _way_of_tables(path)
        raise ConfigFileError(f"{entry.mark}: a config is a mapping (key: value), found {kind}{way}")
    return entry


def read_yaml(
    text: str, name: str, faults: list[Fault], everywhere: FilePosition | None = None
) -> ConfigEntry:
    """Read YAML text of the file ``name``; ``everywhere`` is the place of all that is in no file."""

    def place(mark: Any) -> FilePosition:
        return everywhere or FilePosition(mark.line + 1, mark.column + 1, name)

    try:
        node = yaml.compose(text, Loader=_BoundedLoader)
        if node is None:
            return ConfigEntry(None, FilePosition(0, 0, name))
        _check_values(node)
        return _entry(node, (), place, faults)
    except yaml.MarkedYAMLError as error:
        raise ConfigFileError(_syntax(error, place)) from None
    except ReaderError as error:
        raise ConfigFileError(_unprintable(error, text, name)) from None
    except RecursionError:
        raise ConfigFileError(
            f"{name}: nested more than {MOST_DEPTH} deep, or an alias that contains itself"
        ) from None
    except OverflowError:
        raise ConfigFileError(
            f"{name}: more than {MOST_VALUES} values, where every alias is written out"
        ) from None


class _BoundedLoader(yaml.SafeLoader):
    """Stops reading where a document is nested too deeply, or holds too much."""

    depth = values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose what follows; RecursionError or OverflowError beyond a bound."""
        self.depth += 1
        self.values += 1
        _check_bounds(self.depth, self.values)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _check_bounds(depth: int, values: int) -> None:
    if depth > MOST_DEPTH:
        raise RecursionError
    if values > MOST_VALUES:
        raise OverflowError


def _check_values(node: Node) -> None:
    """Refuse a document that aliases make too large: ten lines can hold a thousand million values."""
    values, waiting = 0, [(node, 1)]
    while waiting:
        each, depth = waiting.pop()
        values += 1
        _check_bounds(depth, values)
        below = each.value if isinstance(each, SequenceNode | MappingNode) else ()
        pairs = isinstance(each, MappingNode)
        waiting += [(child, depth + 1) for part in below for child in (part if pairs else (part,))]


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigFileError(f"{path}: more than {MOST_BYTES} bytes; a config lists no trials")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConfigFileError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        byte = error.object[error.start]
        way = _way_of_tables(path)
        raise ConfigFileError(f"{path}: not UTF-8 text (byte 0x{byte:02x} in line {line}){way}") from None
    except OSError as error:
        raise ConfigFileError(f"{path}: cannot be read ({error.strerror})") from None


def _way_of_tables(path: Path) -> str:
    """Return what to do with a file that is no YAML by its name."""
    if path.suffix.lower() in ("", ".yaml", ".yml", ".json"):
        return ""
    return f"; of a table of trials, 'reporting init {path.name}' writes a config"


def _entry(node: Node, path: Trail, place: Marker, faults: list[Fault]) -> ConfigEntry:
    mark = place(node.start_mark)
    if str(node.tag) not in TAGS:
        faults.append(Fault(mark, f"{located(path, mark)}: the tag {str(node.tag)!r} is not read here"))
    if isinstance(node, MappingNode):
        return ConfigEntry(_mapping(node, path, place, faults), mark)
    if isinstance(node, SequenceNode):
        parts = enumerate(node.value)
        return ConfigEntry([_entry(part, (*path, index), place, faults) for index, part in parts], mark)
    if str(node.tag).endswith(":null"):
        return ConfigEntry(None, mark)
    text = _joined(node)
    if text is None:
        faults.append(Fault(mark, f"{located(path, mark)}: {node.value!r} is not text"))
        return ConfigEntry("?", mark)  # so that the schema does not report it again
    return ConfigEntry(text, mark)


def _joined(node: Node) -> str | None:
    """Join surrogate pairs, as JSON escapes spell them; None for half of one, which no file can hold."""
    try:
        return str(node.value).encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None


def _mapping(node: MappingNode, path: Trail, place: Marker, faults: list[Fault]) -> dict[str, ConfigEntry]:
    entries: dict[str, ConfigEntry] = {}
    for key, value in node.value:
        mark = place(key.start_mark)
        name = _joined(key) if isinstance(key, ScalarNode) else None
        if name is None:
            faults.append(Fault(mark, f"{located(path, mark)}: a key must be plain text"))
            continue
        if str(key.tag).endswith(":merge"):
            faults.append(Fault(mark, f"{located(path, mark)}: merge keys (<<) are not read; write it out"))
            continue
        if name in entries:
            first = entries[name].key
            faults.append(Fault(mark, f"{located((*path, name), mark)}: given twice; first at {first}"))
            continue
        entries[name] = _entry(value, (*path, name), place, faults)
        entries[name].key = mark
    return entries


def located(path: Trail, mark: FilePosition) -> str:
    """Print a place: ``measures[1] (report.yaml:14:7)``."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        elif part.isidentifier() and len(part) <= LONGEST_SHOWN:
            shown += f".{part}" if shown else part
        else:
            shown += f"[{quoted(part)}]"
    return f"{shown} ({mark})" if shown else str(mark)


def _syntax(error: yaml.MarkedYAMLError, place: Marker) -> str:
    mark, begun = error.problem_mark or error.context_mark, error.context_mark
    assert mark is not None
    where = place(mark)
    if "'\\t'" in (error.problem or ""):
        return f"{where}: a tab cannot indent YAML; use spaces"
    problem = ": ".join(" ".join(part.split()) for part in (error.context, error.problem) if part)
    if begun is not None and where.line and begun.line != mark.line:
        problem += f" (begun in line {begun.line + 1})"
    return f"{where}: {problem}"


def _unprintable(error: ReaderError, text: str, name: str) -> str:
    code = error.character if isinstance(error.character, int) else ord(error.character)
    before = text[: text.index(chr(code))]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"{name}:{line}:{column}: the control character U+{code:04X} is not allowed in YAML"


PART = r'(?:"[^"]*"|[^."=]+)'
OVERRIDE = re.compile(rf"(?P<path>{PART}(?:\.{PART})*)=(?P<value>.*)", re.DOTALL)


def override(document: ConfigEntry, text: str, faults: list[Fault]) -> None:
    """Put one override into the document; a key with dots is written in double quotes."""
    match = OVERRIDE.fullmatch(text)
    if match is None:
        faults.append(Fault(FilePosition(0, 0, ""), f"--set {one_line(text)}: expected key.path=value"))
        return
    mark = FilePosition(0, 0, f"--set {one_line(match['path'])}")
    parts = [part.strip('"') for part in re.findall(PART, match["path"])]
    try:
        entry = read_yaml(match["value"], mark.file, faults, mark)
        entry.key = mark
        _put(document, parts, entry, mark)
    except ConfigError as error:
        faults.append(Fault(mark, str(error)))


def _put(document: ConfigEntry, parts: list[str], entry: ConfigEntry, mark: FilePosition) -> None:
    here = document
    for depth, part in enumerate(parts[:-1], start=1):
        here = _below(here, part, parts[depth], mark)
    if isinstance(here.value, list):
        here.value[_index(here.value, parts[-1], mark)] = entry
    elif isinstance(here.value, dict):
        here.value[parts[-1]] = entry
    else:
        raise ConfigFileError(f"{mark}: {here.value!r} ({here.mark}) has no entries to set")


def _below(here: ConfigEntry, part: str, following: str, mark: FilePosition) -> ConfigEntry:
    if isinstance(here.value, list):
        return here.value[_index(here.value, part, mark)]
    if not isinstance(here.value, dict):
        raise ConfigFileError(f"{mark}: {here.value!r} ({here.mark}) has no entries to set")
    below = here.value.get(part)
    if below is None or below.value is None:
        if following.isdecimal() and part != "models":  # model keys may well be numbers
            raise ConfigFileError(
                f"{mark}: the config gives no list {part!r}; set it whole, such as --set '{part}=[...]'"
            )
        below = here.value[part] = ConfigEntry({}, mark, mark)
    return below


def _index(entries: list[ConfigEntry], part: str, mark: FilePosition) -> int:
    if not part.isdecimal() or int(part) >= len(entries):
        raise ConfigFileError(f"{mark}: {part!r} is not the number of an entry (0 to {len(entries) - 1})")
    return int(part)


NAME_LISTS = ("measures", "criteria")


def rejoin_split_names(entry: ConfigEntry, faults: list[Fault], path: Trail = ()) -> None:
    """Report every split name once, and rejoin its pieces so that they raise no faults of their own."""
    if not isinstance(entry.value, dict):
        return
    for key, below in entry.value.items():
        if key in NAME_LISTS and isinstance(below.value, list):
            below.value = _rejoined(below.value, faults, (*path, key))
        else:
            rejoin_split_names(below, faults, (*path, key))


def _rejoined(entries: list[ConfigEntry], faults: list[Fault], path: Trail) -> list[ConfigEntry]:
    whole: list[ConfigEntry] = []
    at = 0
    while at < len(entries):
        end = _closing(entries, at)
        name = entries[at]
        if end > at:
            name = ConfigEntry(", ".join(str(piece.value) for piece in entries[at : end + 1]), name.mark)
            where = located((*path, at), name.mark)
            faults.append(Fault(name.mark, f"{where}: {name.value!r} is split at its comma; {QUOTING}"))
        whole.append(name)
        at = end + 1
    return whole


def _closing(entries: list[ConfigEntry], start: int) -> int:
    """Return where the parenthesis opened at ``start`` closes; ``start`` itself if it needs no repair."""
    depth = 0
    for at in range(start, len(entries)):
        text = entries[at].value
        if not isinstance(text, str):
            return start
        depth += text.count("(") - text.count(")")
        if depth <= 0:
            return at
    return start
