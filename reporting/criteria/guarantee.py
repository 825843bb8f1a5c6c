"""Criteria that promise: the true error rate stays below a limit, with a stated confidence."""

from __future__ import annotations

from reporting.contents import parameter, show_value
from reporting.criteria.criterion import Criterion
from reporting.errors import DataError
from reporting.stats.prediction import guaranteed_errors, trials_for_guarantee
from reporting.stats.selection import Choice, choose_level, far_levels, frr_levels
from reporting.stats.staircase import Staircase, Ties

SOURCE = "Wilks 1941: Determination of sample sizes for setting tolerance limits"
CONFIDENCE = parameter("confidence", 0.95, 1e-9, 1 - 1e-9)


def _guarantee_far(staircase: Staircase, ties: Ties, far: float, confidence: float) -> Choice:
    name = GUARANTEE.at(far=far, confidence=confidence)
    allowed = _allowed(name, staircase.n_nontarget, "non-targets", far, confidence)
    return choose_level(staircase, far_levels(staircase), allowed / staircase.n_nontarget, "at_most")


def _guarantee_frr(staircase: Staircase, ties: Ties, frr: float, confidence: float) -> Choice:
    name = GUARANTEE_FRR.at(frr=frr, confidence=confidence)
    allowed = _allowed(name, staircase.n_target, "targets", frr, confidence)
    return choose_level(staircase, frr_levels(staircase), allowed / staircase.n_target, "at_most")


def _allowed(criterion: Criterion, n: int, trials: str, rate: float, confidence: float) -> int:
    errors = guaranteed_errors(n, rate, confidence)
    if errors < 0:
        needed = trials_for_guarantee(rate, confidence)
        said = ", ".join(f"{p.name}={show_value(p.value)}" for p in criterion.parameters)
        raise DataError(f"{criterion.key!r} ({said}): dev has {n} {trials}; at least {needed} are needed")
    return errors


GUARANTEE = Criterion(
    key="guarantee",
    parameters=(parameter("far", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    label="FAR at most {far} with confidence {confidence}",
    select=_guarantee_far,
    has_oracle=False,
    same_weights=True,
    definition="the lowest cut above which the true FAR is at most a limit with a stated confidence,"
    " whatever the distribution of the scores; trials must be independent",
    source=SOURCE,
)
GUARANTEE_FRR = Criterion(
    key="guarantee_frr",
    parameters=(parameter("frr", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    label="FRR at most {frr} with confidence {confidence}",
    select=_guarantee_frr,
    has_oracle=False,
    same_weights=True,
    definition="the highest cut below which the true FRR is at most a limit with a stated confidence,"
    " whatever the distribution of the scores; trials must be independent",
    source=SOURCE,
)
