"""Detection costs: the least that any threshold attains, and what the Bayes decisions of LLRs cost."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.contents import parameter, word
from reporting.base.records import dataclass
from reporting.core.measures.measure import LeastCost, Pair, measure
from reporting.core.stats import likelihood, rates, sweep


@dataclass(frozen=True)
class OperatingPoint:
    """One point of interest.

    ``normalised`` divides the cost by that of the best constant decision, or with ``norm="miss"`` by that
    of rejecting all.
    """

    name: str
    p_target: float = 0.5
    c_miss: float = 1.0
    c_fa: float = 1.0
    normalised: bool = True
    norm: Literal["trivial", "miss"] = "trivial"

    @property
    def cost(self) -> dict[str, Any]:
        """The parameters of a detection cost: all but the name."""
        return {name: value for name, value in vars(self).items() if name != "name"}


@dataclass(frozen=True)
class Preset:
    """The points of an evaluation; its primary cost is the mean of their normalised costs."""

    name: str
    points: tuple[OperatingPoint, ...]
    source: str


def _preset(name: str, source: str, p_targets: tuple[float, ...], **costs: Any) -> Preset:
    points = (OperatingPoint(name, p_target, **costs) for p_target in p_targets)
    return Preset(name, tuple(points), source)


_READ = tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8"))
PRESETS = {name: _preset(name, **entry) for name, entry in _READ.items()}
"""The presets by name; the first is the default of measures that take one."""

COST_PARAMETERS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
    parameter("normalised", True),
)
NORMED_COST_PARAMETERS = (*COST_PARAMETERS, word("norm", "trivial", "miss"))
CALIBRATION = word("calibration", "none", "affine", "pav")
POINTS = word("points", *PRESETS)

least = partial(measure, better="lower", printed_in="number", over="sweep", own_cut=True)
"""What any threshold could have attained; nothing is learnt on the development set."""
of_llrs = partial(
    measure, better="lower", bounds=(0.0, float("inf")), printed_in="number", over="scores", needs="llr"
)


def cprimary(score: Any, n_target: Any, n_nontarget: Any, points: str) -> FloatArray:
    """Return the mean of the normalised actual costs at a preset's points, in [0, inf), lower is better."""
    return _mean([likelihood.actdcf(score, n_target, n_nontarget, **point) for point in _points(points)])


def mincprimary(misses: Any, false_alarms: Any, points: str) -> FloatArray:
    """Return the mean of the normalised minimum costs at a preset's points, each at its own best threshold.

    Lower is better; in [0, 1] where the unit is the cost of the best constant decision.
    """
    return _mean([sweep.mindcf(misses, false_alarms, **point) for point in _points(points)])


def _mean(costs: list[FloatArray]) -> FloatArray:
    return np.asarray(sum(costs) / len(costs))


def _points(preset: str) -> list[dict[str, Any]]:
    return [point.cost for point in PRESETS[preset].points]


def _of_points(points: str) -> list[Pair]:
    return [rates.cost_weights(**point) for point in _points(points)]


MINDCF = least(
    "mindcf",
    parameters=NORMED_COST_PARAMETERS,
    always_said=("p_target",),
    bounds=(0.0, float("inf")),
    formula=sweep.mindcf,
    least_cost=LeastCost(rates.cost_weights),
)
ACTDCF = of_llrs(
    "actdcf",
    parameters=(*NORMED_COST_PARAMETERS, CALIBRATION),
    always_said=("p_target",),
    formula=likelihood.actdcf,
    bayes_costs=rates.cost_weights,
)
CPRIMARY = of_llrs(
    "cprimary",
    parameters=(POINTS, CALIBRATION),
    always_said=("points",),
    formula=cprimary,
    bayes_costs=_of_points,
)
MINCPRIMARY = least(
    "mincprimary",
    parameters=(POINTS,),
    always_said=("points",),
    formula=mincprimary,
    least_cost=LeastCost(_of_points),
)
