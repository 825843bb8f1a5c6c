"""``--set key.path=value`` on a document: the value is read as YAML and put in its place."""

from __future__ import annotations

import re
from typing import Any

from reporting.config.document import Entry, Fault, Mark, read_yaml
from reporting.errors import ConfigError

PART = r'(?:"[^"]*"|[^."=]+)'
OVERRIDE = re.compile(rf"(?P<path>{PART}(?:\.{PART})*)=(?P<value>.*)", re.DOTALL)


def override(document: Entry, text: str, faults: list[Fault]) -> None:
    """Put one override into the document; a key with dots is written in double quotes."""
    found = OVERRIDE.fullmatch(text)
    if found is None:
        faults.append(Fault(Mark(0, 0, ""), f"--set {text}: expected key.path=value"))
        return
    mark = Mark(0, 0, f"--set {found['path']}")

    def place(_: Any) -> Mark:
        return mark

    parts = [part.strip('"') for part in re.findall(PART, found["path"])]
    try:
        entry = read_yaml(found["value"], mark.file, place, faults)
        entry.key = mark
        _put(document, parts, entry, mark)
    except ConfigError as error:
        faults.append(Fault(mark, str(error)))


def _put(document: Entry, parts: list[str], entry: Entry, mark: Mark) -> None:
    here = document
    for depth, part in enumerate(parts[:-1], start=1):
        here = _below(here, part, parts[depth], mark)
    if isinstance(here.value, list):
        here.value[_index(here.value, parts[-1], mark)] = entry
    elif isinstance(here.value, dict):
        here.value[parts[-1]] = entry
    else:
        raise ConfigError(f"{mark}: {here.value!r} ({here.mark}) has no entries to set")


def _below(here: Entry, part: str, following: str, mark: Mark) -> Entry:
    if isinstance(here.value, list):
        return here.value[_index(here.value, part, mark)]
    if not isinstance(here.value, dict):
        raise ConfigError(f"{mark}: {here.value!r} ({here.mark}) has no entries to set")
    below = here.value.get(part)
    if below is None or below.value is None:
        if following.isdecimal() and part != "models":  # model keys may well be numbers
            raise ConfigError(
                f"{mark}: the config gives no list {part!r}; set it whole, such as --set '{part}=[...]'"
            )
        below = here.value[part] = Entry({}, mark, mark)
    return below


def _index(entries: list[Entry], part: str, mark: Mark) -> int:
    if not part.isdecimal() or int(part) >= len(entries):
        raise ConfigError(f"{mark}: {part!r} is not the number of an entry (0 to {len(entries) - 1})")
    return int(part)
