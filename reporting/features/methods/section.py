"""The methods in words, as a journal prints them: data, thresholds, primary and other analyses, software."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import Literal

from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Prose, Section
from reporting.document.formula import formula, plain
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.ranking import RANKING
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.codes import CORRECTIONS
from reporting.document.words.counted_trials import SPLITS
from reporting.document.words.covered import LEVEL, MOST_GRADES, Studied, covered
from reporting.document.words.decisions import best_candidates, printed_alpha
from reporting.document.words.phrases import (
    CHOSEN,
    CLOSED_FORMS,
    RESAMPLED,
    SWAP,
    acceptance,
    cluster,
    cluster_names,
    clusters,
    interval_name,
    is_tuned,
    level_text,
    listing,
    on_test_itself,
    pair_column,
    population,
    ratio_at,
    test_name,
    two_pools,
    units,
    units_of,
)
from reporting.document.words.terms import Terms, capitalised, terms, with_article
from reporting.document.words.ties import TIED, cuts_as_good
from reporting.document.words.view import DatasetView, views
from reporting.features.methods import FEATURE
from reporting.features.methods.data import lacking_scores, stratum_weights
from reporting.features.methods.definitions import cost_definition
from reporting.inputs.blocks import BLOCKS, MOST_ALONE
from reporting.inputs.spec import ACROSS_FOLDS

PLACED = {
    "midpoint": "midway between neighbouring scores",
    "upper": "at the upper of two neighbouring scores",
    "lower": "just above the lower of two neighbouring scores",
}
TIES = {
    "balanced": "the one with the more equal error rates was taken",
    "high": "the highest was taken",
    "low": "the lowest was taken",
}
FIXED = "; they treat the threshold as fixed and do not include the uncertainty of choosing it"
MOST_NAMES = 6
LEAST_ERROR = 0.0005
"""A Monte-Carlo error of p below this changes no digit that is printed."""


def methods(results: Results) -> Section | None:
    """Return the methods section: a paragraph each, on the primary question."""
    every = views(results)
    stated = _Stated()
    paragraphs = {
        "Data": _data(results, every),
        "Thresholds": _thresholds(results, every),
        "Primary analysis": _primary(results, every, stated),
        "Secondary analyses": _secondary(results, every, stated),
        "Software": _software(results),
    }
    texts = {title: " ".join(sentences) for title, sentences in paragraphs.items()}
    return FEATURE.section("methods").of(
        Prose(text, f"{title}.", tuple(each for each in stated.formulas if each in text))
        for title, text in texts.items()
        if text
    )


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


def _terms(results: Results) -> Terms:
    return terms(results.study.vocabulary, weighted=results.weighted)


def _data(results: Results, every: Sequence[DatasetView]) -> Iterator[str]:
    whole = [view for view in every if view.run != MEAN] or every
    test = [row for view in whole for row in view.rows(TRIALS, "test")]
    if not test:
        return
    dev = [row for view in whole for row in view.rows(TRIALS, "dev")]
    counted, on_dev = _counted(results, test), _counted(results, dev) if dev else ""
    unused = max(view.dev_left_out for view in whole)
    if counted == on_dev:
        yield f"The test and the development {_sets(whole).replace('has', 'have')} {counted} each."
    else:
        yield f"The test {_sets(whole)} {counted}."
    if unused:
        yield (
            f"The {numbers.count(unused)} {_terms(results).trials} of the development set were left out: no"
            f" {_terms(results).threshold} was chosen on them."
        )
    elif dev and counted != on_dev:
        yield f"The development {_sets(whole)} {on_dev}."
    yield from _without_labels(whole)
    yield from _without_scores(results, whole)
    if results.weighted:
        yield (
            f"{capitalised(_terms(results).trials)} are weighted by {results.stratum}"
            f" ({stratum_weights(results)}): rates, areas and costs are those of the weighted"
            f" {_terms(results).trials}; counts are unweighted."
        )
    several = len(results.models) > 1
    paired = several and any(row.p_value is not None for view in every for row in view.headlines)
    if several:
        judged = f" on the same {_terms(results).trials}" if paired else ""
        yield f"We compare {len(results.models)} models{judged}."
    yield from _runs(results, whole)
    yield from _prevalence(results)
    if results.study.averaged_over:
        column = results.study.averaged_over
        yield (
            f"The primary measure is its mean over the values of {column}, which have the same weight and are"
            " resampled. Other measures, curves and further tests pool all values."
        )


def _runs(results: Results, whole: Sequence[DatasetView]) -> Iterator[str]:
    """Yield how many readers or runs each model has, where there are several."""
    n = len({view.run for view in whole})
    if n > 1 and results.study.runs == "reader":
        yield f"{n} readers judged the {_terms(results).trials} with each model."
    elif n > 1:
        yield f"Each model has {n} runs."


def _without_labels(whole: Sequence[DatasetView]) -> Iterator[str]:
    """Yield how many rows of each set have no label and do not count."""
    counted = [
        f"{numbers.count(most)} on the {SPLITS[split]} set{f' of {view.label}' if view.label else ''}"
        for view in whole
        for split in SPLITS
        if (most := max((row.n_unlabelled for row in view.rows(TRIALS, split)), default=0))
    ]
    if counted:
        yield f"Rows without a label were left out: {listing(dict.fromkeys(counted))}."


def _without_scores(results: Results, whole: Sequence[DatasetView]) -> Iterator[str]:
    """Yield how many trials each model left without a score, and what became of them."""
    counted = [text for view in whole for split in ("test", "dev") for text in lacking_scores(view, split)]
    if counted:
        were = "counted as rejected" if results.missing == "reject" else "left out for all models"
        yield (
            f"{capitalised(_terms(results).trials)} without a score were {were}:"
            f" {'; '.join(dict.fromkeys(counted))}."
        )


def _sets(whole: Sequence[DatasetView]) -> str:
    datasets = {view.dataset for view in whole}
    return "set has" if len(datasets) < 2 else f"sets of the {len(datasets)} datasets have"


def _counted(results: Results, rows: Sequence[TrialsRow]) -> str:
    spoken = _terms(results)
    counts = [
        (_range([row.n_target + row.n_nontarget for row in rows]), spoken.trials),
        (_range([row.n_target for row in rows]), spoken.targets),
        (_range([row.n_nontarget for row in rows]), spoken.nontargets),
    ]
    (trials, noun), *classes = counts
    if any(row.n_target for row in rows) and not any(row.n_nontarget for row in rows):
        text = f"{trials} {spoken.targets}"
    else:
        text = f"{trials} {noun} ({', '.join(f'{count} {name}' for count, name in classes)})"
    known = [row.n_clusters for row in rows if row.n_clusters is not None]
    return f"{text} from {_range(known)} {clusters(results)}" if results.cluster and known else text


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return numbers.count(low) if low == high else f"{numbers.count(low)} to {numbers.count(high)}"


def _prevalence(results: Results) -> Iterator[str]:
    """Yield whether the share of targets is that of the sample or declared, where a measure depends on it."""
    asked_of = (results.study.primary.measure, *results.study.measures)
    if not any(parameter.name == "prevalence" for measure in asked_of for parameter in measure.parameters):
        return
    declared = results.study.prevalence
    share = _terms(results).share
    if declared is None:
        yield (
            f"Measures that depend on the {share} use that of the sample, which need not be that of the"
            " application."
        )
    else:
        yield (
            f"Measures that depend on the {share} use {100 * declared:g}%, declared as that of the"
            " application and not estimated."
        )


def _thresholds(results: Results, every: Sequence[DatasetView]) -> Iterator[str]:
    study, spoken = results.study, _terms(results)
    criterion = study.point_criterion
    if criterion is None:
        return
    yield acceptance(every[0])
    if criterion.threshold is not None:
        ratio = ratio_at(every[0], criterion)
        yield (
            f"All models were judged at the {spoken.criterion(criterion)}{ratio}, which the configuration"
            " sets. CIs and p-values hold only if it was not chosen on these data."
        )
        return
    where = on_test_itself(spoken) if criterion.oracle else _chosen_on(every, criterion)
    rule = spoken.rule(criterion)
    if rule.startswith(" ") or not rule:
        yield f"Each model was judged at the {spoken.criterion(criterion)}."
    else:
        yield (
            f"Each model's {spoken.threshold} was set {where}, {rule}, and placed"
            f" {PLACED[study.threshold_at]}."
        )
        if not criterion.oracle:
            yield from _tied(every, criterion)
            yield from _dealt(results)
    if any(row.threshold_source == "oracle" for view in every for row in view.metrics):
        yield (
            f"At criteria with {spoken.thresholds} {spoken.a_posteriori}, values are marked"
            f" ({spoken.hindsight}) and have no CI."
        )


def _dealt(results: Results) -> Iterator[str]:
    """Yield how the program made folds: that they are one partition of many is not in any interval."""
    thresholds = results.study.thresholds
    if thresholds.policy == "kfold" and thresholds.column is None:
        yield (
            f"{capitalised(units(results, 'cluster'))} were dealt to the folds at random (seed"
            f" {results.study.inference.seed}), not stratified by class; the results are those of one such"
            " partition."
        )
    elif thresholds.policy == "kfold":
        yield (
            "The folds were given with the scores, which are taken to be predicted out of fold. The fitted"
            " models are taken as given: what training on another sample would change is in no CI and no"
            " p-value, so a difference is one of these models, not of the procedures that fitted them."
        )


def _chosen_on(every: Sequence[DatasetView], criterion: Criterion) -> str:
    """Return where thresholds were chosen, and in how many folds: ``on all other folds (10 folds)``."""
    rows = [row for view in every for row in view.metrics if row.criterion == str(criterion)]
    folds = sorted({row.folds for row in rows if row.folds is not None})
    where = CHOSEN[every[0].study.thresholds.policy]
    return f"{where} ({_range(folds)} folds)" if folds else where


def _tied(every: Sequence[DatasetView], criterion: Criterion) -> Iterator[str]:
    """Yield the models with several thresholds that were equally good, and how many where that is known."""
    tied = [
        (view.names[row.model], cuts_as_good(view, criterion, row.model) or 1)
        for view in every
        for row in view.metrics
        if row.split == "test" and row.criterion == str(criterion) and TIED in row.flags
    ]
    if tied:
        named = dict.fromkeys(f"{name} ({n} thresholds)" if n > 1 else name for name, n in tied)
        models = listing(named, most=MOST_NAMES)
        yield f"Several thresholds were equally good for {models}; {TIES[every[0].study.ties]}."
    else:
        yield "No threshold was tied with another."


def _blind_alphas(view: DatasetView, stated: _Stated) -> Iterator[str]:
    """Yield alphas with no miss or false alarm on the development set, which ranks no thresholds there."""
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
    if parts:
        where = f" of {view.label}" if view.label else ""
        yield (
            f"Thresholds are poorly determined where some model makes, on the development set{where},"
            f" {'; '.join(parts)}."
        )


def _ends(alphas: Sequence[float], errorless: Collection[float]) -> str:
    """Return the run of alphas at an end of the curve: ``α ≤ 0.02``."""
    if alphas[0] in errorless:
        return f"α ≤ {numbers.significant(list(takewhile(errorless.__contains__, alphas))[-1], 2)}"
    if alphas[-1] in errorless:
        return f"α ≥ {numbers.significant(list(takewhile(errorless.__contains__, reversed(alphas)))[-1], 2)}"
    return f"α = {numbers.significant(min(errorless), 2)}"


def _primary(results: Results, every: Sequence[DatasetView], stated: _Stated) -> Iterator[str]:
    study, spoken = results.study, _terms(results)
    measure = study.primary.measure
    known_as = spoken.spelled(measure)
    at = f", over all {spoken.thresholds} of the test set" if measure.over == "sweep" else ", on the test set"
    yield f"The primary measure is the {known_as}{at}{stated.definition(measure, spoken)}."
    if measure.linear() is not None and measure.key not in ("far", "frr"):
        yield (
            f"{spoken.far} is the proportion of {spoken.nontargets} that are {spoken.accepted}, {spoken.frr}"
            f" that of {spoken.targets} that are rejected."
        )
    rows = [row for view in every if view.whole for m in results.models if (row := view.primary(m))]
    yield from _intervals(results, every, [row for row in rows if row.ci_method])
    yield _unit(results)
    yield from _population(results, rows, every)
    yield from _asked(results, every, stated)


def _intervals(results: Results, every: Sequence[DatasetView], rows: Sequence[MetricRow]) -> Iterator[str]:
    if not rows:
        return
    ways = listing(dict.fromkeys(map(interval_name, rows)))
    level = level_text(results.study.inference.level)
    resampled = [row for row in rows if row.replicates and row.ci_method not in CLOSED_FORMS]
    drawn = ""
    if resampled:
        first = resampled[0]
        drawn = f" ({numbers.count(first.replicates or 0)} resamples of {units_of(every[0], first)})"
    cover = ""
    if any(row.inference == "procedure" and row.replicates for row in rows):
        cover = "; the threshold is re-selected in each resample"
    elif any(map(is_tuned, rows)):
        cover = FIXED
    yield f"{level} CIs: {ways}{drawn}{cover}."
    yield from _held_the_truth(results, rows)


def _held_the_truth(results: Results, rows: Sequence[MetricRow]) -> Iterator[str]:
    """Yield how often such intervals held the truth where that was known, if such a table was studied."""
    study, settings = results.study, results.study.inference
    simulated = settings.level == LEVEL and settings.interval == "auto" and study.runs != "reader"
    # The study drew single runs without weights, at thresholds that are given, and counted exactly.
    given = all(row.inference != "procedure" and row.run != MEAN for row in rows)
    across_folds = study.primary.measure.over == "threshold" and study.thresholds.policy in ACROSS_FOLDS
    noisy = results.origin is not None and results.origin.noise is not None
    if not (simulated and given) or across_folds or noisy or results.weighted or study.averaged_over:
        return
    tables = {_studied(results, row) for row in rows}
    figures = [None if like is None else covered(study.primary.measure, like) for like in tables]
    if len(figures) == 1 and figures[0] is not None:
        yield (
            f"In simulated tables of {figures[0].kinds} such CIs contained the true"
            f" {_terms(results).measure(study.primary.measure)} in {figures[0].span} of cases."
        )


def _studied(results: Results, row: MetricRow) -> Studied | None:
    """Return what the study would call the table of a row; None where it has none like it.

    Its clusters are of equal size and have trials of both classes, its pairs are of one population.
    """
    paired = pair_column(results) is not None
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
    if (unit == "cluster" and (unequal or partial)) or (unit == "pair" and two_pools(results)):
        return None
    distinct = min((each.n_distinct for each in of_split), default=0)
    grades = distinct if distinct <= MOST_GRADES else 0
    return Studied(row.n_target, row.n_nontarget, unit, units if unit != "trial" else 0, grades)


def _blocks(results: Results, unit: str) -> str:
    """Say where units are drawn in blocks."""
    trials = results.frame(TRIALS).filter(group="")
    declared = unit == "trial" or results.cluster is None
    counts = trials["n_target"] + trials["n_nontarget"] if declared else trials["n_clusters"]
    if max(counts.drop_nulls().to_list(), default=0) <= MOST_ALONE:
        return ""
    return (
        f" More than {numbers.count(MOST_ALONE)} {units(results, unit)} are resampled, and exchanged between"
        f" models, in {numbers.count(BLOCKS)} groups dealt by a hash of their keys."
    )


def _unit(results: Results) -> str:
    spoken = _terms(results)
    if results.cluster is None or results.study.inference.unit == "trial":
        independent = f"{capitalised(spoken.trials)} were treated as independent."
        return independent + _blocks(results, "trial")
    second = pair_column(results)
    if second is None:
        both = "; one in both sets is drawn once for both" if results.study.thresholds.policy == "dev" else ""
        together = f"All {spoken.trials} of one {cluster(results)} are resampled together{both}."
        return together + _blocks(results, "cluster")
    if two_pools(results):
        one_of_each = " with one ".join(cluster_names(results))
        return (
            f"{capitalised(spoken.trials)} pair one {one_of_each}, of two populations: the variance of a"
            " number is the sum of those over either, less what both count twice, and a population that adds"
            " nothing of its own is left out; every number has Student's t with Satterthwaite's degrees of"
            " freedom. Where no formula gives these variances, each resample draws both populations, and each"
            " alone."
        )
    member = cluster(results) if results.study.cluster_names else "member"
    members = f"{member}s"
    return (
        f"{capitalised(spoken.trials)} pair two {members} of one population ({results.cluster} and {second}):"
        f" {members} are resampled, and the weight of {with_article(spoken.trial)} is the product of how"
        f" often its two were drawn; with one {member} paired with itself, how often that one was."
    )


def _population(results: Results, rows: Sequence[MetricRow], every: Sequence[DatasetView]) -> Iterator[str]:
    """Yield of whom CIs and p-values speak, where there are some."""
    tested = any(row.p_value is not None for view in every for row in view.headlines)
    what = " and ".join(["CIs"] * any(row.ci_method for row in rows) + ["p-values"] * tested)
    if not what:
        return
    sample, spoken = "", _terms(results)
    if results.cluster is not None and results.study.averaged_over is None:
        drawn = results.study.inference.unit != "trial"
        sample = ", of which these are taken as a sample" if drawn else f", not to new {clusters(results)}"
    yield f"{what} refer to {population(results)}{sample}."
    if results.study.inference.stratify == "label" and results.cluster is None:
        yield (
            f"Resamples have as many {spoken.targets} and {spoken.nontargets} as the data, whose numbers"
            " are taken as fixed by design."
        )


def _asked(results: Results, every: Sequence[DatasetView], stated: _Stated) -> Iterator[str]:
    """Yield what is asked of the models and how it is tested: being the best, or against the baseline."""
    whole = [view for view in every if view.whole]
    primary = results.study.primary
    at = (str(primary.measure), None), (str(primary.measure), str(primary.criterion))
    headlines = (row for view in whole for row in view.headlines if row.p_value is not None)
    rows = [row for row in headlines if (row.measure, row.criterion) in at]
    ranked = [row for view in whole for row in best_candidates(view)]
    by_best = bool(ranked) and results.study.baseline is None
    if by_best:
        apart = "ranks" if results.study.many else "pairwise comparisons"
        yield (
            "Models that cannot be ruled out as best were found by multiple comparisons with the best"
            f" ({WAYS[ranked[0].p_method or 'maxt']}, {level_text(ranked[0].level)} confidence; Gupta 1965,"
            f" Hsu 1981), separately from the {apart}."
        )
    if any(row.tier is not None for view in whole for row in view.rows(RANKING, "test")):
        level = level_text(results.study.inference.level)
        yield (
            "Limits of ranks, and tiers, follow from tests of all pairs of models in both directions"
            f" (step-down max-T on joint resamples, {level} confidence for all ranks together; Mogstad,"
            " Romano, Shaikh and Wilhelm 2024)."
        )
    if rows:
        yield from _pairwise(results, whole[0], rows, stated)


WAYS = {
    "maxt": "one-sided max-T on joint resamples",
    "swap": "one-sided swap tests of all pairs, Bonferroni's correction for the other models",
}
"""How models are compared with the best."""


def _pairwise(
    results: Results, view: DatasetView, rows: Sequence[ComparisonRow], stated: _Stated
) -> Iterator[str]:
    baseline = results.study.baseline
    against = "All pairs" if baseline is None else f"All models and the baseline {view.names[baseline]}"
    ways = listing(dict.fromkeys(test_name(row) for row in rows))
    swapped = [row for row in rows if row.p_method == SWAP]
    others = [row for row in rows if row.p_method != SWAP]
    resampled = [row for row in others if row.p_method in RESAMPLED]
    drawn = f": each resample of {units_of(view, resampled[0])} serves both models" if resampled else ""
    yield f"{against} were compared on the same {view.terms.trials} ({ways}){drawn}."
    if swapped:
        yield from _exchanged(view, swapped)
    yield from _estimand(view, others)
    yield from _small_samples(results, view, rows, stated)
    yield from _adjusted(rows)
    errors = [row.mc_error for row in rows if row.mc_error is not None and row.p_method in (*RESAMPLED, SWAP)]
    if max(errors, default=0.0) >= LEAST_ERROR:
        yield f"The Monte-Carlo standard error of a p-value is at most {numbers.significant(max(errors), 2)}."


def _exchanged(view: DatasetView, rows: Sequence[ComparisonRow]) -> Iterator[str]:
    """Yield how the swap test makes p and interval."""
    row = rows[0]
    unit = view.terms.trial if row.unit == "trial" else cluster(view.results)
    alpha, level = printed_alpha(view), view.study.inference.level

    def agrees(each: ComparisonRow) -> bool:
        if each.p_value is None or each.ci_low is None or each.ci_high is None:
            return True
        return (each.ci_low > 0 or each.ci_high < 0) == (each.p_value <= 1 - level)

    folded = view.study.thresholds.policy in ACROSS_FOLDS
    yield (
        f"In each of {numbers.count(row.replicates or 0)} random exchanges, chance decides for every {unit}"
        f"{'' if folded else ' of both sets'} whether the two models exchange their scores, as ranks; both"
        f" re-select {'the thresholds of all folds' if folded else 'their thresholds'}, and their difference"
        " on the test set is computed again. p is the proportion of these differences, with the observed one,"
        " that are at least as large. The CI contains the differences that the same test does not reject,"
        f" where each {unit} that is exchanged carries the difference in question with it"
        f"{f'; so it excludes 0 exactly where p ≤ {alpha}' if all(map(agrees, rows)) else ''}."
    )
    origin = view.results.origin
    by_block = origin is not None and origin.pairing == "blocks"
    few = by_block or any("few_discordant" in each.flags for each in rows)
    if few and row.unit == "trial" and view.study.primary.measure.linear():
        seen = ", as far as their counts by block show," if by_block else ""
        yield (
            f"Where two models{seen} disagree on fewer than 10 {view.terms.trials} of a class, p and CI are"
            " at least those of a normal difference with one more such trial of each class."
        )
    if view.tuned(row) is not None:
        yield "Results with thresholds fixed, which compare the systems as deployed, are also reported."


def _estimand(view: DatasetView, rows: Sequence[ComparisonRow]) -> Iterator[str]:
    """Yield the null hypothesis tested: of models whose thresholds are re-selected, or are fixed."""
    again = any(row.inference == "procedure" for row in rows)
    if again and view.study.thresholds.policy in ACROSS_FOLDS:
        yield "The thresholds of all folds are re-selected in each resample of the test set."
    elif any(row.inference == "procedure" for row in rows):
        yield (
            "Thresholds are re-selected in each resample of the development set and applied to that of the"
            " test set; results with thresholds fixed, which compare the systems as deployed, are also"
            " reported."
        )
    elif any(is_tuned(row) for row in rows):
        yield (
            "Thresholds are held fixed: the comparison is of the systems as deployed and does not include the"
            " uncertainty of setting their thresholds."
        )


def _small_samples(
    results: Results, view: DatasetView, rows: Sequence[ComparisonRow], stated: _Stated
) -> Iterator[str]:
    """Yield how few clusters, or few runs, change a standard error and its reference distribution."""
    if any(row.p_method == "t" and row.unit == "cluster" for row in rows):
        spoken, every = view.terms, clusters(results)
        trials = results.frame(TRIALS).filter(split="test", group="")
        both = f"the smaller of the numbers of {every} with {spoken.targets} and with {spoken.nontargets}"
        counted = both if trials["n_nontarget"].sum() else f"the number of {every}"
        equal = stated("√(G / (G − 1))")
        if trials["effective_clusters"].is_null().all():
            yield (
                f"With G {every} standard errors carry the factor {equal};"
                f" degrees of freedom: {counted}, minus one."
            )
        else:
            yield (
                f"Where G {every} have the proportions w of the {spoken.trials} of a class, standard errors"
                f" carry the factor {stated('1 / √h')}, with {stated('h = 1 − 2 Σw³ / Σw² + Σw²')}, which is"
                f" {equal} for equal w; degrees of freedom: {stated('K − h K / (K − 1)')}, with K ="
                f" {stated('1 / Σw²')} effective {every}, which is G − 1 for equal w. Both are of the class"
                f" with fewer effective {every}; for a rate with thresholds fixed, of its own."
            )
    if view.run != MEAN:
        return
    if results.study.runs == "reader":
        yield (
            "Models are compared by their mean over readers, so that results extend to other readers and"
            f" other {view.terms.trials}: {stated('SE² = S² / R + c')}, for R readers, with S² the variance"
            " between their differences and c the mean covariance of two readers' resampled differences"
            " (Obuchowski and Rockette), and Hillis's degrees of freedom."
        )
    else:
        yield (
            "Models are compared by the mean over their runs: results hold for these runs, on other"
            f" {view.terms.trials}."
        )


def _adjusted(rows: Sequence[ComparisonRow]) -> Iterator[str]:
    adjusted = [row for row in rows if row.p_adjusted is not None and row.correction]
    if not adjusted:
        yield "No p-value is adjusted for multiple comparisons."
        return
    correction, size = str(adjusted[0].correction), adjusted[0].family_size or len(adjusted)
    if size == 1:
        yield "A single primary comparison needs no adjustment of its p-value."
        return
    by, single = (", step-down", "its single step") if correction == "maxt" else ("", "Bonferroni")
    yield f"p-values are adjusted over {size} comparisons ({CORRECTIONS[correction].name}{by})."
    if any(row.band_low is not None for row in adjusted):
        yield (
            f"Adjusted intervals hold for all of them together ({single}); p-values in steps may decide where"
            " one includes 0."
        )


def _secondary(results: Results, every: Sequence[DatasetView], stated: _Stated) -> Iterator[str]:
    study = results.study
    yield from _curves(results, every)
    for view in every:
        yield from _blind_alphas(view, stated)
    others = [measure for measure in study.measures if measure != study.primary.measure]
    rows = [row for view in every for row in view.metrics if row.split == "test" and row.ci_method]
    secondary = [row for row in rows if row.measure != str(study.primary.measure)]
    yield from _named(every, others, secondary)
    if study.primary.measure.over != "threshold":
        yield from _choosing(secondary)
    yield from _held(results, every)
    compared = [row for view in every for row in view.headlines if row.p_value is not None]
    if any(row.measure != str(study.primary.measure) for row in compared):
        all_adjusted = any(row.family == "all" for row in compared)
        yield (
            "Their comparisons belong to the same family."
            if all_adjusted
            else "Their comparisons are exploratory and not adjusted for multiple comparisons."
        )


def _named(
    every: Sequence[DatasetView], measures: Sequence[Measure], rows: Sequence[MetricRow]
) -> Iterator[str]:
    """Yield all measures that have values with the methods of their CIs; ``rows`` have the intervals."""
    spoken = every[0].terms
    valued = {row.measure for view in every for row in view.metrics if row.value is not None}
    by_ways: dict[str, list[str]] = {}
    for measure in measures:
        ways = sorted({interval_name(row) for row in rows if row.measure == str(measure)})
        if ways or str(measure) in valued:
            by_ways.setdefault(listing(ways), []).append(spoken.measure(measure))
    # Those without a CI come last.
    parts = [
        f"{listing(dict.fromkeys(names))} ({f'CI: {ways}' if ways else 'no CI'})"
        for ways, names in sorted(by_ways.items(), key=lambda each: not each[0])
    ]
    if parts:
        yield f"Secondary measures: {'; '.join(parts)}."


def _choosing(rows: Sequence[MetricRow]) -> Iterator[str]:
    """Yield what intervals at thresholds that data chose make of the choice."""
    if any(row.inference == "procedure" and row.replicates for row in rows):
        yield "CIs at chosen thresholds re-select the threshold in each resample."
    elif any(map(is_tuned, rows)):
        yield f"CIs at chosen thresholds{FIXED.removeprefix('; they')}."


def _curves(results: Results, every: Sequence[DatasetView]) -> Iterator[str]:
    plan = results.study.epc
    if plan is None or results.frame(EPC).is_empty():
        return
    spoken, level = _terms(results), level_text(results.study.inference.level)
    rules = listing(filter(None, (spoken.rule(criterion).strip() for criterion in plan.criteria)))
    banded = any(view.part(results.frame(EPC))["band_low"].count() for view in every)
    band = (
        f"; simultaneous bands are CIs of a higher level, chosen so that {level} of the bootstrap curves lie"
        " within as many standard errors throughout"
        if banded
        else ""
    )
    where = CHOSEN[results.study.thresholds.policy]
    yield (
        f"Expected performance curves take {plan.alphas} values of α from 0 to 1 and set each threshold"
        f" {where}{f', {rules}' if rules else ''}{band}."
    )


def _held(results: Results, every: Sequence[DatasetView]) -> Iterator[str]:
    """Yield the criteria whose thresholds no resample moves, where those of others are re-selected."""
    rows = [row for view in every for row in view.headlines if row.p_value is not None]
    if not any(row.inference == "procedure" for row in rows):
        return
    held = {row.criterion for row in rows if is_tuned(row)}
    named = [criterion for criterion in results.study.criteria if str(criterion) in held]
    if named:
        thresholds = listing(map(_terms(results).criterion, named), most=MOST_NAMES)
        yield f"Comparisons at these thresholds hold them fixed: {thresholds}."


def _software(results: Results) -> Iterator[str]:
    """Yield what computed the numbers; all versions are under Provenance."""
    yield (
        f"Computed with reporting {results.provenance.version}; random seed {results.study.inference.seed}."
        " Provenance lists all versions and input files."
    )
