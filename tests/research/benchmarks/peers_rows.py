"""Which function of bob.measure and of R stands beside which measure of ours, and why values differ."""

from __future__ import annotations

BOB = [
    ("far", "farfrr[0]"),
    ("frr", "farfrr[1]"),
    ("hter", "mean of farfrr"),
    ("precision", "precision_recall[0]"),
    ("recall", "precision_recall[1]"),
    ("f1", "f_score"),
    ("f_beta(beta=2)", "f_score(weight=2)"),
    ("auc", "roc_auc_score(npoints=2000)"),
    ("eer_discrete", "eer"),
    ("eer_rocch", "eer_rocch"),
    ("ks", "1 - sum of farfrr at min_hter_threshold"),
    *(
        (
            f"mindcf(p_target={prior},normalised=false)",
            f"farfrr at min_weighted_error_rate_threshold({alpha})",
        )
        for alpha, prior in ((0.1, 0.9), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (0.9, 0.1))
    ),
    ("least weighted error at alpha 0", "farfrr at min_weighted_error_rate_threshold(0.0)"),
    ("least weighted error at alpha 1", "farfrr at min_weighted_error_rate_threshold(1.0)"),
    ("frr_at_far(far=0.1)", "farfrr[1] at far_threshold(0.1)"),
    ("far_at_frr(frr=0.1)", "farfrr[0] at frr_threshold(0.1)"),
    ("hter along the EPC, alpha 0.1 to 0.9", "epc, inner alphas"),
    ("hter along the EPC, alpha 0 and 1", "epc, alpha 0 and 1"),
    ("actdcf(p_target=0.1)", "farfrr at the Bayes threshold"),
    ("cllr", "calibration.cllr"),
    ("mincllr", "calibration.min_cllr"),
    ("rmse", "rmse"),
    ("brier", "mse"),
    ("normal quantile of the rates (DET axes)", "ppndf"),
]
SAMPLE = "p_target the sample's, c_miss=5, c_fa=2, not normalised"
R = [
    ("far", "ROCR: fpr"),
    ("frr", "ROCR: fnr"),
    (f"dcf, {SAMPLE}", "ROCR: cost(cost.fn=5, cost.fp=2)"),
    ("recall", "ROCR: tpr"),
    ("specificity", "ROCR: tnr"),
    ("odds_ratio", "ROCR: odds"),
    ("accuracy", "ROCR: acc"),
    ("error_rate", "ROCR: err"),
    ("precision", "ROCR: ppv"),
    ("npv", "ROCR: npv"),
    ("fdr", "ROCR: pcfall"),
    ("false_omission_rate", "ROCR: pcmiss"),
    ("lift", "ROCR: lift"),
    ("acceptance_rate", "ROCR: rpp"),
    ("rejection_rate", "ROCR: rnp"),
    ("f1", "ROCR: f"),
    ("f_beta(beta=2)", "ROCR: f(alpha=0.2)"),
    ("mcc", "ROCR: phi"),
    ("chi_squared", "ROCR: chisq"),
    ("mutual_information", "ROCR: mi"),
    ("auc", "ROCR: auc"),
    ("pauc(far_max=0.3)", "ROCR: auc(fpr.stop=0.3)"),
    ("auch", "ROCR: rch (area)"),
    ("eer_rocch", "ROCR: max ecost"),
    ("mindcf(p_target=0.3,normalised=false)", "ROCR: ecost at 0.3"),
    (f"mindcf, {SAMPLE}", "ROCR: min cost(cost.fn=5, cost.fp=2)"),
    ("ap_trapezoid", "ROCR: aucpr"),
    ("ap_dg", "ROCR: aucpr"),
    ("break_even", "ROCR: prbe"),
    ("max_f1", "ROCR: max f"),
    ("max_mcc", "ROCR: max phi"),
    ("rmse", "ROCR: rmse"),
    ("log_loss", "ROCR: mxe"),
    ("(accuracy + 1 - rmse + auc) / 3", "ROCR: sar"),
    ("calibration_error", "ROCR: mean cal(window.size=4)"),
    ("far", "pROC: coords(ret='fpr')"),
    ("frr", "pROC: coords(ret='fnr')"),
    ("recall", "pROC: coords(ret='sensitivity')"),
    ("specificity", "pROC: coords(ret='specificity')"),
    ("youden", "pROC: coords(ret='youden') - 1"),
    ("youden", "pROC: coords(ret='youden')"),
    ("corner_distance", "pROC: sqrt coords(ret='closest.topleft')"),
    ("corner_distance", "pROC: coords(ret='closest.topleft')"),
    ("accuracy", "pROC: coords(ret='accuracy')"),
    ("error_rate", "pROC: coords(ret='1-accuracy')"),
    ("precision", "pROC: coords(ret='ppv')"),
    ("npv", "pROC: coords(ret='npv')"),
    ("fdr", "pROC: coords(ret='fdr')"),
    ("false_omission_rate", "pROC: coords(ret='1-npv')"),
    ("auc", "pROC: auc"),
    ("auc", "pROC: auc of roc(direction='auto')"),
    *(
        (f"{key}({bounds}{mcclish})", f"pROC: auc(partial.auc=c({part}), focus='{focus}'{correct})")
        for key, bounds, part, focus in (
            ("pauc", "far_max=0.3", "1, 0.7", "sp"),
            ("pauc", "far_min=0.1,far_max=0.4", "0.9, 0.6", "sp"),
            ("pauc_tpr", "tpr_min=0.7", "1, 0.7", "se"),
            ("pauc_tpr", "tpr_min=0.6,tpr_max=0.9", "0.9, 0.6", "se"),
        )
        for mcclish, correct in (
            ("", ""),
            (",mcclish=true", ", correct"),
            (",mcclish=true", ", correct, allow.invalid"),
        )
    ),
    ("ks", "pROC: coords('best', 'youden') - 1"),
    ("min_corner", "pROC: sqrt coords('best', 'closest.topleft')"),
    ("sensitivity_at(specificity=0.9,how=interp)", "pROC: coords(0.9, 'specificity')"),
    ("specificity_at(sensitivity=0.9,how=interp)", "pROC: coords(0.9, 'sensitivity')"),
    ("calibration_slope", "glm(label ~ logit p): slope"),
    ("calibration_intercept", "glm(label ~ offset(logit p)): intercept"),
]

ZERO_OVER_ZERO = "Ours: nothing is accepted, so precision is 0/0."
APPENDED = (
    "Ours: where no cut has that precision, only the appended point (recall 0, precision 1) has it, which no"
    " threshold attains. Target 1, non-target 2, precision 0.9: theirs 0, ours undefined."
)
SHARED_TOP = (
    "Ours: where the highest score is shared by both classes, bob.measure counts rejecting all but returns that"
    " very score, which accepts its trials. Targets 0, 1, non-targets 0, 1, alpha 0.9: theirs 1/2, rejecting all"
    " 1/10 (alpha 1: 1/2 and 0)."
)
BELOW_CHANCE = (
    "Ours: McClish's scale goes on below chance (under 1/2); pROC gives NA there, which leaves out just the poor"
    " models, unless told `allow.invalid` (row below: equal). Target 1, non-target 2, specificities over 0.7: NA,"
    " ours 7/17."
)
COSTS = "farfrr at min_weighted_error_rate_threshold"
LINE = "auc(recall, precision) of precision_recall_curve"
AT_CUTS = "precision_recall_curve: max(recall[precision >="

NOTES = {
    ("precision", "precision_score"): (
        f"{ZERO_OVER_ZERO} scikit-learn answers 0 (and warns), as if every"
        " acceptance had been wrong. Target 1 at threshold 2: theirs 0, ours undefined; `zero_division=nan` agrees."
    ),
    ("fowlkes_mallows", "fowlkes_mallows_score"): (
        "Both, of different things: theirs compares clusterings (pairs"
        " of trials that stay together), whichever cluster is called accepted. Labels 1, 1, 0, 0 with decisions"
        " 0, 0, 1, 1: theirs 1, ours 0."
    ),
    ("mutual_information", "mutual_info_score"): (
        "Both: nats against bits. One target accepted and one non-target rejected: theirs ln 2, ours 1."
    ),
    ("precision at every cut", "precision_recall_curve"): (
        f"{ZERO_OVER_ZERO} scikit-learn appends precision 1"
        " at recall 0 to its curve, also where the highest score is a non-target (precision 0 just before)."
    ),
    ("ap_dg", LINE): (
        "Ours: precision does not run straight between two points. One target and one non-target"
        " of equal score: theirs 3/4, random order and ours 1/2."
    ),
    ("ap_dg", "average_precision_score"): (
        "Both, of different curves: a step takes the precision at its end, the"
        " continuous curve all along. Target 3, non-target 2, target 1: 5/6 against 1 - ln(3/2) / 2."
    ),
    ("recall_at(precision=0.6)", f"{AT_CUTS} 0.6])"): APPENDED,
    ("recall_at(precision=0.9)", f"{AT_CUTS} 0.9])"): APPENDED,
    ("calibration_error", "calibration_curve(n_bins=10)"): (
        "Both: a probability on a border belongs to the bin"
        " above ([a, b)) in ours, to the one below ((a, b]) in theirs. Target at 0.45, non-target at 0.5: theirs"
        " 1/40, ours 21/40; without values on borders (bins=5 above) they agree."
    ),
    ("precision", "precision_recall[0]"): (f"{ZERO_OVER_ZERO} bob.measure answers 0."),
    ("auc", "roc_auc_score(npoints=2000)"): (
        "Ours: theirs is a trapezoid over 2000 thresholds at log-spaced rates, which miss"
        " cuts. Non-targets 0 to 59, targets 1/2 above each: exactly 61/120 = 0.50833, theirs 0.50847."
    ),
    ("eer_rocch", "eer_rocch"): ("Ours: theirs has had no PAV since its port from C++ and raises."),
    ("mincllr", "calibration.min_cllr"): ("Ours: theirs has had no PAV since its port from C++ and raises."),
    ("mindcf(p_target=0.25,normalised=false)", f"{COSTS}(0.75)"): SHARED_TOP,
    ("mindcf(p_target=0.1,normalised=false)", f"{COSTS}(0.9)"): SHARED_TOP,
    ("least weighted error at alpha 1", f"{COSTS}(1.0)"): SHARED_TOP,
    ("frr_at_far(far=0.1)", "farfrr[1] at far_threshold(0.1)"): (
        "Ours: theirs looks at thresholds equal to"
        " non-targets only and passes over targets just below one. Non-targets 0, 2, targets 1, 3, bound 1/2: theirs"
        " threshold 2 (FRR 1/2), ours 1 (FAR 1/2 too, FRR 0)."
    ),
    ("far_at_frr(frr=0.1)", "farfrr[0] at frr_threshold(0.1)"): (
        "Ours: theirs looks at targets only, and counts"
        " tied targets as rejected at their own score; it can then return its start, just above the lowest target."
        " Targets 1, 1, 1, 2, bound 0.4: theirs just above 1 (FRR 3/4, over the bound), ours 1 (FRR 0)."
    ),
    ("hter along the EPC, alpha 0.1 to 0.9", "epc, inner alphas"): (
        "Ours: where rejecting or accepting all is"
        " best on dev, bob.measure's threshold stands at dev's own highest or lowest score, beyond which test may have"
        " trials; ours is infinite. The rest are ties of dev (both optimal, ours by a stated rule) and the shared"
        " highest score above."
    ),
    ("hter along the EPC, alpha 0 and 1", "epc, alpha 0 and 1"): (
        "Ours: at the ends many cuts of dev are optimal,"
        " and bob.measure's pick hangs on the order of its loop and on 1 - 1/3 - 1/3 - 1/3 > 0. Non-targets 0, 1, 2,"
        " targets 3, 4 on dev and test: HTER 1/6 and 1/2, ours 0 and 0 (of the optimal cuts that of least errors)."
    ),
    ("normal quantile of the rates (DET axes)", "ppndf"): (
        "Ours: theirs is a rational approximation, off by up to 2e-8; invisible in a plot."
    ),
    ("odds_ratio", "ROCR: odds"): (
        "Convention: x/0 is Inf in ROCR, undefined in ours (no table or mean can hold"
        " it). Of two targets one accepted, no false alarm: Inf."
    ),
    ("f1", "ROCR: f"): (
        "Ours: where nothing is accepted, 2 TP / (2 TP + FP + FN) is 0; ROCR goes by 1 / precision"
        " and gives NaN. Target 1, non-target 0, threshold 2: NaN, ours (and scikit-learn's) 0."
    ),
    ("f_beta(beta=2)", "ROCR: f(alpha=0.2)"): ("Ours, as F1 above."),
    ("mcc", "ROCR: phi"): (
        "Convention: where all or nothing is accepted it is 0/0; NaN in ROCR, 0 in ours (and in"
        " scikit-learn): such decisions are independent of the labels."
    ),
    ("mutual_information", "ROCR: mi"): (
        "Ours: a constant decision says 0 bits; ROCR's 0 log(0/0) is NaN where all"
        " or nothing is accepted. Elsewhere equal: ROCR's are bits."
    ),
    ("ap_trapezoid", "ROCR: aucpr"): (
        "Ours is the plain trapezoid; ROCR starts at (0, 1) and drops the points"
        " without a target even when the highest scores are non-targets. Non-target 3, target 2, non-target 1: theirs"
        " 3/4, ours (and scikit-learn's) 1/4."
    ),
    ("ap_dg", "ROCR: aucpr"): (
        "Ours: ROCR joins one target at a time by straight lines, groups of up to two"
        " targets not even so, and puts the points of a second group in the wrong place. Three targets and three"
        " non-targets of equal score: theirs 7/12, random order and ours 1/2; two of each: theirs 3/4, ours 1/2."
    ),
    ("max_mcc", "ROCR: max phi"): (
        "Convention, as MCC above: where every cut ranks the wrong way, the best is to accept or reject all, 0 in"
        " ours and NaN (left out) in ROCR. Target 0, non-target 1: theirs -1, ours 0."
    ),
    ("break_even", "ROCR: prbe"): (
        "Ours: between two cutoffs ROCR returns `uniroot(...)$f.root`, the residual of"
        " recall - precision, instead of the precision: about 0. Target 3; target and two non-targets at 2; target 1:"
        " theirs 2e-16, ours 5/9."
    ),
    ("calibration_error", "ROCR: mean cal(window.size=4)"): (
        "Both, of different things: theirs slides a window of"
        " trials over the sorted scores, ours has equal bins."
    ),
    ("youden", "pROC: coords(ret='youden')"): (
        "Ours: J is sensitivity + specificity - 1; pROC leaves the 1 in"
        " (its weights make it a general sum). Perfect decisions: theirs 2, ours 1."
    ),
    ("corner_distance", "pROC: coords(ret='closest.topleft')"): (
        "Ours: theirs is the square of the distance."
    ),
    ("auc", "pROC: auc of roc(direction='auto')"): (
        "Ours: by default pROC turns a model round when its"
        " non-targets have the higher median. Non-targets 2, 3, targets 0, 1: theirs 1, ours (and direction='<') 0."
    ),
    **{row: BELOW_CHANCE for row in R if row[1].endswith(", correct)")},
}
"""By our measure and their function: who is right where they differ, and a smallest example."""

BESIDE = [
    "Infinite scores: scikit-learn raises ValueError, pROC warns and gives NaN, ROCR drops the trials without a"
    " word (non-targets inf, 0, targets 1, 2: AUC 1, truly 1/2); bob.measure and ours take them.",
    "Extreme probabilities and ratios: scikit-learn's log_loss clips p at 2^-52 (a target at p = 0 and a"
    " non-target at 1/2: 18.4, ours infinite); bob.measure's cllr overflows beyond 709 (OverflowError), ours does"
    " not.",
    "Classes that a threshold separates have no finite calibration slope: undefined in ours; glm stops where its"
    " deviance no longer moves and gives a large number.",
    "A score that equals the threshold is accepted by all of them (pROC: by direction '<'), as by ours.",
]
"""What random finite tables do not show."""
