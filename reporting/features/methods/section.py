"""The methods in words, as a journal prints them: data, thresholds, primary and other analyses, software.

``methods.txt`` has the sentences; the functions here return what they state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Literal

from jinja2 import DictLoader, Environment, StrictUndefined

from reporting.base.legible import counted, plural
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Prose, Section
from reporting.document.compiled import CompiledTemplates
from reporting.document.formula import formula, plain
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS, MetricRow
from reporting.document.frames.ranking import RANKING
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words import phrases
from reporting.document.words.codes import CORRECTIONS
from reporting.document.words.counted_trials import SPLITS
from reporting.document.words.covered import LEVEL, MOST_GRADES, Covered, Studied, covered
from reporting.document.words.decisions import best_candidates, printed_alpha
from reporting.document.words.phrases import is_tuned, listing
from reporting.document.words.terms import Terms, capitalised, terms, with_article
from reporting.document.words.view import DatasetView, views
from reporting.features.methods import FEATURE
from reporting.features.methods.data import lacking_scores, stratum_weights
from reporting.features.methods.definitions import cost_definition
from reporting.features.methods.ties import TIED, cuts_as_good
from reporting.inputs.blocks import BLOCKS, MOST_ALONE
from reporting.inputs.spec import ACROSS_FOLDS

MOST_NAMES = 6
LEAST_ERROR = 0.0005
"""A Monte-Carlo error of p below this changes no digit that is printed."""

Facts = dict[str, object]
KEPT = "\ue000"
"""A space of a fact while those of the template, and its line breaks, become one each."""


def methods(results: Results) -> Section | None:
    """Return the methods section: a paragraph each, on the primary question."""
    every, stated = views(results), _Stated()
    spoken = terms(results.study.vocabulary, weighted=results.weighted)
    rows = [row for view in every if view.whole for m in results.models if (row := view.primary(m))]
    facts: Facts = {"results": results, "study": results.study, "every": every, "w": spoken, "f": stated}
    facts |= _data(results, every) | _thresholds(results, every, spoken) | _primary(results, every, rows)
    facts |= _units(results, every, rows) | _comparisons(results, every) | _secondary(results, every, spoken)
    source = Path(__file__).with_name("methods.txt").read_text("utf-8")
    head, *parts = re.split("^== (.+)\n", source, flags=re.MULTILINE)
    sentences = {title: head + text for title, text in zip(parts[::2], parts[1::2], strict=True)}
    environment = _environment(sentences)
    paragraphs = {
        title: re.sub(r"[ \n]+", " ", environment.get_template(title).render(facts)).strip()
        for title in sentences
    }
    texts = {title: text.replace(KEPT, " ") for title, text in paragraphs.items() if text}
    return FEATURE.section("methods").of(
        Prose(text, f"{title}.", tuple(each for each in stated.formulas if each in text))
        for title, text in texts.items()
    )


def _environment(sentences: Mapping[str, str]) -> Environment:
    environment = Environment(
        loader=DictLoader(sentences),
        bytecode_cache=CompiledTemplates(__file__),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=lambda fact: str(fact).replace(" ", KEPT),
        autoescape=False,
    )
    environment.filters |= {
        "capitalised": capitalised,
        "count": numbers.count,
        "level_text": phrases.level_text,
        "listing": listing,
        "plural": plural,
        "significant": numbers.significant,
        "with_article": with_article,
    }
    values = {"BLOCKS": BLOCKS, "CORRECTIONS": CORRECTIONS, "LEAST_ERROR": LEAST_ERROR, "MEAN": MEAN}
    more = {"MOST_ALONE": MOST_ALONE, "MOST_NAMES": MOST_NAMES, "blind_alphas": _blind_alphas}
    environment.globals |= values | more
    return environment


class _Stated:
    """Remembers which parts of the sentences are formulas."""

    def __init__(self) -> None:
        self.formulas: list[str] = []

    def __call__(self, text: str) -> str:
        """Return a formula as it is printed."""
        node = formula(text)
        if node is None:
            return text
        self.formulas.append(plain(node))
        return plain(node)

    def definition(self, measure: Measure, spoken: Terms) -> str:
        """Return what a measure is: ``, HTER = (FAR + FRR) / 2``, or its definition in words."""
        cost = cost_definition(measure, spoken)
        if cost is not None:
            return f"{self._equation(spoken.say(measure.label), cost.formula)}{cost.where(self)}"
        definition = spoken.say(measure.definition).partition(";")[0]
        first = definition.partition(", ")[0]
        if formula(first) is None:
            return f": {definition}"
        return self._equation(spoken.measure(measure), first)

    def _equation(self, label: str, right: str) -> str:
        equation = f"{label} = {right}"
        return f", {self(equation if formula(equation) is not None else right)}"


def _data(results: Results, every: Sequence[DatasetView]) -> Facts:
    """Return how many trials there are, and which were left out or weigh more."""
    whole = [view for view in every if view.run != MEAN] or every
    by_split = {
        split: [row for view in whole for row in view.rows(TRIALS, split)] for split in ("test", "dev")
    }
    unlabelled = [
        f"{numbers.count(most)} on the {SPLITS[split]} set{f' of {view.label}' if view.label else ''}"
        for view in whole
        for split in SPLITS
        if (most := max((row.n_unlabelled or 0 for row in view.rows(TRIALS, split)), default=0))
    ]
    lacking = [text for view in whole for split in ("test", "dev") for text in lacking_scores(view, split)]
    asked_of = (results.study.primary.measure, *results.study.measures)
    return {
        "n_datasets": len({view.dataset for view in whole}),
        "n_runs": len({view.run for view in whole}),
        "counted": _counted(results, by_split["test"]),
        "counted_dev": _counted(results, by_split["dev"]),
        "unused": max(view.dev_left_out for view in whole),
        "unlabelled": list(dict.fromkeys(unlabelled)),
        "lacking": list(dict.fromkeys(lacking)),
        "strata": _strata(results, by_split["test"]) if results.sampled else "",
        "stratum_weights": stratum_weights(results) if results.weighted else "",
        "tested": any(row.p_value is not None for view in every for row in view.headlines),
        "by_prevalence": any(
            parameter.name == "prevalence" for measure in asked_of for parameter in measure.parameters
        ),
    }


def _counted(results: Results, rows: Sequence[TrialsRow]) -> str:
    if not rows:
        return ""
    spoken = terms(results.study.vocabulary)
    targets = _range([row.n_target for row in rows], partial(spoken.counted, "target"))
    nontargets = _range([row.n_nontarget for row in rows], partial(spoken.counted, "nontarget"))
    if any(row.n_target for row in rows) and not any(row.n_nontarget for row in rows):
        text = targets
    else:
        trials = _range([row.n_target + row.n_nontarget for row in rows], partial(spoken.counted, "trial"))
        text = f"{trials} ({targets}, {nontargets})"
    known = [row.n_clusters for row in rows if row.n_clusters is not None]
    if not (results.cluster and known):
        return text
    return f"{text} from {_range(known, partial(phrases.counted_clusters, results))}"


def _strata(results: Results, rows: Sequence[TrialsRow]) -> str:
    """Return in how many strata a sample was drawn: ``8 strata (region) of at least 2 schools``."""
    known = [row.n_strata for row in rows if row.n_strata is not None]
    if not known:  # a single one is none
        return f"1 stratum ({results.sampled})"
    least = min(row.least_stratum for row in rows if row.least_stratum is not None)
    spoken = terms(results.study.vocabulary)
    units = (
        partial(phrases.counted_clusters, results) if results.cluster else partial(spoken.counted, "trial")
    )
    strata = _range(known, lambda n: counted(n, "stratum"))
    return f"{strata} ({results.sampled}) of {'at least ' * (max(known) > 1)}{units(least)}"


def _range(counts: Sequence[int], of: Callable[[int], str]) -> str:
    low, high = min(counts), max(counts)
    return of(low) if low == high else f"{numbers.count(low)} to {of(high)}"


def _thresholds(results: Results, every: Sequence[DatasetView], spoken: Terms) -> Facts:
    """Return how thresholds were set, where a criterion sets some."""
    criterion = results.study.point_criterion
    if criterion is None:
        return {"criterion": None}
    chosen = phrases.CHOSEN[results.study.thresholds.policy]
    rows = [row for view in every for row in view.metrics if row.criterion == str(criterion)]
    folds = sorted({row.folds for row in rows if row.folds is not None})
    in_folds = f"{chosen} ({_range(folds, lambda n: counted(n, 'fold'))})" if folds else chosen
    tied = [
        (view.names[row.model], cuts_as_good(view, criterion, row.model) or 1)
        for view in every
        for row in view.metrics
        if row.split == "test" and row.criterion == str(criterion) and TIED in row.flags
    ]
    return {
        "criterion": criterion,
        "acceptance": phrases.acceptance(every[0]),
        "ratio": phrases.ratio_at(every[0], criterion),
        "rule": spoken.rule(criterion),
        "chosen_on": f"{phrases.ON_TEST_ITSELF} ({spoken.hindsight})" if criterion.oracle else in_folds,
        "tied": list(dict.fromkeys(f"{name} ({n} thresholds)" if n > 1 else name for name, n in tied)),
        "dealt": phrases.units(results, "cluster"),
        "oracle": any(row.threshold_source == "oracle" for view in every for row in view.metrics),
    }


def _blind_alphas(view: DatasetView, stated: _Stated) -> list[str]:
    """Return the alphas with no miss, or no false alarm, on the development set."""
    rows = view.rows(EPC, "test")
    criteria = view.study.epc.criteria if view.study.epc is not None else ()
    parts = []
    for criterion in criteria:
        drawn = [row for row in rows if row.criterion == str(criterion)]
        alphas = sorted({row.alpha for row in drawn})
        kinds = {
            view.terms.miss: {row.alpha for row in drawn if row.misses_dev == 0},
            view.terms.false_alarm: {row.alpha for row in drawn if row.false_alarms_dev == 0},
        }
        without = [f"no {kind} for {stated(_ends(alphas, none))}" for kind, none in kinds.items() if none]
        rule = f" ({view.terms.rule(criterion).strip()})" if len(criteria) > 1 else ""
        parts += [f"{listing(without)}{rule}"] if without else []
    return parts


def _ends(alphas: Sequence[float], errorless: Collection[float]) -> str:
    """Return the run of alphas at an end of the curve: ``α ≤ 0.02``."""
    if alphas[0] in errorless:
        return f"α ≤ {numbers.significant(list(takewhile(errorless.__contains__, alphas))[-1], 2)}"
    if alphas[-1] in errorless:
        return f"α ≥ {numbers.significant(list(takewhile(errorless.__contains__, reversed(alphas)))[-1], 2)}"
    return f"α = {numbers.significant(min(errorless), 2)}"


def _primary(results: Results, every: Sequence[DatasetView], rows: Sequence[MetricRow]) -> Facts:
    """Return how the CIs of the primary measure are made, and what they were found to cover."""
    limits = [row for row in rows if row.ci_method]
    resampled = [row for row in limits if row.replicates and row.ci_method not in phrases.CLOSED_FORMS]
    drawn = ""
    if resampled:
        n, first = numbers.count(resampled[0].replicates or 0), resampled[0]
        drawn = f"{n} resamples of {phrases.units_of(every[0], first)}"
    return {
        "measure": results.study.primary.measure,
        "level": phrases.level_text(results.study.inference.level),
        "limits": list(dict.fromkeys(map(phrases.interval_name, limits))),
        "resampled": drawn,
        "reselected": any(row.inference == "procedure" and row.replicates for row in limits),
        "tuned": any(map(is_tuned, limits)),
        "coverage": _coverage(results, limits),
    }


def _coverage(results: Results, rows: Sequence[MetricRow]) -> Covered | None:
    """Return how often such CIs contained the true value where it was known; None where no study did so."""
    study, settings = results.study, results.study.inference
    simulated = settings.level == LEVEL and settings.interval == "auto" and study.runs != "reader"
    # The study drew single runs without weights, at thresholds that are given, and counted exactly.
    given = all(row.inference != "procedure" and row.run != MEAN for row in rows)
    across_folds = study.primary.measure.over == "threshold" and study.thresholds.policy in ACROSS_FOLDS
    noisy = results.origin is not None and results.origin.noise is not None
    if not (simulated and given) or across_folds or noisy or results.has_design or study.averaged_over:
        return None
    tables = {_studied(results, row) for row in rows}
    figures = [None if like is None else covered(study.primary.measure, like) for like in tables]
    return figures[0] if len(figures) == 1 else None


def _studied(results: Results, row: MetricRow) -> Studied | None:
    """Return what the study would call the table of a row; None where it has none like it.

    Its clusters are of equal size and have trials of both classes, its pairs are of one population.
    """
    paired = results.cluster_b is not None
    unit: Literal["trial", "cluster", "pair"] = (
        "trial" if row.unit != "cluster" else "pair" if paired else "cluster"
    )
    of_split = [each for each in results.rows(TRIALS) if each.split == row.split and not each.group]
    units = row.n_units or 0
    unequal = any(
        each.effective_clusters is not None and round(each.effective_clusters) < units - 1
        for each in of_split
    )
    partial = any(each.n_clusters != units for each in of_split if each.dataset == row.dataset)
    if (unit == "cluster" and (unequal or partial)) or (unit == "pair" and phrases.two_pools(results)):
        return None
    distinct = min((each.n_distinct for each in of_split), default=0)
    grades = distinct if distinct <= MOST_GRADES else 0
    return Studied(row.n_target, row.n_nontarget, unit, units if unit != "trial" else 0, grades)


def _units(results: Results, every: Sequence[DatasetView], rows: Sequence[MetricRow]) -> Facts:
    """Return what is resampled, and of whom CIs and p-values speak."""
    clustered = results.cluster is not None and results.study.inference.unit != "trial"
    second = results.cluster_b if clustered else None
    trials = results.frame(TRIALS).filter(group="")
    counts = trials["n_clusters"] if clustered else trials["n_target"] + trials["n_nontarget"]
    alone = second is not None or results.sampled is not None
    many = max(counts.drop_nulls().to_list(), default=0) > MOST_ALONE and not alone
    tested = any(row.p_value is not None for view in every for row in view.headlines)
    return {
        "clustered": clustered,
        "second": second,
        "two_pools": clustered and phrases.two_pools(results),
        "cluster": phrases.cluster(results) if results.cluster is not None else "",
        "clusters": phrases.clusters(results) if results.cluster is not None else "",
        "cluster_names": phrases.cluster_names(results) if results.cluster is not None else (),
        "in_blocks": phrases.units(results, "cluster" if clustered else "trial") if many else "",
        "at_best_cut": results.frame(METRICS)["ci_method"].eq("best_cut").any(),
        "inferred": ["CIs"] * any(row.ci_method for row in rows) + ["p-values"] * tested,
        "population": phrases.population(results),
    }


def _comparisons(results: Results, every: Sequence[DatasetView]) -> Facts:
    """Return what is asked of the models: being the best, their ranks, differences."""
    whole = [view for view in every if view.whole]
    primary = results.study.primary
    at = (str(primary.measure), None), (str(primary.measure), str(primary.criterion))
    headlines = (row for view in whole for row in view.headlines if row.p_value is not None)
    rows = [row for row in headlines if (row.measure, row.criterion) in at]
    return {
        "candidates": [row for view in whole for row in best_candidates(view)],
        "tiers": any(row.tier is not None for view in whole for row in view.rows(RANKING, "test")),
        "pairs": rows,
        **(_pairwise(results, whole[0], rows) if rows else {}),
    }


def _pairwise(results: Results, view: DatasetView, rows: Sequence[ComparisonRow]) -> Facts:
    """Return how differences are tested."""
    baseline, origin = results.study.baseline, results.origin
    swapped = [row for row in rows if row.p_method == phrases.SWAP]
    others = [row for row in rows if row.p_method != phrases.SWAP]
    resampled = [row for row in others if row.p_method in phrases.RESAMPLED]
    by_block = origin is not None and origin.pairing == "blocks"
    trials = results.frame(TRIALS).filter(split="test", group="")
    adjusted = [row for row in rows if row.p_adjusted is not None and row.correction]
    drawn = (row for row in rows if row.p_method in (*phrases.RESAMPLED, phrases.SWAP))
    return {
        "view": view,
        "baseline": None if baseline is None else view.names[baseline],
        "tests": list(dict.fromkeys(map(phrases.test_name, rows))),
        "redrawn": phrases.units_of(view, resampled[0]) if resampled else "",
        "swapped": swapped,
        "folded": view.study.thresholds.policy in ACROSS_FOLDS,
        "alpha": printed_alpha(view),
        "limits_agree": all(_agrees(row, view.study.inference.level) for row in swapped),
        "by_block": by_block,
        "few_discordant": by_block or any("few_discordant" in row.flags for row in swapped),
        "procedure": any(row.inference == "procedure" for row in others),
        "pairs_tuned": any(map(is_tuned, others)),
        "few_clusters": any(row.p_method == "t" and row.unit == "cluster" for row in rows),
        "equal_clusters": trials["effective_clusters"].is_null().all(),
        "has_nontargets": trials["n_nontarget"].sum() > 0,
        "adjusted": adjusted,
        "n_adjusted": adjusted[0].family_size or len(adjusted) if adjusted else 0,
        "banded": any(row.band_low is not None for row in adjusted),
        "mc_error": max((row.mc_error for row in drawn if row.mc_error is not None), default=0.0),
    }


def _agrees(row: ComparisonRow, level: float) -> bool:
    """Return whether the CI of a swap test excludes 0 exactly where its p is small."""
    if row.p_value is None or row.ci_low is None or row.ci_high is None:
        return True
    return (row.ci_low > 0 or row.ci_high < 0) == (row.p_value <= 1 - level)


def _secondary(results: Results, every: Sequence[DatasetView], spoken: Terms) -> Facts:
    """Return what else is measured, drawn and compared."""
    study, frame = results.study, results.frame(EPC)
    rows = [row for view in every for row in view.metrics if row.split == "test" and row.ci_method]
    secondary = [row for row in rows if row.measure != str(study.primary.measure)]
    compared = [row for view in every for row in view.headlines if row.p_value is not None]
    held = {row.criterion for row in compared if is_tuned(row)}
    resampled = any(row.inference == "procedure" for row in compared)
    curves = study.epc if not frame.is_empty() else None
    return {
        "epc": curves,
        "chosen": phrases.CHOSEN[study.thresholds.policy],
        "rules": [
            text for each in (curves.criteria if curves else ()) if (text := spoken.rule(each).strip())
        ],
        "epc_banded": any(view.frame(EPC)["band_low"].count() for view in every),
        "secondary": list(_named(every, secondary)),
        "secondary_reselected": any(row.inference == "procedure" and row.replicates for row in secondary),
        "secondary_tuned": any(map(is_tuned, secondary)),
        "held": [spoken.criterion(each) for each in study.criteria if resampled and str(each) in held],
        "compared_otherwise": any(row.measure != str(study.primary.measure) for row in compared),
        "all_adjusted": any(row.family == "all" for row in compared),
    }


def _named(every: Sequence[DatasetView], rows: Sequence[MetricRow]) -> Iterable[str]:
    """Yield the secondary measures that have values with the methods of their CIs, which ``rows`` have."""
    study, spoken = every[0].study, every[0].terms
    valued = {row.measure for view in every for row in view.metrics if row.value is not None}
    by_ways: dict[str, list[str]] = {}
    for measure in study.measures:
        ways = sorted({phrases.interval_name(row) for row in rows if row.measure == str(measure)})
        if measure != study.primary.measure and (ways or str(measure) in valued):
            by_ways.setdefault(listing(ways), []).append(spoken.measure(measure))
    # Those without a CI come last.
    for method, names in sorted(by_ways.items(), key=lambda each: not each[0]):
        yield f"{listing(dict.fromkeys(names))} ({f'CI: {method}' if method else 'no CI'})"
