"""Two pictures of the walk-through that the report has not: the DET on its theory, the NBE in parts."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import ndtr

from configs.papers.rocanalysis.calibrated_normal import frr_at_far
from configs.papers.rocanalysis.seen import DRAWN_SHARE, Parts, Seen, actual_parts, least_parts
from reporting.base.arrays import FloatArray
from reporting.document import HUES, Axis, Block, Figure, Prose, Series, numbers
from reporting.document.charts.axes import places
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.charts.probit import TICKS, probit
from reporting.document.frames.roc import BANDS
from reporting.features.likelihood_ratios.formulas import trivial_bayes_error

RED, GREEN = 1, 3
DASHED, DOTTED = len(HUES), 2 * len(HUES)
"""What turns a full line's style into the same colour dashed or dotted."""
NBE_PRIORS = Axis(
    "Log odds of the effective prior",
    -10.0,
    5.0,
    tuple((float(k), numbers.fixed(k, 0)) for k in range(-10, 6, 5)),
)
SHARES = Axis(
    "Bayes error / error without scores (%)", 0.0, 120.0, tuple((float(k), str(k)) for k in range(0, 121, 20))
)


def det_on_theory(one: Seen) -> Figure | Prose:
    """Draw the DET with its band, and the straight line of the two normal classes."""
    x, y = one.det
    line = one.det_line
    if line is None:
        return Prose("The DET on its theory needs points between 0.1 and 50 % on both axes.")
    low, high = (float(edge) for edge in probit(np.array(DRAWN_SHARE)))
    ticks = tuple((float(probit(np.array(t / 100))), f"{t:g}") for t in TICKS if 0.1 <= t <= 50)
    axes = Axis("False alarms (%)", low, high, ticks), Axis("Misses (%)", low, high, ticks)
    ends = np.linspace(low - 1, high + 1, 3)
    straight = probit(frr_at_far(ndtr(ends), *one.theory))
    name = one.view.names[one.model]
    words = Words(
        f"DET of {name} on test, and the line of its theory: probit of misses = −2 − probit of false alarms."
        + (" Shaded: band of the whole curve." if _band(one) else ""),
        f"Detection error trade-off curve of {name} on test beside its theoretical line. Least-squares line"
        f" of the curve: slope {numbers.fixed(line[0], 2)}, intercept {numbers.fixed(line[1], 2)}; in theory"
        f" {numbers.fixed(-1, 2)} and {numbers.fixed(-2, 2)}.",
    )
    strokes = [Mark.line("measured", RED, x, y), Mark.line("theory", 0, ends, straight)]
    return render(ChartSpec(one.view.unique_name("rocanalysis_det"), *axes, [*_band(one), *strokes]), words)


def _band(one: Seen) -> tuple[Series, ...]:
    if one.view.results.frame(BANDS).is_empty():
        return ()
    rows = one.view.part(one.view.results.frame(BANDS)).filter(model=one.model, split="test")
    rows = rows.drop_nulls(("p_fa", "p_miss_low", "p_miss_high"))
    rows = rows.filter(pl.col("simultaneous"), pl.col("p_fa").is_between(DRAWN_SHARE[0] / 2, 0.8)).sort(
        "p_fa"
    )
    if rows.height < 2:
        return ()
    far, least, most = (probit(rows[c].to_numpy()) for c in ("p_fa", "p_miss_low", "p_miss_high"))
    bottom, top = probit(np.array(DRAWN_SHARE))
    held = (places(np.clip(edge, bottom - 1, top + 1)) for edge in (least, most))
    return (Series("measured", "band", RED, places(far), *held),)


def nbe_in_parts(one: Seen) -> Figure | Prose:
    """Draw the normalised Bayes error and its two parts, actual and least, over the README's priors."""
    if one.priors.is_empty():
        return Prose("The normalised Bayes error in parts needs the curve ape, nbe or cost.")
    actual, least = _normalised(actual_parts(one)), _normalised(least_parts(one))
    strokes = []
    for called, style, parts in (("actual", RED, actual), ("least", GREEN, least)):
        tau, misses, alarms = parts.prior_log_odds, parts.misses, parts.false_alarms
        strokes.append(Mark.line(called, style, tau, misses + alarms))
        strokes.append(Mark.line(f"{called}: false alarms", style + DASHED, tau, alarms))
        strokes.append(Mark.line(f"{called}: misses", style + DOTTED, tau, misses))
    name = one.view.names[one.model]
    words = Words(
        f"Normalised Bayes error of {name} on test and its two parts, over the notebook's range of priors;"
        " least: at the best threshold for each prior (a posteriori).",
        f"Normalised Bayes error of {name} on test in parts. {_at_even_odds(actual, least)}",
    )
    even = Series("without scores", "guide", 0, (-10.0, 0.0, 5.0), (100.0, 100.0, 100.0))
    return render(
        ChartSpec(one.view.unique_name("rocanalysis_nbe"), NBE_PRIORS, SHARES, [even, *strokes]), words
    )


def _normalised(parts: Parts) -> Parts:
    kept = (parts.prior_log_odds >= NBE_PRIORS.low) & (parts.prior_log_odds <= NBE_PRIORS.high)
    tau = parts.prior_log_odds[kept]
    unit = 100 / trivial_bayes_error(tau)
    return Parts(tau, unit * parts.misses[kept], unit * parts.false_alarms[kept])


def _at_even_odds(actual: Parts, least: Parts) -> str:
    said = []
    for called, parts in (("actual", actual), ("least", least)):
        at = int(np.argmin(np.abs(parts.prior_log_odds)))
        said.append(
            f"{called} {_share(parts.misses, at)} misses and {_share(parts.false_alarms, at)} false alarms"
        )
    return f"At even odds: {', '.join(said)}."


def _share(values: FloatArray, at: int) -> str:
    return f"{numbers.fixed(float(values[at]), 1)}%"


def pictures(one: Seen) -> tuple[Block, ...]:
    """Return both pictures, or what is missing for them."""
    return det_on_theory(one), nbe_in_parts(one)
