"""The layouts with key files: labels in one place, scores in others, joined on the trial.

A key file has a row a trial: its key, its label and whatever is said of it. A score file has a row a
trial and model: the key, the score, and the model, unless its path says that. Run, dataset and split come
from either side, and are joined on where both have them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from reporting.errors import DataError, listed, quoted
from reporting.trials.files import open_file
from reporting.trials.layouts.join_faults import join_faults
from reporting.trials.layouts.joined import Join, joins
from reporting.trials.layouts.numbers import is_number
from reporting.trials.layouts.raw import Opened, Raw, collected
from reporting.trials.spec import File, Source, TrialSpec, readable

Open = Callable[[TrialSpec, Source], Opened]
"""Opens a file under the table's own names."""


@dataclass(frozen=True)
class Keyed:
    """A layout with key files: how these and the score files are opened."""

    open_keys: Open
    open_scores: Open

    def rows(self, spec: TrialSpec) -> list[Raw]:
        """Return the rows of each model that a path names, and those of all other score files together."""
        return [Raw(one.name, one.rows(), one.model) for one in self._joins(spec)]

    def check(self, spec: TrialSpec) -> None:
        """Read keys and scores; DataError where lines are broken, or scores and keys do not fit."""
        opened = [*self._keys(spec), *self._scores(spec)]
        faults = [fault for one in opened for fault in one.faults()] or join_faults(self._joins(spec))
        if faults:
            raise DataError(*faults)

    def _joins(self, spec: TrialSpec) -> list[Join]:
        return joins(spec, self._keys(spec), self._scores(spec))

    def _keys(self, spec: TrialSpec) -> list[Opened]:
        if not spec.keys:
            raise DataError(f"layout {spec.layout} needs key files, and there are none")
        return [self.open_keys(spec, one) for one in readable(spec.keys)]

    def _scores(self, spec: TrialSpec) -> list[Opened]:
        """All sources but the key files, which a pattern such as ``{model}.txt`` finds too."""
        keys = {one.path for one in readable(spec.keys) if isinstance(one, File)}
        every = readable(spec.sources)
        scores = [one for one in every if not (isinstance(one, File) and one.path in keys)]
        return [self.open_scores(spec, one) for one in scores or every]


def table_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a key file that is a table."""
    return Opened(source, open_file(source))


def table_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a score file that is a table; its faults are texts that are not numbers."""
    rows = open_file(source)
    return Opened(source, rows, lambda: _strange_scores(spec, Opened(source, rows)))


def _strange_scores(spec: TrialSpec, one: Opened) -> list[str]:
    column, schema = spec.column("score"), one.rows.collect_schema()
    if schema.get(column) != pl.String:
        return []
    strange = one.rows.with_row_index("row", offset=1).filter(~is_number(pl.col(column)))
    found = collected(strange.select("row", column), one.source).sort("row")
    if found.is_empty():
        return []
    first = listed(f"{quoted(text)} at row {row}" for row, text in found.head(3).rows())
    return [f"{one.name}: {spec.called('score')}: {len(found)} rows not numbers; first {first}"]
