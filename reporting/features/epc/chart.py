"""The Expected Performance Curve: what the development threshold of each alpha yields on test.

The weighted error is drawn along its cost ratio (``cost_curves``). Where thresholds target a development
rate, what test shows of it is drawn too: obtained against expected rates (methods 7.8).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from reporting.base.records import dataclass, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Axis, Figure, Series
from reporting.document.charts.axes import nice_axis, nice_step, steps
from reporting.document.charts.captions import by_model, models, test_set, which_are_drawn
from reporting.document.charts.chart_spec import ChartSpec, Mark, Vertices
from reporting.document.charts.picture import (
    Tooltips,
    Words,
    models_chart,
    per_model,
    printed,
    render,
    rows_on_test,
    tooltip_series,
)
from reporting.document.frames.epc import EPC
from reporting.document.words.phrases import CHOSEN, level_text, listing
from reporting.document.words.terms import DETECTION, TITLES, Terms, capitalised
from reporting.document.words.view import DatasetView
from reporting.features.epc.cost_curves_chart import (
    SEEN,
    CostCurves,
    band_sentence,
    cost_curves_figure,
    is_cost,
    is_with_choice,
)
from reporting.features.epc.exact_frames import EXPECTED
from reporting.features.epc.winners_chart import SAME

FIFTHS = tuple((k / 5, f"{k / 5:.2g}") for k in range(6))
BAND = ("band_low", "band_high")
"""The limits of the whole curve."""
MOST_BANDS = 3
"""More models' prediction bands would hide one another."""
MOST_ORACLES = 3


@dataclass(frozen=True, eq=False)
class EpcCurve:
    """One measure along the parameter of one criterion; ``banded`` are the models drawn with a band.

    ``only`` are the models it is about; None: all of the report.
    """

    view: DatasetView
    criterion: Criterion
    measure: Measure
    banded: Sequence[str]
    only: Sequence[str] | None = None

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows of the frame where the measure is defined on test."""
        question = {"criterion": str(self.criterion), "measure": str(self.measure)}
        rows = rows_on_test(self.view, EPC).filter(pl.col("value").is_not_null(), **question)
        if self.only is not None:
            rows = rows.filter(pl.col("model").is_in(list(self.only)))
        return rows.sort("model", "alpha")

    @property
    def kind(self) -> str:
        """Which figure it is: ``epc`` for the first measure along the first criterion; none is another's."""
        curves = curves_asked(self.view)
        first, usual = curves[0]
        names = [
            "_".join(["epc", *([rule.key] if rule != first else []), *([of.key] if of != usual else [])])
            for rule, of in curves
        ]
        mine = curves.index((self.criterion, self.measure))
        again = names[:mine].count(names[mine])
        return names[mine] + (f"_{again + 1}" if again else "")

    @property
    def name(self) -> str:
        """The figure's name, which no other view uses."""
        return self.view.unique_name(self.kind)

    @property
    def scale(self) -> float:
        """What a value is multiplied by: 100 where the measure is printed in percent."""
        return 100.0 if self.measure.printed_in == "percent" else 1.0

    @property
    def letter(self) -> str:
        """The parameter in print."""
        return (
            "α" if self.criterion.swept == "alpha" else f"target {aim(self.view.terms, self.criterion.swept)}"
        )

    @cached_property
    def y_axis(self) -> Axis:
        """From 0 (or the lowest value below it) to the highest value and limit inside the curve."""
        # Near 0 and 1 one class has almost no weight: a spike there must not flatten the rest.
        inner = self.rows.filter(pl.col("alpha").is_between(*SEEN))
        rows = inner if len(inner) else self.rows
        banded = rows.filter(pl.col("model").is_in(list(self.banded)))
        limits = [limit for column in BAND for limit in banded[column].drop_nulls()]
        least, most = self.measure.bounds
        # A limit of a band lies no farther out than the measure itself can be.
        ends = [*rows["value"].to_list(), *(min(max(limit, least), most) for limit in limits)]
        top, low = self.scale * max(ends, default=1.0), self.scale * min(0.0, *ends)
        step = nice_step(max(top, 1e-6) - low, 5)
        halves = max(2, math.ceil(2 * top / step * (1 - 1e-9)))
        first = math.floor(low / step + 1e-9)
        ticks = tuple((step * k, f"{step * k:.6g}") for k in range(first, halves // 2 + 1))
        unit = " (%)" if self.measure.printed_in == "percent" else ""
        name = self.view.terms.measure(self.measure)
        return Axis(f"{name} on test{unit}", step * first, step * halves / 2, ticks)


def curves_asked(view: DatasetView) -> list[tuple[Criterion, Measure]]:
    """Return every criterion with every measure of the plan, the report's primary measure first."""
    plan = view.study.epc
    if plan is None:
        return []
    primary = view.study.primary.measure
    measures = sorted(plan.measures, key=lambda measure: measure != primary)
    return [(criterion, measure) for criterion in plan.criteria for measure in measures]


def epc_figure(curve: EpcCurve) -> Figure:
    """Draw the EPC of all models."""
    chart = ChartSpec(
        curve.name,
        Axis(axis_title(curve.criterion, curve.view.terms), 0.0, 1.0, FIFTHS),
        curve.y_axis,
        _marks(curve),
        tooltips=tooltip_series(list(_tooltips(curve)), curve.view.names),
    )
    subtitle = f"Expected performance curves, {test_set(curve.view)}"
    return render(chart, Words(_caption(curve), _alt(curve), _title(curve), subtitle))


def _tooltips(curve: EpcCurve) -> Iterator[Tooltips]:
    spoken = curve.view.terms
    shown = curve.view.printing(curve.measure)
    name, unit = spoken.measure(curve.measure), " (%)" if curve.measure.printed_in == "percent" else ""
    swept = "α" if curve.criterion.swept == "alpha" else f"Target {aim(spoken, curve.criterion.swept)}"
    for model, rows in per_model(curve.view, curve.rows).items():
        texts = {swept: [f"{at:.4g}" for at in rows["alpha"]], "Threshold": printed(rows["threshold"])}
        columns = {"on test": "value", "on development": "value_dev", spoken.a_posteriori: "value_oracle"}
        for where, column in columns.items():
            texts[f"{name} {where}{unit}"] = [
                "" if value is None else shown.value(value) for value in rows[column]
            ]
        texts[f"{name} on test{unit}, CI"] = [
            "" if low is None else shown.span(low, high)
            for low, high in zip(rows["ci_low"], rows["ci_high"], strict=True)
        ]
        yield Tooltips(model, rows["alpha"].to_numpy(), curve.scale * rows["value"].to_numpy(), texts)


def aim(spoken: Terms, swept: str) -> str:
    """Return the name of the rate that a criterion, or a figure, targets."""
    return {"far": spoken.far, "frr": spoken.frr}.get(swept, swept.upper())


def axis_title(criterion: Criterion, spoken: Terms = DETECTION) -> str:
    """Name the parameter of a criterion."""
    if criterion.key in TITLES:
        return spoken.title(criterion.key)
    return f"{criterion.swept}, the parameter of {criterion}"


def _marks(curve: EpcCurve) -> list[Mark | Series]:
    """Return what is drawn of each model; an a posteriori curve has no name and is a guide."""
    view = curve.view
    guides: list[Mark | Series] = []
    # Where alpha is the weight of FAR, ignoring the scores has a known cost.
    if curve.criterion.key in ("weighted_error", "bayes"):
        guides += _without_scores(curve.measure, curve.y_axis.high)
    bands, lines = [], []
    for model, rows in per_model(view, curve.rows).items():
        name, style = view.names[model], view.styles[model]
        lines.append(Mark(name, "line", style, _vertices(curve, rows, "value"), whole=True))
        limits = rows.drop_nulls(BAND).with_columns(pl.col(BAND).clip(*curve.measure.bounds))
        if model in curve.banded and len(limits) > 1:
            bands.append(Mark(name, "band", style, _vertices(curve, limits, *BAND), whole=True))
        oracles = rows.drop_nulls("value_oracle")
        if len(view.results.models) <= MOST_ORACLES and len(oracles):
            guides.append(Mark("", "guide", style, _vertices(curve, oracles, "value_oracle"), whole=True))
    return [*guides, *bands, *lines]


def _vertices(curve: EpcCurve, rows: pl.DataFrame, *columns: str) -> Vertices:
    x, ys = rows["alpha"].to_numpy(), [curve.scale * rows[column].to_numpy() for column in columns]
    if not varies_with_alpha(curve.measure):
        x, ys = steps(x, ys)
    return (x, *ys)


def varies_with_alpha(measure: Measure) -> bool:
    """Return whether the measure itself takes the alpha, so that it moves where no threshold does."""
    return bool(measure.swept) and "(" not in str(measure)


def _without_scores(measure: Measure, high: float) -> list[Series]:
    """What accepting all or rejecting all yields, whichever is lower; nothing where it is out of sight."""
    if not varies_with_alpha(measure):
        if measure.linear() != (0.5, 0.5):
            return []
        flat = Series("ignoring the scores", "guide", 0, (0.0, 0.05, 1.0), (50.0, 50.0, 50.0))
        return [flat] if high > 50 else []
    named = min(0.45, 0.009 * high)
    return [
        Series(
            "ignoring the scores",
            "guide",
            0,
            (0.0, named / 2, named, 0.5, 1.0),
            (0.0, 50 * named, 100 * named, 50.0, 0.0),
        )
    ]


def epc_figures(view: DatasetView) -> list[Figure]:
    """Return the costs first, then every other curve of the plan and each targeted rate.

    Of several the first is open.
    """
    costs, kind = CostCurves(view), cost_figure(view)
    others = [EpcCurve(view, *pair, view.finalists[:1]) for pair in curves_asked(view) if not is_cost(*pair)]
    figures = [] if kind is None or is_with_choice(view) else [cost_curves_figure(costs, kind)]
    figures += [epc_figure(curve) for curve in others if len(curve.rows)]
    figures += [expected_figure(view, rate) for rate in expected_rates(view)]
    return [replace(each, folded=number > 0) for number, each in enumerate(figures)]


def cost_figure(view: DatasetView) -> str | None:
    """Return which figure is that of costs; None where it is not drawn."""
    if CostCurves(view).rows.is_empty():
        return None
    return next(
        (EpcCurve(view, *pair, ()).kind for pair in curves_asked(view) if is_cost(*pair)), "epc_costs"
    )


def _title(curve: EpcCurve) -> str:
    """Say at how many of the drawn parameters which model has the best value."""
    view, measure, names = curve.view, curve.view.terms.measure(curve.measure), curve.view.names
    shown = curve.rows["model"].unique()
    if len(shown) == 1 or curve.measure.ideal is not None:
        whose = names[shown[0]] if len(shown) == 1 else models(curve.view)
        return f"{measure} of {whose} for each {curve.letter}"
    loss = pl.col("value") if curve.measure.better == "lower" else -pl.col("value")
    behind = loss - loss.min().over("alpha")
    leading = curve.rows.filter(behind <= SAME)["model"].to_list()
    n, counts = curve.rows["alpha"].n_unique(), {model: leading.count(model) for model in leading}
    most = max(counts.values())
    first = [names[model] for model in view.results.models if counts.get(model) == most]
    best = f"the {curve.measure.best} observed {measure}"
    where = f"every {curve.letter}" if most == n else f"{most} of {n} values of {curve.letter}"
    if len(first) == 1:
        return f"{first[0]} has {best} at {where}"
    return f"{listing(first)} {'share' if most == n else 'each have'} {best} at {where}"


def _caption(curve: EpcCurve) -> str:
    view = curve.view
    name = view.terms.measure(curve.measure)
    parts = [f"{capitalised(name)} on the {test_set(view)}, {_thresholds(curve)}."]
    if curve.rows.filter(pl.col("model").is_in(list(curve.banded)))[BAND[0]].count():
        parts.append(band_sentence(view, [view.names[key] for key in curve.banded], curve.rows))
    if len(view.results.models) <= MOST_ORACLES and curve.rows["value_oracle"].count():
        parts.append("Dashed lines: thresholds tuned on the test set itself (optimistic).")
    # As may happen at alpha = 0 and 1.
    if any(curve.scale * value > curve.y_axis.high for value in curve.rows["value"]):
        parts.append(f"Values above {curve.y_axis.high:.3g} are cut off.")
    parts.append(which_are_drawn(view))
    return " ".join(filter(None, parts))


def _thresholds(curve: EpcCurve) -> str:
    spoken, criterion, letter = curve.view.terms, curve.criterion, curve.letter
    if criterion.threshold is not None:
        return f"at the {spoken.criterion(criterion)} for each {letter}"
    where = CHOSEN[curve.view.study.thresholds.policy]
    if criterion == CHOSEN_BY:
        return f"when the threshold minimises α·{spoken.far} + (1 − α)·{spoken.frr} {where}"
    definition = spoken.say(criterion.definition).replace("1 - alpha", "1 − α").replace("alpha", "α")
    how = f": {definition}" if criterion.swept == "alpha" else ""
    return f"with thresholds set {where} for each {letter}{how}"


def _alt(curve: EpcCurve) -> str:
    view, spoken, printed = curve.view, curve.view.terms, curve.view.printing(curve.measure)
    middle = min(curve.rows["alpha"].to_list(), key=lambda alpha: (abs(alpha - 0.5), alpha))
    values = dict(curve.rows.filter(pl.col("alpha") == middle).select("model", "value").rows())
    numbers_of = {model: printed.value_with_unit(value) for model, value in values.items()}
    return (
        f"Expected performance curves of {models(view)}: {spoken.measure(curve.measure)} on test over"
        f" {curve.letter}, by {spoken.criterion(curve.criterion)}. At {curve.letter} ="
        f" {numbers.significant(middle, 2)}: {by_model(view, numbers_of)}."
    )


def expected_rates(view: DatasetView) -> dict[str, dict[str, float]]:
    """Return, by rate (far, frr), the share of targets at which each model falls outside its band."""
    outside = (pl.col("obtained") < pl.col("band_low")) | (pl.col("obtained") > pl.col("band_high"))
    rows = _expected_rows(view).group_by("rate", "model").agg(outside=outside.mean())
    shares: dict[str, dict[str, float]] = {}
    for rate, model, share in rows.sort("rate").rows():
        shares.setdefault(rate, {})[model] = share
    return {rate: {key: by[key] for key in view.results.models if key in by} for rate, by in shares.items()}


def _expected_rows(view: DatasetView) -> pl.DataFrame:
    return view.frame(EXPECTED).drop_nulls(["expected", "obtained", "band_low"])


def expected_figure(view: DatasetView, rate: str) -> Figure:
    """Draw the obtained rate against the targeted one, the prediction band, and where both agree."""
    name, level = aim(view.terms, rate), level_text(view.study.inference.level)
    shares = {model: f"{share:.0%}" for model, share in expected_rates(view)[rate].items()}
    result = f"Values outside their band: {by_model(view, shares)}."
    caption = (
        f"{name} obtained on the {test_set(view)} against {name} targeted on development. Bands: {level}"
        f" prediction limits if both sets come from one population; they assume independent"
        f" {view.terms.trials}. {which_are_drawn(view)}"
    ).rstrip()
    alt = f"Obtained against targeted {name} of {models(view)}. {result}"
    title = f"{name} on test against its target: {by_model(view, shares)} outside the prediction band"
    rows = _expected_rows(view).filter(rate=rate).sort("expected", "alpha")
    x_axis = nice_axis(view.terms.title(f"expected_{rate}"), 0.0, 100.0)
    once = per_model(view, rows.unique(["model", "expected"], keep="first", maintain_order=True))
    chart = models_chart(
        view,
        name=f"expected_{rate}",
        x_axis=x_axis,
        y_axis=nice_axis(view.terms.title(f"obtained_{rate}"), 0.0, 100.0),
        lines=[(key, _percent(of_model, "obtained")) for key, of_model in once.items()],
        guides=[Series("obtained = expected", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))],
        bands=[
            (key, _percent(of_model, "band_low", "band_high"))
            for key, of_model in once.items()
            if len(once) <= MOST_BANDS
        ],
    )
    words = Words(caption, alt, title, f"Obtained against targeted {name}, {test_set(view)}")
    return render(chart, words)


def _percent(rows: pl.DataFrame, *columns: str) -> Vertices:
    return tuple(100 * np.asarray(rows[column].to_numpy(), np.float64) for column in ("expected", *columns))
