"""Measures of calibrated scores: likelihood ratios in bits, and probabilities against what happened."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reporting.base.contents import parameter, word
from reporting.core.measures.costs import CALIBRATION, least, of_llrs
from reporting.core.measures.measure import HULL_CORRECTION, LEAST_ERRORS, Optimum, measure
from reporting.core.measures.threshold import PREVALENCE
from reporting.core.stats import likelihood, probability, smooth_calibration
from reporting.core.stats.special import expit

INFINITE = float("inf")
P_TARGET = parameter("p_target", 0.5, 1e-12, 1 - 1e-12)

of_probabilities = partial(
    measure, over="scores", needs="probability", printed_in="number", parameters=(CALIBRATION, PREVALENCE)
)

GAP = "|frequency - p|, the frequency of targets at p being that of the smooth calibration curve (loess)"
"""What the indices of the smooth calibration curve are made of."""

of_smooth_curve = partial(of_probabilities, better="lower", biased_upward=True, smooth=True)


def _of_prior(prior_log_odds: float) -> tuple[float, float]:
    return float(expit(-prior_log_odds)), float(expit(prior_log_odds))


CLLR = of_llrs(
    "cllr", parameters=(CALIBRATION,), formula=likelihood.cllr, mean_costs=likelihood.entropy_costs
)


def _with_laplace(laplace: bool) -> bool:
    """Return whether one more trial of each class is counted, a number that weights leave open."""
    return laplace


MINCLLR = least(
    "mincllr",
    parameters=(parameter("laplace", False),),
    bounds=(0.0, INFINITE),
    formula=likelihood.mincllr,
    totals=_with_laplace,
    optimum=Optimum(likelihood.minece_held, HULL_CORRECTION, LEAST_ERRORS),
)
CALIBRATION_LOSS = of_llrs(
    "calibration_loss", parameters=(CALIBRATION,), formula=likelihood.calibration_loss, biased_upward=True
)
ECE = of_llrs(
    "ece",
    parameters=(replace(P_TARGET, is_spelt_out=True), CALIBRATION),
    always_said=("p_target",),
    formula=likelihood.empirical_cross_entropy,
    mean_costs=likelihood.entropy_costs,
)
MINECE = least(
    "minece",
    parameters=(P_TARGET,),
    always_said=("p_target",),
    formula=likelihood.minece,
    optimum=Optimum(likelihood.minece_held, HULL_CORRECTION, LEAST_ERRORS),
)
BAYES_ERROR = measure(
    "bayes_error",
    parameters=(parameter("prior_log_odds", 0.0), CALIBRATION),
    over="scores",
    needs="llr",
    better="lower",
    formula=likelihood.bayes_error,
    bayes_costs=_of_prior,
)
BRIER = of_probabilities(
    "brier", better="lower", formula=probability.brier, mean_costs=probability.brier_costs
)
BRIER_SKILL = of_probabilities(
    "brier_skill", better="higher", bounds=(-INFINITE, 1.0), formula=probability.brier_skill
)
RMSE = of_probabilities("rmse", better="lower", formula=probability.rmse)
LOG_LOSS = of_probabilities(
    "log_loss",
    needs="log_odds",
    better="lower",
    bounds=(0.0, INFINITE),
    formula=probability.log_loss,
    mean_costs=probability.log_costs,
)
OE_RATIO = of_probabilities(
    "oe_ratio", better="lower", ideal=1.0, bounds=(0.0, INFINITE), formula=probability.oe_ratio
)
CALIBRATION_INTERCEPT = of_probabilities(
    "calibration_intercept",
    needs="log_odds",
    better="lower",
    ideal=0.0,
    bounds=(-INFINITE, INFINITE),
    formula=probability.calibration_intercept,
)
CALIBRATION_SLOPE = of_probabilities(
    "calibration_slope",
    needs="log_odds",
    better="lower",
    ideal=1.0,
    bounds=(-INFINITE, INFINITE),
    formula=probability.calibration_slope,
    skewed=True,
)
CALIBRATION_ERROR = of_probabilities(
    "calibration_error",
    parameters=(word("bins", "10", "5", "15", "20", "25", "50", "100"), CALIBRATION, PREVALENCE),
    better="lower",
    formula=probability.calibration_error,
    biased_upward=True,
)
ICI = of_smooth_curve("ici", formula=smooth_calibration.ici, definition=f"mean over trials of {GAP}")
E50 = of_smooth_curve("e50", formula=smooth_calibration.e50, definition=f"median over trials of {GAP}")
E90 = of_smooth_curve(
    "e90", formula=smooth_calibration.e90, definition=f"90th percentile over trials of {GAP}"
)
EMAX = of_smooth_curve("emax", formula=smooth_calibration.emax, definition=f"maximum over trials of {GAP}")
ECI = of_smooth_curve(
    "eci",
    bounds=(0.0, 100.0),
    formula=smooth_calibration.eci,
    definition=f"100 times the mean over trials of the square of {GAP}",
)
