"""Figures of the study: read off the runs, beside what methods says, and the bounds they must keep to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reporting.base.arrays import FloatArray
from tests.research.studies.comparing import Record

Records = Mapping[str, Sequence[Record]]


@dataclass(frozen=True)
class Figure:
    """The mean of a key over the runs of a study that have it; with ``over``, divided by the spread of that
    other key, with ``beside`` by its mean.
    """

    study: str
    key: str
    over: str = ""
    beside: str = ""
    methods: float | None = None
    """The figure of an independent simulation."""
    least: float = -np.inf
    most: float = np.inf
    """What the figure must lie in."""

    def seen(self, records: Records) -> tuple[float, float]:
        """Return the figure and its Monte Carlo error; NaN without runs."""
        values = self._values(records, self.key)
        n = len(values)
        if n < 2:
            return float("nan"), float("nan")
        mean, error = float(values.mean()), float(values.std() / np.sqrt(n))
        if self.beside:
            return mean / float(self._values(records, self.beside).mean()), float("nan")
        if not self.over:
            return mean, error
        spread = float(np.std(self._values(records, self.over), ddof=1))
        return mean / spread, float(mean / spread * np.hypot(error / mean, 1 / np.sqrt(2 * n)))

    def _values(self, records: Records, key: str) -> FloatArray:
        return np.array([record[key] for record in records.get(self.study, ()) if key in record])

    def inside(self, records: Records) -> bool:
        """Tell whether the figure keeps to its bounds; one without runs keeps to none."""
        unbound = np.isinf(self.least) and np.isinf(self.most)
        return bool(unbound or self.least <= self.seen(records)[0] <= self.most)

    def near(self, records: Records) -> bool:
        """Tell whether the figure keeps to its bounds but for two Monte Carlo errors."""
        value, error = self.seen(records)
        unbound = np.isinf(self.least) and np.isinf(self.most)
        return bool(unbound or self.least - 2 * error <= value <= self.most + 2 * error)

    def cell(self, records: Records) -> str:
        """Figure, error, and in brackets what methods says; bold with a sign where it is out of bounds."""
        value, error = self.seen(records)
        said = "" if self.methods is None else f" ({self.methods:.3g})"
        text = f"{value:.3f}{'' if np.isnan(error) else f' ± {error:.3f}'}{said}{self._lacking(records)}"
        return text if self.inside(records) else f"**! {text}**"

    def _lacking(self, records: Records) -> str:
        """The share of runs that do not have it."""
        runs = len(records.get(self.study, ()))
        share = 1 - len(self._values(records, self.key)) / runs if runs else 0.0
        return f", none in {share:.3f}" if share else ""


Rows = tuple[tuple[str, tuple[Figure | None, ...]], ...]


@dataclass(frozen=True)
class Table:
    """Figures by row and column."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: Rows

    @property
    def figures(self) -> Iterable[tuple[str, Figure]]:
        """Every figure with the names of its row and column."""
        for name, cells in self.rows:
            for column, figure in zip(self.columns, cells, strict=True):
                if figure is not None:
                    yield f"{self.title}: {name}: {column}", figure

    def markdown(self, records: Records) -> str:
        """The table as text."""
        lines = [f"## {self.title}", "", self.note, "", f"| | {' | '.join(self.columns)} |"]
        lines.append("|---" * (len(self.columns) + 1) + "|")
        for name, cells in self.rows:
            shown = (figure.cell(records) if figure else "" for figure in cells)
            lines.append(f"| {name} | {' | '.join(shown)} |")
        return "\n".join(lines)


def out_of_bounds(tables: Sequence[Table], records: Records) -> list[str]:
    """Name every figure that leaves its bounds."""
    return [
        f"{name}: {figure.seen(records)[0]:.4f} not in [{figure.least:.3g}, {figure.most:.3g}]"
        for table in tables
        for name, figure in table.figures
        if not figure.inside(records)
    ]
