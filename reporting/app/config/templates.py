"""The keys ``report.templates`` and ``report.sections``: a user's own folder, checked early."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema

from reporting.app.config.document import ConfigEntry, Fault, read_yaml
from reporting.base.resources import OWN_SECTION, OwnTemplates, read_templates
from reporting.document.keys import DISTINCT, PathText, Text, fault
from reporting.document.sections import ALWAYS, REST
from reporting.errors import ConfigError, did_you_mean, listed, quoted, refuse
from reporting.features.sections import NAMES

if TYPE_CHECKING:
    from reporting.features.own_sections import Node, OwnSection


def read_own(folder: Path) -> tuple[OwnTemplates, tuple[OwnSection, ...]]:
    """Read a folder of templates and the sections in it, by name; ConfigError for the first fault."""
    from reporting.render.environment import check_templates

    own = read_templates(folder)
    check_templates(own)
    return own, tuple(_section(own, file) for file in own.of("sections"))


def _section(own: OwnTemplates, file: str) -> OwnSection:
    from reporting.features.own_sections import own_section

    place = own.place(f"sections/{file}")
    name = file.removesuffix(OWN_SECTION)
    if not name.isascii() or not name.replace("-", "").isalnum() or name[0] == "-":
        raise ConfigError(f"{place}: a section is named by letters, digits and hyphens")
    if name in NAMES:
        raise ConfigError(f"{place}: there is a section {name!r} already; name the file otherwise")
    faults: list[Fault] = []

    entry = read_yaml(own.texts[f"sections/{file}"], place, faults)
    refuse((each.text for each in faults), ConfigError)
    return own_section(name, _with_places(entry))


def _with_places(entry: ConfigEntry) -> Node:
    from reporting.features.own_sections import Node

    value, place = entry.value, str(entry.mark)
    if isinstance(value, dict):
        return Node({key: _with_places(below) for key, below in value.items()}, place)
    if isinstance(value, list):
        return Node([_with_places(below) for below in value], place)
    return Node(value, place)


def _read_once(text: str, info: ValidationInfo) -> tuple[OwnSection, ...]:
    """Return the sections of a folder, which is read once for all keys about it."""
    context: dict[str, Any] = info.context if info.context is not None else {}
    if context.get("read own") != text:
        _, context["own sections"] = read_own(context.get("folder", Path()) / text)
        context["read own"] = text
    sections: tuple[OwnSection, ...] = context["own sections"]
    return sections


def _readable(text: str, info: ValidationInfo) -> str:
    try:
        _read_once(text, info)
    except ConfigError as error:
        raise fault("; ".join(error.faults), error.codes[0]) from None
    return text


def _known(name: str, info: ValidationInfo) -> str:
    if "templates" not in info.data:
        return name  # the folder is at fault, which is reported already
    folder = info.data["templates"]
    own = [] if folder is None else [section.name for section in _read_once(folder, info)]
    allowed = [*own, *(info.context or {}).get("sections of the caller", ()), *NAMES]
    if name not in allowed:
        raise fault(
            f"{quoted(name)} is not a section{did_you_mean(name, allowed)} (allowed: {listed(allowed, 40)})"
        )
    return name


def _with_the_answer(names: Sequence[str]) -> Sequence[str]:
    if ALWAYS not in names and REST not in names:
        raise fault(f"{ALWAYS!r} is missing, which holds the answer and its cautions; name it or {REST!r}")
    return names


TemplateFolder = Annotated[PathText, AfterValidator(_readable)]
SectionName = Annotated[
    Text,
    AfterValidator(_known),
    WithJsonSchema({"anyOf": [{"enum": list(NAMES)}, {"type": "string", "minLength": 1}]}),
]
SectionNames = Annotated[list[SectionName], Field(min_length=1), DISTINCT, AfterValidator(_with_the_answer)]
