"""The headline test in ten designs: how often it finds two equally good models to differ at .05.

    python -m tests.research.studies.swap_designs [TABLES] [--jobs N]

prints ``swap_designs.md``. A threshold is chosen on dev and judged on test, both as large as the design says; dev has
other trials, and other clusters but for the design whose clusters are those of test. Tables are those of ``grid.py``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import numpy as np

from reporting.core.measures.catalogue import read_measure
from tests.research.studies.grid import Cell, Clustered, Independent
from tests.research.studies.models import Drawn, Scored, runs
from tests.research.studies.swapping import swapping_study

ROWS = (("hter", "min_hter"), ("hter", "eer"), ("frr", "target_far"))
"""Measure and criterion; the target of FAR is .01."""
ALPHA, REPLICATES, SEED, CHUNK = 0.05, 199, 45, 50

Splits = tuple[Scored, Scored]
"""Dev and test."""


def others(cell: Cell, rng: np.random.Generator) -> Splits:
    """Dev and test of other trials and other clusters."""
    dev, test = cell.draw(rng), cell.draw(rng)
    if test.unit is None:
        return dev, test
    return dev, replace(test, unit=test.unit + (1 + dev.unit.max()))  # type: ignore[union-attr]


def same_clusters(cell: Clustered, rng: np.random.Generator) -> Splits:
    """Dev and test of the same clusters: every second trial of each."""
    both = replace(cell, nontargets=2 * cell.nontargets, targets=2 * cell.targets).draw(rng)
    every = np.arange(len(both.label))
    dev, test = (
        Scored(both.label[taken], both.score[:, taken], both.unit[taken])  # type: ignore[index]
        for taken in (every[::2], every[1::2])
    )
    return dev, test


def of(cell: Cell) -> tuple[Callable[..., Splits], Cell]:
    """A design of other trials and clusters."""
    return others, cell


DESIGNS: dict[str, tuple[Callable[..., Splits], Cell]] = {
    "60 and 60 trials, normal": of(Independent(60, 60)),
    "40 and 4,000 trials, normal": of(Independent(4000, 40)),
    "60 and 60 trials, grades 1-5": of(Independent(60, 60, "grades")),
    "60 and 60 trials, Student's t with 3 degrees of freedom": of(Independent(60, 60, "t3")),
    "10 equal clusters, shifts": of(Clustered(10, "equal", "shift")),
    "20 equal clusters, shifts and quality": of(Clustered(20, "equal", "both")),
    "20 clusters by Zipf's law, shifts and quality": of(Clustered(20, "zipf", "both")),
    "20 clusters, one of half of all, quality": of(Clustered(20, "half", "quality 1")),
    "50 clusters by Zipf's law, quality": of(Clustered(50, "zipf", "quality 1")),
    "20 equal clusters, quality, those of dev are those of test": (
        same_clusters,
        Clustered(20, "equal", "quality 1"),
    ),
}


def rejected(design: str, first: int, last: int) -> list[list[bool]]:
    """Whether each row rejects, in tables first to last - 1."""
    split, cell = DESIGNS[design]
    number = list(DESIGNS).index(design)
    rejections = []
    for rng, study in runs(swapping_study(REPLICATES, ROWS), 100 * SEED + number, first, last):
        dev, test = split(cell, rng)
        drawn = Drawn(test, study, dev)
        tests = (
            drawn.difference(read_measure(measure), str(criterion), "procedure").tested()
            for (measure, _), criterion in zip(ROWS, study.criteria, strict=True)
        )
        rejections.append([tested.p_value is not None and tested.p_value <= ALPHA for tested in tests])
    return rejections


def table(tables: int, jobs: int) -> str:
    """Return the shares rejected, a line a design."""
    chunks = [(design, at, min(at + CHUNK, tables)) for design in DESIGNS for at in range(0, tables, CHUNK)]
    with ProcessPoolExecutor(jobs) as pool:
        of_chunks = list(zip(chunks, pool.map(rejected, *zip(*chunks, strict=True)), strict=True))
    error = (ALPHA * (1 - ALPHA) / tables) ** 0.5
    lines = [
        "# The headline test in ten designs",
        "",
        f"`python -m tests.research.studies.swap_designs {tables}`: share of {tables:,} tables of two equally good models that "
        f"the headline\ntest finds to differ at .05 (Monte Carlo error {error:.3f}); {REPLICATES} replicates.",
        "",
        f"| | {' | '.join(' @ '.join(row) for row in ROWS)} |",
        "|---" + "|--:" * len(ROWS) + "|",
    ]
    for design in DESIGNS:
        share = np.mean([row for (name, *_), rows in of_chunks if name == design for row in rows], axis=0)
        lines.append(f"| {design} | {' | '.join(f'{each:.3f}' for each in share)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=int, nargs="?", default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    print(table(asked.tables, asked.jobs))


if __name__ == "__main__":
    main()
