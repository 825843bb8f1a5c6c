"""What moving a threshold costs, as a matrix: dataset that chooses by dataset that is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from reporting.charts.draw import SIDE, Spec, draw_cells
from reporting.charts.picture import Words, per_model, shortened
from reporting.criteria.criterion import Criterion
from reporting.engine.study import Study
from reporting.frames import TRANSFER, TransferRow
from reporting.measures.measure import Measure
from reporting.measures.threshold import HTER
from reporting.report.blocks import UNDEFINED, Axis, Figure, Series, colour
from reporting.wording.view import View

MOST = 6
"""So many models have a picture."""
MOST_DATASETS = 12
"""Numbers in the cells of a larger matrix could not be read."""

WORSE, BETTER, OWN = 1, 2, 0
"""The styles of what a moved threshold loses and gains, and of the frame around the own ones."""
SHADES = 5
"""Steps of a colour on paper; each lies over the one before with the opacity of a band."""
STRONGEST = 0.56
"""The share of ink in the darkest cell, which is that of five bands: dark text still reads on it."""
NOTHING = 1e-12
"""Values that differ by less are the same but for rounding."""
INK, BLANK = "#222222", "#F2F2F2"
ON_SCREEN, ON_PAPER = (18, 65), (7, 32)
"""The letters of a dataset's name beside its row, and those of all names under the columns."""

Cell = tuple[str, str]
"""The dataset whose dev chooses, and the one whose test judges."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """The rows of one model at one criterion and measure, by choosing and judged dataset.

    ``worst`` is the largest gain or loss of all matrices on one scale of colour.
    """

    model: str
    measure: Measure
    datasets: Sequence[str]
    rows: Mapping[Cell, TransferRow]
    worst: float

    def loss(self, cell: Cell) -> float:
        """Return how much worse the moved threshold is than the own one: below 0 where it is better."""
        row = self.rows.get(cell)
        if row is None or row.value is None or row.value_own is None:
            return 0.0
        lost = self.measure.badness(row.value) - self.measure.badness(row.value_own)
        return lost if abs(lost) > NOTHING else 0.0

    def share(self, cell: Cell) -> float:
        """Return the loss on the scale of colour, in [-1, 1]."""
        return self.loss(cell) / self.worst if self.worst > 0 else 0.0


def question(study: Study, frame: pl.DataFrame) -> tuple[Measure, Criterion] | None:
    """Return the report's first question about thresholds from dev: its own, else the next that has rows.

    None where the frame has no row at a threshold.
    """
    at = frame.filter(over="threshold")
    measures = [m for m in (study.primary.measure, HTER, *study.measures) if str(m) in set(at["measure"])]
    criteria = [c for c in (study.primary.criterion, *study.criteria) if str(c) in set(at["criterion"])]
    return (measures[0], criteria[0]) if measures and criteria else None


def matrices(view: View, frame: pl.DataFrame, measure: Measure, criterion: Criterion) -> list[Matrix]:
    """Return the matrix of every model of a run, in the report's order and on one scale of colour."""
    rows = frame.filter(run=view.run, over="threshold", measure=str(measure), criterion=str(criterion))
    datasets = sorted(set(rows["dev_dataset"]), key=str.encode)
    plain = [
        Matrix(
            model, measure, datasets, {(r.dev_dataset, r.test_dataset): r for r in TRANSFER.rows(part)}, 0.0
        )
        for model, part in per_model(view, rows).items()
    ]
    worst = max((abs(matrix.loss(cell)) for matrix in plain for cell in matrix.rows), default=0.0)
    return [replace(matrix, worst=worst) for matrix in plain]


def transfer_figure(view: View, matrix: Matrix, show: Callable[[TransferRow], str], words: Words) -> Figure:
    """Draw the costs of one model: a cell for each pair, coloured by what is lost, with its number.

    ``show`` prints the cost of a row. On paper the cells are shaded and have no numbers.
    """
    number = view.results.models.index(matrix.model) + 1
    name, n = view.called(f"transfer_m{number}"), len(matrix.datasets)
    own = _own_cells(n)
    # Names that overlap would be left out one by one: one too wide for its column is cut instead.
    looks: tuple[Spec, Spec] = {"labelLimit": SIDE // n - 4, "grid": False}, {"grid": False}
    # The type size at which a number of six letters fits a cell.
    letters = max(8, min(16, SIDE // (4 * n)))
    spec = draw_cells(
        name,
        [own],
        _axes(matrix, *ON_SCREEN),
        f"{name}_cells",
        _cell_rows(matrix, show),
        mark={"type": "rect", "stroke": "white"},
        looks=looks,
        text={"type": "text", "color": INK, "fontSize": letters},
    )
    printed, on_paper = (*_shaded(matrix), own), _axes(matrix, *ON_PAPER)
    return Figure(name, words.caption, words.alt, spec | {"description": words.alt}, printed, *on_paper)


def _axes(matrix: Matrix, longest: int, together: int) -> tuple[Axis, Axis]:
    """Datasets as ticks in the middle of their columns and, from the top, of their rows."""
    n = len(matrix.datasets)
    names = shortened(matrix.datasets, max(4, min(longest, together // n)))
    across = tuple((at + 0.5, name) for at, name in enumerate(names))
    down = tuple((n - at - 0.5, name) for at, name in enumerate(names))
    return (
        Axis("Judged on test of", 0.0, float(n), across),
        Axis("Thresholds chosen on dev of", 0.0, float(n), down[::-1]),
    )


def _own_cells(n: int) -> Series:
    """Return the outline of the diagonal: down its stairs on one side and back on the other."""
    down = [(at + step, n - at) for at in range(n) for step in (0, 1)]
    back = [(at + step, n - at - 1) for at in reversed(range(n)) for step in (1, 0)]
    x, y = zip(*down, *back, down[0], strict=True)
    return Series("", "guide", OWN, tuple(map(float, x)), tuple(map(float, y)))


def _cell_rows(matrix: Matrix, show: Callable[[TransferRow], str]) -> list[Spec]:
    """Return every cell with its corners and its middle, its number and its colour."""
    cells, n = [], len(matrix.datasets)
    for line, dev in enumerate(matrix.datasets):
        for column, test in enumerate(matrix.datasets):
            row, base = matrix.rows.get((dev, test)), n - 1 - line
            text, fill = UNDEFINED, BLANK
            if row is not None and row.cost is not None:
                text, fill = show(row), _fill(matrix.share((dev, test)))
            corners = {"x": column, "x2": column + 1, "y": base, "y2": base + 1}
            centre = {"middle_x": column + 0.5, "middle_y": base + 0.5}
            cells.append(corners | centre | {"text": text, "fill": fill})
    return cells


def _fill(share: float) -> str:
    """Mix the colour of what is lost (or gained) with white."""
    ink = bytes.fromhex(colour(WORSE if share > 0 else BETTER).removeprefix("#"))
    part = STRONGEST * abs(share)
    return "#" + "".join(f"{round(255 - part * (255 - light)):02X}" for light in ink)


def _shaded(matrix: Matrix) -> list[Series]:
    """Return the cells as bands over their rows, the more of them over each other the larger the share."""
    n, bands = len(matrix.datasets), []
    for line, dev in enumerate(matrix.datasets):
        shares = [matrix.share((dev, test)) for test in matrix.datasets]
        for style, sign in ((WORSE, 1), (BETTER, -1)):
            for step in range(SHADES):
                # The faintest shade is for all that is not nothing.
                least = (step + 0.5) / SHADES if step else 0.0
                dark = [sign * share > least for share in shares]
                if any(dark):
                    bands.append(_band(style, n - 1 - line, dark))
    return bands


def _band(style: int, base: int, dark: Sequence[bool]) -> Series:
    """One row of cells; where one is not dark the band has no height."""
    x = tuple(float(at + step) for at in range(len(dark)) for step in (0, 1))
    low = (float(base),) * len(x)
    high = tuple(float(base + is_dark) for is_dark in dark for _ in (0, 1))
    return Series("", "band", style, x, low, high)
