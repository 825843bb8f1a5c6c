"""The layout ``resolved``: lists of the items that systems resolved, as JSON; every item is a target.

An item on a system's list of resolved ones has the score 1, another one 0; see ``layouts.evals``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from reporting.base.records import dataclass
from reporting.errors import (
    DataError,
    UnreadableError,
    did_you_mean,
    instead,
    listed,
    quoted,
    refuse,
    repeated,
)
from reporting.inputs.files import open_file
from reporting.inputs.formats.catalogue import is_table
from reporting.inputs.layouts.json_files import (
    as_text,
    json_files,
    number_of,
    origin_path,
    read_json,
    text_lines,
)
from reporting.inputs.layouts.raw import LayoutRows, Raw, path_values, size_of, source_name
from reporting.inputs.spec import File, TrialSpec, readable

SHOWN = 3


@dataclass(frozen=True, eq=False)
class System:
    """What a file holds of one system: the score of items by their names."""

    source: File
    model: str
    scores: Mapping[str, float | None]
    is_whole: bool
    """Whether it names the items that were not resolved too."""
    total: int = 0
    """How many items there are, where the file gives the number."""


def resolved_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of each system; DataError where nothing shows which items there are.

    A file is a report of SWE-bench (``resolved_ids`` and other lists, ``schema_version`` 2), one of its
    older results (``resolved`` and other lists), a list of instances with ``instance_id`` and ``resolved``,
    or a mapping from system to the items it resolved, or to the score of every item. ``keys`` list all items,
    where the files do not: lines, a JSON list, or a table with more columns.
    """
    files = json_files(spec, re.compile("(?!)"))
    systems = [system for file in files for system in _systems(spec, file)]
    if twice := repeated(system.model for system in systems):
        raise DataError(
            f"{listed(map(quoted, sorted(twice)))}: more than one system has this name; let paths name"
            " them, such as source: '{model}/results.json'"
        )
    trial = spec.column("trial")
    items = _given(spec) if spec.keys else _named(systems, trial)
    known = set(items[trial])
    refuse(fault for system in systems for fault in _faults(spec, system, known))
    return LayoutRows([_piece(spec, system, items) for system in systems])


LISTS = ("submitted", "completed", "incomplete", "unresolved", "empty_patch", "error")
"""Lists of a report of SWE-bench besides that of resolved items, whose keys end in ``_ids``."""


def _systems(spec: TrialSpec, file: File) -> Iterator[System]:
    held, where = read_json(file), source_name(file)
    model = path_values(file).get(spec.column("model")) or origin_path(file).name.removesuffix(".json")
    if is_instances(held):
        outcomes = {
            as_text(each[INSTANCE]): number_of(
                each[RESOLVED], f"{where}: instance {number}: its {RESOLVED!r}"
            )
            for number, each in enumerate(held, 1)
        }
        if len(outcomes) < len(held):
            raise UnreadableError(f"{where}: an item occurs more than once in its list")
        yield System(file, model, outcomes, True)
        return
    if not isinstance(held, dict) or not held:
        raise UnreadableError(f'{where}: expected an object with lists of items, such as {{"A": ["item-1"]}}')
    if "resolved_ids" in held:
        others = [item for name in LISTS for item in _ids(where, f"{name}_ids", held.get(f"{name}_ids", []))]
        solved = dict.fromkeys(_ids(where, "resolved_ids", held["resolved_ids"]), 1.0)
        total = held.get("total_instances")
        yield System(
            file, model, dict.fromkeys(others, 0.0) | solved, True, total if isinstance(total, int) else 0
        )
    elif isinstance(held.get("resolved"), list):  # the other lists may leave out items that failed
        yield System(file, model, dict.fromkeys(_ids(where, "resolved", held["resolved"]), 1.0), False)
    else:
        for name, items in held.items():
            scores: Mapping[str, float | None] = (
                {
                    as_text(item): number_of(score, f"{where}: item {item!r}: its score")
                    for item, score in items.items()
                }
                if isinstance(items, dict)
                else dict.fromkeys(_ids(where, name, items), 1.0)
            )
            yield System(file, as_text(name), scores, isinstance(items, dict))


def _ids(where: str, name: str, ids: Any) -> list[str]:
    if not isinstance(ids, list) or any(isinstance(each, list | dict) for each in ids):
        raise UnreadableError(f"{where}: {quoted(as_text(name))} is no list of items")
    return [as_text(each) for each in ids]


INSTANCE, RESOLVED = "instance_id", "resolved"
"""What SWE-bench calls the key of an item, and its outcome."""


def is_instances(held: Any) -> bool:
    """Return whether a value of JSON is a list of instances, each with its outcome."""
    return (
        isinstance(held, list)
        and bool(held)
        and all(isinstance(each, dict) and {INSTANCE, RESOLVED} <= each.keys() for each in held)
    )


def _given(spec: TrialSpec) -> pl.DataFrame:
    trial = spec.column("trial")
    tables = []
    for source in readable(spec.keys):
        if isinstance(source, File) and not is_table(source.path.name):
            is_json = origin_path(source).suffix == ".json"
            ids = (
                _ids(source.name, "it", read_json(source))
                if is_json
                else [line for _, line in text_lines(source)]
            )
            tables.append(pl.DataFrame({trial: ids}, schema={trial: pl.String}))
            continue
        rows = open_file(source, spec.reading)
        names = rows.collect_schema().names()
        column = next((name for name in (trial, INSTANCE) if name in names), None)
        if column is None:
            raise DataError(f"{source.name}: {spec.called('trial')} is missing{instead(trial, names)}")
        tables.append(rows.rename({column: trial}).with_columns(pl.col(trial).cast(pl.String)).collect())
    items = pl.concat(tables, how="diagonal")
    again = items.filter(pl.col(trial).is_duplicated())[trial].unique().sort()
    if len(again):
        raise DataError(
            f"trials.keys: {listed(map(quoted, again), SHOWN)} occurs more than once in the list of items"
        )
    return items


def _named(systems: Sequence[System], trial: str) -> pl.DataFrame:
    partial = [system for system in systems if not system.is_whole]
    if partial:
        names = listed((quoted(system.model) for system in partial), SHOWN)
        raise DataError(
            f"{source_name(partial[0].source)}: only the resolved items of {names} are listed, not how"
            " many items there are; name a file with all items in trials.keys"
        )
    items = sorted({item for system in systems for item in system.scores})
    refuse(
        f"{source_name(system.source)}: it has {system.total:,} items ('total_instances'), and the lists name"
        f" {len(items):,}; name a file with all items in trials.keys"
        for system in systems
        if system.total > len(items)
    )
    return pl.DataFrame({trial: items}, schema={trial: pl.String})


def _faults(spec: TrialSpec, system: System, known: set[str]) -> Iterator[str]:
    unknown = [item for item in system.scores if item not in known]
    if unknown:
        shown, guess = listed(map(quoted, unknown), SHOWN), did_you_mean(unknown[0], known)
        yield (
            f"{source_name(system.source)}: system {quoted(system.model)} has items that are not in"
            f" trials.keys, the list of items: {shown}{guess}"
        )


def _piece(spec: TrialSpec, system: System, items: pl.DataFrame) -> Raw:
    """An item that a whole report does not name has no score; one that a list leaves out was not resolved."""
    unnamed = None if system.is_whole else 0.0
    scores = [system.scores.get(item, unnamed) for item in items[spec.column("trial")]]
    rows = items.with_columns(
        pl.lit(system.model, dtype=pl.String).alias(spec.column("model")),
        pl.Series(spec.column("score"), scores, dtype=pl.Float64),
    )
    name = f"{source_name(system.source)}, system {quoted(system.model)}"
    return Raw(name, rows.lazy(), system.model, None, size_of(system.source))
