"""The frames ``handover`` and ``handover_scores``: what a threshold did on test, and how scores lay there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Annotated

import numpy as np

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Cuts
from reporting.core.engine.error_rates import FALSE_ALARMS, MISSES
from reporting.core.engine.operations import JudgedModel, asked_criteria
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.engine.values import defined
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import ACCEPTANCE_RATE, FAR, FRR, PRECISION
from reporting.core.stats.confusion import Share, acceptance_rate, precision
from reporting.core.stats.staircase import cut_at
from reporting.document.frames.contract import KEY, Columns, Frame, KeyRow
from reporting.document.frames.recipe import each, frame_of
from reporting.features.handover.keys import HANDOVER_KEY

RATES: dict[str, Share] = {
    "alert_rate": acceptance_rate,
    "far": FALSE_ALARMS,
    "frr": MISSES,
    "precision": precision,
}
"""The rates at a threshold; the first needs no labels."""
MEASURES: dict[str, Measure] = {
    "alert_rate": ACCEPTANCE_RATE,
    "far": FAR,
    "frr": FRR,
    "precision": PRECISION,
}
"""The measure of each, whose name it has."""
STEPS = 20
"""Scores are kept at every k / 20 of the trials, from 1 / 20 to 19 / 20."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoverRow(KeyRow):
    """A row of ``handover``."""

    criterion: Annotated[str, "what chose the threshold"]
    rate: Annotated[str, "alert_rate (accepted of all trials), far, frr or precision"]
    threshold: Annotated[float, "threshold, on the scale of the trial table"]
    threshold_source: Annotated[str, "dev, fixed or bayes"]
    value: Annotated[float | None, "the rate on test; null without trials of its kind"] = None
    ci_low: Annotated[float | None, "lower limit of the interval; null without one"] = None
    ci_high: Annotated[float | None, "upper limit of the interval; null without one"] = None
    level: Annotated[float, "confidence level of the interval"]
    trials: Annotated[int, "trials that the rate is a share of"]
    effective_trials: Annotated[float, "independent trials that they are worth"]
    df: Annotated[float | None, "degrees of freedom; null of independent trials"] = None
    dev_targets: Annotated[
        int | None, "targets of the development set that chose it; null where none did"
    ] = None
    dev_nontargets: Annotated[int | None, "its non-targets; null where none did"] = None
    dev_digest: Annotated[
        str | None, "SHA-256 of its distinct scores and the trials at each; null where none did"
    ] = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoresRow(KeyRow):
    """A row of ``handover_scores``."""

    threshold: Annotated[float, "a score of the test set, on the scale of the trial table"]
    accepted: Annotated[float, "share of all test trials that a threshold there accepts"]
    trials: Annotated[int, "test trials"]
    effective_trials: Annotated[float, "independent trials that they are worth there"]


HANDOVER = Frame("handover", HandoverRow, (*KEY, "criterion", "rate"))
SCORES = Frame("handover_scores", ScoresRow, (*KEY, "threshold"))


def handover_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[HandoverRow]:
    """Yield the rates on test at every threshold that the report answers at."""
    if model.key.group:
        return
    for criterion in asked_criteria(study):
        operation = model.single.get(criterion)
        if operation is None:
            continue
        threshold, source = float(operation.chosen.shared[0]), operation.chosen.source
        dev = _of_dev(model) if source == "dev" else {}
        cut = int(cut_at(model.test.score, threshold))
        for name, share in RATES.items():
            rate = drawn.error_rates.at_cut(model, cut, share)
            limits = rate.limits(study.inference.level) if rate.size > 0 else (None, None)
            yield HandoverRow(
                **model.key._asdict(),
                criterion=str(criterion),
                rate=name,
                threshold=threshold,
                threshold_source=source,
                value=defined(rate.rate),
                ci_low=limits[0],
                ci_high=limits[1],
                level=study.inference.level,
                trials=trials_of(model.test, cut, share),
                effective_trials=rate.size,
                df=rate.df,
                **dev,
            )


def trials_of(cuts: Cuts, cut: int, share: Share) -> int:
    """Return how many trials a share at a threshold is of."""
    misses, false_alarms = cuts.errors(cut)
    return share.counts(int(misses), int(false_alarms), *cuts.trials)[1] or 0


def _of_dev(model: JudgedModel) -> Columns:
    """Return which development set chose, whose thresholds hold for the whole test set."""
    dev = model.scaling.dev
    if dev is None:
        return {}
    return {
        "dev_targets": dev.trials[0],
        "dev_nontargets": dev.trials[1],
        "dev_digest": digest(dev),
    }


def digest(cuts: Cuts) -> str:
    """Return the SHA-256 of distinct scores, ascending, then the targets and the non-targets at each.

    As little-endian numbers of 64 bits. Where lower scores favour the target, scores have the other sign.
    """
    whole = hashlib.sha256(cuts.score.astype("<f8").tobytes())
    for counted in (cuts.n_target, cuts.n_nontarget):
        whole.update(counted.astype("<i8").tobytes())
    return whole.hexdigest()


def scores_rows(model: JudgedModel, drawn: Resampling, study: Study) -> Iterator[ScoresRow]:
    """Yield the scores at every twentieth of the test trials, with the share at least as high."""
    if model.key.group:
        return
    trials = sum(model.test.trials)
    below = np.cumsum(model.test.n_target + model.test.n_nontarget)
    cuts = np.unique(np.searchsorted(below, trials * np.arange(1, STEPS) / STEPS))
    for cut in cuts[np.isfinite(model.test.score[cuts])]:
        rate = drawn.error_rates.at_cut(model, int(cut), acceptance_rate)
        yield ScoresRow(
            **model.key._asdict(),
            threshold=float(model.test.score[cut]),
            accepted=rate.rate,
            trials=trials,
            effective_trials=rate.size,
        )


RECIPES = (
    frame_of(HANDOVER, each(handover_rows), wanted=HANDOVER_KEY.of),
    frame_of(SCORES, each(scores_rows), wanted=HANDOVER_KEY.of),
)
