"""What the page of Brodersen et al. reads from the results: samples by corners, and the simulations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from configs.papers.brodersen.estimators import ap_open_trapezoid
from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.sweep import auc
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.roc import ROC
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import DatasetView, views
from reporting.features.fits.frame import FITS

NAMES = {
    "step": "steps",
    "trapezoid": "trapezoids",
    "davis_goadrich": "Davis–Goadrich",
    "open_trapezoid": "open trapezoids",
    "binormal": "binormal, α\u202f:=\u202f½",
    "alpha_binormal": "α-binormal",
    "alpha_binormal_ddof1": "α-binormal, n\u202f−\u202f1",
}
"""How the estimators are called on the page."""
MEASURES = {"step": "ap_step", "trapezoid": "ap_trapezoid", "davis_goadrich": "ap_dg"}
"""The measures of a report that are estimators of the page."""
COUNTED = (*MEASURES, "open_trapezoid")
"""The estimators that count trials."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The test trials of a model at the corners of their ROC, from accept all to reject all, and its fits."""

    name: str
    misses: IntArray
    false_alarms: IntArray
    fits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By the fit, then by its parameter; a fit without a curve is left out."""
    measured: Mapping[str, float] = field(default_factory=dict)
    """The measures over the sweep that the report has, by name."""
    tied: bool = False
    """Some trials have the same score: not every cut is known."""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many targets and non-targets there are."""
        return int(self.misses[-1]), int(self.false_alarms[0])

    @property
    def share(self) -> float:
        """The share of targets."""
        return self.sizes[0] / sum(self.sizes)

    @property
    def rates(self) -> tuple[FloatArray, FloatArray]:
        """FAR and TPR at the corners."""
        n_target, n_nontarget = self.sizes
        return self.false_alarms / n_nontarget, 1 - self.misses / n_target

    @property
    def auc(self) -> float:
        """Area under the ROC."""
        return float(auc(self.misses, self.false_alarms))

    @property
    def areas(self) -> dict[str, float]:
        """Average precision by those of ``COUNTED`` that are known."""
        known = {name: self.measured.get(key) for name, key in MEASURES.items()}
        known["open_trapezoid"] = None if self.tied else float(ap_open_trapezoid(*self.every_cut))
        return {name: value for name, value in known.items() if value is not None}

    @property
    def every_cut(self) -> tuple[IntArray, IntArray]:
        """Misses and false alarms at every cut, where no trials are tied."""
        misses, alarms = [self.misses[:1]], [self.false_alarms[:1]]
        for rise, fall in zip(np.diff(self.misses), -np.diff(self.false_alarms), strict=True):
            inside = np.arange(1, rise + fall + 1)
            misses.append(misses[-1][-1] + np.minimum(inside, rise))
            alarms.append(alarms[-1][-1] - np.minimum(inside, fall))
        return np.concatenate(misses), np.concatenate(alarms)


def samples(results: Results) -> list[Sample]:
    """Return the models of the first view that have both classes on test, in the report's order."""
    found = views(results)[:1]
    made = (_sample(view, model) for view in found for model in results.models)
    return [one for one in made if one is not None]


def _sample(view: DatasetView, model: str) -> Sample | None:
    here = {"model": model, "split": "test"}
    rows = view.part(view.results.frame(ROC)).filter(**here).sort("threshold")
    counts = [rows[name].to_numpy().astype(np.int64) for name in ("misses", "false_alarms")]
    if not len(rows) or not counts[0][-1] or not counts[1][0]:
        return None
    swept = (
        view.part(view.results.frame(METRICS))
        .filter(pl.col("criterion").is_null(), **here)
        .drop_nulls("value")
    )
    measured = dict(swept.select("measure", "value").iter_rows())
    distinct = view.part(view.results.frame(TRIALS)).filter(**here)["n_distinct"].item()
    tied = distinct < counts[0][-1] + counts[1][0]
    return Sample(view.names[model], counts[0], counts[1], _fits(view, here), measured, tied)


def _fits(view: DatasetView, here: Mapping[str, str]) -> dict[str, dict[str, float]]:
    if view.results.frame(FITS).is_empty():
        return {}
    found: dict[str, dict[str, float]] = {}
    rows = view.part(view.results.frame(FITS)).filter(**here).drop_nulls("value")
    for fit, parameter, value in rows.select("fit", "parameter", "value").iter_rows():
        found.setdefault(fit, {})[parameter] = value
    return {fit: numbers for fit, numbers in found.items() if {"a", "b"} <= set(numbers)}


def same_order(found: list[Sample]) -> tuple[Sample, Sample] | None:
    """Return the first model and the first other one that ranks the same trials alike."""
    for other in found[1:]:
        first = found[0]
        if np.array_equal(first.misses, other.misses) and np.array_equal(
            first.false_alarms, other.false_alarms
        ):
            return first, other
    return None


@dataclass(frozen=True, eq=False)
class Simulated:
    """The frame ``ap_estimators``: one row a share of targets and estimator."""

    frame: pl.DataFrame

    @property
    def alphas(self) -> list[float]:
        """The shares at which there are estimates, ascending."""
        there = self.frame.filter(pl.col("status").is_null())
        return sorted(there["alpha"].unique().to_list())

    @property
    def every_alpha(self) -> list[float]:
        """All shares, ascending."""
        return sorted(self.frame["alpha"].unique().to_list())

    @property
    def simulations(self) -> int:
        """How many simulations there are of each share."""
        return int(self.frame["simulations"].max() or 0)  # type: ignore[arg-type]

    def number(self, alpha: float, estimator: str, name: str) -> float | None:
        """One number of one row; None where it is undefined."""
        value: float | None = self.frame.filter(alpha=alpha, estimator=estimator)[name].item()
        return value

    def along(self, estimator: str, name: str) -> FloatArray:
        """One number of an estimator at ``alphas``."""
        rows = self.frame.filter(pl.col("alpha").is_in(self.alphas), estimator=estimator).sort("alpha")
        return rows[name].to_numpy().astype(np.float64)
