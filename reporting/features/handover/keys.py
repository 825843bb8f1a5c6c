"""The key ``handover``: whether thresholds are written to a file for what decides by them."""

from __future__ import annotations

from pydantic import ValidationInfo

from reporting.document.keys import Flag, QuestionKey, fault
from reporting.inputs.spec import ACROSS_FOLDS


def _has_one_threshold(wanted: bool, info: ValidationInfo) -> bool:
    """Refuse what a single number cannot hold, or new scores cannot be compared with."""
    if not wanted:
        return wanted
    policy = getattr(info.data.get("thresholds"), "policy", "dev")
    trials = info.data.get("trials")
    if policy in ACROSS_FOLDS or getattr(trials, "runs", None) == "fold":
        raise fault("one threshold is handed over, and here every fold has its own; expected a dev split")
    primary, criteria = info.data.get("primary"), info.data.get("criteria") or ()
    criteria = [*criteria, *([primary.criterion] if primary is not None and primary.criterion else [])]
    if policy == "none" and all(each.needs_dev or each.oracle for each in criteria):
        raise fault(
            "thresholds.policy 'none' chooses no threshold, and none is given; expected a dev split, or one"
            " in criteria such as fixed(threshold=0.5)"
        )
    if getattr(trials, "weights", None) is not None:
        raise fault("rates of weighted trials are not those of new scores; leave trials.weights out")
    if getattr(trials, "prevalence", "sample") != "sample":
        raise fault(
            "the rates expected of new scores are those of the test set with its own share of targets; leave"
            " trials.prevalence out"
        )
    if getattr(getattr(trials, "clusters", None), "file", None):
        raise fault(
            "new scores have no file of clusters; put the cluster into a column of the trials, or give"
            " trials.clusters a pattern"
        )
    return wanted


HANDOVER_KEY = QuestionKey[bool](
    name="handover",
    after="abstention",
    kind=Flag,
    default=False,
    description="true: write thresholds.json, each threshold with the rates expected of it, for"
    " `reporting drift` and Python",
    check=_has_one_threshold,
    needs_dev=bool,
    only_given=True,
    allows_noise=False,
)
KEYS = (HANDOVER_KEY,)
