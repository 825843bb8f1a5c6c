"""What gates found, and what they ask that a table does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.errors import did_you_mean, listed, quoted
from reporting.features.gates.keys import EVERY, REFERENCE, Gate


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
        named = [("model", name) for name in gate.model if name != EVERY]
        for key, name in [*named, *(("against", name) for name in others)]:
            if name not in models:
                faults.append(unknown_name(number, key, name, "a model of the trial table", models))
        if gate.dataset is not None and gate.dataset not in datasets:
            what = "a dataset with test trials"
            faults.append(unknown_name(number, "dataset", gate.dataset, what, datasets))
        if gate.against is not None and gate.model == (EVERY,) and not models_of(gate, models):
            faults.append(f"gates[{number}].model: there is no model but {quoted(gate.against)}")
    return faults


def unknown_name(number: int, key: str, name: str | None, what: str, allowed: Sequence[str]) -> str:
    """Return what is wrong with a name that is none of those allowed, with the nearest guess."""
    guess = did_you_mean(str(name), allowed)
    return f"gates[{number}].{key}: {quoted(str(name))} is not {what}{guess} (found: {listed(allowed)})"


def models_of(gate: Gate, models: Sequence[str]) -> list[str]:
    """Return the models that a gate speaks of: those named, or all but the one it compares with."""
    if gate.model != (EVERY,):
        return [model for model in models if model in gate.model]
    return [model for model in models if model != gate.against]
