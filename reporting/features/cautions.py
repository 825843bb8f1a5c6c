"""What the reader must not overlook: what it is, how bad it is, and what follows; the gravest first.

Each caution speaks of the primary question; what concerns other measures or thresholds is counted. It is
grave where it changes how the answer on the first screen is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reporting.base.extensions import imported
from reporting.document.blocks import Block, Caution, Section
from reporting.document.feature import called
from reporting.document.frames.results import Results
from reporting.document.words.view import DatasetView, views
from reporting.features.catalogue import asked_by
from reporting.features.sections import SUMMARY

READ_IN_ORDER = (
    *("stale", "drift", "development_set", "unlabelled", "missing_dropped", "policy", "weighted_rates"),
    *("below_chance", "constant_scores", "hard_decisions", "undefined_values", "undefined_comparisons"),
    *("unstable_thresholds", "misleading_ratios", "another_base", "improper_measures", "mixed_scales"),
    *("outside_scores", "independence", "judged_where_chosen", "bets_without_clusters", "letter_case"),
    *(
        "rejects_infinite",
        "primary_question",
        "few_errors",
        "no_errors",
        "too_few_for_a_ci",
        "flagged_values",
    ),
    *("flagged_comparisons", "optimism_between", "prevalence", "groups_of_one_class", "unseen_values"),
    *("groups_left_out", "another_analysis", "abstention_cautions", "replicates", "coarseness"),
)
"""The functions that yield cautions, as those of one gravity are read; one that is not here comes last."""


def summary(results: Results) -> Section | None:
    """Return what sums up a dataset, above its cautions; of several what compares them, then each, folded."""
    every = [view for view in views(results) if view.whole]
    if len(every) == 1:
        return SUMMARY.per_view(every, lambda view: (*_summed_up(view), *cautions(view)))
    section = SUMMARY.per_view(every, lambda view: tuple(_summed_up(view)))
    if section is None:
        return None
    questions = asked_by(results.study)
    over = [block for feature in questions for block in called(feature.over_datasets, every)]
    each = (replace(part, folded=True) if isinstance(part, Section) else part for part in section.blocks)
    return replace(section, blocks=(*over, *_of_all(every), *each))


def _of_all(every: Sequence[DatasetView]) -> list[Caution]:
    """Return the cautions of all datasets, those that all share once, the others with the name of theirs."""
    cautious = [cautions(view) for view in every]
    shared = [caution for caution in cautious[0] if all(caution in of for of in cautious)]
    own = [
        replace(caution, title=f"{caution.title.removesuffix('.')} ({view.label}).")
        for view, of in zip(every, cautious, strict=True)
        for caution in of
        if caution not in shared
    ]
    return sorted([*shared, *own], key=lambda caution: not caution.grave)


def _summed_up(view: DatasetView) -> Iterator[Block]:
    for feature in asked_by(view.study):
        yield from called(feature.summary, view)


def cautions(view: DatasetView) -> tuple[Caution, ...]:
    """Return the cautions of one dataset, each once, the grave ones first."""
    rules = [rule for feature in asked_by(view.study) for rule in feature.cautions]
    once: dict[str, Caution] = {}
    for rule in sorted(rules, key=_place):
        for each in imported(rule)(view):
            earlier = once.setdefault(each.text, each)
            once[each.text] = replace(earlier, grave=earlier.grave or each.grave)
    return tuple(sorted(once.values(), key=lambda each: not each.grave))


def _place(rule: str) -> int:
    name = rule.rpartition(":")[2]
    return READ_IN_ORDER.index(name) if name in READ_IN_ORDER else len(READ_IN_ORDER)
