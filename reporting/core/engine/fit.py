"""What a fit is: a family of curves, how its parameters are estimated, and what an estimate reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Flag, Status
from reporting.base.contents import Named, Parameter, Value, show_value
from reporting.core.counts.cuts import Cuts

Family = Literal["moments", "ranks"]
"""``moments``: from the scores themselves, changed by monotone maps of them; ``ranks``: unchanged."""


@dataclass(frozen=True, eq=False)
class At:
    """Thresholds and the weighted errors of the trials there (all of shape (P,))."""

    threshold: FloatArray
    misses: FloatArray
    false_alarms: FloatArray


Rates = Callable[[At], tuple[FloatArray, FloatArray]]
Redraw = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, eq=False)
class Fitted:
    """An estimate of the curve Phi^-1(TPR) = a + b Phi^-1(FPR).

    ``covariance`` is that of (a, b), shape (2, 2). ``rates`` gives FAR and FRR of the fitted classes at
    thresholds. ``redraw`` returns a and b of so many fits to trials drawn from the fitted curve (shape
    (M,), NaN where one of them fails). ``further`` are estimates that only this fit has, each with its
    standard error or NaN.
    """

    a: float
    b: float
    covariance: FloatArray
    rates: Rates
    redraw: Redraw
    further: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fit(Named):
    """A fit by name. ``estimate`` takes the trials, the dev trials or None, and the parameters.

    It returns the estimate, or the status that gives the reason for none.
    """

    label: str
    name: str
    family: Family
    estimate: Callable[..., Fitted | Status]
    definition: str
    source: str
    synonyms: tuple[str, ...] = ()

    def fitted(self, cuts: Cuts, dev: Cuts | None) -> Fitted | Status:
        """Fit the trials of one model; ``dev`` is where a transform of the scores is learnt."""
        n_target, n_nontarget = cuts.trials
        if n_target == 0:
            return "no_targets"
        if n_nontarget == 0:
            return "no_nontargets"
        options = {name: value for name, value in self.arguments.items() if name not in COMMON}
        return self.estimate(cuts, dev, **options)

    def share(self, cuts: Cuts) -> tuple[float, float]:
        """Return the share of targets that precision refers to, and its standard error.

        That of the sample, n1 / n with sqrt(share (1 - share) / n) (methods 12.5), or the declared one,
        which is without error.
        """
        prevalence = self.arguments["prevalence"]
        if prevalence != "sample":
            return float(prevalence), 0.0  # type: ignore[arg-type]
        n_target, n_nontarget = cuts.totals
        share = n_target / (n_target + n_nontarget)
        return share, math.sqrt(share * (1 - share) / sum(cuts.trials))

    @property
    def printed(self) -> str:
        """The label with the parameters that differ from their defaults, in words."""
        changed = [SAID[p.name].format(SPELT.get(p.value, show_value(p.value))) for p in self._changed]
        return f"{self.label} ({', '.join(changed)})" if changed else self.label

    @property
    def _changed(self) -> list[Parameter]:
        return [p for p in self.parameters if p.value != p.default]


SAID = {
    "prevalence": "prevalence {}",
    "ddof": "ddof {}",
    "transform": "{}",
    "categories": "{} categories",
    "interval": "{}",
}
SPELT: Mapping[Value, str] = {"box_cox": "Box-Cox", "yeo_johnson": "Yeo-Johnson"}

COMMON = ("prevalence", "interval")
"""Parameters that every fit has and no estimate needs."""
