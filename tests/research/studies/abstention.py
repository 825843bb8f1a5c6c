"""Coverage and level of what abstention reports: quantities at two thresholds, areas, bands, and paired tests.

    python -m tests.research.studies.abstention [--runs N]

Scores are normal, rounded to a grid, so that everything true is a sum over the grid. Development is drawn once
for each setting, and its thresholds hold: intervals are of what these do in use. Clusters share an effect that
is ``SHARED`` of the variance of a score. Two models of equal worth share half of their variance, and the scores
of the development set, so that both have the same two thresholds. ``abstention.md`` has the figures.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.special import ndtr

from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap
from reporting.core.engine.study import Study
from reporting.core.resampling.settings import Inference
from reporting.document.frames.judged import JudgedPart
from reporting.features.abstention.formulas import COVERAGES, Decided
from reporting.features.abstention.frame import (
    AbstentionRow,
    abstention_comparison_rows,
    abstention_rows,
    risk_coverage_of,
)
from reporting.features.abstention.keys import ABSTENTION_KEY, Abstention, ReviewCosts
from tests.research.studies.comparing import LEVEL
from tests.research.studies.models import SERIAL, Scored, counts_of, study_of
from tests.research.studies.models import runs as seeded

SHARED = 0.4
COSTS = ReviewCosts(1.0, 2.0, 0.2)
PLAN = Abstention(COSTS, capacity=0.2)
QUANTITIES = ("reviewed", "error", "far", "frr", "cost", "saving")
AREAS = {"error_rate": "aurc", "frr": "frr_discard_area", "far": "far_discard_area"}
COMPARED = ("cost", "error", *AREAS.values())


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

    def draw(self, rng: np.random.Generator, models: int = 1, scale: int = 1) -> Scored:
        """Return trials of models; two share half of their variance."""
        label = np.repeat([True, False], [scale * self.n_target, scale * self.n_nontarget])
        n, unit = len(label), None
        noise = rng.standard_normal((models, n))
        if models > 1:
            noise = (rng.standard_normal(n) + noise) / np.sqrt(2)
        if self.clusters:
            unit = (np.arange(n) % self.clusters).astype(np.uint32)
            effect = rng.standard_normal(self.clusters)[unit]
            noise = np.sqrt(SHARED) * effect + np.sqrt(1 - SHARED) * noise
        score = self.d * label + noise
        return Scored(label, np.round(score / self.step) * self.step, unit)

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

    targets, nontargets = setting.n_target * mass(setting.d), setting.n_nontarget * mass(0.0)
    decided: dict[str, Decided] = {}
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
        kept, lost = np.append(0, np.cumsum(g)), np.append(0, np.cumsum(e))
        curves[measure] = np.interp(COVERAGES, kept, lost) / COVERAGES
        numbers[area] = float(np.trapezoid(*_fine(kept, lost)))
    return Truth(numbers, curves)


def _fine(kept: Any, errors: Any) -> tuple[Any, Any]:
    """Return risk and coverage on a fine grid."""
    at = np.linspace(1e-6, 1, 200_001)
    return np.interp(at, kept, errors) / at, at


def study(setting: Setting) -> Study:
    """Return the question of the reports, which draw no curves of FAR and FRR."""
    criterion = f"fixed(threshold={setting.threshold!r})"
    asked = study_of(("hter",), (criterion,), Inference(replicates=199, level=LEVEL))
    return replace(asked, curves=()).with_key(ABSTENTION_KEY.name, PLAN)


def development(setting: Setting, seed: int, models: int = 1) -> Scored:
    """Return the development set of a setting; models have the same scores there."""
    dev = setting.draw(np.random.default_rng([seed, DEVELOPMENT]), scale=3)
    unit = None if dev.unit is None else dev.unit + np.uint32(setting.clusters)
    return replace(dev, score=np.repeat(dev.score, models, axis=0), unit=unit)


def reports(setting: Setting, n: int, models: int = 1) -> Iterator[JudgedPart]:
    """Yield the models of each simulated test set, all with one development set."""
    seed = 31 + ALL.index(setting)
    dev = development(setting, seed, models)
    for rng, asked in seeded(study(setting), seed, 0, n):
        (part,) = parts(counts_of(setting.draw(rng, models), dev), asked)
        yield JudgedPart(part, asked, SERIAL, ThresholdBootstrap(asked, SERIAL, of_pairs=False))


def covered(setting: Setting, n: int) -> dict[str, float]:
    """Return how often intervals and bands hold the truth; no interval of a defined value is a miss."""
    held: dict[str, list[bool]] = {}
    true: Truth | None = None
    for judged in reports(setting, n):
        rows = {(row.rule, row.quantity): row for row in abstention_rows(judged) if row.split == "test"}
        if true is None:
            true = truth(setting, {rule: _ends(rows[rule, "cost"]) for rule in ("dev", "no_review")})
        for name in (*QUANTITIES, *AREAS.values()):
            row = rows["dev" if name in QUANTITIES else None, name]
            limits = [math.nan if limit is None else limit for limit in (row.ci_low, row.ci_high)]
            held.setdefault(name, []).append(limits[0] <= true.numbers[name] <= limits[1])
        curves = pl.concat(risk_coverage_of(judged))
        for measure in AREAS:
            band = curves.filter(measure=measure).sort("coverage")
            low, high = (band[end].to_numpy() for end in ("band_low", "band_high"))  # null: NaN, a miss
            inside = bool(((low <= true.curves[measure]) & (true.curves[measure] <= high)).all())
            held.setdefault(f"band {measure}", []).append(inside)
    return {name: float(np.mean(each)) for name, each in held.items()}


def _ends(row: AbstentionRow) -> tuple[float, float]:
    assert row.threshold_low is not None
    assert row.threshold_high is not None
    return row.threshold_low, row.threshold_high


def rejected(setting: Setting, n: int) -> dict[str, float]:
    """Return how often two models of equal worth are found to differ at 5%."""
    found: dict[str, list[bool]] = {}
    for judged in reports(setting, n, models=2):
        for row in abstention_comparison_rows(judged):
            found.setdefault(row.quantity, []).append(row.p_value is not None and row.p_value <= 1 - LEVEL)
    return {name: float(np.mean(each)) for name, each in found.items()}


SETTINGS = [
    Setting(100, 100, 2.0),
    Setting(100, 100, 2.0, 0.5),
    Setting(100, 400, 2.0),
    Setting(1000, 4000, 2.5),
    Setting(50, 500, 3.0),
    Setting(60, 1000, 4.0),
    Setting(300, 600, 2.0, clusters=20),
    Setting(600, 600, 2.0, clusters=60),
]
LEVELS = [
    Setting(200, 200, 2.0, 0.25),
    Setting(100, 400, 2.0),
    Setting(60, 1000, 4.0),
    Setting(300, 300, 2.0, clusters=30),
]
ALL = list(dict.fromkeys((*SETTINGS, *LEVELS)))
DEVELOPMENT = 2**32
"""The run of the development set: no test set has its number."""


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
    print(f"\n## Level\n\n| | {' | '.join(COMPARED)} |\n|---|{'--:|' * len(COMPARED)}")
    for setting in LEVELS:
        shares = rejected(setting, 5 * asked.runs)
        print(f"| {setting.name} | {' | '.join(f'{shares[name]:.3f}' for name in COMPARED)} |", flush=True)


if __name__ == "__main__":
    main()
