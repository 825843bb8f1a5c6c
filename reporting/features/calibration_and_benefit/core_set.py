"""The core set of performance measures of a prediction model, in the order of the guidance that names it.

Discrimination by the AUROC, the smooth calibration plot, net benefit with its decision curve, and the
distribution of predicted probabilities by outcome: Van Calster et al., Lancet Digital Health 2025, of topic
group 6 of the STRATOS initiative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reporting.core.measures.measure import Measure
from reporting.document.blocks import Block, Caution, Prose, Section, Table
from reporting.document.charts.picture import curve_picture
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.sections import CORE_SET
from reporting.document.words.core_set import AUC, UTILITY_CURVES, measures_in_core_set
from reporting.document.words.phrases import listing, sense
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, by_width
from reporting.document.words.view import DatasetView, views
from reporting.features.calibration_and_benefit import FEATURE, net_benefit_frame

SOURCE = "Van Calster et al., Lancet Digital Health 2025, doi:10.1016/j.landig.2025.100916"
PURPOSE = (
    "The measures and plots that guidance on the validation of prediction models calls essential, in its"
    f" order ({SOURCE})."
)
PROBABILITIES = 0.05, 0.1, 0.2, 0.3, 0.5
"""Threshold probabilities at which the table has net benefits."""
DIGITS = 2
MOST_MODELS = 4
"""So many have a column of net benefits."""

COSTED = ("net_benefit", "dcf", "weighted_error")
"""Measures at a threshold that count what errors cost."""
CLASSIFYING_OPTIMA = ("max_f1", "max_mcc")
UNPRICED_AREAS = ("pauc", "pauc_tpr", "ap_step", "ap_dg", "ap_trapezoid", "ap_11pt")
"""Areas that weigh the two kinds of error without a cost of either."""


def core_set(results: Results) -> Section | None:
    """Return the core set of every dataset."""
    return FEATURE.section(CORE_SET).per_view(views(results), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    parts: tuple[tuple[str, Callable[[DatasetView], Iterator[Block]]], ...] = (
        ("Discrimination", _discrimination),
        ("Calibration", _calibration),
        ("Clinical utility", _utility),
        ("Predicted probabilities by outcome", lambda view: _drawn(view, "risk_distribution")),
    )
    sections = (
        Section(title, f"{CORE_SET}-{view.number}-{place}", blocks, beside=place == len(parts))
        for place, (title, of) in enumerate(parts, start=1)
        if (blocks := tuple(of(view)))
    )
    return (Prose(PURPOSE), *sections)


def _drawn(view: DatasetView, *words: str) -> Iterator[Block]:
    """Yield the figures of the curves that the config names, or why one is not drawn."""
    asked = {curve.key: curve for curve in view.study.curves}
    for word in words:
        if word in asked:
            yield from curve_picture(asked[word]).blocks(view)


def _discrimination(view: DatasetView) -> Iterator[Block]:
    if AUC in view.study.measures:
        yield from _measured(view, "core_discrimination", "Discrimination on the test set.", [AUC])


def _calibration(view: DatasetView) -> Iterator[Block]:
    yield from _drawn(view, "calibration")
    measures = [measure for measure in measures_in_core_set(view.study) if measure != AUC]
    yield from _measured(view, "core_calibration", "Calibration on the test set.", measures)


def _measured(view: DatasetView, name: str, caption: str, measures: Sequence[Measure]) -> Iterator[Table]:
    """Yield the values of every model with their intervals."""
    table = TableOf[str](view)

    def column(measure: Measure) -> ColumnOf[str]:
        def row(model: str) -> MetricRow | None:
            return view.metric(model, measure, None)

        return table.estimate(view.terms.measure(measure), row, view.printing(measure), sense=sense(measure))

    for part, some in enumerate(by_width(measures), start=1):
        yield table.build(
            name if part == 1 else f"{name}_{part}",
            caption,
            view.ranked,
            (table.model(lambda model: model), *map(column, some)),
            (f"{table.level} CIs in brackets.",),
        )


def _utility(view: DatasetView) -> Iterator[Block]:
    yield from _drawn(view, *UTILITY_CURVES)
    benefits = {
        (row.model, row.probability): row
        for row in view.rows(net_benefit_frame.NET_BENEFIT, "test")
        if not row.standardised and row.net_benefit is not None
    }
    if benefits:
        yield _benefits(view, benefits)


def _benefits(
    view: DatasetView, benefits: dict[tuple[str, float | None], net_benefit_frame.NetBenefitRow]
) -> Table:
    """One row per threshold probability: treating all, every model, and the difference of the finalists."""
    table = TableOf[float](view)
    models = [model for model in view.ranked if any(model == key for key, _ in benefits)]
    first = next(iter(benefits))[0]

    def of(model: str) -> ColumnOf[float]:
        def row(at: float) -> Estimate:
            benefit = benefits[model, at]
            return _per_hundred(benefit.net_benefit, benefit.ci_low, benefit.ci_high)

        return table.estimate(view.names[model], row, DIGITS, sense="higher is better")

    columns = [
        table.text("threshold probability", lambda at: f"{100 * at:.0f}%", lambda at: at),
        table.number("treat all", lambda at: 100 * (benefits[first, at].treat_all or 0.0), DIGITS),
        *map(of, models[:MOST_MODELS]),
        *_difference(view, table),
    ]
    left = models[MOST_MODELS:]
    note = (f"Left out: {listing(view.names[model] for model in left)}; the frame net_benefit has all.",)
    return table.build(
        "core_net_benefit",
        f"Net benefit per 100 {view.terms.trials} on the test set; treating none has 0.",
        PROBABILITIES,
        columns,
        (f"Pointwise {table.level} CIs in brackets.", *(note if left else ())),
    )


def _difference(view: DatasetView, table: TableOf[float]) -> Iterator[ColumnOf[float]]:
    """Yield the column of the two finalists' difference, the first less the second."""
    if len(view.finalists) != 2:
        return
    first, second = view.finalists
    rows: dict[float | None, net_benefit_frame.NetBenefitDifferenceRow] = {
        row.probability: row
        for row in view.rows(net_benefit_frame.NET_BENEFIT_DIFFERENCES, "test")
        if not row.standardised
        and row.difference is not None
        and {row.model, row.baseline} == {first, second}
    }
    if not rows:
        return

    def row(at: float) -> Estimate:
        pair = rows[at]
        values = pair.difference, pair.ci_low, pair.ci_high
        if pair.model == first:
            return _per_hundred(*values)
        value, low, high = (None if each is None else -each for each in values)
        return _per_hundred(value, high, low)

    yield table.estimate(f"{view.names[first]} − {view.names[second]}", row, DIGITS)


def _per_hundred(*values: float | None) -> Estimate:
    value, low, high = (None if each is None else 100 * each for each in values)
    return Estimate(value, low, high, None)


def improper_measures(view: DatasetView) -> Iterator[Caution]:
    """Yield what the guidance states of measures that a report of its profile adds to the core set."""
    if view.study.profile != "stratos":
        return
    classifying = [measure for measure in view.study.measures if _classifies(measure)]
    if classifying:
        yield FEATURE.caution(
            view,
            "improper_measures.classifying",
            _classifies(view.study.primary.measure),
            measures=_named(view, classifying),
            are="is" if len(classifying) == 1 else "are",
            source=SOURCE,
        )
    areas = [measure for measure in view.study.measures if measure.key in UNPRICED_AREAS]
    if areas:
        yield FEATURE.caution(
            view,
            "improper_measures.areas",
            view.study.primary.measure in areas,
            measures=_named(view, areas),
            are="is an area" if len(areas) == 1 else "are areas",
        )


def _classifies(measure: Measure) -> bool:
    """Return whether a measure judges decisions by counts of errors without their costs."""
    at_threshold = measure.over == "threshold" and measure.key not in COSTED
    return at_threshold or measure.key in CLASSIFYING_OPTIMA


def _named(view: DatasetView, measures: Sequence[Measure]) -> str:
    return listing(map(view.terms.measure, measures), 4)
