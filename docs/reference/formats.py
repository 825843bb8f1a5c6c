"""The formats of files and the layouts of trials, from the tables by which the program reads them."""

from __future__ import annotations

from collections.abc import Iterator

from docs.markdown import anchor, code, heading, page, plain, table
from reporting.inputs.formats.catalogue import FORMATS, PACKED, Format
from reporting.inputs.spec import EVALS, LAYOUT_CONTENTS, TABLES, TEXTS, Layout

LEAD = (
    "`trials.source` names files, folders or patterns, and the end of a file's name shows its format."
    " `trials.layout` names the layout of their rows; `reporting init FILE...` infers it, and so does"
    " `reporting doctor FILE...`, which also lists the questions that the trials can answer."
    " [Trials](../guide/trials.md) has examples."
)
KINDS: tuple[tuple[str, tuple[Layout, ...]], ...] = (
    ("Tables", TABLES),
    ("Text formats of the field", TEXTS),
    ("Logs of evaluations", EVALS),
    ("Counts", ("counts",)),
)


def pages() -> dict[str, str]:
    """Return the page of all formats and layouts."""
    return {"reference/formats.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "File formats and layouts")
    yield from (LEAD, "")
    yield from heading(2, "Formats of files", "formats")
    yield from table(("files", "hold", "packed", "in folders", "needs"), map(_row, FORMATS))
    packed = ", ".join(map(code, PACKED))
    yield from (
        f"Packed: the name may end in {packed} too. In folders: a source that is a folder means such files.",
        "",
    )
    for title, words in KINDS:
        yield from heading(2, title, anchor("layouts", title))
        yield from table(("layout", "holds"), ((code(word), plain(LAYOUT_CONTENTS[word])) for word in words))


def _row(each: Format) -> tuple[str, ...]:
    needs = code(f"pip install 'trial-reporting[{each.extra}]'") if each.extra else ""
    return (
        ", ".join(map(code, each.suffixes)),
        plain(each.holds),
        "yes" if each.is_text else "",
        "yes" if each.in_folders else "",
        needs,
    )
