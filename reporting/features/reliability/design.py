"""What the design of a study leaves open: its thresholds, clusters, question and resamples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from reporting.base.provenance import IN_MEMORY
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import HTER
from reporting.core.stats.staircase import DRAWN_WHOLE, MOST_BINS, MOST_DRAWN, bin_step
from reporting.document import numbers
from reporting.document.blocks import Caution
from reporting.document.frames.trials import TRIALS
from reporting.document.words.caveats import unsettled_answer
from reporting.document.words.codes import CAUTIONS, FLAGS
from reporting.document.words.origins import flooring, noise_sentences
from reporting.document.words.phrases import clusters, listing, one_sided
from reporting.document.words.view import DatasetView
from reporting.features.reliability import FEATURE
from reporting.inputs.spec import BREAKDOWN

ODDS_RATIO = 1.5
"""From here on the two sets differ in their share of targets."""
REPLICATES_PER_TEST = {"percentile": 40, "studentized": 40, "swap": 10}
"""Resamples times level of the test, for each comparison: of exchanges, ten are as far out as the first."""


def policy(view: DatasetView) -> Iterator[Caution]:
    """Yield where thresholds were chosen that makes numbers optimistic, or that none were."""
    study = view.study
    # A report whose every criterion does without a development set lacks nothing, nor one that asks for none.
    asks = study.unplaced or (not study.criteria and study.profile is None)
    lacks_dev = study.thresholds.policy == "none" and asks
    oracle = ["oracle"] if study.primary.criterion.oracle else []
    for key in ("no_dev" if lacks_dev else study.thresholds.policy, *oracle):
        if key in FLAGS:
            text = FLAGS[key].policy
            if lacks_dev and (name := _why_no_dev(view)):
                text = FEATURE.text(view, name)
            left_out = [view.terms.measure(m) for m in study.measures if m.over == "threshold" and lacks_dev]
            yield FLAGS[key].caution(f"{text} Left out: {listing(left_out)}." if left_out else text, True)


def _why_no_dev(view: DatasetView) -> str:
    if view.dev_left_out:
        return "no_dev_used"
    if is_called(view):
        return "no_dev_called"
    return "no_dev_of_pairs" if view.results.cluster_b is not None else ""


def is_called(view: DatasetView) -> bool:
    """Return whether the trials are a table in memory, so that a call of Python requested the report."""
    return any(each.name == IN_MEMORY for each in view.results.provenance.inputs)


def primary_question(view: DatasetView) -> Iterator[Caution]:
    """Yield the primary measure that is judged at the least HTER, unasked, though it is best elsewhere.

    And the one that the other error rate buys, where there are trials of both classes.
    """
    text = one_sided(view.study, called=is_called(view))
    of_test = [row for row in view.rows(TRIALS) if row.split == "test"]
    if text and all(row.n_target and row.n_nontarget for row in of_test):
        yield CAUTIONS["one_sided"].caution(text, True)
    study, measure = view.study, view.study.primary.measure
    judged = study.primary.criterion in study.criteria  # not where no trials choose it
    if study.criterion_unnamed and judged and _is_best_elsewhere(measure):
        best = f"best(measure={measure})"
        key = f"criteria=['{best}']" if is_called(view) else f"primary: {{measure: ..., criterion: '{best}'}}"
        yield FEATURE.caution(
            view,
            "unnamed_criterion",
            True,
            measure=view.terms.measure(measure),
            hter=view.terms.measure(HTER),
            key=key,
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
    "gilbert_skill",
    "fowlkes_mallows",
    "p4",
    "mcc",
    "kappa",
)
"""Measures, not linear in FAR and FRR, that are best between the extremes, and seldom where HTER is."""


def independence(view: DatasetView) -> Iterator[Caution]:
    """Yield that trials were treated as independent, and of which column they may not be."""
    if view.results.cluster is None:
        yield FEATURE.caution(view, "independence.undeclared")
    elif view.study.inference.unit == "trial":
        yield FEATURE.caution(view, "independence.set_aside", True, clusters=clusters(view.results))
    elif ONE_SIDE.fullmatch(view.results.cluster) and view.results.cluster_b is None:
        yield FEATURE.caution(view, "independence.one_side", cluster=view.results.cluster)


ONE_SIDE = re.compile(
    r"(enrol(l|led|ment|lment)?|probe|gallery|reference|claim(ed)?)([_ -](speaker|subject|person|client|id))?"
    r"|test[_ -](speaker|subject|person|client)",
    re.IGNORECASE,
)
"""Names of a cluster column that is one side of a pair."""


def judged_where_chosen(view: DatasetView) -> Iterator[Caution]:
    """Yield that thresholds were chosen on the same clusters that are judged, and what limits include."""
    test = next((row for row in view.rows(TRIALS) if row.split == "test" and row.shared_clusters), None)
    dev = view.results.dev_of.get(view.dataset, view.dataset)
    on_dev = view.results.frame(TRIALS).filter(dataset=dev, split="dev", group="")["n_clusters"]
    chosen = any(criterion.needs_dev for criterion in view.study.criteria)
    if test is None or not chosen or set(on_dev) != {test.shared_clusters}:
        return
    yield FEATURE.caution(
        view,
        "same_clusters.single" if test.shared_clusters == 1 else "same_clusters.several",
        n_clusters=numbers.count(test.shared_clusters or 0),
        cluster=clusters(view.results, 1),
        clusters=clusters(view.results),
    )


def letter_case(view: DatasetView) -> Iterator[Caution]:
    """Yield the columns in which names differ in letter case alone."""
    for column, (one, other) in view.results.cased.items():
        is_cluster = column in ("cluster", "cluster_b")
        what = clusters(view.results) if is_cluster else f"values of {column.removeprefix(BREAKDOWN)}"
        which = "letter_case.clusters" if is_cluster else "letter_case.values"
        yield FEATURE.caution(view, which, is_cluster, one=one, other=other, what=what)


def prevalence(view: DatasetView) -> Iterator[Caution]:
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
        in_dev, in_test = numbers.percent(dev, 1), numbers.percent(test, 1)
        yield FEATURE.caution(view, "prevalence_differs", dev=in_dev, test=in_test)


def another_analysis(view: DatasetView) -> Iterator[Caution]:
    """Yield which p-values of the answer another seed may turn."""
    for text in unsettled_answer(view):
        yield replace(CAUTIONS["another_analysis"].caution(text, True), title="Too few resamples")


def replicates(view: DatasetView) -> Iterator[Caution]:
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
        which = "few_replicates.one" if size == 1 else "few_replicates.several"
        replicates = numbers.count(inference.replicates)
        yield FEATURE.caution(view, which, replicates=replicates, size=size)


def coarseness(view: DatasetView) -> Iterator[Caution]:
    """Yield how scores were floored and how far that moves an area, and which curves are thinned."""
    if view.results.origin is not None:
        yield FEATURE.caution(view, "floored_scores", flooring=flooring(view.results.origin))
        if (added := view.results.origin.noise) is not None:
            sentences = noise_sentences(added, view.terms)
            noise = " ".join(f"{sentence}." for sentence in sentences)
            yield FEATURE.caution(view, "noisy_counts", True, noise=noise)
    if max(view.results.frame(TRIALS)["n_distinct"].to_list(), default=0) > DRAWN_WHOLE:
        widest = max(_width(view, split, MOST_DRAWN) for split in ("dev", "test"))
        drawn_whole, width = numbers.count(DRAWN_WHOLE), numbers.fixed(widest, 2)
        yield FEATURE.caution(view, "thinned_curves", drawn_whole=drawn_whole, width=width)


def bin_width(view: DatasetView, split: str) -> str:
    """Return the widest bin that resamples see of a split, in standard errors of FAR or FRR."""
    return numbers.fixed(_width(view, split, MOST_BINS), 2)


def _width(view: DatasetView, split: str, most: int) -> float:
    trials = view.results.frame(TRIALS).filter(split=split, group="")
    sizes = trials.select("n_target", "n_nontarget").unique().rows()
    return max((bin_step(n_target, n_nontarget, most) for n_target, n_nontarget in sizes), default=0.0)
