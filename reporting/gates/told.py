"""One gate in words, for every place that speaks of gates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """A gate of one model on one dataset: its name, its verdict and the sentence that explains it."""

    gate: str
    place: str
    """The model, and the dataset and group where there are several."""
    outcome: str
    """pass, fail or undecided."""
    counts_as: str
    """pass or fail."""
    sentence: str
