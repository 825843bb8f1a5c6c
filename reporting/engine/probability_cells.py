"""What replicates of probabilities are read for: the smooth calibration curve, its indices, net benefits.

Of very many distinct probabilities replicates see cells of neighbouring ones, parted at every threshold
probability of a decision curve and so that none holds many trials. What that moves a value by on the trials
themselves is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.curves.scores import THRESHOLD_PROBABILITIES
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import Part
from reporting.engine.study import Study
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import Sweep
from reporting.significance.cell_tables import cells_of
from reporting.significance.units import Units
from reporting.stats.net_benefit import BenefitReader
from reporting.stats.smooth_calibration import CalibratedReader, CurveReader, fit, table_of
from reporting.stats.staircase import FloatArray, IntArray

EXACT = 300
"""Distinct probabilities up to which replicates see all of them."""
MOST_CELLS = 200
"""A cell of more than one probability holds about this part of the trials at the most."""
ENDS = 5
"""The smooth curve is drawn from the trial of this rank to that of this rank from above: few resamples end
within."""
POINTS = 101
"""At so many probabilities it has limits."""


SMOOTH_CURVE, NET_BENEFITS = "smooth calibration curve", "net benefits"
"""The names under which replicates of the curves are kept."""


@dataclass(frozen=True, eq=False)
class ProbabilityCells:
    """Neighbouring distinct scores of a model merged into C cells: the first of each (shape (C,))."""

    start: IntArray
    of_score: IntArray
    """The cell of every distinct score."""

    @classmethod
    def of(cls, model: JudgedModel) -> ProbabilityCells:
        """Return the cells of the test scores."""
        score, trials = model.test.score, model.test.n_target + model.test.n_nontarget
        n = len(score)
        if n <= EXACT:
            return cls(np.arange(n), np.arange(n))
        passed = (np.cumsum(trials) - trials) * MOST_CELLS // trials.sum()
        first = np.diff(passed, prepend=-1) > 0
        stated = model.scaling.probability(score)
        if stated is not None:
            first[np.searchsorted(stated, THRESHOLD_PROBABILITIES).clip(max=n - 1)] = True
        return cls(np.flatnonzero(first), np.cumsum(first) - 1)

    def counts(self, model: JudgedModel) -> tuple[IntArray, IntArray]:
        """Return the targets and the non-targets of every cell (shape (C,))."""
        n_target, n_nontarget = model.test.n_target, model.test.n_nontarget
        return np.add.reduceat(n_target, self.start), np.add.reduceat(n_nontarget, self.start)

    def mean(self, model: JudgedModel, probability: FloatArray) -> FloatArray:
        """Return the mean probability of every cell's trials."""
        if len(self.start) == len(probability):
            return probability
        trials = model.test.n_target + model.test.n_nontarget
        return np.asarray(
            np.add.reduceat(probability * trials, self.start) / np.add.reduceat(trials, self.start)
        )


def probability_sweep(
    model: JudgedModel, units: Units, part: Part, study: Study, measures: Sequence[Measure]
) -> Sweep | None:
    """Return what replicates of one model's probabilities are read for; None where that is nothing."""
    cells = ProbabilityCells.of(model)
    curves = _curves(model, study, cells)
    if not measures and not curves:
        return None
    counts, shifts = cells.counts(model), {}
    merged = {m.calibration: _merged(model, cells, m.calibration) for m in measures}
    for measure in measures:
        on_cells = measure.formula(merged[measure.calibration], *counts, **measure.arguments)
        shifts[measure] = model.value(measure).number - float(on_cells)
        if study.inference.interval == "auto":
            curves[calibrated_name(measure)] = _if_calibrated(measure, merged[measure.calibration], counts)
    ranks, of_trial = part.ranks, cells.of_score.astype(np.uint32)[model.rank]
    table = cells_of(units, ranks.label, ranks.weight, of_trial, len(cells.start), part.shelf)
    return Sweep(table, {measure: merged[measure.calibration] for measure in measures}, curves, shifts)


def calibrated_name(measure: Measure) -> str:
    """The name under which is kept what the indices of a curve would be of calibrated probabilities."""
    return f"if calibrated, {measure.calibration}, {measure.arguments['prevalence']}"


def _if_calibrated(
    measure: Measure, merged: FloatArray, counts: tuple[IntArray, IntArray]
) -> CalibratedReader:
    prevalence = measure.arguments["prevalence"]
    share = None if prevalence == "sample" else float(prevalence)  # type: ignore[arg-type]
    frequency = fit(table_of(merged, *counts, share)).at(merged)[0]
    return CalibratedReader(merged, frequency, share)


def _merged(model: JudgedModel, cells: ProbabilityCells, calibration: str) -> FloatArray:
    stated = model.scaling.probability(model.test.score, calibration)
    assert stated is not None  # the measure has a value
    return cells.mean(model, stated)


def _curves(
    model: JudgedModel, study: Study, cells: ProbabilityCells
) -> dict[str, Callable[[Any, Any], FloatArray]]:
    stated = model.scaling.probability(model.test.score)
    if stated is None or not all(model.test.trials):
        return {}
    curves: dict[str, Callable[[Any, Any], FloatArray]] = {}
    if "calibration" in study.curve_frames:
        grid, curve = smooth_curve(model, stated)
        merged = cells.mean(model, stated)
        on_cells = fit(table_of(merged, *cells.counts(model), study.prevalence)).at(grid)[0]
        curves[SMOOTH_CURVE] = CurveReader(merged, grid, curve - on_cells, study.prevalence)
    if {"net_benefit", "net_benefit_differences"} & study.curve_frames:
        cut = np.searchsorted(stated[cells.start], THRESHOLD_PROBABILITIES)
        curves[NET_BENEFITS] = BenefitReader(cut, THRESHOLD_PROBABILITIES, study.prevalence)
    return curves


def smooth_curve(model: JudgedModel, stated: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where the smooth calibration curve has limits, and the frequency there (shape (G,) each)."""
    table = table_of(stated, model.test.n_target, model.test.n_nontarget, model.scaling.prevalence)
    n = table.total
    rank = np.minimum(ENDS, (n + 1) // 2)
    low, high = float(table.ranked(rank)[0]), float(table.ranked(n + 1 - rank)[0])
    grid = np.unique(low + (high - low) * (np.arange(POINTS) / (POINTS - 1)))
    return grid, fit(table).at(grid)[0]
