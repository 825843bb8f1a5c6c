"""A config file -> the plan; all faults of the file are told at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from reporting.config.build import build_plan
from reporting.config.document import Entry, Fault, read_document
from reporting.config.faults import faults_of
from reporting.config.overrides import override
from reporting.config.plan import Plan
from reporting.config.quoting import rejoin_split_names
from reporting.config.schema import Config
from reporting.errors import ConfigError


def read_plan(path: Path, overrides: Sequence[str] = ()) -> Plan:
    """Read a config, with overrides ``key.path=value``; ConfigError with one line for every fault."""
    faults: list[Fault] = []
    document = read_document(path, faults)
    for text in overrides:
        override(document, text, faults)
    rejoin_split_names(document, faults)
    config = _validated(document, path.parent, faults)
    if config is None or faults:
        raise ConfigError(*(fault.text for fault in sorted(faults)))
    return build_plan(config, path)


def _validated(document: Entry, folder: Path, faults: list[Fault]) -> Config | None:
    try:
        return Config.model_validate(document.plain(), context={"folder": folder})
    except ValidationError as error:
        faults.extend(faults_of(error, document))
        return None
