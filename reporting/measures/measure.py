"""What a measure is: a frozen value whose metadata drives tables, tests, intervals and the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from reporting.contents import Named


@dataclass(frozen=True, kw_only=True)
class Measure(Named):
    """A number to report, at a threshold or over the sweep of all thresholds.

    ``formula`` takes ``(misses, false_alarms, n_target, n_nontarget, **parameters)`` for a measure
    at a threshold and ``(misses, false_alarms, **parameters)`` with cuts along the last axis for one
    over the sweep. ``weights`` gives ``(w_far, w_frr)`` where the measure is that weighted sum.
    """

    label: str
    name: str
    over: Literal["threshold", "sweep"]
    better: Literal["lower", "higher"]
    bounds: tuple[float, float]
    printed_in: Literal["percent", "number"] = "percent"
    formula: Callable[..., Any]
    weights: Callable[..., tuple[float, float]] | None = None
    own_cut: bool = False
    """Read at the cut that suits the judged split itself: a posteriori by construction."""
    swept: str = ""
    """The parameter that takes the EPC's own alpha when the name is written bare in an EPC."""
    synonyms: tuple[str, ...] = ()
    definition: str = ""
    source: str = ""

    @property
    def printed(self) -> str:
        """The label with the parameters that differ from their defaults."""
        _, bracket, inside = str(self).partition("(")
        return self.label + (f" ({inside}" if bracket else "").replace(",", ", ")

    def linear(self) -> tuple[float, float] | None:
        """Return ``(w_far, w_frr)`` of ``V = w_far FAR + w_frr FRR``, or None."""
        return self.weights(**self.arguments) if self.weights else None
