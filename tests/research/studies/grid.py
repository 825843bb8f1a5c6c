"""Clusters as they come: the report's intervals over sizes and effects of clusters; small tables too.

    python -m tests.research.studies.grid draw FOLDER [--seed S] [--cells PATTERN] [--tables N] [--replicates M]
    python -m tests.research.studies.grid show FOLDER

``draw`` simulates tables until every cell has N of a seed, and adds a line to the file of the cell for each of
them: it may be stopped and started again at any time, and several may run at the same time on different cells.
``show`` writes ``grid.md`` from all lines. ``pools.py`` is about two crossed pools.

The estimand is the measure of new trials of new clusters, of the same sizes: that of the distribution of all
their trials, of infinitely many clusters. What a cluster does has nothing to do with its size here, so that
sizes change the spread of an estimate and not its truth.

Before transformation every class is normal, N(-d/2, 1) and N(d/2, 1) within a cluster: a shift moves both
classes of a cluster alike, and quality is its own d. Scores are log likelihood ratios where clusters are alike.
Two models share half of every effect and are equally good: what is found between them is an error.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import t as student

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question
from reporting.core.engine.study import ModelEntry, Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from reporting.features.operating_points.frame import metric_rows
from tests.research.studies.models import Drawn, Scored, correlated, study_of

LEVEL, D_PRIME = 0.95, 2.0
NEAR, RARE = 0.0, math.log(9)
"""Thresholds: where both errors cost the same, and Bayes' one of targets that are a tenth."""
MEASURES = ("far", "hter", "dcf(p_target=0.1)", "f1", "eer", "mindcf(p_target=0.1)", "auc", "ap", "cllr")
MINDCF, DCF, AP, EER = "mindcf(p_target=0.1)", "dcf(p_target=0.1)", "ap_step", "eer_rocch"
ASKED = (
    *(("far", NEAR), ("hter", NEAR), ("f1", NEAR), ("far", RARE), (DCF, RARE)),
    *((name, None) for name in (EER, MINDCF, "auc", AP, "cllr")),
)
"""Measures with their thresholds."""
COMPARED = (("hter", NEAR), ("auc", None), (EER, None), ("cllr", None))
"""Of which two equal models are compared."""
ALPHA, SHARED = 0.05, 0.5
NONTARGETS, TARGETS = 20, 10
"""Of a cluster, on average."""

CLUSTERS, SIZES, EFFECTS = (
    (6, 10, 20, 50),
    ("equal", "zipf", "half"),
    ("shift", "quality .5", "quality 1", "both"),
)


def sizes_of(pattern: str, clusters: int, mean: int) -> IntArray:
    """Trials of one class in every cluster (shape (G,)), ``mean`` of them on average, each at least 1.

    ``zipf``: the k-th has 1 / k of what the first has; ``half``: the first has as many as all others together.
    """
    share = np.ones(clusters)
    if pattern == "zipf":
        share = 1 / np.arange(1, clusters + 1)
    elif pattern == "half":
        share[0] = clusters - 1
    return np.maximum(1, np.round(clusters * mean * share / share.sum())).astype(np.int64)


def kish(sizes: Any) -> float:
    """How many clusters of one size clusters are worth: (sum n)^2 / sum n^2 (Kish 1965)."""
    n = np.asarray(sizes, dtype=np.float64)
    return float(n.sum() ** 2 / (n**2).sum())


class Effect(NamedTuple):
    """What clusters differ in: the share of the variance that a shift has, and the spread of d'."""

    shift: float
    quality: float


EFFECT = {
    "shift": Effect(0.3, 0.0),
    "quality .5": Effect(0.0, 0.5),
    "quality 1": Effect(0.0, 1.0),
    "both": Effect(0.3, 0.5),
}


@dataclass(frozen=True)
class Clustered:
    """One cell of the grid whose trials come in clusters."""

    clusters: int
    sizes: str
    effect: str
    nontargets: int = NONTARGETS
    targets: int = TARGETS

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.clusters} {self.sizes}, {self.effect}"

    @property
    def of_class(self) -> tuple[IntArray, IntArray]:
        """Non-targets and targets of every cluster."""
        n0, n1 = (sizes_of(self.sizes, self.clusters, mean) for mean in (self.nontargets, self.targets))
        return n0, n1

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table."""
        n0, n1 = self.of_class
        unit = np.concatenate([np.repeat(np.arange(self.clusters), n) for n in (n0, n1)])
        label = np.arange(len(unit)) >= n0.sum()
        shift, quality = EFFECT[self.effect]
        moved, better = correlated(rng, (2, self.clusters), SHARED)[:, :, unit].swapaxes(0, 1)
        noise = math.sqrt(shift) * moved + math.sqrt(1 - shift) * correlated(rng, unit.shape, SHARED)
        raw = (label - 0.5) * (D_PRIME + quality * better) + noise
        return Scored(label, D_PRIME * raw, unit.astype(np.uint32))

    def beyond(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Non-targets and targets above scores, as shares of the population."""
        spread = math.sqrt(1 + EFFECT[self.effect].quality ** 2 / 4)
        return tuple(ndtr((centre - score / D_PRIME) / spread) for centre in (-D_PRIME / 2, D_PRIME / 2))  # type: ignore[return-value]

    @property
    def share(self) -> float:
        """The share of targets."""
        n0, n1 = self.of_class
        return float(n1.sum() / (n0.sum() + n1.sum()))


@dataclass(frozen=True)
class Independent:
    """One cell of the grid of independent trials: normal ones, grades from 1 to 5, or Student's t."""

    nontargets: int
    targets: int
    kind: str = "normal"

    @property
    def name(self) -> str:
        """Its name."""
        return f"{self.targets}/{self.nontargets} {self.kind}"

    @property
    def edges(self) -> FloatArray:
        """The raw scores between grades."""
        return np.array([-1.5, -0.5, 0.5, 1.5])

    def draw(self, rng: np.random.Generator) -> Scored:
        """One table."""
        label = np.arange(self.nontargets + self.targets) >= self.nontargets
        shape = 2, len(label)
        noise = rng.standard_t(3, shape) if self.kind == "t3" else rng.standard_normal(shape)
        noise[1] = np.where(rng.random(len(label)) < SHARED, noise[0], noise[1])
        raw = (label - 0.5) * D_PRIME + noise
        if self.kind == "grades":
            raw = np.searchsorted(self.edges, raw) - 2.0
        return Scored(label, D_PRIME * raw)

    def beyond(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Non-targets and targets above scores, as shares of the population."""
        raw = score / D_PRIME
        if self.kind == "grades":
            grade = np.ceil(raw - 1e-9)
            raw = np.where(grade > 2, np.inf, np.where(grade <= -2, -np.inf, grade - 0.5))
        beyond: Callable[..., Any] = student(3).sf if self.kind == "t3" else lambda x: ndtr(-x)
        return beyond(raw + D_PRIME / 2), beyond(raw - D_PRIME / 2)

    @property
    def share(self) -> float:
        """The share of targets."""
        return self.targets / (self.nontargets + self.targets)


Cell = Clustered | Independent
GRID: tuple[Clustered, ...] = tuple(
    Clustered(g, sizes, effect) for g in CLUSTERS for sizes in SIZES for effect in EFFECTS
)
ALONE = (
    Independent(15, 15),
    Independent(4000, 40),
    Independent(60, 60, "grades"),
    Independent(15, 15, "grades"),
    Independent(15, 15, "t3"),
    Independent(60, 60, "t3"),
)

WIDE, FINE = 400.0, 100_001


@cache
def truths(cell: Cell) -> dict[tuple[str, float | None], float]:
    """Every measure of the population, by numbers on a fine grid of scores."""
    edges = np.sinh(np.linspace(-math.asinh(WIDE), math.asinh(WIDE), FINE))
    above = cell.beyond(edges)
    far, tpr = (np.concatenate([[1.0], of, [0.0]]) for of in above)
    frr, share, middle = 1 - tpr, cell.share, np.concatenate([[-WIDE], (edges[1:] + edges[:-1]) / 2, [WIDE]])
    in0, in1 = -np.diff(far), -np.diff(tpr)
    found: dict[tuple[str, float | None], float] = {}
    for at in (NEAR, RARE):
        x, y = (float(of[0]) for of in cell.beyond(np.array([at])))
        found |= {("far", at): x, ("hter", at): (x + 1 - y) / 2, (DCF, at): (0.1 * (1 - y) + 0.9 * x) / 0.1}
        found["f1", at] = 2 * share * y / (share * y + (1 - share) * x + share)
    found[MINDCF, None] = float((0.1 * frr + 0.9 * far).min() / 0.1)
    found[EER, None] = _equal_error(far, frr)
    found["auc", None] = float((in1 * (1 - far[:-1] + in0 / 2)).sum())
    precision = share * tpr / np.maximum(share * tpr + (1 - share) * far, 1e-300)
    found[AP, None] = float((in1 * precision[:-1]).sum())
    costs = (in1 * np.logaddexp(0, -middle)).sum() + (in0 * np.logaddexp(0, middle)).sum()
    found["cllr", None] = float(costs / 2 / math.log(2))
    return found


def _equal_error(far: FloatArray, frr: FloatArray) -> float:
    """Where the lower hull of the population meets FAR = FRR: the highest least weighted error."""
    low, high = 0.0, 1.0
    for _ in range(60):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        if (one * frr + (1 - one) * far).min() < (two * frr + (1 - two) * far).min():
            low = one
        else:
            high = two
    return float((low * frr + (1 - low) * far).min())


@cache
def study(replicates: int) -> Study:
    """What is asked of every table."""
    named = tuple(f"fixed(threshold={at!r})" for at in (NEAR, RARE))
    asked = study_of(MEASURES, named, Inference(replicates=replicates, level=LEVEL))
    return replace(asked, models=tuple(ModelEntry(name, name, scale="llr") for name in "ab"), curves=())


def drawn(cell: Cell, tables: Iterable[int], replicates: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield of every table the first model's value and limits of each measure, and p of equal models.

    A limit is null where the report has none.
    """
    asked = study(replicates)
    for run in tables:
        table = cell.draw(np.random.default_rng([seed, run, *map(ord, cell.name)]))
        settings = replace(asked.inference, seed=seed * 1_000_000 + run)
        made = Drawn(table, replace(asked, inference=settings))
        rows = metric_rows(made.models[0], made.resampling, made.study)
        of = {(row.measure, row.criterion): row for row in rows if row.split == "test"}
        criteria: dict[float | None, Any] = {None: None}
        criteria |= {float(criterion.arguments["threshold"]): criterion for criterion in asked.criteria}
        found, p = {}, {}
        for name, at in ASKED:
            row = of[name, None if at is None else str(criteria[at])]
            found[key(name, at)] = row.value, row.ci_low, row.ci_high
        for name, at in COMPARED:
            question = Question(read_measure(name), criteria[at])
            estimand = None if at is None else "given_thresholds"
            tested = difference(made.pair, question, made.resampling, made.study, estimand).tested()  # type: ignore[arg-type]
            p[key(name, at)] = tested.p_value
        yield {"run": run, "limits": found, "p": p}


def key(name: str, at: float | None) -> str:
    """The name of a measure, with its threshold."""
    return name if at is None else f"{name} @ {'near' if at == NEAR else 'rare'}"


def _file_name(cell: Cell, seed: int | str) -> str:
    return f"{cell.name.replace('/', '_')}.{seed}.jsonl"


def draw(folder: Path, cells: Sequence[Cell], tables: int, replicates: int, seed: int) -> None:
    """Add to the file of every cell the tables that it lacks; a line that a stop cut short is drawn again."""
    folder.mkdir(parents=True, exist_ok=True)
    for cell in cells:
        file = folder / _file_name(cell, seed)
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        whole = [line for line in lines if line.endswith("\n")]
        if len(whole) < len(lines):
            file.write_text("".join(whole))
        with file.open("a") as out:
            for record in drawn(cell, range(len(whole), tables), replicates, seed):
                out.write(json.dumps(record) + "\n")
                out.flush()
        print(cell.name, flush=True)


class Seen(NamedTuple):
    """Coverage of the truth, and the mean width over that of a reader who knows the spread of the values."""

    covered: float
    width: float

    @classmethod
    def of(cls, values: FloatArray, low: FloatArray, high: FloatArray, truth: float) -> Seen:
        """Summarise the limits of many tables (shape (N,)); missing ones hold nothing and have no width."""
        held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
        spread = float(values.std()) or math.nan
        return cls(float(held.mean()), float(np.nanmean(high - low)) / (2 * 1.96 * spread))

    def __str__(self) -> str:
        return f"{self.covered:.3f} ({self.width:.2f})"


class Judged(NamedTuple):
    """What the intervals of a cell did, and how often equal models were found to differ, of so many tables."""

    seen: dict[str, Seen]
    level: dict[str, float]
    tables: int

    @classmethod
    def of(cls, folder: Path, cell: Cell) -> Judged | None:
        """Judge all tables of a cell; None without any."""
        lines = [
            line for file in folder.glob(_file_name(cell, "*")) for line in file.read_text().splitlines(True)
        ]
        records = [json.loads(line) for line in lines if line.endswith("\n")]
        if not records:
            return None
        true = {key(*of): value for of, value in truths(cell).items()}
        seen = {}
        for name in records[0]["limits"]:
            limits = np.array([record["limits"][name] for record in records], dtype=np.float64)
            seen[name] = Seen.of(*limits.T, true[name])
        level = {
            name: float(
                np.mean([record["p"][name] is not None and record["p"][name] <= ALPHA for record in records])
            )
            for name in records[0]["p"]
        }
        return cls(seen, level, len(records))


def before() -> dict[tuple[str, str], Seen]:
    """Return what intervals did before unequal clusters had a factor and sums their correlation, by cell and measure."""
    with Path(__file__).with_name("grid_before.csv").open(newline="") as file:
        _, *lines = csv.reader(file)
    return {(cell, name): Seen(float(covered), float(width)) for cell, name, covered, width in lines}


def show(folder: Path) -> str:
    """Return the page of the study."""
    judged = {cell: found for cell in (*GRID, *ALONE) if (found := Judged.of(folder, cell)) is not None}
    drawn_tables = sorted({found.tables for found in judged.values()})
    some = " to ".join(f"{n:,}" for n in dict.fromkeys((drawn_tables[0], drawn_tables[-1])))
    names, then = [key(*of) for of in ASKED], before()
    clustered = {cell: found for cell, found in judged.items() if isinstance(cell, Clustered)}
    lines = [PREFACE.format(tables=some), "", "## In short", "", IN_SHORT]
    for name in names:
        sides = [[then[cell.name, name] for cell in clustered], [of.seen[name] for of in clustered.values()]]
        shown = [
            ", ".join(f"{x:.3f}" for x in np.quantile([s.covered for s in side], (0, 0.5, 1)))
            for side in sides
        ]
        widths = [f"{np.median([s.width for s in side]):.2f}" for side in sides]
        lines.append(f"| {name} | {len(clustered)} | {' | '.join((*shown, *widths))} |")
    parts: list[tuple[str, list[Cell]]] = [
        *((f"Clusters: {sizes}", [cell for cell in clustered if cell.sizes == sizes]) for sizes in SIZES),
        ("Independent trials", [cell for cell in judged if isinstance(cell, Independent)]),
    ]
    for title, cells in parts:
        lines += [
            "",
            f"## {title}",
            "",
            f"| | effective | {' | '.join(names)} |",
            "|---" * (len(names) + 2) + "|",
        ]
        for cell in cells:
            shown = [f"{then[cell.name, name]} → {judged[cell].seen[name]}" for name in names]
            worth = f"{kish(cell.of_class[0]):.1f}" if isinstance(cell, Clustered) else ""
            lines.append(f"| {' | '.join((cell.name, worth, *shown))} |")
    compared = [key(*of) for of in COMPARED]
    lines += ["", "## Two equal models", "", ABOUT_LEVEL, "", f"| | {' | '.join(compared)} |"]
    lines.append("|---" * (len(compared) + 1) + "|")
    for cell, found in judged.items():
        lines.append(f"| {cell.name} | {' | '.join(f'{found.level[name]:.3f}' for name in compared)} |")
    return "\n".join(lines) + "\n"


PREFACE = """# Clusters as they come

`python -m tests.research.studies.grid` makes all of it anew. Coverage of the report's 95% intervals, and in brackets their mean
width over that of a reader who knows the spread of the values (3.92 standard deviations): before → after. Before:
as `grid_before.csv` has it, of 200 to 400 tables a cell, where each cluster counted alike and both error rates were
added as if they were independent. After: of {tables} tables a cell, with 199 replicates. A cluster has 20 non-targets
and 10 targets on average. Thresholds: near, 0; rare, log 9, which about 2% of non-targets pass."""

IN_SHORT = """| measure | cells | before: least, median, most | after: least, median, most | width before | width after |
|---|---|---|---|---|---|"""

ABOUT_LEVEL = """Share of tables in which two equal models, which share half of every effect, are found to differ at .05."""


def main() -> None:
    """Draw tables, or write what they show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=("draw", "show"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--cells", default="", help="a regular expression of their names")
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=199)
    asked = parser.parse_args()
    if asked.task == "draw":
        cells = [cell for cell in (*GRID, *ALONE) if re.search(asked.cells, cell.name)]
        draw(asked.folder, cells, asked.tables, asked.replicates, asked.seed)
    else:
        Path(__file__).with_suffix(".md").write_text(show(asked.folder))


if __name__ == "__main__":
    main()
