"""The Jinja environments of the formats: everything is escaped that is not marked as finished.

A user's folder of templates takes precedence, in a sandbox; including ``ours/table.html.j2`` reaches
the template that is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import markupsafe
from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup

from reporting.base.resources import HOUSE, OwnTemplates, folder, read_templates, templates_of
from reporting.document.compiled import CompiledTemplates
from reporting.document.numbers import unbroken
from reporting.document.sandbox import Sandbox, TextLoader
from reporting.errors import OwnTemplateError
from reporting.render.tex import Tex, escape

SHARED: Mapping[str, Any] = {"undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
TEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}


def html_environment(
    overrides: Path | None = None,
    explained: Callable[[str], Markup] = markupsafe.escape,
    named: Callable[[str], Markup] = markupsafe.escape,
) -> Environment:
    """Escape everything: ``select_autoescape`` would leave ``*.html.j2`` alone.

    ``explained`` is the filter of texts whose terms a page explains, ``named`` that of the answer, which
    names models.
    """
    templates = environment(
        "html",
        overrides,
        finalize=lambda value: unbroken(value) if type(value) is str else value,
        autoescape=True,
    )
    templates.filters["explained"] = explained
    templates.filters["named"] = named
    return templates


def tex_environment(overrides: Path | None = None) -> Environment:
    """Escape whatever is not TeX already; the marks of the templates do not occur in TeX."""
    return environment(
        "latex",
        overrides,
        finalize=lambda value: value if isinstance(value, Tex) else escape(str(value)),
        autoescape=False,
        **TEX_MARKS,
    )


def environment(room: str, overrides: Path | None, **options: Any) -> Environment:
    """Return an environment of the templates of one format (a folder of ``templates/``), the user's first."""
    ours = FileSystemLoader(folder("templates") / room)
    if overrides is None:
        kept = CompiledTemplates(__file__)
        return Environment(loader=ours, bytecode_cache=kept, **SHARED, **options)
    own = read_templates(overrides)
    theirs = {name: (text, own.place(f"{room}/{name}")) for name, text in own.of(room).items()}
    loader = ChoiceLoader([TextLoader(theirs), ours, PrefixLoader({"ours": ours})])
    return Sandbox([place for _, place in theirs.values()], loader=loader, **SHARED, **options)


def house_style(overrides: Path | None) -> str:
    """Return the CSS that follows the program's on the page, or nothing."""
    return "" if overrides is None else read_templates(overrides).texts.get(HOUSE["html"], "")


def check_templates(own: OwnTemplates) -> None:
    """Read every template of a folder as its format will; ConfigError for the first fault."""
    _check_style(own)
    for name, text in own.of("html").items():
        if name.endswith(".j2"):
            _check_page(own.place(f"html/{name}"), text)
    for room, opened in (("html", html_environment), ("latex", tex_environment)):
        templates = opened(own.path)
        for name in own.of(room):
            if name.endswith(".j2"):
                templates.get_template(name)


_SCRIPT = re.compile(r"<script\b.*?(?:</script\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_INLINE = re.compile(r"<[a-z][^<>]*\s(on[a-z]+|style)\s*=", re.IGNORECASE)
_OUTSIDE = re.compile(
    r"<link\b|<iframe\b|<base\b|<object\b|\ssrc\s*=\s*[\"']?\s*(?:https?:)?//", re.IGNORECASE
)
_STYLE = re.compile(r"</style|@import|@font-face|url\(\s*[\"']?(?!data:image/)", re.IGNORECASE)


def _check_page(place: str, text: str) -> None:
    """Refuse what the page's policy would silently switch off, while it still has its line."""
    for match, why in _refused(text):
        raise OwnTemplateError(f"{place}:{text[: match.start()].count(chr(10)) + 1}: {why}")
    if place.endswith("report.html.j2") and not ("{{ policy }}" in text or '"ours/report.html.j2"' in text):
        raise OwnTemplateError(
            f'{place}: the page\'s policy is missing: <meta ... content="{{{{ policy }}}}">'
        )


def _refused(text: str) -> Iterator[tuple[re.Match[str], str]]:
    own = (folder("templates") / "html" / name for name in templates_of("html"))
    ours = {
        _SPACES.sub(" ", script)
        for path in own
        for script in _SCRIPT.findall(path.read_text(encoding="utf-8"))
    }
    for match in _SCRIPT.finditer(text):
        if _SPACES.sub(" ", match[0]) not in ours:
            yield match, "scripts are not allowed in templates; the page runs only its own"
    for match in _INLINE.finditer(text):
        yield (
            match,
            f"the page's policy allows no attribute {match[1]!r}; give a class and say it in house.css",
        )
    for match in _OUTSIDE.finditer(text):
        yield match, "the page takes nothing from outside; what it shows must be in it"


_SPACES = re.compile(r"\s+")


def _check_style(own: OwnTemplates) -> None:
    text = own.texts.get(HOUSE["html"], "")
    if match := _STYLE.search(text):
        raise OwnTemplateError(
            f"{own.place(HOUSE['html'])}:{text[: match.start()].count(chr(10)) + 1}: {match[0]!r} is not"
            " allowed: the page loads nothing (fonts are those of the reader's system, pictures data:image/)"
        )
