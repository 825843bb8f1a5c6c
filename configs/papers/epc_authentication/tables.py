"""The table and the figure of Bengio and Mariethoz (2004) that no other section of a report shows."""

from __future__ import annotations

import math
from dataclasses import replace

from configs.papers.epc_authentication.claims import FOOTNOTE, two_rates
from configs.papers.epc_authentication.pair import Pair
from reporting.base.arrays import FloatArray
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import EER
from reporting.core.measures.threshold import FAR, FRR
from reporting.document import UNDEFINED, Block, Cell, Column, Series, Table, numbers
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.captions import on_test
from reporting.document.charts.picture import Words, render
from reporting.document.charts.rates import RatePlane, chosen_points, curves
from reporting.document.frames.roc import BANDS
from reporting.document.words.codes import P_METHODS
from reporting.document.words.phrases import CHOSEN, RESAMPLED, basis, method_name, reason
from reporting.features.curves.rates import dots, equal_costs, points_in_numbers, rates_chart
from reporting.features.further_tests.formulas import Outcome

NOT_HERE = "this report has no such threshold for the model"
NO_COUNTS = "there are no counts of errors of both models"


def table_1(pair: Pair) -> Table:
    """Rates of both models at both criteria: chosen on dev, and beside on test itself."""
    rates = ("FAR", "FRR", "HTER")
    heads = [f"{rate}{when}" for when in ("", " (post)") for rate in rates]
    study = pair.view.study
    return Table(
        name=pair.view.unique_name("paper_table_1"),
        caption=(
            "The paper's Table 1 of this report's models: rates on test at thresholds"
            f" chosen {CHOSEN[study.thresholds.policy]} (a priori), and, marked (post), on test itself (a"
            " posteriori)."
        ),
        columns=(
            Column("thresholds of"),
            Column("model"),
            *(Column(head, "number", "%") for head in heads),
        ),
        rows=tuple(_rates(pair, criterion, model) for criterion in pair.criteria for model in pair.models),
        notes=("The errors behind the rates stand in the tables of operating points.",),
    )


def _rates(pair: Pair, criterion: Criterion, model: str) -> tuple[Cell, ...]:
    view = pair.view
    cells = [Cell(view.terms.criterion(criterion)), Cell(view.names[model])]
    for at in (criterion, oracle(criterion)):
        found = pair.rates(model, at)
        if found is None:
            cells += [Cell(UNDEFINED, reason=NOT_HERE)] * 3
            continue
        shown = (view.printing(FAR), found.far), (view.printing(FRR), found.frr), (pair.hter, found.hter)
        cells += [Cell(printed.value(value), value) for printed, value in shown]
    return tuple(cells)


def tests_table(pair: Pair) -> Table:
    """The paper's test of classification errors beside tests of the HTER; the paper's own numbers first."""
    one, other, n = FOOTNOTE
    unknown = Cell(UNDEFINED, reason="the paper prints no more than the two rates")
    footnote = _test_cells(two_rates(one, other, n))
    printed = Cell("paper, footnote 2"), Cell(numbers.percent(one - other, 1), one - other)
    found = [at for criterion in pair.criteria for at in (oracle(criterion), criterion)]
    return Table(
        name=pair.view.unique_name("paper_tests"),
        caption=(
            "Differences on test and what different tests say of them: the paper's, of the classification"
            " error (both classes thrown together) of two independent systems; the same of the HTER; and"
            " this report's comparison of the HTER."
        ),
        columns=(
            Column("thresholds"),
            Column("class error", "number", "points"),
            Column("z", "number"),
            Column("p", "number"),
            Column("HTER", "number", "points"),
            Column("z (HTER)", "number"),
            Column("p (HTER)", "number"),
            Column("p, this report", "number"),
        ),
        rows=((*printed, *footnote, unknown, unknown, unknown, unknown), *(_tests(pair, at) for at in found)),
        notes=_notes(pair),
    )


def _tests(pair: Pair, criterion: Criterion) -> tuple[Cell, ...]:
    gap = pair.gap(criterion)
    assert gap is not None  # only criteria with rates come here
    when = "a posteriori" if criterion.oracle else "a priori"
    row = pair.hter_headline(criterion)
    return (
        Cell(f"{pair.view.terms.criterion(criterion)}, {when}"),
        _class_errors(pair, criterion),
        *_test_cells(pair.class_error(criterion)),
        Cell(pair.hter.value(gap), gap),
        *_test_cells(pair.hter_as_independent(criterion)),
        _headline(row.p_value, row.status) if row else Cell(UNDEFINED, reason=NO_TEST),
    )


NO_TEST = "thresholds chosen on test are not compared"


def _class_errors(pair: Pair, criterion: Criterion) -> Cell:
    found = pair.both_counted(criterion)
    if found is None:
        return Cell(UNDEFINED, reason=NO_COUNTS)
    one, other = ((misses + alarms) / (n_1 + n_0) for misses, alarms, n_1, n_0 in found)
    return Cell(numbers.percent(one - other, pair.hter.decimals), one - other)


def _test_cells(found: Outcome) -> tuple[Cell, Cell]:
    if math.isnan(found.p):
        return Cell(UNDEFINED, reason=NO_COUNTS), Cell(UNDEFINED, reason=NO_COUNTS)
    return Cell(numbers.fixed(found.statistic, 2), found.statistic), Cell(numbers.p_value(found.p), found.p)


def _headline(p: float | None, status: str | None) -> Cell:
    return Cell(UNDEFINED, reason=reason(status)) if p is None else Cell(numbers.p_value(p), p)


def _notes(pair: Pair) -> tuple[str, ...]:
    names = pair.view.names
    said = f"Differences are {names[pair.first]} less {names[pair.second]}; two-sided p, unadjusted."
    rows = [row for criterion in pair.criteria if (row := pair.hter_headline(criterion)) is not None]
    if not rows:
        return (said,)
    row, how = rows[0], basis(pair.view, rows[0])
    if row.p_method in RESAMPLED:
        how = f"{method_name(row.p_method, P_METHODS)}; {how}"
    return said, f"This report's p: {how}."


def rates_figure(pair: Pair) -> tuple[Block, ...]:
    """The ROC with errors on both axes, near its corner: here a line of constant HTER is straight."""
    # Bands would hide how far apart the curves lie here; the DET has them.
    view = replace(pair.view, results=pair.view.results.with_frames({BANDS: BANDS.empty}))
    points = list(chosen_points(view))
    if not curves(view) or not points:
        return ()
    top = max(2.5 * (point.far + point.frr) / 2 for point in points)
    window = min(1.0, max(top, *(1.1 * rate for point in points for rate in (point.far, point.frr))))
    x_axis = nice_axis("False acceptance rate (%)", 0.0, 100 * window)
    y_axis = nice_axis("False rejection rate (%)", 0.0, 100 * window)
    ends = (0.0, 0.85 * x_axis.high, x_axis.high)
    plane = RatePlane(
        name="paper_rates",
        x_axis=x_axis,
        y_axis=y_axis,
        x_of=_in_percent,
        y_of=_in_percent,
        guide=Series("FAR = FRR", "guide", 0, ends, ends),
        rings=True,
    )
    said = (
        f"{on_test(view)}: false rejection against false acceptance near the origin, which is perfect."
        f" {dots(view)} Rings: the best possible on the test set (optimistic). {equal_costs(view)}"
    )
    alt = (
        f"ROC curves of {len(view.names)} models with errors on both axes, near the origin."
        f" {points_in_numbers(view)}"
    )
    return (render(rates_chart(view, plane, curves(view)), Words(said, alt)),)


def _in_percent(rates: FloatArray) -> FloatArray:
    return 100 * rates


def leads(pair: Pair) -> str:
    """Say which model leads at equal error rates, a posteriori and a priori."""
    said = []
    for at, when in ((oracle(EER), "on test itself"), (EER, "on dev")):
        gap = pair.gap(at)
        if gap:
            best = pair.view.names[pair.first if gap < 0 else pair.second]
            said.append(f"chosen {when}, {best} has the lower HTER ({pair.hters(at)})")
    return f"With thresholds of equal error rates {'; '.join(said)}." if said else ""
