"""Plans from a pilot: the standard errors of its report, and how they fall with more of the same data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from reporting.base.records import dataclass, replace
from reporting.core.stats import planning
from reporting.core.stats.readers import ReaderVariances
from reporting.core.stats.special import expit, logit
from reporting.document import numbers
from reporting.features.planning import planned_sizes, sample_plan
from reporting.features.planning.goals import LEVEL, POWER, PlanLevel, check_margin
from reporting.features.planning.options import Given
from reporting.features.planning.questions import PILOT

GROWTH = (
    "Standard errors are those of the pilot's report and fall with the root of the size, at the pilot's ratio"
    " of classes; a development set grows alike. They are estimates themselves."
)


READERS = (
    "Obuchowski and Rockette's analysis with Hillis' degrees of freedom, by the noncentral t: the variance"
    " between readers does not fall with the number of cases."
)


@dataclass(frozen=True, kw_only=True)
class PilotData:
    """The data that a number of the pilot comes from.

    ``units`` is what is counted, trials or what clusters are called; ``n_units`` of them hold ``n_target``
    targets and ``n_nontarget`` non-targets.
    """

    place: str
    units: str
    n_units: int
    clustered: bool
    n_target: int
    n_nontarget: int
    n_readers: int | None = None

    def at(self, number: int) -> sample_plan.SampleSize:
        """Return the size at a number of units, both classes at their ratio in the pilot."""
        clusters = number if self.clustered else None
        n_trials = math.ceil(number / self.n_units * (self.n_target + self.n_nontarget) - planning.SLACK)
        n_target = round(n_trials * self.n_target / (self.n_target + self.n_nontarget))
        return sample_plan.SampleSize(n_target, n_trials - n_target, n_trials, clusters, self.n_readers)


@dataclass(frozen=True, kw_only=True)
class PilotDifference(PilotData):
    """Two models of the pilot: the estimated difference, its standard error, and what it depends on.

    ``df`` None: the normal test; ``readers``: variances over readers, where there are some.
    """

    model: str
    baseline: str
    estimate: float
    se: float
    df: float | None
    design_effect: float | None
    correlation: float | None
    readers: ReaderVariances | None = None

    def facts(self) -> Mapping[str, float | str | None]:
        """Return the numbers by name."""
        facts: Mapping[str, float | str | None] = {
            "model": self.model,
            "baseline": self.baseline,
            "difference": self.estimate,
            "se": self.se,
            "df": self.df,
            "units": self.units,
            "n_units": self.n_units,
            "design_effect": self.design_effect,
            "correlation": self.correlation,
        }
        if self.readers is None:
            return facts
        return {**facts, **self.readers._asdict(), "readers": self.n_readers}

    def spread(self, number: int) -> tuple[float, float | None]:
        """Return the standard error and its degrees of freedom at a number of units."""
        if self.readers is not None:
            se, of_readers = self.readers.spread(self.n_readers or 2, number / self.n_units)
            return se, of_readers if math.isfinite(of_readers) else None
        df = None if self.df is None else max(1.0, (self.df + 1) * number / self.n_units - 1)
        return self.se * math.sqrt(self.n_units / number), df


@dataclass(frozen=True, kw_only=True)
class PilotValue(PilotData):
    """One model of the pilot: its value and interval; ``bounded``: whether the value is in (0, 1)."""

    model: str
    value: float
    low: float
    high: float
    bounded: bool

    def width(self, number: int) -> float:
        """Return the width of the interval at a number of units."""
        shrunk = math.sqrt(self.n_units / number)
        if not (self.bounded and 0 < self.low <= self.value <= self.high < 1):
            return (self.high - self.low) * shrunk
        middle, ends = float(logit(self.value)), (float(logit(self.low)), float(logit(self.high)))
        low, high = (float(expit(middle + (end - middle) * shrunk)) for end in ends)
        return high - low


@dataclass(frozen=True)
class Measured:
    """What the pilot measures: its printed name, whether in percent, and the config."""

    name: str
    percent: bool
    config: str


def plan_difference(
    pairs: Sequence[PilotDifference], measured: Measured, given: Given
) -> sample_plan.SamplePlan:
    """Return the plan for a difference, or a margin, by the pair with the largest standard error."""
    pair = max(pairs, key=lambda each: (each.se, each.place, each.model))
    margin, apart = given.get("margin"), given.get("difference", 0.0)
    check_margin(apart, margin)
    levels = PlanLevel(given.get("level", LEVEL), one_sided=margin is not None)

    def power(number: int) -> float:
        se, df = pair.spread(number)
        if margin is not None:
            return planned_sizes.power_of_bound(margin - apart, se, levels.level, df)
        return planning.power(apart, se, levels.level, df=df)

    def points(value: float) -> str:
        return sample_plan.value_text(value, measured.percent, "points")

    aim = (
        f"to detect a difference of {points(apart)} in {measured.name}"
        if margin is None
        else f"to show that one model's {measured.name} is worse by less than {points(margin)}, if the true"
        f" difference is {points(apart)}"
    )
    words = sample_plan.PlanWords(
        PILOT.key,
        f"{measured.name}, from a pilot",
        f"With {{size}}, {levels.test} has {{reached}} {aim} (standard error of a pilot with"
        f" {numbers.count(pair.n_units)} {pair.units}: {points(pair.se)}).",
        READERS if pair.readers else "Student's t by the noncentral t." if pair.df else "Normal test.",
        (GROWTH, _largest(len(pairs), f"{pair.model} against {pair.baseline}{pair.place}")),
        measured.percent,
        pair.units,
    )
    design = sample_plan.PlannedDesign(pair.units, "power", pair.at, power, least=2)
    plan = sample_plan.plan_of(design, words, levels.level, given, given.get("power", POWER), None)
    listed = [each.facts() for each in pairs]
    return replace(plan, pilot={"config": measured.config, "measure": measured.name, "differences": listed})


def plan_width(values: Sequence[PilotValue], measured: Measured, given: Given) -> sample_plan.SamplePlan:
    """Return the plan for a width, by the model with the widest interval."""
    value = max(values, key=lambda each: (each.high - each.low, each.place, each.model))
    levels = PlanLevel(given.get("level", LEVEL), one_sided=False)
    words = sample_plan.PlanWords(
        PILOT.key,
        f"{measured.name}, from a pilot",
        f"With {{size}}, the {levels.text} confidence interval of {measured.name} has an expected width of"
        f" {{reached}} (pilot: {sample_plan.value_text(value.value, measured.percent)} with a width of"
        f" {sample_plan.value_text(value.high - value.low, measured.percent, 'points')} from"
        f" {numbers.count(value.n_units)} {value.units}).",
        "The interval of the pilot's report, narrower as the root of the size on the scale it is made on.",
        (GROWTH, _largest(len(values), f"{value.model}{value.place}")),
        measured.percent,
        value.units,
    )
    design = sample_plan.PlannedDesign(value.units, "width", value.at, value.width, least=2)
    plan = sample_plan.plan_of(design, words, levels.level, given, given["width"], None)
    listed = [
        {
            "model": each.model,
            "value": each.value,
            "ci_low": each.low,
            "ci_high": each.high,
            "n_units": each.n_units,
        }
        for each in values
    ]
    return replace(plan, pilot={"config": measured.config, "measure": measured.name, "values": listed})


def _largest(many: int, which: str) -> str:
    if many == 1:
        return f"Planned for {which}."
    return f"Planned for {which}, which needs most of {many}: the others have at least what is planned."
