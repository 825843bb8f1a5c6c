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
from reporting.frames.abstention import (
    ABSTENTION,
    ABSTENTION_COMPARISONS,
    RISK_COVERAGE,
    abstention_comparison_rows,
    abstention_rows,
    risk_coverage_of,
    with_adjusted_abstention,
)
from reporting.frames.agreement import AGREEMENT, agreement_rows
from reporting.frames.bands import BANDS, CURVE_DIFFERENCES, bands_of, curve_differences_of
from reporting.frames.best_set import STANDING, standing_rows
from reporting.frames.calibration import CALIBRATION, calibration_of
from reporting.frames.comparisons import COMPARISONS, comparison_rows, macro_comparisons, with_adjusted
from reporting.frames.contract import Frame, group_of
from reporting.frames.dcf import DCF, dcf_rows
from reporting.frames.differences import DIFFERENCES, difference_rows
from reporting.frames.disparities import (
    DISPARITIES,
    DISPARITY_COMPARISONS,
    disparity_comparison_rows,
    disparity_rows,
)
from reporting.frames.drift import DRIFT, drift_of, with_adjusted_drift
from reporting.frames.epc import EPC, epc_rows
from reporting.frames.epc_exact import AREAS, EXPECTED, STEPS, areas_of, expected_of, steps_of
from reporting.frames.fits import (
    FIT_CURVES,
    FIT_METRICS,
    FITS,
    fit_curves_of,
    fit_metrics_of,
    fits_of,
)
from reporting.frames.further_tests import TESTS, further_test_rows
from reporting.frames.gates import GATES
from reporting.frames.group_metrics import GROUP_METRICS, group_metric_rows
from reporting.frames.history import CHANGES, HISTORY, SINCE_LAST
from reporting.frames.judged import JudgedPart, JudgedRun
from reporting.frames.metrics import METRICS, macro_metrics, mean_metrics, metric_rows
from reporting.frames.net_benefit import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
    net_benefit_differences_of,
    net_benefit_of,
)
from reporting.frames.precision_bands import PRECISION_BANDS, precision_bands_of
from reporting.frames.ranking import PAIRS, RANKING, pairs_of, ranking_rows
from reporting.frames.roc import PR, ROC, pr_of, roc_of
from reporting.frames.scores import (
    COST,
    CROSS_ENTROPY,
    DECISION,
    HISTOGRAM,
    RELIABILITY,
    RISKS,
    cost_of,
    cross_entropy_of,
    decision_of,
    histogram_of,
    reliability_of,
    risks_of,
)
from reporting.frames.transfer import TRANSFER, transfer_of
from reporting.frames.trials import TRIALS, trials_of
from reporting.frames.winners import WINNERS, winner_rows
from reporting.frames.worst import WORST, with_limits, worst_rows
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


def drawn_as(name: str) -> Callable[[Study], bool]:
    """Return whether a curve that the config names is drawn from this frame."""
    return lambda study: name in study.curve_frames


def shown_in(section: str) -> Callable[[Study], bool]:
    """Return whether the config names the one section that shows this frame."""
    return lambda study: section in study.sections


def abstains(study: Study) -> bool:
    """Return whether a part of the decisions is left to review."""
    return study.abstention is not None


FRAMES = Contents(
    "frame",
    (
        frame_of(TRIALS, run=trials_of, keeps_empty=True, under_noise=True),
        frame_of(
            METRICS,
            in_group(each(metric_rows)),
            in_group(together(mean_metrics)),
            in_group(macro_metrics),
            keeps_empty=True,
            under_noise=True,
            of="all measures",
        ),
        frame_of(
            COMPARISONS,
            comparison_rows,
            macro_comparisons,
            finish=with_adjusted,
            keeps_empty=True,
            under_noise=True,
            of="all measures",
        ),
        frame_of(ROC, roc_of, keeps_empty=True, under_noise=True),
        frame_of(EPC, together(epc_rows), keeps_empty=True, under_noise=True, of="all measures"),
        frame_of(DCF, each(dcf_rows), under_noise=True),
        frame_of(AREAS, areas_of, under_noise=True),
        frame_of(STEPS, steps_of, under_noise=True),
        frame_of(EXPECTED, expected_of),
        frame_of(DRIFT, drift_of, finish=with_adjusted_drift),
        frame_of(PR, pr_of, wanted=drawn_as("pr"), keeps_empty=True, under_noise=True),
        frame_of(COST, cost_of, wanted=drawn_as("cost"), keeps_empty=True, under_noise=True),
        frame_of(
            CROSS_ENTROPY,
            cross_entropy_of,
            wanted=drawn_as("cross_entropy"),
            keeps_empty=True,
            under_noise=True,
        ),
        frame_of(HISTOGRAM, histogram_of, wanted=drawn_as("histogram"), keeps_empty=True, under_noise=True),
        frame_of(RELIABILITY, reliability_of, wanted=drawn_as("reliability"), keeps_empty=True),
        frame_of(DECISION, decision_of, wanted=drawn_as("decision"), keeps_empty=True, under_noise=True),
        frame_of(RISKS, risks_of, wanted=drawn_as("risks"), under_noise=True),
        frame_of(NET_BENEFIT, net_benefit_of, wanted=drawn_as("net_benefit")),
        frame_of(
            NET_BENEFIT_DIFFERENCES, net_benefit_differences_of, wanted=drawn_as("net_benefit_differences")
        ),
        frame_of(PRECISION_BANDS, precision_bands_of, wanted=drawn_as("precision_bands")),
        frame_of(CALIBRATION, calibration_of, wanted=drawn_as("calibration")),
        frame_of(TRANSFER, run=transfer_of),
        frame_of(DIFFERENCES, together(difference_rows), of="the primary measure"),
        frame_of(STANDING, together(standing_rows), of="the primary measure"),
        frame_of(RANKING, ranking_rows, wanted=lambda study: study.ranked, of="the primary measure"),
        frame_of(
            PAIRS,
            pairs_of,
            wanted=lambda study: study.many and study.inference.pairs == "all",
            of="the primary measure",
        ),
        frame_of(WINNERS, together(winner_rows)),
        frame_of(BANDS, bands_of),
        frame_of(CURVE_DIFFERENCES, curve_differences_of),
        frame_of(TESTS, further_test_rows, of="the primary measure"),
        frame_of(GROUP_METRICS, group_metric_rows),
        frame_of(DISPARITIES, disparity_rows),
        frame_of(DISPARITY_COMPARISONS, disparity_comparison_rows),
        frame_of(ABSTENTION, abstention_rows, wanted=abstains),
        frame_of(RISK_COVERAGE, risk_coverage_of, wanted=abstains),
        frame_of(
            ABSTENTION_COMPARISONS,
            abstention_comparison_rows,
            finish=with_adjusted_abstention,
            wanted=abstains,
        ),
        frame_of(AGREEMENT, agreement_rows, wanted=shown_in("agreement")),
        frame_of(WORST, worst_rows, finish=with_limits, wanted=lambda study: bool(study.one_class)),
        frame_of(FITS, fits_of),
        frame_of(FIT_METRICS, fit_metrics_of),
        frame_of(FIT_CURVES, fit_curves_of),
        frame_of(HISTORY),
        frame_of(SINCE_LAST),
        frame_of(CHANGES),
        frame_of(GATES),
    ),
)
