"""Obtained against expected rates: what test shows where thresholds aimed at a rate on dev (methods 7.8)."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.charts.curve import Picture, Vertices, drawn
from reporting.charts.draw import Words
from reporting.charts.ticks import nice_axis
from reporting.frames import EXPECTED
from reporting.report.blocks import Figure, Series
from reporting.wording.view import View

MOST_BANDS = 3


def expected_rates(view: View) -> dict[str, dict[str, float]]:
    """Return, by rate (far, frr), the share of targets at which each model falls outside its band."""
    if view.results.frame(EXPECTED).is_empty():
        return {}
    rows = _rows(view).with_columns(
        outside=(pl.col("obtained") < pl.col("band_low")) | (pl.col("obtained") > pl.col("band_high"))
    )
    found: dict[str, dict[str, float]] = {}
    shares = rows.group_by("rate", "model").agg(pl.col("outside").mean()).sort("rate")
    for rate, model, share in shares.rows():
        found.setdefault(rate, {})[model] = share
    return {rate: {key: by[key] for key in view.results.models if key in by} for rate, by in found.items()}


def _rows(view: View) -> pl.DataFrame:
    return view.part(view.results.frame(EXPECTED)).drop_nulls(["expected", "obtained", "band_low"])


def expected_figure(view: View, rate: str, words: Words) -> Figure:
    """Draw the obtained rate over the expected one, the prediction band, and where both agree."""
    rows = _rows(view).filter(rate=rate).sort("expected", "alpha")
    x_axis = nice_axis(view.terms.title(f"expected_{rate}"), 0.0, 100.0)
    models = [key for key in view.results.models if key in set(rows["model"])]
    once = rows.unique(["model", "expected"], keep="first", maintain_order=True)
    found = {key: once.filter(model=key) for key in models}
    picture = Picture(
        name=f"expected_{rate}",
        x_axis=x_axis,
        y_axis=nice_axis(view.terms.title(f"obtained_{rate}"), 0.0, 100.0),
        lines=[(key, _percent(one, "obtained")) for key, one in found.items()],
        guides=[Series("obtained = expected", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))],
        bands=[
            (key, _percent(one, "band_low", "band_high"))
            for key, one in found.items()
            if len(models) <= MOST_BANDS
        ],
    )
    return drawn(view, picture, words)


def _percent(rows: pl.DataFrame, *columns: str) -> Vertices:
    return tuple(100 * np.asarray(rows[column].to_numpy(), np.float64) for column in ("expected", *columns))
