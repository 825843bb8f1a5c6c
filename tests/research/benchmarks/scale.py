"""A table of any size, written in a stream, then the floor and the main job on it: time, memory, growth.

    python tests/research/benchmarks/scale.py --models 10 --trials 1000000 [--replicates 1000] [--files one|many]
        [--grid STEP] [--folder DIR] [--keep] [--set KEY=VALUE]... [--json FILE] [--previous FILE]

TRIALS is the number of rows of each model. Trials are written model by model in chunks, so that writing
needs little memory whatever the size; the same numbers always give the same rows. The whole run is timed
with its start-up, which is timed alone too: the same config on a table of ten rows. Memory is that of the
process and its descendants. ``--json`` keeps what was measured; ``--previous`` tells the growth against it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import stages
from apart import Timed, description, once
from drawn import SCHEMA, Shape, write_table


def main() -> None:
    """Write the table, run everything on it, print what was measured."""
    asked = _asked()
    shape = Shape(asked.models, asked.trials, asked.grid)
    folder = Path(asked.folder or tempfile.mkdtemp(prefix="reporting-scale-"))
    refuse_foreign(folder)
    try:
        written = written_once(folder, shape, asked.files)
        paths = sorted((folder / "trials").glob("*.parquet"))
        disk = sum(path.stat().st_size for path in paths)
        print(
            f"{asked.models} models x {asked.trials:,} trials in {len(paths)} files of {disk / 2**20:,.0f} MB"
        )
        print(description())
        if written:
            print(f"written in {written.seconds:.0f} s and {written.peak_mb:.0f} MB of memory")
        print(f"{'':34}{'seconds':>12}{'peak MB':>10}{'x floor':>9}")
        found = {"shape": asdict(shape), "replicates": asked.replicates, "files": asked.files}
        found |= measure(folder, paths, shape, asked)
    finally:
        if not asked.keep:
            _remove(folder, made_here=asked.folder is None)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n")
    if asked.previous:
        print_growth(json.loads(asked.previous.read_text()), found)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in (("models", 10), ("trials", 1_000_000), ("replicates", 1000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--files", choices=("one", "many"), default="many", help="one file, or one a model")
    parser.add_argument("--grid", type=float, default=0.0, help="round scores to this step, so that they tie")
    parser.add_argument("--folder", help="where the table and the report are written")
    parser.add_argument("--keep", action="store_true", help="leave them there")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as of the main job")
    parser.add_argument("--json", type=Path, help="write what was measured there")
    parser.add_argument("--previous", type=Path, help="such a file of another size")
    asked = parser.parse_args()
    if min(asked.models, asked.trials // 8) < 1:
        parser.error("at least one model and eight trials are needed")
    return asked


def _remove(folder: Path, made_here: bool) -> None:
    """Remove what was written, and nothing else, from a folder that was there before."""
    if made_here:
        shutil.rmtree(folder)
        return
    for name in ("trials", "scale-report", "ten-report"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (SHAPE, "scale.yaml", "ten.yaml", "ten.parquet"):
        (folder / name).unlink(missing_ok=True)


SHAPE = "scale-shape.json"
"""Says what a kept folder holds, and that it is ours."""


def refuse_foreign(folder: Path) -> None:
    """End where the folder holds something that another run of this command did not leave there."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / SHAPE).exists():
        sys.exit(f"{folder} is not empty and not a folder of this command; name another one")


def written_once(folder: Path, shape: Shape, files: str) -> Timed | None:
    """Write the table, unless the folder was kept and holds this very one."""
    held, wanted = folder / SHAPE, json.dumps(asdict(shape) | {"files": files})
    if held.exists() and held.read_text() == wanted:
        return None
    held.write_text("half-written")
    written = once((write_table, (folder, shape, files)))
    held.write_text(wanted)
    return written


def measure(folder: Path, paths: list[Path], shape: Shape, asked: argparse.Namespace) -> dict[str, Any]:
    """Time the floor, the start-up and the whole run, and print them as they come."""
    source = "trials/*.parquet"
    floor = once((floor_of, (paths,)))
    print_line("floor: read and sort", floor, floor)
    start = whole(folder, "ten", ten_rows(folder), 2, asked)[0]
    print_line("start-up: the same on ten rows", start, floor)
    run, timings = whole(folder, "scale", source, shape.models, asked)
    print_line("whole run", run, floor)
    for stage in timings["stages"]:
        print_line(f"  {stage['stage']}", Timed(stage["seconds"], stage["peak_mb"]), floor)
    print_line("whole run without start-up", Timed(run.seconds - start.seconds, run.peak_mb), floor)
    named = {"floor": floor, "start-up": start, "whole run": run}
    stage_times = {stage["stage"]: Timed(stage["seconds"], stage["peak_mb"]) for stage in timings["stages"]}
    return {"measured": {name: asdict(timed) for name, timed in (named | stage_times).items()}}


def whole(
    folder: Path, name: str, source: str, models: int, asked: argparse.Namespace
) -> tuple[Timed, dict[str, Any]]:
    """Run the main job on a source."""
    config = stages.write_config(folder / f"{name}.yaml", source, models, asked.replicates)
    return stages.whole_run(config, *asked.set)


def print_line(what: str, timed: Timed, floor: Timed) -> None:
    """Print one measurement."""
    ratio = timed.seconds / floor.seconds
    print(f"{what:34}{timed.seconds:12.3f}{timed.peak_mb:10.0f}{ratio:9.2f}", flush=True)


def print_growth(previous: dict[str, Any], found: dict[str, Any]) -> None:
    """Print by how much time and memory grew, beside the rows."""
    before, now = (Shape(**one["shape"]) for one in (previous, found))
    print(f"growth from {before.models} x {before.trials:,}: {now.rows / before.rows:.3g} times the rows")
    for name, timed in found["measured"].items():
        if old := previous["measured"].get(name):
            seconds, memory = (timed[part] / max(old[part], 1e-3) for part in ("seconds", "peak_mb"))
            print(f"{name:34}{seconds:9.2f} x the time{memory:9.2f} x the memory")


def floor_of(paths: list[Path]) -> float:
    """The floor, one file after the other."""
    return sum(stages.floor(path) for path in paths)


def ten_rows(folder: Path) -> str:
    """Write two models of five trials and return the file's name."""
    five = {
        "split": ["dev", "dev", "test", "test", "test"],
        "trial": list("vwxyz"),
        "label": [True, False, True, False, False],
        "score": [2.0, 1.0, 2.0, 1.0, 3.0],
    }
    frames = [
        pl.DataFrame({"model": [model] * 5} | five, schema=SCHEMA).with_columns(pl.col("score") + shift)
        for shift, model in enumerate(("m00", "m01"))
    ]
    pl.concat(frames).write_parquet(folder / "ten.parquet")
    return "ten.parquet"


if __name__ == "__main__":
    sys.exit(main())
