"""Numbers of two classes of trials: an AUC, an EER, a sensitivity at a specificity."""

from __future__ import annotations

import math
from collections.abc import Callable

from reporting.base.records import dataclass, replace
from reporting.core.stats import planning
from reporting.core.stats.special import ndtri
from reporting.errors import ConfigError
from reporting.features.planning import goals, planned_areas, planned_sizes, sample_plan
from reporting.features.planning.options import Given
from reporting.features.planning.planned_areas import AreaError
from reporting.features.planning.planned_hulls import hull_error_ratio
from reporting.features.planning.questions import PlanQuestion

NORMAL_SCORES = "Scores of both classes are normal with one variance, for the planned standard error."
TOO_LARGE = "The published variance is larger than that of normal scores, so its numbers are too large."

OF_HULL = "The EER is that of the convex hull, whose smaller standard error is simulated at the planned size."

Sizes = tuple[float, float]
"""Targets and non-targets, or the independent trials they are worth."""


@dataclass(frozen=True)
class PlannedNumber:
    """A number of two classes: its expected value, its planned standard error, and that of two of them.

    ``covariance`` is that of two values whose scores are correlated; None where it is not known.
    ``sign`` is 1 where a higher value is better.
    """

    value: float
    se: Callable[[float, Sizes], float]
    covariance: Callable[[float, float, float, Sizes], float] | None
    sign: int
    percent: bool
    basis: str
    published: bool = False
    """Whether an interval is symmetric, as the published formulas have it; else on the logit scale."""
    hull: bool = False
    """Whether it is that of the convex hull, of which two differ less than by ``se``."""

    def width(self, sizes: Sizes, level: float) -> float:
        """The width of the interval of the value."""
        se = self.se(self.value, sizes)
        if self.published:
            return 2 * float(ndtri((1 + level) / 2)) * se
        return planned_areas.logit_width(self.value, se, level)

    def text(self, value: float) -> str:
        """Print a value."""
        return sample_plan.value_text(value, self.percent)


def plan(question: PlanQuestion, given: Given) -> sample_plan.SamplePlan:
    """Return the plan of a number of both classes."""
    number = NUMBERS[question.key](given)
    aim = goals.aim_of(given, "against" if question.key == "auc" else None)
    levels = goals.levels_of(given, aim)
    ratio = _ratio(given)
    effect = given.get("design_effect", 1.0)
    reached, wanted, sentence, method = _answer(question, given, number, aim, levels)

    def at(n_target: int) -> sample_plan.SampleSize:
        n_nontarget = planned_sizes.of_other_class(n_target, ratio)
        return sample_plan.SampleSize(n_target, n_nontarget, n_target + n_nontarget)

    def worth(n_target: int, of_one: float) -> Sizes:
        return n_target / of_one, (at(n_target).n_nontarget or 0) / of_one

    def design_of(of_one: float) -> sample_plan.PlannedDesign:
        goal: sample_plan.Goal = "width" if aim == "width" else "power"
        return sample_plan.PlannedDesign(
            "targets", goal, at, lambda n_target: reached(worth(n_target, of_one))
        )

    targets, design = given.get("targets"), design_of(effect)
    if number.hull and aim in ("two models", "non-inferiority"):
        first = targets or design.smallest(wanted or goals.POWER)
        if first is not None:
            # A standard error that is smaller by a factor is that of more trials by its square.
            eers = given["eer"], given["eer"] + given.get("difference", 0.0)
            # Scores whose correlation is not given have none.
            correlation = given.get("score_correlation", 0.0)
            smaller = hull_error_ratio(eers, correlation, *worth(first, effect))
            design = design_of(effect * smaller**2)
    assumptions = (number.basis, f"Design effect {effect:.3g}." if "design_effect" in given else INDEPENDENT)
    title = f"{question.measured} {number.text(number.value)}"
    words = sample_plan.PlanWords(question.key, title, sentence, method, assumptions, number.percent)
    if aim == "width" and goals.at_hand(given) and "width" in given:
        raise ConfigError(f"plan: give {goals.shown('targets')} or {goals.shown('width')}, not both")
    return sample_plan.plan_of(
        design, words, levels.level, given, wanted if targets is None else None, targets
    )


INDEPENDENT = "Trials are taken as independent."


def _ratio(given: Given) -> float:
    """Return the non-targets per target."""
    named = [name for name in ("ratio", "prevalence", "nontargets") if name in given]
    if len(named) > 1:
        raise ConfigError(
            f"plan: give one of {', '.join(map(goals.shown, named))}: each sets how many non-targets"
        )
    if "nontargets" in given:
        goals.needed(given, "targets")
        return float(given["nontargets"] / given["targets"])
    if "prevalence" in given:
        return float((1 - given["prevalence"]) / given["prevalence"])
    return float(given.get("ratio", 1.0))


Planned = tuple[Callable[[Sizes], float], float | None, str, str]


def _answer(
    question: PlanQuestion, given: Given, number: PlannedNumber, aim: goals.Aim, levels: goals.PlanLevel
) -> Planned:
    if aim == "width":
        sentence = (
            f"With {{size}}, the {levels.text} confidence interval of {question.with_article} of"
            f" {number.text(number.value)} has an expected width of {{reached}}."
        )
        scale = (
            "Symmetric interval" if number.published else "Interval on the logit scale, as a report has it,"
        )
        return (
            lambda sizes: number.width(sizes, levels.level),
            given.get("width"),
            sentence,
            f"{scale} with the planned standard error.",
        )
    if aim == "against":
        return _against(question, given, number, levels)
    return _two_models(question, given, number, levels)


def _against(question: PlanQuestion, given: Given, number: PlannedNumber, levels: goals.PlanLevel) -> Planned:
    fixed, value = given.get("against", 0.5), number.value
    if fixed == value:
        raise ConfigError(
            f"plan: {goals.shown(question.key)} and --against are both {value:g}; no sample separates them"
        )

    def power(sizes: Sizes) -> float:
        se, null_se = (number.se(each, sizes) for each in (value, fixed))
        return planning.power(value - fixed, se, levels.level, null_se)

    sentence = (
        f"With {{size}}, {levels.test} has {{reached}} to find that {question.with_article} of"
        f" {number.text(value)} differs from {number.text(fixed)}."
    )
    method = "z test, its variance under the null hypothesis that of the fixed value."
    return power, given.get("power", goals.POWER), sentence, method


def _two_models(
    question: PlanQuestion, given: Given, number: PlannedNumber, levels: goals.PlanLevel
) -> Planned:
    value, apart, margin = number.value, given.get("difference", 0.0), given.get("margin")
    other = value - number.sign * apart
    if not 0 < other < 1:
        raise ConfigError(
            f"plan: {goals.shown(question.key)} {value:g} and --difference {apart:g} make the second"
            f" {other:g}"
        )
    goals.check_margin(apart, margin)
    how = _how_related(question, given, number)
    # Obuchowski and McClish take the variance of the first model for both under the null hypothesis.
    obuchowski = number.published and given.get("method") == "obuchowski"

    def power(sizes: Sizes) -> float:
        shared = _shared(number, (value, other), how, given, sizes)
        variances = (number.se(each, sizes) ** 2 for each in (value, other))
        se = math.sqrt(max(sum(variances) - 2 * shared, 0.0))
        if margin is not None:
            return planned_sizes.power_of_bound(margin - apart, se, levels.level)
        null_se = math.sqrt(max(2 * number.se(value, sizes) ** 2 - 2 * shared, 0.0)) if obuchowski else None
        return planning.power(apart, se, levels.level, null_se)

    aim_text = goals.of_two_models(question.measured, (value, other), given, percent=number.percent)
    seen = "for each model" if how == "unpaired" else "scored by both models"
    sentence = f"With {{size}} {seen}, {levels.test} has {{reached}} {aim_text}."
    method = (
        "Normal test of a difference "
        + {
            "unpaired": "of independent samples.",
            "correlation": f"with a correlation of {given.get('correlation', 0):g} of the two values.",
            "score_correlation": f"of scores with a correlation of {given.get('score_correlation', 0):g}"
            " within either class.",
        }[how]
        + (f" {OF_HULL}" if number.hull else "")
    )
    return power, given.get("power", goals.POWER), sentence, method


def _how_related(question: PlanQuestion, given: Given, number: PlannedNumber) -> str:
    """Return the option for how the two models' values hang together."""
    how = goals.one_of_two(given, tuple(name for name in goals.OF_TWO if name in question.options))
    if how == "score_correlation" and number.covariance is None:
        method = given["method"].replace("_", "-")
        raise ConfigError(
            f"plan: --method {method} has no correlation of scores; give {goals.shown('correlation')} or"
            " --unpaired"
        )
    return how


def _shared(
    number: PlannedNumber, values: tuple[float, float], how: str, given: Given, sizes: Sizes
) -> float:
    """The covariance of the two models' values."""
    if how == "correlation":
        return float(given["correlation"]) * math.prod(number.se(value, sizes) for value in values)
    if how == "score_correlation" and number.covariance is not None:
        return number.covariance(*values, given["score_correlation"], sizes)
    return 0.0


def _auc(given: Given) -> PlannedNumber:
    goals.needed(given, "auc")
    method = given.get("method", "normal")
    if method not in ("normal", "hanley_mcneil", "obuchowski"):
        raise ConfigError(
            f"plan: --method {method} does not plan an AUC (allowed: hanley-mcneil, obuchowski)"
        )
    error: AreaError = method
    number = PlannedNumber(
        given["auc"],
        lambda area, sizes: planned_areas.area_se(area, *sizes, error),
        lambda first, second, r, sizes: planned_areas.areas_covariance(first, second, (r, r), *sizes),
        1,
        False,
        NORMAL_SCORES,
    )
    if error == "hanley_mcneil":
        basis = f"Variance of Hanley and McNeil (1982): exponential scores. {TOO_LARGE}"
        return replace(number, basis=basis, covariance=None, published=True)
    if error == "obuchowski":
        return replace(
            number,
            basis=f"Variance of Obuchowski and McClish (1997): fitted binormal curves. {TOO_LARGE}",
            covariance=lambda first, second, r, sizes: planned_areas.obuchowski_covariance(
                first, second, (r, r), *sizes
            ),
            published=True,
        )
    return number


def _eer(given: Given) -> PlannedNumber:
    goals.needed(given, "eer")
    return PlannedNumber(
        given["eer"],
        lambda eer, sizes: planned_areas.eer_se(eer, *sizes),
        lambda first, second, r, sizes: planned_areas.eers_covariance(first, second, (r, r), *sizes),
        -1,
        True,
        NORMAL_SCORES,
        hull=True,
    )


def _sensitivity(given: Given) -> PlannedNumber:
    goals.needed(given, "sensitivity", "at_specificity")
    specificity, spread = given["at_specificity"], given.get("spread", 1.0)
    ratio = "one variance" if spread == 1 else f"a ratio {spread:g} of standard deviations"
    return PlannedNumber(
        given["sensitivity"],
        lambda value, sizes: planned_areas.sensitivity_se(value, specificity, *sizes, spread),
        None,
        1,
        True,
        f"The threshold is that of a specificity of {sample_plan.value_text(specificity, True)} on the same"
        f" non-targets; scores of both classes are normal with {ratio}, for the planned standard error.",
    )


NUMBERS: dict[str, Callable[[Given], PlannedNumber]] = {"auc": _auc, "eer": _eer, "sensitivity": _sensitivity}
