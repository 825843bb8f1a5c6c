"""Formats whose writer is a library that not every installation has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from reporting.base.records import dataclass
from reporting.errors import ConfigError


@dataclass(frozen=True)
class Extra:
    """A library: the module to import, the distribution that has it, and the extra that brings it."""

    module: str
    distribution: str
    extra: str


EXTRAS: Mapping[str, Extra] = {
    "docx": Extra("docx", "python-docx", "office"),
    "pdf": Extra("typst", "typst", "pdf"),
    "xlsx": Extra("xlsxwriter", "xlsxwriter", "office"),
}
"""What a format needs."""


def missing(name: str) -> str:
    """Return what a format lacks and how to install it, or nothing."""
    needed = EXTRAS.get(name)
    if needed is None or find_spec(needed.module) is not None:
        return ""
    install = f"pip install 'trial-reporting[{needed.extra}]'"
    return f"{name!r} needs {needed.distribution}, which is not installed; {install} brings it"


def require(name: str) -> None:
    """Raise ConfigError where the library of a format is not installed."""
    if fault := missing(name):
        raise ConfigError(f"report.formats: {fault}")
