"""Measures of calibrated scores: likelihood ratios in bits, and probabilities against what happened."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reporting.base.contents import parameter, word
from reporting.core.measures.costs import CALIBRATION, least, of_llrs
from reporting.core.measures.measure import HULL_CORRECTION, LEAST_ERRORS, Measure, Optimum
from reporting.core.measures.threshold import PREVALENCE
from reporting.core.stats import likelihood, probability, smooth_calibration
from reporting.core.stats.special import expit

INFINITE = float("inf")
P_TARGET = parameter("p_target", 0.5, 1e-12, 1 - 1e-12)
CLLR_SOURCE = "Brümmer, du Preez 2006, doi:10.1016/j.csl.2005.08.001"
ECE_SOURCE = "Ramos, Gonzalez-Rodriguez 2013, doi:10.1016/j.forsciint.2013.04.014"
COX_SOURCE = "Cox 1958; Van Calster et al. 2019, doi:10.1186/s12916-019-1466-7"

of_probabilities = partial(
    Measure, over="scores", needs="probability", printed_in="number", parameters=(CALIBRATION, PREVALENCE)
)

GAP = "|frequency - p|, the frequency of targets at p being that of the smooth calibration curve (loess)"
"""What the indices of the smooth calibration curve are made of."""
AUSTIN_SOURCE = "Austin, Steyerberg 2019, doi:10.1002/sim.8281"

of_smooth_curve = partial(of_probabilities, better="lower", biased_upward=True, smooth=True)


def _of_prior(prior_log_odds: float) -> list[tuple[float, float]]:
    return [(float(expit(-prior_log_odds)), float(expit(prior_log_odds)))]


CLLR = of_llrs(
    key="cllr",
    parameters=(CALIBRATION,),
    label="Cllr",
    name="log likelihood ratio cost",
    formula=likelihood.cllr,
    mean_costs=likelihood.entropy_costs,
    definition="[mean over targets of log2(1 + 1/LR) + mean over non-targets of log2(1 + LR)] / 2, in bits",
    source=CLLR_SOURCE,
)


def _with_laplace(laplace: bool) -> bool:
    """Return whether one more trial of each class is counted, a number that weights leave open."""
    return laplace


MINCLLR = least(
    key="mincllr",
    parameters=(parameter("laplace", False),),
    label="min Cllr",
    name="minimum log likelihood ratio cost",
    synonyms=("Cllr_min", "minimum Cllr", "discrimination loss"),
    bounds=(0.0, INFINITE),
    formula=likelihood.mincllr,
    totals=_with_laplace,
    optimum=Optimum(likelihood.mincllr_held, HULL_CORRECTION, LEAST_ERRORS),
    definition="Cllr of the best likelihood ratios that keep the order of the scores (isotonic"
    " regression), in bits; laplace tempers the ends with a target and a non-target more",
    source=CLLR_SOURCE,
)
CALIBRATION_LOSS = of_llrs(
    key="calibration_loss",
    parameters=(CALIBRATION,),
    label="calibration loss",
    name="calibration loss",
    formula=likelihood.calibration_loss,
    biased_upward=True,
    synonyms=("Ccal", "Cllr_cal"),
    definition="Cllr - min Cllr, in bits",
    source=CLLR_SOURCE,
)
ECE = of_llrs(
    key="ece",
    # Its name has p_target even at the default: ``ece`` alone may mean the expected calibration error.
    parameters=(replace(P_TARGET, is_spelt_out=True), CALIBRATION),
    always_said=("p_target",),
    label="empirical cross-entropy",
    name="empirical cross-entropy",
    formula=likelihood.empirical_cross_entropy,
    mean_costs=likelihood.entropy_costs,
    definition="p mean over targets of log2(1 + 1/(LR O)) + (1 - p) mean over non-targets of"
    " log2(1 + LR O), with p = p_target and O = p / (1 - p), in bits",
    source=ECE_SOURCE,
)
MINECE = least(
    key="minece",
    parameters=(P_TARGET,),
    always_said=("p_target",),
    label="min empirical cross-entropy",
    name="minimum empirical cross-entropy",
    formula=likelihood.minece,
    optimum=Optimum(likelihood.minece_held, HULL_CORRECTION, LEAST_ERRORS),
    definition="ECE of the best likelihood ratios that keep the order of the scores, in bits",
    source=ECE_SOURCE,
)
BAYES_ERROR = Measure(
    key="bayes_error",
    parameters=(parameter("prior_log_odds", 0.0), CALIBRATION),
    label="Bayes error",
    name="Bayes error rate",
    over="scores",
    needs="llr",
    better="lower",
    formula=likelihood.bayes_error,
    bayes_costs=_of_prior,
    synonyms=("BER",),
    definition="p FRR + (1 - p) FAR, where log likelihood ratios are accepted from -prior_log_odds on"
    " and p = 1 / (1 + exp(-prior_log_odds))",
    source=CLLR_SOURCE,
)
BRIER = of_probabilities(
    key="brier",
    label="Brier score",
    name="Brier score",
    better="lower",
    formula=probability.brier,
    mean_costs=probability.brier_costs,
    synonyms=("mean squared error",),
    definition="mean of (p - y)^2, y = 1 for a target and 0 otherwise",
    source="Brier 1950, Monthly Weather Review 78",
)
BRIER_SKILL = of_probabilities(
    key="brier_skill",
    label="Brier skill",
    name="Brier skill score",
    better="higher",
    bounds=(-INFINITE, 1.0),
    formula=probability.brier_skill,
    synonyms=("scaled Brier score", "index of prediction accuracy"),
    definition="1 - Brier score / (q (1 - q)), q the share of targets among the trials",
    source="Steyerberg et al. 2010, doi:10.1097/EDE.0b013e3181c30fb2",
)
RMSE = of_probabilities(
    key="rmse",
    label="RMSE",
    name="root mean squared error",
    better="lower",
    formula=probability.rmse,
    definition="square root of the Brier score",
    source="Sing et al. 2005 (ROCR), doi:10.1093/bioinformatics/bti623",
)
LOG_LOSS = of_probabilities(
    key="log_loss",
    needs="log_odds",
    label="log loss",
    name="logarithmic loss",
    better="lower",
    bounds=(0.0, INFINITE),
    formula=probability.log_loss,
    mean_costs=probability.log_costs,
    synonyms=("mean cross-entropy", "MXE"),
    definition="mean of -ln p over targets and -ln(1 - p) over non-targets together, in nats",
    source="Good 1952, doi:10.1111/j.2517-6161.1952.tb00104.x",
)
OE_RATIO = of_probabilities(
    key="oe_ratio",
    label="O:E",
    name="observed to expected ratio",
    better="lower",
    ideal=1.0,
    bounds=(0.0, INFINITE),
    formula=probability.oe_ratio,
    definition="targets / sum of p",
    source="Van Calster et al. 2019, doi:10.1186/s12916-019-1466-7",
)
CALIBRATION_INTERCEPT = of_probabilities(
    key="calibration_intercept",
    needs="log_odds",
    label="calibration intercept",
    name="calibration in the large",
    better="lower",
    ideal=0.0,
    bounds=(-INFINITE, INFINITE),
    formula=probability.calibration_intercept,
    definition="a of P(target) = 1 / (1 + exp(-(a + logit p))), by maximum likelihood",
    source=COX_SOURCE,
)
CALIBRATION_SLOPE = of_probabilities(
    key="calibration_slope",
    needs="log_odds",
    label="calibration slope",
    name="calibration slope",
    better="lower",
    ideal=1.0,
    bounds=(-INFINITE, INFINITE),
    formula=probability.calibration_slope,
    skewed=True,
    definition="b of P(target) = 1 / (1 + exp(-(a + b logit p))), by maximum likelihood",
    source=COX_SOURCE,
)
CALIBRATION_ERROR = of_probabilities(
    key="calibration_error",
    parameters=(word("bins", "10", "5", "15", "20", "25", "50", "100"), CALIBRATION, PREVALENCE),
    label="calibration error",
    name="binned calibration error",
    better="lower",
    formula=probability.calibration_error,
    biased_upward=True,
    synonyms=("expected calibration error",),
    definition="sum over equal bins of [0, 1] of (trials in the bin / trials) |mean p - observed frequency|",
    source="Naeini, Cooper, Hauskrecht 2015, doi:10.1609/aaai.v29i1.9602",
)
ICI = of_smooth_curve(
    key="ici",
    label="ICI",
    name="integrated calibration index",
    formula=smooth_calibration.ici,
    definition=f"mean over trials of {GAP}",
    source=AUSTIN_SOURCE,
)
E50 = of_smooth_curve(
    key="e50",
    label="E50",
    name="median calibration error",
    formula=smooth_calibration.e50,
    definition=f"median over trials of {GAP}",
    source=AUSTIN_SOURCE,
)
E90 = of_smooth_curve(
    key="e90",
    label="E90",
    name="90th percentile of the calibration error",
    formula=smooth_calibration.e90,
    definition=f"90th percentile over trials of {GAP}",
    source=AUSTIN_SOURCE,
)
EMAX = of_smooth_curve(
    key="emax",
    label="Emax",
    name="largest calibration error",
    formula=smooth_calibration.emax,
    definition=f"maximum over trials of {GAP}",
    source="Harrell 2015, doi:10.1007/978-3-319-19425-7, section 10.9",
)
ECI = of_smooth_curve(
    key="eci",
    label="ECI",
    name="estimated calibration index",
    bounds=(0.0, 100.0),
    formula=smooth_calibration.eci,
    definition=f"100 times the mean over trials of the square of {GAP}",
    source="Van Hoorde et al. 2015, doi:10.1016/j.jbi.2014.12.016",
)
