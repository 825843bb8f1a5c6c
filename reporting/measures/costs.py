"""Detection costs: the least that any threshold attains, and what the Bayes decisions of LLRs cost."""

from __future__ import annotations

from typing import Any

from reporting.contents import parameter, word
from reporting.measures.measure import Measure
from reporting.measures.presets import PRESETS
from reporting.stats import likelihood, sweep
from reporting.stats.staircase import FloatArray

COST_PARAMETERS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
    parameter("normalised", True),
)
NORMED_COST_PARAMETERS = (*COST_PARAMETERS, word("norm", "trivial", "miss"))
CALIBRATION = word("calibration", "none", "affine", "pav")
POINTS = word("points", *PRESETS)


def cprimary(score: Any, n_target: Any, n_nontarget: Any, points: str) -> FloatArray:
    """Return the mean of the normalised actual costs at a preset's points."""
    return likelihood.mean_actdcf(score, n_target, n_nontarget, _points(points))


def mincprimary(misses: Any, false_alarms: Any, points: str) -> FloatArray:
    """Return the mean of the normalised minimum costs at a preset's points."""
    return likelihood.mean_mindcf(misses, false_alarms, _points(points))


def _points(preset: str) -> list[likelihood.Point]:
    return [(point.p_target, point.c_miss, point.c_fa, point.norm) for point in PRESETS[preset].points]


MINDCF = Measure(
    key="mindcf",
    parameters=NORMED_COST_PARAMETERS,
    label="minDCF",
    name="minimum detection cost",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=sweep.mindcf,
    synonyms=("minimum Cdet",),
    definition="min over cuts of c_miss p_target FRR + c_fa (1 - p_target) FAR,"
    " normalised: over the smaller of the two weights, or over that of FRR with norm=miss",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
ACTDCF = Measure(
    key="actdcf",
    parameters=(*NORMED_COST_PARAMETERS, CALIBRATION),
    label="actual DCF",
    name="actual detection cost",
    over="scores",
    needs="llr",
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=likelihood.actdcf,
    synonyms=("actual Cdet", "DCF of Bayes decisions"),
    definition="c_miss p_target FRR + c_fa (1 - p_target) FAR, normalised as minDCF is, where log likelihood"
    " ratios are accepted from log(c_fa (1 - p_target) / (c_miss p_target)) on",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, du Preez 2006, doi:10.1016/j.csl.2005.08.001",
)
CPRIMARY = Measure(
    key="cprimary",
    parameters=(POINTS, CALIBRATION),
    label="Cprimary",
    name="primary cost",
    over="scores",
    needs="llr",
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=cprimary,
    synonyms=("actual Cprimary",),
    definition="mean of the normalised actual detection costs at the points of an evaluation",
    source="NIST Speaker Recognition Evaluation plans of 2012 to 2021",
)
MINCPRIMARY = Measure(
    key="mincprimary",
    parameters=(POINTS,),
    label="min Cprimary",
    name="minimum primary cost",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=mincprimary,
    definition="mean of the normalised minimum detection costs at the points of an evaluation",
    source="NIST Speaker Recognition Evaluation plans of 2012 to 2021",
)
