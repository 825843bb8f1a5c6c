"""Every code that a report, a frame or a message may hold: an index, and a page of each code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from docs.markdown import anchor, code, fields, heading, page, plain, table
from docs.reference.examples import EXAMPLES, WITHOUT_EXAMPLE
from reporting.app.handbook.codes import KIND_TITLES
from reporting.core.engine.intervals import AT_THRESHOLDS, OVER_SWEEP
from reporting.core.engine.pairs import TESTS
from reporting.document.words.codes import CI_METHODS, CORRECTIONS, P_METHODS, Code, Method, formulas
from reporting.features.codes import codes

LEAD = (
    "Cautions, messages and the frames carry codes that keep their meaning for good. Each has a page with an"
    " example; `reporting explain CODE` prints the same in a terminal. A caution that you have dealt with can"
    ' be folded away with a reason, by `ignore: {TR203: "your reason"}` in the config.'
)
FOLDED = "The config can fold it away with a reason: {ignored}."


def pages() -> dict[str, str]:
    """Return the index of codes, the page of each, and that of the methods."""
    return {
        "reference/codes.md": page(_index()),
        **{place(each): page(_code(each)) for each in codes().values()},
        "reference/methods.md": page(_methods()),
    }


def place(each: Code) -> str:
    """Return the path of the page of a code."""
    return f"reference/codes/{each.key.lower()}.md"


def _index() -> Iterator[str]:
    yield from heading(1, "Codes")
    yield from (LEAD, "")
    for kind, title in KIND_TITLES.items():
        yield from heading(2, title, anchor("codes", kind))
        every = [each for each in codes().values() if each.kind == kind]
        yield from table(("code", "name", "title"), map(_row, every))


def _row(each: Code) -> tuple[str, str, str]:
    """Return a row, which is where links to the code on one page of all codes lead."""
    link = f"[{each.key}](codes/{each.key.lower()}.md)"
    by_name = f'<span id="{anchor(each.kind, each.name)}">{code(each.name)}</span>'
    return f'<span id="{anchor(each.key)}">{link}</span>', by_name, plain(each.title)


def _code(each: Code) -> Iterator[str]:
    """Yield the page of a code; no list of contents names it but the index."""
    yield from ("---", "orphan: true", "---", "")
    yield from heading(1, f"{each.key}: {plain(each.title)}")
    kind = KIND_TITLES[each.kind].partition(":")[0]
    yield from (f"[Codes](../codes.md) / [{kind}](../codes.md#{anchor('codes', each.kind)})", "")
    facts = {
        "name": code(each.name),
        "means": plain(each.meaning),
        "detected": plain(each.detected),
        "matters": plain(each.matters),
        "to do": plain(each.remedy),
    }
    yield from fields(facts.items())
    if each.can_be_ignored:
        ignored = code(f'ignore: {{{each.key}: "your reason"}}')
        yield from (FOLDED.format(ignored=ignored), "")
    yield from _example(each)


def _example(each: Code) -> Iterator[str]:
    if each.key in WITHOUT_EXAMPLE:
        yield f"No short example: {WITHOUT_EXAMPLE[each.key]}"
    elif each.key in EXAMPLES:
        yield from heading(2, "Example")
        yield _fenced(EXAMPLES[each.key].strip("\n"))


def _fenced(example: str) -> str:
    """Return an example as Markdown: what has no fence of its own is a session of Python."""
    if example.startswith("```"):
        return example
    return f"```python\n>>> import reporting\n{example}\n```"


def _methods() -> Iterator[str]:
    yield from heading(1, "Methods by name")
    yield from (OF_METHODS, "")
    titles = (
        ("Methods of intervals", "ci_method", CI_METHODS),
        ("Methods of p-values", "p_method", P_METHODS),
        ("Corrections", "correction", CORRECTIONS),
    )
    for title, column, methods in titles:
        yield from _of_column(title, column, methods.values())
    for title, in_order in ORDERS.items():
        yield from heading(2, title)
        yield from (f"{number}. {plain(sentence(each))}" for number, each in enumerate(in_order, 1))
        yield ""


ORDERS: dict[str, Sequence[Callable[..., object]]] = {
    "How a number over all thresholds gets its interval: the first that applies": OVER_SWEEP,
    "How a number at a threshold gets its interval: the first that applies": AT_THRESHOLDS,
    "How two models are compared: the first test that applies": TESTS,
}
"""The tables that the program goes through."""


def sentence(method: Callable[..., object]) -> str:
    """Return what a method does, as the first sentence of its description says."""
    first = " ".join((method.__doc__ or "").split("\n\n")[0].split()).removeprefix("Return ")
    return first[0].upper() + first[1:]


OF_METHODS = (
    "The frames name the method of every interval, p-value and correction, and `reporting explain` prints the"
    " formula of a name. V is a value and D a difference, V\\* and D\\* the same in one of M resamples, SD\\*"
    " their standard deviation over resamples, z a quantile of the normal distribution and t of Student's."
)


def _of_column(title: str, column: str, methods: Iterable[Method]) -> Iterator[str]:
    yield from heading(2, title)
    rows = (
        (
            f'<span id="{anchor(column, each.key)}">{code(each.key)}</span>',
            plain(each.name),
            *_formula(column, each),
        )
        for each in methods
    )
    yield from table((column, "method", "formula", "section"), rows)


def _formula(column: str, method: Method) -> tuple[str, str]:
    of = formulas()[f"{column}s"][method.key]
    place = "-".join(re.findall(r"\w+", of.section))
    number = of.section.rpartition(" ")[2]
    return plain(of.formula), f"[{number}](../methods/{of.page}.md#{place})"
