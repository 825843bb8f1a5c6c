"""Which objects of a bucket a source names, and what their keys say of the rows; as paths of files do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reporting.errors import ConfigError, quoted
from reporting.trials.kinds import READABLE, is_half_written, kind_of
from reporting.trials.paths import (
    ANY_DEPTH,
    LOGS,
    Naming,
    Said,
    Step,
    all_said,
    is_aside,
    is_pattern,
    split_pattern,
)


@dataclass(frozen=True)
class Key:
    """The key of an object, and what it says of all its rows: columns of the table, and one text each."""

    text: str
    said: tuple[tuple[str, str], ...] = ()


def is_folder(asked: str, naming: Naming) -> bool:
    """Tell whether a text without stars names all that is below it."""
    return not asked or asked.endswith("/") or not (naming.any_kind or kind_of(asked))


def fixed_part(asked: str, naming: Naming) -> str:
    """Return what all keys that are asked for begin with, whole folders."""
    if not is_pattern(asked):
        return asked.strip("/") if is_folder(asked, naming) else asked.rpartition("/")[0]
    return _path(split_pattern(asked, Path(), naming)[0])


def chosen(asked: str, every: Iterable[str], naming: Naming) -> list[Key]:
    """Return the keys that a pattern matches, or all tables below a folder, in the order of their bytes.

    ConfigError where a key can be read in two ways, or one that matches is no
    whole table.
    """
    below = not is_pattern(asked)
    start, steps = split_pattern(f"{asked.strip('/')}/{ANY_DEPTH}" if below else asked, Path(), naming)
    inside = f"{_path(start)}/" if _path(start) else ""
    found = []
    for key in sorted(every, key=str.encode):
        names = tuple(key.removeprefix(inside).split("/"))
        _check_no_log(names[:-1] if below else names[:-1][:1])
        said = _match(steps, names, {}) if key.startswith(inside) and names[-1] else None
        if said is not None and not (below and not _is_read(names[-1], naming)):
            check_kind(key, naming)
            found.append(Key(key, tuple(all_said(names, said).items())))
    return found


def _path(start: Path) -> str:
    return "" if start == Path() else start.as_posix().strip("/")


def _match(steps: Sequence[Step], names: tuple[str, ...], said: Said) -> Said | None:
    """Return what placeholders say where names match steps, else None."""
    if not (steps and names):
        return None if steps or names else said
    step = steps[0]
    if step.text == ANY_DEPTH:
        further = steps[1:] or [Step("*", ("*",), step.naming)]
        found = _match(further, names, said)
        return _match(steps, names[1:], said) if found is None and not is_aside(names[0]) else found
    if step.is_fixed:
        return _match(steps[1:], names[1:], said) if names[0] == step.literal else None
    read = step.read(names[0])
    if read is None or any(said.get(column, text) != text for column, text in read.items()):
        return None
    return _match(steps[1:], names[1:], {**said, **read})


def _is_read(name: str, naming: Naming) -> bool:
    return not is_aside(name) and bool(naming.any_kind or kind_of(name) or is_half_written(name))


def _check_no_log(folders: tuple[str, ...]) -> None:
    for name, kind in LOGS.items():
        if name in folders:
            raise ConfigError(
                f"{'/'.join(folders)!r} is of a {kind} table, some of whose objects may have been replaced;"
                " export it to Parquet files first"
            )


def check_kind(key: str, naming: Naming) -> None:
    """Raise ConfigError where the name of an object is none that is read, or not of a whole one."""
    name = key.rpartition("/")[2]
    if is_half_written(name):
        raise ConfigError(f"{quoted(key)} is not whole yet by its name; let it be finished, or take it away")
    if not (naming.any_kind or kind_of(name)):
        raise ConfigError(f"{quoted(key)} is not a kind of file that is read (read: {READABLE})")
