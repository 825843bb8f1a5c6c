"""The layout ``bob``: score files of the bob toolbox's biometric packages, which hold labels beside scores.

A line has 4 fields, ``claimed_id real_id probe_label score``, or 5, ``claimed_id model_id real_id
probe_label score``, between blanks. A trial is a target where both identities are the same; its key is the
model, or in 4 fields the claimed identity, and the probe. Paths say model and split.
"""

from __future__ import annotations

import polars as pl

from reporting.errors import DataError
from reporting.trials.layouts.lines import cut
from reporting.trials.layouts.raw import Opened, Raw, said_by
from reporting.trials.spec import Source, TrialSpec, readable

FOUR = ("claimed_id", "real_id", "probe_label", "score")
FIVE = ("claimed_id", "model_id", "real_id", "probe_label", "score")


def bob_rows(spec: TrialSpec) -> list[Raw]:
    """Return the rows of every score file; the fields are columns for clusters and ``by``."""
    column = spec.column("model")
    return [
        Raw(one.name, one.rows, said_by(one.source).get(column))
        for one in (_opened(spec, source) for source in readable(spec.sources))
    ]


def check_bob(spec: TrialSpec) -> None:
    """Raise DataError for lines of another number of fields, and for scores that are not numbers."""
    faults = [fault for source in readable(spec.sources) for fault in _opened(spec, source).faults()]
    if faults:
        raise DataError(*faults)


def _opened(spec: TrialSpec, source: Source) -> Opened:
    lines = cut(source, (FOUR, FIVE))
    template = "model_id" if lines.shape == FIVE else "claimed_id"
    genuine = pl.col("claimed_id") == pl.col("real_id")
    target, nontarget = _words(spec)
    rows = lines.columns().with_columns(
        pl.concat_str(template, "probe_label", separator=" ").alias(spec.column("trial")),
        pl.when(genuine).then(pl.lit(target)).otherwise(pl.lit(nontarget)).alias(spec.column("label")),
        pl.col("score").alias(spec.column("score")),
    )
    return Opened(source, rows, lambda: lines.faults("score"))


def _words(spec: TrialSpec) -> tuple[str, str]:
    """The format has no words of its own for the classes: whatever the config calls them."""
    nontarget = spec.values.nontarget
    return spec.values.target[0], nontarget[0] if isinstance(nontarget, tuple) else "nontarget"
