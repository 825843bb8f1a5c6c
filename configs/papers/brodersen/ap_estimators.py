"""The frame ``ap_estimators``: bias and error of average precision by several estimators, by simulation."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from configs.papers.brodersen.estimators import Law, estimates, performance
from reporting.core.resampling.draws import stream
from reporting.document.frames.contract import Frame, FrameRow


@dataclass(frozen=True, kw_only=True, slots=True)
class ApEstimatorRow(FrameRow):
    """A row of ``ap_estimators``."""

    alpha: float
    estimator: str
    n: int
    n_target: int
    simulations: int
    truth: float | None
    mean: float | None
    bias: float | None
    bias_se: float | None
    rmse: float | None
    rmse_se: float | None
    undefined: int
    status: str | None


AP_ESTIMATORS = Frame("ap_estimators", ApEstimatorRow, ("alpha", "estimator"))

ALPHAS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98, 1.0)
"""Shares of targets; at the two ends a class is empty and nothing can be estimated."""
SIMULATIONS = 1000


def ap_estimators_frame(seed: int) -> pl.DataFrame:
    """Return mean, bias and root mean squared error of every estimator by share of targets.

    Normal scores about +1 and -1 of spread 2, 100 in a simulation, a fixed number of them targets; numbers
    are null with status ``degenerate`` where no simulation has an estimate. Methods 12.6.
    """
    law = Law()
    return AP_ESTIMATORS.build([row for alpha in ALPHAS for row in _rows(law, alpha, seed)])


def _rows(law: Law, alpha: float, seed: int) -> Iterator[dict[str, object]]:
    """A stream of its own for every number of targets: further shares change no others."""
    n_target = law.n_target(alpha)
    truth = law.average_precision(alpha)
    drawn = law.rows(n_target, SIMULATIONS, stream(seed, "ap_estimators", n_target))
    for name, estimate in estimates(*drawn).items():
        found = performance(estimate, truth)
        yield {
            "alpha": alpha,
            "estimator": name,
            "n": law.n,
            "n_target": n_target,
            "simulations": SIMULATIONS,
            "truth": truth if 0 < alpha < 1 else None,
            **{key: _or_null(value) for key, value in dataclasses.asdict(found).items()},
            "status": "degenerate" if found.undefined == SIMULATIONS else None,
        }


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value
