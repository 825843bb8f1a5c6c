"""A column with a weight for each row: read as whole numbers in its proportions, which are then counted."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from reporting.errors import ConfigError, DataError, listed, quoted
from reporting.inputs.rules import empty
from reporting.inputs.scan import Scan
from reporting.inputs.spec import DECIMAL, MOST_WEIGHTED, whole_weights

PLACE = ("model", "dataset", "split")


def weights_of_rows(scan: Scan) -> dict[str, int]:
    """Return the whole weight of every text in the column of weights.

    Exactly in proportion where whole numbers allow it, else rounded (``rounded_weights``). DataError for a
    row without a weight, or with one that is no number of at least 0, and where all are 0.
    """

    def count(rows: pl.LazyFrame) -> pl.LazyFrame:
        return rows.group_by(*PLACE, "stratum").agg(pl.len())

    counted = scan.by_file(count)
    texts = counted["stratum"].unique().sort()
    known = [text for text in texts.drop_nulls().to_list() if text]
    odd = [text for text in known if not DECIMAL.fullmatch(text.strip()) or math.isinf(float(text))]
    lacking = int(counted.filter(empty("stratum"))["len"].sum())
    if odd or lacking:
        shown = listed(map(quoted, odd), 3) if odd else f"{lacking} rows without one"
        raise DataError(
            f"{scan.spec.called('stratum')}: expected a number of at least 0 in every row, found {shown}"
        )
    numbers = {text: float(text) for text in texts.to_list()}
    try:
        weights = whole_weights({text: text for text in numbers})
    except ConfigError:
        weights = None
    heaviest = _heaviest(counted, numbers)
    if not heaviest:
        raise DataError(f"{scan.spec.called('stratum')}: all weights are 0")
    if weights is None or _heaviest(counted, weights) > MOST_WEIGHTED:
        return rounded_weights(numbers, MOST_WEIGHTED / 2 / heaviest)
    return weights


def rounded_weights(weights: Mapping[str, float], factor: float) -> dict[str, int]:
    """Return weights times ``factor``, rounded; of one above 0 at least 1."""
    return {text: max(1, round(weight * factor)) if weight else 0 for text, weight in weights.items()}


def _heaviest(counted: pl.DataFrame, weights: Mapping[str, float]) -> float:
    texts = list(weights)
    values = pl.Series(list(weights.values()), dtype=pl.Float64)
    weighed = counted.with_columns(pl.col("stratum").replace_strict(texts, values) * pl.col("len"))
    return float(weighed.group_by(PLACE).agg(pl.col("stratum").sum())["stratum"].max() or 0.0)  # type: ignore[arg-type]
