"""Rates: the width of an interval, a bound, one rate against a fixed value, two models."""

from __future__ import annotations

import math
from collections.abc import Callable

from reporting.base.records import dataclass
from reporting.core.stats import planning
from reporting.core.stats.special import ndtri
from reporting.document.words.terms import capitalised
from reporting.errors import ConfigError
from reporting.features.planning import goals, planned_rates, planned_sizes, sample_plan
from reporting.features.planning.options import Given
from reporting.features.planning.planned_areas import both_below
from reporting.features.planning.questions import PlanQuestion

INDEPENDENT = "Trials are taken as independent."


@dataclass(frozen=True)
class PlannedRate:
    """What independent trials give, and how it is written."""

    goal: str
    reached: Callable[[int], float]
    """By a number of independent trials, at least 1."""
    wanted: float | None
    sentence: str
    method: str
    assumptions: tuple[str, ...] = ()


def plan(question: PlanQuestion, given: Given) -> sample_plan.SamplePlan:
    """Return the plan of a rate."""
    aim = goals.aim_of(given)
    levels = goals.levels_of(given, aim)
    answer = ANSWERS[aim](question, given, levels)
    layout = _layout(question, given, levels)
    worthless = 0.0 if answer.goal == "power" else 1.0

    def reached(number: int) -> float:
        worth = math.floor(layout.worth(number) + planning.SLACK)
        return answer.reached(worth) if worth >= 1 else worthless

    design = sample_plan.PlannedDesign(layout.base, answer.goal, layout.at, reached, layout.least)  # type: ignore[arg-type]
    rate = given.get("rate")
    name = capitalised(question.measured)
    title = f"{name} {sample_plan.value_text(rate, True)}" if rate else f"{name}, upper bound"
    words = sample_plan.PlanWords(
        question.key,
        title,
        answer.sentence,
        answer.method,
        (*answer.assumptions, *layout.assumptions),
        unit=given.get("unit", "subjects"),
    )
    at = layout.number_of(given["trials"]) if goals.at_hand(given) else None
    wanted = None if at is not None else answer.wanted
    return sample_plan.plan_of(design, words, levels.level, given, wanted, at)


def _width(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> PlannedRate:
    goals.needed(given, "rate")
    rate, level, method = given["rate"], levels.level, given.get("method", "exact")
    width = given.get("width") or (2 * given["within"] * rate if "within" in given else None)
    if goals.at_hand(given) and width is not None:
        raise ConfigError(f"plan: give {goals.shown('trials')} or a width, not both")
    if width is not None and width >= 1:
        raise ConfigError(f"plan: an interval of width {width:g} needs no trials")
    sentence = (
        f"With {{size}}, the {levels.text} confidence interval of {question.with_article} of"
        f" {sample_plan.value_text(rate, True)} has an expected width of {{reached}}."
    )
    if method == "rule_of_30":
        return _rule_of_30(given, rate, sentence, levels)
    if method == "normal":
        z = float(ndtri(1 - levels.tail))
        return PlannedRate(
            "width",
            lambda n: 2 * z * math.sqrt(rate * (1 - rate) / n),
            width,
            sentence,
            "Normal approximation (Wald). Its width is too small with few errors.",
        )
    _refuse(method, "exact")
    return PlannedRate(
        "width",
        lambda n: planned_rates.expected_width(rate, n, level),
        width,
        sentence,
        "Mean width over samples of the interval that a report has: Wilson's, and that of Clopper and Pearson"
        " with at most three errors.",
    )


def _rule_of_30(given: Given, rate: float, sentence: str, levels: goals.PlanLevel) -> PlannedRate:
    if given.get("within", 0.3) != 0.3 or "width" in given or ("level" in given and levels.level != 0.9):
        raise ConfigError(
            "plan: the rule of 30 is that of ±30% at a level of 90%; give --within 0.3 --level 0.9, or leave"
            " out --method"
        )
    return PlannedRate(
        "width",
        lambda n: 0.6 * rate * math.sqrt(30 / (n * rate)),
        None if goals.at_hand(given) else 0.6 * rate,
        sentence.replace(f"the {levels.text}", "the 90%"),
        "Rule of 30 (Doddington et al. 2000; ISO/IEC 19795-1): with 30 errors the true rate is within 30% of"
        " the observed one, with 90% confidence.",
    )


def _bound(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> PlannedRate:
    goals.needed(given, *(() if goals.at_hand(given) and "rate" not in given else ("bound",)))
    bound, level, method = given.get("bound", 0.0), levels.level, given.get("method", "exact")
    if "rate" in given:
        return _shown_below(question, given, levels)
    errors = given.get("errors", 0)
    seen = "no error is" if errors == 0 else f"at most {errors} error{'' if errors == 1 else 's'} are"
    sentence = (
        f"If {seen} observed in {{size}}, the {question.measured} is below {{reached}} with {levels.text}"
        " confidence."
    )
    if method == "rule_of_3":
        if errors or level != 0.95:
            raise ConfigError("plan: the rule of 3 is that of no errors at a level of 95%")
        return PlannedRate("bound", lambda n: min(1.0, 3 / n), bound or None, sentence, RULE_OF_3)
    _refuse(method, "exact")
    return PlannedRate(
        "bound",
        lambda n: planned_rates.upper_limit(errors, n, level),
        bound or None,
        sentence,
        "Exact one-sided limit (Clopper and Pearson); without errors about 3 / bound at 95%, the rule of 3.",
    )


RULE_OF_3 = "Rule of 3 (ISO/IEC 19795-1): the limit is 3 / n, slightly above the exact one."


def _shown_below(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> PlannedRate:
    """The chance that the limit falls below the bound where the rate is lower."""
    rate, bound = given["rate"], given["bound"]
    _refuse(given.get("method", "exact"), "exact")
    if not rate < bound:
        raise ConfigError(
            f"plan: --bound {bound:g} must be above --rate {rate:g}, or no sample shows it to be below"
        )
    return PlannedRate(
        "power",
        lambda n: planned_rates.lasting_bound_power(rate, bound, n, levels.level),
        given.get("power", goals.POWER),
        f"With {{size}} and {question.with_article} of {sample_plan.value_text(rate, True)}, the study has at"
        f" least {{reached}} to show that it is below {sample_plan.value_text(bound, True)}"
        f" ({levels.text} upper confidence limit).",
        "Exact binomial power of the one-sided limit of Clopper and Pearson, for this and every larger size.",
    )


def _against(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> PlannedRate:
    goals.needed(given, "rate")
    rate, fixed, level = given["rate"], given["against"], levels.level
    method = given.get("method", "exact")
    if rate == fixed:
        raise ConfigError(f"plan: --rate and --against are both {rate:g}; no sample separates them")
    least = "" if method == "normal" else "at least "
    sentence = (
        f"With {{size}}, {levels.test} has {least}{{reached}} to find that {question.with_article} of"
        f" {sample_plan.value_text(rate, True)} differs from {sample_plan.value_text(fixed, True)}."
    )
    power = given.get("power", goals.POWER)
    if method == "normal":
        se, null_se = (math.sqrt(p * (1 - p)) for p in (rate, fixed))
        return PlannedRate(
            "power",
            lambda n: planning.power(rate - fixed, se / math.sqrt(n), level, null_se / math.sqrt(n)),
            power,
            sentence,
            "Normal approximation, with the variance of the fixed value under the null hypothesis.",
        )
    _refuse(method, "exact")
    return PlannedRate(
        "power",
        lambda n: planned_rates.against_power(rate, fixed, n, level),
        power,
        sentence,
        "Exact binomial power of the test that is dual to the interval of Clopper and Pearson, for this and"
        " every larger size.",
    )


def _two_models(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> PlannedRate:
    goals.needed(given, "rate")
    rate, apart, margin = given["rate"], given.get("difference", 0.0), given.get("margin")
    other, level = rate + apart, levels.level
    if other >= 1:
        raise ConfigError(f"plan: --rate {rate:g} and --difference {apart:g} make a rate of {other:g}")
    goals.check_margin(apart, margin)
    power = given.get("power", goals.POWER)
    aim_text = goals.of_two_models(question.measured, (rate, other), given, percent=True)
    if goals.one_of_two(given, goals.OF_TWO) == "unpaired":
        return PlannedRate(
            "power",
            lambda n: planned_rates.unpaired_power(other, rate, n, level, margin),
            power,
            f"With {{size}} for each model, {levels.test} has {{reached}} {aim_text}.",
            "Normal approximation for two independent samples, its null variance pooled.",
            ("Each model sees trials of its own.",),
        )
    p_10, p_01 = _discordant(given, rate, other)
    sentence = f"With {{size}} decided by both models, {levels.test} has {{reached}} {aim_text}."
    shared = f"The models disagree on {sample_plan.value_text(p_10 + p_01, True)} of the trials."
    if given.get("method") == "normal" and margin is None:
        return PlannedRate(
            "power",
            lambda n: planned_rates.discordant_power(p_10, p_01, n, level),
            power,
            sentence,
            "Normal approximation of McNemar's test (Connor 1987).",
            (shared,),
        )
    _refuse(given.get("method", "exact"), "exact")
    return PlannedRate(
        "power",
        lambda n: planned_rates.paired_power(p_10, p_01, n, level, margin),
        power,
        sentence,
        "Exact power of the report's test of a paired difference at fixed thresholds, over all counts of"
        " discordant trials.",
        (shared,),
    )


ANSWERS: dict[goals.Aim, Callable[[PlanQuestion, Given, goals.PlanLevel], PlannedRate]] = {
    "width": _width,
    "bound": _bound,
    "against": _against,
    "two models": _two_models,
    "non-inferiority": _two_models,
}


def _discordant(given: Given, rate: float, other: float) -> tuple[float, float]:
    """Return the shares of trials that only the second, or only the first model gets wrong."""
    if "disagreement" in given:
        share, apart = given["disagreement"], other - rate
        p_10, p_01 = (share + apart) / 2, (share - apart) / 2
        both = rate - p_01
        if p_01 < 0 or both < 0:
            raise ConfigError(
                f"plan: models with rates of {rate:g} and {other:g} disagree on {apart:g} to {rate + other:g}"
                f" of the trials, not on {share:g}"
            )
        return p_10, p_01
    if "score_correlation" in given:
        heights = float(ndtri(other)), float(ndtri(rate))
        both = both_below(*heights, given["score_correlation"])
        return other - both, rate - both
    p_10, p_01 = planned_rates.discordant_of(other, rate, given["correlation"])
    if min(p_10, p_01, rate - p_01) < -planning.SLACK:
        raise ConfigError(
            f"plan: errors with rates of {rate:g} and {other:g} cannot have a correlation of"
            f" {given['correlation']:g}"
        )
    return max(p_10, 0.0), max(p_01, 0.0)


def _refuse(method: str, *known: str) -> None:
    if method not in known:
        raise ConfigError(f"plan: --method {method} does not answer this question")


@dataclass(frozen=True)
class Collection:
    """How trials are collected: what is counted first, the size at a number of them, and its worth."""

    base: str
    at: Callable[[int], sample_plan.SampleSize]
    worth: Callable[[int], float]
    """Independent trials that a number is worth."""
    number_of: Callable[[int], int]
    """The number at so many trials, rounded down."""
    assumptions: tuple[str, ...]
    least: int = 1


def _layout(question: PlanQuestion, given: Given, levels: goals.PlanLevel) -> Collection:
    effect, unit = given.get("design_effect"), given.get("unit", "subjects")
    if "icc" in given and effect is not None:
        raise ConfigError("plan: give --icc or --design-effect, not both")
    if "per_cluster" in given and "per_pair" in given:
        raise ConfigError("plan: give --per-cluster or --per-pair, not both")

    def size(trials: int, clusters: int | None = None) -> sample_plan.SampleSize:
        return _size(question, given, trials, clusters)

    if "per_cluster" in given:
        m = given["per_cluster"]
        if effect is None and "icc" not in given and m > 1:
            raise ConfigError("plan: --per-cluster needs --icc, the correlation of trials of one cluster")
        factor = effect if effect is not None else planned_sizes.cluster_effect(m, given.get("icc", 0.0))
        return Collection(
            unit,
            lambda clusters: size(clusters * m, clusters),
            lambda clusters: planned_sizes.worth(clusters * m, factor, clusters - 1, levels.tail),
            lambda trials: max(2, trials // m),
            (
                f"{m:,} trials per cluster; design effect {factor:.3g}"
                + (f" (intra-cluster correlation {given['icc']:g})." if "icc" in given else "."),
            ),
            least=2,
        )
    if "per_pair" in given:
        return _crossed(given, size, levels, unit)
    if "icc" in given:
        raise ConfigError("plan: --icc needs --per-cluster or --per-pair")
    factor = 1.0 if effect is None else effect
    return Collection(
        question.of,
        size,
        lambda trials: trials / factor,
        lambda trials: trials,
        (INDEPENDENT if effect is None else f"Design effect {factor:.3g}.",),
    )


def _crossed(
    given: Given, size: Callable[[int, int], sample_plan.SampleSize], levels: goals.PlanLevel, unit: str
) -> Collection:
    k, effect, icc = given["per_pair"], given.get("design_effect"), given.get("icc", 0.0)
    if icc > 0.5:
        raise ConfigError(
            f"plan: --icc {icc:g} is above 0.5, the most that trials sharing one subject can have"
        )

    def factor(clusters: int) -> float:
        return effect if effect is not None else max(planned_sizes.crossed_effect(clusters, k, icc), 1.0)

    def worth(clusters: int) -> float:
        # Comparisons are independent where nothing is known of subjects, as in the rules of the standards.
        df = clusters - 1 if effect is not None or icc > 0 else None
        return planned_sizes.worth(planned_sizes.pairs_of(clusters, k), factor(clusters), df, levels.tail)

    return Collection(
        unit,
        lambda clusters: size(planned_sizes.pairs_of(clusters, k), clusters),
        worth,
        lambda trials: max(2, math.floor((1 + math.sqrt(1 + 8 * trials / k)) / 2 + planning.SLACK)),
        (
            f"All pairs of {unit}, {k:,} trial{'' if k == 1 else 's'} per pair"
            + (f"; correlation {icc:g} of trials that share one." if icc else ", taken as independent."),
        ),
        least=2,
    )


def _size(question: PlanQuestion, given: Given, trials: int, clusters: int | None) -> sample_plan.SampleSize:
    """Return the size at so many trials of the class, and how many of both go with them at a prevalence."""
    if question.of == "trials":
        return sample_plan.SampleSize(n_trials=trials, n_clusters=clusters)
    share = given.get("prevalence")
    if share is None:
        n_target, n_nontarget = (trials, None) if question.of == "targets" else (None, trials)
        return sample_plan.SampleSize(n_target, n_nontarget, n_clusters=clusters)
    share = share if question.of == "targets" else 1 - share
    every = math.ceil(trials / share - planning.SLACK)
    if question.of == "targets":
        return sample_plan.SampleSize(trials, every - trials, every, clusters)
    return sample_plan.SampleSize(every - trials, trials, every, clusters)
