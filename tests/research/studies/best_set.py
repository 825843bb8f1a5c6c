"""The set of models that may be the best: how often it leaves out one of several equally good models.

    python -m tests.research.studies.best_set [RUNS]

writes ``best_set.md``. A run depends on its number alone, never on the processes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest.mock import patch

import numpy as np

from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.features.comparisons.best_set import standing_rows
from tests.research.studies.comparing import LARGE, LEVEL, SMALL, TEST, Record
from tests.research.studies.models import Drawn, Scored, labels, runs, study_of

ROWS = (
    ("hter", "min_hter"),
    ("hter", "eer"),
    ("hter", "target_far"),
    ("frr", "target_far"),
    ("hter", "target_frr"),
)
DEVS = {"dev 400/100": SMALL, "dev 2000/500": LARGE}
BY = {"report": 10, "max-T": 0, "swaps": 10**9}
"""Each way by the fewest errors on dev from which max-T is used."""
MODELS, SEED, CHUNK, REPLICATES = 3, 78, 50, 199


def several(rng: np.random.Generator, n_nontarget: int, n_target: int, k: int = MODELS) -> Scored:
    """K exchangeable models that share half of their noise; targets N(2, 1), non-targets N(0, 1)."""
    label = labels(n_nontarget, n_target)
    common, own = rng.standard_normal(len(label)), rng.standard_normal((k, len(label)))
    return Scored(label, np.sqrt(0.5) * (common + own) + 2.0 * label)


def left_out(rng: np.random.Generator, study: Study, dev: tuple[int, int]) -> Record:
    """The share of the equally good models that each way leaves out."""
    drawn = Drawn(several(rng, *TEST), study, several(rng, *dev))
    record = {}
    for way, fewest in BY.items():
        with patch("reporting.core.engine.joint.FEW_ERRORS", fewest):
            rows = list(standing_rows(drawn.models, drawn.resampling, study))
        record[way] = float(np.mean([row.may_be_best is False for row in rows])) if rows else 0.0
    return record


def records(row: tuple[str, str], dev: str, first: int, last: int) -> list[Record]:
    """The records of runs first to last - 1 of a row on one size of dev."""
    study = study_of(row[:1], row[1:], Inference(replicates=REPLICATES, level=LEVEL))
    return [left_out(rng, study, DEVS[dev]) for rng, study in runs(study, SEED, first, last)]


def collected(n: int) -> dict[tuple[str, str], list[Record]]:
    """The records of n runs by row and size of dev."""
    wanted = [
        (row, dev, first, min(first + CHUNK, n))
        for dev in DEVS
        for row in ROWS
        for first in range(0, n, CHUNK)
    ]
    found: dict[tuple[str, str], list[Record]] = {}
    with ProcessPoolExecutor() as pool:
        chunks = pool.map(records, *zip(*wanted, strict=True))
        for (row, dev, *_), of_chunk in zip(wanted, chunks, strict=True):
            found.setdefault((" @ ".join(row), dev), []).extend(of_chunk)
    return found


def written(found: Mapping[tuple[str, str], Sequence[Record]]) -> str:
    """The figures as a table."""
    n = max(map(len, found.values()))
    lines = [
        f"""# The set of models that may be the best

`python -m tests.research.studies.best_set {n}`. {MODELS} exchangeable models, test 2000/500 (non-targets/targets), {REPLICATES}
replicates, {n} runs: the share of models that the set leaves out, though all are equally good (nominal .05,
Monte Carlo error at most {np.sqrt(0.05 * 0.95 / n):.3f}). The report's way is fixed by criterion and size of dev: swap tests of
pairs where a rate is fixed and fewer than 10 errors of dev make it, else max-T.

| measure @ criterion | dev | the report's | max-T | swaps of pairs | runs |
|---|---|--:|--:|--:|--:|"""
    ]
    for (row, dev), of_cell in found.items():
        shares = " | ".join(f"{np.mean([record[way] for record in of_cell]):.3f}" for way in BY)
        lines.append(f"| {row} | {dev.removeprefix('dev ')} | {shares} | {len(of_cell)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    Path(__file__).with_suffix(".md").write_text(written(collected(asked)))
