"""The forest plot of differences: its marks lie where their numbers are, on screens and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from build import build
from reading import section
from simulated_parts import rows_of

from reporting.document.blocks import Figure
from reporting.document.words.decisions import answer
from reporting.document.words.view import views
from reporting.features.compose import compose

CONFIG = "measures: [hter, auc]\ncriteria: [min_hter]\ncurves: []\nepc: none\n"


def forests(tmp_path: Path, models: str, *overrides: str) -> tuple[list[Figure], object]:
    rows = rows_of(models=tuple(models), n=60, step=0.5)
    results = build(tmp_path, rows, CONFIG, *overrides).results
    blocks = section(compose(results), "comparisons").blocks
    found = [block for block in blocks if isinstance(block, Figure) and block.name == "forest"]
    return found, views(results)[0]


@pytest.mark.parametrize("overrides", [(), ("baseline=b",), ("primary.measure=auc",)])
def test_every_difference_has_its_marks(tmp_path: Path, overrides: tuple[str, ...]) -> None:
    (figure,), view = forests(tmp_path, "abcdef", *overrides)
    outcome = answer(view)
    compared = [each for each in outcome.decisions.values() if each.contrast is not None]
    assert len(figure.y_axis.ticks) == len(compared) == 5
    scale = view.printing(view.study.primary.measure).scale
    dots = sorted(series.y + series.x for series in figure.series if series.kind == "points")[::-1]
    for (_, x), row, (_, label) in zip(dots, compared, figure.y_axis.ticks[::-1], strict=True):
        assert label.startswith(view.names[row.model])
        assert x == pytest.approx(scale * row.contrast.value, abs=1e-4)
    assert figure.x_axis.low <= 0 <= figure.x_axis.high
    name = view.names[outcome.reference]
    side = 0 if view.study.primary.measure.better == "higher" else 1
    assert f"favours {name}" in figure.x_axis.sides[side]
    first = compared[0].contrast
    printed = view.printing(view.study.primary.measure).off_zero(first.low, first.high)
    assert printed.interval(first.low, first.high) in figure.alt


def test_few_differences_are_in_the_table_alone(tmp_path: Path) -> None:
    assert forests(tmp_path, "abcd")[0] == []
