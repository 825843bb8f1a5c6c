"""Figures 1 and 2 of Brodersen et al., rebuilt from the sample and from the simulations."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from configs.papers.brodersen.claims import FEW, FIGURE_ALPHA, HALF, recall_precision, signed
from configs.papers.brodersen.estimators import Law
from configs.papers.brodersen.sample import NAMES, Sample, Simulated
from reporting.base.arrays import FloatArray
from reporting.core.stats.special import ndtr, ndtri
from reporting.document import Axis, Figure, Series, numbers
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.chart_spec import ChartSpec, Mark
from reporting.document.charts.picture import Words, render
from reporting.document.words.phrases import listing
from reporting.features.fits.binormal import average_precision, precision_at_z

STYLES = {
    "step": 1,
    "trapezoid": 8,
    "davis_goadrich": 2,
    "open_trapezoid": 7,
    "binormal": 5,
    "alpha_binormal": 3,
}
"""The style of every estimator in Figure 2; in Figure 1 trials have the first, fits their own."""
CLOSE = tuple(name for name in STYLES if name != "binormal")
"""The estimators of the close-ups."""
TRUTH, TRIALS = "truth", "trials"
PROBITS = np.linspace(-6.0, 6.0, 601)
DRAWN_ALPHAS = tuple((k / 5, numbers.fixed(k / 5, 1)) for k in range(6))


def density_figure(sample: Sample, law: Law) -> Figure:
    """Draw the densities of both classes as they are, and as fitted where there is a fit."""
    x = np.linspace(-law.mean - 4 * law.sd, law.mean + 4 * law.sd, 401)
    true = ("targets", 3, law.mean, law.sd), ("non-targets", 6, -law.mean, law.sd)
    lines = [Mark.line(f"{name}, truth", style, x, normal(x, mean, sd)) for name, style, mean, sd in true]
    fit = sample.fits.get("binormal")
    fitted = [] if fit is None else _classes(fit)
    lines += [Mark.line(f"{name}, fit", style, x, normal(x, mean, sd)) for name, style, mean, sd in fitted]
    top = max(float(line.vertices[1].max()) for line in lines)
    axes = nice_axis("Decision value", float(x[0]), float(x[-1])), nice_axis("Density", 0.0, top)
    n_target, n_nontarget = sample.sizes
    said = (
        f"Figure 1a: the classes, normal about {signed(law.mean, 0)} and {signed(-law.mean, 0)} with standard"
        f" deviation {numbers.fixed(law.sd, 0)}."
    )
    if fitted:
        said += f" Dashed: fitted to {n_target} targets and {n_nontarget} non-targets of {sample.name}."
    told = [
        f"{name} mean {signed(mean, 2)}, standard deviation {numbers.fixed(sd, 2)}"
        for name, _, mean, sd in fitted
    ]
    alt = f"Two bell curves.{f' Fitted: {listing(told)}.' if told else ''}"
    return render(ChartSpec("paper_densities", *axes, lines), Words(said, alt))


def _classes(fit: Mapping[str, float]) -> list[tuple[str, int, float, float]]:
    """Means and spreads of the fitted classes, in the dashed twins of their colours."""
    if not {"mean_target", "mean_nontarget", "sd_target", "sd_nontarget"} <= set(fit):
        return []
    return [
        ("targets", 10, fit["mean_target"], fit["sd_target"]),
        ("non-targets", 13, fit["mean_nontarget"], fit["sd_nontarget"]),
    ]


def normal(x: FloatArray, mean: float, sd: float) -> FloatArray:
    """The normal density."""
    return np.asarray(np.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi)))


def roc_figure(sample: Sample, law: Law) -> Figure:
    """Draw TPR over FAR: as it is, by the trials, and by the fits to moments and to ranks."""
    curves = {TRUTH: law.curve, **_curves(sample, ("binormal", "binormal_ordinal"))}
    far, tpr = sample.rates
    grid = np.concatenate(([0.0], ndtr(PROBITS), [1.0]))
    lines = [Mark.line(TRIALS, STYLES["step"], 100 * far, 100 * tpr)]
    names = {TRUTH: TRUTH, "binormal": "binormal", "binormal_ordinal": "binormal on ranks"}
    lines += [
        Mark.line(names[key], _style(key), 100 * grid, 100 * ndtr(a + b * ndtri(grid)))
        for key, (a, b) in curves.items()
    ]
    axes = (
        Axis("False positive rate (%)", 0.0, 100.0, PERCENT),
        Axis("True positive rate (%)", 0.0, 100.0, PERCENT),
    )
    areas = {
        TRIALS: sample.auc,
        **{names[k]: float(ndtr(a / np.hypot(1, b))) for k, (a, b) in curves.items()},
    }
    alt = (
        f"ROC curves of one sample. Areas: {listing(f'{k} {numbers.fixed(v, 3)}' for k, v in areas.items())}."
    )
    chance = Series("", "guide", 0, (0.0, 100.0), (0.0, 100.0))
    said = f"Figure 1b: ROC of the test trials of {sample.name}. Thin dashes: chance."
    return render(ChartSpec("paper_roc", *axes, [chance, *lines]), Words(said, alt))


def pr_figure(sample: Sample, law: Law) -> Figure:
    """Draw precision over recall: as it is, by the trials, and by the fits."""
    lines = _pr_lines(sample, law)
    axes = Axis("Recall (%)", 0.0, 100.0, PERCENT), Axis("Precision (%)", 0.0, 100.0, PERCENT)
    share = 100 * sample.share
    guide = Series("share of targets", "guide", 0, (0.0, 2.0, 100.0), (share,) * 3)
    areas = pr_areas(sample, law)
    said = (
        f"Figure 1c: precision and recall of the test trials of {sample.name}; truth at"
        f" α = {numbers.fixed(FIGURE_ALPHA, 1)}."
    )
    alt = f"Precision over recall. Areas: {listing(f'{k} {numbers.fixed(v, 3)}' for k, v in areas.items())}."
    return render(ChartSpec("paper_pr", *axes, [guide, *lines]), Words(said, alt))


ZOOM = 25.0
"""The close-up shows recalls up to this, in percent."""


def zoom_figure(sample: Sample, law: Law) -> Figure:
    """Draw the left end of ``pr_figure``, where single trials move the curve."""
    lines = _pr_lines(sample, law)
    seen = [y[x <= ZOOM] for x, y in (line.vertices for line in lines)]
    low = min(float(y.min()) for y in seen)
    axes = nice_axis("Recall (%)", 0.0, ZOOM, 5), nice_axis("Precision (%)", low, 100.0)
    said = (
        f"Figure 1c, close up: recall below {numbers.fixed(ZOOM, 0)}\u202f%, where few trials are accepted."
    )
    ends = [
        f"{line.label} {numbers.fixed(float(y.min()), 0)} to {numbers.fixed(float(y.max()), 0)}\u202f%"
        for line, y in zip(lines, seen, strict=True)
    ]
    alt = f"Precision over the first {numbers.fixed(ZOOM, 0)}\u202f% of recall: {listing(ends)}."
    return render(ChartSpec("paper_pr_zoom", *axes, lines), Words(said, alt))


def pr_areas(sample: Sample, law: Law) -> dict[str, float]:
    """The area under every curve of ``pr_figure``; of the trials that of the continuous curve."""
    recall, precision = recall_precision(sample)
    curves = _pr_curves(sample, law)
    areas = {TRUTH: float(average_precision(*law.curve, FIGURE_ALPHA))}
    areas[TRIALS] = sample.areas.get("davis_goadrich", float(np.trapezoid(precision, recall)))
    return areas | {
        name: float(average_precision(*curve)) for name, (_, curve) in curves.items() if name != TRUTH
    }


def _pr_curves(sample: Sample, law: Law) -> dict[str, tuple[int, tuple[float, float, float]]]:
    """Style, a, b and share of targets of every smooth curve."""
    curves = {TRUTH: (0, (*law.curve, FIGURE_ALPHA))}
    fit = _curves(sample, ("binormal",)).get("binormal")
    if fit is not None:
        curves[NAMES["binormal"]] = STYLES["binormal"], (*fit, HALF)
        curves[NAMES["alpha_binormal"]] = STYLES["alpha_binormal"], (*fit, sample.share)
    return curves


def _pr_lines(sample: Sample, law: Law) -> list[Mark]:
    recall, precision = recall_precision(sample)
    lines = [Mark.line(TRIALS, STYLES["step"], 100 * recall, 100 * precision)]
    # Probits of recall: even steps would miss the left end, where precision turns.
    z = PROBITS[::-1]
    return lines + [
        Mark.line(name, style, 100 * ndtr(-z), 100 * precision_at_z(z, *curve))
        for name, (style, curve) in _pr_curves(sample, law).items()
    ]


def _curves(sample: Sample, fits: Sequence[str]) -> dict[str, tuple[float, float]]:
    return {fit: (sample.fits[fit]["a"], sample.fits[fit]["b"]) for fit in fits if fit in sample.fits}


def _style(key: str) -> int:
    return {TRUTH: 0, "binormal": STYLES["binormal"], "binormal_ordinal": 6}[key]


def bias_figure(simulated: Simulated) -> Figure:
    """Draw the bias of every estimator over the share of targets."""
    said = (
        "Figure 2, bias: mean of the estimates minus the true average precision, by the share of targets."
        f" {_conditions(simulated)} At 0 and 1 a class is empty and there is no estimate."
    )
    return _over_alpha(simulated, "paper_bias", "bias", "Bias of average precision", tuple(STYLES), said)


def bias_zoom_figure(simulated: Simulated) -> Figure:
    """Draw ``bias_figure`` without the binormal estimate, which hides the others."""
    said = f"Figure 2, bias, close up: without {NAMES['binormal']}. {_conditions(simulated)}"
    return _over_alpha(simulated, "paper_bias_zoom", "bias", "Bias of average precision", CLOSE, said)


def rmse_figure(simulated: Simulated) -> Figure:
    """Draw the root mean squared error of every estimator over the share of targets."""
    said = f"Figure 2, error: root mean squared distance from the truth. {_conditions(simulated)}"
    title = "Root mean squared error"
    return _over_alpha(simulated, "paper_rmse", "rmse", title, tuple(STYLES), said)


def rmse_zoom_figure(simulated: Simulated) -> Figure:
    """Draw ``rmse_figure`` without the binormal estimate."""
    said = f"Figure 2, error, close up: without {NAMES['binormal']}. {_conditions(simulated)}"
    return _over_alpha(simulated, "paper_rmse_zoom", "rmse", "Root mean squared error", CLOSE, said)


def _conditions(simulated: Simulated) -> str:
    n = int(simulated.frame["n"].max())  # type: ignore[arg-type]
    return f"{numbers.count(simulated.simulations)} simulations of {n} trials at each share."


def _short(axis: Axis) -> Axis:
    """Leave out the zero before the point: two such pictures stand side by side in a column of print."""
    ticks = tuple((at, text.replace("0.", ".")) for at, text in axis.ticks)
    return dataclasses.replace(axis, ticks=ticks)


def _over_alpha(
    simulated: Simulated, name: str, key: str, title: str, estimators: Sequence[str], said: str
) -> Figure:
    alphas = np.array(simulated.alphas)
    curves = [(one, simulated.along(one, key)) for one in estimators]
    lines = [Mark.line(NAMES[one], STYLES[one], alphas, values) for one, values in curves]
    low, high = (pick(float(pick(line.vertices[1])) for line in lines) for pick in (min, max))
    axes = Axis("Share of targets α", 0.0, 1.0, DRAWN_ALPHAS), _short(nice_axis(title, min(low, 0.0), high))
    zero = () if low >= 0 else (Series("", "guide", 0, (0.0, 1.0), (0.0, 0.0)),)
    told = []
    for one, _ in curves:
        at = [simulated.number(alpha, one, key) for alpha in (FEW, HALF)]
        few, half = (
            "undefined" if v is None else signed(v, 3) if key == "bias" else numbers.fixed(v, 3) for v in at
        )
        told.append(f"{NAMES[one]} {few} and {half}")
    alt = f"{title} over the share of targets. At α = {FEW} and {HALF}: {'; '.join(told)}."
    dots = [Mark.points(NAMES[one], STYLES[one], alphas, values) for one, values in curves]
    return render(ChartSpec(name, *axes, [*zero, *lines, *dots]), Words(said, alt))
