"""What resamples of probabilities are read for: the smooth calibration curve, its indices, net benefits.

Of very many distinct probabilities resamples see cells of neighbouring ones, parted at every threshold
probability of a decision curve and so that none holds many trials. What that moves a value by on the trials
themselves is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass
from reporting.core.curves.scores import THRESHOLD_PROBABILITIES
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.parts import Part
from reporting.core.engine.study import Study
from reporting.core.measures.measure import OF_PROBABILITIES, Measure
from reporting.core.resampling.bootstrap import Sweep
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.design import Design
from reporting.core.resampling.units import Units
from reporting.core.stats import smooth_calibration as smooth
from reporting.core.stats.curve_limits import LimitsOfCurve, frequency_limits
from reporting.core.stats.rates import BenefitReader

EXACT = 300
"""Distinct probabilities up to which resamples see all of them."""
MOST_CELLS = 200
"""A cell of more than one probability holds about this part of the trials at the most."""
MANY = 2**15
"""Of more distinct probabilities than that resamples of other measures see narrow cells too."""
NARROW = 2.0**-7
"""The width of these cells, in log odds."""
ENDS = 5
"""The smooth curve is drawn from the trial of this rank to that of this rank from above: few resamples end
within."""
POINTS = 101
"""At so many probabilities it has limits."""
NET_BENEFITS = "net benefits"
"""The name under which resamples of net benefits are kept."""


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

    @classmethod
    def narrow(cls, log_odds: FloatArray) -> ProbabilityCells:
        """Return cells of distinct log odds (shape (H,)) that lie less than ``NARROW`` apart.

        With a mean for all of a cell no log odds of a trial move farther than that: a calibration intercept
        moves by less, and O:E by a factor less than its exponential. What it moves them by on the trials
        themselves is taken off, and what is left of that in a resample is chance, ``NARROW`` / sqrt(12 n).
        """
        cell = np.floor(log_odds / NARROW)
        first = np.append(True, cell[1:] != cell[:-1])
        return cls(np.flatnonzero(first), np.cumsum(first) - 1)

    def mean(self, model: JudgedModel, stated: FloatArray) -> FloatArray:
        """Return the mean of a model's probabilities, or log odds, by cell over its trials."""
        if len(self.start) == len(stated):
            return stated
        trials = model.test.n_target + model.test.n_nontarget
        return np.asarray(np.add.reduceat(stated * trials, self.start) / np.add.reduceat(trials, self.start))


def probability_sweep(
    model: JudgedModel, units: Units, part: Part, study: Study, measures: Sequence[Measure]
) -> Sweep | None:
    """Return what resamples of one model's probabilities are read for; None where that is nothing."""
    cells = ProbabilityCells.of(model)
    merged = {}
    for calibration in dict.fromkeys(m.calibration for m in measures):
        stated = model.scaling.probability(model.test.score, calibration)
        assert stated is not None  # the measure has a value
        merged[calibration] = cells.mean(model, stated)
    curves, counts = _curves(model, study, cells, merged), model.test.in_bins(cells.start)
    if not measures and not curves:
        return None
    for measure in measures if study.inference.interval == "auto" else ():
        stated, share = merged[measure.calibration], share_of(measure)
        calibrated = smooth.CalibratedReader(stated, share, smooth.table_of(stated, *counts, share).curve)
        curves[calibrated_name(measure)] = calibrated
        if measure.formula is smooth.emax:
            curve = smooth_curve(model, measure.calibration, share)
            curves[curve.name] = _curve(curve, stated, counts)
    read = {measure: merged[measure.calibration] for measure in measures}
    return _swept(model, units, part, cells, read, curves)


def narrow_sweep(model: JudgedModel, units: Units, part: Part, measures: Sequence[Measure]) -> Sweep | None:
    """Return what resamples read of many probabilities in narrow cells; None where they see all of them.

    The measures are those that ``tolerates_binning`` names.
    """
    log_odds = model.scaling.log_odds(model.test.score)
    if log_odds is None or not measures or len(log_odds) <= MANY:
        return None
    cells, read = ProbabilityCells.narrow(log_odds), dict[Measure, FloatArray]()
    for measure in measures:
        stated = model.scaling.scores_for(measure, model.test.score)
        assert stated is not None  # the measure has a value
        read[measure] = cells.mean(model, stated)
    return _swept(model, units, part, cells, read, {})


def _swept(
    model: JudgedModel,
    units: Units,
    part: Part,
    cells: ProbabilityCells,
    read: Mapping[Measure, FloatArray],
    curves: Mapping[str, Callable[[Any, Any], FloatArray]],
) -> Sweep:
    """Return cells with what is read off them; what they move a measure by on the trials is taken off."""
    counts, ranks = model.test.in_bins(cells.start), part.ranks
    shifts = {
        measure: model.value(measure).number - float(measure.formula(stated, *counts, **measure.arguments))
        for measure, stated in read.items()
    }
    of_trial = cells.of_score.astype(np.uint32)[model.rank]
    table = cells_of(units, ranks.label, ranks.weight, of_trial, len(cells.start), part.shelf, ranks.mix)
    return Sweep(table, read, curves, shifts)


def tolerates_binning(measure: Measure) -> bool:
    """Return whether a measure changes little where neighbouring probabilities become one."""
    of_probabilities = measure.needs in OF_PROBABILITIES and measure.calibration == "none"
    return of_probabilities and "bins" not in measure.arguments


def calibrated_name(measure: Measure) -> str:
    """The name under which is kept what the indices of a curve would be of calibrated probabilities."""
    return f"if calibrated, {measure.calibration}, {measure.arguments['prevalence']}"


def share_of(measure: Measure) -> float | None:
    """Return the share of targets for which a measure weighs trials; None where that is their own."""
    prevalence = measure.arguments["prevalence"]
    return None if prevalence == "sample" else float(prevalence)  # type: ignore[arg-type]


def _curves(
    model: JudgedModel, study: Study, cells: ProbabilityCells, merged: dict[str, FloatArray]
) -> dict[str, Callable[[Any, Any], FloatArray]]:
    stated = model.scaling.probability(model.test.score)
    if stated is None or not all(model.test.trials):
        return {}
    curves: dict[str, Callable[[Any, Any], FloatArray]] = {}
    if "calibration" in study.curve_frames:
        curve = smooth_curve(model, "none", study.prevalence)
        of_cells = merged.setdefault("none", cells.mean(model, stated))
        curves[curve.name] = _curve(curve, of_cells, model.test.in_bins(cells.start))
    if {"net_benefit", "net_benefit_differences"} & study.curve_frames:
        cut = np.searchsorted(stated[cells.start], THRESHOLD_PROBABILITIES)
        curves[NET_BENEFITS] = BenefitReader(cut, THRESHOLD_PROBABILITIES, study.prevalence)
    return curves


def _curve(
    curve: EstimatedCurve, merged: FloatArray, counts: tuple[IntArray, IntArray]
) -> smooth.CurveReader:
    on_cells = smooth.table_of(merged, *counts, curve.prevalence).curve.unbounded(curve.grid)[0]
    return smooth.CurveReader(merged, curve.prevalence, curve.grid, curve.unbounded - on_cells)


@dataclass(frozen=True, eq=False)
class EstimatedCurve:
    """The smooth calibration curve of n trials where it has limits (shape (G,))."""

    grid: FloatArray
    unbounded: FloatArray
    """The frequencies before they are kept within [0, 1]."""
    bias: FloatArray
    """How far smoothing puts the curve too high (``smoothing_bias``)."""
    n: int
    calibration: str
    """The map of the scores that the probabilities come from, as measures name it."""
    prevalence: float | None

    @property
    def name(self) -> str:
        """The name under which its resamples are kept."""
        return f"smooth calibration curve, {self.calibration}, {self.prevalence}"

    @property
    def frequency(self) -> FloatArray:
        """The frequencies."""
        return np.clip(self.unbounded, 0.0, 1.0)

    def limits(self, replicates: FloatArray, design: Design, level: float) -> LimitsOfCurve | None:
        """Return the limits that its resamples (shape (M, G)) give."""
        replicates, design = design.reduced(replicates, self.unbounded)
        of_clusters = design.df, design.inflation
        return frequency_limits(self.unbounded, replicates, self.bias, self.n, level, *of_clusters)

    def least_gap(self, limits: LimitsOfCurve) -> float:
        """Return how far the band leaves calibrated probabilities: no true Emax in reach of it is less."""
        return float(max(0.0, (limits.band_low - self.grid).max(), (self.grid - limits.band_high).max()))


def smooth_curve(model: JudgedModel, calibration: str, prevalence: float | None) -> EstimatedCurve:
    """Return the curve of a model's probabilities, which it must have."""
    stated = model.scaling.probability(model.test.score, calibration)
    assert stated is not None
    table = smooth.table_of(stated, model.test.n_target, model.test.n_nontarget, prevalence)
    n = table.total
    rank = np.minimum(ENDS, (n + 1) // 2)
    low, high = float(table.ranked(rank)[0]), float(table.ranked(n + 1 - rank)[0])
    grid = np.unique(low + (high - low) * (np.arange(POINTS) / (POINTS - 1)))
    curve, bias = table.curve.unbounded(grid)[0], smooth.smoothing_bias(table, grid)
    return EstimatedCurve(grid, curve, bias, int(n[0]), calibration, prevalence)
