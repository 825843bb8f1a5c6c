"""The layout ``voxsrc``: lists and scores as in the VoxCeleb speaker recognition challenges.

Key files have lines ``label enroll test``, where label is 1 or 0; score files ``score enroll test``, or
``enroll test score``: the first line tells by which of its fields is a number. Columns for clusters and
breakdowns: enroll, test.
"""

from __future__ import annotations

import polars as pl

from reporting.errors import DataError, quoted
from reporting.trials.layouts.lines import cut, first_fields
from reporting.trials.layouts.numbers import is_number
from reporting.trials.layouts.raw import Opened, told
from reporting.trials.layouts.renamed import renamed
from reporting.trials.spec import Source, TrialSpec

TRIAL = ("enroll", "test")
FIRST, LAST = ("score", *TRIAL), (*TRIAL, "score")


def voxsrc_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a list of trials."""
    return renamed(spec, cut(source, [("label", *TRIAL)]), TRIAL, label="label")


def voxsrc_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a file of scores; DataError where two fields could be the score, or none."""
    fields = first_fields(source, cut(source, [FIRST]).rows)
    numbers = pl.Series(fields, dtype=pl.String).to_frame("it").select(is_number(pl.col("it")))["it"]
    if fields and numbers[0] == numbers[-1]:
        found = "both its first and its last field are" if numbers[0] else "neither end of it is"
        raise DataError(
            f"{told(source)}: its first line is {quoted(' '.join(fields))}, and {found} a number;"
            f" expected are {' '.join(FIRST)}, or {' '.join(LAST)}"
        )
    shape = LAST if fields and numbers[-1] else FIRST
    return renamed(spec, cut(source, [shape]), TRIAL, score="score")
