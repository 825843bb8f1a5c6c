"""Coverage of the limits of calibration errors of several classes.

    python -m tests.research.studies.class_calibration [--tables N]

Three classes at shares .5, .3 and .2; a trial has three normal numbers, of which that of its class is higher by d. The
true log probabilities, times a temperature, make those that a model states: 1 is calibrated, more is too sure. With
clusters, numbers have a part in common. The truth is the error of a million trials.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.intervals import quantile
from reporting.features.classes.formulas import Forecasts, calibration_bins, limits_of_errors

SHARES, LEVEL = np.array([0.5, 0.3, 0.2]), 0.95


class CalibrationDesign(NamedTuple):
    """How sure a model is, how far classes lie apart, and the clusters (0: none)."""

    name: str
    temperature: float
    apart: float = 1.5
    clusters: int = 0


DESIGNS = (
    CalibrationDesign("calibrated", 1.0),
    CalibrationDesign("a little too sure", 1.25),
    CalibrationDesign("much too sure", 2.0),
    CalibrationDesign("few errors", 1.5, apart=3.0),
    CalibrationDesign("calibrated, few errors", 1.0, apart=3.0),
    CalibrationDesign("calibrated, hardly an error", 1.0, apart=4.0),
    CalibrationDesign("certain", 50.0, apart=2.5),
    CalibrationDesign("20 clusters", 1.25, clusters=20),
)


def drawn(
    design: CalibrationDesign, n: int, random: np.random.Generator
) -> tuple[dict[str, list[Forecasts]], IntArray]:
    """Return the probabilities of a table by what they are of, and the unit of each trial."""
    truth, noise, unit = random.choice(3, n, p=SHARES), random.normal(size=(n, 3)), np.arange(n)
    if design.clusters:
        unit = np.unique(random.integers(0, design.clusters, n), return_inverse=True)[1]
        noise = np.sqrt(0.7) * noise + np.sqrt(0.3) * random.normal(size=(design.clusters, 3))[unit]
    logs = np.log(SHARES) + design.apart * (noise + design.apart * np.eye(3)[truth])
    p: FloatArray = np.exp(design.temperature * (logs - logs.max(axis=1, keepdims=True)))
    p /= p.sum(axis=1, keepdims=True)
    stated = {
        "top label": [Forecasts(p.max(axis=1), p.argmax(axis=1) == truth)],
        "classwise": [Forecasts(p[:, at], truth == at, 1 / 3) for at in range(3)],
        "one class": [Forecasts(p[:, 2], truth == 2)],
    }
    return stated, unit


def error_of(every: list[Forecasts]) -> float:
    """Return the mean of the calibration errors."""
    return sum(of.share * calibration_bins(of.probability, of.holds, None).error for of in every)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=400)
    tables = parser.parse_args().tables
    print("| design | trials | of | true | mean value | coverage of 95% CIs | mean limits |")
    print("|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        whole, _ = drawn(design._replace(clusters=0), 1_000_000, np.random.default_rng(1))
        for n in (100, 400, 2000):
            seeds = ([n, table, int(100 * design.temperature), design.clusters] for table in range(tables))
            every = [drawn(design, n, np.random.default_rng(seed)) for seed in seeds]
            for name, of in whole.items():
                true, found = (
                    error_of(of),
                    np.array([_limits(design, each[name], unit) for each, unit in every]),
                )
                value, low, high = found.T
                held = ((low <= true) & (true <= high)).mean()
                cells = (
                    f"{true:.3f} | {value.mean():.3f} | {held:.3f} | {low.mean():.3f} to {high.mean():.3f}"
                )
                print(f"| {design.name} | {n} | {name} | {cells} |", flush=True)


def _limits(design: CalibrationDesign, every: list[Forecasts], unit: IntArray) -> tuple[float, float, float]:
    g, reach = int(unit.max()) + 1, quantile(LEVEL, None)
    if design.clusters:
        reach = quantile(LEVEL, g - 1) * float(np.sqrt(g / (g - 1)))
    return error_of(every), *limits_of_errors(every, unit, None, reach, clustered=design.clusters > 0)


if __name__ == "__main__":
    main()
