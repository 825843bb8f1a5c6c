"""Readers and cases for a difference of two models, by Obuchowski and Rockette's analysis."""

from __future__ import annotations

from reporting.core.stats import planning
from reporting.core.stats.readers import ReaderVariances
from reporting.errors import ConfigError
from reporting.features.planning.goals import LEVEL, POWER, PlanLevel, needed
from reporting.features.planning.options import Given
from reporting.features.planning.questions import PlanQuestion
from reporting.features.planning.sample_plan import PlannedDesign, PlanWords, SamplePlan, SampleSize, plan_of

COMPONENTS = ("var_tr", "error_variance", "cov1", "cov2", "cov3", "pilot_cases")


def plan(question: PlanQuestion, given: Given) -> SamplePlan:
    """Return the plan of cases for given readers, or of readers for given cases."""
    needed(given, "difference", *COMPONENTS)
    if "readers" not in given and "trials" not in given:
        raise ConfigError("plan: give --readers to plan cases, or --trials, the cases, to plan readers")
    variances = variances_of(given)
    if variances.own < 0:
        raise ConfigError("plan: --error-variance must be at least --cov1 + --cov2 - --cov3")
    levels = PlanLevel(given.get("level", LEVEL), one_sided=False)
    design = reader_design(variances, given, levels.level)
    title = f"difference {given['difference']:g} of two models' means over readers"
    words = PlanWords(
        question.key,
        title,
        f"With {{size}}, {levels.test} has {{reached}} to detect a difference of {given['difference']:g}"
        " between two models' means over readers.",
        METHOD,
        ("Every reader reads every case with both models; readers and cases are both samples.",),
        percent=False,
    )
    both = "readers" in given and "trials" in given
    return plan_of(
        design,
        words,
        levels.level,
        given,
        None if both else given.get("power", POWER),
        given["trials"] if both else None,
    )


METHOD = (
    "Obuchowski and Rockette's analysis with Hillis' degrees of freedom; power by the noncentral t. The"
    " variance between readers stays, the other parts fall with the number of cases."
)


def variances_of(given: Given) -> ReaderVariances:
    """Return those of Obuchowski and Rockette's components for one model and reader.

    ``var_tr`` is the variance of treatment by reader, ``error_variance`` that of a value over samples of
    cases; ``cov1`` is of two models, one reader, ``cov2`` of one model, two readers, ``cov3`` of neither.
    """
    cov1, cov2, cov3 = given["cov1"], given["cov2"], given["cov3"]
    own = 2 * (given["error_variance"] - cov1 - cov2 + cov3)
    return ReaderVariances(2 * given["var_tr"], own, 2 * max(cov2 - cov3, 0.0))


def reader_design(variances: ReaderVariances, given: Given, level: float) -> PlannedDesign:
    """Return how sizes are made: cases where readers are given, else readers."""
    counted = "cases" if "readers" in given else "readers"

    def both(number: int) -> tuple[int, int]:
        return (given["readers"], number) if counted == "cases" else (number, given["trials"])

    def size(number: int) -> SampleSize:
        readers, cases = both(number)
        return SampleSize(n_trials=cases, n_readers=readers)

    def power(number: int) -> float:
        readers, cases = both(number)
        se, df = variances.spread(readers, cases / given["pilot_cases"])
        return planning.power(given["difference"], se, level, df=df)

    return PlannedDesign(counted, "power", size, power, least=2)
