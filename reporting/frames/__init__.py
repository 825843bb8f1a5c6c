"""The result frames of a report: what each holds, how it is made, and the results that hold them.

Each frame and its row are named below. ``catalogue`` lists the frames, and ``compute`` makes them.
"""

from reporting.frames.abstention import (
    ABSTENTION,
    ABSTENTION_COMPARISONS,
    RISK_COVERAGE,
    AbstentionComparisonRow,
    AbstentionRow,
    RiskCoverageRow,
)
from reporting.frames.agreement import AGREEMENT, AgreementRow
from reporting.frames.bands import BANDS, CURVE_DIFFERENCES, BandRow, CurveDifferenceRow
from reporting.frames.best_set import STANDING, StandingRow
from reporting.frames.calibration import CALIBRATION, CalibrationRow
from reporting.frames.comparisons import COMPARISONS, ComparisonRow
from reporting.frames.contract import KEY, Frame, FrameRow, KeyRow
from reporting.frames.dcf import DCF, DcfRow
from reporting.frames.differences import DIFFERENCES, DifferenceRow
from reporting.frames.disparities import (
    DISPARITIES,
    DISPARITY_COMPARISONS,
    DisparityComparisonRow,
    DisparityRow,
)
from reporting.frames.drift import DRIFT, DriftRow
from reporting.frames.epc import EPC, EpcRow
from reporting.frames.epc_exact import AREAS, EXPECTED, STEPS, AreaRow, ExpectedRow, StepRow
from reporting.frames.fits import FIT_CURVES, FIT_METRICS, FITS, FitCurveRow, FitMetricRow, FitRow
from reporting.frames.further_tests import TESTS, TestRow
from reporting.frames.gates import GATES, GateRow
from reporting.frames.group_metrics import GROUP_METRICS, GroupMetricRow
from reporting.frames.history import CHANGES, HISTORY, SINCE_LAST, ChangeRow, HistoryRow, SinceLastRow
from reporting.frames.metrics import METRICS, MetricRow
from reporting.frames.net_benefit import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
    NetBenefitDifferenceRow,
    NetBenefitRow,
)
from reporting.frames.precision_bands import PRECISION_BANDS, PrecisionBandRow
from reporting.frames.ranking import PAIRS, RANKING, PairRow, RankingRow
from reporting.frames.results import Results
from reporting.frames.roc import PR, ROC, PrRow, RocRow
from reporting.frames.scores import (
    COST,
    CROSS_ENTROPY,
    DECISION,
    HISTOGRAM,
    RELIABILITY,
    RISKS,
    CostRow,
    CrossEntropyRow,
    DecisionRow,
    HistogramRow,
    ReliabilityRow,
    RiskRow,
)
from reporting.frames.transfer import TRANSFER, TransferRow
from reporting.frames.trials import TRIALS, TrialsRow
from reporting.frames.winners import WINNERS, WinnerRow
from reporting.frames.worst import WORST, WorstRow

__all__ = [
    "ABSTENTION",
    "ABSTENTION_COMPARISONS",
    "AGREEMENT",
    "AREAS",
    "BANDS",
    "CALIBRATION",
    "CHANGES",
    "COMPARISONS",
    "COST",
    "CROSS_ENTROPY",
    "CURVE_DIFFERENCES",
    "DCF",
    "DECISION",
    "DIFFERENCES",
    "DISPARITIES",
    "DISPARITY_COMPARISONS",
    "DRIFT",
    "EPC",
    "EXPECTED",
    "FITS",
    "FIT_CURVES",
    "FIT_METRICS",
    "GATES",
    "GROUP_METRICS",
    "HISTOGRAM",
    "HISTORY",
    "KEY",
    "METRICS",
    "NET_BENEFIT",
    "NET_BENEFIT_DIFFERENCES",
    "PAIRS",
    "PR",
    "PRECISION_BANDS",
    "RANKING",
    "RELIABILITY",
    "RISKS",
    "RISK_COVERAGE",
    "ROC",
    "SINCE_LAST",
    "STANDING",
    "STEPS",
    "TESTS",
    "TRANSFER",
    "TRIALS",
    "WINNERS",
    "WORST",
    "AbstentionComparisonRow",
    "AbstentionRow",
    "AgreementRow",
    "AreaRow",
    "BandRow",
    "CalibrationRow",
    "ChangeRow",
    "ComparisonRow",
    "CostRow",
    "CrossEntropyRow",
    "CurveDifferenceRow",
    "DcfRow",
    "DecisionRow",
    "DifferenceRow",
    "DisparityComparisonRow",
    "DisparityRow",
    "DriftRow",
    "EpcRow",
    "ExpectedRow",
    "FitCurveRow",
    "FitMetricRow",
    "FitRow",
    "Frame",
    "FrameRow",
    "GateRow",
    "GroupMetricRow",
    "HistogramRow",
    "HistoryRow",
    "KeyRow",
    "MetricRow",
    "NetBenefitDifferenceRow",
    "NetBenefitRow",
    "PairRow",
    "PrRow",
    "PrecisionBandRow",
    "RankingRow",
    "ReliabilityRow",
    "Results",
    "RiskCoverageRow",
    "RiskRow",
    "RocRow",
    "SinceLastRow",
    "StandingRow",
    "StepRow",
    "TestRow",
    "TransferRow",
    "TrialsRow",
    "WinnerRow",
    "WorstRow",
]
