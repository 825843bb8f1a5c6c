"""The frames ``fits``, ``fit_metrics`` and ``fit_curves``: smooth curves in numbers, at thresholds, drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Annotated

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.base.cache.cache import Arrays, Cache
from reporting.base.records import dataclass, field, replace
from reporting.core.counts.cuts import Cuts, Key
from reporting.core.curves.epc import ThresholdResult
from reporting.core.engine.curves import Fit
from reporting.core.engine.operations import JudgedModel, asked_criteria, why_unplaced
from reporting.core.engine.parts import Part
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined, status_of, value_at
from reporting.core.measures.measure import Measure
from reporting.core.resampling.cached import name_key
from reporting.core.resampling.draws import stream
from reporting.core.stats.rates import ratio
from reporting.core.stats.special import ndtr
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.fit_curves import FIT_CURVES
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.tested import INDEPENDENT
from reporting.features.fits import fitted as estimates
from reporting.features.fits.binormal import mass_of, precision_at_z, working_hotelling_probits
from reporting.features.fits.fitted import At, Fitted
from reporting.features.fits.quantities import QuantityEstimate, Replicates, estimated, quantities, redrawn


@dataclass(frozen=True, kw_only=True, slots=True)
class FitRow(KeyRow):
    """A row of ``fits``."""

    fit: Annotated[str, "name of the fit with its parameters"]
    parameter: Annotated[str, "name of the number: a, b, auc, ..."]
    value: Annotated[float | None, "the number; null where undefined"] = None
    se: Annotated[float | None, "standard error; null where none is known"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float | None, "confidence level of the interval, such as 0.95; null without one"] = None
    ci_method: Annotated[str | None, "how the interval was made; null without one"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None
    flags: Annotated[list[str], "cautions about this row, sorted"] = field(default_factory=list)


FITS = Frame("fits", FitRow, (*KEY, "fit", "parameter"))


@dataclass(frozen=True, kw_only=True, slots=True)
class FitMetricRow(KeyRow):
    """A row of ``fit_metrics``."""

    fit: Annotated[str, "name of the fit with its parameters"]
    measure: Annotated[str, "name of the measure with its parameters"]
    criterion: Annotated[str | None, "what chose the threshold; null without one"] = None
    threshold: Annotated[float | None, "threshold, on the scale of the trial table; null without one"] = None
    prevalence: Annotated[float | None, "share of targets meant; null where it has no part"] = None
    value: Annotated[float | None, "the measure on the fitted curve; null where undefined"] = None
    observed: Annotated[float | None, "the measure on the trials themselves; null where undefined"] = None
    status: Annotated[str | None, "why the value is undefined; null where it is defined"] = None


FIT_METRICS = Frame("fit_metrics", FitMetricRow, (*KEY, "fit", "measure", "criterion"))


PROBITS = np.linspace(-7.0, 7.0, 141)
"""Where a smooth curve is written down: at these probits of FAR, and of FRR."""


@dataclass(frozen=True, eq=False)
class FittedSplit:
    """One fit to one split of a model: the curve, or the status with the reason why there is none."""

    fit: Fit
    key: Key
    cuts: Cuts
    fitted: Fitted | str
    learnt_on: Cuts | None = None
    """The dev trials on which a transform of the scores is learnt."""

    @property
    def share(self) -> tuple[float, float]:
        """The share of targets of precision, and its standard error."""
        return estimates.share(self.fit, self.cuts)


def fit_model(model: JudgedModel, part: Part, study: Study) -> list[FittedSplit]:
    """Fit every requested curve to the test set, and to the development set where its rows are shown.

    Transforms are learnt where thresholds are chosen: on the whole development set, for groups too.
    """
    learnt_on = part.chosen_on.cuts[model.id] if part.chosen_on is not None else model.dev
    sets = [(model.key, model.test)]
    if model.dev is not None and model.dev_key is not None:
        sets.append((model.dev_key, model.dev))
    return [
        FittedSplit(fit, key, cuts, estimates.fitted(fit, cuts, learnt_on), learnt_on)
        for key, cuts in sets
        for fit in study.fits
    ]


def _splits(judged: JudgedPart) -> Iterator[tuple[JudgedModel, FittedSplit]]:
    for model in judged.models:
        for split in judged.once(fit_model, model, judged.part, judged.study):
            yield model, split


def fit_rows(judged: JudgedPart) -> Iterator[FitRow]:
    """Yield one row per number of every fit; without a curve they are null, with its status.

    Where trials come in clusters the standard errors know nothing of them, and rows are flagged.
    """
    study = judged.study
    clustered = judged.part.ranks.n_clusters is not None and study.inference.unit != "trial"
    for _, split in _splits(judged):
        own = [] if isinstance(split.fitted, str) else split.fitted.flags
        for name, number in _numbers(split, study, judged.rechoosing.cache):
            level, method = study.inference.level, _method(split.fit)
            has_limits = math.isfinite(number.low) and math.isfinite(number.high)
            yield FitRow(
                **split.key._asdict(),
                fit=str(split.fit),
                parameter=name,
                value=defined(number.value),
                se=defined(number.se),
                ci_low=defined(number.low),
                ci_high=defined(number.high),
                level=level if has_limits else None,
                ci_method=method if has_limits else None,
                status=split.fitted if isinstance(split.fitted, str) else _undefined(split, name, number),
                flags=sorted([*own, *[INDEPENDENT] * clustered]),
            )


def _numbers(split: FittedSplit, study: Study, cache: Cache) -> Iterator[tuple[str, QuantityEstimate]]:
    wanted = list(quantities(study))
    if isinstance(split.fitted, str):
        yield from ((quantity.name, QuantityEstimate(math.nan)) for quantity in wanted)
        return
    for name, (value, se) in split.fitted.further.items():
        if split.cuts.raw is None:
            yield name, QuantityEstimate(value, se)
        else:
            yield name, QuantityEstimate(math.nan if name in OF_COUNTS else value)
    fitted = split.fitted
    level = study.inference.level
    if split.cuts.raw is not None:  # weighted rows are no independent trials: values without errors
        yield from (
            (q.name, QuantityEstimate(float(q.of(fitted.a, fitted.b, split.share[0])))) for q in wanted
        )
    elif _method(split.fit) == "normal":
        yield from ((q.name, estimated(q, fitted, split.share, level)) for q in wanted)
    else:
        replicates, share = _redrawn(split, fitted, study, cache), split.share[0]
        yield from ((q.name, redrawn(q, fitted, share, replicates, level)) for q in wanted)


def _redrawn(split: FittedSplit, fitted: Fitted, study: Study, cache: Cache) -> Replicates:
    """The curve's parameters, and the share of targets, of fits to trials drawn from the fitted curve."""
    settings, names = study.inference, (str(split.fit), *split.key)

    def make(_: Sequence[str]) -> Mapping[str, Arrays]:
        rng = stream(settings.seed, "fit", *names)
        a, b = fitted.redraw(rng, settings.replicates)
        share, error = split.share
        n = sum(split.cuts.trials)
        drawn = rng.binomial(n, share, len(a)) / n if error else np.full(len(a), share)
        return {"fit": {"a": a, "b": b, "share": drawn}}

    cuts = [(c.score, c.n_target, c.n_nontarget) for c in (split.cuts, split.learnt_on) if c is not None]
    follows_from = name_key(split.fit), cuts, names, settings.seed, settings.replicates
    arrays = cache.fill("fit", ["fit"], lambda _: follows_from, make)["fit"]
    return arrays["a"], arrays["b"], arrays["share"]


def _method(fit: Fit) -> str:
    return "normal" if fit.arguments["interval"] == "delta" else "percentile"


OF_COUNTS = ("log_likelihood", "goodness_of_fit", "goodness_of_fit_df", "goodness_of_fit_p")
"""What has no meaning where trials weigh differently."""


def _undefined(split: FittedSplit, name: str, number: QuantityEstimate) -> str | None:
    """A test of the fit is withheld where a category has too small an expected count."""
    if math.isfinite(number.value):
        return None
    if name in OF_COUNTS:
        return "unresolvable" if split.cuts.raw is None else "weighted"
    return "degenerate"


def fit_metric_rows(judged: JudgedPart) -> Iterator[FitMetricRow]:
    """Yield every measure at a threshold, on the FAR and FRR of the fit of test at a priori thresholds."""
    measures = [measure for measure in judged.study.measures if measure.over == "threshold"]
    for model, split in _splits(judged):
        if split.key.split != "test":
            continue
        for criterion, measure in product(asked_criteria(judged.study), measures):
            own = measure.arguments.get("prevalence")
            row = FitMetricRow(
                **split.key._asdict(),
                fit=str(split.fit),
                measure=str(measure),
                criterion=str(criterion),
                prevalence=split.share[0] if own == "sample" else None if own is None else float(own),  # type: ignore[arg-type]
                status=why_unplaced(criterion),
            )
            operation = model.single.get(criterion)
            if operation is None:
                yield row
            elif not operation.chosen.by_fold:
                yield _at_threshold(row, split, measure, operation)


def _at_threshold(
    row: FitMetricRow, split: FittedSplit, measure: Measure, operation: ThresholdResult
) -> FitMetricRow:
    n_target, n_nontarget = split.cuts.totals
    value = math.nan
    if not isinstance(split.fitted, str):
        errors = operation.test
        at = At(
            operation.chosen.threshold, *(n.astype(np.float64) for n in (errors.misses, errors.false_alarms))
        )
        far, frr = split.fitted.rates(at)
        masses = mass_of(far[0], frr[0], split.share[0], n_target + n_nontarget)
        value = float(measure.formula(*masses, **measure.arguments))
    status = split.fitted if isinstance(split.fitted, str) else status_of(value, n_target, n_nontarget)
    return replace(
        row,
        threshold=float(operation.chosen.threshold[0]),
        value=defined(value),
        observed=defined(value_at(measure, operation.test, 0, split.cuts)),
        status=status,
    )


def fit_curves(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the fitted curves of a part, with the Working-Hotelling band of each (methods 11.4)."""
    level = judged.study.inference.level
    curves = [
        split.key._asdict() | {"fit": str(split.fit)} | _curve(split, split.fitted, level)
        for _, split in _splits(judged)
        if not isinstance(split.fitted, str)
    ]
    if curves:
        yield FIT_CURVES.of_columns(curves)


def _curve(split: FittedSplit, fitted: Fitted, level: float) -> dict[str, FloatArray]:
    a, b = fitted.a, fitted.b
    x = np.unique(np.concatenate((PROBITS, (PROBITS - a) / b)))
    x = x[np.abs(x) < 37.0]  # beyond, a normal tail is no number
    hits = a + b * x
    precision = precision_at_z(-hits, a, b, split.share[0])
    recall = ndtr(hits)
    f1 = ratio(2 * precision * recall, precision + recall)
    nothing = np.full(len(x), np.nan)
    low, high = nothing, nothing
    if split.cuts.raw is None:
        (v_a, v_ab), (_, v_b) = fitted.covariance
        # In probits: the tails of FRR are lost where it is 1 less the TPR.
        fewest, most = working_hotelling_probits(x, a, b, (v_a, v_b, v_ab), level)
        low, high = ndtr(-most), ndtr(-fewest)
    return {
        "p_fa": ndtr(x),
        "p_miss": ndtr(-hits),
        "p_miss_low": low,
        "p_miss_high": high,
        "precision": precision,
        "f1": f1,
    }


RECIPES = (
    frame_of(FITS, fit_rows),
    frame_of(FIT_METRICS, fit_metric_rows),
    frame_of(FIT_CURVES, fit_curves),
)
