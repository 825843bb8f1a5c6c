"""Time and peak memory of the main job's stages, against the floor, on the same data in the same run.

    python tests/research/benchmarks/stages.py [--models 10] [--trials 1000000] [--replicates 1000] [--repeats 5]

The floor reads the needed columns and sorts every (model, split, label) array of scores once; nobody can do
less and still look at every score. Every figure is the median of the repeats; each stage runs in a process
of its own, so that its peak memory is its own too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.optimize  # noqa: F401  (what computes first pays for importing it)
from apart import Piece, Timed, command, in_turns
from drawn import Shape, write_file

from reporting.base.execution import ThreadExecutor


def floor(path: Path) -> float:
    """Read the columns that counting needs and sort every array of scores once."""
    start = time.perf_counter()
    rows = pl.read_parquet(path, columns=["model", "split", "label", "score"])
    for part in rows.partition_by("model", "split", "label"):
        np.sort(part["score"].to_numpy())
    return time.perf_counter() - start


def checks(path: Path) -> float:
    """Check every row rule."""
    from reporting.inputs.spec import TrialSpec
    from reporting.inputs.table import read_trials

    start = time.perf_counter()
    read_trials(TrialSpec((path,)))
    return time.perf_counter() - start


def counting(path: Path) -> float:
    """Cuts with hulls, and ranks, of every model; trial sets, labels and duplicates checked."""
    from reporting.core.counts.count import count_trials
    from reporting.inputs.spec import TrialSpec
    from reporting.inputs.table import read_trials

    table = read_trials(TrialSpec((path,)))
    with ThreadExecutor(2) as pool:
        start = time.perf_counter()
        count_trials(table, pool)
        return time.perf_counter() - start


def measures_and_curves(path: Path) -> float:
    """Every value and curve of the default report, intervals and tests left out: thresholds, EPC, ROC, areas."""
    return _points(path)


def every_measure_and_curve(path: Path) -> float:
    """Every measure of the catalogue at both default criteria, and every curve, of likelihood ratios."""
    from reporting.core.measures.catalogue import MEASURES

    curves = ["pr", "ape", "histogram"]
    return _points(
        path,
        measures=[str(measure) for measure in MEASURES.values()],
        curves=["roc", "det", *curves],
        scale="llr",
    )


def _points(
    path: Path, measures: list[str] | None = None, curves: list[str] | None = None, scale: str = "score"
) -> float:
    from reporting.app.config.read import read_plan
    from reporting.app.run.inputs import open_table
    from reporting.base.execution import SerialExecutor
    from reporting.core.counts.count import count_trials
    from reporting.core.engine.parts import parts
    from reporting.core.engine.rechoosing import ThresholdBootstrap
    from reporting.core.engine.values import values_at
    from reporting.document.frames.judged import JudgedPart
    from reporting.features.epc.exact_frames import area_rows, step_rows
    from reporting.features.frames import FRAMES

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
    with ThreadExecutor(2) as pool:
        counts = count_trials(open_table(plan), pool)
    start = time.perf_counter()
    for part in parts(counts, plan.study):
        for model in part.models:
            for measure in plan.study.measures:
                if measure.over != "threshold":
                    model.value(measure), model.value(measure, "dev")
            for operation in model.operations:
                for measure in (m for m in plan.study.measures if m.over == "threshold"):
                    values_at(measure, operation.test, model.test)
        serial = SerialExecutor()
        judged = JudgedPart(part, plan.study, serial, ThresholdBootstrap(plan.study, serial))
        assert list(area_rows(judged))
        assert list(step_rows(judged))
        for name in {"roc", *plan.study.curve_frames}:
            assert [frame for make in FRAMES[name].parts for frame in make(judged)]
    return time.perf_counter() - start


def pair_replicates(path: Path) -> float:
    """1024 replicates of a pair at given thresholds: 101 alphas on the test half, collapsed."""
    from reporting.base.execution import SerialExecutor
    from reporting.core.counts.count import count_trials
    from reporting.core.counts.outcomes import bin_trials, pair_outcomes
    from reporting.core.criteria.catalogue import CRITERIA
    from reporting.core.curves.epc import alpha_grid, choose
    from reporting.core.resampling.bootstrap import resample_pair
    from reporting.inputs.spec import TrialSpec
    from reporting.inputs.table import read_trials

    counts = count_trials(read_trials(TrialSpec((path,))), SerialExecutor())
    ranks = counts.ranks["all", "test"]
    binned, at = [], []
    for model, run in list(ranks.rank)[:2]:
        dev, test = (counts.cuts[model, run, "all", split, ""] for split in ("dev", "test"))
        chosen = choose(dev, CRITERIA["weighted_error"], "balanced", "midpoint", alpha_grid(101))
        bins = bin_trials(test, ranks.rank[model, run], chosen.threshold)
        binned.append(bins)
        at.append(bins.index(test, chosen.threshold))
    start = time.perf_counter()
    outcome = pair_outcomes(ranks.label, *binned)
    resample_pair(outcome, (at[0], at[1]), 1, ("a", "b"), 1024)
    return time.perf_counter() - start


def write_config(path: Path, source: str, models: int, replicates: int) -> Path:
    """Write the config of the main job on all models of a source against the first."""
    baseline = "baseline: m00\n" if models > 1 else ""
    path.write_text(
        f"trials: {{source: {json.dumps(source)}}}\n{baseline}significance: {{replicates: {replicates}}}\n"
    )
    return path


def whole_run(config: Path, *settings: str) -> tuple[Timed, dict[str, Any]]:
    """Run the main job; return its time and memory, start-up and all, and its ``timings.json``."""
    out = config.with_name(f"{config.stem}-report")
    words = [sys.executable, "-m", "reporting", "run", str(config), "-q", "-o", str(out)]
    done = command([*words, *(word for setting in settings for word in ("--set", setting))])
    timings = json.loads((out / "timings.json").read_text())
    peak = max(done.peak_mb, *(stage["peak_mb"] for stage in timings["stages"]))
    return Timed(done.seconds, peak), timings


def whole_seconds(config: Path) -> float:
    """The same as a piece: its seconds."""
    return whole_run(config)[0].seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in (("models", 10), ("trials", 1_000_000), ("replicates", 1000), ("repeats", 5)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "trials.parquet"
        write_file(path, Shape(asked.models, asked.trials), range(asked.models))
        print(f"{asked.models} models x {asked.trials} trials, median of {asked.repeats}")
        pieces: dict[str, Piece] = {label: (work, (path,)) for label, work in STAGES.items()}
        done = in_turns(pieces, asked.repeats)
        base = done[FLOOR].seconds
        for label, timed in done.items():
            print(f"{label:38}{timed.seconds:9.3f} s {timed.seconds / base:7.2f} x {timed.peak_mb:8.0f} MB")
        print(f"whole run against a baseline, {asked.replicates} replicates:")
        config = write_config(Path(name) / "bench.yaml", path.name, asked.models, asked.replicates)
        for stage in whole_run(config)[1]["stages"]:
            print(f"  {stage['stage']:36}{stage['seconds']:9.3f} s {'':7}   {stage['peak_mb']:8.0f} MB")


FLOOR = "floor: read and sort"
STAGES = {
    FLOOR: floor,
    "row checks": checks,
    "cuts, hulls and ranks (checked)": counting,
    "measures and curves of the default": measures_and_curves,
    "every measure, ROC PR APE histogram": every_measure_and_curve,
    "pair x 101 alphas, 1024 replicates": pair_replicates,
}


if __name__ == "__main__":
    main()
