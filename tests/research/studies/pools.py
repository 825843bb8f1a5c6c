"""Two crossed pools: how often the report finds a difference between two models, and holds the truth.

    python -m tests.research.studies.pools draw FOLDER [--cells PATTERN] [--tables N] [--replicates M] [--minutes T]
    python -m tests.research.studies.pools show FOLDER

``draw`` simulates tables until every cell has N, or T minutes have passed on it, and adds a line to the file of
the cell for each of them: what is kept is not drawn again. ``show`` writes ``pools.md``.

Every member of the first pool meets every one of the second once. Before transformation a class is normal, N(-d/2, 1)
or N(d/2, 1), of which members of both pools have shares of the variance; ``quality`` is the spread of d over
members of the first pool. Two models share half of every effect. Dev has other members, and as many.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from tests.research.studies.models import Drawn, Scored, correlated, study_of

D_PRIME, ALPHA = 2.0, 0.05
HTER, AUC, EER = "hter", "auc", "eer_rocch"


class Crossed(NamedTuple):
    """The numbers of members, the shares of the variance that are theirs, and the spread of quality.

    Labels are those of cells (a third of them targets, by chance), or of every third member of the second pool.
    """

    first: int
    second: int
    shares: tuple[float, float]
    labels: str = "cells"
    quality: float = 0.0

    @property
    def name(self) -> str:
        """Its name."""
        shares = " and ".join(map(str, self.shares))
        return (
            f"{self.first} x {self.second}, shares {shares}, labels of {self.labels}, quality {self.quality}"
        )

    def draw(self, rng: np.random.Generator, better: float = 0.0, members: int = 0) -> Scored:
        """Draw a table; the d' of the second model is ``better``, ``members`` are numbers that others have."""
        a, b = (of.ravel() for of in np.indices((self.first, self.second)))
        label = rng.random(len(a)) < 1 / 3 if self.labels == "cells" else b % 3 == 0
        noise = math.sqrt(1 - sum(self.shares)) * correlated(rng, (len(a),), 0.5)
        noise += math.sqrt(self.shares[0]) * correlated(rng, (self.first,), 0.5)[:, a]
        noise += math.sqrt(self.shares[1]) * correlated(rng, (self.second,), 0.5)[:, b]
        d = D_PRIME + self.quality * correlated(rng, (self.first,), 0.5)[:, a]
        d[1] += better
        units = ((side + members).astype(np.uint32) for side in (a, b))
        return Scored(label, (label - 0.5) * d + noise, *units, pools="two")

    @property
    def truth(self) -> dict[str, float]:
        """The measures of one model in the population."""
        spread = math.sqrt(1 + self.quality**2 / 4)
        error = float(ndtr(-D_PRIME / 2 / spread))
        return {HTER: error, AUC: float(ndtr(D_PRIME / spread / math.sqrt(2))), EER: error}


CELLS = tuple(
    Crossed(a, b, *of)
    for a, b in ((12, 24), (30, 60), (100, 100))
    for of in (
        ((0.15, 0.15),),
        ((0.0, 0.0),),
        ((0.15, 0.15), "the second pool", 0.7),
    )
)
BETTER = {12: 0.4, 30: 0.2, 100: 0.1}
"""What the second model's d' is more where power is asked."""


def judged(cell: Crossed, run: int, replicates: int) -> dict[str, Any]:
    """Return what the report says of two tables, of equal models and where the second is better.

    Of differences in HTER and AUC and of the headline the number and whether p is at most .05; of the first
    model's HTER, AUC and EER in the first table the value and its limits.
    """
    asked = study_of(
        (HTER, AUC, "eer"), ("min_hter", "fixed(threshold=0.0)"), Inference(replicates=replicates)
    )
    asked = replace(asked, inference=replace(asked.inference, seed=run))
    chosen, fixed = asked.criteria
    hter, auc = read_measure(HTER), read_measure(AUC)
    found: dict[str, Any] = {"run": run}
    for name, better in (("size", 0.0), ("power", BETTER.get(cell.first, 0.4))):
        rng = np.random.default_rng([7, run, *map(ord, cell.name), int(10 * better)])
        made = Drawn(cell.draw(rng, better), asked, cell.draw(rng, better, members=1000))
        for of, question, estimand in (
            (HTER, Question(hter, fixed), "given_thresholds"),
            (AUC, Question(auc), None),
            ("headline", Question(hter, chosen), "procedure"),
        ):
            tested = difference(made.pair, question, made.resampling, made.study, estimand).tested()  # type: ignore[arg-type]
            found[f"{of} {name}"] = tested.difference, tested.p_value is not None and tested.p_value <= ALPHA
        if not better:
            limits = made.intervals()
            for of, key in ((HTER, (HTER, str(fixed))), (AUC, (AUC, None)), (EER, (EER, None))):
                low, high = limits[key]
                found[of] = float(low), float(high)
    return found


def draw(folder: Path, cells: Sequence[Crossed], tables: int, replicates: int, minutes: float) -> None:
    """Add tables to the file of every cell until it has all of them, or time is over."""
    folder.mkdir(parents=True, exist_ok=True)
    for cell in cells:
        file, until = folder / f"{cell.name}.jsonl", time.monotonic() + 60 * minutes
        first = len(file.read_text().splitlines()) if file.exists() else 0
        with file.open("a") as out:
            for run in range(first, tables):
                if time.monotonic() > until:
                    break
                out.write(json.dumps(judged(cell, run, replicates)) + "\n")
                out.flush()
        print(cell.name, len(file.read_text().splitlines()), flush=True)


def row(folder: Path, cell: Crossed) -> str | None:
    """Return the row of a cell: sizes, powers and those of who knows the spread, coverage; None without tables."""
    file = folder / f"{cell.name}.jsonl"
    if not file.exists():
        return None
    records = [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
    if not records:
        return None
    shown: list[Any] = [f"{cell.first} x {cell.second}", ", ".join(map(str, cell.shares)), cell.labels]
    shown += [cell.quality, len(records)]
    for of in (HTER, AUC, "headline"):
        null, other = (np.array([record[f"{of} {name}"] for record in records]) for name in ("size", "power"))
        known = np.mean(np.abs(other[:, 0]) > 1.96 * other[:, 0].std())
        shown += [f"{null[:, 1].mean():.3f}", f"{other[:, 1].mean():.2f} ({known:.2f})"]
    for of, true in cell.truth.items():
        low, high = np.array([record[of] for record in records]).T
        shown.append(f"{np.mean((low <= true) & (true <= high)):.3f}")
    return f"| {' | '.join(map(str, shown))} |"


def rows(folder: Path) -> Iterator[str]:
    """Yield the rows of the page."""
    yield from filter(None, (row(folder, cell) for cell in CELLS))


PREFACE = """# Two crossed pools

`python -m tests.research.studies.pools` makes all of it anew. Every table has two models; size is how often equal ones differ at
.05, power how often the second is found to differ where its d' of 2 is .4, .2 or .1 larger, in brackets that of a reader
who knows the spread of the differences. The headline is HTER with thresholds that dev chooses; HTER and AUC are compared
at the threshold 0 and over the sweep. Then coverage of 95% intervals of one model. 199 replicates. Tables are few so far:
the Monte Carlo error of a size of .05, and of a coverage of .95, is .022 with 100 tables and .049 with 20.

| pools | shares | labels of | quality | tables | HTER: size | HTER: power | AUC: size | AUC: power | headline: size | headline: power | HTER: covers | AUC: covers | EER: covers |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    """Draw tables, or write what they show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("draw", "show"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", default="", help="a regular expression of their names")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=199)
    parser.add_argument("--minutes", type=float, default=60.0, help="the most that a cell may take")
    asked = parser.parse_args()
    if asked.task == "draw":
        cells = [cell for cell in CELLS if re.search(asked.cells, cell.name)]
        draw(asked.folder, cells, asked.tables, asked.replicates, asked.minutes)
    else:
        Path(__file__).with_suffix(".md").write_text(PREFACE + "\n".join(rows(asked.folder)) + "\n")


if __name__ == "__main__":
    main()
