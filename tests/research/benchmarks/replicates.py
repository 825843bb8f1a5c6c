"""What one replicate costs, and how that grows with the trials: processor time on one core, reading left out.

    python tests/research/benchmarks/replicates.py [--models 10] [--trials 100000 1000000 10000000]
        [--replicates 3072] [--repeats 5]

Each table is read and counted once. The default report against a baseline then draws its replicates in every
pass: of dev and of test, of models and of pairs that exchange their scores. A block of 256 of them is drawn
REPEATS times more. Figures are the medians of these, in milliseconds a replicate, of each pass and of all;
growth is the last table over the first.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import stages
from drawn import Shape, write_file
from threadpoolctl import threadpool_limits

from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table
from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.resampling import resample_part
from reporting.core.resampling.bootstrap import Task
from reporting.core.resampling.procedure import ReselectedThresholds
from reporting.core.resampling.settings import Inference


class TimingExecutor(SerialExecutor):
    """Runs each block of replicates several times, and keeps what it took."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.passes: list[tuple[str, float]] = []
        """What each pass draws, and its milliseconds a replicate."""

    def results(self, work: Any, shared: Any, tasks: Sequence[Any]) -> Iterable[Any]:
        """Run one after the other."""
        if not isinstance(shared, Task | ReselectedThresholds):
            return [work(shared, task) for task in tasks]
        results, seconds = [work(shared, task) for task in tasks], []
        for _ in range(self.repeats):
            start = time.process_time()
            work(shared, tasks[0])
            seconds.append(time.process_time() - start)
        of = "thresholds of dev" if isinstance(shared, ReselectedThresholds) else "errors on test"
        what = "pairs" if type(shared.units.pool).__name__ == "Coins" else "models"
        self.passes.append((f"{of}, {what}", statistics.median(seconds) / tasks[0][1] * 1000))
        return results


def passes_of(path: Path, models: int, replicates: int, repeats: int) -> list[tuple[str, float]]:
    """Return what each pass over the replicates of a table takes."""
    plan = read_plan(stages.write_config(path.with_suffix(".yaml"), path.name, models, replicates))
    executor = TimingExecutor(repeats)
    with threadpool_limits(1, user_api="blas"):
        counts = count_trials(open_table(plan), executor)
        for part in parts(counts, plan.study):
            resample_part(part, plan.study, ThresholdBootstrap(plan.study, executor), executor)
    return executor.passes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--trials", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--replicates", type=int, default=Inference().replicates)
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    totals = []
    with tempfile.TemporaryDirectory() as name:
        for trials in asked.trials:
            path = Path(name) / f"{trials}.parquet"
            write_file(path, Shape(asked.models, trials), range(asked.models))
            print(f"{asked.models} models x {trials:,} trials")
            passes = passes_of(path, asked.models, asked.replicates, asked.repeats)
            totals.append(sum(cost for _, cost in passes))
            for what, cost in (*passes, ("all", totals[-1])):
                print(f"  {what:32}{cost:9.3f} ms", flush=True)
            path.unlink()
    print(f"growth {totals[-1] / totals[0]:.2f}")


if __name__ == "__main__":
    main()
