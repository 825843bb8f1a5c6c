"""What results of replicates follow from, as plain values: by this a cache tells one result from another."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from reporting.cache.fingerprint import fingerprint
from reporting.contents import Named, Value
from reporting.execution.shelf import opened
from reporting.measures.measure import Measure
from reporting.significance.cells import Cells
from reporting.significance.units import Units
from reporting.significance.weighted import Sweep


def told_name(named: Named) -> tuple[Any, ...]:
    """What a measure or criterion computes: its key, and every parameter with its value."""
    return type(named).__name__, named.key, *((p.name, _told_value(p.value)) for p in named.parameters)


def _told_value(value: Value) -> Any:
    return told_name(value) if isinstance(value, Named) else value


def told_reading(sweep: Sweep, name: Measure | str) -> tuple[Any, ...]:
    """What a measure or curve reads off replicates of its cells, and how."""
    if isinstance(name, str):
        return name, sweep.curves[name]
    return *told_name(name), sweep.read[name], sweep.shifts.get(name, 0.0)


class ToldDraws:
    """What the replicates of a table of cells follow from; each table is digested once."""

    def __init__(self, units: Units, seed: int, replicates: int) -> None:
        self._drawn = units, seed, replicates
        self._known: dict[int, tuple[Cells, str]] = {}

    @cached_property
    def weights(self) -> str:
        """The digest of what is drawn."""
        return fingerprint(*self._drawn)

    def of(self, cells: Cells) -> tuple[str, str]:
        """Return the digests of the weights, and of the cells they are applied to."""
        if id(cells) not in self._known:
            row = None if cells.row is None else opened(cells.row)
            # The cells are kept beside: their id must stay their own.
            self._known[id(cells)] = cells, fingerprint(cells.n, row, cells.table, cells.weighted)
        return self.weights, self._known[id(cells)][1]
