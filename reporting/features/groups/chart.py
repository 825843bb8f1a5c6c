"""Groups as dots with their limits: a group a line, the models one above the other in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from reporting.base.legible import elided
from reporting.base.records import dataclass
from reporting.core.engine.study import AcrossPlan
from reporting.core.measures.measure import Measure
from reporting.document import numbers
from reporting.document.blocks import Axis, Figure, Series, SeriesKind
from reporting.document.charts.axes import nice_axis, places
from reporting.document.charts.captions import test_set
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import Tooltips, Words, render, shortened, tooltip_series
from reporting.document.words.phrases import level_text, question, sense, units
from reporting.document.words.printing import Printing
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.groups.group_metrics import GroupMetricRow

MOST_MODELS = 4
"""With more models only the finalists are drawn."""
MOST_GROUPS = 24
"""Of more groups, those with the largest values of the first model are drawn."""
LONGEST = 20
"""Letters of a group's name next to the picture."""
HIGH = 0.6
"""What the models of one group take of the room between two groups."""


@dataclass(frozen=True, eq=False)
class GroupDots:
    """The values of a measure in the groups of a plan, all models, in the order of the report."""

    view: DatasetView
    plan: AcrossPlan
    measure: Measure
    every: Sequence[GroupMetricRow]

    @cached_property
    def models(self) -> list[str]:
        """The models that are drawn, the best first."""
        there = [model for model in self.view.ranked if any(row.model == model for row in self.every)]
        return there if len(there) <= MOST_MODELS else list(self.view.finalists)

    @cached_property
    def groups(self) -> list[str]:
        """The groups that are drawn, from above."""
        first = [row for row in self.every if row.model == self.models[0]]
        if len(first) > MOST_GROUPS:
            kept = sorted(first, key=lambda row: -1.0 if row.value is None else row.value)[-MOST_GROUPS:]
            first = [row for row in first if row in kept]
        return [row.group for row in first]

    @cached_property
    def rows(self) -> list[GroupMetricRow]:
        """The rows that are drawn."""
        return [row for row in self.every if row.model in self.models and row.group in self.groups]

    @cached_property
    def printed(self) -> Printing:
        """How the measure is printed."""
        return self.view.printing(self.measure)

    @cached_property
    def x_axis(self) -> Axis:
        """The values."""
        ends = [
            self.printed.scale * end
            for row in self.rows
            for end in (row.value, row.ci_low, row.ci_high, row.joint_low, row.joint_high)
            if end is not None
        ]
        unit = f" ({self.printed.unit})" if self.printed.unit else ""
        title = f"{self.view.terms.measure(self.measure)}{unit}"
        return nice_axis(title, min(ends, default=0.0), max(ends, default=1.0))

    @cached_property
    def y_axis(self) -> Axis:
        """The groups."""
        values = {row.group: ", ".join(map(elided, row.group_values)) for row in self.rows}
        names = shortened([values[group] for group in self.groups], LONGEST)
        ticks = sorted((self._line(group), name) for group, name in zip(self.groups, names, strict=True))
        title = " and ".join(map(elided, self.plan.columns))
        return Axis(title, -0.6, len(self.groups) - 0.4, tuple(ticks))

    def _line(self, group: str) -> float:
        return float(len(self.groups) - 1 - self.groups.index(group))

    def height(self, row: GroupMetricRow) -> float:
        """Return where a row is drawn."""
        at, n = self.models.index(row.model), len(self.models)
        return self._line(row.group) + HIGH * ((n - 1) / 2 - at) / n

    def series(self) -> list[Series]:
        """Return the joint limits, dashed, over them those of each group alone, and the dots."""
        kinds: dict[SeriesKind, list[Series]] = {"guide": [], "line": [], "points": []}
        for model in self.models:
            label, style = self.view.names[model], self.view.styles[model]
            rows = [row for row in self.rows if row.model == model and row.value is not None]
            for row in rows:
                y, scale = self.height(row), self.printed.scale
                lines: tuple[tuple[SeriesKind, str, float | None, float | None], ...] = (
                    ("guide", "", row.joint_low, row.joint_high),
                    ("line", label, row.ci_low, row.ci_high),
                )
                for kind, name, low, high in lines:
                    if low is not None and high is not None:
                        x = places(scale * np.array([low, high]))
                        kinds[kind].append(Series(name, kind, style, x, (y, y)))
            x = places(self.printed.scale * np.array([row.value for row in rows], dtype=np.float64))
            y_places = tuple(map(self.height, rows))
            kinds["points"].append(Series(label, "points", style, x, y_places))
        return [each for of_kind in kinds.values() for each in of_kind]

    def tooltips(self, model: str) -> Tooltips:
        """Return the tooltips of the dots of a model."""
        rows = [row for row in self.rows if row.model == model and row.value is not None]
        level, printed = level_text(self.view.study.inference.level), self.printed
        texts = {
            "Group": [", ".join(map(elided, row.group_values)) for row in rows],
            self.x_axis.title: [printed.value(row.value) for row in rows],
            f"{level} CI": [_between(printed, row.ci_low, row.ci_high) for row in rows],
            f"{level}, all groups": [_between(printed, row.joint_low, row.joint_high) for row in rows],
            capitalised(self.view.terms.targets): [numbers.count(row.n_target) for row in rows],
        }
        if any(row.n_nontarget for row in self.every):
            nontargets = [numbers.count(row.n_nontarget) for row in rows]
            texts[capitalised(self.view.terms.nontargets)] = nontargets
        x = printed.scale * np.array([row.value for row in rows], dtype=np.float64)
        return Tooltips(model, x, np.array([self.height(row) for row in rows]), texts)


def _between(printed: Printing, low: float | None, high: float | None) -> str:
    return "" if low is None else printed.interval(low, high)


def groups_figure(view: DatasetView, plan: AcrossPlan, rows: Sequence[GroupMetricRow], number: int) -> Figure:
    """Draw the first measure of a plan in every group, with single limits and with those of all together."""
    dots = GroupDots(view, plan, plan.measures[0], rows)
    tooltips = tooltip_series(list(map(dots.tooltips, dots.models)), view.names)
    name = view.unique_name(f"groups_{number}")
    return render(ChartSpec(name, dots.x_axis, dots.y_axis, dots.series(), tooltips=tooltips), _words(dots))


def _words(dots: GroupDots) -> Words:
    view, plan = dots.view, dots.plan
    columns, name = " and ".join(map(elided, plan.columns)), view.terms.measure(dots.measure)
    level = level_text(view.study.inference.level)
    n = len({row.group for row in dots.every})
    part = f" Shown: the {MOST_GROUPS} of {n} groups with the largest values." if n > MOST_GROUPS else ""
    models = " Shown: the finalists." if len(dots.models) < len(view.ranked) else ""
    caption = (
        f"{capitalised(question(dots.measure, view.study.point_criterion, view.study))}, by {columns}."
        f" Solid lines: {level} CIs of single groups. Dashed lines: {level} limits that hold for all"
        f" groups of a model together (max-T over resamples of {units(view.results)}); groups that are too"
        f" small for claims have none.{part}{models}"
    )
    texts = [
        f"{view.names[row.model]}, {', '.join(map(elided, row.group_values))}:"
        f" {dots.printed.value_with_unit(row.value)}"
        for row in dots.rows
        if row.value is not None
    ]
    more = f"; {len(texts) - 12} more" if len(texts) > 12 else ""
    title = f"{capitalised(name)} by {columns}"
    return Words(
        caption,
        f"{title}. {'; '.join(texts[:12])}{more}.",
        title,
        f"{capitalised(name)} of each group, {test_set(view)}; {sense(dots.measure)}",
    )
