"""The keys of a config, made of its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.markdown import anchor, code, described, heading, page, plain, table
from reporting.app.config.schema import json_schema

Schema = Mapping[str, Any]

LEAD = (
    "A config is a YAML file. Only `trials: {source: ...}` is required. `reporting schema` prints the same"
    " keys as a JSON Schema for editors, and `reporting check CONFIG` validates a config with its data."
)
TYPES = {"string": "text", "integer": "whole number", "boolean": "true or false", "array": "list"}


def pages() -> dict[str, str]:
    """Return the page of all keys."""
    schema = json_schema()
    return {
        "reference/config.md": page(
            [*heading(1, "Config keys"), LEAD, "", *_Keys(schema["$defs"]).of(schema)]
        )
    }


class _Keys:
    """Sections of the config, each once, in the order in which they are met."""

    def __init__(self, parts: Schema) -> None:
        self._parts = parts

    def of(self, schema: Schema, path: str = "") -> Iterator[str]:
        """Yield the keys of a section, then the sections below it."""
        properties: Schema = schema["properties"]
        yield from heading(2, code(path) if path else "Top level", anchor("key", path or "top"))
        if path and "description" in schema:
            yield from (plain(schema["description"]), "")
        required = schema.get("required", ())
        yield from table(
            ("key", "meaning"),
            (
                self._row(path, key, value, key in required)
                for key, value in properties.items()
                if not value.get("deprecated")
            ),
        )
        for key, value in properties.items():
            below = None if value.get("deprecated") else self._section(value)
            if below is not None:
                yield from self.of(below[0], f"{path}.{key}".lstrip(".") + below[1])

    def _row(self, path: str, key: str, value: Schema, required: bool) -> tuple[str, str]:
        below = self._section(value)
        name = f"{path}.{key}".lstrip(".") + (below[1] if below else "")
        shown = f"[{code(key)}](#key-{anchor(name)})" if below else code(key)
        default = "required" if required else _default(value)
        meaning = value.get("description", "") or (below[0].get("description", "") if below else "")
        return shown, described(plain(meaning), (self._kind(value), default))

    def _section(self, value: Schema) -> tuple[Schema, str] | None:
        """Return the section that a key holds, and what follows its name: ``[]`` or ``.NAME``."""
        value = self._resolved(value)
        if "properties" in value:
            return value, ""
        for each in value.get("anyOf", value.get("oneOf", value.get("allOf", ()))):
            if (found := self._section(each)) is not None:
                return found
        for inner, mark in (("items", "[]"), ("additionalProperties", ".NAME")):
            held = value.get(inner)
            if isinstance(held, Mapping) and (below := self._section(held)) is not None:
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
            named = next((named for option in offered if (named := _catalogue(option))), "")
            for option in [] if named else offered:
                yield from self._kinds(option)
            yield named
        elif "enum" in value:
            yield _catalogue(value) or ", ".join(code(str(each)) for each in value["enum"])
        elif "const" in value:
            yield code(str(value["const"]))
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


CATALOGUES = {
    "hter": "[measure](measures_at_a_threshold.md)",
    "auc": "[measure](measures_over_thresholds.md)",
    "min_hter": "[criterion](criteria.md)",
    "binormal": "[fit](fits.md)",
    "det": "[curve](curves.md)",
    "SRE16": "[name](operating_points.md)",
}
"""A name of each catalogue, and the page that describes it."""


def _catalogue(value: Schema) -> str:
    """Return the link to the catalogue whose names a value may have; empty for another value."""
    return next((link for name, link in CATALOGUES.items() if name in value.get("enum", ())), "")


def _bounds(value: Schema) -> str:
    low, high = value.get("minimum"), value.get("maximum")
    above, below = value.get("exclusiveMinimum"), value.get("exclusiveMaximum")
    bounds = [
        f"from {low:,g}" if low is not None else f"above {above:,g}" if above is not None else "",
        f"to {high:,g}" if high is not None else f"below {below:,g}" if below is not None else "",
    ]
    return "".join(f" {bound}" for bound in bounds if bound)


def _default(value: Schema) -> str:
    if "default" not in value or value["default"] in (None, [], {}):
        return ""
    default = value["default"]
    if isinstance(default, Mapping):
        return ""
    shown = default if isinstance(default, str) else json.dumps(default, ensure_ascii=False)
    return f"default {code(shown)}"
