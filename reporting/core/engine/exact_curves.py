"""The exact curves of a model: every threshold that a criterion chooses along alpha, and the areas below."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from reporting.core.counts.cuts import Cuts
from reporting.core.criteria.criterion import Criterion
from reporting.core.curves.epc import Errors, ExactCurve, exact_curve
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.study import Study
from reporting.core.engine.values import takes_own_alpha, values_at
from reporting.core.measures.measure import Measure
from reporting.core.stats import steps
from reporting.core.stats.rates import ratio
from reporting.core.stats.steps import Steps

RATES = {"target_far": "far", "target_frr": "frr"}


class ExactCurves:
    """The exact curves of one model on one dataset or group, made once for all frames."""

    def __init__(self, model: JudgedModel, study: Study) -> None:
        self.model, self.study = model, study

    @cached_property
    def curves(self) -> dict[Criterion, ExactCurve]:
        """The curves that have exact steps, by criterion."""
        dev = self.model.scaling.dev
        if dev is None:
            return {}
        exact = {c: exact_curve(dev, self.model.test, c, self.study.threshold_at) for c in self.model.along}
        return {criterion: curve for criterion, curve in exact.items() if curve is not None}

    def areas(self, measure: Measure, bounds: tuple[float, float]) -> Iterator[tuple[str, tuple[float, ...]]]:
        """Yield of each criterion, by name, the area below a measure a priori, and a posteriori.

        NaN where nothing can be chosen on test. Where both FAR and FRR are targets, G follows: the mean of
        the two areas (eq. 18).
        """
        areas = {c: self._areas(curve, measure, bounds) for c, curve in self.curves.items()}
        for criterion, values in areas.items():
            yield str(criterion), values
        for far, frr in itertools.product(areas, areas):
            if (far.key, frr.key) == tuple(RATES) and far.arguments["how"] == frr.arguments["how"]:
                yield f"{far}+{frr}", tuple(np.mean([areas[far], areas[frr]], axis=0))

    def _areas(self, curve: ExactCurve, measure: Measure, bounds: tuple[float, float]) -> tuple[float, ...]:
        value = _area(measure, curve.steps, curve.test, self.model.test, bounds)
        if curve.oracle_steps is None or curve.oracle is None:
            return value, np.nan
        return value, _area(measure, curve.oracle_steps, curve.oracle, self.model.test, bounds)


def _area(measure: Measure, held: Steps, errors: Errors, cuts: Cuts, bounds: tuple[float, float]) -> float:
    """Integrate a measure over alpha; one that takes the curve's own alpha is linear on every step."""
    if takes_own_alpha(measure):
        n_target, n_nontarget = cuts.totals
        far, frr = ratio(errors.false_alarms, n_nontarget), ratio(errors.misses, n_target)
        return float(steps.weighted_error_area(held, far, frr, *bounds))
    return float(steps.area(held, values_at(measure, errors, cuts), *bounds))
