"""The options that questions share: the goal that they add up to, and the phrases of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from reporting.base.records import dataclass
from reporting.errors import ConfigError, listed
from reporting.features.planning.options import OPTIONS, Given
from reporting.features.planning.sample_plan import value_text

Aim = Literal["width", "bound", "against", "two models", "non-inferiority"]
GOALS: dict[str, Aim] = {
    "width": "width",
    "within": "width",
    "bound": "bound",
    "errors": "bound",
    "against": "against",
    "difference": "two models",
    "margin": "non-inferiority",
}
LEVEL, POWER = 0.95, 0.8
OF_TWO = ("correlation", "score_correlation", "disagreement", "unpaired")


def shown(name: str) -> str:
    """Print the name of an option as the command line has it."""
    return OPTIONS[name].switch


def aim_of(given: Given, usual: Aim | None = None) -> Aim:
    """Return what the options ask of a number; ConfigError where they ask for nothing, or for two things."""
    named = [name for name in GOALS if name in given and name != "errors"]
    if "margin" in named and "difference" in named:
        named.remove("difference")  # the true difference, which the margin must be beyond
    if len(named) > 1:
        raise ConfigError(f"plan: {' and '.join(map(shown, named))} are two questions; plan one at a time")
    if named:
        aim = GOALS[named[0]]
    elif "errors" in given:
        aim = "bound"
    elif at_hand(given):
        aim = "width"
    elif usual is not None:
        aim = usual
    else:
        allowed = listed([shown(name) for name in GOALS if name != "errors"])
        raise ConfigError(f"plan: the question is missing; give one of {allowed}")
    _check_companions(given, aim)
    return aim


def _check_companions(given: Given, aim: Aim) -> None:
    """Refuse options that have no part in the question, rather than ignore them."""
    idle: list[str] = []
    if aim == "width" or (aim == "bound" and "rate" not in given):
        idle += ["power"]
    if aim not in ("two models", "non-inferiority"):
        idle += OF_TWO
    if aim != "bound" or "rate" in given:
        idle += ["errors"]
    for name in idle:
        if name in given:
            goals = (shown(goal) for goal, of in GOALS.items() if of == aim and goal in given)
            raise ConfigError(f"plan: {shown(name)} has no part in this question ({next(goals, aim)})")


def at_hand(given: Given) -> bool:
    """Whether a size is given, so that what it gives is the answer."""
    return any(name in given for name in ("trials", "targets"))


def needed(given: Given, *names: str) -> None:
    """Refuse a question without an option that it needs."""
    missing = [shown(name) for name in names if name not in given]
    if missing:
        raise ConfigError(f"plan: {' and '.join(missing)} must be given")


def one_of_two(given: Given, names: Sequence[str]) -> str:
    """Return which one of these options is given; ConfigError for none and for two."""
    chosen = [name for name in names if name in given]
    if len(chosen) != 1:
        options = ", ".join(map(shown, names))
        reason = (
            "the two models' errors are rarely independent" if not chosen else "they contradict each other"
        )
        raise ConfigError(f"plan: give one of {options}: {reason}")
    return chosen[0]


def check_margin(apart: float, margin: float | None) -> None:
    """Refuse a margin that the true difference is not within: no number of trials shows it."""
    if margin is not None and not apart < margin:
        raise ConfigError(
            f"plan: a true difference of {apart:g} is not below the margin of {margin:g}, so non-inferiority"
            " cannot be shown"
        )


def of_two_models(measured: str, values: tuple[float, float], given: Given, *, percent: bool) -> str:
    """Return what a test of two models is for, to follow "has 80% power"."""
    first, second = (value_text(value, percent) for value in values)
    apart, margin = (given.get(name, 0.0) for name in ("difference", "margin"))
    if not margin:
        return f"to detect a difference between {measured}s of {first} and {second}"
    truth = f"worse by {value_text(apart, percent, 'points')}" if apart else "equal"
    return (
        f"to show that the second model's {measured} is worse by less than"
        f" {value_text(margin, percent, 'points')}, if it is {truth} ({first} for the first)"
    )


@dataclass(frozen=True)
class PlanLevel:
    """The levels of a plan: of an interval or a two-sided test, or of a one-sided one."""

    level: float
    one_sided: bool

    @property
    def tail(self) -> float:
        """The probability that a limit leaves out on its side."""
        return 1 - self.level if self.one_sided else (1 - self.level) / 2

    @property
    def error(self) -> str:
        """The error rate that a test is held to, in percent."""
        return f"{round(100 * (1 - self.level), 10):g}%"

    @property
    def text(self) -> str:
        """The confidence level in percent."""
        return f"{round(100 * self.level, 10):g}%"

    @property
    def test(self) -> str:
        """The test in words: ``a two-sided test at the 5% level``."""
        return f"a {'one' if self.one_sided else 'two'}-sided test at the {self.error} level"


def levels_of(given: Given, aim: Aim) -> PlanLevel:
    """Return the level of a question."""
    return PlanLevel(given.get("level", LEVEL), aim in ("bound", "non-inferiority"))
