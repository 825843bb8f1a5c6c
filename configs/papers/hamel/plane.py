"""The ROC plane: its regions, decisions turned round, and operating points called optimal."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from configs.papers.hamel.read import CLAIMS, Corners, Errors, at_threshold, corners, fixed
from configs.papers.paper import Claim
from reporting.base.arrays import FloatArray
from reporting.core.criteria.criterion import Criterion
from reporting.core.stats.sweep import auc
from reporting.document import Axis, Cell, Column, Figure, Prose, Section, Series, Table, numbers
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.words.view import DatasetView
from reporting.features.curves.formulas import ks_distance

FPR_AXIS = Axis("False positive rate (%)", 0.0, 100.0, PERCENT)
TPR_AXIS = Axis("True positive rate (%)", 0.0, 100.0, PERCENT)
CHANCE = Series("random line", "guide", 0, (0.0, 62.0, 100.0), (0.0, 62.0, 100.0))
GRID = np.linspace(0, 1, 201)


class Point(NamedTuple):
    """An operating point of the paper."""

    name: str
    fpr: float
    tpr: float

    @property
    def youden(self) -> float:
        """True less false positive rate."""
        return self.tpr - self.fpr

    @property
    def distance(self) -> float:
        """Distance from the perfect corner."""
        return math.hypot(self.fpr, 1 - self.tpr)


O, A = Point("O", 0.45, 0.95), Point("A", 0.35, 0.90)  # noqa: E741 -- the paper's names


def cheaper_below(one: Point, other: Point) -> float:
    """The ratio C_FA pi_0 / (C_miss pi_1) below which ``one``, of the two higher rates, costs less."""
    return (one.tpr - other.tpr) / (one.fpr - other.fpr)


def region(fpr: float, tpr: float, slack: float) -> str:
    """Name the region of a point: random or perverse, else conservative or liberal by the falling diagonal.

    ``slack`` is how far from the random line a random model may lie.
    """
    if abs(tpr - fpr) <= slack:
        return "random"
    if tpr < fpr:
        return "perverse"
    return "liberal" if tpr + fpr > 1 else "conservative"


def plane_section(view: DatasetView) -> Section:
    """Return the regions of the plane with our models in them, a model turned round, and the optima."""
    criteria = [one for one in view.study.criteria if not one.oracle]
    turned = inversion_figure(view)
    figures = (regions_figure(view, criteria), *((turned,) if turned is not None else ()))
    said = (
        "Liberal models accept readily, conservative ones seldom; the falling diagonal parts them. A model"
        " below"
        " the random line is perverse: it has learnt the classes and says the opposite."
    )
    blocks = (Prose(said), *figures, regions_table(view, criteria))
    return Section("The ROC plane", "paper-plane", blocks, beside=True)


def regions_figure(view: DatasetView, criteria: list[Criterion]) -> Figure:
    """Draw the regions by name, and every model where its thresholds put it."""
    places = (
        ("perfect", 10.0, 99.0),
        ("conservative", 4.0, 14.0),
        ("liberal", 76.0, 99.0),
        ("perverse", 74.0, 22.0),
        ("falling diagonal", 42.0, 52.0),
    )
    names = [Series(name, "guide", 0, (x, x, x), (y, y, y)) for name, x, y in places]
    falling = Series("", "guide", 0, (0.0, 100.0), (100.0, 0.0))
    dots, lines, said = [], [], []
    for model, style in view.styles.items():
        found = [row for one in criteria if (row := at_threshold(view, model, one)) is not None]
        if not found:
            continue
        x = np.array([100 * row.false_alarms / row.n_nontarget for row in found])
        y = np.array([100 - 100 * row.misses / row.n_target for row in found])
        order = np.lexsort((y, x))
        dots.append(Mark.points(view.names[model], style, x, y))
        lines.append(Mark.line(view.names[model], style, x[order], y[order]))
        said.append(f"{view.names[model]} ({numbers.fixed(float(x[0]), 0)}, {numbers.fixed(float(y[0]), 0)})")
    caption = (
        f"Regions of the ROC plane, and the test points of each model at the {len(criteria)} thresholds"
        " chosen on"
        " dev, joined by a line. The corners below left and above right decide without looking."
    )
    alt = f"Regions of the ROC plane. At the first criterion, in per cent: {'; '.join(said)}."
    return render(
        ChartSpec("paper_regions", FPR_AXIS, TPR_AXIS, [CHANCE, falling, *names, *lines, *dots]),
        Words(caption, alt),
    )


def regions_table(view: DatasetView, criteria: list[Criterion]) -> Table:
    """Name the region of every model at every criterion."""
    rows = []
    for model in view.results.models:
        cells = []
        for one in criteria:
            row = at_threshold(view, model, one)
            cells.append(Cell("—") if row is None else Cell(_region_of(row)))
        rows.append((Cell(view.names[model]), *cells))
    return Table(
        name="paper_regions_table",
        caption="Where thresholds chosen on dev put each model, by its false and true positive rate on test.",
        columns=(Column("model"), *(Column(view.terms.criterion(one)) for one in criteria)),
        rows=tuple(rows),
        notes=(
            "Random: within 1.96 standard errors of the random line. A threshold that accepts all, or"
            " nothing, is"
            " a random model too.",
        ),
    )


def _region_of(row: Errors) -> str:
    fpr, tpr = row.false_alarms / row.n_nontarget, 1 - row.misses / row.n_target
    pooled = (row.false_alarms + row.n_target - row.misses) / (row.n_target + row.n_nontarget)
    slack = 1.96 * math.sqrt(pooled * (1 - pooled) * (1 / row.n_target + 1 / row.n_nontarget))
    return region(fpr, tpr, slack)


def turned_round(found: Corners) -> tuple[FloatArray, FloatArray]:
    """The ROC of the opposite decisions, from (0, 0) to (1, 1)."""
    return 1 - found.fpr, 1 - found.tpr


def mirrored(found: Corners) -> tuple[FloatArray, FloatArray]:
    """The ROC reflected in the random line, from (0, 0) to (1, 1)."""
    return found.tpr[::-1], found.fpr[::-1]


def from_mirror(found: Corners) -> float:
    """The largest difference of Youden's index, TPR - FPR, between the ROC turned round and reflected.

    Compared where TPR + FPR is the same: there steep and flat stretches count alike.
    """
    one, other = (
        np.interp(2 * GRID, fpr + tpr, tpr - fpr) for fpr, tpr in (turned_round(found), mirrored(found))
    )
    return float(np.abs(one - other).max())


def sampling_of_mirror(found: Corners) -> float:
    """What ``from_mirror`` stays below in 95 % of samples of a curve that is symmetric, at least.

    Both rates stray by at most their Kolmogorov distance at once, and both curves are of one sample.
    """
    level = math.sqrt(0.95)
    sizes = int(found.misses[-1]), int(found.false_alarms[0])
    return 2 * sum(ks_distance(n, level) for n in sizes)


def _below_chance(view: DatasetView) -> str | None:
    """The model lowest below the random line."""
    areas = {}
    for model in view.results.models:
        found = corners(view, model)
        if found is not None:
            areas[model] = float(auc(found.misses, found.false_alarms))
    lowest = min(areas, key=lambda model: areas[model], default=None)
    return lowest if lowest is not None and areas[lowest] < 0.5 else None


def inversion_figure(view: DatasetView) -> Figure | None:
    """Draw a model below chance, its decisions turned round, and the reflection that this is not."""
    model = _below_chance(view)
    found = corners(view, model) if model is not None else None
    if model is None or found is None:
        return None
    name, style = view.names[model], view.styles[model]
    area = float(auc(found.misses, found.false_alarms))
    lines = [
        Mark.line(name, style, 100 * found.fpr, 100 * found.tpr),
        Mark.line("decisions turned round", 3, *(100 * rate for rate in turned_round(found))),
        Mark.line("reflected in the random line", 9, *(100 * rate for rate in mirrored(found))),
    ]
    middle = Mark.points("decisions turned round", 3, np.array([50.0]), np.array([50.0]))
    caption = (
        f"{name} on test, AUC {numbers.fixed(area, 3)}, and the same decisions turned round,"
        f" AUC {numbers.fixed(1 - area, 3)}: a point reflection in the dot. The dashed curve is what"
        " reflection in"
        " the random line would give."
    )
    alt = (
        f"ROC of {name}, of its inversion and of its mirror image in the random line. TPR − FPR of the latter"
        f" two is up to {numbers.percent(from_mirror(found), 1)} points apart."
    )
    return render(
        ChartSpec("paper_inversion", FPR_AXIS, TPR_AXIS, [CHANCE, *lines, middle]), Words(caption, alt)
    )


def plane_claims(view: DatasetView) -> list[Claim]:
    """What the paper says of models below the random line, and of the optimum."""
    claims = []
    model = _below_chance(view)
    found = corners(view, model) if model is not None else None
    if model is not None and found is not None:
        area = float(auc(found.misses, found.false_alarms))
        apart = from_mirror(found)
        sampling = sampling_of_mirror(found)
        claims += [
            CLAIMS["inverted_better"].found(
                f"{view.names[model]}: AUC {numbers.fixed(area, 3)} becomes {numbers.fixed(1 - area, 3)}",
                area < 0.5,
            ),
            CLAIMS["inverted_symmetric"].found(
                f"TPR − FPR of inverted and reflected curve up to {numbers.fixed(apart, 3)} apart"
                f" (by sampling at most {numbers.fixed(sampling, 3)})",
                apart <= sampling,
            ),
        ]
    better = O.youden > A.youden and O.distance < A.distance
    return [
        *claims,
        CLAIMS["optimum"].found(
            f"Youden: A {numbers.fixed(A.youden, 2)}, O {numbers.fixed(O.youden, 2)}; distance: A"
            f" {numbers.fixed(A.distance, 3)}, O {numbers.fixed(O.distance, 3)}",
            better,
        ),
    ]


def paper_points() -> Table:
    """Rank the paper's two points by each reading of optimal."""
    costs = [(m, *(m * p.fpr + 1 - p.tpr for p in (O, A))) for m in (0.25, cheaper_below(O, A), 1.0)]
    lines = [
        ("Youden's index TPR − FPR, higher is better", O.youden, A.youden, O.youden > A.youden),
        ("distance from (0, 1), lower is better", O.distance, A.distance, O.distance < A.distance),
        *((f"FRR + m FPR, m = {numbers.fixed(m, 2)}, lower is better", o, a, o < a) for m, o, a in costs),
    ]
    return Table(
        name="paper_points",
        caption="The paper's points O (.45, .95) and A (.35, .90) by each reading of “optimal”.",
        columns=(Column("reading"), Column("O", "number"), Column("A", "number"), Column("better")),
        rows=tuple(
            (Cell(what), fixed(o), fixed(a), Cell("equal" if math.isclose(o, a) else "O" if o_wins else "A"))
            for what, o, a, o_wins in lines
        ),
        notes=("m = C_FA π₀ / (C_miss π₁): what a false alarm weighs beside a miss, priors included.",),
    )
