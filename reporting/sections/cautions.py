"""What the reader must not overlook: one sentence for each kind, naming the models concerned.

A caution is grave where it concerns the primary question: the answer on the first screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import polars as pl

from reporting.criteria import rates
from reporting.criteria.catalogue import read_criterion
from reporting.criteria.criterion import Criterion
from reporting.frames import ROC, TRIALS, ComparisonRow, MetricRow
from reporting.measures.catalogue import read_measure
from reporting.measures.sweep import RULE_OF_30
from reporting.report import numbers
from reporting.report.blocks import Caution
from reporting.sections.provenance import flooring
from reporting.stats.coarse import DRAWN_WHOLE, MOST_BINS, MOST_DRAWN, bin_step
from reporting.stats.intervals import bound_without_errors
from reporting.wording.codes import FLAGS
from reporting.wording.phrases import (
    clusters,
    criterion_label,
    in_order,
    listing,
    measure_label,
    reason,
    threshold_phrase,
    units,
)
from reporting.wording.view import View

ODDS_RATIO = 1.5
"""From here on dev and test are said to differ in their share of targets."""
REPLICATES_PER_TEST = 40


def cautions(view: View) -> tuple[Caution, ...]:
    """Return the cautions of one dataset, each once, the grave ones first."""
    raised = (
        *_policy(view),
        *_undefined_values(view),
        *_undefined_comparisons(view),
        *_metric_flags(view),
        *_no_errors(view),
        *_comparison_flags(view),
        *_prevalence(view),
        *_replicates(view),
        *_independence(view),
        *coarseness(view),
    )
    texts: dict[str, bool] = {}
    for caution in raised:
        texts[caution.text] = texts.get(caution.text, False) or caution.grave
    return tuple(Caution(text, grave) for text, grave in sorted(texts.items(), key=lambda item: not item[1]))


def _policy(view: View) -> Iterator[Caution]:
    policy = view.study.thresholds.policy
    if policy in FLAGS:
        yield Caution(FLAGS[policy].policy, grave=True)


def _undefined_values(view: View) -> Iterator[Caution]:
    rows = [row for row in _apriori(view.metrics) if row.value is None]
    for split in ("dev", "test"):
        here = [row for row in rows if row.split == split]
        for status in dict.fromkeys(row.status for row in here):
            these = [row for row in here if row.status == status]
            what = f"{_measures(view, these)} of {_models(view, these)}"
            text = f"Undefined on {split}: {what}, because {_why(view, status)}."
            yield Caution(text, grave=split == "test" and _primary(view, these))


def _why(view: View, status: str | None) -> str:
    return reason(status, view.terms)


def _primary(view: View, rows: Sequence[MetricRow] | Sequence[ComparisonRow]) -> bool:
    """Return whether one of the rows answers the report's first question."""
    primary = view.study.primary
    criterion = str(primary.criterion) if primary.measure.over == "threshold" else None
    return any((row.measure, row.criterion) == (str(primary.measure), criterion) for row in rows)


def _apriori(rows: Iterable[MetricRow]) -> list[MetricRow]:
    return [row for row in rows if row.threshold_source != "oracle"]


def _undefined_comparisons(view: View) -> Iterator[Caution]:
    rows = [row for row in view.comparisons if row.status is not None]
    values_defined = {row.model for row in view.metrics if row.split == "test" and row.value is not None}
    for status in dict.fromkeys(row.status for row in rows):
        these = [row for row in rows if row.status == status]
        if len(these) == len(view.comparisons):
            yield Caution(f"No comparison is defined, because {_why(view, status)}.", grave=True)
        elif values_defined:
            which = f"{_pairs(view, these)}, in {_measures(view, these)}"
            text = f"Comparisons without a test, because {_why(view, status)}: {which}."
            yield Caution(text, grave=_primary(view, these))


def _metric_flags(view: View) -> Iterator[Caution]:
    rows = [row for row in _apriori(view.metrics) if row.split == "test"]
    for flag in FLAGS.values():
        these = [row for row in rows if flag.key in row.flags and flag.values]
        if these:
            facts = {
                "models": _models(view, these),
                "measures": _measures(view, these),
                "details": _details(view, these),
                "units": units(view.results),
                "test_step": bin_width(view, "test"),
            }
            text = view.terms.say(flag.values).format_map(facts)
            yield Caution(text, grave=flag.grave and _primary(view, these))


def _no_errors(view: View) -> Iterator[Caution]:
    """Yield the highest error rate that a test without any error still allows (rule of 3)."""
    level = view.study.inference.level
    for name, column, trials in NONE_SEEN:
        at = [row for row in _apriori(view.metrics) if row.split == "test" and row.criterion]
        rows = [row for row in at if getattr(row, column) == 0 and getattr(row, trials)]
        if rows:
            fewest = min(getattr(row, trials) for row in rows)
            bound = numbers.percent(bound_without_errors(fewest, level), 2)
            yield Caution(
                f"No {view.terms.say(name)} in {numbers.count(fewest)} trials of test for"
                f" {_models(view, rows)} at some threshold: a true rate of up to {bound} % is compatible"
                f" with that ({100 * level:g} %, one-sided, independent trials)."
            )


NONE_SEEN = (("false alarm", "false_alarms", "n_nontarget"), ("miss", "misses", "n_target"))


def _details(view: View, rows: list[MetricRow]) -> str:
    """Return thresholds, errors and models: ``at min-HTER thresholds chosen on dev misses of TC6``."""
    parts = []
    for criterion in dict.fromkeys(row.criterion for row in rows):
        here = [row for row in rows if row.criterion == criterion]
        if criterion is None:
            parts += [f"{measure} of {models}" for measure, models in _by_measure(view, here)]
            continue
        few_errors = listing(
            f"{view.terms.say(name)} of {_models(view, few)}"
            for at, (name, column) in enumerate(ERRORS)
            if (few := [row for row in here if _counts(row, at) and _is_few(getattr(row, column))])
        )
        parts.append(f"at {threshold_phrase(read_criterion(criterion), view.study)} {few_errors}")
    return "; ".join(parts)


ERRORS = (("false alarms", "false_alarms"), ("misses", "misses"))


def _is_few(errors: int | None) -> bool:
    """Return whether there are fewer than 30 errors (rule of 30); a mean over runs has no counts."""
    return errors is not None and errors < RULE_OF_30


def _counts(row: MetricRow, which: int) -> bool:
    """Return whether false alarms (0) or misses (1) enter the row's measure."""
    return (read_measure(row.measure).linear() or (1.0, 1.0))[which] > 0


def _by_measure(view: View, rows: list[MetricRow]) -> Iterator[tuple[str, str]]:
    for measure in dict.fromkeys(row.measure for row in rows):
        models = _models(view, (row for row in rows if row.measure == measure))
        yield measure_label(measure, view.terms), models


def _comparison_flags(view: View) -> Iterator[Caution]:
    for flag in FLAGS.values():
        these = [row for row in view.comparisons if flag.key in row.flags and flag.comparisons]
        if these:
            facts = {
                "pairs": _pairs(view, these),
                "measures": _measures(view, these),
                "units": units(view.results),
                "dev_step": bin_width(view, "dev"),
                "test_step": bin_width(view, "test"),
            }
            text = view.terms.say(flag.comparisons).format_map(facts)
            yield Caution(text, grave=flag.grave and _primary(view, these))


def _models(view: View, rows: Iterable[MetricRow]) -> str:
    names = in_order(view, (row.model for row in rows))
    if len(names) == len(view.names) > 1:
        return "all models"
    return listing(names)


def _measures(view: View, rows: Sequence[MetricRow] | Sequence[ComparisonRow]) -> str:
    return listing(dict.fromkeys(measure_label(row.measure, view.terms) for row in rows))


def _pairs(view: View, rows: Iterable[ComparisonRow]) -> str:
    def name(key: str) -> str:
        return view.names.get(key, key)

    return listing(dict.fromkeys(f"{name(row.model)} − {name(row.baseline)}" for row in rows))


def _prevalence(view: View) -> Iterator[Caution]:
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
        yield Caution(
            f"The {view.terms.share} differs: {numbers.percent(dev, 1)} % of dev,"
            f" {numbers.percent(test, 1)} % of test. Measures that depend on it do not carry over."
        )


def _replicates(view: View) -> Iterator[Caution]:
    """A Monte-Carlo p needs replicates in proportion to the family (methods 8.10)."""
    inference = view.study.inference
    drawn = [row for row in view.comparisons if row.p_adjusted is not None and row.replicates]
    sizes = [row.family_size or 0 for row in drawn if row.p_method in ("percentile", "studentized")]
    # Max-T reads the adjusted p off the draws themselves: its steps do not grow with the family.
    tests = 1 if inference.correction == "maxt" else max(sizes, default=0)
    sizes = sizes or [row.family_size or 0 for row in drawn if inference.correction == "maxt"]
    if sizes and inference.replicates < REPLICATES_PER_TEST * tests / (1 - inference.level):
        yield Caution(
            f"{numbers.count(inference.replicates)} replicates are few for a family of {max(sizes)}"
            " comparisons: adjusted p-values are coarse."
        )


def _independence(view: View) -> Iterator[Caution]:
    if view.results.cluster is None:
        yield Caution(
            "Trials treated as independent: no cluster column was declared. If a person or session"
            " contributes several trials, intervals are too narrow and p-values too small."
        )
    elif view.study.inference.unit == "trial":
        yield Caution(
            f"Trials treated as independent although {clusters(view.results)} are declared: intervals may be"
            " too narrow and p-values too small.",
            grave=True,
        )


TIED = "tied_cut"


def tied_cuts(view: View) -> Iterator[str]:
    """Yield the models whose cut was chosen among ties, with the number of tied cuts where it is known."""
    where = f" of {view.label}" if view.label else ""
    chosen = [
        criterion for criterion in view.study.criteria if criterion.threshold is None and not criterion.oracle
    ]
    criteria = dict.fromkeys((view.study.primary.criterion, *chosen))
    ties = []
    for criterion in criteria:
        rows = [r for r in view.metrics if r.criterion == str(criterion) and TIED in r.flags]
        names = {view.names[row.model]: row.model for row in rows if row.split == "test"}
        if names:
            models = (
                _with_cuts(view, criterion, name, names[name]) for name in in_order(view, names.values())
            )
            ties.append(f"{criterion_label(criterion, view.terms)}: {listing(models)}")
    if ties:
        yield f"The rule had to choose among equally good cuts on dev{where} by {'; '.join(ties)}."
    elif chosen and view.whole:
        yield f"No cut chosen on dev{where} was tied with another."


def _with_cuts(view: View, criterion: Criterion, name: str, model: str) -> str:
    count = cuts_as_good(view, criterion, model)
    return name if count is None or count < 2 else f"{name} ({count} cuts)"


def cuts_as_good(view: View, criterion: Criterion, model: str) -> int | None:
    """Return the number of cuts of dev that attain a model's least weighted sum of errors, on integers.

    Minima of such sums lie at corners, which is all that ``roc`` holds. None for other criteria, and where
    the counts are not those the criterion saw: weighted trials, another dataset's dev, means over runs.
    """
    weight = _weight(criterion)
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    if weight is None or view.results.weighted or view.study.thresholds.policy != "dev":
        return None
    here = {"dataset": dev, "run": view.run, "group": "", "split": "dev", "model": model}
    rows = (
        view.results.frame(ROC).filter(**here).select(pl.col("misses", "false_alarms").cast(pl.Int64)).rows()
    )
    if not rows:
        return None
    n_target, n_nontarget = max(row[0] for row in rows), max(row[1] for row in rows)
    if not n_target or not n_nontarget:
        return None
    costs = [weight * alarms * n_target + (1 - weight) * misses * n_nontarget for misses, alarms in set(rows)]
    return costs.count(min(costs))


def _weight(criterion: Criterion) -> Fraction | None:
    """Return the weight of FAR where a criterion minimises a weighted sum of both rates, within (0, 1)."""
    if criterion.key == rates.MIN_HTER.key:
        return Fraction(1, 2)
    if criterion.key == rates.WEIGHTED_ERROR.key:
        alpha = Fraction(str(criterion.arguments["alpha"]))
        return alpha if 0 < alpha < 1 else None
    return None


def coarseness(view: View) -> Iterator[Caution]:
    """Yield how scores were floored and how far that moves an area, and which curves are thinned."""
    if view.results.origin is not None:
        yield Caution(flooring(view.results.origin) + ".")
    if max(view.results.frame(TRIALS)["n_distinct"].to_list(), default=0) > DRAWN_WHOLE:
        width = max(_width(view, split, MOST_DRAWN) for split in ("dev", "test"))
        yield Caution(
            f"Curves of more than {numbers.count(DRAWN_WHOLE)} distinct scores show the cuts of their hull,"
            f" and others at most {numbers.fixed(width, 2)} standard errors of FAR, and of FRR, apart; every"
            " measure sees all cuts."
        )


def bin_width(view: View, split: str) -> str:
    """Return the widest bin that replicates see of a split, in standard errors of FAR or FRR."""
    return numbers.fixed(_width(view, split, MOST_BINS), 2)


def _width(view: View, split: str, most: int) -> float:
    trials = view.results.frame(TRIALS).filter(split=split, group="")
    sizes = trials.select("n_target", "n_nontarget").unique().rows()
    return max((bin_step(n_target, n_nontarget, most) for n_target, n_nontarget in sizes), default=0.0)
