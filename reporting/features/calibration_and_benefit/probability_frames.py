"""The frames of probabilities: reliability, risks, and what decisions at them are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Key
from reporting.core.curves.scores import Scaled
from reporting.document.frames.contract import KEY, Frame, KeyRow
from reporting.document.frames.histogram import RISKS
from reporting.document.frames.recipe import curve_of
from reporting.features.calibration_and_benefit import formulas


def risk_frame(probabilities: Mapping[Key, Scaled]) -> pl.DataFrame:
    """Return the bins of every key whose scores are probabilities."""
    stated = ((key, formulas.risk_distribution(scored)) for key, scored in probabilities.items())
    return RISKS.of_columns(key._asdict() | vars(bins) for key, bins in stated)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityRow(KeyRow):
    """A row of ``reliability``."""

    low: Annotated[float, "lower edge of the bin"]
    high: Annotated[float, "upper edge of the bin"]
    mean_probability: Annotated[float, "mean stated probability in the bin"]
    observed: Annotated[float, "share of targets in the bin"]
    ci_low: Annotated[float | None, "lower limit of the interval; null with weights or strata"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null with weights or strata"] = None
    n_target: Annotated[int, "targets; with weights, their sum"]
    n_nontarget: Annotated[int, "non-targets; with weights, their sum"]


RELIABILITY = Frame("reliability", ReliabilityRow, (*KEY, "low"))


def reliability_frame(
    probabilities: Mapping[Key, Scaled], bins: int = 10, level: float | None = 0.95
) -> pl.DataFrame:
    """Return the bins that hold a trial, for every key whose scores are probabilities.

    ``level`` None: without limits (``formulas.reliability_bins``).
    """
    there = ((key, scored) for key, scored in probabilities.items() if len(scored.value))
    curves = ((key, formulas.reliability_bins(*scored, bins, level)) for key, scored in there)
    return RELIABILITY.of_columns(
        key._asdict() | vars(curve) | {"mean_probability": curve.stated} for key, curve in curves
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
    curves = ((key, formulas.decision_curve(scored, prevalence)) for key, scored in probabilities.items())
    return DECISION.of_columns(key._asdict() | vars(curve) for key, curve in curves)


RECIPES = (
    curve_of(
        RELIABILITY,
        lambda of: [
            reliability_frame(
                of.probabilities, level=of.study.inference.level if of.part.ranks.weight is None else None
            )
        ],
        keeps_empty=True,
    ),
    curve_of(
        DECISION,
        lambda of: [decision_frame(of.probabilities, of.study.prevalence)],
        keeps_empty=True,
        under_noise=True,
    ),
    curve_of(RISKS, lambda of: [risk_frame(of.probabilities)], under_noise=True),
)
