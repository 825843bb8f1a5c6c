"""The ``decision`` frame: net benefit along the threshold probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl

from reporting.counts.cuts import Key
from reporting.curves.scores import Scaled, decision_curve
from reporting.frames.contract import KEY, Frame, KeyRow
from reporting.frames.judged import JudgedPart, probabilities_of


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionRow(KeyRow):
    """A row of ``decision``."""

    probability: Annotated[float, "threshold probability, from 0 to 1"]
    net_benefit: Annotated[float | None, "net benefit a trial; null where undefined"] = None
    treat_all: Annotated[float, "net benefit of accepting all"]


DECISION = Frame("decision", DecisionRow, (*KEY, "probability"))


def decision_of(judged: JudgedPart) -> Iterator[pl.DataFrame]:
    """Yield the decision curves of every model whose scores are probabilities, on dev and on test."""
    yield decision_frame(judged.once(probabilities_of, judged), judged.study.prevalence)


def decision_frame(probabilities: Mapping[Key, Scaled], prevalence: float | None = None) -> pl.DataFrame:
    """Return the decision curve of every key whose scores are probabilities.

    ``prevalence`` is the declared share of targets; None: each key's own.
    """
    return DECISION.stacked(
        (
            DECISION.of_arrays(key, vars(decision_curve(scored, prevalence)))
            for key, scored in probabilities.items()
        ),
    )
