"""Fields of a text format under the names that the table uses."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.trials.layouts.lines import Lines
from reporting.trials.layouts.raw import Opened
from reporting.trials.spec import TRUE_WORDS, TrialSpec


def renamed(
    spec: TrialSpec,
    lines: Lines,
    trial: tuple[str, ...],
    *,
    label: str | None = None,
    score: str | None = None,
    words: Mapping[str, str] | None = None,
) -> Opened:
    """Return the columns of a file with trial, label and score as the config calls them.

    The key of a trial is its fields with a blank between. ``words`` are the format's own labels and what
    they mean; a config that says ``values`` itself is taken at its word, and they stay as they are.
    """
    made = [pl.concat_str(trial, separator=" ").alias(spec.column("trial"))]
    if label:
        text = pl.col(label)
        if words and spec.values.target == TRUE_WORDS:
            text = text.replace(dict(words))
        made.append(text.alias(spec.column("label")))
    if score:
        made.append(pl.col(score).alias(spec.column("score")))
    rows = lines.columns().with_columns(made)
    return Opened(lines.source, rows, lambda: lines.faults(score))
