"""The fitted curves: what they say in numbers beside the trials, and where they do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reporting.charts.draw import Words
from reporting.charts.fitted import fits_of, fitted_figure
from reporting.charts.rates import curves
from reporting.charts.smooth import fitted_band
from reporting.fits.fit import Fit
from reporting.frames.fits import FITS, FitRow
from reporting.frames.results import Results
from reporting.frames.schemas import MetricRow
from reporting.measures.areas import AUC, EER_ROCCH, PAUC
from reporting.measures.catalogue import read_measure
from reporting.measures.measure import Measure
from reporting.measures.precision_recall import AP_STEP
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Figure, Section, Sense, Table
from reporting.sections.figure_words import on_test
from reporting.sections.fit_notes import fit_notes, share_note
from reporting.sections.fit_points import fit_points
from reporting.wording.phrases import level_text, listing, reason
from reporting.wording.view import View, per_view

MOST_FIGURES = 4


@dataclass(frozen=True)
class _Shown:
    """A number of the curves: its name in the frame, its empirical counterpart, how it is headed."""

    name: str
    measure: Measure
    title: str

    @property
    def scale(self) -> float:
        """What it is multiplied by."""
        return 100.0 if self.measure.printed_in == "percent" else 1.0

    def column(self) -> Column:
        """Return its column."""
        unit = "%" if self.measure.printed_in == "percent" else ""
        return Column(self.title, "number", unit, SENSES[self.measure.better])


SENSES: Mapping[str, Sense] = {"lower": "lower is better", "higher": "higher is better"}
RATES = (_Shown("auc", AUC, "AUC"), _Shown("eer", EER_ROCCH, "EER"))
AP = _Shown("ap", AP_STEP, "AP")


def fits(results: Results) -> Section | None:
    """Return the fits of every dataset; nothing where none was asked for."""
    return per_view("Smooth curves", "fits", results, _blocks, beside=True)


def _blocks(view: View) -> tuple[Block, ...]:
    found = view.rows(FITS, "test")
    if not found:
        return ()
    rows = {(row.model, row.fit, row.parameter): row for row in found}
    return (_curves(view, rows), _areas(view, rows), *_figures(view), *fit_points(view))


Found = Mapping[tuple[str, str, str], FitRow]


def _curves(view: View, rows: Found) -> Table:
    spoken = view.terms
    form = f"{spoken.tpr} = Φ(a + b Φ⁻¹({spoken.far}))"
    return Table(
        name=view.called("fits"),
        caption=f"{on_test(view)}: binormal curves {form}, beside the trials themselves.",
        columns=(
            Column("model"),
            Column("curve"),
            Column("a", "number"),
            Column("b", "number"),
            *_columns(view, RATES),
        ),
        rows=tuple(_lines(view, rows, RATES, ("a", "b"))),
        notes=fit_notes(view, list(rows.values())),
    )


def _areas(view: View, rows: Found) -> Table:
    """Average precision and partial areas, which the trials give where they were asked for."""
    partial = dict.fromkeys(name for _, _, name in rows if name.startswith(PAUC.key))
    measures = [read_measure(name) for name in partial]
    shown = (AP, *(_Shown(str(measure), measure, view.terms.measure(measure)) for measure in measures))
    return Table(
        name=view.called("fit_areas"),
        caption=f"{on_test(view)}: average precision and partial areas of the same curves.",
        columns=(
            Column("model"),
            Column("curve"),
            Column(view.terms.share, "number", "%"),
            *_columns(view, shown),
        ),
        rows=tuple(_lines(view, rows, shown, ("prevalence",))),
        notes=(share_note(view),),
    )


def _columns(view: View, shown: Sequence[_Shown]) -> Iterator[Column]:
    for one in shown:
        yield one.column()
        yield Column(f"{level_text(view.study.inference.level)} interval", "interval")


def _lines(
    view: View, rows: Found, shown: Sequence[_Shown], parameters: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    for model in view.results.models:
        observed = [(one, view.metric(model, one.measure, None)) for one in shown]
        if any(row for _, row in observed):
            cells = (cell for one, row in observed for cell in _value(one, row))
            yield Cell(view.names[model]), Cell("trials"), *[Cell("")] * len(parameters), *cells
        for fit in view.study.fits:
            of = (model, str(fit))
            cells = (cell for one in shown for cell in _value(one, rows.get((*of, one.name))))
            own = (_parameter(name, rows.get((*of, name))) for name in parameters)
            yield Cell(view.names[model]), Cell(fit.printed), *own, *cells


def _parameter(name: str, row: FitRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(UNDEFINED, reason=reason(row.status if row else None))
    if name == "prevalence":
        return Cell(numbers.percent(row.value, 1), row.value)
    return Cell(numbers.fixed(row.value, numbers.decimals_for(row.se, 2, 4)), row.value)


def _value(one: _Shown, row: FitRow | MetricRow | None) -> tuple[Cell, Cell]:
    """A value with its interval; digits as its own error supports."""
    if row is None:
        return Cell(""), Cell("")
    if row.value is None:
        why = reason(row.status)
        return Cell(UNDEFINED, reason=why), Cell(UNDEFINED, reason=why)
    low, high = row.ci_low, row.ci_high
    error = None if low is None or high is None else one.scale * (high - low) / 4
    decimals = numbers.decimals_for(error, 1 if one.scale == 1 else 0, 4)
    said = numbers.bracket(low, high, decimals, one.scale)
    missing = "no interval is computed for it" if said == UNDEFINED else ""
    return Cell(numbers.fixed(one.scale * row.value, decimals), row.value), Cell(said, reason=missing)


def _figures(view: View) -> Iterator[Figure]:
    """The baseline and the models best by the primary measure, each with all fits to it."""
    baseline = [view.study.baseline] if view.study.baseline is not None else []
    for number, model in enumerate(list(dict.fromkeys([*baseline, *view.ranked]))[:MOST_FIGURES], start=1):
        fits = fits_of(view, model)
        if fits and model in curves(view):
            yield fitted_figure(view, model, view.called(f"fits_{number}"), _words(view, model, fits))


def _words(view: View, model: str, fits: list[Fit]) -> Words:
    name, level = view.names[model], level_text(view.study.inference.level)
    said = f"{on_test(view)}: DET of {name}, its trials and the curves fitted to them."
    if fitted_band(view, fits[0], model) is not None:
        said += f" Band: {level} Working-Hotelling, which holds a whole curve at once, of {fits[0].printed}."
    alt = (
        f"Detection error trade-off of {name} on test with fitted curves: {listing(f.printed for f in fits)}."
    )
    return Words(said, alt)
