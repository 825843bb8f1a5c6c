"""A config file, or the same keys as Python values -> the plan.

All faults are reported together, one line a fault: where, what was found, what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from reporting.app.config.build import build_plan
from reporting.app.config.document import (
    ConfigEntry,
    Fault,
    FilePosition,
    Trail,
    located,
    override,
    read_document,
    rejoin_split_names,
)
from reporting.app.config.plan import Plan
from reporting.app.config.schema import Config
from reporting.app.config.trial_keys import TrialsKeys
from reporting.app.config.values import entry_of, is_text, path_of
from reporting.base.provenance import IN_MEMORY
from reporting.document.keys import ConfigSection, ConfigValues, annotations_of, key_names
from reporting.errors import (
    CodedFault,
    ConfigError,
    ConfigFileError,
    did_you_mean,
    kind_of_value,
    listed,
    quoted,
    refuse,
)
from reporting.inputs.spec import InMemory


def read_plan(path: Path, overrides: Sequence[str] = (), sections: Sequence[str] = ()) -> Plan:
    """Read a config, with overrides ``key.path=value``; ConfigError with one line for every fault.

    ``sections`` are names that ``report.sections`` may hold too: of sections that a caller writes.
    """
    faults: list[Fault] = []
    path = path_of(path, "config", "of a config file")
    _check_overrides(overrides, path)
    document = read_document(path, faults)
    for text in overrides:
        override(document, text, faults)
    rejoin_split_names(document, faults)
    faults = [Fault(each.mark, CodedFault(each.text, ConfigFileError.code)) for each in faults]
    return build_plan(_validated(document, path.parent, faults, Config, sections), path)


def plan_of(
    config: Mapping[str, Any], where: str, overrides: Sequence[str] = (), sections: Sequence[str] = ()
) -> Plan:
    """Return the plan of a config given as values; messages name ``where`` instead of file and line.

    Paths are relative to the folder of ``where``, else to the working directory. A source that is
    ``InMemory`` is taken as it is.
    """
    trials = config.get("trials")
    table = trials.get("source") if isinstance(trials, Mapping) else None
    if not isinstance(table, InMemory):
        document, source = _document(config, where, overrides), Path(where)
        return build_plan(_validated(document, source.parent, [], Config, sections), source)
    keys = {key: value for key, value in (trials or {}).items() if key != "source"}
    document = _document({**config, "trials": keys}, where, overrides)
    plan = build_plan(_validated(document, Path(), [], _ConfigOfTable, sections), Path(where))
    plan.resolved["trials"]["source"] = IN_MEMORY
    return replace(plan, trials=replace(plan.trials, sources=(table,)))


class _TrialsInMemory(TrialsKeys):
    """A table that is there needs no source."""

    source: list[str] = Field(default=[], max_length=0)


class _ConfigOfTable(Config):
    """The config of a table in memory."""

    trials: _TrialsInMemory


def _document(config: Mapping[str, Any], where: str, overrides: Sequence[str]) -> ConfigEntry:
    faults: list[Fault] = []
    document = entry_of(config, where)
    _check_overrides(overrides, where)
    for text in overrides:
        override(document, text, faults)
    refuse((fault.text for fault in faults), ConfigError)
    return document


def _check_overrides(overrides: Any, where: object) -> None:
    """Raise ConfigError for overrides that a call gives in another form than a list of texts."""
    texts = isinstance(overrides, Sequence) and not isinstance(overrides, str | bytes)
    if not texts or not all(isinstance(text, str) and is_text(text) for text in overrides):
        kind = "one text" if isinstance(overrides, str) else kind_of_value(overrides)
        kind = f"{kind} with something else in it" if texts else kind
        raise ConfigError(
            f"overrides ({where}): expected a list of texts such as 'significance.replicates=999',"
            f" found {kind}"
        )


def _validated(
    document: ConfigEntry, folder: Path, faults: list[Fault], schema: type[Config], sections: Sequence[str]
) -> Config:
    context = {"folder": folder, "sections of the caller": sections}
    try:
        config = schema.model_validate(document.plain(), context=context)
    except ValidationError as error:
        faults = [*faults, *faults_of(error, document)]
    refuse((fault.text for fault in sorted(faults)), ConfigError)
    return config


EXPECTED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
    "tuple": "a list",
    "dataclass": "a mapping",
}
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
CODES_OF_FAULTS = {**dict.fromkeys(UNKNOWN, "TR502"), "missing": "TR503"}
"""Others are values that are not allowed."""
BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def faults_of(error: ValidationError, document: ConfigEntry) -> Iterator[Fault]:
    """Return every fault of a config, each with its place in the document."""
    for detail in error.errors(include_url=False):
        trail: Trail = tuple(detail["loc"])
        if detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]:
            continue  # a tuple is short of the entries that have faults of their own
        if detail["type"] == "missing":
            text, trail = f"{trail[-1]!r} is missing", trail[:-1]
        else:
            text = _message(detail, trail)
        shown, mark = _place(document, trail, at_key=detail["type"] in UNKNOWN)
        code = detail.get("ctx", {}).get("code") or CODES_OF_FAULTS.get(detail["type"], "TR504")
        yield Fault(mark, CodedFault(f"{located(shown, mark)}: {text}", code))


def _message(detail: ErrorDetails, trail: Trail) -> str:
    kind, limits, value = detail["type"], detail.get("ctx", {}), detail["input"]
    if kind == "told":
        return str(limits["text"])
    if kind in UNKNOWN:
        allowed = _keys_at(trail[:-1])
        return f"unknown key{did_you_mean(str(trail[-1]), allowed)} (allowed: {listed(allowed, 30)})"
    if kind == "literal_error" and isinstance(value, str):
        words = re.findall(r"'([^']*)'", limits["expected"])
        return f"{quoted(value)} is not allowed{did_you_mean(value, words)} (allowed: {listed(words, 20)})"
    if kind == "too_short":
        least, length = limits["min_length"], limits["actual_length"]
        wanted = "at least one entry" if least == 1 else f"{least} entries"
        return f"expected {wanted}, found {length or 'none'}"
    if kind == "too_long":
        return f"expected {limits['max_length']} entries, found {limits['actual_length']}"
    if kind == "string_too_short":
        return "expected text, found ''"
    return f"expected {_expected(detail)}, found {_shown(value)}"


def _expected(detail: ErrorDetails) -> str:
    kind, limits = detail["type"], detail.get("ctx", {})
    for bound, words in BOUNDS.items():
        if bound in limits:
            return f"{words} {limits[bound]}"
    return f"one of {limits['expected']}" if kind == "literal_error" else EXPECTED[kind.partition("_")[0]]


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a mapping"
    number = r"(?!$)[-+]?[0-9]*\.?[0-9]*([eE][-+]?[0-9]+)?"
    return str(value) if isinstance(value, (int, float)) or re.fullmatch(number, value) else quoted(value)


def _keys_at(trail: Trail) -> list[str]:
    section: type = Config
    for part in trail:
        section = next(_sections_in(annotations_of(section).get(str(part))), section)
    return key_names(section)


def _sections_in(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type) and issubclass(annotation, ConfigSection | ConfigValues):
        yield annotation
    for part in get_args(annotation):
        yield from _sections_in(part)


def _place(document: ConfigEntry, trail: Trail, *, at_key: bool) -> tuple[Trail, FilePosition]:
    """Return the trail as the document has it, and the mark of its deepest entry that exists."""
    here, shown = document, list[str | int]()
    for part in trail:
        below = here.child(part)
        if below is None and isinstance(part, int):
            break  # one value that means a list of one
        shown.append(part)
        if below is None:
            return tuple(trail), here.key or here.mark
        here = below
    return tuple(shown), here.key or here.mark if at_key else here.mark
