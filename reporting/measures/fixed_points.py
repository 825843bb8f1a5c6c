"""One error rate where the other is fixed on the judged split itself: a posteriori by construction."""

from __future__ import annotations

from fractions import Fraction

from reporting.contents import parameter, show_value, word
from reporting.measures.measure import Measure
from reporting.stats import sweep

HOW = word("how", "at_most", "nearest", "interp")
"""The cut that keeps to the bound, the one nearest to it, or the line through all cuts at the bound."""

OTHERWISE = "; how=nearest: at the cut nearest to it; how=interp: at the bound itself, between two cuts"
ZHOU = "Zhou, Obuchowski, McClish 2011, doi:10.1002/9780470906514"

FRR_AT_FAR = Measure(
    key="frr_at_far",
    always_said=("far",),
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    label="FRR at FAR",
    name="false rejection rate at a fixed false acceptance rate",
    over="sweep",
    on_runs=False,
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.frr_at_far,
    synonyms=(
        "FRR@FAR",
        "FNMR at FMR",
        "FNMR@FMR",
        "FMR100",
        "FMR1000",
        "miss rate at fixed false alarm rate",
        "1 - TAR@FAR",
    ),
    definition=f"the smallest FRR of the cuts whose FAR is not above a bound{OTHERWISE}",
    source="ISO/IEC 19795-1:2021; Bengio, Mariethoz, Keller, eq. (12)",
)
ZERO_FMR = Measure(
    key="zero_fmr",
    parameters=(parameter("far", 0.0, 0.0, 0.0), word("how", "at_most")),
    label="ZeroFMR",
    name="false rejection rate at no false acceptance",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.frr_at_far,
    definition="the smallest FRR of the cuts without a false alarm",
    source="Maio, Maltoni, Cappelli, Wayman, Jain 2002: FVC2000, doi:10.1109/34.990140",
)
FAR_AT_FRR = Measure(
    key="far_at_frr",
    always_said=("frr",),
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    label="FAR at FRR",
    name="false acceptance rate at a fixed false rejection rate",
    over="sweep",
    on_runs=False,
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.far_at_frr,
    synonyms=(
        "FAR@FRR",
        "FMR at FNMR",
        "FMR@FNMR",
        "ZeroFNMR",
        "FPR at TPR",
        "FPR95",
        "FPR at 95 % recall",
        "false alarm rate at fixed miss rate",
    ),
    definition=f"the smallest FAR of the cuts whose FRR is not above a bound{OTHERWISE}",
    source="ISO/IEC 19795-1:2021; Bengio, Mariethoz, Keller, eq. (13)",
)
SENSITIVITY_AT = Measure(
    key="sensitivity_at",
    always_said=("specificity",),
    parameters=(parameter("specificity", 0.9, 0.0, 1.0), HOW),
    label="sensitivity at specificity",
    name="sensitivity at a fixed specificity",
    over="sweep",
    on_runs=False,
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=sweep.sensitivity_at,
    synonyms=(
        "sensitivity at fixed specificity",
        "Sens.Spec95",
        "TPR at FPR",
        "TAR@FAR",
        "GAR@FAR",
        "VR@FAR",
        "recall at fixed specificity",
        "1 - FRR@FAR",
    ),
    definition=f"the largest sensitivity of the cuts whose specificity is not below a bound{OTHERWISE}",
    source=ZHOU,
)
SPECIFICITY_AT = Measure(
    key="specificity_at",
    always_said=("sensitivity",),
    parameters=(parameter("sensitivity", 0.9, 0.0, 1.0), HOW),
    label="specificity at sensitivity",
    name="specificity at a fixed sensitivity",
    over="sweep",
    on_runs=False,
    own_cut=True,
    better="higher",
    bounds=(0.0, 1.0),
    formula=sweep.specificity_at,
    synonyms=("specificity at fixed sensitivity", "Spec.Sens95", "TNR at TPR", "TNR at 95 % TPR"),
    definition=f"the largest specificity of the cuts whose sensitivity is not below a bound{OTHERWISE}",
    source=ZHOU,
)

RULE_OF_30 = 30


def unresolvable(measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Tell whether fewer than one error is allowed at the fixed rate, though some share of one is.

    The value is then that at no error at all. A rate fixed at 0 asks for just that. Methods 5.2.
    """
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and 0 < allowed < 1


def below_rule_of_30(measure: Measure, n_target: int, n_nontarget: int) -> bool:
    """Tell whether fewer than 30 errors are allowed at the fixed rate: it is then poorly known itself."""
    allowed = errors_allowed(measure, n_target, n_nontarget)
    return allowed is not None and allowed < RULE_OF_30


def errors_allowed(measure: Measure, n_target: int, n_nontarget: int) -> Fraction | None:
    """Return the fixed error rate times its class, None for a measure that fixes none.

    Exact in decimals: a specificity of 0.9 over 10 non-targets allows one error, not a little less.
    """
    if measure.key not in FIXED:
        return None
    name, of_targets, is_error = FIXED[measure.key]
    value = measure.arguments[name]
    rate = Fraction(show_value(value))
    return (rate if is_error else 1 - rate) * (n_target if of_targets else n_nontarget)


FIXED = {
    FRR_AT_FAR.key: ("far", False, True),
    FAR_AT_FRR.key: ("frr", True, True),
    SENSITIVITY_AT.key: ("specificity", False, False),
    SPECIFICITY_AT.key: ("sensitivity", True, False),
}
"""By key: the parameter that fixes a rate, whether it is a rate of the targets, and whether one of errors."""
