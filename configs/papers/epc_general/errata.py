"""What has to be corrected in the EPC paper: methods, section 2, in a sentence each."""

from __future__ import annotations

INEQUALITY = (
    "Eq. (9) reads V1(θ*_B) + V2(θ*_B) < V1(θ*_A) + V2(θ*_A) where B has the worse break-even point; Figures"
    " 1 and 2 exchange the roles of A and B. Of precision and recall the greater sum is the better."
)
ROUNDING = "Half of a last digit is rounded to even there; compared within 0.0006."
ATTAINED = (
    "Equality is asked for, but on finite data argmin |V1 − V2| seldom attains it: FAR and FRR move in steps"
    " of their own. Precision equals recall wherever as many are accepted as there are targets."
)
MAXIMISED = "F1 is to be maximised: g = −F1. Eq. (11) has the minus."
SETTING = "α = ½ minimises the HTER; the EER minimises |FAR − FRR|. These are different thresholds."
UNBIASED = (
    "Given dev, the value on test is unbiased for the threshold chosen where the measure is linear in FAR and"
    " FRR, not for F1 or precision; and for that threshold, not for the mean over all dev sets."
)
TIES = "Right, with tied pairs counted half."
ERROR_AREA = (
    "True only of a pair of errors such as FAR and FRR, and then of the area 1 − AUC. Of (TPR, FPR), which"
    " the paper names just before, the integrals are AUC and 1 − AUC."
)
FINITE = (
    "Equal in the limit: on finite data E along FAR is ½ (½ + A − r₀ / (2 N0)) and along FRR ½ (½ + A − q₀ /"
    " (2 N1)), A = 1 − AUC, r₀ and q₀ the least FRR without false acceptance and FAR without miss, where no"
    " score is shared by both classes."
)
ATTAINABLE = "Not every α is attained by a precision: accepting all trials has that of the share of targets."
OUTCOMES = "Both models judge one label: 8 outcomes of two models, 2 · 2^K of K."
EMPIRICAL = "They follow the empirical distribution of the trials, which stands for the unknown one."
CENTRED = (
    "m ± the quantile of |V* − m| is symmetric by construction and not the percentile interval. This report"
    " prints neither by default, but the difference ± z standard errors of the replicates."
)
ONE_SIDED = "0 outside a two-sided 95 % interval of equal tails means more than 97.5 % on one side."
SHADED = (
    "With thresholds held fixed the bootstrap compares two tuned systems. Tuned on dev they differ even where"
    " the models are one: with 2,000 non-targets and 500 targets a pair of equal models is shaded at 31 % of"
    " the α on average, and somewhere nearly always."
)
