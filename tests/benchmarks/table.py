"""One table of ratios: ours beside the floor, scikit-learn, confidenceinterval, pROC and bob.measure.

    python tests/benchmarks/table.py [--size small|full] [--repeats N] [--bob PYTHON] [--markdown FILE] [--check]

Both sides of a row work on the same data in the same run, each piece in a process of its own, in turns;
seconds are medians (the whole report is made once). A ratio is ours over theirs: below 1 we are faster. A peer that is missing is left out
with a line. ``--check`` ends with 1 where a ratio is above its limit; limits are generous, so that only a
change of kind breaks them, and the whole report and rows without a limit are then left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import epc_against_bob
import speed_pieces as speed
import stages
from apart import Piece, Timed, description, in_turns
from drawn import Shape, write_file


@dataclass(frozen=True)
class Size:
    """Models and trials of the table on disk; trials, models and replicates in memory; dev trials of the EPC."""

    models: int
    trials: int
    arrays: int
    in_memory: int
    replicates: int
    epc: int
    repeats: int


SIZES = {
    "small": Size(
        models=4, trials=200_000, arrays=50_000, in_memory=3, replicates=100, epc=50_000, repeats=3
    ),
    "full": Size(
        models=10, trials=1_000_000, arrays=100_000, in_memory=10, replicates=1000, epc=500_000, repeats=3
    ),
}


@dataclass(frozen=True)
class Row:
    """The same computed twice. ``same`` says how near the two values should be; None: there are none.

    ``once``: too long to be repeated.
    """

    what: str
    size: str
    peer: str
    ours: Piece
    theirs: Piece
    note: str
    same: float | None = None
    limit: float | None = None
    once: bool = False


def main() -> int:
    """Print the table; return 1 where a limit is asked for and broken, or values differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--repeats", type=int, help="runs of each piece (default 3)")
    parser.add_argument("--bob", help="an interpreter that has bob.measure")
    parser.add_argument("--markdown", type=Path, help="write the page there too")
    parser.add_argument("--check", action="store_true", help="only rows with a limit, which they must keep")
    asked = parser.parse_args()
    size = SIZES[asked.size]
    with tempfile.TemporaryDirectory() as name:
        rows = [row for row in rows_of(Path(name), size, asked.bob) if row.limit or not asked.check]
        rows, left_out = _present(rows, asked.bob)
        write_data(Path(name), size)
        lines, faults = [HEAD], []
        print(HEAD, flush=True)
        for row in rows:
            ours, theirs = timed(row, asked.repeats or size.repeats)
            lines.append(line_of(row, ours, theirs))
            faults += faults_of(row, ours, theirs, asked.check)
            print(lines[-1], flush=True)
    for line in (*left_out, *faults):
        print(line, file=sys.stderr)
    if asked.markdown:
        asked.markdown.write_text(page(asked.size, asked.repeats or size.repeats, lines, left_out, faults))
    return 1 if faults else 0


def write_data(folder: Path, size: Size) -> None:
    """Write the trials that rows read: a Parquet file, arrays, and the sets of the EPC."""
    write_file(folder / "trials.parquet", Shape(size.models, size.trials), range(size.models))
    stages.write_config(folder / "bench.yaml", "trials.parquet", size.models, size.replicates)
    speed.write_arrays(folder, size.arrays, size.in_memory)
    epc_against_bob.write_scores(folder / "epc.npz", size.epc)


def rows_of(folder: Path, size: Size, bob: str | None) -> Iterator[Row]:
    """Yield every row, the nearest to the metal first."""
    path, config = folder / "trials.parquet", folder / "bench.yaml"
    table = f"{size.models} models x {size.trials:,} trials"
    floor = (stages.floor, (path,))
    yield Row(
        "read, check and count every score",
        table,
        "floor",
        (stages.counting, (path,)),
        floor,
        "ours also builds hulls and ranks, and checks trial sets, labels and duplicates",
        limit=3.0,
    )
    yield Row(
        "thresholds, EPC, ROC and areas from counts",
        table,
        "floor",
        (stages.measures_and_curves, (path,)),
        floor,
        "different things: the floor reads and sorts, ours starts from counts",
    )
    yield Row(
        f"the whole `reporting run`, {size.replicates} replicates",
        table,
        "floor",
        (stages.whole_seconds, (config,)),
        floor,
        "different things: ours is the report with start-up, intervals, tests and figures; one run",
        once=True,
    )
    yield from _against_python(folder, size)
    yield from _against_others(folder, size, bob)


def _against_python(folder: Path, size: Size) -> Iterator[Row]:
    one = f"1 model x {size.arrays:,} trials"
    drawn = f"{one}, {size.replicates} replicates"
    draws = (folder, size.replicates)
    our_draws = (speed.our_bootstrap, draws)
    yield Row(
        "ROC and AUC from arrays",
        f"{size.in_memory} models x {size.arrays:,} trials",
        "scikit-learn",
        (speed.our_curves, (folder,)),
        (speed.scikit_learn_curves, (folder,)),
        "ours also builds the hull and every trial's rank",
        same=1e-9,
        limit=1.0,
    )
    yield Row(
        "bootstrap of the AUC",
        drawn,
        "scikit-learn",
        our_draws,
        (speed.scikit_learn_bootstrap, draws),
        f"a loop over sklearn.utils.resample and roc_auc_score; {DRAWS}",
        same=0.5,
        limit=1.0,
    )
    yield Row(
        "AUC with DeLong's standard error",
        one,
        "confidenceinterval",
        (speed.our_delong, (folder,)),
        (speed.confidenceinterval_delong, (folder,)),
        "theirs holds placements in 32 bits",
        same=1e-6,
    )
    yield Row(
        "bootstrap interval of the AUC",
        drawn,
        "confidenceinterval",
        our_draws,
        (speed.confidenceinterval_bootstrap, draws),
        DRAWS,
        same=0.5,
    )


def _against_others(folder: Path, size: Size, bob: str | None) -> Iterator[Row]:
    pair = f"2 models x {size.arrays:,} trials"
    yield Row(
        "DeLong's test of two AUCs on the same trials",
        pair,
        "pROC",
        (speed.our_paired_delong, (folder,)),
        (speed.proc, (folder, "delong", 0)),
        "",
        same=1e-9,
    )
    yield Row(
        "bootstrap test of two AUCs on the same trials",
        f"{pair}, {size.replicates} replicates",
        "pROC",
        (speed.our_paired_bootstrap, (folder, size.replicates)),
        (speed.proc, (folder, "bootstrap", size.replicates)),
        DRAWS,
        same=0.5,
    )
    yield Row(
        "EPC of 100 points, HTER",
        f"{size.epc:,} dev + {size.epc:,} test trials",
        "bob.measure",
        (speed.our_epc, (folder,)),
        (speed.bob_epc, (folder, bob or "")),
        "inner alphas; where two cuts cost the same, ours follows its tie rule and theirs its rounding; its"
        " compiling is left out",
        same=1e-3,
    )


DRAWS = "the draws differ, so that values agree up to simulation error; compiling belongs to our time"


def _present(rows: list[Row], bob: str | None) -> tuple[list[Row], list[str]]:
    """Return the rows whose peers are there, and a line for every peer that is not."""
    why = {peer: speed.missing(peer, bob) for peer in dict.fromkeys(row.peer for row in rows)}
    left_out = [f"{peer} is left out: {reason}" for peer, reason in why.items() if reason]
    return [row for row in rows if not why[row.peer]], left_out


def timed(row: Row, repeats: int) -> tuple[Timed, Timed]:
    """Run the two sides of a row in turns."""
    done = in_turns({"ours": row.ours, "theirs": row.theirs}, 1 if row.once else repeats)
    return done["ours"], done["theirs"]


def apart_by(ours: Timed, theirs: Timed) -> float | None:
    """The relative difference of the two values, where both sides gave one."""
    if ours.value is None or theirs.value is None:
        return None
    return abs(ours.value - theirs.value) / max(abs(ours.value), abs(theirs.value), 1e-300)


def line_of(row: Row, ours: Timed, theirs: Timed) -> str:
    """One line of the table."""
    differ = apart_by(ours, theirs)
    cells = (
        row.what,
        row.size,
        _cost(row, ours),
        row.peer,
        _cost(row, theirs),
        f"{ours.seconds / theirs.seconds:.3g}",
        "" if differ is None else f"{differ:.0e}",
        row.note,
    )
    return f"| {' | '.join(cells)} |"


def _cost(row: Row, timed: Timed) -> str:
    """Seconds; and memory where both processes load the same libraries."""
    return f"{timed.seconds:.3f} s" + (f", {timed.peak_mb:.0f} MB" if row.peer == "floor" else "")


def faults_of(row: Row, ours: Timed, theirs: Timed, check: bool) -> list[str]:
    """Say what is wrong with a row: values that differ, or a limit that is broken."""
    name, differ, ratio = f"{row.what} ({row.peer})", apart_by(ours, theirs), ours.seconds / theirs.seconds
    faults = []
    if row.same is not None and (differ is None or not differ <= row.same):
        faults.append(f"{name}: the two sides differ by {differ}")
    if check and row.limit is not None and ratio > row.limit:
        faults.append(f"{name}: the ratio is {ratio:.2f}, above its limit of {row.limit:g}")
    return faults


HEAD = (
    "| what | size | ours | beside | theirs | ours / theirs | values differ by | note |\n"
    "|---|---|--:|---|--:|--:|--:|---|"
)


def page(size: str, repeats: int, lines: list[str], left_out: list[str], faults: list[str]) -> str:
    """The page of results: how they were made, on what, and the table."""
    parts = [
        "# Ours beside the floor and peers",
        f"Made by `python tests/benchmarks/table.py --size {size} --repeats {repeats} --markdown FILE`. Both"
        " sides of a row work on the same data in the same run, each piece in a process of its own, in turns;"
        " seconds are medians, from arrays in memory to the answer except against the floor (which reads the"
        " needed columns from Parquet and sorts every array of scores once). A ratio below 1 means that we"
        " are faster. Compare ratios, not seconds.",
        f"Machine: {description()}.",
        "\n".join(lines),
        *([f"- {line}" for line in (*left_out, *faults)]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
