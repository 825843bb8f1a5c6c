"""Measures at a threshold: error rates, shares of trials and of decisions, and indices of agreement.

Shares of all trials and of decisions depend on the prevalence. A test set's is often a choice of its makers;
``prevalence`` declares another.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from reporting.base.contents import parameter, word_or_number
from reporting.core.measures.costs import NORMED_COST_PARAMETERS
from reporting.core.measures.measure import Measure, measure
from reporting.core.stats import confusion, rates

PREVALENCE = word_or_number("prevalence", "sample", 1e-12, 1 - 1e-12)
"""The share of targets: the sample's own, or that of the population meant."""

rate = partial(measure, over="threshold")
index = partial(rate, printed_in="number")


def share(key: str, better: str, formula: confusion.Share) -> Measure:
    """Declare a share of trials: its formula, its range and the counts behind it are one value."""
    of_a_class = formula.whole in ("target", "nontarget")
    parameters = () if of_a_class else (PREVALENCE,)
    return rate(key, better=better, formula=formula, counted=formula, parameters=parameters)


# A function of this module, not a lambda: a measure travels to other processes by the names of its functions.
def weights_of_alpha(alpha: float, **_: Any) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of a weighted error, whatever else it takes."""
    return alpha, 1.0 - alpha


def _whole(**_: Any) -> float:
    return 1.0


FAR = rate(
    "far", better="lower", formula=rates.far, weights=(1.0, 0.0), counted=confusion.Share("fp", "nontarget")
)
FRR = rate(
    "frr", better="lower", formula=rates.frr, weights=(0.0, 1.0), counted=confusion.Share("fn", "target")
)
HTER = rate("hter", better="lower", formula=rates.hter, weights=(0.5, 0.5))
WEIGHTED_ERROR = rate(
    "weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    better="lower",
    formula=rates.weighted_error,
    weights=weights_of_alpha,
    swept="alpha",
)
DCF = index(
    "dcf",
    parameters=NORMED_COST_PARAMETERS,
    always_said=("p_target",),
    better="lower",
    bounds=(0.0, float("inf")),
    formula=rates.dcf,
    weights=rates.cost_weights,
)
RECALL = share("recall", better="higher", formula=confusion.recall)


SPECIFICITY = share("specificity", better="higher", formula=confusion.specificity)
BALANCED_ACCURACY = rate(
    "balanced_accuracy",
    better="higher",
    formula=confusion.balanced_accuracy,
    weights=(-0.5, -0.5),
    offset=_whole,
)
G_MEAN = index("g_mean", better="higher", formula=confusion.g_mean)
YOUDEN = index(
    "youden",
    better="higher",
    bounds=(-1.0, 1.0),
    formula=confusion.youden,
    weights=(-1.0, -1.0),
    offset=_whole,
)
CORNER_DISTANCE = index(
    "corner_distance", better="lower", bounds=(0.0, math.sqrt(2.0)), formula=confusion.corner_distance
)
LR_POSITIVE = index("lr_positive", better="higher", bounds=(0.0, float("inf")), formula=confusion.lr_positive)
LR_NEGATIVE = index("lr_negative", better="lower", bounds=(0.0, float("inf")), formula=confusion.lr_negative)
ODDS_RATIO = index("odds_ratio", better="higher", bounds=(0.0, float("inf")), formula=confusion.odds_ratio)
ACCURACY = share("accuracy", better="higher", formula=confusion.accuracy)
ERROR_RATE = share("error_rate", better="lower", formula=confusion.error_rate)
PRECISION = share("precision", better="higher", formula=confusion.precision)
NPV = share("npv", better="higher", formula=confusion.npv)
FDR = share("fdr", better="lower", formula=confusion.fdr)
FALSE_OMISSION_RATE = share("false_omission_rate", better="lower", formula=confusion.false_omission_rate)
MARKEDNESS = index(
    "markedness", parameters=(PREVALENCE,), better="higher", bounds=(-1.0, 1.0), formula=confusion.markedness
)
LIFT = index(
    "lift", parameters=(PREVALENCE,), better="higher", bounds=(0.0, float("inf")), formula=confusion.lift
)
NUMBER_NEEDED_TO_EVALUATE = index(
    "number_needed_to_evaluate",
    parameters=(PREVALENCE,),
    better="lower",
    bounds=(1.0, float("inf")),
    formula=confusion.number_needed_to_evaluate,
)
ACCEPTANCE_RATE = share("acceptance_rate", better="lower", formula=confusion.acceptance_rate)
REJECTION_RATE = share("rejection_rate", better="higher", formula=confusion.rejection_rate)
NET_BENEFIT = index(
    "net_benefit",
    parameters=(parameter("p_threshold", 0.5, 1e-12, 1 - 1e-12), PREVALENCE),
    always_said=("p_threshold",),
    better="higher",
    bounds=(-float("inf"), 1.0),
    formula=confusion.net_benefit,
)
F1 = index("f1", parameters=(PREVALENCE,), better="higher", formula=confusion.f1)


F_BETA = index(
    "f_beta",
    parameters=(parameter("beta", 1.0, 1e-3, 1e3), PREVALENCE),
    better="higher",
    formula=confusion.f_beta,
)
JACCARD = index("jaccard", parameters=(PREVALENCE,), better="higher", formula=confusion.jaccard)
GILBERT_SKILL = index(
    "gilbert_skill",
    parameters=(PREVALENCE,),
    better="higher",
    bounds=(-1 / 3, 1.0),
    formula=confusion.gilbert_skill,
)
FOWLKES_MALLOWS = index(
    "fowlkes_mallows", parameters=(PREVALENCE,), better="higher", formula=confusion.fowlkes_mallows
)
P4 = index("p4", parameters=(PREVALENCE,), better="higher", formula=confusion.p4)
MCC = index("mcc", parameters=(PREVALENCE,), better="higher", bounds=(-1.0, 1.0), formula=confusion.mcc)
KAPPA = index("kappa", parameters=(PREVALENCE,), better="higher", bounds=(-1.0, 1.0), formula=confusion.kappa)
CHI_SQUARED = index(
    "chi_squared", better="higher", bounds=(0.0, float("inf")), formula=confusion.chi_squared, totals=True
)
MUTUAL_INFORMATION = index(
    "mutual_information", parameters=(PREVALENCE,), better="higher", formula=confusion.mutual_information
)
