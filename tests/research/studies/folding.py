"""Thresholds chosen across folds: size of the tests of two models, and coverage of one model's intervals.

    python -m tests.research.studies.folding [--runs RUNS]

writes ``folding.md``. A run depends on its number alone, never on the processes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from reporting.core.engine.folds import folds_of, over_folds
from reporting.core.engine.pairing import model_pairs
from reporting.core.engine.pairs import difference
from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import exchanged_errors
from reporting.core.engine.study import Study
from reporting.core.resampling.paired import error_of_counts, formula_of
from reporting.core.resampling.settings import Inference
from reporting.core.stats.intervals import normal_p
from reporting.core.stats.paired import difference_of
from reporting.core.stats.swap import swap_p
from tests.research.studies.comparing import LEVEL, Record
from tests.research.studies.models import (
    SERIAL,
    Drawn,
    Scored,
    clusters,
    counts_of,
    runs,
    study_of,
    two_models,
)

FOLDS = 10
PAIRS = (
    ("youden", "best(measure=youden)"),
    ("frr", "best(measure=youden)"),
    ("hter", "min_hter"),
    ("far", "min_hter"),
)
"""Measure and criterion."""
ROWS = [f"{measure} @ {criterion}" for measure, criterion in PAIRS]
REPLICATES, SEED, CHUNK = 199, 83, 50


def folding_study(replicates: int) -> Study:
    """The question of all pairs of measure and criterion."""
    measures, criteria = (tuple(dict.fromkeys(names)) for names in zip(*PAIRS, strict=True))
    return study_of(measures, criteria, Inference(replicates=replicates, level=LEVEL))


def dealt(rng: np.random.Generator, trials: Scored) -> Scored:
    """The trials in folds of equal size, dealt at random."""
    return replace(trials, fold=rng.permutation(len(trials.label)) % FOLDS)


def of_trials(rng: np.random.Generator, n_nontarget: int, n_target: int, **settings: object) -> Scored:
    """Two models of independent trials."""
    return dealt(rng, two_models(rng, n_nontarget, n_target, **settings))


def of_clusters(rng: np.random.Generator, g: int) -> Scored:
    """Two models of G clusters of 5 non-targets and 5 targets, each cluster a fold (leave one client out)."""
    trials = clusters(rng, g, 5, 5)
    assert trials.unit is not None
    return replace(trials, fold=trials.unit.astype(np.int64))


def judged(rng: np.random.Generator, study: Study, draw: Callable[..., Scored], d_prime: float) -> Record:
    """Which tests reject, and which intervals of the first model hold what: see ``truth``."""
    drawn = Drawn(draw(rng), study)
    plain = replace(drawn.resampling, swapped={})
    found: Record = {}
    intervals = drawn.intervals()
    for measure, criterion in PAIRS:
        row = f"{measure} @ {criterion}"
        (asked,) = (m for m in study.measures if str(m) == measure)
        swap = drawn.difference(asked, criterion, "procedure")
        tests = {
            "held": drawn.difference(asked, criterion, "given_thresholds"),
            "normal": difference(drawn.pair, swap.first.question, plain, study, "procedure"),
            "swap": swap,
        }
        for name, of in tests.items():
            p = of.tested().p_value
            found[f"{row}: {name}"] = float(p is not None and p <= 1 - LEVEL + 1e-12)
        found[f"{row}: truth"] = truth(drawn, measure, criterion, d_prime)
        low, high = intervals[measure, criterion]
        found |= {f"{row}: low": low, f"{row}: high": high}
    return found


def sized(rng: np.random.Generator, study: Study, draw: Callable[..., Scored]) -> Record:
    """Which tests reject: the swap test, and the normal one that holds the thresholds of the folds."""
    (part,) = parts(counts_of(draw(rng)), study)
    (pair,) = model_pairs(part.models, study)
    rechoosing = ThresholdBootstrap(study, SERIAL)
    swapped = over_folds(
        exchanged_errors(of_fold, units, study, rechoosing, SERIAL)
        for of_fold, units in folds_of(part, study)
    )
    found: Record = {}
    for measure, criterion in PAIRS:
        (asked,) = (m for m in study.measures if str(m) == measure)
        observed = pair.outcomes(criterion).discordant.column(0)
        d = float(difference_of(formula_of(asked), observed))
        both = swapped[("a", "0", "b", "0"), criterion].values(asked)[:, 0]
        se = error_of_counts(observed, asked)
        found[f"{measure} @ {criterion}: held"] = float(se > 0 and normal_p(d, se) <= 1 - LEVEL)
        p = swap_p(d, both[0::2] - both[1::2])
        found[f"{measure} @ {criterion}: swap"] = float(p <= 1 - LEVEL + 1e-12)
    return found


def truth(drawn: Drawn, measure: str, criterion: str, d_prime: float) -> float:
    """What new trials would give at the first model's thresholds, the folds weighing as their trials do.

    Its mean over runs is what the procedure gives on average.
    """
    model, fold = drawn.models[0], drawn.part.ranks.fold
    (operation,) = (o for c, o in model.single.items() if str(c) == criterion)
    assert fold is not None
    threshold, label = operation.chosen.threshold[:, 0], drawn.part.ranks.label
    shares = [np.bincount(fold[of], minlength=len(threshold)) / of.sum() for of in (~label, label)]
    far, frr = shares[0] @ ndtr(-threshold), shares[1] @ ndtr(threshold - d_prime)
    return float({"far": far, "frr": frr, "hter": (far + frr) / 2, "youden": 1 - far - frr}[measure])


CELLS: dict[str, tuple[Callable[..., Scored], float]] = {
    "41 targets, 72 non-targets, d' 0.9, independent models": (
        partial(of_trials, n_nontarget=72, n_target=41, d_prime=(0.9, 0.9), rho=0.0),
        0.9,
    ),
    "200 targets, 300 non-targets, d' 1.5, rho .5": (
        partial(of_trials, n_nontarget=300, n_target=200, d_prime=(1.5, 1.5), rho=0.5),
        1.5,
    ),
    "20 clusters of 10 trials, d' 2, leave one out": (partial(of_clusters, g=20), 2.0),
}


COVERED = 400
"""Runs in which intervals are simulated too."""
HERE = Path(__file__)


def sizes(cell: str, first: int, last: int) -> list[Record]:
    """Which tests reject in runs first to last - 1 of a cell."""
    study = folding_study(REPLICATES)
    return [sized(rng, asked, CELLS[cell][0]) for rng, asked in runs(study, SEED, first, last)]


def intervals(cell: str, first: int, last: int) -> list[Record]:
    """What the intervals of runs first to last - 1 of a cell hold, with all tests."""
    study = folding_study(REPLICATES)
    return [judged(rng, asked, *CELLS[cell]) for rng, asked in runs(study, SEED, first, last)]


def collected(one: Callable[[str, int, int], list[Record]], cell: str, n: int) -> list[Record]:
    """The records of n runs of a cell."""
    starts = range(0, n, CHUNK)
    with ProcessPoolExecutor(2) as pool:
        ends = [min(first + CHUNK, n) for first in starts]
        return list(chain.from_iterable(pool.map(partial(one, cell), starts, ends)))


def size_table(of_cell: Sequence[Record]) -> str:
    """The shares that each test rejects."""
    rows = [
        f"| {row} | "
        + " | ".join(f"{mean(of_cell, f'{row}: {test}'):.3f}" for test in ("held", "swap"))
        + " |"
        for row in ROWS
    ]
    return "\n".join(["| measure @ criterion | held | swap |", "|---|--:|--:|", *rows])


def mean(of_cell: Sequence[Record], key: str) -> float:
    """The mean of one number of the records."""
    return float(np.mean([record[key] for record in of_cell]))


def interval_table(of_cell: Sequence[Record]) -> str:
    """How often the normal test rejects, how many intervals hold the mean of the true values, and their width."""
    lines = ["| measure @ criterion | normal test | intervals cover | width |", "|---|--:|--:|--:|"]
    for row in ROWS:
        true, normal = mean(of_cell, f"{row}: truth"), mean(of_cell, f"{row}: normal")
        low, high = np.array([[r[f"{row}: {end}"] for r in of_cell] for end in ("low", "high")])
        covered = float(((low <= true) & (true <= high)).mean())
        lines.append(f"| {row} | {normal:.3f} | {covered:.3f} | {float((high - low).mean()):.3f} |")
    return "\n".join(lines)


def written(by_test: Mapping[str, Sequence[Record]], by_interval: Mapping[str, Sequence[Record]]) -> str:
    """The figures as tables."""
    n = len(next(iter(by_test.values())))
    parts = [
        f"""# Thresholds chosen across folds: size and coverage

`python -m tests.research.studies.folding --runs {n}`. Two equal models; share rejected at .05, {REPLICATES} exchanges or resamples, {FOLDS} folds
dealt at random. "held" is the normal test that holds the thresholds of the folds, "swap" the swap test in which every
exchange chooses the thresholds of all folds again, "normal" the bootstrap that does so, for pairs that take no swap test.
Intervals of one model at 95 % are those of a report, whose resamples choose the thresholds of all folds again. They are
held against the mean over runs of what new trials would give at the thresholds of the folds."""
    ]
    for cell, of_cell in by_test.items():
        parts += [f"## {cell}", f"{len(of_cell):,} runs.", size_table(of_cell)]
        if cell in by_interval:
            parts += [f"### Intervals, {cell}", f"{len(by_interval[cell])} runs."]
            parts += [interval_table(by_interval[cell])]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    asked = parser.parse_args().runs
    tested = {cell: collected(sizes, cell, asked) for cell in CELLS}
    held = {cell: collected(intervals, cell, min(asked, COVERED)) for cell in CELLS}
    HERE.with_suffix(".md").write_text(written(tested, held))


if __name__ == "__main__":
    main()
