"""Coverage of the intervals of several classes, and the level of tests of two equally good models.

    python -m tests.research.studies.classes [--tables N] [--replicates M]

Three classes at shares .5, .3 and .2. The score of a class is normal, with mean d where it is the class of the trial
and else 0, so that its AUC against the rest is Phi(d / sqrt 2). Two models differ in their noise alone. With clusters,
scores of a cluster have a part in common. The truth of what depends on the top label is that of 4 million trials.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from reporting.base.arrays import IntArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER, JACCARD, MCC, NPV
from reporting.features.classes import formulas
from reporting.features.classes.frame import compared
from reporting.features.classes.keys import Classes
from reporting.features.classes.measured import Estimated, MeasuredClasses
from reporting.features.classes.read import ClassTrials, ModelRun

SHARES, MEANS = (0.5, 0.3, 0.2), (1.4, 1.0, 1.8)
MODELS = ModelRun("a", ""), ModelRun("b", "")
LEVEL = 0.95
FURTHER = HTER, NPV, MCC, JACCARD


class ClassesDesign(NamedTuple):
    """Trials, and clusters of equal chance with a share of the variance of scores; no clusters: 0.

    ``rare``: how many trials the last class has, where the others share the rest at .6 and .4.
    """

    trials: int
    clusters: int = 0
    common: float = 0.3
    rare: int = 0

    def __str__(self) -> str:
        more = f" in {self.clusters} clusters" if self.clusters else ""
        return f"{self.trials} trials" + (f", {self.rare} of a rare class" if self.rare else more)


RARE = [ClassesDesign(150, rare=few) for few in (3, 5, 10, 20)]
DESIGNS = ClassesDesign(60), ClassesDesign(200), ClassesDesign(1000), ClassesDesign(600, 30), *RARE


def drawn(design: ClassesDesign, random: np.random.Generator) -> ClassTrials:
    """Draw a table; every class has a trial."""
    n, k = design.trials, len(SHARES)
    truth = random.choice(k, n, p=SHARES)
    truth[:k] = range(k)
    if design.rare:
        truth = np.repeat([k - 1, 0], [design.rare, n - design.rare])
        truth[design.rare :] = random.choice(k - 1, n - design.rare, p=(0.6, 0.4))
    unit = random.integers(0, design.clusters, n) if design.clusters else None
    shared = random.normal(0.0, 1.0, (n, k))
    if unit is not None:
        of_cluster = random.normal(0.0, 1.0, (design.clusters, k))[unit]
        shared = np.sqrt(design.common) * of_cluster + np.sqrt(1 - design.common) * shared
    means = np.eye(k)[truth] * MEANS
    scores = {
        run: means + np.sqrt(0.5) * shared + np.sqrt(0.5) * random.normal(0.0, 1.0, (n, k)) for run in MODELS
    }
    return ClassTrials("", ("a", "b", "c"), _ranks(truth, unit), truth, scores)


def _ranks(truth: IntArray, unit: IntArray | None) -> Ranks:
    codes = None if unit is None else np.unique(unit, return_inverse=True)[1].astype(np.uint32)
    return Ranks(label=truth == 0, unit_a=codes, rank={}, paired=True)


def truths(design: ClassesDesign) -> dict[str, float]:
    """Return the true values of what is compared."""
    random, n = np.random.default_rng(11), 4_000_000
    rare = design.rare / design.trials
    shares = (0.6 * (1 - rare), 0.4 * (1 - rare), rare) if design.rare else SHARES
    truth = random.choice(len(shares), n, p=shares)
    top = formulas.top_label(np.eye(len(shares))[truth] * MEANS + random.normal(0.0, 1.0, (n, len(shares))))
    areas, of = ndtr(np.array(MEANS) / np.sqrt(2)), np.bincount(truth)
    hits = np.bincount(truth[top == truth])
    return {
        "auc macro": float(areas.mean()),
        "auc weighted": float(areas @ shares),
        "accuracy micro": float(hits.sum() / n),
        "recall macro": float((hits / of).mean()),
        "f1 macro": float((2 * hits / (of + np.bincount(top))).mean()),
        **{
            f"{measure} macro": float(
                np.mean(measure.formula(of - hits, np.bincount(top) - hits, of, n - of))
            )
            for measure in FURTHER
        },
    }


def studied(design: ClassesDesign, tables: int, replicates: int) -> Iterator[str]:
    """Yield a row for each measure: its coverage, the mean width, and how often two equal models differ."""
    truth, study = truths(design), Study("", Primary(AUC, None), (), (AUC,), None)
    study = study.with_key("classes", Classes(("a", "b", "c"), "{class}", measures=FURTHER))
    study = replace(study, inference=replace(study.inference, replicates=replicates))
    held, wide, differ = (
        defaultdict[str, int](int),
        defaultdict[str, float](float),
        defaultdict[str, int](int),
    )
    for table in range(tables):
        seed = [7, design.trials, design.clusters, table]
        random = np.random.default_rng([*seed, design.rare] if design.rare else seed)
        measured = MeasuredClasses(drawn(design, random), study, SerialExecutor())
        estimates = [dict(measured.estimates([run])) for run in MODELS]
        for quantity in compared(measured):
            name = f"{quantity.measure} {quantity.average}"
            if name in truth:
                limits = estimates[0][quantity].interval
                low, high = (
                    (0.0, 1.0) if limits.low is None or limits.high is None else (limits.low, limits.high)
                )
                held[name] += low <= truth[name] <= high
                wide[name] += high - low
                differ[name] += _differ(measured, quantity.measure, *(of[quantity] for of in estimates))
    for name in truth:
        cells = held[name] / tables, wide[name] / tables, differ[name] / tables
        yield f"| {design} | {name} | {cells[0]:.3f} | {cells[1]:.3f} | {cells[2]:.3f} |"


def _differ(measured: MeasuredClasses, measure: Measure, model: Estimated, baseline: Estimated) -> bool:
    tested = measured.tested(measure, model, baseline)
    return tested is not None and tested.p_value is not None and tested.p_value < 1 - LEVEL


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=999)
    given = parser.parse_args()
    print("| design | measure | coverage of 95% CIs | mean width | equal models with p < .05 |")
    print("|---|---|---|---|---|")
    for design in DESIGNS:
        for row in studied(design, given.tables, given.replicates):
            print(row, flush=True)


if __name__ == "__main__":
    main()
