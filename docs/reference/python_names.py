"""The names of ``import reporting``, with their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator

import reporting
from docs.markdown import anchor, code, heading, page, table
from reporting.app.api.notebook import NotebookReport
from reporting.app.api.planned import NotebookPlan
from reporting.features.planning.sample_plan import SamplePlan

LEAD = (
    "`import reporting` gives these names. [From Python](../guide/python.md) shows them at work. A faulty"
    " call raises `reporting.errors.ConfigError`, `DataError` or `OutputError` with one message per fault."
)

WIDTH = 88


def pages() -> dict[str, str]:
    """Return the page of all public names."""
    return {"reference/python.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "Python")
    yield from (LEAD, "")
    for name in reporting.__all__:
        value = getattr(reporting, name)
        if callable(value):
            yield from heading(2, code(f"reporting.{name}"), anchor("python", name))
            yield "```python"
            yield from _signature(name, value)
            yield from ("```", "")
            yield from (_markdown(inspect.getdoc(value) or ""), "")
    yield from heading(2, code("NotebookReport"), anchor("python", "NotebookReport"))
    yield from (_markdown(inspect.getdoc(NotebookReport) or ""), "")
    yield from table(("name", "meaning"), _members(NotebookReport))
    yield from heading(2, code("NotebookPlan"), anchor("python", "NotebookPlan"))
    yield from (_markdown(inspect.getdoc(NotebookPlan) or ""), "")
    yield from table(("name", "meaning"), [*_members(SamplePlan), *_members(NotebookPlan)])


def _members(value: type) -> Iterator[tuple[str, str]]:
    """Yield the public properties and methods of a class with the first sentence of each."""
    for name, member in vars(value).items():
        if not name.startswith("_"):
            called = "" if isinstance(member, property) else "()"
            yield (
                code(f"{name}{called}"),
                " ".join(_markdown((inspect.getdoc(member) or "").partition("\n\n")[0]).split()),
            )


def _signature(name: str, value: Callable[..., object]) -> Iterator[str]:
    """Yield the signature of a function, a parameter per line where it is long."""
    signature = inspect.signature(value)
    words = list(_words(signature.parameters.values()))
    returned = f" -> {_annotation(signature.return_annotation)}"
    short = f"{name}({', '.join(words)}){returned}"
    if len(short) <= WIDTH:
        yield short
        return
    yield f"{name}("
    yield from (f"    {word}," for word in words)
    yield f"){returned}"


def _words(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    """Yield parameters as they are written, with the marks of those that are only positions or only names."""
    before = None
    for parameter in parameters:
        kind = parameter.kind
        if before is parameter.POSITIONAL_ONLY and kind is not before:
            yield "/"
        if kind is parameter.KEYWORD_ONLY and before not in (kind, parameter.VAR_POSITIONAL):
            yield "*"
        before = kind
        stars = "*" * (kind is parameter.VAR_POSITIONAL) + "**" * (kind is parameter.VAR_KEYWORD)
        yield f"{stars}{parameter.name}: {_annotation(parameter.annotation)}{_default(parameter)}"
    if before is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"


def _annotation(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    return " = ..." if callable(parameter.default) else f" = {parameter.default!r}"


def _markdown(text: str) -> str:
    """Return a docstring as Markdown: its double quotes of code are single there."""
    return re.sub(r"``([^`]+)``", r"`\1`", text)
