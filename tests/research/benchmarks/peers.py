"""Our measures beside scikit-learn, bob.measure, ROCR, pROC and glm on the same twenty tied tables.

    python tests/research/benchmarks/peers.py [--bob PYTHON] [--rscript Rscript]

PYTHON is an interpreter that has bob.measure; without it, or without R and its packages, their rows are left
out with a message. Prints a Markdown table; ends with 1 where a difference is not explained.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from peers_rows import BESIDE, BOB, NOTES, R
from peers_scikit_learn import FUNCTIONS
from peers_tables import Table, in_turn, ours, tables

from reporting.core.measures.catalogue import MEASURES

HERE = Path(__file__).resolve().parent
ROUNDING = 1e-12
Found = dict[tuple[str, str], list[np.ndarray] | str]
"""By our measure and their function: its values of every table, or the exception it raises."""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bob", help="an interpreter that has bob.measure")
    parser.add_argument("--rscript", default="Rscript", help="the program that runs R with ROCR and pROC")
    asked = parser.parse_args()
    drawn = tables()
    print("| measure | peer and its function | values | largest difference | undefined | who is right |")
    print("|---|---|--:|--:|---|---|")
    rows = {
        **{("scikit-learn", *key): values for key, values in by_scikit_learn(drawn).items()},
        **{("bob.measure", *key): values for key, values in by_bob(drawn, asked.bob).items()},
        **{("R", *key): values for key, values in by_r(drawn, asked.rscript).items()},
    }
    explained = [print_row(drawn, *row, values) for row, values in rows.items()]
    print()
    alone = MEASURES.keys() - {measure.partition("(")[0].partition(",")[0] for _, measure, _ in rows}
    print(f"Without a function in any of them: {', '.join(key for key in MEASURES if key in alone)}.\n")
    for line in BESIDE:
        print(f"- {line}")
    return 0 if all(explained) else 1


def print_row(
    drawn: list[Table], peer: str, measure: str, function: str, values: list[np.ndarray] | str
) -> bool:
    """Print how far the two are apart; return False where that is not explained."""
    note = NOTES.get((measure, function))
    said = f"| {measure} | {function if peer == 'R' else f'{peer}: {function}'} "
    if isinstance(values, str):
        print(f"{said}| 0 | | {values} | {note or '**not explained**'} |")
        return note is not None
    pairs = list(zip(in_turn(drawn), values, strict=True))
    own = np.concatenate([ours(measure, *two) for two, _ in pairs])
    theirs = np.concatenate([np.ravel(value).astype(float) for _, value in pairs])
    both = ~np.isnan(own) & ~np.isnan(theirs)
    apart = np.abs(own[both] - theirs[both]) / np.maximum(1, np.abs(own[both]))
    largest = float(np.abs(own[both] - theirs[both]).max())
    one = [f"{n} {who}" for who, n in _undefined(own, theirs).items() if n]
    differ = int((apart > ROUNDING).sum())
    equal = not differ and not np.logical_xor(np.isnan(own), np.isnan(theirs)).any()
    where = "equal" if equal else note or "**not explained**"
    counted = f"{differ} of {both.sum()}: " if differ else ""
    print(f"{said}| {both.sum()} | {largest:.1e} | {', '.join(one)} | {counted}{where} |")
    return equal or note is not None


def _undefined(own: np.ndarray, theirs: np.ndarray) -> dict[str, int]:
    own_nan, their_nan = np.isnan(own), np.isnan(theirs)
    return {
        "both": int((own_nan & their_nan).sum()),
        "ours alone": int((own_nan & ~their_nan).sum()),
        "theirs alone": int((~own_nan & their_nan).sum()),
    }


def by_scikit_learn(drawn: list[Table]) -> Found:
    """Values of scikit-learn, in this process."""
    return {key: [np.ravel(value(table)) for table in drawn] for key, value in FUNCTIONS.items()}


def by_bob(drawn: list[Table], python: str | None) -> Found:
    """Values of bob.measure, in a process of the interpreter that has it."""
    if python is None:
        print("bob.measure is left out: --bob is not given", file=sys.stderr)
        return {}
    asked = [
        {
            "score": table.score.tolist(),
            "label": table.label.astype(int).tolist(),
            "probability": table.probability.tolist(),
            "thresholds": table.thresholds.tolist(),
        }
        for table in drawn
    ]
    command = [python, str(HERE / "peers_bob.py")]
    ran = subprocess.run(command, input=json.dumps(asked), check=True, stdout=subprocess.PIPE, text=True)
    answers = json.loads(ran.stdout)
    raised = {name: value for name, value in answers[0].items() if isinstance(value, str)}
    return {
        (measure, function): raised[function]
        if function in raised
        else [np.array(answer[function]) for answer in answers]
        for measure, function in BOB
    }


def by_r(drawn: list[Table], program: str) -> Found:
    """Values of ROCR, pROC and glm; floats travel in hexadecimal, so that none is rounded on the way."""
    path = shutil.which(program)
    if path is None:
        print(f"R is left out: {program} is not installed", file=sys.stderr)
        return {}
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / file for file in ("trials.csv", "thresholds.csv", "values.csv")]
        _write(
            files[0],
            "table,label,score,probability",
            (
                (i, int(label), float(score).hex(), float(p).hex())
                for i, table in enumerate(drawn)
                for label, score, p in zip(table.label, table.score, table.probability, strict=True)
            ),
        )
        _write(
            files[1],
            "table,threshold",
            ((i, float(t).hex()) for i, table in enumerate(drawn) for t in table.thresholds),
        )
        ran = subprocess.run([path, str(HERE / "peers.R"), *map(str, files)], capture_output=True, text=True)
        if ran.returncode:
            print(f"R is left out: {ran.stderr.strip()}", file=sys.stderr)
            return {}
        found: dict[str, list[list[float]]] = {}
        with files[2].open() as lines:
            for row in csv.DictReader(lines):
                value = math.nan if row["value"] in ("NA", "NaN") else float.fromhex(row["value"])
                found.setdefault(row["function"], [[] for _ in drawn])[int(row["table"])].append(value)
    return {(measure, function): [np.array(v) for v in found[function]] for measure, function in R}


def _write(path: Path, header: str, rows: Iterable[tuple[object, ...]]) -> None:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


if __name__ == "__main__":
    sys.exit(main())
