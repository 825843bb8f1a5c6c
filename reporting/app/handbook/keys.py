"""The keys of a config, read off its JSON Schema: one of them for a terminal, all for the documentation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from reporting.app.config.schema import json_schema
from reporting.base.records import dataclass

Schema = Mapping[str, Any]

TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false"}
CATALOGUES = {
    "hter": "measure",
    "auc": "measure over thresholds",
    "min_hter": "criterion",
    "binormal": "fit",
    "det": "curve",
    "SRE16": "operating point",
}
"""A name of each catalogue, and what its names are."""


@dataclass(frozen=True)
class ConfigKey:
    """One key of a config, with its section's path and its own name."""

    path: str
    name: str
    meaning: str
    kind: str
    """Which values it takes."""
    default: str
    """``default`` and it as it is written, or ``required``; empty where there is none to name."""
    leads_to: str
    """The path of the section that it holds, ``[]`` after a list; empty of a value."""

    @property
    def whole(self) -> str:
        """Its path and name."""
        return f"{self.path}.{self.name}".lstrip(".")


@dataclass(frozen=True)
class KeySection:
    """The keys at one path, which is empty at the top."""

    path: str
    meaning: str
    keys: list[ConfigKey]


def sections_of_config(
    code: Callable[[str], str] = str, catalogues: Mapping[str, str] = CATALOGUES
) -> Iterator[KeySection]:
    """Yield the sections in the order in which they are met, ``code`` around what a config has literally."""
    schema = json_schema()
    yield from _SchemaReader(schema["$defs"], code, catalogues).sections(schema)


@cache
def keys_of_config() -> dict[str, ConfigKey]:
    """Return all keys by their paths."""
    keys = (key for section in sections_of_config() for key in section.keys)
    return {key.whole.replace("[]", ""): key for key in keys}


def facts_of_key(word: str) -> list[tuple[str, str]]:
    """Return what a key means, by its path or the last names of it; nothing where it is none."""
    facts = []
    for path, key in keys_of_config().items():
        if f".{path.lower()}".endswith(f".{word}"):
            more = "; ".join(filter(None, (key.kind, key.default)))
            facts.append((f"key {key.whole}", f"{key.meaning} ({more})".strip()))
    return facts


def names_of_keys() -> list[str]:
    """Return the names of all keys, and their paths."""
    return [name for path, key in keys_of_config().items() for name in (key.name, path)]


class _SchemaReader:
    """Reads sections off a schema whose parts refer to one another."""

    def __init__(self, parts: Schema, code: Callable[[str], str], catalogues: Mapping[str, str]) -> None:
        self._parts, self._code, self._catalogues = parts, code, catalogues

    def sections(self, schema: Schema, path: str = "") -> Iterator[KeySection]:
        """Yield a section, then those below it."""
        values = {name: value for name, value in schema["properties"].items() if not value.get("deprecated")}
        required = schema.get("required", ())
        keys = [self._key(path, name, value, name in required) for name, value in values.items()]
        yield KeySection(path, schema.get("description", "") if path else "", keys)
        for key, value in zip(keys, values.values(), strict=True):
            if (below := self._below(value)) is not None:
                yield from self.sections(below[0], key.leads_to)

    def _key(self, path: str, name: str, value: Schema, required: bool) -> ConfigKey:
        below = self._below(value)
        leads_to = f"{path}.{name}".lstrip(".") + below[1] if below else ""
        meaning = value.get("description", "") or (below[0].get("description", "") if below else "")
        default = "required" if required else self._default(value)
        return ConfigKey(path, name, meaning, self._kind(value), default, leads_to)

    def _below(self, value: Schema) -> tuple[Schema, str] | None:
        """Return the section that a key holds, and what follows its name: ``[]`` or ``.NAME``."""
        value = self._resolved(value)
        if "properties" in value:
            return value, ""
        for each in value.get("anyOf", value.get("oneOf", value.get("allOf", ()))):
            if (section := self._below(each)) is not None:
                return section
        for inner, mark in (("items", "[]"), ("additionalProperties", ".NAME")):
            held = value.get(inner)
            if isinstance(held, Mapping) and (below := self._below(held)) is not None:
                return below[0], mark + below[1]
        return None

    def _resolved(self, value: Schema) -> Schema:
        reference = value.get("$ref", "")
        return self._parts[reference.rpartition("/")[2]] if reference else value

    def _kind(self, value: Schema) -> str:
        return " or ".join(dict.fromkeys(filter(None, self._kinds(value))))

    def _kinds(self, value: Schema) -> Iterator[str]:
        value = self._resolved(value)
        options = value.get("anyOf", value.get("oneOf", value.get("allOf")))
        if options is not None:
            offered = [self._resolved(option) for option in options]
            named = next((named for option in offered if (named := self._catalogue(option))), "")
            for option in [] if named else offered:
                yield from self._kinds(option)
            yield named
        elif "enum" in value:
            yield self._catalogue(value) or ", ".join(self._code(str(each)) for each in value["enum"])
        elif "const" in value:
            yield self._code(str(value["const"]))
        elif "properties" in value:
            yield "keys"
        elif value.get("type") == "array":
            items = self._kind(value["items"]) if value.get("items") else ""
            yield f"list of {items}" if items else "list"
        elif value.get("type") == "object":
            yield "names with values"
        elif isinstance(value.get("type"), list):
            yield "text"
        elif (kind := str(value.get("type", ""))) != "null":
            yield TYPES.get(kind, kind) + _bounds(value)

    def _catalogue(self, value: Schema) -> str:
        """Return what the names that a value may have are, where a catalogue has them."""
        return next((what for name, what in self._catalogues.items() if name in value.get("enum", ())), "")

    def _default(self, value: Schema) -> str:
        default = value.get("default")
        if default in (None, [], {}) or isinstance(default, Mapping):
            return ""
        written = default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)
        return f"default {self._code(written)}"


def _bounds(value: Schema) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    above, below = value.get("exclusiveMinimum"), value.get("exclusiveMaximum")
    bounds = {"from": low, "above": above, "to": high, "below": below}
    # Text of 1.0 is 1, of 10000000 10,000,000.
    return "".join(f" {word} {end:,}".removesuffix(".0") for word, end in bounds.items() if end is not None)
