"""The meaning of this page's terms: its measures from their own metadata, and the words it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import polars as pl

from reporting.core.measures.measure import Measure
from reporting.document.blocks import Cell, Column, Section, Table
from reporting.document.formula import formula, plain
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.roc import ROC
from reporting.document.words.decisions import decisive_p, shown_to_differ
from reporting.document.words.phrases import (
    RESAMPLED,
    SWAP,
    TUNED,
    cluster,
    clusters,
    level_text,
    sense,
)
from reporting.document.words.terms import Terms, terms
from reporting.document.words.view import views
from reporting.features.methods import FEATURE
from reporting.features.methods.definitions import cost_definition

MOST_SYNONYMS = 4


@dataclass(frozen=True)
class _Entry:
    """A term: ``{...}`` are words of the vocabulary, and ``used`` returns whether the page has it."""

    term: str
    meaning: str
    used: Callable[[Results], bool] = lambda results: True


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
    }
    for entry in ENTRIES:
        if entry.used(results):
            yield entry.term.format_map(facts), entry.meaning.format_map(facts)


def _leaves_open(results: Results) -> bool:
    """Return whether the family has a test that shows no difference."""
    headlines = ((view, row) for view in views(results) for row in view.headlines)
    family = ((view, row) for view, row in headlines if row.family != "descriptive")
    return any(decisive_p(row) is not None and not shown_to_differ(view, row) for view, row in family)


def _chooses(results: Results) -> bool:
    criteria = (results.study.primary.criterion, *results.study.criteria)
    return any(criterion.threshold is None for criterion in criteria)


def _defines_by(word: str) -> Callable[[Results], bool]:
    return lambda results: any(word in measure.definition for measure in _measures(results))


def _draws(name: str) -> Callable[[Results], bool]:
    return lambda results: results.study.draws(name) and not results.frame(ROC).is_empty()


def _is_tuned(results: Results) -> bool:
    rows = results.frame(COMPARISONS).filter(pl.col("criterion").is_not_null(), inference="given_thresholds")
    return rows["p_value"].count() > 0


def _clustered(results: Results) -> bool:
    return results.cluster is not None and results.study.inference.unit != "trial"


ENTRIES = (
    _Entry("{trial}", "{trial_is}: it has a label, and a score from each model."),
    _Entry("{targets}", "{trials} {to_accept}."),
    _Entry("{nontargets}", "{trials} {to_reject}."),
    _Entry("{false_alarms}", "{nontargets} {were_accepted}.", _defines_by("false alarms")),
    _Entry("{misses}", "{targets} {were_rejected}.", _defines_by("misses")),
    _Entry("{hit_rate}", "share of {targets} {were_accepted}, 1 − {frr}.", _draws("roc")),
    _Entry("{threshold}", "{threshold_is}.", _chooses),
    _Entry("development set", "the {trials} on which {thresholds} are set.", _chooses),
    _Entry("test set", "the {trials} on which models are judged."),
    _Entry(
        "{a_posteriori}",
        "with thresholds tuned on the test set itself; {hindsight}.",
        lambda results: not results.frame(METRICS).filter(threshold_source="oracle").is_empty(),
    ),
    _Entry(
        "expected performance curve",
        "EPC: a measure on the test set against the weight, or the aim, with which thresholds were set on the"
        " development set.",
        lambda results: results.study.epc is not None and not results.frame(EPC).is_empty(),
    ),
    _Entry("DET", "detection error trade-off: both error rates at every threshold.", _draws("det")),
    _Entry("ROC", "receiver operating characteristic: {hit_rate} against {far_name}.", _draws("roc")),
    _Entry(
        "{level} CI",
        "confidence interval: in {level} of such studies it contains the true value.",
        lambda results: results.frame(METRICS)["ci_low"].count() > 0,
    ),
    _Entry(
        "bootstrap",
        "repeating the analysis on many random resamples of the {trials}, drawn with replacement.",
        lambda results: (
            not results.frame(COMPARISONS).filter(pl.col("p_method").is_in(RESAMPLED)).is_empty()
            or results.frame(METRICS)["replicates"].count() > 0
        ),
    ),
    _Entry(
        "swap test",
        "repeating the comparison after many exchanges of the two models' scores, each decided by chance for"
        " every {unit}: it shows which differences arise between models that do not differ.",
        lambda results: not results.frame(COMPARISONS).filter(p_method=SWAP).is_empty(),
    ),
    _Entry(
        "p-value",
        "probability of a difference at least this large if there were none.",
        lambda results: len(results.models) > 1 and results.frame(COMPARISONS)["p_value"].count() > 0,
    ),
    _Entry(
        "adjusted",
        "of a p-value: corrected for the number of comparisons.",
        lambda results: results.frame(COMPARISONS)["p_adjusted"].count() > 0,
    ),
    _Entry("inconclusive", "the data do not decide; this is no evidence of equality.", _leaves_open),
    _Entry(
        TUNED,
        "the systems as deployed are compared; the uncertainty of setting their thresholds is ignored.",
        _is_tuned,
    ),
    _Entry(
        "{clusters}",
        "{trials} of one {cluster} are not independent, so {clusters} are resampled as whole units.",
        _clustered,
    ),
    _Entry(
        "simultaneous band",
        "contains the whole true curve with {level} confidence.",
        lambda results: results.frame(EPC)["band_low"].count() > 0,
    ),
)
"""The terms of all pages."""
