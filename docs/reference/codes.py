"""Every status, flag and method that a frame may hold, with its sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from docs.markdown import anchor, code, fields, heading, page, plain, table
from reporting.wording.codes import CI_METHODS, CORRECTIONS, FLAGS, P_METHODS, REASONS, Method, Notice
from reporting.wording.terms import capitalised

BLANK = re.compile(r"\{(\w+)\}")
WHERE = {
    "values": "of a value",
    "comparisons": "of a comparison",
    "fits": "of a fit",
    "tests": "of a further test",
    "runs": "of a difference from an earlier run",
    "policy": "of every number of the report",
}


def pages() -> dict[str, str]:
    """Return the page of all codes."""
    return {"reference/codes.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "Statuses, flags and methods")
    yield (
        "The frames hold short codes; the report prints sentences. Words in angle brackets are filled in with"
        " the models, measures or numbers concerned."
    )
    yield ""
    yield from _statuses()
    yield from _flags()
    titles = (
        ("Methods of intervals", "ci_method", CI_METHODS),
        ("Methods of p-values", "p_method", P_METHODS),
        ("Corrections", "correction", CORRECTIONS),
    )
    for title, column, methods in titles:
        yield from _methods(title, column, methods.values())


def _statuses() -> Iterator[str]:
    yield from heading(2, "Statuses")
    yield "The column `status` says why a number is undefined; the column `reason`, why a gate is undecided."
    yield ""
    rows = ((_anchored("status", each.key), plain(each.sentence)) for each in REASONS.values())
    yield from table(("status", "because"), rows)


def _flags() -> Iterator[str]:
    yield from heading(2, "Flags")
    yield "The column `flags` names what a reader must know about a number that is defined."
    yield ""
    for flag in FLAGS.values():
        yield from heading(3, code(flag.key), anchor("flag", flag.key))
        if flag.title:
            yield from (f"{plain(flag.title)}", "")
        yield from fields((where, _shown(text)) for where, text in _sentences(flag))


def _sentences(flag: Notice) -> Iterator[tuple[str, str]]:
    for name, where in WHERE.items():
        if text := getattr(flag, name):
            yield where, capitalised(text)


def _shown(text: str) -> str:
    words = BLANK.sub(lambda blank: f"<{blank[1].replace('_', ' ')}>", text)
    return plain(words if words.endswith(".") else f"{words}.")


def _methods(title: str, column: str, methods: Iterable[Method]) -> Iterator[str]:
    yield from heading(2, title)
    yield from (f"The column {code(column)} names the method.", "")
    rows = ((_anchored(column, each.key), plain(each.name)) for each in methods)
    yield from table((column, "method"), rows)


def _anchored(kind: str, key: str) -> str:
    return f'<span id="{anchor(kind, key)}">{code(key)}</span>'
