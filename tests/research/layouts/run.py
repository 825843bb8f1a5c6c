"""What ``init`` makes of every layout, and whether the report is right.

python -m tests.research.layouts.run [--only NAME...] [--page FILE]
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tests.command import reporting
from tests.research.layouts import binary, evals, joined, speech, tables  # noqa: F401
from tests.research.layouts.layout import LAYOUTS, Layout

FAST = ("--set", "significance.replicates=99", "--set", "report.formats=[json]")


@dataclass(frozen=True)
class Outcome:
    """What became of a layout."""

    key: str
    verdict: str
    """right, asked (right after an edit), refused, faulty (check or run), wrong asked, WRONG."""
    edits: int
    questions: int
    seconds: float
    values: tuple[float, ...]
    says: str


def judged(one: Layout, folder: Path) -> Outcome:
    """Begin, edit, check and run, as its owner would."""
    began = time.perf_counter()
    arguments = one.write(folder)
    started = reporting("init", *arguments, cwd=folder)

    def outcome(
        verdict: str, says: str, edits: int = 0, questions: int = 0, values: tuple[float, ...] = ()
    ) -> Outcome:
        return Outcome(one.key, verdict, edits, questions, time.perf_counter() - began, values, says.strip())

    if started.returncode:
        return outcome("refused", started.stderr)
    config = folder / "report.yaml"
    text = config.read_text()
    questions = len(re.findall(r"# \?", text))
    for old, new in one.edits:
        assert old in text, (one.key, old, text)
        text = text.replace(old, new)
    config.write_text(text)
    edits = len(one.edits)
    measures = () if one.measure == "success_rate" else ("--set", f"measures=[{one.measure}]")
    ran = reporting("run", "-q", "report.yaml", *FAST, *measures, cwd=folder)
    if ran.returncode:
        return outcome("faulty", ran.stderr, edits, questions)
    frame = pl.read_parquet(folder / "report" / "frames" / "metrics.parquet")
    rows = frame.filter(
        (pl.col("split") == "test") & (pl.col("group") == ""),
        pl.col("measure").str.starts_with("recall" if one.measure == "success_rate" else one.measure),
    )
    if not one.values:
        return outcome(
            "right?" if questions else "UNASKED", str(rows.select("model", "value").rows()), edits, questions
        )
    values = tuple(
        rows.filter(
            pl.col("run").is_null() if "run" in rows.columns and rows["run"].null_count() else pl.lit(True)
        )["value"]
        .unique(maintain_order=True)
        .to_list()
    )
    # A value may be undefined, which is wrong too.
    right = (
        len(values) == len(set(one.values))
        and None not in values
        and all(abs(a - b) < 1e-9 for a, b in zip(sorted(values), sorted(set(one.values)), strict=True))
    )
    asked = "asked" if questions else ""
    return outcome(
        "right" if right else f"wrong {asked}" if asked else "WRONG",
        "" if right else str(rows.select("model", "measure", "value").rows()),
        edits,
        questions,
        values,
    )


def main() -> None:
    """Print a line a layout, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*")
    asked = parser.parse_args()
    outcomes = []
    for key, one in LAYOUTS.items():
        if asked.only and key not in asked.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcomes.append(judged(one, Path(folder)))
            except Exception as error:
                outcomes.append(Outcome(key, "ERROR", 0, 0, 0.0, (), f"{type(error).__name__}: {error}"))
        last = outcomes[-1]
        print(
            f"{last.key:28} {last.verdict:12} edits {last.edits} questions {last.questions} {last.seconds:5.1f} s  {last.says[:400]!r}",
            flush=True,
        )
    print(
        len(outcomes),
        {v: sum(o.verdict == v for o in outcomes) for v in sorted({o.verdict for o in outcomes})},
    )


if __name__ == "__main__":
    main()
