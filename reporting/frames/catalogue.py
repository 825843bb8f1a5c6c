"""The frames that a report can have, in the order of its folder, each with what makes it.

To add a frame, write its file (row class, ``Frame``, maker) and add a line here: computing, the results, the
functions of ``reporting`` and the page of frames follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from reporting.contents import Contents, Named
from reporting.engine.operations import JudgedModel
from reporting.engine.resampling import Resampling
from reporting.engine.study import Study
from reporting.frames import (
    abstention,
    agreement,
    bands,
    best_set,
    calibration,
    comparisons,
    dcf,
    differences,
    disparities,
    drift,
    epc,
    epc_exact,
    fits,
    further_tests,
    gates,
    group_metrics,
    history,
    metrics,
    net_benefit,
    precision_bands,
    ranking,
    roc,
    scores,
    transfer,
    trials,
    winners,
    worst,
)
from reporting.frames.contract import Frame, group_of
from reporting.frames.judged import JudgedPart, JudgedRun
from reporting.stats.spoofing import Mix

Rows = Iterable[Any]
"""Rows of a frame, or data frames of them."""


@dataclass(frozen=True, kw_only=True)
class Recipe(Named):
    """A frame with what makes it, and when it is wanted.

    ``parts`` make what one dataset or group adds to it, ``run`` what only the whole run can tell, and
    ``finish`` sees all its rows. Frames without makers are filled in by gates and history.
    """

    frame: Frame[Any]
    parts: tuple[Callable[[JudgedPart], Rows], ...] = ()
    run: Callable[[JudgedRun], Rows] = lambda run: ()
    finish: Callable[[list[Any], Study], list[Any]] = lambda rows, study: rows
    wanted: Callable[[Study], bool] = lambda study: True
    keeps_empty: bool = False
    """Whether the frame is there without rows, too."""
    under_noise: bool = False
    """Whether it is made of counts with noise: it holds values, or intervals that include the noise."""
    of: Literal["two classes", "all measures", "the primary measure"] = "two classes"
    """What it is made of where measures mix two kinds of non-targets: such a measure has parts of its own."""

    def made_of(self, mix: Mix | None, study: Study) -> bool:
        """Return whether parts that mix kinds so add to it."""
        if self.of == "the primary measure":
            return study.primary.measure.mix == mix
        return mix is None or self.of == "all measures"


def frame_of(frame: Frame[Any], *parts: Callable[[JudgedPart], Rows], **fields: Any) -> Recipe:
    """Return a frame that only some reports have: it is left out where nothing adds a row."""
    return Recipe(key=frame.name, frame=frame, parts=parts, **fields)


def each(rows: Callable[[JudgedModel, Resampling, Study], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker that takes one model after the other."""
    return lambda judged: (row for model in judged.models for row in rows(model, judged.drawn, judged.study))


def together(rows: Callable[[list[JudgedModel], Resampling, Study], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker that takes all models at once."""
    return lambda judged: rows(judged.models, judged.drawn, judged.study)


def in_group(make: Callable[[JudgedPart], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker whose rows tell their group by its columns and values, too."""
    return lambda judged: (replace(row, **group_of(judged.part)._asdict()) for row in make(judged))


def curve_of(frame: Frame[Any], make: Callable[[JudgedPart], Rows], **fields: Any) -> Recipe:
    """Return a frame that is there where a curve that the config names is drawn from it."""
    return frame_of(frame, make, wanted=lambda study: frame.name in study.curve_frames, **fields)


def abstains(study: Study) -> bool:
    """Return whether a part of the decisions is left to review."""
    return study.abstention is not None


FRAMES = Contents(
    "frame",
    (
        frame_of(trials.TRIALS, run=trials.trials_of, keeps_empty=True, under_noise=True),
        frame_of(
            metrics.METRICS,
            in_group(each(metrics.metric_rows)),
            in_group(together(metrics.mean_metrics)),
            in_group(metrics.macro_metrics),
            keeps_empty=True,
            under_noise=True,
            of="all measures",
        ),
        frame_of(
            comparisons.COMPARISONS,
            comparisons.comparison_rows,
            comparisons.macro_comparisons,
            finish=comparisons.with_adjusted,
            keeps_empty=True,
            under_noise=True,
            of="all measures",
        ),
        frame_of(
            roc.ROC,
            lambda of: [roc.roc_frame(of.cuts, of.study.threshold_at)],
            keeps_empty=True,
            under_noise=True,
        ),
        frame_of(epc.EPC, together(epc.epc_rows), keeps_empty=True, under_noise=True, of="all measures"),
        frame_of(dcf.DCF, each(dcf.dcf_rows), under_noise=True),
        frame_of(epc_exact.AREAS, epc_exact.areas_of, under_noise=True),
        frame_of(epc_exact.STEPS, epc_exact.steps_of, under_noise=True),
        frame_of(epc_exact.EXPECTED, epc_exact.expected_of),
        frame_of(drift.DRIFT, drift.drift_of, finish=drift.with_adjusted_drift),
        curve_of(
            roc.PR,
            lambda of: [roc.pr_frame(of.cuts, of.study.threshold_at, of.study.prevalence)],
            keeps_empty=True,
            under_noise=True,
        ),
        curve_of(scores.COST, scores.cost_of, keeps_empty=True, under_noise=True),
        curve_of(scores.CROSS_ENTROPY, scores.cross_entropy_of, keeps_empty=True, under_noise=True),
        curve_of(
            scores.HISTOGRAM, lambda of: [scores.histogram_frame(of.cuts)], keeps_empty=True, under_noise=True
        ),
        curve_of(
            scores.RELIABILITY,
            lambda of: [scores.reliability_frame(of.probabilities, level=of.study.inference.level)],
            keeps_empty=True,
        ),
        curve_of(
            scores.DECISION,
            lambda of: [scores.decision_frame(of.probabilities, of.study.prevalence)],
            keeps_empty=True,
            under_noise=True,
        ),
        curve_of(scores.RISKS, lambda of: [scores.risk_frame(of.probabilities)], under_noise=True),
        curve_of(net_benefit.NET_BENEFIT, net_benefit.net_benefit_of),
        curve_of(net_benefit.NET_BENEFIT_DIFFERENCES, net_benefit.net_benefit_differences_of),
        curve_of(precision_bands.PRECISION_BANDS, precision_bands.precision_bands_of),
        curve_of(calibration.CALIBRATION, calibration.calibration_of),
        frame_of(transfer.TRANSFER, run=transfer.transfer_of),
        frame_of(differences.DIFFERENCES, together(differences.difference_rows), of="the primary measure"),
        frame_of(best_set.STANDING, together(best_set.standing_rows), of="the primary measure"),
        frame_of(
            ranking.RANKING, ranking.ranking_rows, wanted=lambda study: study.ranked, of="the primary measure"
        ),
        frame_of(
            ranking.PAIRS,
            ranking.pairs_of,
            wanted=lambda study: study.many and study.inference.pairs == "all",
            of="the primary measure",
        ),
        frame_of(winners.WINNERS, together(winners.winner_rows)),
        frame_of(bands.BANDS, bands.bands_of),
        frame_of(bands.CURVE_DIFFERENCES, bands.curve_differences_of),
        frame_of(further_tests.TESTS, further_tests.further_test_rows, of="the primary measure"),
        frame_of(group_metrics.GROUP_METRICS, group_metrics.group_metric_rows),
        frame_of(disparities.DISPARITIES, disparities.disparity_rows),
        frame_of(disparities.DISPARITY_COMPARISONS, disparities.disparity_comparison_rows),
        frame_of(abstention.ABSTENTION, abstention.abstention_rows, wanted=abstains),
        frame_of(abstention.RISK_COVERAGE, abstention.risk_coverage_of, wanted=abstains),
        frame_of(
            abstention.ABSTENTION_COMPARISONS,
            abstention.abstention_comparison_rows,
            finish=abstention.with_adjusted_abstention,
            wanted=abstains,
        ),
        frame_of(
            agreement.AGREEMENT, agreement.agreement_rows, wanted=lambda study: "agreement" in study.sections
        ),
        frame_of(
            worst.WORST,
            worst.worst_rows,
            finish=worst.with_limits,
            wanted=lambda study: bool(study.one_class),
        ),
        frame_of(fits.FITS, fits.fits_of),
        frame_of(fits.FIT_METRICS, fits.fit_metrics_of),
        frame_of(fits.FIT_CURVES, fits.fit_curves_of),
        frame_of(history.HISTORY),
        frame_of(history.SINCE_LAST),
        frame_of(history.CHANGES),
        frame_of(gates.GATES),
    ),
)
