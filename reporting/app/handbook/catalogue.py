"""Every measure, criterion and fit as an entry of the catalogue: texts made of the values themselves."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from reporting.base.contents import Parameter, joined, show_value
from reporting.base.extensions import imported
from reporting.base.records import dataclass
from reporting.core.criteria.catalogue import CRITERIA, READ_AS
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.curves import Fit
from reporting.core.measures.catalogue import MEASURES, REFUSED, read_measure
from reporting.core.measures.catalogue import READ_AS as MEASURES_READ_AS
from reporting.core.measures.costs import PRESETS
from reporting.core.measures.measure import OF_PROBABILITIES, Measure
from reporting.core.measures.rate_names import rate_at
from reporting.document.words.covered import assumed_by, comparison_of, coverage_of, interval_of
from reporting.document.words.terms import capitalised
from reporting.errors import ConfigError, UnknownNameError, did_you_mean, quoted
from reporting.features.catalogue import FEATURES

KINDS = {
    "threshold": "Measures at a threshold",
    "sweep": "Measures over all thresholds",
    "scores": "Measures of the scores themselves",
    "criterion": "Criteria: how a threshold is chosen",
    "fit": "Fits: smooth curves",
}
FAMILIES = {
    "moments": "any, and another curve where scores are transformed",
    "ranks": "any; an increasing map of the scores changes nothing",
}
SCALES = {
    "": "any",
    "llr": "log likelihood ratio (scale llr or log10_llr), or calibration on the development set where"
    " offered",
    **dict.fromkeys(OF_PROBABILITIES, "probability of the target (scale probability or logit)"),
}

TIES = "of thresholds that are as good the one that the key thresholds.ties names"


@dataclass(frozen=True)
class Entry:
    """One name of the catalogue, in words."""

    kind: str
    name: str
    title: str
    definition: str
    scale: str
    parameters: tuple[str, ...]
    synonyms: tuple[str, ...]
    source: str
    sense: str = ""
    range: str = ""
    ties: str = ""
    """Of a criterion: which of several thresholds that are as good it chooses."""
    inference: tuple[tuple[str, str], ...] = ()
    """Of a measure: its interval, test, assumptions and coverage."""


def entries() -> Iterator[Entry]:
    """Yield every entry: measures in the order of the catalogue, then criteria and fits."""
    for measure in sorted(MEASURES.values(), key=lambda m: list(KINDS).index(m.over)):
        yield _of_measure(measure)
    for criterion in CRITERIA.values():
        scale = SCALES["llr"].partition(",")[0] if criterion.on == "llr" else SCALES[""]
        synonyms = (name for name, call in READ_AS.items() if call.partition("(")[0] == criterion.key)
        yield _entry("criterion", criterion, scale, tuple(synonyms), ties=TIES if criterion.select else "")
    for fitting in (feature for feature in FEATURES.values() if feature.fits):
        for fit in imported(fitting.fits).values():
            yield _entry("fit", fit, FAMILIES[fit.family], fit.synonyms)


def find(text: str) -> list[Entry]:
    """Return the entries that have a name or a synonym; ConfigError with the nearest guess for none.

    Parameters of a name play no part: ``target_far(far=0.1)`` finds ``target_far``.
    """
    every = list(entries())
    lower = text.strip().lower()
    name = lower.partition("(")[0].strip()
    for alike in (str.lower, joined):
        for wanted in (lower, name):
            if matches := [entry for entry in every if alike(wanted) in map(alike, _names(entry))]:
                return matches
    at = rate_at(name)
    if at is not None:
        return [entry for entry in every if entry.name == at[0]]
    if joined(name) in REFUSED:
        raise UnknownNameError(f"{quoted(text)} {REFUSED[joined(name)]}")
    from reporting.features.catalogue import CURVES  # a table of measures needs no questions

    if (curve := CURVES.meant(name)) in CURVES:
        raise UnknownNameError(f"{quoted(text)} is a curve: write curves: [{curve}]")
    guess = did_you_mean(name, [each for entry in every for each in _names(entry)])
    raise UnknownNameError(
        f"{text!r} is not a measure, criterion or fit{guess}; `reporting measures` lists them all"
    )


def aliases_of(key: str) -> list[str]:
    """Return the names of others that are read as a measure."""
    return [name for name, call in MEASURES_READ_AS.items() if call.partition("(")[0] == key]


def _names(entry: Entry) -> list[str]:
    aliases = [] if entry.kind == "criterion" else aliases_of(entry.name)
    return [entry.name, entry.title, *entry.synonyms, *aliases]


def _of_measure(measure: Measure) -> Entry:
    inference = (
        ("interval", interval_of(measure)),
        ("test of a difference", comparison_of(measure)),
        ("assumes", assumed_by(measure)),
        ("covered", coverage_of(measure)),
    )
    sense = f"{measure.better} is better" if measure.ideal is None else f"{measure.ideal:g} is best"
    return _entry(
        measure.over,
        measure,
        SCALES[measure.needs],
        measure.synonyms,
        sense=sense,
        range=_range(*measure.bounds),
        inference=inference,
    )


def _entry(
    kind: str, value: Measure | Criterion | Fit, scale: str, synonyms: tuple[str, ...], **more: Any
) -> Entry:
    return Entry(
        kind=kind,
        name=value.key,
        title=value.name,
        definition=value.definition,
        scale=scale,
        parameters=tuple(f"{p.name} = {show_value(p.default)} ({_allowed(p)})" for p in value.parameters),
        synonyms=synonyms,
        source=value.source,
        **more,
    )


def _allowed(p: Parameter) -> str:
    if isinstance(p.default, bool):
        return "true or false"
    if p.read is not None:
        return "a measure at a threshold"
    choices = [*p.words, *([_range(p.low, p.high)] if p.numeric else [])]
    return " | ".join(choices)


def _range(low: float, high: float) -> str:
    left = "(-inf" if math.isinf(low) else f"[{low:g}"
    right = "inf)" if math.isinf(high) else f"{high:g}]"
    return f"{left}, {right}"


OUT_OF_SCOPE = (
    "Identification and ranking of candidates (CMC), censored (time-to-event) labels, graded relevance and"
    " native multi-class problems are out of scope; one-vs-rest tables are averaged with `averaged_over`."
)


def overview(width: int = 100) -> str:
    """Return the whole catalogue, one line an entry."""
    every = list(entries())
    column = max(len(entry.name) for entry in every) + 2
    lines = []
    for kind, title in KINDS.items():
        lines += ["", title, ""]
        for entry in (entry for entry in every if entry.kind == kind):
            summary = "; ".join(filter(None, (entry.title, entry.sense)))
            short = textwrap.shorten(summary, width - column - 2, placeholder=" …")
            lines.append(f"  {entry.name:<{column}}{short}")
    closing = "`reporting measures NAME` describes one of them; synonyms are accepted."
    return "\n".join([*lines[1:], "", *textwrap.wrap(OUT_OF_SCOPE, width), "", closing])


def detail(name: str, width: int = 100) -> str:
    """Return everything about the entries of a name or synonym; ConfigError for an unknown one."""
    lines: list[str] = []
    for entry in find(name):
        lines += ["", f"{entry.name}: {entry.title}"]
        for label, text in _facts(entry):
            lines += textwrap.wrap(f"{label}: {text}", width, initial_indent="  ", subsequent_indent="    ")
    whole = "\n".join(lines[1:])
    if "(" not in name and (meanings := REFUSED.get(joined(name))):
        whole = "\n".join(textwrap.wrap(f"{name.strip()} {meanings}", width)) + f"\n\n{whole}"
    meant = _meant_by(name)
    return f"{name.strip()} is read as {meant}\n\n{whole}" if meant else whole


def _meant_by(name: str) -> str:
    """Return the measure at the values that a name denotes; nothing where the name gives none."""
    try:
        measure = str(read_measure(name))
    except ConfigError:
        return ""
    return measure if "(" in measure and joined(measure) != joined(name) else ""


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    facts = {
        "definition": entry.definition,
        "kind": KINDS[entry.kind].partition(":")[0].lower(),
        "sense": entry.sense,
        "range": entry.range,
        "scale": entry.scale,
        "parameters": "; ".join(entry.parameters),
        "ties": entry.ties,
        **dict(entry.inference),
        "also called": ", ".join(entry.synonyms),
        "source": entry.source,
    }
    return ((label, text) for label, text in facts.items() if text)


def page() -> str:
    """Return the catalogue as Markdown; the tests compare it with MEASURES.md."""
    lines = [
        "# Measures, criteria, fits and operating points",
        "",
        "Generated by `reporting measures --markdown`. Parameters are listed with their defaults and allowed"
        " values; a name in a config gives those that differ,"
        ' such as `"mindcf(p_target=0.01,c_miss=10)"`.',
        "",
        OUT_OF_SCOPE,
        "",
        "Covered: how often the interval held the true value in simulated tables, in the kind of table where"
        " it did least often and in that where it did most often"
        " (`tests/research/studies/figures.md` has all).",
    ]
    every = list(entries())
    for kind, title in KINDS.items():
        lines += ["", f"## {title}", ""]
        for entry in (entry for entry in every if entry.kind == kind):
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
    yield f"{_plain(capitalised(entry.title))}."
    yield ""
    for label, text in _facts(entry):
        if label != "kind":
            yield f"- {label}: {_plain(text)}"
    yield ""


def _plain(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "<", "["):
        text = text.replace(sign, f"\\{sign}")
    return text
