"""The fields that name places: sources and keys of trials, looked up by their place in the file.

They come after the fields that say how a path is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema

from reporting.app.config.sources import find_sources
from reporting.document.keys import DISTINCT, PathText, as_list, fault
from reporting.errors import ConfigError, did_you_mean, quoted
from reporting.inputs.paths import PathNaming
from reporting.inputs.spec import TABLES, File, Remote


def naming_of(keys: Any) -> PathNaming:
    """Return what the other keys of ``trials`` say of paths; ``said`` holds those that are valid."""
    columns, values = keys.get("columns"), keys.get("values")
    return PathNaming(
        columns.by_our_names() if columns else {},
        (values.dev, values.test) if values and not values.dates else ("dev", "test"),
        keys.get("layout", "long") not in TABLES,
    )


def _places(texts: Iterable[str], info: ValidationInfo) -> list[File | Remote]:
    folder = (info.context or {}).get("folder", Path())
    try:
        return [place for text in texts for place in find_sources(text, folder, naming_of(info.data))]
    except ConfigError as error:
        raise fault(str(error), error.codes[0]) from None


def _existing(text: str, info: ValidationInfo) -> str:
    _places([text], info)
    return text


def _listed_once(texts: list[str], info: ValidationInfo) -> list[str]:
    seen: dict[str, str] = {}
    for place in _places(texts, info):
        shown = str(place.path) if isinstance(place, File) else place.url
        key = os.path.realpath(place.path) if isinstance(place, File) else place.url
        if key in seen:
            also = "" if shown == seen[key] else f", also as {seen[key]!r}"
            raise fault(f"{shown!r} is listed twice{also}")
        seen[key] = shown
    return texts


def _is_file(text: str, info: ValidationInfo) -> str:
    path = (info.context or {}).get("folder", Path()) / text
    if "://" in text:
        raise fault(f"{quoted(text)} is far away; expected a file on this machine")
    if not path.is_file():
        beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise fault(f"{quoted(text)}: there is no such file{did_you_mean(path.name, beside)}")
    return text


TEXT_OR_LIST = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
    ]
}
FilePaths = Annotated[
    list[Annotated[PathText, AfterValidator(_is_file)]],
    Field(min_length=1),
    BeforeValidator(as_list),
    DISTINCT,
    WithJsonSchema(TEXT_OR_LIST),
]
"""Files of this machine, by their paths."""

Place = Annotated[str, Field(min_length=1), AfterValidator(_existing)]
Places = Annotated[
    list[Place],
    Field(min_length=1),
    BeforeValidator(as_list),
    AfterValidator(_listed_once),
    WithJsonSchema(TEXT_OR_LIST),
]
