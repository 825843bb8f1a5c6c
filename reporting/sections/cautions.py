"""What the reader must not overlook: one sentence for each kind, naming the models concerned.

A caution is grave where it concerns the primary question: the answer on the first screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporting.criteria.catalogue import read_criterion
from reporting.frames import TRIALS, ComparisonRow, MetricRow
from reporting.frames.metrics import RULE_OF_30
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.blocks import Caution
from reporting.sections.coarseness import bin_width, coarseness
from reporting.stats.intervals import bound_without_errors
from reporting.wording.codes import FLAGS
from reporting.wording.phrases import (
    clusters,
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
    found = (
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
    said: dict[str, bool] = {}
    for caution in found:
        said[caution.text] = said.get(caution.text, False) or caution.grave
    return tuple(Caution(text, grave) for text, grave in sorted(said.items(), key=lambda item: not item[1]))


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
    """Whether one of the rows answers the report's first question."""
    asked = view.study.primary
    criterion = str(asked.criterion) if asked.measure.over == "threshold" else None
    return any((row.measure, row.criterion) == (str(asked.measure), criterion) for row in rows)


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
    """Say what no error at all still allows (rule of 3), where that is asked of rates on test."""
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
    """Name thresholds, errors and models: ``at min-HTER thresholds chosen on dev misses of TC6``."""
    parts = []
    for criterion in dict.fromkeys(row.criterion for row in rows):
        here = [row for row in rows if row.criterion == criterion]
        if criterion is None:
            parts += [f"{measure} of {models}" for measure, models in _by_measure(view, here)]
            continue
        said = listing(
            f"{view.terms.say(name)} of {_models(view, few)}"
            for at, (name, column) in enumerate(ERRORS)
            if (few := [row for row in here if _counts(row, at) and _is_few(getattr(row, column))])
        )
        parts.append(f"at {threshold_phrase(read_criterion(criterion), view.study)} {said}")
    return "; ".join(parts)


ERRORS = (("false alarms", "false_alarms"), ("misses", "misses"))


def _is_few(errors: int | None) -> bool:
    """Fewer errors than the rule of 30 asks for; a mean over runs has no counts of its own."""
    return errors is not None and errors < RULE_OF_30


def _counts(row: MetricRow, which: int) -> bool:
    """Whether false alarms (0) or misses (1) enter the row's measure."""
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
