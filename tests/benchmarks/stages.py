"""Time and peak memory of the main job's stages, against the floor, on the same data in the same run.

    python tests/benchmarks/stages.py [--models 10] [--trials 1000000] [--replicates 1000] [--repeats 5]

The floor reads the needed columns and sorts every (model, split, label) array of scores once; nobody can do
less and still look at every score. Every figure is the median of the repeats; each stage runs in a process
of its own, so that its peak memory is its own too.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl


def write_trials(path: Path, models: int, trials: int) -> None:
    """Correlated models of slightly different strength; half the trials are dev, half are targets."""
    rng = np.random.default_rng(0)
    shared, label = rng.normal(size=trials), rng.random(trials) < 0.5
    columns = {
        "split": np.where(np.arange(trials) < trials // 2, "dev", "test"),
        "trial": pl.Series([f"t{i:09d}" for i in range(trials)]),
        "label": label,
    }
    frames = [
        pl.DataFrame(columns).with_columns(
            pl.lit(f"m{k:02d}").alias("model"),
            score=0.7 * shared + 0.7 * rng.normal(size=trials) + label * (2 + 0.05 * k),
        )
        for k in range(models)
    ]
    pl.concat(frames).write_parquet(path, row_group_size=250_000)


def floor(path: Path) -> float:
    """Read the columns that counting needs and sort every array of scores once."""
    start = time.perf_counter()
    rows = pl.read_parquet(path, columns=["model", "split", "label", "score"])
    for part in rows.partition_by("model", "split", "label"):
        np.sort(part["score"].to_numpy())
    return time.perf_counter() - start


def checks(path: Path) -> float:
    """Check every row rule."""
    from reporting.trials.spec import TrialSpec
    from reporting.trials.table import read_trials

    start = time.perf_counter()
    read_trials(TrialSpec((path,)))
    return time.perf_counter() - start


def counting(path: Path) -> float:
    """Cuts with hulls, and ranks, of every model; trial sets, labels and duplicates checked."""
    from reporting.counts.count import count_trials
    from reporting.trials.spec import TrialSpec
    from reporting.trials.table import read_trials

    table = read_trials(TrialSpec((path,)))
    with ThreadPoolExecutor(2) as pool:
        start = time.perf_counter()
        count_trials(table, pool)
        return time.perf_counter() - start


def measures_and_curves(path: Path) -> float:
    """Every value and curve of the default report, intervals and tests left out: thresholds, EPC, ROC, areas."""
    return _points(path)


def every_measure_and_curve(path: Path) -> float:
    """Every measure of the catalogue at both default criteria, and every curve, of likelihood ratios."""
    from reporting.measures.catalogue import MEASURES

    curves = ["pr", "ape", "histogram"]
    return _points(path, measures=list(MEASURES), curves=["roc", "det", *curves], scale="llr")


def _points(
    path: Path, measures: list[str] | None = None, curves: list[str] | None = None, scale: str = "score"
) -> float:
    from reporting.config.read import read_plan
    from reporting.counts.count import count_trials
    from reporting.frames.curve_frames import curve_frames
    from reporting.frames.epc_exact import ExactCurves
    from reporting.frames.parts import parts
    from reporting.frames.values import values_at
    from reporting.run import open_trials

    names = pl.scan_parquet(path).select(pl.col("model").unique().sort()).collect()["model"].to_list()
    said = {
        "trials": {"source": path.name},
        "baseline": "m00",
        "models": {name: {"scale": scale} for name in names},
        "curves": curves or ["roc", "det"],
    }
    config = path.with_suffix(f".{time.time_ns()}.yaml")
    config.write_text(json.dumps(said | ({"measures": measures} if measures else {})))
    plan = read_plan(config)
    with ThreadPoolExecutor(2) as pool:
        counts = count_trials(open_trials(plan), pool)
    start = time.perf_counter()
    for part in parts(counts, plan.study):
        for model in part.models:
            for measure in plan.study.measures:
                if measure.over != "threshold":
                    model.value(measure), model.value(measure, "dev")
            for operation in model.operations:
                for measure in (m for m in plan.study.measures if m.over == "threshold"):
                    values_at(measure, operation.test, model.test)
            exact = ExactCurves(model, plan.study)
            assert list(exact.area_rows())
            assert list(exact.step_rows())
        curve_frames(part, plan.study)
    return time.perf_counter() - start


def pair_replicate(path: Path) -> float:
    """One replicate of a pair at given thresholds: 101 alphas on the test half, collapsed."""
    from reporting.counts.count import count_trials
    from reporting.counts.outcomes import bin_trials, pair_outcomes
    from reporting.criteria.catalogue import CRITERIA
    from reporting.curves.epc import alpha_grid, choose
    from reporting.executors import SerialExecutor
    from reporting.significance.collapsed import resample_pair
    from reporting.trials.spec import TrialSpec
    from reporting.trials.table import read_trials

    counts = count_trials(read_trials(TrialSpec((path,))), SerialExecutor())
    ranks = counts.ranks["all", "test"]
    binned, at = [], []
    for model, run in list(ranks.rank)[:2]:
        dev, test = (counts.cuts[model, run, "all", split, ""] for split in ("dev", "test"))
        chosen = choose(dev, CRITERIA["weighted_error"], "balanced", "midpoint", alpha_grid(101))
        bins = bin_trials(test, ranks.rank[model, run], chosen.threshold)
        binned.append(bins)
        at.append(bins.index(test, chosen.threshold))
    replicates = 1024
    start = time.perf_counter()
    outcome = pair_outcomes(ranks.label, *binned)
    resample_pair(outcome, (at[0], at[1]), 1, ("a", "b"), replicates)
    return (time.perf_counter() - start) / replicates


def measured(work: Callable[[Path], float], path: Path, repeats: int) -> tuple[float, float]:
    """Return the median seconds of a piece of work and the peak megabytes of its process."""
    context = multiprocessing.get_context("spawn")
    done = []
    for _ in range(repeats):
        with context.Pool(1) as pool:
            done.append(pool.apply(_once, (work, path)))
    return statistics.median(s for s, _ in done), statistics.median(m for _, m in done)


def _once(work: Callable[[Path], float], path: Path) -> tuple[float, float]:
    seconds = work(path)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def whole_run(path: Path, folder: Path, replicates: int) -> list[dict[str, float | str]]:
    """Run the main job against a baseline and return the stages of its ``timings.json``."""
    import subprocess
    import sys

    config = folder / "bench.yaml"
    config.write_text(
        f"trials: {{source: {path.name}}}\nbaseline: m00\nsignificance: {{replicates: {replicates}}}\n"
    )
    command = [sys.executable, "-m", "reporting", "run", str(config), "-q"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    timings = json.loads((folder / "bench-report" / "timings.json").read_text())
    return list(timings["stages"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in (("models", 10), ("trials", 1_000_000), ("replicates", 1000), ("repeats", 5)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "trials.parquet"
        write_trials(path, asked.models, asked.trials)
        print(f"{asked.models} models x {asked.trials} trials, median of {asked.repeats}")
        base, base_memory = measured(floor, path, asked.repeats)
        print(f"{'floor: read and sort':38}{base:9.3f} s {'1.00':>7} x {base_memory:8.0f} MB")
        stages = {
            "row checks": checks,
            "cuts, hulls and ranks (checked)": counting,
            "measures and curves of the default": measures_and_curves,
            "every measure, ROC PR APE histogram": every_measure_and_curve,
        }
        for label, work in stages.items():
            seconds, memory = measured(work, path, asked.repeats)
            print(f"{label:38}{seconds:9.3f} s {seconds / base:7.2f} x {memory:8.0f} MB")
        seconds, memory = measured(pair_replicate, path, asked.repeats)
        print(f"{'pair x 101 alphas, one replicate':38}{1000 * seconds:9.3f} ms {'':7}  {memory:8.0f} MB")
        print(f"whole run against a baseline, {asked.replicates} replicates:")
        for stage in whole_run(path, folder, asked.replicates):
            print(f"  {stage['stage']:36}{stage['seconds']:9.3f} s {'':7}   {stage['peak_mb']:8.0f} MB")


if __name__ == "__main__":
    main()
