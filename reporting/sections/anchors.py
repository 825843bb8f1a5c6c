"""The names of sections, for a config to choose from; light, because every config is checked with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ANCHORS = (
    "summary",
    "gates",
    "since-last",
    "curves",
    "cost-choice",
    "operating-points",
    "areas",
    "transfer",
    "costs",
    "other-measures",
    "fits",
    "comparisons",
    "tests",
    "breakdowns",
    "trends",
    "data",
    "glossary",
    "methods",
    "provenance",
)
"""The anchors of our sections in the usual order."""

ASKED = ("crosswalk",)
"""The anchors of sections that are written only where a config names them."""


def section_name(write: Callable[..., Any]) -> str:
    """Return what ``report.sections`` calls the section that a function writes: ``by_site`` is by-site."""
    return getattr(write, "__name__", "").replace("_", "-")


REST = "rest"
"""Stands for every section that is not named, in the usual order, the user's own last."""

ALWAYS = "summary"
"""No report is without it: it holds the answer and its cautions."""
