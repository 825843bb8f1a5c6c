"""The two models that the paper on person authentication compares, and their rates at its thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import EER, MIN_HTER
from reporting.core.measures.threshold import HTER
from reporting.core.stats.rates import far, frr, ratio
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.words.printing import Printing
from reporting.document.words.view import DatasetView
from reporting.features.further_tests.formulas import Counted, Outcome, normal_z, proportion_z

CRITERIA = (EER, MIN_HTER)
"""The rows of the paper's Table 1."""

UNKNOWN = Outcome(math.nan, math.nan)


@dataclass(frozen=True)
class Rates:
    """FAR and FRR of a model on test at one threshold."""

    far: float
    frr: float

    @property
    def hter(self) -> float:
        """Half their sum."""
        return (self.far + self.frr) / 2


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models of a view, the ``first`` before the ``second`` in the report's order."""

    view: DatasetView
    first: str
    second: str

    @property
    def models(self) -> tuple[str, str]:
        """Both keys."""
        return self.first, self.second

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """Those of the paper's criteria that were asked for."""
        return tuple(criterion for criterion in CRITERIA if self.complete(criterion))

    @property
    def hter(self) -> Printing:
        """How half total error rates are printed."""
        return self.view.printing(HTER)

    def complete(self, criterion: Criterion) -> bool:
        """Whether both models have rates at a criterion, a priori and a posteriori."""
        both = (criterion, oracle(criterion))
        return all(self.rates(model, at) is not None for model in self.models for at in both)

    def rates(self, model: str, criterion: Criterion) -> Rates | None:
        """Return the rates of a model at a threshold; None where one is undefined or was not asked for."""
        far, frr = self.view.rates_at(model, criterion)
        return None if far is None or frr is None else Rates(far, frr)

    def gap(self, criterion: Criterion) -> float | None:
        """HTER of the first model less that of the second."""
        one, other = (self.rates(model, criterion) for model in self.models)
        return None if one is None or other is None else one.hter - other.hter

    def counted(self, model: str, criterion: Criterion) -> Counted | None:
        """Return misses, false alarms, targets and non-targets; None where no counts make the rates."""
        row = None if self.view.results.weighted else self.view.operating_point(model, criterion)
        if row is None or row.misses is None or row.false_alarms is None:
            return None
        if not row.n_target or not row.n_nontarget:
            return None
        return row.misses, row.false_alarms, row.n_target, row.n_nontarget

    def both_counted(self, criterion: Criterion) -> tuple[Counted, Counted] | None:
        """Return the counts of both models."""
        one, other = (self.counted(model, criterion) for model in self.models)
        return None if one is None or other is None else (one, other)

    def class_error(self, criterion: Criterion) -> Outcome:
        """The paper's test: both classes thrown together, the systems as if independent."""
        found = self.both_counted(criterion)
        return UNKNOWN if found is None else proportion_z(*found)

    def hter_as_independent(self, criterion: Criterion) -> Outcome:
        """The z test of the HTER, the systems as if independent."""
        found = self.both_counted(criterion)
        return UNKNOWN if found is None else independent_z(*found, 0.5, 0.5)

    def hter_headline(self, criterion: Criterion) -> ComparisonRow | None:
        """The report's own comparison of the HTER of both models; None where it has none."""
        asked = str(HTER), str(criterion)
        rows = [row for row in self.view.headlines if (row.measure, row.criterion) == asked]
        return next((row for row in rows if {row.model, row.baseline} == set(self.models)), None)

    def each(self, texts: Iterable[str]) -> str:
        """Join one text for each model: ``Model A 1 %, Model B 2 %``."""
        names = (self.view.names[model] for model in self.models)
        return ", ".join(f"{name} {text}" for name, text in zip(names, texts, strict=True))

    def hters(self, criterion: Criterion) -> str:
        """Print the HTER of both models."""
        found = [self.rates(model, criterion) for model in self.models]
        return self.each(self.hter.value_with_unit(one.hter) for one in found if one is not None)


def pair_of(view: DatasetView) -> Pair | None:
    """Return the first two models of the report; None where there is one only."""
    models = view.results.models
    return Pair(view, models[0], models[1]) if len(models) > 1 else None


def independent_z(first: Counted, second: Counted, w_far: float, w_frr: float) -> Outcome:
    """Test V = w_far FAR + w_frr FRR of two systems as if each had trials of its own; methods 9.1.

    z = D / sqrt(sum over both of w_far^2 FAR (1 - FAR) / N0 + w_frr^2 FRR (1 - FRR) / N1). On the same
    trials it loses power (methods 8.5): ``null_z`` and ``paired.exact_p`` are for those. z is 0 and p is 1
    where nothing differs; NaN where a class with weight is empty, or where the systems differ without spread.
    """
    (value, variance), (other, more) = (_linear(counted, w_far, w_frr) for counted in (first, second))
    return normal_z(value - other, variance + more)


def _linear(counted: Counted, w_far: float, w_frr: float) -> tuple[float, float]:
    """V of one system and its plug-in variance; a class without weight may be empty."""
    *_, n_target, n_nontarget = counted
    value = variance = 0.0
    for w, rate, n in ((w_far, far(*counted), n_nontarget), (w_frr, frr(*counted), n_target)):
        if w != 0:
            value += w * float(rate)
            variance += w * w * float(ratio(rate * (1 - rate), n))
    return value, variance
