"""Model selection: bands that overlap or do not, beside the paired test of the same curves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from configs.papers.hamel.plane import CHANCE, FPR_AXIS, TPR_AXIS
from configs.papers.hamel.read import CLAIMS, corners, fixed, frame_of_test, value
from configs.papers.paper import Claim
from reporting.base.arrays import FloatArray
from reporting.document import Cell, Column, Figure, Prose, Section, Series, Table, numbers
from reporting.document.charts.axes import places
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.roc import BANDS
from reporting.document.words.phrases import level_text
from reporting.document.words.view import DatasetView
from reporting.features.curves.bands import CURVE_DIFFERENCES

GRID = np.linspace(0.01, 0.99, 99)
LEVEL = 0.05


class Pair(NamedTuple):
    """Two models on one test: where their bands lie apart, and what the paired comparison says."""

    view: DatasetView
    model: str
    baseline: str
    apart: float
    differing: float | None
    row: ComparisonRow

    @property
    def p(self) -> float | None:
        """The adjusted p-value of the difference of the areas."""
        p = self.row.p_value if self.row.p_adjusted is None else self.row.p_adjusted
        return None if p is None else float(p)

    @property
    def differ(self) -> bool:
        """Whether the areas are shown to differ."""
        return self.p is not None and self.p < LEVEL

    @property
    def told_by_bands(self) -> bool:
        """What the paper's rule says: bands that lie apart somewhere."""
        return self.apart > 0


def pairs(views: tuple[DatasetView, ...]) -> list[Pair]:
    """Return every comparison of areas whose two bands there are, in the report's order."""
    found = []
    for view in views:
        for row in (one for one in view.headlines if one.measure == "auc"):
            limits = [band(view, model) for model in (row.model, row.baseline)]
            if limits[0] is None or limits[1] is None or row.difference is None:
                continue
            apart = (limits[0][0] > limits[1][1]) | (limits[1][0] > limits[0][1])
            differing = _differing(view, row)
            found.append(Pair(view, row.model, row.baseline, float(apart.mean()), differing, row))
    return found


def band(view: DatasetView, model: str) -> tuple[FloatArray, FloatArray] | None:
    """Lower and upper limit of a model's true positive rate over ``GRID``; None without a band."""
    rows = frame_of_test(view.results.frame(BANDS), view)
    if not len(rows):
        return None
    rows = rows.filter(pl.col("status").is_null(), model=model).drop_nulls("p_fa").sort("p_fa")
    if len(rows) < 2:
        return None
    low, high = (
        np.interp(GRID, rows["p_fa"].to_numpy(), 1 - rows[name].to_numpy())
        for name in ("p_miss_high", "p_miss_low")
    )
    return low, high


def _differing(view: DatasetView, row: ComparisonRow) -> float | None:
    """The share of rates at which the simultaneous band of the paired difference leaves 0 out."""
    frame = view.results.frame(CURVE_DIFFERENCES)
    if frame.is_empty():
        return None
    rows = view.part(frame).filter(pl.col("status").is_null(), model=row.model, baseline=row.baseline)
    rows = rows.drop_nulls(["band_low", "band_high"])
    if not len(rows):
        return None
    low, high = rows["band_low"].to_numpy(), rows["band_high"].to_numpy()
    return float(((low > 0) | (high < 0)).mean())


def band_section(views: tuple[DatasetView, ...]) -> Section | None:
    """Return two pairs with their bands, and the verdicts on all pairs by either rule."""
    found = pairs(views)
    if not found:
        return None
    said = (
        "The paper compares the bands of two curves: apart, and the models differ; overlapping, and they do"
        " not."
        " Two curves of one test set share its accidents, which their difference does not have, so the right"
        " question is put to the difference. Verdicts of the table that disagree are in bold."
    )
    shown = [pair for pair in (separated(found), overlapping(found)) if pair is not None]
    figures = tuple(_figure(pair, number) for number, pair in enumerate(shown, start=1))
    return Section("Model selection", "paper-bands", (Prose(said), *figures, _table(found)), beside=True)


def separated(found: list[Pair]) -> Pair | None:
    """The pair whose bands lie apart at the most rates, of two models better than chance."""
    return max(
        (one for one in found if one.told_by_bands and _sound(one)), key=lambda one: one.apart, default=None
    )


def _sound(pair: Pair) -> bool:
    areas = [value(pair.view, model, "auc") for model in (pair.model, pair.baseline)]
    return all(row is not None and 0.5 < (row.value or 0.0) < 0.99 for row in areas)


def overlapping(found: list[Pair]) -> Pair | None:
    """The pair whose bands overlap everywhere while its models are shown to differ; else any overlapping."""
    candidates = [one for one in found if not one.told_by_bands]
    return next((one for one in candidates if one.differ), next(iter(candidates), None))


def _figure(pair: Pair, number: int) -> Figure:
    view = pair.view
    lines, bands = [], []
    for model in (pair.baseline, pair.model):
        found, limits = corners(view, model), band(view, model)
        assert found is not None
        assert limits is not None
        name, style = view.names[model], view.styles[model]
        lines.append(Mark.line(name, style, 100 * found.fpr, 100 * found.tpr))
        bands.append(Series(name, "band", style, *(places(100 * one) for one in (GRID, *limits))))
    level = level_text(view.study.inference.level)
    how = "apart" if pair.told_by_bands else "overlapping"
    caption = (
        f"{view.dataset}: {view.names[pair.baseline]} and {view.names[pair.model]}, {level} bands of"
        " whole curves,"
        f" {how}. The latter's area less the former's is {numbers.fixed(pair.row.difference, 3)}, adjusted"
        f" {numbers.equation(pair.p) if pair.p is not None else 'p unknown'}."
    )
    alt = (
        f"Two ROC curves with bands, apart at {numbers.percent(pair.apart, 0)} % of the false positive"
        " rates from 1"
        " to 99 %."
    )
    others = (CHANCE, *bands)
    return render(
        ChartSpec(f"paper_bands_{number}", FPR_AXIS, TPR_AXIS, [*others, *lines]), Words(caption, alt)
    )


def _table(found: list[Pair]) -> Table:
    rows = []
    for one in found:
        differs = one.differ == one.told_by_bands
        limits = numbers.bracket(one.row.ci_low, one.row.ci_high, 3)
        rows.append(
            (
                Cell(f"{one.view.names[one.model]} − {one.view.names[one.baseline]}"),
                Cell(one.view.dataset),
                Cell(numbers.percent(one.apart, 0), one.apart),
                Cell("different" if one.told_by_bands else "not significant", bold=not differs),
                Cell(f"{numbers.fixed(one.row.difference, 3)} {limits}", one.row.difference),
                Cell(numbers.p_value(one.p), one.p),
                Cell("different" if one.differ else "not shown to differ", bold=not differs),
                fixed(None if one.differing is None else 100 * one.differing, 0),
            )
        )
    return Table(
        name="paper_bands_table",
        caption="Each pair by the overlap of two bands, and by the paired difference of the same curves.",
        columns=(
            Column("pair"),
            Column("test"),
            Column("bands apart, %", "number"),
            Column("by overlap"),
            Column("difference of AUC", "number"),
            Column("p, adjusted", "number"),
            Column("paired"),
            Column("curves differ, %", "number"),
        ),
        rows=tuple(rows),
        notes=(
            "Bands apart: share of the false positive rates 1, 2, … 99 %. Curves differ: share of rates at"
            " which the"
            " simultaneous band of the paired difference of true positive rates leaves 0 out.",
        ),
    )


def band_claims(views: tuple[DatasetView, ...]) -> list[Claim]:
    """Whether overlap says what the paired comparison says."""
    found = pairs(views)
    if not found:
        return []
    over, apart = ([one for one in found if one.told_by_bands is told] for told in (False, True))
    hidden = [one for one in over if one.differ]
    ours = f"{len(hidden)} of {len(over)} pairs with overlapping bands are shown to differ"
    if hidden:
        one = hidden[0]
        ours += (
            f" ({one.view.names[one.model]} and {one.view.names[one.baseline]}, {one.view.dataset}:"
            " adjusted"
            f" {numbers.equation(one.p or 0.0)})"
        )
    agreed = sum(one.differ for one in apart)
    return [
        CLAIMS["overlapping"].found(ours, not hidden if over else None),
        CLAIMS["separated"].found(
            f"{agreed} of {len(apart)} pairs with separated bands are shown to differ",
            agreed == len(apart) if apart else None,
        ),
    ]
