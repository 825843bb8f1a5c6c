"""``report.json`` read back, by the types of the report model: what is written loses nothing."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from reporting.base.provenance import Provenance
from reporting.base.publish import SCHEMA_VERSION
from reporting.document.blocks import Report
from reporting.render.json import PRINTED

FIELDS = {printed: name for name, printed in PRINTED.items() if name.islower()}
INFINITE = {"inf": math.inf, "-inf": -math.inf}


def read_report(content: bytes) -> tuple[Report, Provenance]:
    """Return the report and the provenance that ``report.json`` holds, equal to what was written.

    Raises ValueError where the content is no report model.
    """
    whole = json.loads(content, parse_constant=_refuse)
    if not isinstance(whole, dict):
        raise ValueError("report.json: expected an object")
    if whole.pop("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
        raise ValueError("report.json: another schema version")
    source = whole.pop("provenance", None)
    return _typed(whole, Report, "report"), _typed(source, Provenance, "provenance")


def _typed(value: Any, expected: Any, where: str) -> Any:
    """Return the value as the type that its field declares."""
    origin = get_origin(expected)
    if dataclasses.is_dataclass(expected):
        return _object(value, expected, where)
    if origin in (Union, types.UnionType):
        return _typed(value, _member(value, get_args(expected), where), where)
    if origin is tuple:
        return _sequence(value, get_args(expected), where)
    if origin is Literal:
        return _checked(value, value in get_args(expected), expected, where)
    if expected is float:
        number = INFINITE.get(value, value) if isinstance(value, str) else value
        return _checked(number, isinstance(number, int | float), expected, where)
    plain: type = origin or expected
    return _checked(value, plain is Any or isinstance(value, plain), expected, where)


def _object(value: Any, model: Any, where: str) -> Any:
    hints = _hints(model)
    fields = {
        FIELDS.get(key, key): item
        for key, item in _mapping(value, where).items()
        if key != "kind" or key in hints
    }
    if unknown := set(fields) - set(hints):
        raise ValueError(f"{where}: unknown {sorted(unknown)}")
    read = {key: _typed(item, hints[key], f"{where}.{key}") for key, item in fields.items()}
    try:
        return model(**read)
    except TypeError as missing:
        raise ValueError(f"{where}: {missing}") from None


@functools.cache
def _hints(model: type) -> Mapping[str, Any]:
    return get_type_hints(model)


def _member(value: Any, members: tuple[Any, ...], where: str) -> Any:
    """Choose the member of a union: none for null, a block by its kind, else the only one left."""
    if value is None and type(None) in members:
        return type(None)
    left = [member for member in members if member is not type(None)]
    if len(left) > 1:
        kind = _mapping(value, where).get("kind")
        left = [member for member in left if _kind(member) == kind]
    if len(left) != 1:
        raise ValueError(f"{where}: unknown kind")
    return left[0]


def _sequence(value: Any, members: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    _checked(value, isinstance(value, list), "list", where)
    if members[-1] is Ellipsis:
        members = members[:1] * len(value)
    _checked(value, len(members) == len(value), f"{len(members)} entries", where)
    return tuple(_typed(item, member, where) for item, member in zip(value, members, strict=True))


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    return _checked(value, isinstance(value, dict), "object", where)  # type: ignore[no-any-return]


def _checked(value: Any, fits: bool, expected: Any, where: str) -> Any:
    if not fits:
        raise ValueError(f"{where}: expected {expected}, found {str(value)[:80]!r}")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"report.json: {constant} is no JSON")


def _kind(model: type) -> str:
    return model.__name__.lower()
