"""A config file, or the same keys as Python values -> the plan; all faults are told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from reporting.config.build import build_plan
from reporting.config.document import Entry, Fault, Mark, read_document
from reporting.config.faults import faults_of
from reporting.config.overrides import override
from reporting.config.plan import Plan
from reporting.config.quoting import rejoin_split_names
from reporting.config.schema import Config
from reporting.config.trial_keys import Trials
from reporting.errors import ConfigError
from reporting.report.provenance import IN_MEMORY
from reporting.trials.spec import InMemory


def read_plan(path: Path, overrides: Sequence[str] = ()) -> Plan:
    """Read a config, with overrides ``key.path=value``; ConfigError with one line for every fault."""
    faults: list[Fault] = []
    document = read_document(path, faults)
    for text in overrides:
        override(document, text, faults)
    rejoin_split_names(document, faults)
    return build_plan(_validated(document, path.parent, faults, Config), path)


def plan_of(said: Mapping[str, Any], where: str, overrides: Sequence[str] = ()) -> Plan:
    """Return the plan of a config given as values; ``where`` stands in messages for the file and its lines.

    Paths are relative to the folder of ``where``, else to the working directory. A source that is
    ``InMemory`` is taken as it is.
    """
    trials = said.get("trials")
    table = trials.get("source") if isinstance(trials, Mapping) else None
    if not isinstance(table, InMemory):
        document, source = _document(said, where, overrides), Path(where)
        return build_plan(_validated(document, source.parent, [], Config), source)
    keys = {key: value for key, value in (trials or {}).items() if key != "source"}
    document = _document({**said, "trials": keys}, where, overrides)
    plan = build_plan(_validated(document, Path(), [], _ConfigOfTable), Path(where))
    plan.resolved["trials"]["source"] = IN_MEMORY
    return replace(plan, trials=replace(plan.trials, sources=(table,)))


class _TrialsInMemory(Trials):
    """A table that is there needs no source."""

    source: list[str] = Field(default=[], max_length=0)


class _ConfigOfTable(Config):
    """The config of a table in memory."""

    trials: _TrialsInMemory


def _document(said: Mapping[str, Any], where: str, overrides: Sequence[str]) -> Entry:
    faults: list[Fault] = []
    document = _entry(said, Mark(0, 0, where))
    for text in overrides:
        override(document, text, faults)
    if faults:
        raise ConfigError(*(fault.text for fault in faults))
    return document


def _entry(value: Any, mark: Mark) -> Entry:
    """Write a value as a file would: every scalar as text, for the schema to read."""
    if isinstance(value, Mapping):
        return Entry({str(key): _entry(below, mark) for key, below in value.items()}, mark, mark)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return Entry([_entry(below, mark) for below in value], mark, mark)
    return Entry(None if value is None else str(value), mark, mark)


def _validated(document: Entry, folder: Path, faults: list[Fault], schema: type[Config]) -> Config:
    try:
        config = schema.model_validate(document.plain(), context={"folder": folder})
    except ValidationError as error:
        faults = [*faults, *faults_of(error, document)]
    if faults:
        raise ConfigError(*(fault.text for fault in sorted(faults)))
    return config
