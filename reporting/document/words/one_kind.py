"""Measures of one kind of errors, which the other error rate may buy."""

from __future__ import annotations

from typing import Literal

from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import Primary
from reporting.core.measures.measure import Measure

BY_ACCEPTING = ("frr", "recall", "npv", "false_omission_rate", "lr_negative")
"""Measures at a threshold that improve the more trials it accepts, whatever the scores say."""
BY_REJECTING = (
    *("far", "specificity", "precision", "fdr", "lr_positive", "lift"),
    *("number_needed_to_evaluate", "acceptance_rate", "rejection_rate"),
)
"""The same of trials that it rejects."""
OF_TARGETS = ("frr", "recall")
OF_NONTARGETS = ("far", "specificity", "acceptance_rate", "rejection_rate")
"""Measures that say nothing more where FRR, or FAR, is held: a better model accepts more at the same FAR."""


def paid_by(primary: Primary) -> Literal["", "far", "frr"]:
    """Return the other error rate, which alone may buy a better value; empty where none does.

    A measure of one kind of errors answers a question where the criterion holds the other rate, or where
    somebody gave the threshold; not where the threshold is chosen by both rates, or holds the measure.
    """
    measure, criterion = primary.measure, primary.criterion
    alone = {(1.0, 0.0): "far", (0.0, 1.0): "frr"}
    key = alone.get(measure.rate_weights() or (1.0, 1.0), measure.key)
    if key not in (*BY_ACCEPTING, *BY_REJECTING) or criterion.on == "score":
        return ""
    held = _rate_held_by(criterion)
    if held and key not in {"far": OF_NONTARGETS, "frr": OF_TARGETS}[held]:
        return ""
    return "far" if key in BY_ACCEPTING else "frr"


def _rate_held_by(criterion: Criterion) -> Literal["", "far", "frr"]:
    """Return the error rate that a criterion holds; a precision holds FAR, as far as recall allows."""
    fixed, its = criterion.fixed_rate, criterion.arguments.get("measure")
    if fixed is not None:
        return "frr" if fixed.of_targets else "far"
    if criterion.key == "guarantee_precision":
        return "far"
    if criterion.key != "target" or not isinstance(its, Measure):
        return ""
    return "far" if its.key in BY_REJECTING else "frr" if its.key in BY_ACCEPTING else ""
