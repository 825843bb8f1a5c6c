"""Measures, criteria, fits and named operating points: a page of each kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.markdown import anchor, code, fields, heading, index, page, plain, table
from reporting.app.handbook.catalogue import OUT_OF_SCOPE, Entry, entries
from reporting.core.measures.costs import PRESETS
from reporting.document.words.terms import capitalised

PLACES = {
    "threshold": "measures_at_a_threshold",
    "sweep": "measures_over_thresholds",
    "scores": "measures_of_scores",
    "criterion": "criteria",
    "fit": "fits",
}
TITLES = {
    "threshold": "Measures at a threshold",
    "sweep": "Measures over all thresholds",
    "scores": "Measures of the scores",
    "criterion": "Criteria",
    "fit": "Fits",
}
LEADS = {
    "threshold": "Each of these is computed from the misses and false alarms at one threshold. The"
    " [criteria](criteria.md) of the report choose that threshold on the development set.",
    "sweep": "Each of these uses all thresholds of the set in question, or the best of them. They need no"
    " development set.",
    "scores": "Each of these reads the scores as likelihood ratios or probabilities. Declare the scale of a"
    " model with `models: {NAME: {scale: llr}}`, or let `calibration=affine` or `calibration=pav` fit a map"
    " on the development set.",
    "criterion": "A criterion chooses a threshold on the development set. `oracle(...)` around a criterion"
    " tunes the threshold on the test set instead; the report marks such numbers as optimistic.",
    "fit": "A fit replaces the staircase of counts by a smooth curve. It suits small tables and ratings.",
}
COVERED = (
    "*Covered* is the share of simulated tables in which the 95% interval contained the true value: in the"
    " kind of table with the lowest share and in the kind with the highest. [Method choices](../methods.md)"
    " describes the study."
)
MEASURED = ("threshold", "sweep", "scores")


def pages() -> dict[str, str]:
    """Return the pages of all kinds."""
    every = list(entries())
    of_kinds = {
        f"reference/{place}.md": _page(kind, [entry for entry in every if entry.kind == kind])
        for kind, place in PLACES.items()
    }
    return of_kinds | {"reference/operating_points.md": page(_operating_points())}


def _page(kind: str, every: list[Entry]) -> str:
    return page([*heading(1, TITLES[kind]), LEADS[kind], "", *_contents(kind, every), *_entries(every)])


def _contents(kind: str, every: list[Entry]) -> Iterator[str]:
    header = ("name", "what it is", *(("best",) if kind in MEASURED else ()))
    yield from table(header, (_line(entry, len(header)) for entry in every))
    if kind in MEASURED:
        yield from (COVERED, "", OUT_OF_SCOPE, "")


def _line(entry: Entry, width: int) -> tuple[str, ...]:
    link = f"[{code(entry.name)}](#{anchor(entry.kind, entry.name)})"
    return (link, plain(entry.title), plain(_best(entry)))[:width]


def _best(entry: Entry) -> str:
    return entry.sense.removesuffix(" is better").removesuffix(" is best")


def _entries(every: list[Entry]) -> Iterator[str]:
    for entry in every:
        yield from heading(2, code(entry.name), anchor(entry.kind, entry.name))
        yield from index(dict.fromkeys((entry.name, *_called(entry))))
        yield from (f"{plain(capitalised(entry.title))}.", "")
        yield from fields(_facts(entry))


def _called(entry: Entry) -> Iterator[str]:
    """Yield what people search for: its title, also without what specifies it, and its other names."""
    yield from (entry.title, re.split(r"[,(]| (?:of|on|at) ", entry.title)[0].strip(), *entry.synonyms)


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "formula" if entry.kind in MEASURED else "definition", plain(entry.definition)
    facts = {
        "best": _best(entry),
        "range": entry.range,
        "scores": entry.scale,
        "parameters": "; ".join(entry.parameters),
        **dict(entry.inference),
        "also called": ", ".join(entry.synonyms),
        "source": entry.source,
    }
    yield from ((name, plain(text)) for name, text in facts.items() if text)


def _operating_points() -> Iterator[str]:
    yield from heading(1, "Operating points by name")
    yield "A name under `operating_points` of the config gives the priors and costs of an evaluation."
    yield ""
    rows = (
        (
            code(name),
            "; ".join(f"{p.p_target:g}, {p.c_miss:g}, {p.c_fa:g}" for p in preset.points),
            plain(preset.source),
        )
        for name, preset in PRESETS.items()
    )
    yield from table(("name", "prior of a target, cost of a miss, cost of a false alarm", "source"), rows)
