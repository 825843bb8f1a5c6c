"""What the reader must not overlook: what it is, how bad it is, and what follows; the gravest first.

Each caution speaks of the primary question; what concerns other measures or thresholds is counted. It is
grave where it changes how the answer on the first screen is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from reporting.base.extensions import extensions
from reporting.base.legible import elided
from reporting.base.provenance import IN_MEMORY
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import HTER
from reporting.core.stats.staircase import DRAWN_WHOLE, MOST_BINS, MOST_DRAWN, bin_step
from reporting.document import numbers
from reporting.document.blocks import Caution, Section
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.catalogue import caution, undefined
from reporting.document.words.caveats import unsettled_answer
from reporting.document.words.codes import FLAGS, Notice
from reporting.document.words.phrases import (
    cluster,
    clusters,
    in_order,
    listing,
    measure_label,
    one_sided,
    reason,
    units_of,
    worth_of_units,
)
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.answer.summary import summary as table_of_models
from reporting.features.catalogue import FEATURES
from reporting.features.few_errors import few_errors, no_errors, too_few_for_a_ci
from reporting.features.methods.data import (
    dev_left_out,
    development_set,
    missing_dropped,
    unlabelled,
    weighted_rates,
)
from reporting.features.methods.provenance import flooring, noise_sentences
from reporting.features.unfit_scores import (
    another_base,
    below_chance,
    constant_scores,
    groups_of_one_class,
    hard_decisions,
    misleading_ratios,
    mixed_scales,
    outside_scores,
    rejects_infinite,
    unseen_values,
    unstable_thresholds,
)
from reporting.inputs.spec import BREAKDOWN

ODDS_RATIO = 1.5
"""From here on the two sets differ in their share of targets."""
REPLICATES_PER_TEST = {"percentile": 40, "studentized": 40, "swap": 10}
"""Resamples times level of the test, for each comparison: of exchanges, ten are as far out as the first."""
MOST_NAMED = 3
"""So many measures or pairs are named; more are counted."""

Rows = Sequence[MetricRow] | Sequence[ComparisonRow]


def summary(results: Results) -> Section | None:
    """Return the summary table of every dataset below its cautions."""
    return table_of_models(results, cautions)


def cautions(view: DatasetView) -> tuple[Caution, ...]:
    """Return the cautions of one dataset, each once, the grave ones first."""
    once: dict[str, Caution] = {}
    for each in _raised(view):
        earlier = once.setdefault(each.text, each)
        once[each.text] = replace(earlier, grave=earlier.grave or each.grave)
    return tuple(sorted(once.values(), key=lambda each: not each.grave))


def _raised(view: DatasetView) -> tuple[Caution, ...]:
    """Return the cautions in the order in which those of one gravity are read, a text more than once."""
    return (
        *_raised_by("history", view),
        *_raised_by("drift", view),
        *development_set(view),
        *unlabelled(view),
        *missing_dropped(view),
        *_policy(view),
        *weighted_rates(view),
        *below_chance(view),
        *constant_scores(view),
        *hard_decisions(view),
        *_undefined_values(view),
        *_undefined_comparisons(view),
        *unstable_thresholds(view),
        *misleading_ratios(view),
        *another_base(view),
        *_raised_by("calibration_and_benefit", view),
        *mixed_scales(view),
        *outside_scores(view),
        *_independence(view),
        *_judged_where_chosen(view),
        *_raised_by("gates", view),
        *_letter_case(view),
        *rejects_infinite(view),
        *_primary_question(view),
        *few_errors(view),
        *no_errors(view),
        *too_few_for_a_ci(view),
        *_flagged_values(view),
        *_flagged_comparisons(view),
        *_raised_by("operating_points", view),
        *_prevalence(view),
        *groups_of_one_class(view),
        *unseen_values(view),
        *_raised_by("groups", view),
        *(caution("another_analysis", text, True) for text in unsettled_answer(view)),
        *_raised_by("abstention", view),
        *_replicates(view),
        *coarseness(view),
        *(each for feature in extensions() for each in feature.raised(view)),
    )


def _raised_by(question: str, view: DatasetView) -> Iterator[Caution]:
    """Yield the cautions of a question, if the program has it."""
    if question in FEATURES:
        yield from FEATURES[question].raised(view)


def _policy(view: DatasetView) -> Iterator[Caution]:
    study = view.study
    # A report whose every criterion does without a development set lacks nothing, nor one that asks for none.
    asks = study.unplaced or (not study.criteria and study.profile is None)
    lacks_dev = study.thresholds.policy == "none" and asks
    oracle = ["oracle"] if study.primary.criterion.oracle else []
    for key in ("no_dev" if lacks_dev else study.thresholds.policy, *oracle):
        if key in FLAGS:
            text = FLAGS[key].policy
            if lacks_dev and (dev_left_out(view) or _is_called(view)):
                text = NO_DEV_USED if dev_left_out(view) else NO_DEV_CALLED
            left_out = [view.terms.measure(m) for m in study.measures if m.over == "threshold" and lacks_dev]
            yield caution(key, f"{text} Left out: {listing(left_out)}." if left_out else text, True)


NO_DEV_USED = (
    "No thresholds were chosen, because thresholds.policy is none, so measures at chosen thresholds and EPCs"
    " are left out. To have them, write thresholds: {policy: dev}, or give thresholds in criteria:"
    " fixed(threshold=0.5), or an a posteriori threshold, oracle(best(measure=youden)), which is optimistic."
)
NO_DEV_CALLED = (
    "No thresholds were chosen, so measures at chosen thresholds and EPCs are left out. To have them, pass"
    " split= with 'dev' for the trials that choose thresholds, folds=cv.split(X, y) to from_predictions for"
    " scores that were predicted out of fold, thresholds={'policy': 'kfold'}, or thresholds in"
    " criteria=['fixed(threshold=0.5)']; oracle(best(measure=youden)) sets one a posteriori, which is"
    " optimistic."
)
"""What replaces the config's keys in the caution of a report that a call of Python requested."""


def _is_called(view: DatasetView) -> bool:
    """Return whether the trials are a table in memory, so that a call of Python requested the report."""
    return any(each.name == IN_MEMORY for each in view.results.provenance.inputs)


def _primary_question(view: DatasetView) -> Iterator[Caution]:
    """Yield the primary measure that is judged at the least HTER, unasked, though it is best elsewhere.

    And the one that the other error rate buys, where there are trials of both classes.
    """
    text = one_sided(view.study, called=_is_called(view))
    of_test = [row for row in view.rows(TRIALS) if row.split == "test"]
    if text and all(row.n_target and row.n_nontarget for row in of_test):
        yield caution("one_sided", text, True)
    study, measure = view.study, view.study.primary.measure
    judged = study.primary.criterion in study.criteria  # not where no trials choose it
    if study.criterion_unnamed and judged and _is_best_elsewhere(measure):
        best = f"best(measure={measure})"
        key = (
            f"criteria=['{best}']" if _is_called(view) else f"primary: {{measure: ..., criterion: '{best}'}}"
        )
        yield caution(
            "unnamed_criterion",
            f"No criterion was named, so {view.terms.measure(measure)} is judged at thresholds that minimise"
            f" {view.terms.measure(HTER)}, where it is seldom at its best. For thresholds of its own, write"
            f" {key}.",
            True,
        )


def _is_best_elsewhere(measure: Measure) -> bool:
    weights = measure.linear()
    if weights is None:
        return measure.key in BEST_ELSEWHERE
    return min(weights) > 0 and weights[0] != weights[1]


BEST_ELSEWHERE = (
    "g_mean",
    "accuracy",
    "error_rate",
    "f1",
    "f_beta",
    "jaccard",
    "fowlkes_mallows",
    "p4",
    "mcc",
    "kappa",
)
"""Measures, not linear in FAR and FRR, that are best between the extremes, and seldom where HTER is."""


def _scale(view: DatasetView, status: str | None, models: Sequence[str]) -> str:
    """Say how scores are declared as probabilities, where that is what a measure lacks."""
    if status != "not_probability":
        return ""
    model = models[0]
    given = f"models={{{model!r}: {{'scale': 'probability'}}}}"
    if not _is_called(view):
        given = f"models: {{{model}: {{scale: probability}}}}"
    return f" If they are, declare it: {elided(given)}."


def _undefined_values(view: DatasetView) -> Iterator[Caution]:
    rows = [row for row in _answering(view) if row.value is None]
    for split, where in (("test", "test"), ("dev", "development")):
        here = [row for row in rows if row.split == split]
        for status in dict.fromkeys(row.status for row in here):
            these = [row for row in here if row.status == status]
            first = [row for row in these if _primary(view, row)]
            what = f"{_measures(view, first or these)} of {_models(view, first or these)}"
            why = f"{reason(status, view.terms)}{_ruled_out(view, first or these)}"
            text = f"{what} cannot be computed on the {where} set: {why}."
            grave = split == "test" and bool(first)
            scale = _scale(view, status, [row.model for row in first or these])
            yield undefined(status, text + scale + _also(first, these), grave, "Undefined values.")


def _ruled_out(view: DatasetView, rows: Sequence[MetricRow]) -> str:
    """Count the trials whose outcome was given probability 0, by class and model; empty without any."""
    targets = {row.model: row.ruled_out_targets for row in rows if row.ruled_out_targets}
    nontargets = {row.model: row.ruled_out_nontargets for row in rows if row.ruled_out_nontargets}
    classes = (view.terms.targets, targets, 0), (view.terms.nontargets, nontargets, 1)
    counted = [
        f"{name} with probability {stated}: "
        + listing(f"{numbers.count(n)} of {view.names[model]}" for model, n in by_model.items())
        for name, by_model, stated in classes
        if by_model
    ]
    return f" ({'; '.join(counted)})" if counted else ""


def _undefined_comparisons(view: DatasetView) -> Iterator[Caution]:
    rows = [row for row in view.comparisons if row.status is not None]
    values_defined = {row.model for row in view.metrics if row.split == "test" and row.value is not None}
    for status in dict.fromkeys(row.status for row in rows):
        these, why = [row for row in rows if row.status == status], reason(status, view.terms)
        first = [row for row in these if _primary(view, row)]
        if len(these) == len(view.comparisons):
            yield undefined(status, f"No comparison is defined: {why}.", True, "No comparison.")
        elif values_defined:
            text = f"No test of {_pairs(view, first or these)} in {_measures(view, first or these)}: {why}."
            yield undefined(status, text + _also(first, these), bool(first), "No test.")


def _independence(view: DatasetView) -> Iterator[Caution]:
    if view.results.cluster is None:
        yield caution(
            "independence",
            f"{capitalised(view.terms.trials)} were treated as independent because no cluster column was"
            f" declared. If {view.terms.shared_source} contributes several {view.terms.trials}, CIs are too"
            " narrow and p-values too small.",
        )
    elif view.study.inference.unit == "trial":
        yield caution(
            "independence",
            f"{capitalised(view.terms.trials)} were treated as independent although"
            f" {clusters(view.results)} are declared; CIs may be too narrow and p-values too small.",
            True,
        )
    elif ONE_SIDE.fullmatch(view.results.cluster) and view.results.cluster_b is None:
        yield caution(
            "independence",
            f"Each {view.terms.trial} seems to pair two sides, and only one of them ({view.results.cluster})"
            f" is resampled: {view.terms.trials} that share the other side were treated as independent, so"
            " CIs may be too narrow and p-values too small. Declare both columns as clusters.",
        )


def _judged_where_chosen(view: DatasetView) -> Iterator[Caution]:
    """Yield that thresholds were chosen on the same clusters that are judged, and what limits include."""
    test = next((row for row in view.rows(TRIALS) if row.split == "test" and row.shared_clusters), None)
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    on_dev = view.results.frame(TRIALS).filter(dataset=dev, split="dev", group="")["n_clusters"]
    chosen = any(criterion.needs_dev for criterion in view.study.criteria)
    if test is None or not chosen or set(on_dev) != {test.shared_clusters}:
        return
    named = clusters(view.results)
    yield caution(
        "same_clusters",
        f"All {numbers.count(test.shared_clusters or 0)} {named} of the development set are also in the test"
        f" set: thresholds were chosen on {named} that are judged. On new {named} error rates at these"
        " thresholds may be higher. No CI or p-value includes that: thresholds are held fixed, or re-selected"
        f" on the {named} of the same resample.",
    )


def _letter_case(view: DatasetView) -> Iterator[Caution]:
    """Yield the columns in which names differ in letter case alone."""
    for column, (one, other) in view.results.cased.items():
        is_cluster = column in ("cluster", "cluster_b")
        what = clusters(view.results) if is_cluster else f"values of {column.removeprefix(BREAKDOWN)}"
        text = f"{one} and {other} count as different {what}, though they differ in letter case alone."
        if is_cluster:
            text += " If they are one, CIs are too narrow and p-values too small."
        yield caution("letter_case", text, is_cluster)


ONE_SIDE = re.compile(
    r"(enrol(l|led|ment|lment)?|probe|gallery|reference|claim(ed)?)([_ -](speaker|subject|person|client|id))?"
    r"|test[_ -](speaker|subject|person|client)",
    re.IGNORECASE,
)
"""Names of a cluster column that is one side of a pair."""

OF_THEIR_OWN = ("below_rule_of_30", "interval_withheld", "below_chance")
"""Flags that have a function of their own here."""


def _flagged_values(view: DatasetView) -> Iterator[Caution]:
    rows = [row for row in _answering(view) if row.split == "test"]
    for flag in FLAGS.values():
        these = [row for row in rows if flag.key in row.flags]
        if these and flag.values and flag.key not in OF_THEIR_OWN:
            first = [row for row in these if _primary(view, row)]
            shown = first or these
            facts = {"models": _models(view, shown), "measures": _measures(view, shown)}
            yield _of_flag(view, flag, flag.values, bool(first), **facts, **_units(view, these))


def _flagged_comparisons(view: DatasetView) -> Iterator[Caution]:
    for flag in FLAGS.values():
        these = [row for row in view.comparisons if flag.key in row.flags]
        if these and flag.comparisons:
            first = [row for row in these if _primary(view, row)]
            shown = first or these
            facts = {"pairs": _pairs(view, shown), "measures": _measures(view, shown)}
            of_flag = _of_flag(view, flag, flag.comparisons, bool(first), **facts, **_units(view, these))
            of_pairs = "{pairs}" in flag.comparisons
            only = "" if first else f" This concerns {_measures(view, these)} only."
            more = f"{_also(first, these)}{only}" if of_pairs else ""
            yield replace(of_flag, text=of_flag.text + more)


def _units(view: DatasetView, rows: Rows) -> dict[str, str]:
    every: list[MetricRow | ComparisonRow] = [*rows]
    row = min(every, key=lambda each: math.inf if each.n_units is None else each.n_units)
    of_column = bool(row.group) and not row.group_columns
    of_test = [row.n_clusters for row in view.rows(TRIALS) if row.split == "test" and row.n_clusters]
    fewest = min(of_test, default=0) if row.n_units is None else row.n_units
    named = units_of(view, row)
    few = worth = f"There are only {numbers.count(fewest)} {named}"
    if unequal := "" if of_column else worth_of_units(view, fewest):
        few = worth = f"{numbers.count(fewest)} {named} {unequal}"
    if fewest == 1:
        worth = f"All trials are of one {cluster(view.results)}"
    elif not of_column and (effective := worth_of_units(view, fewest, always=True)):
        worth = f"{numbers.count(fewest)} {named} {effective}"
    return {"units": named, "few_units": few, "worth": worth}


def _of_flag(view: DatasetView, flag: Notice, template: str, of_primary: bool, **facts: str) -> Caution:
    """Return the caution of a flag; names are printed unchanged."""
    bins = {"dev_step": bin_width(view, "dev"), "test_step": bin_width(view, "test")}
    text = view.terms.say(template).format_map({"a_target": view.terms.a_target, **bins, **facts})
    begins_with_a_name = text.startswith(tuple(view.names.values()))
    text = text if begins_with_a_name else capitalised(text)
    return caution(flag.key, text, flag.grave and of_primary)


def _answering(view: DatasetView) -> list[MetricRow]:
    """The rows of ``metrics`` a priori; of the first question the means, where they answer it."""
    pooled = [row for row in view.metrics if not (view.means and row.split == "test" and _primary(view, row))]
    return [row for row in (*pooled, *view.means.values()) if row.threshold_source != "oracle"]


def _primary(view: DatasetView, row: MetricRow | ComparisonRow) -> bool:
    """Return whether a row answers the report's first question."""
    primary = view.study.primary
    criterion = str(primary.criterion) if primary.measure.over == "threshold" else None
    return (row.measure, row.criterion) == (str(primary.measure), criterion)


def _also(first: Rows, rows: Rows) -> str:
    """Return how many further measures a caution about the primary one concerns."""
    others = {row.measure for row in rows} - {row.measure for row in first}
    if not first or not others:
        return ""
    return f" This also holds for {len(others)} other measure{'' if len(others) == 1 else 's'}."


def _models(view: DatasetView, rows: Iterable[MetricRow]) -> str:
    names = in_order(view, (row.model for row in rows))
    if len(names) == len(view.names) > 1:
        return "all models"
    return listing(names)


def _measures(view: DatasetView, rows: Rows) -> str:
    return listing(dict.fromkeys(measure_label(row.measure, view.terms) for row in rows), MOST_NAMED)


def _pairs(view: DatasetView, rows: Sequence[ComparisonRow]) -> str:
    """Return ``A and B`` for one pair, else how many pairs, with the names of a few."""

    def name(key: str) -> str:
        return view.names.get(key, key)

    pairs = list(dict.fromkeys(f"{name(row.model)} and {name(row.baseline)}" for row in rows))
    if len(pairs) == 1:
        return pairs[0]
    every = {(row.model, row.baseline) for row in view.comparisons}
    if len(pairs) == len(every):
        return "both pairs" if len(pairs) == 2 else f"all {len(pairs)} pairs"
    return f"{len(pairs)} pairs ({'; '.join(pairs)})" if len(pairs) <= MOST_NAMED else f"{len(pairs)} pairs"


def _prevalence(view: DatasetView) -> Iterator[Caution]:
    """Compare the odds of a target in dev and in test, of the first model of which both are known."""
    shares: dict[str, float] = {}
    for row in view.rows(TRIALS):
        trials = row.n_target + row.n_nontarget
        if row.n_target and row.n_nontarget:
            shares.setdefault(row.split, row.n_target / trials)
    if len(shares) < 2:
        return
    dev, test = shares["dev"], shares["test"]
    ratio = dev / (1 - dev) / (test / (1 - test))
    if max(ratio, 1 / ratio) >= ODDS_RATIO:
        yield caution(
            "prevalence_differs",
            f"The {view.terms.share} differs ({numbers.percent(dev, 1)}% development,"
            f" {numbers.percent(test, 1)}% test); {view.terms.precision}, F1 and other prevalence-dependent"
            " measures are not comparable between the two.",
        )


def _replicates(view: DatasetView) -> Iterator[Caution]:
    """A Monte-Carlo p needs resamples in proportion to the family (methods 8.10)."""
    inference = view.study.inference
    drawn = [row for row in view.comparisons if row.p_adjusted is not None and row.replicates]
    size = max((row.family_size or 0 for row in drawn), default=0)
    # Max-T reads the adjusted p off the draws themselves: its steps do not grow with the family.
    joint = inference.correction == "maxt"
    wanted = [
        REPLICATES_PER_TEST.get("percentile" if joint else row.p_method or "", 0) * (1 if joint else size)
        for row in drawn
    ]
    if inference.replicates < max(wanted, default=0) / (1 - inference.level):
        several, spoilt = ("", "its p-value is") if size == 1 else ("s", "adjusted p-values are")
        yield caution(
            "few_replicates",
            f"{numbers.count(inference.replicates)} resamples are too few for {size} comparison{several};"
            f" {spoilt} imprecise.",
        )


def coarseness(view: DatasetView) -> Iterator[Caution]:
    """Yield how scores were floored and how far that moves an area, and which curves are thinned."""
    if view.results.origin is not None:
        yield caution("floored_scores", flooring(view.results.origin) + ".")
        if (added := view.results.origin.noise) is not None:
            sentences = noise_sentences(added, view.terms)
            yield caution("noisy_counts", " ".join(f"{sentence}." for sentence in sentences), grave=True)
    if max(view.results.frame(TRIALS)["n_distinct"].to_list(), default=0) > DRAWN_WHOLE:
        width = max(_width(view, split, MOST_DRAWN) for split in ("dev", "test"))
        yield caution(
            "thinned_curves",
            f"Curves of more than {numbers.count(DRAWN_WHOLE)} distinct scores show the thresholds on their"
            f" hull, and others at most {numbers.fixed(width, 2)} standard errors of {view.terms.far} and"
            f" {view.terms.frr} apart; every measure uses all thresholds.",
        )


def bin_width(view: DatasetView, split: str) -> str:
    """Return the widest bin that resamples see of a split, in standard errors of FAR or FRR."""
    return numbers.fixed(_width(view, split, MOST_BINS), 2)


def _width(view: DatasetView, split: str, most: int) -> float:
    trials = view.results.frame(TRIALS).filter(split=split, group="")
    sizes = trials.select("n_target", "n_nontarget").unique().rows()
    return max((bin_step(n_target, n_nontarget, most) for n_target, n_nontarget in sizes), default=0.0)
