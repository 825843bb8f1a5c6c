"""Every code that a report, a frame or a message may hold: what it means, how it is detected, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from docs.markdown import anchor, code, fields, heading, page, plain, table
from docs.reference.code_examples import EXAMPLES
from reporting.handbook.codes import KIND_TITLES
from reporting.wording.catalogue import Code, all_codes
from reporting.wording.codes import CI_METHODS, CORRECTIONS, P_METHODS, Method

LEAD = (
    "Cautions, messages and the frames carry codes that keep their meaning for good. `reporting explain CODE`"
    " prints the same as this page. A caution that you have dealt with can be folded away with a reason, by"
    ' `ignore: {TR203: "your reason"}` in the config. Examples follow `import reporting`.'
)


def pages() -> dict[str, str]:
    """Return the page of all codes, and that of the methods."""
    return {"reference/codes.md": page(_codes()), "reference/methods.md": page(_methods())}


def _codes() -> Iterator[str]:
    yield from heading(1, "Codes")
    yield from (LEAD, "")
    for kind, title in KIND_TITLES.items():
        yield from heading(2, title, anchor("codes", kind))
        every = [each for each in all_codes() if each.kind == kind]
        rows = ((f"[{each.key}](#{anchor(each.key)})", code(each.name), plain(each.title)) for each in every)
        yield from table(("code", "name", "title"), rows)
        for each in every:
            yield from _code(each)


def _code(each: Code) -> Iterator[str]:
    yield f"({anchor(each.kind, each.name)})="
    yield from heading(3, f"{each.key}: {plain(each.title)}", anchor(each.key))
    facts = {
        "name": code(each.name),
        "means": plain(each.meaning),
        "detected": plain(each.detected),
        "matters": plain(each.matters),
        "to do": plain(each.remedy),
    }
    yield from fields(facts.items())
    if each.key in EXAMPLES:
        yield from ("```python", *EXAMPLES[each.key].strip("\n").splitlines(), "```", "")


def _methods() -> Iterator[str]:
    yield from heading(1, "Methods by name")
    yield "The frames name the method of every interval, p-value and correction."
    yield ""
    titles = (
        ("Methods of intervals", "ci_method", CI_METHODS),
        ("Methods of p-values", "p_method", P_METHODS),
        ("Corrections", "correction", CORRECTIONS),
    )
    for title, column, methods in titles:
        yield from _of_column(title, column, methods.values())


def _of_column(title: str, column: str, methods: Iterable[Method]) -> Iterator[str]:
    yield from heading(2, title)
    rows = (
        (f'<span id="{anchor(column, each.key)}">{code(each.key)}</span>', plain(each.name))
        for each in methods
    )
    yield from table((column, "method"), rows)
