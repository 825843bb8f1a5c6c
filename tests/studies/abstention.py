"""Coverage and level of what abstention reports: quantities at two thresholds, areas, bands, and paired tests.

    python -m tests.studies.abstention [--runs N]

Scores are normal, rounded to a grid, so that everything true is a sum over the grid. Development is drawn once
for each setting, and its thresholds hold: intervals are of what these do in use. Clusters share an effect that
is ``SHARED`` of the variance of a score. Two models of equal worth share half of their variance.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import ndtr

from reporting.frames import ABSTENTION, ABSTENTION_COMPARISONS, RISK_COVERAGE
from reporting.stats.abstention import COVERAGES, Decided, ReviewCosts
from tests.build import build

SHARED = 0.4
COSTS = ReviewCosts(1.0, 2.0, 0.2)
CONFIG = (
    "primary: {{measure: hter, criterion: 'fixed(threshold={threshold})'}}\n"
    "criteria: ['fixed(threshold={threshold})']\ncurves: []\nepc: none\n"
    "abstention: {{cost: {{false_negative: 2, review: 0.2}}, capacity: 0.2}}\n"
)
QUANTITIES = ("reviewed", "error", "far", "frr", "cost", "saving")
AREAS = {"error_rate": "aurc", "frr": "frr_discard_area", "far": "far_discard_area"}


class Setting(NamedTuple):
    """Trials of each class on test, standard deviations between the classes, the grid, and clusters."""

    n_target: int
    n_nontarget: int
    d: float
    step: float = 0.05
    clusters: int = 0

    @property
    def name(self) -> str:
        """The setting in words."""
        held = f", {self.clusters} clusters" if self.clusters else ""
        return f"{self.n_target} and {self.n_nontarget} trials, d = {self.d:g}, grid of {self.step:g}{held}"

    def draw(self, rng: np.random.Generator, split: str, models: int = 1, scale: int = 1) -> pl.DataFrame:
        """Return trials of models; two share half of their variance."""
        label = np.repeat([True, False], [scale * self.n_target, scale * self.n_nontarget])
        n = len(label)
        who = np.arange(n) % max(self.clusters, 1)
        share = SHARED if self.clusters else 0.0
        effect = np.sqrt(share) * rng.standard_normal(max(self.clusters, 1))[who]
        common = rng.standard_normal(n) if models > 1 else np.zeros(n)
        tables = []
        for model in range(models):
            own = rng.standard_normal(n)
            noise = own if models == 1 else (common + own) / np.sqrt(2)
            score = self.d * label + effect + np.sqrt(1 - share) * noise
            table = {"model": f"m{model}", "split": split, "trial": np.arange(n), "label": label}
            table |= {"score": np.round(score / self.step) * self.step, "who": who}
            tables.append(pl.DataFrame(table))
        return pl.concat(tables)

    @property
    def threshold(self) -> float:
        """Half-way between the classes, between two points of the grid."""
        return float((np.floor(self.d / 2 / self.step) + 0.5) * self.step)


class Truth(NamedTuple):
    """What is true of trials without end, by quantity and by curve (shape (G,))."""

    numbers: dict[str, float]
    curves: dict[str, Any]


def truth(setting: Setting, ends: dict[str, tuple[float, float]]) -> Truth:
    """Return what thresholds by rule do, and the curves at the setting's single threshold."""
    grid = np.arange(-9, 9 + setting.d, setting.step)
    grid = np.round(grid / setting.step) * setting.step

    def mass(mean: float) -> Any:
        edges = np.append(grid - setting.step / 2, grid[-1] + setting.step / 2)
        return np.diff(ndtr(edges - mean))

    n = setting.n_target, setting.n_nontarget
    targets, nontargets = (size * mass(mean) for size, mean in zip(n, (setting.d, 0.0), strict=True))
    decided = {}
    for rule, (low, high) in ends.items():
        errors = [(targets[grid < end].sum(), nontargets[grid >= end].sum()) for end in (low, high)]
        decided[rule] = Decided.between(errors[0], errors[1], (targets.sum(), nontargets.sum()), None)
    two, one = decided["dev"], decided["no_review"]
    numbers = {name: float(getattr(two, name)) for name in ("reviewed", "error", "far", "frr")}
    numbers |= {"cost": float(two.cost(COSTS)), "saving": float(one.cost(COSTS) - two.cost(COSTS))}
    accepted = grid >= setting.threshold
    wrong = {"error_rate": np.where(accepted, nontargets, targets)}
    wrong |= {"frr": np.where(accepted, 0, targets), "far": np.where(accepted, nontargets, 0)}
    held = {"error_rate": targets + nontargets, "frr": targets, "far": nontargets}
    distance = np.round(np.abs(grid - setting.threshold), 9)
    curves = {}
    for measure, area in AREAS.items():
        group = np.unique(-distance, return_inverse=True)[1]
        e, g = (np.bincount(group, each[measure]) / held[measure].sum() for each in (wrong, held))
        kept, errors = np.append(0, np.cumsum(g)), np.append(0, np.cumsum(e))
        curves[measure] = np.interp(COVERAGES, kept, errors) / COVERAGES
        numbers[area] = float(np.trapezoid(*_fine(kept, errors)))
    return Truth(numbers, curves)


def _fine(kept: Any, errors: Any) -> tuple[Any, Any]:
    """Return risk and coverage on a fine grid."""
    at = np.linspace(1e-6, 1, 200_001)
    return np.interp(at, kept, errors) / at, at


def runs(setting: Setting, n: int, models: int = 1, replicates: int = 399) -> Iterator[Any]:
    """Yield the report of each simulated test set, all with one development set."""
    rng = np.random.default_rng([n, setting.n_target, setting.n_nontarget, round(100 * setting.step)])
    dev = setting.draw(rng, "dev", models, scale=3)
    config = CONFIG.format(threshold=setting.threshold)
    if setting.clusters:
        config = "trials: {source: trials.parquet, columns: {cluster: who}}\n" + config
    for at in range(n):
        with tempfile.TemporaryDirectory() as folder:
            rows = pl.concat([dev, setting.draw(rng, "test", models)])
            seed = f"significance.seed={at}", f"significance.replicates={replicates}"
            yield build(Path(folder), rows, config, *seed).only(
                ABSTENTION, RISK_COVERAGE, ABSTENTION_COMPARISONS
            )


def covered(setting: Setting, n: int) -> dict[str, float]:
    """Return how often intervals and bands hold the truth; no interval of a defined value is a miss."""
    held: dict[str, list[bool]] = {}
    true: Truth | None = None
    for frames in runs(setting, n):
        rows = {(row.rule, row.quantity): row for row in ABSTENTION.rows(frames["abstention"])}
        if true is None:
            ends = {
                rule: (rows[rule, "cost"].threshold_low, rows[rule, "cost"].threshold_high)
                for rule in ("dev", "no_review")
            }
            true = truth(setting, ends)
        for name in (*QUANTITIES, *AREAS.values()):
            row = rows["dev" if name in QUANTITIES else None, name]
            inside = row.ci_low is not None and row.ci_low <= true.numbers[name] <= row.ci_high
            held.setdefault(name, []).append(inside)
        curves = frames["risk_coverage"]
        for measure in AREAS:
            band = curves.filter(measure=measure).sort("coverage")
            low, high = (band[end].to_numpy() for end in ("band_low", "band_high"))  # null: NaN, a miss
            inside = bool(((low <= true.curves[measure]) & (true.curves[measure] <= high)).all())
            held.setdefault(f"band {measure}", []).append(inside)
    return {name: float(np.mean(each)) for name, each in held.items()}


def rejected(setting: Setting, n: int) -> dict[str, float]:
    """Return how often two models of equal worth are found to differ at 5%."""
    p: dict[str, list[float]] = {}
    for frames in runs(setting, n, models=2, replicates=199):
        for row in ABSTENTION_COMPARISONS.rows(frames["abstention_comparisons"]):
            p.setdefault(row.quantity, []).append(1.0 if row.p_value is None else row.p_value)
    # The two thresholds of two models differ by chance, and so do their true costs and errors.
    return {area: float(np.mean(np.array(p[area]) < 0.05)) for area in AREAS.values()}


SETTINGS = [
    Setting(100, 100, 2.0),
    Setting(100, 100, 2.0, 0.5),
    Setting(100, 400, 2.0),
    Setting(1000, 4000, 2.5),
    Setting(50, 500, 3.0),
    Setting(300, 600, 2.0, clusters=20),
    Setting(600, 600, 2.0, clusters=60),
]
LEVELS = [Setting(200, 200, 2.0, 0.25), Setting(100, 400, 2.0), Setting(300, 300, 2.0, clusters=30)]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    asked = parser.parse_args()
    names = [*QUANTITIES, *AREAS.values(), *(f"band {measure}" for measure in AREAS)]
    print(f"## Coverage\n\n| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for setting in SETTINGS:
        shares = covered(setting, asked.runs)
        cells = " | ".join(f"{shares[name]:.3f}" for name in names)
        print(f"| {setting.name} | {cells} |", flush=True)
    areas = list(AREAS.values())
    print(f"\n## Level\n\n| | {' | '.join(areas)} |\n|---|{'--:|' * len(areas)}")
    for setting in LEVELS:
        shares = rejected(setting, 5 * asked.runs)
        print(f"| {setting.name} | {' | '.join(f'{shares[area]:.3f}' for area in areas)} |", flush=True)


if __name__ == "__main__":
    main()
