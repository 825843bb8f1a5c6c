"""A table in memory whose columns have names of their own: the keys that ``init`` would write for it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from reporting.app.api.arguments import as_text, name_of
from reporting.app.init.labels import TARGET
from reporting.app.init.lines import Line, nested, settled
from reporting.app.init.starter import lines_of, questions_of
from reporting.errors import CodedFault, ConfigError, instead, listed, one_line, quoted
from reporting.inputs.layouts.raw import is_plain
from reporting.inputs.spec import InMemory

ROLES = ("label", "score", "model", "split", "trial", "cluster", "dataset", "stratum")
"""Keywords that name a column of the table; ``score`` may name several, and ``cluster`` two."""
REQUIRED = ("model", "label", "score")
OF_CLASSES = ("classes", "histogram")
"""Layouts whose columns are named under ``trials.values``."""
NONE = "none"
LOG = logging.getLogger("reporting")


def is_inferred(source: InMemory, trials: Mapping[str, Any], roles: Mapping[str, Any]) -> bool:
    """Return whether the keys of a table are inferred: it has not the columns that a report needs.

    ``trials`` are the keys that are given, and ``roles`` the columns that keywords name.
    """
    columns = trials.get("columns")
    columns = columns if isinstance(columns, Mapping) else {}
    called = {columns.get(role, role) for role in REQUIRED} - {NONE}
    is_described = "layout" in trials and (trials["layout"] not in OF_CLASSES or "values" in trials)
    return bool(roles) or not (is_described or called <= {*source.frame.columns})


def inferred_keys(
    source: InMemory, settings: Mapping[str, Any], roles: Mapping[str, Any], where: str
) -> Mapping[str, Any]:
    """Return the keys of a config with what the table shows filled in, and log what was taken.

    ``roles`` are the columns that are named, and ``pos_label`` is the label of targets. ConfigError where
    only the user can know, with the argument that answers; DataError where the table holds no trials.
    """
    trials = settings["trials"]
    columns = trials.get("columns")
    named = {**(columns if isinstance(columns, Mapping) else {}), **roles}
    pos_label = named.pop("pos_label", None)
    given = {
        role: names for role in (*ROLES, "run") if (names := _names(source, role, named.get(role), where))
    }
    for first, second in combinations(given, 2):
        for name in {*given[first]} & {*given[second]}:
            raise ConfigError(f"{where}: column {quoted(name)} is named for {first} and {second}")
    if named.get("label") == NONE:
        settings = {**settings, "trials": {**trials, "columns": {**(columns or {}), "label": NONE}}}
    lines = [
        line
        for line in lines_of(source, given, None if pos_label is None else as_text(pos_label))
        if not _is_set(line.trail, settings)
    ]
    open_lines = [
        line for line in lines if line.is_open and not line.is_offered and line.trail[0] != "thresholds"
    ]
    if open_lines:
        questions = {line.why: _answer(line, lines) for line in open_lines}
        raise ConfigError(
            *(
                CodedFault(one_line(f"{source.name} ({where}): {why}; answer with {how}"), "TR603")
                for why, how in questions.items()
            )
        )
    _log(lines, source, where)
    return _merged(settled(lines), settings)


def _names(source: InMemory, role: str, column: Any, where: str) -> tuple[str, ...]:
    if column is None or column == NONE:
        return ()
    several = isinstance(column, list | tuple) and role in ("score", "cluster")
    names = tuple(name_of(each, role, where) for each in (column if several else [column]))
    known = [name for name, kind in source.frame.schema.items() if name and is_plain(kind)]
    for name in names:
        if name not in known:
            raise ConfigError(
                f"{role} ({where}): the table has no column {quoted(name)}{instead(name, known)}"
            )
    return names


def _is_set(trail: Sequence[str], settings: Mapping[str, Any]) -> bool:
    """Return whether the user sets a key, or one that takes its place."""
    if trail[0] == "primary":
        return bool(settings.keys() & {"primary", "measures", "criteria"})
    if trail[0] not in ("trials", "models"):
        return trail[0] in settings
    below: Any = settings
    for key in trail:
        if not isinstance(below, Mapping) or key not in below:
            return False
        below = below[key]
    return True


def _answer(line: Line, lines: Sequence[Line]) -> str:
    """Return the argument that answers the question of a line, with what is guessed as its value."""
    if line.trail == TARGET:
        others = [each.value for each in lines if each.trail == ("trials", "values", "nontarget")]
        labels = [line.value, *(text for text in others if text != "rest")]
        return " or ".join(f"pos_label={label!r}" for label in labels)
    if line.trail == ("trials", "scores"):
        names = list(line.value.values() if isinstance(line.value, Mapping) else line.value)
        return f"score={(names[0] if len(names) == 1 else names)!r}"
    if line.trail[:2] == ("trials", "columns") and line.trail[2] in ROLES:
        return f"{line.trail[2]}={line.value!r}"
    return f"{line.trail[0]}={nested([line], 1)!r}"


def _log(lines: Sequence[Line], source: InMemory, where: str) -> None:
    texts = [line.shown for line in lines if not line.is_offered]
    texts += [f"  ? {listed(keys, 3)}: {why}" for why, keys in questions_of(lines).items()]
    LOG.warning("%s", "\n".join([f"{where}: {source.name} is read as", *map(one_line, texts)]))


def _merged(inferred: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return both, in ``trials`` and ``models`` key by key; what the user sets comes first."""
    return {**inferred, **settings} | {
        key: _deeply(inferred[key], settings[key])
        for key in ("trials", "models")
        if key in inferred and key in settings
    }


def _deeply(inferred: Any, given: Any) -> Any:
    if not (isinstance(inferred, Mapping) and isinstance(given, Mapping)):
        return given
    return {**inferred, **{key: _deeply(inferred.get(key), value) for key, value in given.items()}}
