"""What a gate asks: a number of one model, or its difference from another, on the good side of a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reporting.base.contents import show_value
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.errors import did_you_mean, listed, quoted

Kind = Literal["superiority", "non_inferiority", "at_most", "at_least"]
Side = Literal["below", "above"]
OnUndecided = Literal["fail", "pass"]
EVERY, REFERENCE = "*", "reference"
"""Words for all models, and the same model in the last accepted run."""


@dataclass(frozen=True)
class Gate:
    """One gate of a config. ``size`` is the margin, not negative, or the limit, in units of the measure."""

    measure: Measure
    kind: Kind
    size: float
    models: tuple[str, ...]
    against: str | None = None
    criterion: Criterion | None = None
    """What chooses the thresholds; None over the sweep."""
    dataset: str | None = None
    """None: every dataset separately."""
    group: str = ""
    level: float = 0.95
    on_undecided: OnUndecided = "fail"
    always_valid: bool = False
    independent: bool = False
    """Whether an always valid gate takes trials as independent, of the clusters that are there."""
    name: str = ""

    @property
    def side(self) -> Side:
        """Where the number must lie: below or above the bound."""
        if self.against is None:
            return "below" if self.kind == "at_most" else "above"
        return "below" if self.measure.better == "lower" else "above"

    @property
    def bound(self) -> float:
        """The bound on the scale of the number: a limit, or a difference model - against."""
        if self.against is None:
            return self.size
        worse = 1.0 if self.measure.better == "lower" else -1.0
        return (worse if self.kind == "non_inferiority" else -worse) * self.size + 0.0

    @property
    def error(self) -> float:
        """The error rate of either side: (1 - level) / 2."""
        return round(1 - self.level, 12) / 2

    @property
    def title(self) -> str:
        """The name given, or one that states the question."""
        return self.name or f"{self.measure} {self._question}{self._where}"

    @property
    def _question(self) -> str:
        size = show_value(self.size)
        if self.against is None:
            return f"of {', '.join(self.models)} {self.kind.replace('_', ' ')} {size}"
        by = "" if self.kind == "superiority" and self.size == 0 else f" by {size}"
        better = "better than" if self.kind == "superiority" else "not worse than"
        return f"of {', '.join(self.models)} {better} {self.against}{by}"

    @property
    def _where(self) -> str:
        parts = [f" on {self.dataset}"] if self.dataset is not None else []
        parts += [f" at {self.criterion}"] if self.criterion is not None else []
        parts += [f" where {self.group}"] if self.group else []
        return "".join([*parts, *([" always valid"] if self.always_valid else [])])


@dataclass(frozen=True)
class GateResult:
    """A gate of one model on one dataset: its name, its verdict and the sentence that explains it."""

    gate: str
    place: str
    """The model, and the dataset and group where there are several."""
    outcome: str
    """pass, fail or undecided."""
    counts_as: str
    """pass or fail."""
    sentence: str

    @property
    def line(self) -> str:
        """The verdict in one line, such as ``gate failed: FAR (A): the FAR of A is above 1%.``"""
        verdict, _, why = self.sentence.partition(": ")
        return f"gate {VERDICTS.get(verdict, verdict)}: {self.gate} ({self.place}): {why}"


VERDICTS = {"pass": "passed", "fail": "failed"}
"""How a line begins, where a sentence begins in one word."""


def check_gates(
    gates: Sequence[Gate], models: Sequence[str], datasets: Sequence[str], *, clustered: bool = True
) -> list[str]:
    """Return what gates ask that the table does not hold, a line each: models, datasets, clusters."""
    faults = [
        f"gates[{number}].always_valid: bets need clusters, a person or session each: declare"
        " trials.columns.cluster, or write independent: true where no two trials share one, in any run"
        for number, gate in enumerate(gates)
        if gate.always_valid and not (gate.independent or clustered)
    ]
    for number, gate in enumerate(gates):
        others = [gate.against] if gate.against not in (None, REFERENCE) else []
        named = [("model", name) for name in gate.models if name != EVERY]
        for key, name in [*named, *(("against", name) for name in others)]:
            if name not in models:
                faults.append(unknown_name(number, key, name, "a model of the trial table", models))
        if gate.dataset is not None and gate.dataset not in datasets:
            what = "a dataset with test trials"
            faults.append(unknown_name(number, "dataset", gate.dataset, what, datasets))
        if gate.against is not None and gate.models == (EVERY,) and not models_of(gate, models):
            faults.append(f"gates[{number}].model: there is no model but {quoted(gate.against)}")
    return faults


def unknown_name(number: int, key: str, name: str | None, what: str, allowed: Sequence[str]) -> str:
    """Return what is wrong with a name that is none of those allowed, with the nearest guess."""
    guess = did_you_mean(str(name), allowed)
    return f"gates[{number}].{key}: {quoted(str(name))} is not {what}{guess} (found: {listed(allowed)})"


def models_of(gate: Gate, models: Sequence[str]) -> list[str]:
    """Return the models that a gate speaks of: those named, or all but the one it compares with."""
    if gate.models != (EVERY,):
        return [model for model in models if model in gate.models]
    return [model for model in models if model != gate.against]
