"""The empirical cross-entropy along the prior: as it is, after PAV, and that of LR = 1 for every trial."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.base.records import dataclass
from reporting.core.engine.study import Study
from reporting.core.measures.measure import RATIOS
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import nice_axis, places
from reporting.document.charts.captions import by_model, empty_class, models
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import CurvePicture, Strokes, models_chart, per_model, rows_on_test
from reporting.document.charts.priors import MOST_THIN
from reporting.document.numbers import significant
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView
from reporting.features.likelihood_ratios.ape_chart import MAPS, ROUNDING
from reporting.features.likelihood_ratios.frame import CROSS_ENTROPY as CROSS_ENTROPY_FRAME

ODDS = Axis("Log10 prior odds", -3.0, 3.0, tuple((float(k), str(k).replace("-", "−")) for k in range(-3, 4)))
NEUTRAL = "LR = 1 for every {trial}"
HIGHEST = 2.0
"""Twice what no evidence costs at even odds: what lies higher leaves the frame."""
ROOM = 1.1
DIGITS = 3


@dataclass(frozen=True, eq=False)
class Entropies:
    """One model's cross-entropies on test, by log10 prior odds."""

    rows: pl.DataFrame

    @property
    def known(self) -> bool:
        """Whether the likelihood ratios have a finite cross-entropy."""
        return not self.rows["cross_entropy"].null_count()

    @property
    def calibration(self) -> str:
        """How dev maps the scores to likelihood ratios."""
        return str(self.rows["calibration"][0])


Curves = Mapping[str, Entropies]


def entropies(view: DatasetView) -> dict[str, Entropies]:
    """Return the rows by model, where both classes have trials."""
    rows = rows_on_test(view, CROSS_ENTROPY_FRAME).filter(pl.col("min_cross_entropy").is_not_null())
    rows = rows.sort("prior_log10_odds", maintain_order=True)
    return {model: Entropies(of_model) for model, of_model in per_model(view, rows).items()}


def _draw(view: DatasetView, curves: Curves) -> ChartSpec:
    """Draw the likelihood ratios in full, the least possible dashed, and the neutral curve as a guide."""
    known = {model: of for model, of in curves.items() if of.known}
    minimal = {model: of for model, of in curves.items() if not of.known}
    x, y = next(iter(curves.values())).rows.select("prior_log10_odds", "neutral")
    highest = max(1.0, *(_most(of) for of in curves.values()))
    y_axis = nice_axis("Empirical cross-entropy (bits)", 0.0, min(ROOM * highest, HIGHEST))
    return models_chart(
        view,
        name="cross_entropy",
        x_axis=ODDS,
        y_axis=y_axis,
        lines=[*_strokes(known, "cross_entropy"), *_strokes(minimal, "min_cross_entropy")],
        guides=[Series(NEUTRAL.format(trial=view.terms.trial), "guide", 0, tuple(x), places(y.to_numpy()))],
        thin=_strokes(known, "min_cross_entropy") if len(known) <= MOST_THIN else (),
        labels={model: f"{view.names[model]} (minimum)" for model in minimal},
    )


def _most(of: Entropies) -> float:
    column = of.rows["cross_entropy" if of.known else "min_cross_entropy"]
    return float(column.to_numpy().max())


def _strokes(curves: Curves, column: str) -> Strokes:
    return [
        (model, (of.rows["prior_log10_odds"].to_numpy(), of.rows[column].to_numpy()))
        for model, of in curves.items()
    ]


def _caption(view: DatasetView, curves: Curves) -> str:
    say = view.terms.say
    known = [model for model, of in curves.items() if of.known]
    parts = [
        "Empirical cross-entropy against the prior odds: how many bits of uncertainty are left about a"
        f" {view.terms.trial} once its LR is known; lower is better."
    ]
    if known:
        full = "Full lines: the LRs of the models"
        for name, words in MAPS.items():
            mapped = [view.names[model] for model in known if curves[model].calibration == name]
            full += f"; scores of {listing(mapped)} {words}" if mapped else ""
        parts.append(f"{full}.")
    if known and len(known) <= MOST_THIN:
        hindsight = view.terms.hindsight
        parts.append(
            "Dashed lines in colour: the minimum, after isotonic regression (PAV) on the test set"
            f" ({hindsight})."
        )
    neutral = NEUTRAL.format(trial=view.terms.trial)
    parts.append(
        f"Dashed grey line: {neutral}, which leaves the entropy of the prior; above it the LRs do harm."
    )
    if minimal := _without(view, curves, infinite=False):
        parts.append(f"{minimal}: no likelihood ratios, so the minimum is drawn.")
    if infinite := _without(view, curves, infinite=True):
        why = say("a target has an LR of 0 or a non-target an infinite LR")
        parts.append(f"{infinite}: the cross-entropy is infinite because {why}, so the minimum is drawn.")
    if any(of.known and _most(of) > HIGHEST for of in curves.values()):
        parts.append(f"Values above {HIGHEST:.3g} are cut off.")
    return " ".join(parts)


def _without(view: DatasetView, curves: Curves, infinite: bool) -> str:
    """Name the models without a curve of their own LRs: they have none, or the cross-entropy is infinite."""
    drawn = [model for model, of in curves.items() if not of.known]
    chosen = [m for m in drawn if (_has_ratios(view.study, m) or curves[m].calibration != "none") == infinite]
    return listing(view.names[model] for model in chosen)


def _has_ratios(study: Study, key: str) -> bool:
    """Return whether a model's scores are likelihood ratios, or become such by the declared share."""
    scale = study.scale_of(key)
    return scale in RATIOS or (scale != "score" and study.prevalence is not None)


def _finding(view: DatasetView, curves: Curves) -> str:
    """Return that no likelihood ratios do harm, or nothing: a curve's end may rest on very few trials."""
    above = pl.col("cross_entropy") > pl.col("neutral") + ROUNDING
    if any(not of.known or len(of.rows.filter(above)) for of in curves.values()):
        return ""
    return "At no prior odds from 1:1,000 to 1,000:1 does LR = 1 cost less"


def _at_even_odds(view: DatasetView, curves: Curves) -> str:
    texts = {}
    for model, of in curves.items():
        (row,) = CROSS_ENTROPY_FRAME.rows(of.rows.filter(pl.col("prior_log10_odds") == 0))
        least = f"minimum {significant(row.min_cross_entropy or 0.0, DIGITS)}"
        known = row.cross_entropy if of.known else None
        texts[model] = least if known is None else f"{significant(known, DIGITS)} ({least})"
    return f"Bits at even odds: {by_model(view, texts)}."


CROSS_ENTROPY = CurvePicture(
    cases=lambda view: list(filter(None, [entropies(view)])),
    draw=_draw,
    caption=_caption,
    shows=lambda view, curves: f"Empirical cross-entropy of {models(view)} against the prior on the test set",
    drawn=lambda view, curves: "Empirical cross-entropy (ECE)",
    finding=_finding,
    number=_at_even_odds,
    missing=lambda view: f"The empirical cross-entropy {empty_class(view)}",
)
