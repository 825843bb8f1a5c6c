"""The Bayes error along the prior: as it is (APE), and divided by that of ignoring the scores (NBE)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.base.records import dataclass
from reporting.core.stats.special import logit
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import nice_axis, places
from reporting.document.charts.captions import by_model, empty_class, models, percent
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import CurvePicture, Strokes, models_chart, per_model, rows_on_test
from reporting.document.charts.priors import MOST_THIN, asked_guides, asked_in_words
from reporting.document.frames.roc import ROC
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView
from reporting.features.likelihood_ratios.formulas import trivial_bayes_error
from reporting.features.likelihood_ratios.frame import COST

REACH = 8.0
PRIORS = Axis(
    "Log odds of the effective prior",
    -REACH,
    REACH,
    tuple((float(k), str(k).replace("-", "−")) for k in range(-8, 9, 2)),
)
NORMALISED = Axis(
    "Bayes error / error ignoring the scores (%)",
    0.0,
    120.0,
    tuple((float(k), str(k)) for k in range(0, 121, 20)),
)
IGNORING = "ignoring the scores"
ROOM = 1.15
"""Above the highest error, for the names of the operating points."""
ROUNDING = 1e-12
FEWEST = 30
"""With fewer errors a rate is imprecise (rule of 30, Doddington 2000)."""
CALIBRATIONS = ("none", "affine", "pav")
"""The first of these whose likelihood ratios exist is drawn."""
MAPS = {
    "affine": "calibrated by an affine map fitted on the development set",
    "pav": "calibrated by isotonic regression on the development set",
}


@dataclass(frozen=True, eq=False)
class BayesErrors:
    """One model's Bayes errors on test; ``calibration`` is None where only the least possible exist."""

    rows: pl.DataFrame
    calibration: str | None


@dataclass(frozen=True, eq=False)
class BayesErrorPlot:
    """The models' Bayes errors of one picture; ``calibrated``: by an affine map of the development set."""

    errors: Mapping[str, BayesErrors]
    calibrated: bool = False

    @property
    def actual(self) -> dict[str, BayesErrors]:
        """Those of models that have likelihood ratios."""
        return {model: of for model, of in self.errors.items() if of.calibration is not None}

    @property
    def minimal(self) -> dict[str, BayesErrors]:
        """Those of models of which only the least possible error exists."""
        return {model: of for model, of in self.errors.items() if of.calibration is None}


def bayes_errors(view: DatasetView, wanted: tuple[str, ...] = CALIBRATIONS) -> dict[str, BayesErrors]:
    """Return the rows of the ``cost`` frame by model, ascending by prior, where both classes have trials.

    The first of the wanted calibrations that a model has; without any, its least possible error alone.
    """
    rows = rows_on_test(view, COST).filter(
        pl.col("min_bayes_error").is_not_null(), pl.col("prior_log_odds").is_between(-REACH, REACH)
    )
    errors = {}
    for model, of_model in per_model(view, rows.sort("prior_log_odds", maintain_order=True)).items():
        known = of_model.drop_nulls("bayes_error")["calibration"].unique().to_list()
        calibration = next((name for name in wanted if name in known), None)
        kept = calibration or of_model["calibration"][0]
        errors[model] = BayesErrors(of_model.filter(pl.col("calibration") == kept), calibration)
    return errors


def _ape_cases(view: DatasetView) -> list[BayesErrorPlot]:
    """Likelihood ratios as given, and calibrated on the development set, where that is possible."""
    errors = bayes_errors(view)
    given = [BayesErrorPlot(errors)] if errors else []
    if any(of.calibration == "none" for of in errors.values()):
        calibrated = BayesErrorPlot(bayes_errors(view, ("affine",)), calibrated=True)
        given += [calibrated] if calibrated.actual else []
    return given


def _draw_ape(view: DatasetView, plot: BayesErrorPlot) -> ChartSpec:
    """Draw the Bayes error over the prior log odds: actual in full, the least possible dashed.

    Calibrated likelihood ratios are drawn on the axes of those that were given.
    """
    y_axis = nice_axis("Bayes error (%)", 0.0, ROOM * _highest(bayes_errors(view)))
    name = "ape_calibrated" if plot.calibrated else "ape"
    return _draw(view, name, plot, y_axis, _without_scores(y_axis.high))


def _draw(view: DatasetView, name: str, plot: BayesErrorPlot, y_axis: Axis, guide: Series) -> ChartSpec:
    divided = name == "nbe"
    return models_chart(
        view,
        name=name,
        x_axis=PRIORS,
        y_axis=y_axis,
        lines=[
            *_strokes(plot.actual, "bayes_error", divided),
            *_strokes(plot.minimal, "min_bayes_error", divided),
        ],
        guides=[guide, *asked_guides(view, y_axis, PRIORS, log_odds=True)],
        thin=_strokes(plot.actual, "min_bayes_error", divided) if len(plot.actual) <= MOST_THIN else (),
        # The full line of a model without likelihood ratios is its minimum.
        labels={model: f"{view.names[model]} (minimum)" for model in plot.minimal},
    )


def _strokes(errors: Mapping[str, BayesErrors], column: str, divided: bool) -> Strokes:
    """One column as lines, in percent; ``divided`` by the error of ignoring the scores."""
    scale = pl.col("trivial") if divided else pl.lit(1.0)
    return [
        (
            model,
            (
                of.rows["prior_log_odds"].to_numpy(),
                of.rows.select(100 * pl.col(column) / scale).to_series().to_numpy(),
            ),
        )
        for model, of in errors.items()
    ]


def _highest(errors: Mapping[str, BayesErrors]) -> float:
    columns = (
        of.rows["bayes_error" if of.calibration else "min_bayes_error"].to_numpy() for of in errors.values()
    )
    return 100 * max((float(column.max()) for column in columns), default=0.5)


def _without_scores(high: float) -> Series:
    """The least error of ignoring the scores; its name is where it comes down into the frame."""
    named = max(0.0, float(-logit(min(0.5, 0.8 * high / 100))))
    tau = np.concatenate(
        (np.linspace(PRIORS.low, 0, 60), np.linspace(0, named, 61), np.linspace(named, PRIORS.high, 121))
    )
    return Series(IGNORING, "guide", 0, places(tau), places(100 * trivial_bayes_error(tau)))


def _nbe_caption(view: DatasetView, plot: BayesErrorPlot) -> str:
    normalised = _strokes(plot.errors, "bayes_error", divided=True)
    leaves = any(np.nanmax(y, initial=0.0) > NORMALISED.high for _, (_, y) in normalised)
    beyond = f" Values above {NORMALISED.high:g}% are cut off." if leaves else ""
    if plot.actual and not _harm(view, plot):
        beyond += f" Wherever a curve is above 100%, fewer than {FEWEST} errors decide it."
    return (
        "Bayes error divided by that of the best constant decision; above 100% the scores do harm."
        f" {_lines_in_words(view, plot)}{beyond}{asked_in_words(view)}"
    )


def _lines_in_words(view: DatasetView, plot: BayesErrorPlot) -> str:
    """Return what is drawn in full and what dashed, and of which models only the minimum exists."""
    if not plot.actual:
        least = f"the least error of any threshold ({view.terms.hindsight})"
        return f"No model has likelihood ratios. Drawn: {least}."
    parts = ["Full lines: scores taken as likelihood ratios"]
    for name, words in MAPS.items():
        mapped = [view.names[model] for model, of in plot.actual.items() if of.calibration == name]
        parts += [f"{listing(mapped)} {words}"] if mapped else []
    if len(plot.actual) <= MOST_THIN:
        parts.append(f"dashed lines: the least error of any threshold ({view.terms.hindsight})")
    sentence = "; ".join(parts)
    if minimal := [view.names[model] for model in plot.minimal]:
        sentence += f". {listing(minimal)}: no likelihood ratios, so the least error is drawn (minimum)"
    return f"{sentence}."


def _harm(view: DatasetView, plot: BayesErrorPlot) -> str:
    """Return whose scores cost more than ignoring them at some prior, or that none do.

    Empty where a model's scores do so only at priors whose error may rest on fewer than ``FEWEST`` trials.
    """
    if not plot.actual:
        return ""
    above = pl.col("bayes_error") > pl.col("trivial") + ROUNDING
    worse = {model: of.rows.filter(above) for model, of in plot.actual.items()}
    if not any(map(len, worse.values())):
        return "At no prior does ignoring the scores cost less"
    harmed = [model for model, rows in worse.items() if _rests_on_many(view, model, rows)]
    if not harmed:
        return ""
    whose = listing(view.names[model] for model in view.ranked if model in harmed)
    return f"At some priors the scores of {whose} cost more than ignoring them"


def _rests_on_many(view: DatasetView, model: str, rows: pl.DataFrame) -> bool:
    """Return whether at one of these priors the error is that of many trials, were it all of one kind.

    An error of the kind that the prior makes dear costs its share of the class: so many explain all of it.
    """
    totals = rows_on_test(view, ROC).filter(pl.col("model") == model)
    n_target, n_nontarget = totals["misses"].max() or 0, totals["false_alarms"].max() or 0
    dear = pl.when(pl.col("prior_log_odds") > 0).then(n_target).otherwise(n_nontarget)
    errors = pl.col("bayes_error") / (1 - pl.col("trivial")) * dear
    return len(rows.filter(errors >= FEWEST)) > 0


def _at_even_odds(view: DatasetView, plot: BayesErrorPlot, divided: bool) -> str:
    texts = {}
    for model, of in plot.errors.items():
        (row,) = COST.rows(of.rows.filter(pl.col("prior_log_odds") == 0))
        scale = row.trivial if divided else 1.0
        least = percent((row.min_bayes_error or 0.0) / scale)
        known = row.bayes_error is not None
        texts[model] = (
            f"{percent((row.bayes_error or 0.0) / scale)} (minimum {least})" if known else f"minimum {least}"
        )
    return f"At even odds: {by_model(view, texts)}."


APE = CurvePicture(
    cases=_ape_cases,
    draw=_draw_ape,
    caption=lambda view, plot: (
        f"Bayes error after calibration on development data. {_lines_in_words(view, plot)}"
        if plot.calibrated
        else f"Bayes error at each effective prior. {_lines_in_words(view, plot)}{asked_in_words(view)}"
    ),
    shows=lambda view, plot: (
        f"Bayes error of {models(view)}{' after calibration' if plot.calibrated else ' against the prior'}"
        " on the test set"
    ),
    drawn=lambda view, plot: (
        "Applied probability of error (APE)" + (" after calibration" if plot.calibrated else "")
    ),
    number=lambda view, plot: _at_even_odds(view, plot, divided=False),
    missing=lambda view: f"The applied probability of error (APE) {empty_class(view)}",
)

NBE = CurvePicture(
    cases=lambda view: _ape_cases(view)[:1],
    # Above 100% scores do harm.
    draw=lambda view, plot: _draw(
        view,
        "nbe",
        plot,
        NORMALISED,
        Series(IGNORING, "guide", 0, (PRIORS.low, 0.0, PRIORS.high), (100.0, 100.0, 100.0)),
    ),
    caption=_nbe_caption,
    shows=lambda view, plot: f"Normalised Bayes error of {models(view)} against the prior on the test set",
    drawn=lambda view, plot: "Normalised Bayes error (NBE)",
    finding=_harm,
    number=lambda view, plot: _at_even_odds(view, plot, divided=True),
    missing=lambda view: f"The normalised Bayes error {empty_class(view)}",
)
