"""The Jinja environments of the formats: everything is escaped that is not marked as finished."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reporting.render.tex import Tex, escape
from reporting.resources import folder

SHARED: dict[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}


def html_environment(overrides: Path | None = None) -> Environment:
    """Escape everything: ``select_autoescape`` would leave ``*.html.j2`` alone."""
    return Environment(loader=_loader("html", overrides), autoescape=True, **SHARED)


def tex_environment(overrides: Path | None = None) -> Environment:
    """Escape whatever is not TeX already; the marks of the templates do not occur in TeX."""
    return Environment(
        loader=_loader("latex", overrides),
        finalize=lambda value: value if isinstance(value, Tex) else escape(str(value)),
        autoescape=False,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        **SHARED,
    )


def _loader(name: str, overrides: Path | None) -> FileSystemLoader:
    """Look in the user's folder first."""
    own = [] if overrides is None else [overrides / name]
    return FileSystemLoader([*own, folder("templates") / name])
