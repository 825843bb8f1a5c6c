"""The fitted curves: their numbers against those of the trials, what they assume, and where they fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.curves import Fit
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import AP_STEP, AUC, EER_ROCCH, PAUC
from reporting.document import numbers
from reporting.document.blocks import Block, Figure, Prose, Section, Sense, Table
from reporting.document.charts.captions import on_test
from reporting.document.charts.picture import Words
from reporting.document.charts.rates import curves, fitted_band
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.words.codes import FLAGS
from reporting.document.words.phrases import level_text, listing, reason, threshold_phrase
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ByRow, ColumnOf, TableOf, blank_where, limits
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.fits import FEATURE
from reporting.features.fits.catalogue import read_fit
from reporting.features.fits.chart import fits_of, fitted_figure
from reporting.features.fits.frame import FIT_METRICS, FITS, FitMetricRow, FitRow

MOST_FIGURES = 4
BAD_FIT = 0.05
FAMILIES = {
    "moments": "by means and variances of the scores: another curve where scores are stretched",
    "ranks": "by the order of the scores alone: the same curve for any increasing map of them",
}
AT_THRESHOLDS = (
    "Fitted: at the FAR and FRR of the fitted classes at the threshold (a fit by ranks: at the likeliest"
    " place of the trials on its curve), with the fit's share of targets where a measure names none."
)


class CurveNumber(NamedTuple):
    """A number of the curves: its name in the frame, its empirical counterpart, how it is headed."""

    name: str
    measure: Measure
    title: str


RATES = (CurveNumber("auc", AUC, "AUC"), CurveNumber("eer", EER_ROCCH, "EER"))
AP = CurveNumber("ap", AP_STEP, "AP")

Fitted = Mapping[tuple[str, str, str], FitRow]
"""The numbers of fits by model, fit and parameter."""


class CurveLine(NamedTuple):
    """A model's curve: one fitted to it, or without a fit that of the trials themselves."""

    model: str
    fit: Fit | None


def fits(results: Results) -> Section | None:
    """Return the fits of every dataset; nothing where none was requested."""
    return FEATURE.section("fits").per_view(views(results), _blocks, beside=True)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    rows = view.rows(FITS, "test")
    if not rows:
        return ()
    fitted = {(row.model, row.fit, row.parameter): row for row in rows}
    partial = map(
        read_measure, dict.fromkeys(row.parameter for row in rows if row.parameter.startswith(PAUC.key))
    )
    areas = (AP, *(CurveNumber(str(measure), measure, view.terms.measure(measure)) for measure in partial))
    form = f"{view.terms.tpr} = Φ(a + b Φ⁻¹({view.terms.far}))"
    return (
        Prose(FEATURE.text(view, "how_fits")),
        CurveTable(view, fitted, RATES).table(
            "fits",
            f"Binormal curves {form} on the test set, and the {view.terms.trials} without a fitted curve.",
            ("a", "b"),
            _notes(view, rows),
        ),
        CurveTable(view, fitted, areas).table(
            "fit_areas",
            "Average precision and partial areas of the same curves.",
            ("prevalence",),
            (_share_note(view),),
        ),
        *_figures(view),
        *_at_thresholds(view),
    )


class CurveTable(NamedTuple):
    """A table of some quantities of the curves, and of the trials where they were requested."""

    view: DatasetView
    fitted: Fitted
    quantities: tuple[CurveNumber, ...]

    def table(self, name: str, caption: str, parameters: tuple[str, ...], notes: tuple[str, ...]) -> Table:
        """Return the table, the parameters of the curves before the quantities."""
        table = TableOf[CurveLine](self.view)
        without_curve = f"{capitalised(self.view.terms.trials)} (no curve fitted)"
        return table.build(
            name,
            caption,
            self._lines(),
            (
                table.model(lambda line: line.model),
                *map(self._parameter, parameters),
                *map(self._column, self.quantities),
            ),
            notes,
            group=lambda line: line.fit.printed if line.fit else without_curve,
        )

    def _lines(self) -> Iterator[CurveLine]:
        for model in self.view.ranked:
            trials = CurveLine(model, None)
            if any(self._row(trials, quantity) for quantity in self.quantities):
                yield trials
        for fit in self.view.study.fits:
            yield from (CurveLine(model, fit) for model in self.view.ranked)

    def _row(self, line: CurveLine, quantity: CurveNumber) -> FitRow | MetricRow | None:
        if line.fit is None:
            return self.view.metric(line.model, quantity.measure, None)
        return self.fitted.get((line.model, str(line.fit), quantity.name))

    def _parameter(self, name: str) -> ColumnOf[CurveLine]:
        def row(line: CurveLine) -> FitRow | None:
            return self.fitted.get((line.model, str(line.fit), name))

        def show(line: CurveLine) -> Printing:
            fit = row(line)
            return Printing(False, numbers.decimals_for(fit.se if fit else None, 2, 4))

        share, table = Printing(True, 1), TableOf[CurveLine](self.view)
        column = (
            table.value(self.view.terms.share, row, share)
            if name == "prevalence"
            else table.value(name, row, ByRow(show))
        )
        return blank_where(lambda line: line.fit is None, column)

    def _column(self, quantity: CurveNumber) -> ColumnOf[CurveLine]:
        """A value with its interval beneath; digits as its own error supports."""
        percent = quantity.measure.printed_in == "percent"

        def row(line: CurveLine) -> FitRow | MetricRow | None:
            return self._row(line, quantity)

        def show(line: CurveLine) -> Printing:
            low, high = limits(row(line))
            error = None if low is None or high is None else (100 if percent else 1) * (high - low) / 4
            return Printing(percent, numbers.decimals_for(error, 0 if percent else 1, 4))

        table, better = TableOf[CurveLine](self.view), quantity.measure.better
        sense: Sense = "lower is better" if better == "lower" else "higher is better"
        column = table.estimate(quantity.title, row, ByRow(show), unit="%" if percent else "", sense=sense)
        return blank_where(lambda line: not row(line), column)


def _figures(view: DatasetView) -> Iterator[Figure]:
    """The baseline and the models best by the primary measure, each with all fits to it."""
    baseline, level = view.study.baseline, level_text(view.study.inference.level)
    models = list(dict.fromkeys([*([baseline] if baseline is not None else []), *view.ranked]))
    for number, model in enumerate(models[:MOST_FIGURES], start=1):
        drawn, name = fits_of(view, model), view.names[model]
        if not drawn or model not in curves(view):
            continue
        caption = f"{on_test(view)}: DET of {name}, its {view.terms.trials} and the curves fitted to them."
        if fitted_band(view, drawn[0], model) is not None:
            caption += (
                f" Band: {level} Working-Hotelling, simultaneous over the curve, for {drawn[0].printed}."
            )
        every = listing(fit.printed for fit in drawn)
        alt = f"Detection error trade-off of {name} on test with fitted curves: {every}."
        yield fitted_figure(view, model, view.unique_name(f"fits_{number}"), Words(caption, alt))


class AtThreshold(NamedTuple):
    """A measure of a model at a chosen threshold, by every fit; what is counted is the same in all."""

    measure: Measure
    criterion: str
    model: str
    by_fit: Mapping[str, FitMetricRow]
    printed: Printing


def _at_thresholds(view: DatasetView) -> tuple[Block, ...]:
    """One table, a row for each measure, threshold and model; nothing without such measures."""
    rows: dict[tuple[str, str | None, str], dict[str, FitMetricRow]] = {}
    every = view.rows(FIT_METRICS, "test")
    placed = {row.criterion for row in every if row.threshold is not None}
    for row in every:
        if row.criterion in placed:
            rows.setdefault((row.measure, row.criterion, row.model), {})[row.fit] = row
    if not rows:
        return ()
    lines = [
        AtThreshold(measure, str(criterion), model, by_fit, view.printing(measure))
        for measure, criterion, model in product(view.study.measures, view.study.criteria, view.ranked)
        if (by_fit := rows.get((str(measure), str(criterion), model)))
    ]
    table = TableOf[AtThreshold](view)

    def group(line: AtThreshold) -> str:
        name = view.terms.measure(line.measure) + (" (%)" if line.printed.percent else "")
        return f"{name} at {threshold_phrase(read_criterion(line.criterion), view.study)}"

    def counted(line: AtThreshold) -> float | None:
        return line.by_fit[str(view.study.fits[0])].observed

    def fitted(fit: Fit) -> ColumnOf[AtThreshold]:
        return table.value(fit.printed, lambda line: line.by_fit[str(fit)], ByRow(lambda line: line.printed))

    return (
        table.build(
            "fit_points",
            "Measures on the test set at chosen thresholds: counted, and by the fitted curves.",
            lines,
            (
                table.model(lambda line: line.model),
                table.number(
                    view.terms.trials, counted, ByRow(lambda line: line.printed), why=reason("degenerate")
                ),
                *map(fitted, view.study.fits),
            ),
            (view.terms.say(AT_THRESHOLDS),),
            group=group,
        ),
    )


def _notes(view: DatasetView, rows: list[FitRow]) -> tuple[str, ...]:
    """Return how the curves came to be, what they assume, and where that fails."""
    fits = list(view.study.fits)
    families = [
        f"{listing(members)}: {words}."
        for family, words in FAMILIES.items()
        if (members := [fit.printed for fit in fits if fit.family == family])
    ]
    return (
        *families,
        *_intervals(view, level_text(view.study.inference.level), fits, rows),
        *_diagnostics(view, rows),
    )


def _share_note(view: DatasetView) -> str:
    by_share: dict[str, list[str]] = {}
    for fit in view.study.fits:
        share = fit.arguments["prevalence"]
        words = (
            view.terms.say("at the sample's share of targets")
            if share == "sample"
            else f"{view.terms.say('at a share of targets of')} {share:g}"
        )
        by_share.setdefault(words, []).append(fit.printed)
    return f"AP: {'; '.join(f'{listing(members)} {words}' for words, members in by_share.items())}."


def _intervals(view: DatasetView, level: str, fits: list[Fit], rows: list[FitRow]) -> Iterator[str]:
    methods = {row.ci_method for row in rows if row.ci_method}
    if methods == {"normal"}:
        yield f"{level} CIs in brackets: delta method; AUC, EER and areas on the logit scale."
    elif methods == {"percentile"}:
        yield f"{level} CIs in brackets: parametric bootstrap, percentiles."
    elif methods:
        boot = listing(fit.printed for fit in fits if fit.arguments["interval"] == "bootstrap")
        yield f"{level} CIs in brackets: delta method; parametric bootstrap for {boot}."
    if any("assumes_independent_trials" in row.flags for row in rows):
        yield view.terms.say(FLAGS["assumes_independent_trials"].fits)


def _diagnostics(view: DatasetView, rows: list[FitRow]) -> Iterator[str]:
    of_a = [row for row in rows if row.parameter == "a"]
    for flag in ("hook", "power_at_bound", "power_flat"):
        fits = [f"{view.names[row.model]} ({read_fit(row.fit).printed})" for row in of_a if flag in row.flags]
        if fits:
            yield view.terms.say(FLAGS[flag].fits).format(fits=listing(fits))
    for fit in view.study.fits:
        off = [
            view.names[row.model]
            for row in rows
            if (row.fit, row.parameter) == (str(fit), "auc") and _is_excluded(view, row)
        ]
        if off:
            yield (
                f"{fit.printed} does not fit {listing(off)}: the area under its curve lies outside the"
                f" interval that the {view.terms.trials} give."
            )
    tested = [row for row in rows if row.parameter == "goodness_of_fit_p"]
    several = len({row.fit for row in tested}) > 1
    poor = [
        f"{view.names[row.model]} ({f'{read_fit(row.fit).printed}, ' if several else ''}"
        f"{numbers.equation(row.value)})"
        for row in tested
        if (row.value or 1.0) < BAD_FIT
    ]
    if poor:
        yield (
            f"The binormal curve does not fit the ranks of {listing(poor)}: chi-squared test of the"
            " categories."
        )
    without: dict[tuple[str, str], list[str]] = {}
    for row in of_a:
        if row.status:
            without.setdefault((row.fit, row.status), []).append(view.names[row.model])
    for (name, status), names in without.items():
        why = reason(status, view.terms)
        yield f"{read_fit(name).printed}: no curve for {listing(names)}, {why}."


def _is_excluded(view: DatasetView, row: FitRow) -> bool:
    """Return whether the trials themselves exclude the area of a curve."""
    low, high = limits(view.metric(row.model, AUC, None))
    if row.value is None or low is None or high is None:
        return False
    return not low <= row.value <= high
