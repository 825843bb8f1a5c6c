"""The mean ROC curve over folds or trainings, at equal rates and at equal thresholds."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.core.measures.sweep import AUC
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT
from reporting.document.charts.captions import by_model, models
from reporting.document.charts.chart_spec import ChartSpec, Vertices
from reporting.document.charts.picture import CurvePicture, models_chart, per_model, rows_on_test
from reporting.document.words.phrases import level_text
from reporting.document.words.view import DatasetView
from reporting.features.learning_procedures import FEATURE
from reporting.features.learning_procedures.frame import CORRECTED, LEARNING, NEW
from reporting.features.learning_procedures.keys import has_folds
from reporting.features.learning_procedures.mean_curves import MEAN_CURVES

Means = Mapping[str, Mapping[str, pl.DataFrame]]
"""The points of every model, by kind of mean."""
CHANCE = Series("chance", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))


def means_of(view: DatasetView) -> list[Means]:
    """Return the means of a whole dataset, for one picture; nothing without folds or several trainings."""
    if not view.whole:
        return []
    rows = rows_on_test(view, MEAN_CURVES).sort("at")
    kinds = {kind: per_model(view, rows.filter(kind=kind)) for kind in ("vertical", "threshold")}
    return [kinds] if kinds["vertical"] else []


def _draw(view: DatasetView, means: Means) -> ChartSpec:
    def points(rows: pl.DataFrame) -> Vertices:
        return 100 * rows["p_fa"].to_numpy(), 100 - 100 * rows["p_miss"].to_numpy()

    def band(rows: pl.DataFrame) -> Vertices:
        low, high = (100 - 100 * rows[name].to_numpy() for name in ("ci_high", "ci_low"))
        return 100 * rows["p_fa"].to_numpy(), low, high

    vertical = means["vertical"]
    limited = [(model, vertical[model].drop_nulls("ci_low")) for model in view.finalists if model in vertical]
    return models_chart(
        view,
        name="roc_mean",
        x_axis=Axis(view.terms.title("roc_far"), 0.0, 100.0, PERCENT),
        y_axis=Axis(view.terms.title("hits"), 0.0, 100.0, PERCENT),
        lines=[(model, points(rows)) for model, rows in vertical.items()],
        thin=[(model, points(rows)) for model, rows in means["threshold"].items()],
        guides=[CHANCE],
        on_request=(
            _bands(view),
            [(model, band(rows)) for model, rows in limited if len(rows)],
        ),
    )


def _over(view: DatasetView) -> str:
    return "folds" if has_folds(view.study) else "trainings"


def _bands(view: DatasetView) -> str:
    level = level_text(view.study.inference.level)
    further = "" if has_folds(view.study) else f" (further trainings, these {view.terms.trials})"
    return f"{level} pointwise bands{further}"


def _areas(view: DatasetView, means: Means) -> str:
    method = CORRECTED if has_folds(view.study) else NEW
    printed = view.printing(AUC)
    of = {
        row.model: printed.value(row.value)
        for row in view.rows(LEARNING)
        if (row.measure, row.method, row.baseline) == (str(AUC), method, None) and row.value is not None
    }
    return f"Mean area under the curve: {by_model(view, of)}." if of else ""


ROC_MEAN = CurvePicture(
    cases=means_of,
    draw=_draw,
    caption=lambda view, means: FEATURE.text(view, "mean_curve", over=_over(view)),
    shows=lambda view, means: f"Mean ROC curves of {models(view)} over the {_over(view)} on the test set",
    drawn=lambda view, means: f"ROC curves, means over {_over(view)}",
    number=_areas,
    missing=lambda view: FEATURE.text(view, "no_mean_curve") if view.whole else "",
)
