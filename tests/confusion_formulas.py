"""The formulas of the confusion matrix, and how tests call them on a table."""

from reporting.core.stats import confusion

AT_PREVALENCE = (
    confusion.accuracy, confusion.error_rate, confusion.acceptance_rate, confusion.rejection_rate,
    confusion.precision, confusion.npv, confusion.fdr, confusion.false_omission_rate, confusion.markedness,
    confusion.lift, confusion.number_needed_to_evaluate, confusion.net_benefit, confusion.f1, confusion.f_beta, confusion.jaccard,
    confusion.gilbert_skill, confusion.fowlkes_mallows, confusion.p4, confusion.mcc, confusion.kappa, confusion.mutual_information,
)  # fmt: skip
OF_COUNTS = (
    confusion.recall, confusion.specificity, confusion.balanced_accuracy, confusion.g_mean, confusion.youden,
    confusion.corner_distance, confusion.lr_positive, confusion.lr_negative, confusion.odds_ratio,
    confusion.chi_squared,
)  # fmt: skip
EVERY = (*OF_COUNTS, *AT_PREVALENCE)


def of(formula, table, **parameters):
    """A formula of the table (TP, FN, FP, TN)."""
    tp, fn, fp, tn = table
    return float(formula(fn, fp, tp + fn, fp + tn, **parameters))


NAME_OF = {formula: name for name, formula in vars(confusion).items() if formula in EVERY}
