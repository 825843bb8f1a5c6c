"""The methods in words, ready to paste: estimand, thresholds, intervals, tests, units, family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reporting.contents import show_value
from reporting.criteria.criterion import Criterion
from reporting.engine.model_runs import MEAN
from reporting.frames import EPC, ComparisonRow, MetricRow
from reporting.frames.results import Results
from reporting.measures.measure import Measure
from reporting.report import numbers
from reporting.report.blocks import Prose, Section
from reporting.sections.catalogue import SECTIONS
from reporting.sections.cautions import tied_cuts
from reporting.wording.codes import P_METHODS
from reporting.wording.decisions import standing
from reporting.wording.phrases import (
    AFRESH,
    CHOSEN,
    RESAMPLED,
    TUNED,
    TUNED_SYSTEMS,
    acceptance,
    adjustment,
    criterion_label,
    drawn_units,
    interval_name,
    is_tuned,
    level_text,
    listing,
    measure_label,
    method_name,
    pair_column,
    threshold_phrase,
    two_pools,
)
from reporting.wording.terms import Terms, terms
from reporting.wording.view import View, views

PLACED = {
    "midpoint": "half-way between neighbouring scores of dev",
    "upper": "at the upper of two neighbouring scores of dev",
    "lower": "just above the lower of two neighbouring scores of dev",
}


def methods(results: Results) -> Section | None:
    """Return the methods section."""
    every_view = views(results)
    paragraphs = (
        " ".join(_estimand(results)),
        " ".join(_thresholds(results, every_view)),
        " ".join(_inference(results, every_view)),
        " ".join(_tests(results, every_view)),
    )
    return SECTIONS["methods"].of(Prose(text) for text in paragraphs if text)


def _estimand(results: Results) -> Iterator[str]:
    primary, spoken = results.study.primary, _terms(results)
    placed = threshold_phrase(primary.criterion, results.study)
    at = f", at {placed}" if primary.measure.over == "threshold" else ""
    yield f"The primary measure is the {spoken.measure(primary.measure)} on test{at}."
    for measure in dict.fromkeys((primary.measure, *results.study.measures)):
        yield _definition(spoken, measure)
    yield (
        f"Error rates are taken within each class; where the {spoken.share} enters, it is {_share(results)}."
        " A rate or a measure that rests on fewer than 30 errors of a kind is named in the cautions."
    )
    if results.study.averaged_over:
        column = results.study.averaged_over
        yield f"Macro means give every value of {column} the same weight and resample the values."


def _terms(results: Results) -> Terms:
    return terms(results.study.vocabulary)


def _share(results: Results) -> str:
    """Yield whether the share of targets is that of the design or one of a population."""
    declared = results.study.prevalence
    if declared is not None:
        return f"declared as {declared:g}, that of the use which is meant, and not estimated"
    return "that of the sample, as its design or its source made it: no estimate of what it is in use"


def _definition(spoken: Terms, measure: Measure) -> str:
    values = ", ".join(f"{p.name} {show_value(p.value)}" for p in measure.parameters)
    definition = f"{spoken.measure(measure)} ({spoken.name(measure)}): {spoken.say(measure.definition)}"
    return f"{definition}{f', with {values}' if values else ''}."


def _thresholds(results: Results, every_view: list[View]) -> Iterator[str]:
    study, spoken = results.study, _terms(results)
    yield acceptance(every_view[0])
    criteria = dict.fromkeys((study.primary.criterion, *study.criteria))
    if criteria:
        rules = "; ".join(_criterion(spoken, criterion) for criterion in criteria)
        yield f"Thresholds are chosen {CHOSEN[study.thresholds.policy]} (a priori): {rules}."
        yield f"They are placed {PLACED[study.threshold_at]}."
    yield (
        f"Where several cuts minimise a weighted error, the rule “{study.ties}” chooses; equal-error cuts"
        f" that tie go to the smaller {spoken.far} + {spoken.frr}, then to the smaller {spoken.far}."
    )
    for view in every_view:
        yield from tied_cuts(view)
    yield "A posteriori means: thresholds chosen on test itself, what was possible and not what to expect."
    if study.epc is not None:
        rules = listing(spoken.say(criterion.definition) for criterion in study.epc.criteria)
        yield (
            f"The expected performance curve runs over {study.epc.alphas} values of α from 0 to 1;"
            f" at each it takes {rules} on dev."
        )
    for view in every_view:
        yield from _blind_alphas(view)


def _criterion(spoken: Terms, criterion: Criterion) -> str:
    return f"{criterion_label(criterion, spoken)} ({spoken.say(criterion.definition)})"


def _blind_alphas(view: View) -> Iterator[str]:
    """Yield the alphas at which dev shows no error of a kind: there it cannot tell thresholds apart."""
    rows = view.rows(EPC, "test")
    where, spoken = f" of {view.label}" if view.label else "", _terms(view.results)
    no_miss = [row.alpha for row in rows if row.misses_dev == 0]
    no_alarm = [row.alpha for row in rows if row.false_alarms_dev == 0]
    parts = []
    if no_miss:
        parts.append(f"no {spoken.miss} up to α = {numbers.significant(max(no_miss), 2)}")
    if no_alarm:
        parts.append(f"no {spoken.false_alarm} from α = {numbers.significant(min(no_alarm), 2)} on")
    if parts:
        finding = f"shows, for at least one model, {listing(parts)}"
        yield f"At the chosen thresholds dev{where} {finding}: there it can hardly guide the choice."


def _inference(results: Results, every_view: list[View]) -> Iterator[str]:
    inference = results.study.inference
    rows = [row for view in every_view for row in view.metrics if row.split == "test" and row.ci_method]
    if rows:
        how = _by_method(results, ((interval_name(row), row.measure) for row in rows))
        yield f"{level_text(inference.level)} intervals of single models: {how}."
        yield from _what_intervals_cover(results, rows)
    if any(view.part(results.frame(EPC))["band_low"].count() for view in every_view):
        yield (
            "Beside intervals at each α by itself, curves have a sup-t band: as many standard errors wide at"
            f" every α as it takes to hold {level_text(inference.level)} of the replicate curves whole."
        )
    replicates = numbers.count(inference.replicates)
    yield f"{_unit(results)} Bootstrap quantities rest on {replicates} replicates, seed {inference.seed}."
    yield _software(results)


def _what_intervals_cover(results: Results, rows: list[MetricRow]) -> Iterator[str]:
    """Yield whether intervals of single models hold their thresholds, which may differ from comparisons."""
    where = CHOSEN[results.study.thresholds.policy]
    inferences = {row.inference for row in rows}
    if "procedure" in inferences:
        yield f"At a threshold they cover the choice itself: {AFRESH}."
    if "given_thresholds" in inferences:
        yield f"At a threshold they hold it as chosen {where} and do not cover the choice itself."


def _unit(results: Results) -> str:
    if results.cluster is None or results.study.inference.unit == "trial":
        return "Trials treated as independent: the unit of resampling is the trial."
    second = pair_column(results)
    if second is None:
        return (
            f"The unit of resampling is the {results.cluster}: all its trials are drawn together, and one"
            " that is in both dev and test is drawn once for both."
        )
    if two_pools(results):
        return (
            f"Trials pair one {results.cluster} with one {second}, of two populations: each is resampled, and"
            " a trial counts as often as both were drawn, multiplied."
        )
    return (
        f"Trials pair two members of one population ({results.cluster} and {second}): members are resampled,"
        " and a trial counts as often as its two were drawn, multiplied; a trial of one member with itself"
        " as often as that one."
    )


def _by_method(results: Results, rows: Iterable[tuple[str, str]]) -> str:
    """Return measures grouped by their method: ``Wilson for FAR and FRR; ...``."""
    labels_by_method: dict[str, list[str]] = {}
    for method, measure in rows:
        labels_by_method.setdefault(method, []).append(measure_label(measure, _terms(results)))
    return "; ".join(
        f"{method} for {listing(sorted(set(labels)))}" for method, labels in sorted(labels_by_method.items())
    )


def _tests(results: Results, every_view: list[View]) -> Iterator[str]:
    rows = [row for view in every_view for row in view.headlines if row.p_value is not None]
    if not rows:
        return
    baseline = results.study.baseline
    against = f"with the baseline {every_view[0].names[baseline]}" if baseline is not None else "in all pairs"
    drawn = drawn_units(next(view for view in every_view if view.headlines), rows[0].unit)
    yield f"Models are compared {against}, paired by trial: each draw of {drawn} serves both."
    tests = ((method_name(row.p_method, P_METHODS), row.measure) for row in rows)
    yield f"p-values: {_by_method(results, tests)}."
    yield from _estimands(results, every_view, rows)
    yield from _small_samples(results, every_view, rows)
    yield from _family(rows)
    yield from _standing(every_view)
    errors = [row.mc_error for row in rows if row.mc_error is not None and row.p_method in RESAMPLED]
    if errors:
        yield f"The largest Monte-Carlo standard error of a p-value is {numbers.significant(max(errors), 2)}."


def _estimands(results: Results, every_view: list[View], rows: list[ComparisonRow]) -> Iterator[str]:
    """Yield the null hypothesis tested: of models tuned afresh, or of two tuned systems (methods 0.1)."""
    where = CHOSEN[results.study.thresholds.policy]
    if any(row.inference == "procedure" for row in rows):
        yield (
            "Where thresholds are involved, the comparison is of the models with their thresholds: each"
            f" replicate resamples dev, chooses again as was done {where}, and judges on resampled test."
        )
    beside = [tuned for view in every_view for row in view.headlines if (tuned := view.tuned(row))]
    tested = [row for row in beside if row.p_value is not None]
    if tested:
        ways = listing(dict.fromkeys(method_name(row.p_method, P_METHODS) for row in tested))
        yield (
            f"Beside it stands what the same trials say of {TUNED_SYSTEMS}, at the very thresholds chosen"
            f" {where} ({ways}): it says nothing of models tuned afresh, and as a test of the models it would"
            " show differences too often."
        )
    if any(is_tuned(row) for row in rows):
        yield (
            f"Where thresholds are involved, p is given {TUNED}: the thresholds stay as chosen {where}, so"
            " nothing is said of models tuned afresh."
        )


def _small_samples(results: Results, every_view: list[View], rows: list[ComparisonRow]) -> Iterator[str]:
    """Yield how few clusters, or few runs, change a standard error and its reference distribution."""
    if any(row.p_method == "t" and row.unit == "cluster" for row in rows):
        yield (
            "Over G clusters the standard error has the factor √(G / (G − 1)) and is read against Student's"
            " t; its degrees of freedom are the clusters of the class that fewer of them hold, less one."
        )
    if not any(view.run == MEAN for view in every_view):
        return
    if results.study.runs == "reader":
        yield (
            "Models are compared by their mean over readers, who are resampled too: it speaks of other"
            " readers: their part of the variance has the factor R / (R − 1), for R readers, and degrees of"
            " freedom are Satterthwaite's."
        )
    else:
        yield "Models are compared by the mean over their runs: of these very runs, on other trials."


def _standing(every_view: list[View]) -> Iterator[str]:
    rows = [row for view in every_view for row in standing(view)]
    if rows:
        yield (
            "A model may be the best unless the draws that all models share show it behind the best"
            f" (one-sided max-T at {numbers.p_value(1 - rows[0].level)}, Gupta 1965, Hsu 1981); this"
            " set is no part of the family."
        )


def _family(rows: list[ComparisonRow]) -> Iterator[str]:
    adjusted = [row for row in rows if row.p_adjusted is not None and row.correction]
    if not adjusted:
        yield "No p-value is adjusted for the number of comparisons."
        return
    family = "the primary question" if adjusted[0].family == "primary" else "all questions"
    joint = ""
    if adjusted[0].correction == "maxt":
        joint = (
            " (step-down, from the draws that all comparisons share; joint intervals are those of its single"
            " step)"
        )
    yield (
        f"p-values of {family} are {adjustment(adjusted[0])}{joint};"
        " all others, and the alphas of curves, are descriptive, unadjusted."
    )


def _software(results: Results) -> str:
    """Name the versions that made the numbers."""
    source = results.provenance
    libraries = listing(f"{name} {version}" for name, version in source.libraries)
    return f"Computed by reporting {source.version}{f', with {libraries}' if libraries else ''}."
