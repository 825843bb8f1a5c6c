"""Templates of a user's own, filled in where they reach neither Python nor files, and stop in the end.

They see only their arguments and change none of them. Steps (rounds of loops, calls) and the length of what
they write are counted, so that the same template stops at the same place everywhere. This guards against
slips and against data; it is no jail for an author who means harm.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, NoReturn

from jinja2 import (
    BaseLoader,
    Environment,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
)
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reporting.errors import ConfigError, OwnTemplateError, ReportingError, one_line

MOST_STEPS = 5_000_000
MOST_WRITTEN = 20_000_000
LONGEST_REPEAT = 10_000

STEPS = "-steps"
"""A filter that no template can name."""

NOT_OFFERED = ("random", "safe", "pprint", "center", "format", "indent", "wordwrap", "xmlattr", "urlize")
"""Filters that differ from run to run, let data act as mark-up, or write without bound."""
PADDING = frozenset({"center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"})
"""Methods of texts that do the last."""


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment in which a fault of a user's template is a ConfigError with file and line.

    ``places`` are the files of the user's templates. One budget of steps and of characters holds for all that
    the environment fills in.
    """

    intercepted_binops = frozenset(["*", "**", "%"])

    def __init__(self, places: Iterable[str], **options: Any) -> None:
        super().__init__(**options)
        self._places, self._texts = frozenset(places), set[str]()
        self._steps = self._written = 0
        for name in NOT_OFFERED:
            self.filters.pop(name, None)
        self.filters[STEPS] = self._counted
        self.globals.pop("lipsum", None)

    def text(self, source: str, place: str) -> Template:
        """Return a template that is at ``place`` of another file, such as ``notes.yaml:3:9``."""
        self._texts.add(place)
        code = self.compile(source, None, place)
        return Template.from_code(self, code, self.make_globals(None))

    def compile(self, source: Any, name: Any = None, filename: Any = None, *rest: Any, **more: Any) -> Any:
        """Refuse what neither jinja2 nor Python can read to its depth."""
        try:
            return super().compile(source, name, filename, *rest, **more)
        except TemplateSyntaxError as error:  # jinja2's lexer does not always say of which file
            place = self._line(filename, error.lineno)
            if place is None:
                raise
            raise OwnTemplateError(f"{place}: {one_line(_message(error))}") from None
        except (RecursionError, MemoryError, SyntaxError):
            place = self._line(filename, 1)
            if place is None:
                raise
            raise OwnTemplateError(f"{place}: statements or parentheses are nested too deeply") from None

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Refuse private names and the methods that pad a text to any length."""
        padding = isinstance(obj, str) and attr in PADDING
        return not padding and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """Offer no formatting in braces, which pads as well; jinja2 would provide its own."""

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Count every call."""
        __self.spend(1)
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Refuse powers, texts repeated beyond measure and the old way of formatting."""
        if operator == "**" or (operator == "%" and isinstance(left, str)):
            raise SecurityError(f"the operator {operator} is not offered here")
        for text, times in ((left, right), (right, left)):
            if operator == "*" and hasattr(text, "__len__") and len(text) * int(times) > LONGEST_REPEAT:
                raise SecurityError(f"a repetition of more than {LONGEST_REPEAT} is not offered here")
        return super().call_binop(context, operator, left, right)

    def concat(self, parts: Iterable[str]) -> str:
        """Join what a template writes, up to the bound."""
        return "".join(self._measured(parts))

    def spend(self, steps: int) -> None:
        """Count steps; SecurityError beyond the bound."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise SecurityError(f"stopped after {MOST_STEPS} steps of loops and calls")

    def _measured(self, parts: Iterable[str]) -> Iterator[str]:
        for part in parts:
            self._written += len(part)
            if self._written > MOST_WRITTEN:
                raise SecurityError(f"stopped after {MOST_WRITTEN} characters")
            yield part

    def _counted(self, items: Any) -> Any:
        """Count the rounds of a loop: in advance where they are known."""
        if hasattr(items, "__len__"):
            self.spend(len(items))
            return items
        return self._one_by_one(items)

    def _one_by_one(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(1)
            yield item

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Parse, have every loop counted, and refuse to switch escaping off."""
        tree = super()._parse(source, name, filename)
        for each in list(tree.find_all((nodes.EvalContextModifier, nodes.For))):
            if not isinstance(each, nodes.For):
                raise TemplateSyntaxError("autoescape is not yours to change", each.lineno, name, filename)
            each.iter = nodes.Filter(
                each.iter, STEPS, [], [], None, None, lineno=each.lineno, environment=self
            )
        return tree

    def handle_exception(self, source: str | None = None) -> NoReturn:
        """Raise a fault of a user's template with its place; a fault of the program passes unchanged."""
        error = sys.exc_info()[1]
        if error is None or isinstance(error, ConfigError):
            super().handle_exception(source)
        place = self._place_of(error)
        if place is None and isinstance(error, SecurityError):
            place = "report.templates"  # a bound that was reached between two templates
        if place is None:
            super().handle_exception(source)
        raise OwnTemplateError(f"{place}: {one_line(_message(error))}") from None

    def _place_of(self, error: BaseException) -> str | None:
        """Return the innermost line of a user's template on the way to the fault."""
        if isinstance(error, TemplateSyntaxError):
            return self._line(error.filename, error.lineno)
        place, trace = None, error.__traceback__
        while trace is not None:
            place = self._in_template(trace) or place
            trace = trace.tb_next
        return place

    def _in_template(self, trace: TracebackType) -> str | None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Template):
            return self._line(template.filename, template.get_corresponding_lineno(trace.tb_lineno))
        filled = trace.tb_frame.f_locals.get("self")
        return self._line(filled.filename, 1) if isinstance(filled, Template) else None

    def _line(self, file: str | None, line: int) -> str | None:
        if file in self._texts:
            return file
        return f"{file}:{line}" if file in self._places else None


class TextLoader(BaseLoader):
    """Loads what was read before: by name, a text and the file that a message shows."""

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        self._texts = texts

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Return text, file and whether both still hold."""
        if template not in self._texts:
            raise TemplateNotFound(template)
        return (*self._texts[template], lambda: True)


def _message(error: BaseException) -> str:
    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r} to include"
    if isinstance(error, TemplateError | ReportingError | ValueError):
        return str(error) or type(error).__name__
    if isinstance(error, RecursionError):
        return "it includes or calls itself without end"
    return f"{type(error).__name__}: {error}"
