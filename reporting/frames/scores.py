"""The frames of what scores say by themselves: histograms, reliability, costs along the prior, decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Cuts, Key
from reporting.curves.scores import (
    RELIABILITY_BINS,
    Scaled,
    cost_curve,
    decision_curve,
    entropy_curve,
    histogram,
    reliability_curve,
    risk_distribution,
)
from reporting.engine.scales import CALIBRATIONS, Scaling
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart


@dataclass(frozen=True, kw_only=True, slots=True)
class HistogramRow(KeyRow):
    """A row of ``histogram``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]


HISTOGRAM = Frame("histogram", HistogramRow, (*KEY, "low", "high"))


def histogram_frame(cuts: Mapping[Key, Cuts]) -> pl.DataFrame:
    """Return the bins of every key; infinite scores are counted in the bin at their end."""
    return HISTOGRAM.of_columns(key._asdict() | vars(histogram(counted)) for key, counted in cuts.items())


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskRow(HistogramRow):
    """A row of ``risks``."""


RISKS = Frame("risks", RiskRow, (*KEY, "low"))


def risk_frame(probabilities: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Return the bins of every key whose scores are probabilities."""
    stated = ((key, risk_distribution(scored)) for key, scored in probabilities.items())
    return RISKS.of_columns(key._asdict() | vars(bins) for key, bins in stated)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityRow(KeyRow):
    """A row of ``reliability``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    mean_probability: Annotated[float, "mean stated probability in the bin"]
    observed: Annotated[float, "share of targets in the bin"]
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    n_target: Annotated[int, "targets"]
    n_nontarget: Annotated[int, "non-targets"]


RELIABILITY = Frame("reliability", ReliabilityRow, (*KEY, "low"))


def reliability_frame(
    probabilities: Mapping[Key, Scaled], bins: int = RELIABILITY_BINS, level: float = 0.95
) -> pl.DataFrame:
    """Return the bins that hold a trial, for every key whose scores are probabilities."""
    there = ((key, scored) for key, scored in probabilities.items() if len(scored.value))
    curves = ((key, reliability_curve(scored, bins, level)) for key, scored in there)
    return RELIABILITY.of_columns(
        key._asdict() | vars(curve) | {"mean_probability": curve.stated} for key, curve in curves
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRow(KeyRow):
    """A row of ``cost``."""

    calibration: Annotated[str, "none, affine or pav: how dev maps scores to log likelihood ratios"]
    prior_log_odds: Annotated[float, "natural log odds of the prior"]
    bayes_error: Annotated[float | None, "error rate at the Bayes threshold; null if undefined"] = None
    min_bayes_error: Annotated[float | None, "the same after ideal calibration; null where undefined"] = None
    trivial: Annotated[float, "error rate of ignoring the scores"]


COST = Frame("cost", CostRow, (*KEY, "calibration", "prior_log_odds"))


def cost_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the costs of every model on dev and on test."""
    for key, cuts, scaling in judged.sets():
        yield cost_frame({key: cuts}, {key: _llrs(cuts, scaling)})


def _llrs(cuts: Cuts, scaling: Scaling) -> dict[str, Scaled] | None:
    """The scores as log likelihood ratios: as they are, where they are some, and as dev maps them."""
    llrs = {name: scaling.llr(cuts.score, name) for name in ("none", *CALIBRATIONS)}
    scaled = {
        name: Scaled(llr, cuts.n_target, cuts.n_nontarget) for name, llr in llrs.items() if llr is not None
    }
    return scaled or None


def cost_frame(cuts: Mapping[Key, Cuts], llr: Mapping[Key, Mapping[str, Scaled] | None]) -> pl.DataFrame:
    """Return APE rows of every key of ``cuts``.

    ``llr`` holds, by calibration (none, affine, pav), the scores as log likelihood ratios. A key that
    it lacks, or that has none, keeps the minimum alone under the calibration "none".
    """
    none: Mapping[str, Scaled | None] = {"none": None}
    return COST.of_columns(
        key._asdict()
        | {"calibration": calibration, "bayes_error": curve.actual, "min_bayes_error": curve.minimum}
        | vars(curve)
        for key, counted in cuts.items()
        for calibration, scaled in (llr.get(key) or none).items()
        for curve in [cost_curve(counted, scaled)]
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossEntropyRow(KeyRow):
    """A row of ``cross_entropy``."""

    calibration: Annotated[str, "none, affine or pav: how dev maps scores to log likelihood ratios"]
    prior_log10_odds: Annotated[float, "log10 odds of the prior"]
    cross_entropy: Annotated[float | None, "empirical cross-entropy, bits; null if undefined or infinite"] = (
        None
    )
    min_cross_entropy: Annotated[float | None, "the same after ideal calibration; null where undefined"] = (
        None
    )
    neutral: Annotated[float, "that of a likelihood ratio of 1 for every trial: the entropy of the prior"]


CROSS_ENTROPY = Frame("cross_entropy", CrossEntropyRow, (*KEY, "calibration", "prior_log10_odds"))


def cross_entropy_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the cross-entropies of every model on dev and on test."""
    for key, cuts, scaling in judged.sets():
        yield cross_entropy_frame({key: cuts}, {key: _llrs(cuts, scaling)})


def cross_entropy_frame(
    cuts: Mapping[Key, Cuts], llr: Mapping[Key, Mapping[str, Scaled] | None]
) -> pl.DataFrame:
    """Return the rows of every key of ``cuts``, under its first calibration.

    ``llr`` holds the scores as log likelihood ratios as in ``cost_frame``: declared ones come before those
    that a map makes.
    """
    none: Mapping[str, Scaled | None] = {"none": None}
    return CROSS_ENTROPY.of_columns(
        key._asdict()
        | {"calibration": calibration, "cross_entropy": curve.actual, "min_cross_entropy": curve.minimum}
        | vars(curve)
        for key, counted in cuts.items()
        for calibration, scaled in [next(iter((llr.get(key) or none).items()))]
        for curve in [entropy_curve(counted, scaled)]
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionRow(KeyRow):
    """A row of ``decision``."""

    probability: Annotated[float, "threshold probability, from 0 to 1"]
    net_benefit: Annotated[float | None, "net benefit a trial; null where undefined"] = None
    treat_all: Annotated[float, "net benefit of accepting all"]


DECISION = Frame("decision", DecisionRow, (*KEY, "probability"))


def decision_frame(probabilities: Mapping[Key, Scaled], prevalence: float | None = None) -> pl.DataFrame:
    """Return the decision curve of every key whose scores are probabilities.

    ``prevalence`` is the declared share of targets; None: each key's own.
    """
    curves = ((key, decision_curve(scored, prevalence)) for key, scored in probabilities.items())
    return DECISION.of_columns(key._asdict() | vars(curve) for key, curve in curves)
