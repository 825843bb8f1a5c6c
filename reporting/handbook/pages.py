"""The catalogue as text for a terminal, and as a page of Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from reporting.handbook.entries import KINDS, Entry, entries, find
from reporting.measures.costs import PRESETS

OUT_OF_SCOPE = (
    "Identification and ranking of candidates (CMC), presentation attack detection (APCER, BPCER), censored"
    " (time-to-event) labels, graded relevance and native multi-class problems are out of scope; one-vs-rest"
    " tables are averaged with `averaged_over`."
)


def overview(width: int = 100) -> str:
    """Return the whole catalogue, one line an entry."""
    every = list(entries())
    column = max(len(entry.name) for entry in every) + 2
    lines = []
    for kind, title in KINDS.items():
        lines += ["", title, ""]
        for entry in (one for one in every if one.kind == kind):
            told = "; ".join(filter(None, (entry.title, entry.sense)))
            short = textwrap.shorten(told, width - column - 2, placeholder=" …")
            lines.append(f"  {entry.name:<{column}}{short}")
    closing = "`reporting measures NAME` tells all about one of them; any synonym will do."
    return "\n".join([*lines[1:], "", *textwrap.wrap(OUT_OF_SCOPE, width), "", closing])


def detail(name: str, width: int = 100) -> str:
    """Return everything about the entries of a name or synonym; ConfigError for an unknown one."""
    return "\n\n".join("\n".join(_detail(entry, width)) for entry in find(name))


def _detail(entry: Entry, width: int) -> Iterator[str]:
    yield f"{entry.name}: {entry.title}"
    for label, text in _facts(entry):
        yield from textwrap.wrap(f"{label}: {text}", width, initial_indent="  ", subsequent_indent="    ")


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    facts = {
        "definition": entry.definition,
        "kind": KINDS[entry.kind].partition(":")[0].lower(),
        "sense": entry.sense,
        "range": entry.range,
        "scale": entry.scale,
        "parameters": "; ".join(entry.parameters),
        "also called": ", ".join(entry.synonyms),
        "source": entry.source,
    }
    return ((label, text) for label, text in facts.items() if text)


def page() -> str:
    """Return the catalogue as Markdown; the tests compare it with MEASURES.md."""
    lines = [
        "# Measures, criteria, fits and operating points",
        "",
        "Made of the values themselves by `reporting measures --markdown`. Parameters stand with their"
        " defaults and what they may be; a name in a config gives those that differ,"
        ' such as `"mindcf(p_target=0.01,c_miss=10)"`.',
        "",
        OUT_OF_SCOPE,
    ]
    every = list(entries())
    for kind, title in KINDS.items():
        lines += ["", f"## {title}", ""]
        for entry in (one for one in every if one.kind == kind):
            lines += _item(entry)
    lines += ["## Operating points by name", "", "| name | points | source |", "|---|---|---|"]
    for name, preset in PRESETS.items():
        points = "; ".join(
            f"p_target={p.p_target:g}, c_miss={p.c_miss:g}, c_fa={p.c_fa:g}" for p in preset.points
        )
        lines.append(f"| `{name}` | {points} | {_plain(preset.source)} |")
    return "\n".join(lines) + "\n"


def _item(entry: Entry) -> Iterable[str]:
    yield f"### `{entry.name}`"
    yield ""
    yield f"{_plain(entry.title[0].upper() + entry.title[1:])}."
    yield ""
    for label, text in _facts(entry):
        if label != "kind":
            yield f"- {label}: {_plain(text)}"
    yield ""


def _plain(text: str) -> str:
    """Keep what Markdown would read as signs."""
    for sign in ("\\", "|", "*", "_", "<", "["):
        text = text.replace(sign, f"\\{sign}")
    return text
