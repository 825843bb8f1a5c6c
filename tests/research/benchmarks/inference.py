"""Time and peak memory of the bootstrap beside resampled rows.

    python tests/research/benchmarks/inference.py [--quick]

Every figure comes from a process of its own; times are milliseconds a replicate on all cores. Peers stand
beside us in table.py.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from reporting.base.execution import ThreadExecutor
from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.outcomes import bin_trials
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.curves.epc import alpha_grid, choose
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.bins import EVEN
from reporting.core.resampling.bootstrap import BinnedCells, Sweep, Task, resample
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.procedure import ReselectedThresholds, dev_cells, rechoose
from reporting.core.resampling.units import trial_units
from reporting.core.stats.staircase import bin_starts, truth_runs
from reporting.inputs.blocks import blocks_of

THREADS = os.cpu_count() or 1
SWEEPS = ("auc", "eer_rocch", "mindcf")


def scores(n: int, seed: int, models: int = 1, share: float = 0.1) -> tuple[np.ndarray, list[np.ndarray]]:
    """One set of labels and correlated scores of some models."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < share
    common = rng.normal(size=n)
    return label, [0.7 * common + 0.7 * rng.normal(size=n) + 2 * label for _ in range(models)]


def given_thresholds(n: int, models: int) -> Task:
    """Errors of every model at 101 thresholds chosen on a dev set of the same size."""
    alpha = alpha_grid(101)
    label, of_model = scores(n, 1, models)
    units, bins = trial_units(label, ("all", "test"), blocks_of(map(str, range(len(label))))), {}
    dev_label, of_dev = scores(n, 2, models)
    for number, (score, dev_score) in enumerate(zip(of_model, of_dev, strict=True)):
        dev, _ = count_cuts(dev_score, dev_label)
        chosen = choose(dev, CRITERIA["weighted_error"], "balanced", "midpoint", alpha)
        cuts, rank = count_cuts(score, label)
        binned = bin_trials(cuts, rank, chosen.threshold)
        cells = cells_of(units, label, None, binned.of_trial, binned.n_bins)
        bins[(str(number), "0"), "epc"] = BinnedCells(cells, binned.index(cuts, chosen.threshold))
    return Task(units, bins, {}, 1)


def rows_given(n: int, models: int) -> Callable[[], None]:
    """The same by drawing rows: indices, then a count of bins for every model."""
    label, of_model = scores(n, 1, models)
    rng = np.random.default_rng(3)
    thresholds = np.linspace(-2, 4, 101)
    codes = [np.searchsorted(thresholds, score) + 102 * label for score in of_model]

    def replicate() -> None:
        rows = rng.integers(0, n, n)
        for code in codes:
            np.bincount(code[rows], minlength=204)

    return replicate


def whole_curves(label: np.ndarray, of_model: list[np.ndarray], read: tuple[str, ...] = SWEEPS) -> Task:
    """AUC, EER and minDCF of some models."""
    units, sweeps = trial_units(label, ("all", "test"), blocks_of(map(str, range(len(label))))), {}
    for number, score in enumerate(of_model):
        cuts, rank = count_cuts(score, label)
        start = bin_starts(cuts.staircase, most=2 * EVEN)
        counts = (np.add.reduceat(each, start) for each in (cuts.n_target, cuts.n_nontarget))
        run = np.repeat(truth_runs(*counts), np.diff(start, append=len(cuts.score)))
        cells = cells_of(units, label, None, run[rank], int(run[-1]) + 1)
        sweeps[str(number), "0"] = (Sweep(cells, {MEASURES[name]: None for name in read}),)
    return Task(units, {}, sweeps, 1)


def rechoice(n: int) -> ReselectedThresholds:
    """Three criteria, one of them along 101 alphas, of one model chosen again on dev."""
    label, (score,) = scores(n, 6)
    units = trial_units(label, ("all", "dev"), blocks_of(map(str, range(n))))
    cuts, rank = count_cuts(score, label)
    chosen = (
        choose(cuts, CRITERIA["min_hter"], "balanced", "midpoint"),
        choose(cuts, CRITERIA["eer"], "balanced", "midpoint"),
        choose(cuts, CRITERIA["weighted_error"], "balanced", "midpoint", alpha_grid(101)),
    )
    models = {("a", "0"): (dev_cells(units, cuts, label, None, rank, chosen=chosen), chosen)}
    return ReselectedThresholds(units, models, "balanced", "midpoint", 1)


def per_replicate(run: Callable[[int], object], replicates: int) -> float:
    """Milliseconds a replicate, after a first pass that warms up."""
    run(64)
    start = time.perf_counter()
    run(replicates)
    return (time.perf_counter() - start) / replicates * 1000


def measure(name: str, quick: bool) -> float:
    """Milliseconds a replicate of one of the cases."""
    kind, _, rest = name.partition(":")
    n = int(rest)
    m = 256 if quick else 1024
    if kind == "rows_given":
        replicate = rows_given(n, 10)
        return per_replicate(lambda k: [replicate() for _ in range(k)], 20)
    with ThreadExecutor(THREADS) as pool:
        if kind == "procedure":
            task = rechoice(n)
            return per_replicate(lambda k: rechoose(task, k, pool), m)
        asked = given_thresholds(n, 10) if kind == "given" else whole_curves(*scores(n, 4, 2))
        return per_replicate(lambda k: resample(asked, k, pool), m)


CASES = (
    "rows_given:500000", "given:500000", "curves:100000", "procedure:50000", "procedure:500000", "procedure:5000000",
)  # fmt: skip


def main() -> None:
    """Run every case in a process of its own and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--case")
    said = parser.parse_args()
    if said.case:
        found = measure(said.case, said.quick)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"ms": found, "peak_mb": peak}))
        return
    print(f"{'case':28} {'ms a replicate':>15} {'peak MB':>9}")
    for case in CASES:
        command = [sys.executable, __file__, "--case", case, *(["--quick"] if said.quick else [])]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(ran.stdout.splitlines()[-1])
        print(f"{case:28} {found['ms']:15.3f} {found['peak_mb']:9.0f}", flush=True)


if __name__ == "__main__":
    main()
