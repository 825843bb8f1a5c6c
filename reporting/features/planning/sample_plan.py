"""What a plan is: what each size gives, the smallest one that is enough, and what is written of it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from reporting.base.legible import counted
from reporting.base.records import dataclass, field
from reporting.document import numbers
from reporting.errors import ConfigError
from reporting.features.planning import planned_sizes
from reporting.features.planning.options import OPTIONS, Given

Goal = Literal["power", "width", "bound"]
POWERS = (0.5, 0.7, 0.8, 0.9, 0.95)
"""Powers that a table has a row for, next to the wanted one."""
TIMES = (2.0, 1.5, 1.0, 0.75, 0.5)
"""Widths and bounds that a table has a row for, by the wanted one."""
SIZES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The same of sizes, by the size at hand."""
POINTS = 32
"""Sizes that a picture is drawn of."""


class SampleSize(NamedTuple):
    """Numbers to collect; None where a number has no part in the question."""

    n_target: int | None = None
    n_nontarget: int | None = None
    n_trials: int | None = None
    n_clusters: int | None = None
    n_readers: int | None = None


class PlanRow(NamedTuple):
    """A size, what it gives, and what was wanted of it; no size where none gives it."""

    wanted: float | None
    size: SampleSize | None
    reached: float | None


@dataclass(frozen=True)
class PlannedDesign:
    """How sizes of one design are made, and what each gives.

    Sizes are numbered by ``base``, what is counted first: trials, targets, clusters or cases. What is reached
    at a larger number is never worse: power does not fall, widths and bounds do not rise.
    """

    base: str
    goal: Goal
    at: Callable[[int], SampleSize]
    reached: Callable[[int], float]
    least: int = 1

    def smallest(self, wanted: float) -> int | None:
        """The smallest number that gives what is wanted; None where none does."""

        def enough(number: int) -> bool:
            reached = self.reached(number)
            return reached >= wanted if self.goal == "power" else reached <= wanted

        return planned_sizes.fewest(enough, self.least)

    def row(self, number: int | None, wanted: float | None) -> PlanRow:
        """Return the row of a number."""
        if number is None:
            return PlanRow(wanted, None, None)
        return PlanRow(wanted, self.at(number), self.reached(number))


@dataclass(frozen=True)
class PlanWords:
    """What is written of a plan: the key of its question, a title, a sentence.

    ``sentence`` is that of a protocol, with ``{size}`` and ``{reached}`` where the plan fills them in.
    ``percent``: whether values are printed in percent.
    """

    question: str
    title: str
    sentence: str
    method: str
    assumptions: tuple[str, ...] = ()
    percent: bool = True
    unit: str = "subjects"


@dataclass(frozen=True)
class SamplePlan:
    """How many trials, clusters or readers a question needs, before data are collected.

    ``power``, ``width`` or ``bound`` is what the planned size gives; the others are None. ``rows`` are other
    sizes and what each gives, ``curve`` the same as (number, value) for a picture; the planned ``number`` is
    one of ``base``, which is counted first.
    """

    question: str
    title: str
    goal: Goal
    level: float
    base: str
    number: int
    planned: PlanRow
    rows: tuple[PlanRow, ...]
    curve: tuple[tuple[int, float], ...]
    sentence: str
    method: str
    assumptions: tuple[str, ...]
    unit: str
    percent: bool
    given: Mapping[str, Any] = field(default_factory=dict)
    pilot: Mapping[str, Any] | None = None

    @property
    def size(self) -> SampleSize:
        """The planned size."""
        return self.planned.size or SampleSize()

    @property
    def n_target(self) -> int | None:
        """Targets; None where the question has none."""
        return self.size.n_target

    @property
    def n_nontarget(self) -> int | None:
        """Non-targets; None where the question has none."""
        return self.size.n_nontarget

    @property
    def n_trials(self) -> int | None:
        """Trials in all."""
        return self.size.n_trials

    @property
    def n_clusters(self) -> int | None:
        """Subjects, speakers or other clusters; None where trials are independent."""
        return self.size.n_clusters

    @property
    def n_readers(self) -> int | None:
        """Readers; None where there are none."""
        return self.size.n_readers

    @property
    def power(self) -> float | None:
        """The chance that the test succeeds at the planned size."""
        return self.planned.reached if self.goal == "power" else None

    @property
    def width(self) -> float | None:
        """The expected width of the interval at the planned size."""
        return self.planned.reached if self.goal == "width" else None

    @property
    def bound(self) -> float | None:
        """The upper limit at the planned size."""
        return self.planned.reached if self.goal == "bound" else None

    @property
    def command(self) -> str:
        """The command that makes the same plan."""
        words = ["reporting", "plan", self.question if self.pilot is None else str(self.pilot["config"])]
        for name, value in self.given.items():
            text = f"{value:.15g}" if isinstance(value, float) else str(value)
            words += [OPTIONS[name].switch, *([] if value is True else [text])]
        return shlex.join(words)

    def to_dict(self) -> Mapping[str, Any]:
        """Return the plan as JSON has it: names of columns, numbers, texts."""
        return {
            "question": self.question,
            "title": self.title,
            "goal": self.goal,
            "level": self.level,
            "given": dict(self.given),
            "planned": _as_dict(self.goal, self.planned),
            "rows": [_as_dict(self.goal, row) for row in self.rows],
            "curve": {"counted": self.base, "points": [list(point) for point in self.curve]},
            "sentence": self.sentence,
            "method": self.method,
            "assumptions": list(self.assumptions),
        } | ({"pilot": dict(self.pilot)} if self.pilot is not None else {})


def _as_dict(goal: Goal, row: PlanRow) -> Mapping[str, Any]:
    size = row.size or SampleSize()
    return {"wanted": row.wanted} | size._asdict() | {goal: row.reached}


def plan_of(
    design: PlannedDesign, words: PlanWords, level: float, given: Given, wanted: float | None, at: int | None
) -> SamplePlan:
    """Return the plan of a design: the smallest size that gives what is wanted, or what a size gives.

    ConfigError where no size is enough.
    """
    if at is not None and wanted is None:
        number = at
        rows = [design.row(max(design.least, round(times * at)), None) for times in SIZES]
    else:
        assert wanted is not None
        smallest = design.smallest(wanted)
        if smallest is None:
            raise ConfigError(
                f"plan: no number of {design.base} gives {_reached_text(design.goal, wanted, words)}"
            )
        number = smallest
        powers, multiples = sorted({*POWERS, wanted}), [wanted * t for t in TIMES if wanted * t < 1]
        several = powers if design.goal == "power" else multiples
        rows = [design.row(number if w == wanted else design.smallest(w), w) for w in several]
    planned = design.row(number, wanted)
    assert planned.reached is not None
    assert planned.size is not None
    # No format string: names of units and models may hold braces.
    sentence = words.sentence.replace("{size}", size_text(planned.size, words.unit))
    sentence = sentence.replace("{reached}", _reached_text(design.goal, planned.reached, words))
    return SamplePlan(
        **vars(words) | {"sentence": sentence},
        goal=design.goal,
        level=level,
        base=design.base,
        number=number,
        planned=planned,
        rows=tuple(rows),
        curve=tuple(_curve(design, number)),
        given=given,
    )


def _curve(design: PlannedDesign, number: int) -> list[tuple[int, float]]:
    """Sizes from a quarter of the planned one to its double, and what each gives."""
    low, high = max(design.least, number // 4), max(2 * number, design.least + 4)
    steps = min(POINTS, high - low)
    several = sorted({number, *(low + round(step * (high - low) / steps) for step in range(steps + 1))})
    values = [(n, design.reached(n)) for n in several]
    return [(n, value) for n, value in values if math.isfinite(value)]


def size_text(size: SampleSize, unit: str) -> str:
    """Print a size for running text: ``100 subjects (2,000 trials)``."""
    parts = []
    if size.n_readers is not None:
        parts.append(counted(size.n_readers, "reader"))
    if size.n_target is not None and size.n_nontarget is not None:
        parts.append(counted(size.n_target, "target"))
        parts.append(counted(size.n_nontarget, "non-target"))
    elif size.n_readers is not None:
        parts.append(counted(size.n_trials or 0, "case"))
    elif size.n_target is not None or size.n_nontarget is not None:
        n, kind = (size.n_target, "target") if size.n_target else (size.n_nontarget, "non-target")
        parts.append(counted(n or 0, kind))
    else:
        parts.append(counted(size.n_trials or 0, "trial"))
    text = " and ".join(parts)
    return text if size.n_clusters is None else f"{numbers.count(size.n_clusters)} {unit} ({text})"


def _reached_text(goal: Goal, value: float, words: PlanWords) -> str:
    if goal == "power":
        return f"{power_text(value)} power"
    return value_text(value, words.percent, "points" if goal == "width" else "%")


def power_text(power: float) -> str:
    """Print a power in percent, never as the whole before it is: ``80%``, ``99.97%``."""
    digits = 1 if power < 0.999 else 2 if power < 0.9999 else 4
    text = f"{math.floor(power * 100 * 10**digits) / 10**digits:.{digits}f}".rstrip("0").rstrip(".")
    return f"{text}%"


def value_text(value: float, percent: bool, unit: Literal["%", "points"] = "%") -> str:
    """Print a width or a number of the question to three digits, in percent where rates are."""
    shown = numbers.significant(value * (100 if percent else 1), 3)
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    if not percent:
        return shown
    if unit == "%":
        return f"{shown}%"
    return f"{shown} percentage point{'' if shown == '1' else 's'}"
