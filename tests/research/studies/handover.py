"""How often ``reporting drift`` finds new scores to differ from what was handed over: level and power.

    python -m tests.research.studies.handover [--runs N] [--clustered]

A report hands over a threshold (FAR of at most 2% on development); new trials come from its population, or
from one that has changed. Found: at least one adjusted p-value of at most .05.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import reporting
from reporting.core.resampling.paired import adjust
from reporting.features.handover.check import ALERTS, SCORES, DriftCheck, check_scores
from reporting.features.handover.handed import Handover, load_thresholds

SEED, LEVEL, N_REPORT = 4004, 0.05, 1500
SIZES = (250, 1000, 4000)
OF_CLUSTER, PER_CLUSTER = 0.3, 20
"""The share of the variance that is a cluster's own, and its trials."""
CONFIG = """
title: Power of the drift check
trials: {source: trials.parquet%s}
criteria: ["target_far(far=0.02,how=at_most)"]
primary: {measure: frr, criterion: "target_far(far=0.02,how=at_most)"}
significance: {replicates: 39}
curves: []
epc: none
handover: true
report: {formats: [json]}
"""


class Change(NamedTuple):
    """What is different in new trials: the share of targets, and by how much scores are higher."""

    targets: float = 0.2
    every: float = 0.0
    of_targets: float = 0.0
    group: float = 0.0
    """The share of trials whose scores are higher by 1."""


CHANGES = {
    "nothing": Change(),
    "targets 25% of trials, not 20%": Change(targets=0.25),
    "targets 30%": Change(targets=0.3),
    "all scores 0.1 sd higher": Change(every=0.1),
    "all scores 0.2 sd higher": Change(every=0.2),
    "all scores 0.4 sd higher": Change(every=0.4),
    "scores of targets 0.3 sd lower": Change(of_targets=-0.3),
    "scores of targets 0.6 sd lower": Change(of_targets=-0.6),
    "a tenth of trials 1 sd higher": Change(group=0.1),
    "a third of trials 1 sd higher": Change(group=1 / 3),
}


def drawn(rng: np.random.Generator, n: int, change: Change, clustered: bool, name: str) -> pl.DataFrame:
    """Return trials: N(0, 1) for non-targets and N(2.5, 1) for targets, before what is different."""
    label, noise = rng.random(n) < change.targets, rng.standard_normal(n)
    unit = np.arange(n) // PER_CLUSTER
    if clustered:
        noise = np.sqrt(OF_CLUSTER) * rng.standard_normal(n)[unit] + np.sqrt(1 - OF_CLUSTER) * noise
    score = noise + (2.5 + change.of_targets) * label + change.every + (rng.random(n) < change.group)
    table = pl.DataFrame({"model": "a", "trial": np.arange(n), "label": label, "score": score})
    return table.with_columns(speaker=pl.Series([f"{name}{number}" for number in unit]))


def handed_over(rng: np.random.Generator, clustered: bool, folder: Path) -> Handover:
    """Return what a report of development and test sets hands over."""
    splits = [
        drawn(rng, N_REPORT, Change(), clustered, split).with_columns(split=pl.lit(split))
        for split in ("dev", "test")
    ]
    pl.concat(splits).write_parquet(folder / "trials.parquet")
    columns = ", columns: {cluster: speaker}" if clustered else ""
    (folder / "report.yaml").write_text(CONFIG % columns)
    reporting.make_report(folder / "report.yaml", folder / "report")
    return load_thresholds(folder / "report" / "thresholds.json")


def found(check: DriftCheck) -> tuple[bool, bool]:
    """Return whether a drift is found without labels, whose two tests are adjusted alone, and with them."""
    without = [
        each.p_value
        for each in check.compared
        if each.quantity in (ALERTS, SCORES) and each.p_value is not None
    ]
    return min(adjust(without, "holm")) <= LEVEL, check.drifted


def shares(runs: Sequence[int], clustered: bool) -> Mapping[tuple[str, int], tuple[float, float]]:
    """Return in which shares of runs a drift is found, by change and number of new trials."""
    hits: dict[tuple[str, int], list[tuple[bool, bool]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run in runs:
            rng = np.random.default_rng([SEED, run])
            handed = handed_over(rng, clustered, folder)
            for what, change in CHANGES.items():
                for n in SIZES:
                    drawn(rng, n, change, clustered, "new").write_parquet(folder / "new.parquet")
                    hits[what, n].append(found(check_scores(handed, [folder / "new.parquet"])))
    return {cell: (np.mean([a for a, _ in of]), np.mean([b for _, b in of])) for cell, of in hits.items()}


def main() -> None:
    """Print a row for every change: found without and with labels, by the number of new trials."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--clustered", action="store_true")
    asked = parser.parse_args()
    every = shares(range(asked.runs), asked.clustered)
    print(f"| what has changed | {' | '.join(f'{n:,} new trials' for n in SIZES)} |")
    print(f"|---|{'--:|' * len(SIZES)}")
    for what in CHANGES:
        cells = (f"{100 * a:.0f}, {100 * b:.0f}" for a, b in (every[what, n] for n in SIZES))
        print(f"| {what} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
