"""Coverage of costs of three kinds of trials: a-DCF at a threshold, its minimum, and the difference of two models.

    python -m tests.studies.spoofing [--runs N]

Scores are normal: targets at 3, spoofs between, zero-effort trials at 0. A report is made of every table, with
thresholds of development; under clusters every speaker has a share of each kind, or of one kind of attempt only.
The truth of an actual cost is that at the threshold which was chosen, as its interval says; that of a difference is
0, because both models are equally good, with correlated scores.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from reporting.config.read import read_plan
from reporting.counts.count import count_trials
from reporting.execution import SerialExecutor
from reporting.frames import COMPARISONS, METRICS
from reporting.frames.compute import compute_frames
from reporting.run.inputs import open_table

MEANS = {"target": 3.0, "nontarget": 0.0, "spoof": 1.5}
CONFIG = """\
trials:
  source: trials.parquet
  values: {target: target, nontarget: nontarget, spoof: spoof}%s
measures: [adcf, minadcf]
primary: {measure: adcf, criterion: min_adcf}
epc: none
curves: []
significance: {replicates: 199, level: 0.95}
"""
W_MISS, W_ZERO, W_SPOOF = 1.0, 0.5 / 0.9, 1.0 / 0.9
"""The weights of the three rates in the normalised a-DCF of the defaults."""


class World(NamedTuple):
    """How many trials of each kind a split has, and how speakers share them; no speakers: independent."""

    n: tuple[int, int, int]
    speakers: int = 0
    apart: bool = False
    """Whether zero-effort trials and spoofs come from different speakers."""


WORLDS = {
    "100 targets, 400 zero-effort, 200 spoofs": World((100, 400, 200)),
    "30 targets, 60 zero-effort, 30 spoofs": World((30, 60, 30)),
    "300 targets, 100 zero-effort, 1000 spoofs": World((300, 100, 1000)),
    "40 speakers who do all": World((200, 400, 200), 40),
    "40 speakers, spoofs by others": World((200, 400, 200), 40, apart=True),
}


def trials(rng: np.random.Generator, world: World) -> pl.DataFrame:
    """Return both models' scores of one table."""
    tables = []
    for split in ("dev", "test"):
        kind = np.repeat(list(MEANS), world.n)
        number, speaker = np.arange(len(kind)), np.zeros(len(kind), dtype=np.int64)
        spread = 0.0
        if world.speakers:
            spread = 0.4
            speaker = number % world.speakers
            if world.apart:
                half = world.speakers // 2
                speaker = np.where(kind == "spoof", half + number % half, number % half)
        own = spread * rng.standard_normal((2, world.speakers or 1))
        common = own[0][speaker] + math.sqrt(0.5 - spread**2) * rng.standard_normal(len(kind))
        mean = np.array([MEANS[each] for each in kind])
        for model in "ab":
            score = mean + common + math.sqrt(0.5) * rng.standard_normal(len(kind))
            names = [f"{split} {each}" for each in speaker]
            columns = {
                "trial": [f"{split}{each}" for each in number],
                "label": kind,
                "score": np.round(score, 2),
            }
            tables.append(pl.DataFrame({"model": model, "split": split, **columns, "speaker": names}))
    return pl.concat([table.select(sorted(table.columns)) for table in tables])


def cost(threshold: float) -> float:
    """The true a-DCF at a threshold."""
    accepted = {kind: float(ndtr(mean - threshold)) for kind, mean in MEANS.items()}
    return W_MISS * (1 - accepted["target"]) + W_ZERO * accepted["nontarget"] + W_SPOOF * accepted["spoof"]


LEAST = float(minimize_scalar(cost, bounds=(0, 4), method="bounded").fun)


def one(rng: np.random.Generator, world: World, folder: Path) -> dict[str, bool]:
    """Return whether each interval of one table holds its truth, and whether each test reports a difference."""
    trials(rng, world).write_parquet(folder / "trials.parquet")
    columns = "\n  columns: {cluster: speaker}" if world.speakers else ""
    (folder / "report.yaml").write_text(CONFIG % columns)
    plan, pool = read_plan(folder / "report.yaml", ()), SerialExecutor()
    table = open_table(plan)
    study = replace(plan.study, by=(), one_class={})
    wanted = METRICS, COMPARISONS
    frames = compute_frames(table, count_trials(table, pool), study, pool, only=wanted)
    metrics = frames["metrics"].filter(split="test", group="", model="a")
    actual = metrics.filter(measure="adcf", criterion="min_adcf").row(0, named=True)
    least = metrics.filter(measure="minadcf").row(0, named=True)
    held = {
        "a-DCF": actual["ci_low"] <= cost(actual["threshold"]) <= actual["ci_high"],
        "min a-DCF": least["ci_low"] <= LEAST <= least["ci_high"],
    }
    compared = frames["comparisons"].filter(group="", measure="adcf", criterion="min_adcf")
    row = compared.row(by_predicate=pl.col("inference") == "procedure", named=True)
    held["difference"] = row["ci_low"] <= 0 <= row["ci_high"]
    held["test"] = row["p_value"] <= 0.05
    return held


def stream(name: str, run: int) -> np.random.Generator:
    """Return the random numbers of one table of a world."""
    return np.random.default_rng([2024, list(WORLDS).index(name), run])


def shares(name: str, runs: int) -> dict[str, float]:
    """Return the share of tables in which each interval holds, or each test rejects."""
    with tempfile.TemporaryDirectory() as folder:
        found = [one(stream(name, run), WORLDS[name], Path(folder)) for run in range(runs)]
    return {key: float(np.mean([each[key] for each in found])) for key in found[0]}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--world", choices=WORLDS)
    asked = parser.parse_args()
    head = ("a-DCF", "min a-DCF", "difference", "test")
    print(f"| | {' | '.join(head)} |\n|---|{'--:|' * len(head)}")
    for name in [asked.world] if asked.world else WORLDS:
        found = shares(name, asked.runs)
        print(f"| {name} | " + " | ".join(f"{found[each]:.3f}" for each in head) + " |", flush=True)


if __name__ == "__main__":
    main()
