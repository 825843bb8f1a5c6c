"""Coverage of joint limits of differences between groups of several classes, and the level of their tests.

    python -m tests.research.studies.class_groups [--tables N] [--replicates M]

Tables of ``studies/classes``: three classes at shares .5, .3 and .2. Groups are drawn at random, at the given shares,
so that no group truly differs from the rest; or in the last group the score of a class is lower by .7, where the truth
is that of 4 million trials. A table counts as held where the limits of all groups hold.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.sweep import AUC
from reporting.features.classes.contrasts import contrast_rows
from reporting.features.classes.measured import MeasuredClasses
from reporting.features.classes.read import ClassTrials, ModelRun
from tests.research.studies.classes import LEVEL, MEANS, SHARES

RUN = ModelRun("a", "")
WORSE = 0.7


class GroupsDesign(NamedTuple):
    """Trials, the shares of groups, clusters (0: none), and whether the last group is worse."""

    trials: int
    groups: tuple[float, ...]
    clusters: int = 0
    worse: bool = False

    def __str__(self) -> str:
        more = f" in {self.clusters} clusters" if self.clusters else ""
        return f"{self.trials} trials{more}, groups {self.groups}" + (
            ", the last worse" if self.worse else ""
        )


EVEN, UNEVEN = (0.25,) * 4, (0.6, 0.3, 0.1)
DESIGNS = (
    GroupsDesign(300, (0.5, 0.5)),
    GroupsDesign(300, UNEVEN),
    GroupsDesign(600, EVEN),
    GroupsDesign(600, UNEVEN, worse=True),
    GroupsDesign(600, EVEN, clusters=30),
)


MEASURES = ("auc", "macro"), ("accuracy", "micro"), ("recall", "macro"), ("f1", "macro")


def _scores(
    truth: IntArray, group: IntArray, design: GroupsDesign, random: np.random.Generator
) -> FloatArray:
    means = np.eye(len(SHARES))[truth] * MEANS
    if design.worse:
        last = group == len(design.groups) - 1
        means[last] -= WORSE * np.eye(len(SHARES))[truth[last]]
    return np.asarray(means + random.normal(0.0, 1.0, means.shape))


def drawn(design: GroupsDesign, random: np.random.Generator) -> ClassTrials:
    """Draw a table; groups cut across clusters."""
    n, k = design.trials, len(SHARES)
    truth, group = random.choice(k, n, p=SHARES), random.choice(len(design.groups), n, p=design.groups)
    truth[:k] = range(k)
    scores, unit = _scores(truth, group, design, random), None
    if design.clusters:
        cluster = random.integers(0, design.clusters, n)
        scores = np.sqrt(0.7) * scores + np.sqrt(0.3) * random.normal(0.0, 1.0, (design.clusters, k))[cluster]
        unit = np.unique(cluster, return_inverse=True)[1].astype(np.uint32)
    present, code = np.unique(group, return_inverse=True)
    site = Attribute(tuple(map(str, present)), code.astype(np.uint32))
    ranks = Ranks(label=truth == 0, unit_a=unit, rank={}, paired=True, attributes={"site": site})
    return ClassTrials("", ("a", "b", "c"), ranks, truth, {RUN: scores})


def truths(design: GroupsDesign, trials: int = 2_000_000) -> dict[tuple[str, str, str], float]:
    """Return the true differences, by group, measure and average: 0 where no group is worse."""
    groups = range(len(design.groups))
    if not design.worse:
        return {(f"site={at}", *of): 0.0 for at in groups for of in MEASURES}
    random = np.random.default_rng(3)
    truth = random.choice(len(SHARES), trials, p=SHARES)
    group = random.choice(len(design.groups), trials, p=design.groups)
    scores = _scores(truth, group, design, random)
    true = {}
    for at in groups:
        inside, outside = (_values(truth[of], scores[of]) for of in (group == at, group != at))
        true |= {(f"site={at}", *of): inside[of] - outside[of] for of in MEASURES}
    return true


def _values(truth: IntArray, scores: FloatArray) -> dict[tuple[str, str], float]:
    top, k = scores.argmax(axis=1), len(SHARES)
    n, taken, hits = np.bincount(truth), np.bincount(top), np.bincount(truth[top == truth])
    areas = []
    for place in range(k):
        ranks = np.empty(len(truth))
        ranks[np.argsort(scores[:, place])] = np.arange(1, len(truth) + 1)
        own = truth == place
        areas.append((ranks[own].sum() - n[place] * (n[place] + 1) / 2) / (n[place] * (~own).sum()))
    values = (np.mean(areas), hits.sum() / n.sum(), (hits / n).mean(), (2 * hits / (n + taken)).mean())
    return dict(zip(MEASURES, map(float, values), strict=True))


def studied(design: GroupsDesign, tables: int, replicates: int) -> Iterator[str]:
    """Yield a row for each measure: tables whose limits all hold, mean width, and tables with a small p."""
    true = truths(design)
    study = Study("", Primary(AUC, None), (), (AUC,), None, by=(("site",),))
    study = replace(study, inference=replace(study.inference, replicates=replicates))
    held, differ, wide = (
        defaultdict[str, int](int),
        defaultdict[str, int](int),
        defaultdict[str, list[float]](list),
    )
    for table in range(tables):
        random = np.random.default_rng([9, design.trials, design.clusters, len(design.groups), table])
        whole = MeasuredClasses(drawn(design, random), study, SerialExecutor())
        rows = [
            row
            for row in contrast_rows(whole, {RUN.model: dict(whole.estimates([RUN]))})
            if (row.measure, row.average) in MEASURES
        ]
        for measure, average in MEASURES:
            name = f"{measure} {average}"
            own = [row for row in rows if (row.measure, row.average) == (measure, average) and row.p_adjusted]
            at = {row: true[row.group, measure, average] for row in own}
            held[name] += all((row.ci_low or 0) <= value <= (row.ci_high or 0) for row, value in at.items())
            differ[name] += any(
                value == 0 and (row.p_adjusted or 0) <= 1 - LEVEL for row, value in at.items()
            )
            wide[name] += [(row.ci_high or 0) - (row.ci_low or 0) for row in own]
    for name, widths in wide.items():
        cells = held[name] / tables, float(np.mean(widths)), differ[name] / tables
        yield f"| {design} | {name} | {cells[0]:.3f} | {cells[1]:.3f} | {cells[2]:.3f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--replicates", type=int, default=499)
    parser.add_argument("--first", type=int, default=0, help="place of the first design")
    given = parser.parse_args()
    print("| design | measure | all limits hold | mean width | groups alike, some adjusted p <= .05 |")
    print("|---|---|---|---|---|")
    for design in DESIGNS[given.first :]:
        for row in studied(design, given.tables, given.replicates):
            print(row, flush=True)


if __name__ == "__main__":
    main()
