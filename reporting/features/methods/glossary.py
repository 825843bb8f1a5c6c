"""The meaning of this page's terms: its measures from their own metadata, and the words it uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from reporting.base.word_files import read_words
from reporting.core.measures.measure import Measure
from reporting.document.blocks import Cell, Column, Section, Table
from reporting.document.formula import formula, plain
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.roc import ROC
from reporting.document.words.decisions import decisive_p, shown_to_differ
from reporting.document.words.phrases import RESAMPLED, SWAP, TUNED, cluster, clusters, level_text, sense
from reporting.document.words.terms import Terms, terms
from reporting.document.words.view import views
from reporting.features.methods import FEATURE
from reporting.features.methods.definitions import cost_definition

MOST_SYNONYMS = 4


def glossary(results: Results) -> Section | None:
    """Return one table, in the order of the alphabet; a term is in it only where the page uses it."""
    spoken = terms(results.study.vocabulary)
    measures = ((spoken.measure(each), _meaning(each, spoken)) for each in _measures(results))
    lines = [*_of_terms(results, spoken), *measures]
    rows = {term: (Cell(term), Cell(meaning)) for term, meaning in lines}
    table = Table(
        name="glossary",
        caption="Terms used in this report.",
        columns=(Column("term"), Column("meaning")),
        rows=tuple(rows[term] for term in sorted(rows, key=lambda term: (term.casefold(), term))),
    )
    return FEATURE.section("glossary").of((table,))


def _measures(results: Results) -> list[Measure]:
    """Return every measure of the page once, whatever its parameters."""
    along = results.study.epc.measures if results.study.epc is not None else ()
    measures = (results.study.primary.measure, *results.study.measures, *along)
    return list({measure.key: measure for measure in measures}.values())


def _meaning(measure: Measure, spoken: Terms) -> str:
    label, name = spoken.measure(measure), spoken.name(measure)
    definition = f"{_defined(measure, spoken)}; {GOOD.get(sense(measure), sense(measure))}."
    definition = definition if name == label else f"{name}: {definition}"
    known = {label.casefold(), name.casefold()}
    other = [word for word in measure.synonyms if word.casefold() not in known]
    # What it is one less than explains more than another name.
    shown = sorted(other, key=lambda word: not word.startswith("1 - "))[:MOST_SYNONYMS]
    elsewhere = f" Elsewhere: {', '.join(shown)}." if shown else ""
    return f"{definition}{elsewhere} Source: {measure.source}."


def _defined(measure: Measure, spoken: Terms) -> str:
    cost = cost_definition(measure, spoken)
    if cost is None:
        return _printed(spoken.say(measure.definition))
    relative = f", relative to the cost of {cost.relative}" if cost.relative else ""
    return f"{_printed(cost.formula)}{relative}{cost.where(_printed)}"


def _printed(text: str) -> str:
    node = formula(text)
    return text if node is None else plain(node)


GOOD = {"lower is better": "low is good", "higher is better": "high is good"}
"""No sentence of a page has "better" where no test shows it."""


def _of_terms(results: Results, spoken: Terms) -> Iterator[tuple[str, str]]:
    facts = vars(spoken) | {
        "level": level_text(results.study.inference.level),
        "clusters": clusters(results) if results.cluster is not None else "",
        "cluster": cluster(results) if results.cluster is not None else "",
        "unit": cluster(results) if results.cluster is not None and _clustered(results) else spoken.trial,
        "tuned": TUNED,
    }
    used = _uses(results)
    for term, (meaning, *by) in ENTRIES.items():
        if all(used[each] for each in by):
            yield term.format_map(facts), meaning.format_map(facts)


ENTRIES = read_words(Path(__file__).with_name("glossary.yaml")).plain()


def _uses(results: Results) -> dict[str, bool]:
    """Return whether the page has what terms are for."""
    headlines = ((view, row) for view in views(results) for row in view.headlines)
    family = ((view, row) for view, row in headlines if row.family != "descriptive")
    study, rows, compared = results.study, results.frame(METRICS), results.frame(COMPARISONS)
    definitions = [measure.definition for measure in _measures(results)]
    curves = not results.frame(ROC).is_empty()
    tuned = compared.filter(pl.col("criterion").is_not_null(), inference="given_thresholds")
    resampled = compared.filter(pl.col("p_method").is_in(RESAMPLED))
    criteria = (study.primary.criterion, *study.criteria)
    return {
        "false alarms": any("false alarms" in definition for definition in definitions),
        "misses": any("misses" in definition for definition in definitions),
        "roc": curves and study.draws("roc"),
        "det": curves and study.draws("det"),
        "epc": study.epc is not None and not results.frame(EPC).is_empty(),
        "bands": results.frame(EPC)["band_low"].count() > 0,
        "chosen thresholds": any(criterion.threshold is None for criterion in criteria),
        "oracle": not rows.filter(threshold_source="oracle").is_empty(),
        "limits": rows["ci_low"].count() > 0,
        "resamples": not resampled.is_empty() or rows["replicates"].count() > 0,
        "exchanges": not compared.filter(p_method=SWAP).is_empty(),
        "tests": len(results.models) > 1 and compared["p_value"].count() > 0,
        "adjusted tests": compared["p_adjusted"].count() > 0,
        "open differences": any(
            decisive_p(row) is not None and not shown_to_differ(view, row) for view, row in family
        ),
        "tuned": tuned["p_value"].count() > 0,
        "clusters": _clustered(results),
    }


def _clustered(results: Results) -> bool:
    return results.cluster is not None and results.study.inference.unit != "trial"
