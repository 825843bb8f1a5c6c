"""One table of ratios: ours beside the floor, the imports, scikit-learn, confidenceinterval, pROC and bob.measure.

    python tests/research/benchmarks/table.py [--size small|full] [--rows KEY...] [--repeats N] [--bob PYTHON]
        [--markdown FILE] [--check | --record]

Both sides of a row work on the same data in the same run, each piece in a process of its own, in turns;
seconds are medians. A ratio is ours over theirs: below 1 we are faster. A peer that is missing is left out with
a line; rows that take long run only where they are named. ``--record`` keeps the ratios in recorded.json;
``--check`` takes the rows that are kept there, times each once, N times where its ratio has doubled, and ends
with 1 where it still has.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import speed_pieces as speed
from apart import Timed, description, in_turns
from data import SIZES
from rows import Row, rows_of

RECORDED = Path(__file__).with_name("recorded.json")
WORSE = 2.0
"""A ratio that grows by this factor is a change of kind."""


def main() -> int:
    """Print the table; return 1 where values differ or a checked ratio has grown too far."""
    asked = _asked()
    recorded = json.loads(RECORDED.read_text())
    kept = recorded[asked.size]
    lines, faults, ratios = [HEAD], [], {}
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder, size = Path(name), SIZES[asked.size]
        rows, left_out = _present(_named(list(rows_of(folder, size, asked.bob)), asked, kept), asked.bob)
        for row in rows:
            row.data(folder, size)
            ours, theirs = _timed(row, kept.get(row.key), asked)
            ratios[row.key] = float(f"{ours.seconds / theirs.seconds:.3g}")
            lines.append(line_of(row, ours, theirs, kept.get(row.key)))
            faults += faults_of(row, ours, theirs, kept.get(row.key) if asked.check else None)
            print(lines[-1], flush=True)
    for line in (*left_out, *faults):
        print(line, file=sys.stderr)
    if asked.record:
        recorded[asked.size] = kept | ratios
        RECORDED.write_text(json.dumps(recorded, indent=2) + "\n")
    if asked.markdown:
        asked.markdown.write_text(page(asked.size, asked.repeats, lines, left_out, faults))
    return 1 if faults else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--rows", nargs="+", metavar="KEY", help="only these rows")
    parser.add_argument(
        "--repeats",
        type=int,
        default=3,
        help="runs of each piece (default 3); with --check, of those that seem slow",
    )
    parser.add_argument("--bob", help="an interpreter that has bob.measure")
    parser.add_argument("--markdown", type=Path, help="write the page there too")
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--check", action="store_true", help="end with 1 where a recorded ratio has doubled")
    end.add_argument("--record", action="store_true", help="record the ratios")
    return parser.parse_args()


def _named(rows: list[Row], asked: argparse.Namespace, kept: dict[str, float]) -> list[Row]:
    """Return the rows that are wanted: those named, else those recorded where they are checked."""
    wanted = asked.rows or (kept if asked.check else [row.key for row in rows if not row.on_request])
    if unknown := sorted(set(wanted) - {row.key for row in rows}):
        sys.exit(f"no row {', '.join(unknown)}; there are {', '.join(row.key for row in rows)}")
    return [row for row in rows if row.key in wanted]


def _timed(row: Row, kept: float | None, asked: argparse.Namespace) -> tuple[Timed, Timed]:
    """Time both sides; a row that is only checked is repeated where its first ratio has grown too far."""
    pieces = {"ours": row.ours, "theirs": row.theirs}
    if asked.check:
        first = in_turns(pieces, 1)
        if row.once or not faults_of(row, first["ours"], first["theirs"], kept):
            return first["ours"], first["theirs"]
    done = in_turns(pieces, 1 if row.once else asked.repeats)
    return done["ours"], done["theirs"]


def _present(rows: list[Row], bob: str | None) -> tuple[list[Row], list[str]]:
    """Return the rows whose peers are there, and a line for every peer that is not."""
    why = {peer: speed.missing(peer, bob) for peer in dict.fromkeys(row.peer for row in rows)}
    left_out = [f"{peer} is left out: {reason}" for peer, reason in why.items() if reason]
    return [row for row in rows if not why[row.peer]], left_out


def line_of(row: Row, ours: Timed, theirs: Timed, kept: float | None) -> str:
    """One line of the table."""
    differ = apart_by(ours, theirs)
    cells = (
        row.key,
        row.what,
        row.size,
        _cost(row, ours),
        row.peer,
        _cost(row, theirs),
        f"{ours.seconds / theirs.seconds:.3g}",
        "" if kept is None else f"{kept:.3g}",
        "" if differ is None else f"{differ:.0e}",
        row.note,
    )
    return f"| {' | '.join(cells)} |"


def _cost(row: Row, timed: Timed) -> str:
    """Seconds; and memory where both processes load the same libraries."""
    return f"{timed.seconds:.3g} s" + (f", {timed.peak_mb:.0f} MB" if row.peer == "floor" else "")


def faults_of(row: Row, ours: Timed, theirs: Timed, kept: float | None) -> list[str]:
    """Say what is wrong with a row: values that differ, or a ratio far above the one that is kept."""
    differ, ratio = apart_by(ours, theirs), ours.seconds / theirs.seconds
    faults = []
    if row.same is not None and (differ is None or not differ <= row.same):
        faults.append(f"{row.key}: the two sides differ by {differ}")
    if kept is not None and ratio > WORSE * kept:
        faults.append(
            f"{row.key}: the ratio is {ratio:.3g}, more than {WORSE:g} times the recorded {kept:.3g}"
        )
    return faults


def apart_by(ours: Timed, theirs: Timed) -> float | None:
    """The relative difference of the two values, where both sides gave one."""
    if ours.value is None or theirs.value is None:
        return None
    return abs(ours.value - theirs.value) / max(abs(ours.value), abs(theirs.value), 1e-300)


HEAD = (
    "| row | what | size | ours | beside | theirs | ours / theirs | recorded | values differ by | note |\n"
    "|---|---|---|--:|---|--:|--:|--:|---|---|"
)


def page(size: str, repeats: int, lines: list[str], left_out: list[str], faults: list[str]) -> str:
    """The page of results: how they were made, on what, and the table."""
    parts = [
        "# Ours beside the floor and peers",
        f"Made by `python tests/research/benchmarks/table.py --size {size} --repeats {repeats} --markdown FILE`. Both"
        " sides of a row work on the same data in the same run, each piece in a process of its own, in turns;"
        " seconds are medians: whole commands beside imports; beside the floor (which reads the needed columns"
        " from Parquet and sorts every array of scores once) the work that is named; else from arrays in memory to"
        " the answer. A ratio below 1 means that we are faster. Compare ratios, not seconds.",
        f"Machine: {description()}.",
        "\n".join(lines),
        *([f"- {line}" for line in (*left_out, *faults)]),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
