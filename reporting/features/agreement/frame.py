"""The frame ``agreement``: on which trials two models are right together, and how alike they decide."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from reporting.base.records import dataclass
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.pairing import Pair
from reporting.core.engine.values import defined
from reporting.core.stats.confusion import kappa
from reporting.core.stats.paired import Discordant, discordant_errors
from reporting.core.stats.rates import ratio
from reporting.document.frames.contract import Columns, Frame, PlaceRow, place_of
from reporting.document.frames.judged import JudgedPart
from reporting.document.frames.recipe import frame_of
from reporting.document.frames.tested import TestedPair


@dataclass(frozen=True, kw_only=True, slots=True)
class AgreementRow(PlaceRow):
    """A row of ``agreement``."""

    criterion: Annotated[str | None, "what chose the thresholds; null where the report has none"] = None
    model: Annotated[str, "key of the first model"]
    other: Annotated[str, "key of the second model"]
    both_right: Annotated[int | None, "trials that both decide right; null where not counted"] = None
    model_right: Annotated[int | None, "trials only the first decides right; null where not counted"] = None
    other_right: Annotated[int | None, "trials only the second decides right; null where not counted"] = None
    neither_right: Annotated[int | None, "trials that neither decides right; null where not counted"] = None
    alike: Annotated[float | None, "share of trials with the same decision; null where undefined"] = None
    kappa: Annotated[float | None, "Cohen's kappa of the two decisions; null where undefined"] = None
    status: Annotated[str | None, "why kappa is undefined; null where it is defined"] = None


AGREEMENT = Frame("agreement", AgreementRow, ("dataset", "split", "group", "criterion", "model", "other"))


def agreement_rows(judged: JudgedPart) -> Iterator[AgreementRow]:
    """Yield one row per pair of models, at the thresholds of the primary criterion, judged on test.

    Every pair, whichever the baseline: the first model is the earlier one in the report. Where the primary
    measure has no threshold, the first criterion of the report decides. Where the decisions of two models
    cannot be counted trial by trial, ``status`` has the reason.
    """
    by_key = {team.key.model: team for team in models_with_runs(judged.models)}
    ordered = [by_key[key] for key in judged.study.in_order(list(by_key))]
    for first, second in itertools.combinations(ordered, 2):
        pair = Pair(first, second)
        yield _row(pair, TestedPair(pair.ordered, judged.drawn, judged.study, pair=pair))


def _row(pair: Pair, decided: TestedPair) -> AgreementRow:
    key, criterion = pair.model.first.key, decided.criterion
    place: Columns = {
        **place_of(key),
        "criterion": None if criterion is None else str(criterion),
        "model": key.model,
        "other": pair.baseline.first.key.model,
    }
    why = decided.refused(counted=True, decided=True)
    if why is not None:
        return AgreementRow(**place, status=why)
    matrix = agreement(decided.discordant)
    right = matrix.first_right, matrix.second_right
    model_right, other_right = right if pair.forward else reversed(right)
    return AgreementRow(
        **place,
        both_right=matrix.both_right,
        model_right=model_right,
        other_right=other_right,
        neither_right=matrix.neither_right,
        alike=defined(matrix.alike),
        kappa=defined(matrix.kappa),
        status=None if defined(matrix.kappa) is not None else "degenerate",
    )


RECIPES = (
    frame_of(
        AGREEMENT,
        agreement_rows,
        wanted=lambda study: "agreement" in study.sections,
        pairs_trials=True,
    ),
)


class Agreement(NamedTuple):
    """How two models decide the same trials: who is right on how many, and how alike they decide."""

    both_right: int
    first_right: int
    second_right: int
    neither_right: int
    alike: float
    kappa: float


def agreement(d: Discordant) -> Agreement:
    """Count who is right, and by whom; the share of identical decisions; and Cohen's kappa of the decisions.

    ``first_right`` counts trials that only the first model decides right. kappa = (alike - e) / (1 - e) in
    [-1, 1], e the share alike of independent decisions with the same shares accepted; it sees no label. NaN
    where both models accept all trials, or both reject all. Without trials both numbers are NaN. Cohen 1960,
    doi:10.1177/001316446002000104, eq. 1.
    """
    first_wrong, second_wrong = discordant_errors(d, "all")
    misses, false_alarms, n_target, n_nontarget = (int(count) for count in d.first)
    n, neither = n_target + n_nontarget, misses + false_alarms - first_wrong
    both = n - neither - first_wrong - second_wrong
    # The first model's decisions are where a confusion matrix has labels.
    only_first, only_second = int(d.target_10 + d.nontarget_10), int(d.target_01 + d.nontarget_01)
    accepted = n_target - misses + false_alarms
    chance_corrected = float(kappa(only_first, only_second, accepted, n - accepted))
    return Agreement(
        both, second_wrong, first_wrong, neither, float(ratio(both + neither, n)), chance_corrected
    )
