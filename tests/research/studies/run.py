"""Run the simulation study of the report's inference, and write its figures.

    python -m tests.research.studies.run [--kept FOLDER] [--figures FILE] [--workers N] [--share S]
        [--studies NAME ...] [--any-source]

Every study runs in chunks; a chunk that is kept, of the same source, is not run again, so that an
interrupted study goes on where it stood. A run depends on its number alone, never on chunks or workers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from reporting.core.engine.study import Study
from tests.research.studies import comparing, coverage, covering, depending
from tests.research.studies.comparing import LARGE, SMALL, Record
from tests.research.studies.figures import out_of_bounds
from tests.research.studies.models import runs
from tests.research.studies.tables import CLUSTERS, COVERAGE, TABLES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COMMAND = "python -m tests.research.studies.run"
REPLICATES, FEW_REPLICATES, CHUNK = 299, 199, 25

ROOMS = "core", "document/frames", "features"
SIMULATIONS = "models.py", "comparing.py", "depending.py", "covering.py", "coverage.py"

One = Callable[..., Record]


class Simulated:
    """One study: its question, one run of it, how many, and the seed of its runs."""

    def __init__(self, seed: int, n: int, study: Study, one: One, **settings: Any) -> None:
        self.seed, self.n, self.study, self.one = seed, n, study, partial(one, **settings)

    def run(self, first: int, last: int) -> list[Record]:
        """The records of runs first to last - 1."""
        return [self.one(rng, study) for rng, study in runs(self.study, self.seed, first, last)]


@cache
def studies() -> dict[str, Simulated]:
    """Every study by its name; the seeds are their numbers in this list."""
    table, clusters = comparing.comparing_study(REPLICATES), depending.cluster_study(REPLICATES)
    single, chosen = covering.single_study(REPLICATES), covering.chosen_study(REPLICATES)
    bands = covering.band_study(REPLICATES)
    made: list[tuple[str, int, Study, One, dict[str, Any]]] = [
        ("size large", 1500, table, comparing.rejections, {"dev": LARGE}),
        ("size small", 1500, table, comparing.rejections, {"dev": SMALL}),
        ("power", 2400, table, comparing.rejections, {"dev": LARGE, "d_prime": (2.0, 2.25)}),
        ("along", 200, comparing.along_study(REPLICATES), comparing.shaded, {"dev": LARGE}),
        *((f"clusters {g}", 600, clusters, depending.clustered, {"g": g}) for g in CLUSTERS),
        ("pairs", 600, depending.pair_study(REPLICATES), depending.paired, {"g": 40}),
        *((f"single {n}", 1000, single, covering.single, {"n_trials": n}) for n in (1200, 120)),
        *((f"chosen {n}", 600, chosen, covering.chosen, {"n_dev": n}) for n in (50, 200)),
        *(
            (f"bands {n0}/{n1}", 500, bands, covering.banded, {"n_nontarget": n0, "n_target": n1})
            for n0, n1 in ((100, 100), (300, 100))
        ),
        (
            "level .001",
            400,
            covering.level_study(REPLICATES, 0.001),
            covering.at_level,
            {"n_nontarget": 10_000, "n_target": 2000},
        ),
        (
            "level .01",
            1000,
            covering.level_study(REPLICATES, 0.01),
            covering.at_level,
            {"n_nontarget": 1000, "n_target": 300},
        ),
        *(
            (
                f"coverage {name}",
                1000,
                coverage.study(name, FEW_REPLICATES),
                coverage.covering,
                {"name": name},
            )
            for name in coverage.KINDS
        ),
    ]
    return {
        name: Simulated(seed, n, study, one, **settings)
        for seed, (name, n, study, one, settings) in enumerate(made, start=1)
    }


@cache
def source() -> str:
    """A digest of all code that the records depend on."""
    digest = hashlib.sha256()
    rooms = [path for room in ROOMS for path in (ROOT / "reporting" / room).rglob("*.py")]
    for path in sorted([*rooms, *(HERE / name for name in SIMULATIONS)]):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


Chunk = tuple[str, int, int]


def chunks(share: float, only: Sequence[str] = ()) -> list[Chunk]:
    """Name, first and last run of every chunk: the first of each study, then the second, and so on."""
    by_study = [
        [(name, first, min(first + CHUNK, n)) for first in range(0, n, CHUNK)]
        for name, study in studies().items()
        if not only or name in only
        for n in [max(2, math.ceil(study.n * share))]
    ]
    return [chunk for together in zip_longest(*by_study) for chunk in together if chunk]


class Done(NamedTuple):
    """The records of a chunk, and the source that made them."""

    source: str
    records: list[Record]


def done(kept: Path, any_source: bool, chunk: Chunk) -> Done:
    """Return a chunk, run now unless it is kept."""
    name, first, last = chunk
    file = kept / f"{name.replace(' ', '-').replace('/', '-')}-{first}-{last}.json"
    if file.exists():
        found = Done(**json.loads(file.read_text()))
        if any_source or found.source == source():
            return found
    made = Done(source(), studies()[name].run(first, last))
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps(made._asdict()))
    beside.replace(file)
    return made


class Collected(NamedTuple):
    """The records of every study in the order of their runs, and the sources that made them."""

    records: dict[str, list[Record]]
    sources: dict[str, set[str]]


def collect(
    kept: Path, workers: int, share: float = 1.0, only: Sequence[str] = (), *, any_source: bool = False
) -> Collected:
    """Run what is not kept."""
    kept.mkdir(parents=True, exist_ok=True)
    source()  # before any worker starts: of the code that is loaded
    wanted, one = chunks(share, only), partial(done, kept, any_source)
    if workers == 1:
        results = list(map(one, wanted))
    else:
        with ProcessPoolExecutor(workers) as pool:
            results = list(pool.map(one, wanted))
    found = Collected({}, {})
    for (name, _, _), made in zip(wanted, results, strict=True):
        found.records.setdefault(name, []).extend(made.records)
        found.sources.setdefault(name, set()).add(made.source)
    return found


def written(found: Collected, command: str) -> str:
    """The figures as text."""
    records = found.records
    counted = "\n".join(
        f"| {name} | {len(of)} | {', '.join(sorted(found.sources[name]))} |" for name, of in records.items()
    )
    faults = out_of_bounds(TABLES, records) or ["none"]
    head = f"""# Figures of the simulation study

`{COMMAND}` makes all of it anew. Written by `{command}`,
when the code was {source()}: where a study names another source, that code ran it.

Every cell: figure seen ± its Monte Carlo error (in brackets that of an independent simulation). M = {REPLICATES}.
Two models share half of their noise (rho .5), d' 2; test 2000/500 (non-targets/targets) unless said.
The studentized procedure bootstrap is left out: it needs joint outcomes at moving thresholds, which a
report does not count. Rates of dependent trials, bands and bins: `rates.md`.

| study | runs | source (digest of the code) |
|---|---|---|
{counted}

Out of bounds:

{chr(10).join(f"- {fault}" for fault in faults)}
"""
    tables = [table.markdown(records) for table in TABLES]
    outside = coverage.faults([table for table in TABLES if table.title == COVERAGE], records)
    return "\n\n".join([head.strip(), *tables, "Outside, and why:", "\n".join(outside or ["- none"])]) + "\n"


def main(arguments: list[str]) -> int:
    """Run what is not kept, write the figures and name those out of bounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "reporting-studies")
    parser.add_argument("--figures", type=Path, default=HERE / "figures.md")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--share", type=float, default=1.0, help="of the runs of every study")
    parser.add_argument("--studies", nargs="*", default=(), help="only these")
    parser.add_argument("--any-source", action="store_true", help="take kept chunks of other code too")
    asked = parser.parse_args(arguments)
    start = time.perf_counter()
    found = collect(asked.kept, asked.workers, asked.share, asked.studies, any_source=asked.any_source)
    share = "" if asked.share == 1 else f" --share {asked.share:g}"
    only = f" --studies {' '.join(map(repr, asked.studies))}" if asked.studies else ""
    kept = " --any-source" if asked.any_source else ""
    if all(f"coverage {name}" in found.records for name in coverage.KINDS):
        coverage.COVERED.write_text(coverage.summary(found.records))
    asked.figures.write_text(written(found, COMMAND + share + only + kept))
    faults = out_of_bounds(TABLES, found.records)
    print(f"{asked.figures}: {time.perf_counter() - start:.0f} s")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
