"""The layout ``long``: one row a trial and model."""

from __future__ import annotations

from reporting.trials.files import open_file
from reporting.trials.layouts.raw import Raw, said_by, told
from reporting.trials.spec import TrialSpec, readable


def long_rows(spec: TrialSpec) -> list[Raw]:
    """Return the rows of every source as they are; a path may name their model."""
    column = spec.column("model")
    return [
        Raw(told(source), open_file(source), said_by(source).get(column), source)
        for source in readable(spec.sources)
    ]
