"""Measures of calibrated scores: likelihood ratios in bits, and probabilities against what happened."""

from __future__ import annotations

from reporting.contents import parameter, word
from reporting.measures.costs import CALIBRATION
from reporting.measures.measure import Measure
from reporting.measures.threshold import PREVALENCE
from reporting.stats import likelihood, probability

INFINITE = float("inf")
P_TARGET = parameter("p_target", 0.5, 1e-12, 1 - 1e-12)
CLLR_SOURCE = "Brümmer, du Preez 2006, doi:10.1016/j.csl.2005.08.001"
ECE_SOURCE = "Ramos, Gonzalez-Rodriguez 2013, doi:10.1016/j.forsciint.2013.04.014"
COX_SOURCE = "Cox 1958; Van Calster et al. 2019, doi:10.1186/s12916-019-1466-7"

CLLR = Measure(
    key="cllr",
    parameters=(CALIBRATION,),
    label="Cllr",
    name="log likelihood ratio cost",
    over="scores",
    needs="llr",
    better="lower",
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=likelihood.cllr,
    definition="[mean over targets of log2(1 + 1/LR) + mean over non-targets of log2(1 + LR)] / 2, in bits",
    source=CLLR_SOURCE,
)
MINCLLR = Measure(
    key="mincllr",
    parameters=(parameter("laplace", False),),
    label="min Cllr",
    name="minimum log likelihood ratio cost",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=likelihood.mincllr,
    definition="Cllr of the best likelihood ratios that keep the order of the scores (isotonic"
    " regression), in bits; laplace tempers the ends with a target and a non-target more",
    source=CLLR_SOURCE,
)
CALIBRATION_LOSS = Measure(
    key="calibration_loss",
    parameters=(CALIBRATION,),
    label="calibration loss",
    name="calibration loss",
    over="scores",
    needs="llr",
    better="lower",
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=likelihood.calibration_loss,
    synonyms=("Ccal",),
    definition="Cllr - min Cllr, in bits",
    source=CLLR_SOURCE,
)
ECE = Measure(
    key="ece",
    parameters=(P_TARGET, CALIBRATION),
    always_said=("p_target",),
    label="empirical cross-entropy",
    name="empirical cross-entropy",
    over="scores",
    needs="llr",
    better="lower",
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=likelihood.empirical_cross_entropy,
    definition="p mean over targets of log2(1 + 1/(LR O)) + (1 - p) mean over non-targets of"
    " log2(1 + LR O), with p = p_target and O = p / (1 - p), in bits",
    source=ECE_SOURCE,
)
MINECE = Measure(
    key="minece",
    parameters=(P_TARGET,),
    always_said=("p_target",),
    label="min empirical cross-entropy",
    name="minimum empirical cross-entropy",
    over="sweep",
    own_cut=True,
    better="lower",
    printed_in="number",
    formula=likelihood.minece,
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
    synonyms=("BER",),
    definition="p FRR + (1 - p) FAR, where log likelihood ratios are accepted from -prior_log_odds on"
    " and p = 1 / (1 + exp(-prior_log_odds))",
    source=CLLR_SOURCE,
)
BRIER = Measure(
    key="brier",
    parameters=(CALIBRATION, PREVALENCE),
    label="Brier score",
    name="Brier score",
    over="scores",
    needs="probability",
    better="lower",
    printed_in="number",
    formula=probability.brier,
    synonyms=("mean squared error",),
    definition="mean of (p - y)^2, y = 1 for a target and 0 otherwise",
    source="Brier 1950, Monthly Weather Review 78",
)
BRIER_SKILL = Measure(
    key="brier_skill",
    parameters=(CALIBRATION, PREVALENCE),
    label="Brier skill",
    name="Brier skill score",
    over="scores",
    needs="probability",
    better="higher",
    bounds=(-INFINITE, 1.0),
    printed_in="number",
    formula=probability.brier_skill,
    synonyms=("scaled Brier score", "index of prediction accuracy"),
    definition="1 - Brier score / (q (1 - q)), q the share of targets among the trials",
    source="Steyerberg et al. 2010, doi:10.1097/EDE.0b013e3181c30fb2",
)
RMSE = Measure(
    key="rmse",
    parameters=(CALIBRATION, PREVALENCE),
    label="RMSE",
    name="root mean squared error",
    over="scores",
    needs="probability",
    better="lower",
    printed_in="number",
    formula=probability.rmse,
    definition="square root of the Brier score",
    source="Sing et al. 2005 (ROCR), doi:10.1093/bioinformatics/bti623",
)
LOG_LOSS = Measure(
    key="log_loss",
    parameters=(CALIBRATION, PREVALENCE),
    label="log loss",
    name="logarithmic loss",
    over="scores",
    needs="probability",
    better="lower",
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=probability.log_loss,
    synonyms=("mean cross-entropy", "MXE"),
    definition="mean of -ln p over targets and -ln(1 - p) over non-targets together, in nats",
    source="Good 1952, doi:10.1111/j.2517-6161.1952.tb00104.x",
)
OE_RATIO = Measure(
    key="oe_ratio",
    parameters=(CALIBRATION, PREVALENCE),
    label="O:E",
    name="observed to expected ratio",
    over="scores",
    needs="probability",
    better="lower",
    ideal=1.0,
    bounds=(0.0, INFINITE),
    printed_in="number",
    formula=probability.oe_ratio,
    definition="targets / sum of p",
    source="Van Calster et al. 2019, doi:10.1186/s12916-019-1466-7",
)
CALIBRATION_INTERCEPT = Measure(
    key="calibration_intercept",
    parameters=(CALIBRATION, PREVALENCE),
    label="calibration intercept",
    name="calibration in the large",
    over="scores",
    needs="probability",
    better="lower",
    ideal=0.0,
    bounds=(-INFINITE, INFINITE),
    printed_in="number",
    formula=probability.calibration_intercept,
    definition="a of P(target) = 1 / (1 + exp(-(a + logit p))), by maximum likelihood",
    source=COX_SOURCE,
)
CALIBRATION_SLOPE = Measure(
    key="calibration_slope",
    parameters=(CALIBRATION, PREVALENCE),
    label="calibration slope",
    name="calibration slope",
    over="scores",
    needs="probability",
    better="lower",
    ideal=1.0,
    bounds=(-INFINITE, INFINITE),
    printed_in="number",
    formula=probability.calibration_slope,
    definition="b of P(target) = 1 / (1 + exp(-(a + b logit p))), by maximum likelihood",
    source=COX_SOURCE,
)
CALIBRATION_ERROR = Measure(
    key="calibration_error",
    parameters=(word("bins", "10", "5", "15", "20", "25", "50", "100"), CALIBRATION, PREVALENCE),
    label="calibration error",
    name="binned calibration error",
    over="scores",
    needs="probability",
    better="lower",
    printed_in="number",
    formula=probability.calibration_error,
    synonyms=("expected calibration error",),
    definition="sum over equal bins of [0, 1] of (trials in the bin / trials) |mean p - observed frequency|",
    source="Naeini, Cooper, Hauskrecht 2015, doi:10.1609/aaai.v29i1.9602",
)
