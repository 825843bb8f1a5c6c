"""A hand-made report with every block, in a decent and in a hostile version."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from reporting.base.provenance import InputFile, Provenance
from reporting.document.blocks import (
    Axis,
    Caution,
    Cell,
    Column,
    Figure,
    IntervalMark,
    Prose,
    Report,
    Section,
    Series,
    Table,
)

HOSTILE = (
    '<script>alert("1")</script>',
    r"a_b % & # $ ^ ~ \ { } \input{/etc/passwd}",
    '=HYPERLINK("http://x.example")',
    "]]> --> '--' `` '' ,, << >> ?` !`",
    "two\nlines\tand\x00control\x1b\x7f\x85codes",
    "αβΓθ é ß Ł × ≤ ± → ‰ “q” ’",
    "中文 日本語 😀 Ж",
    "x" * 80,
    "speaker_verification_system_with_a_long_name_and_many_underscores_and_more_words",
    "*starred [bracket] {{ jinja }} {% raw %} << v >>",
    'id="clip7" url(#clip1) </svg>',
    "\u202ereversed \ud800 \ufffe",
    "</title></style><img src=x onerror=alert(1)>",
)


@pytest.fixture(scope="session")
def provenance() -> Provenance:
    return Provenance(
        version="0.1.0",
        inputs=(InputFile("trials.parquet", "0123456789abcdef" * 4, 12345),),
        libraries=(("polars", "2.1.0"), ("numpy", "2.3.0")),
        seed=1,
        as_of="2026-11-20",
    )


@pytest.fixture(scope="session")
def make_report() -> Callable[..., Report]:
    return _report


def _report(models: int = 6, hostile: bool = False) -> Report:
    names = [HOSTILE[i % len(HOSTILE)] + (f" {i}" if i >= len(HOSTILE) else "") for i in range(models)]
    if not hostile:
        names = [f"TC{i + 1}" for i in range(models)]
    extra = "".join(HOSTILE) if hostile else ""
    return Report(
        title="Speaker verification, EVALITA 2009" + extra,
        data_line="test: all, 36,437 trials, 495 targets, 40 speakers" + extra,
        verdict=(
            f"At min-HTER thresholds chosen on dev, {names[-1]} has the lowest test HTER, 2.1 % [1.5, 2.7]."
            " It is 1.3 points below the baseline [0.4, 2.2], p = .004, adjusted .02 over 5 comparisons;"
            " these two tuned systems, speakers resampled."
        ),
        sections=(
            Section("Summary", "summary", (_summary(names), Caution("Dev and test differ." + extra))),
            Section("Curves", "curves", (_epc(names), _det(names), Prose(SENTENCE)), beside=True),
            Section("Operating points", "points", (Prose(SENTENCE + extra), _points(names))),
            Section("Single figure", "single", (_single(names),)),
            Section(
                "Methods",
                "methods",
                (Prose(SENTENCE * 3), Section("Details", "details", (Prose("α ≤ θ × 2 — 1–2, “x”, −3.5"),))),
            ),
        ),
        signature="reporting 0.1.0 | seed 1 | M 10000 | data 01234567" + extra,
    )


SENTENCE = (
    "Thresholds are chosen on dev at the smallest half total error rate and applied to test; intervals are"
    " percentiles of 10,000 bootstrap replicates over speakers (θ, α ≥ 0.5, difference −1.3 points). "
)


def _summary(names: list[str]) -> Table:
    columns = (
        Column("Model"),
        Column("HTER", "number", unit="%", sense="lower is better"),
        Column("95 % interval", "interval", unit="%"),
        Column("HTER", "drawn", unit="%", axis=(0, 8)),
        Column("Difference to baseline", "number", unit="points"),
        Column("Difference", "drawn", unit="points", axis=(-4, 4), zero_line=True),
        Column("p", "number"),
        Column("Verdict"),
    )
    rows = [_summary_row(name, i) for i, name in enumerate(names)]
    notes = ("p: adjusted by Holm over the primary family; these two tuned systems.",)
    return Table("summary", "HTER (a priori) at min-HTER thresholds of dev.", columns, tuple(rows), notes)


def _summary_row(name: str, i: int) -> tuple[Cell, ...]:
    value = 2.1 + 0.3 * i
    if i == 1:
        undefined = Cell("—", reason="no targets in test")
        return (Cell(name), undefined, undefined, Cell(""), undefined, Cell(""), undefined, Cell("undecided"))
    return (
        Cell(name),
        Cell(f"{value:.1f}", order=value, bold=i == 0),
        Cell(f"[{value - 0.6:.1f}, {value + 0.7:.1f}]"),
        Cell("", drawn=IntervalMark(value, value - 0.6, value + 0.7)),
        Cell(f"−{i / 10:.1f}", order=-i / 10),
        Cell("", drawn=IntervalMark(-i / 10, -i / 10 - 0.9, math.inf if i == 3 else 1 - i / 10)),
        Cell("< .001" if i == 0 else ".013", order=0.013 * i),
        Cell("not shown to differ"),
    )


def _points(names: list[str]) -> Table:
    columns = (
        Column("Model"),
        Column("Criterion"),
        Column("Threshold", "number"),
        *(
            Column(f"{rate} {kind}", "number", unit="%")
            for kind in ("a priori", "a posteriori")
            for rate in ("FAR", "FRR")
        ),
        Column("Errors", "number"),
    )
    rows = tuple(
        (
            Cell(name),
            Cell(criterion),
            Cell("−1.234" if i else "∞", order=-1.234 if i else math.inf),
            *(Cell("6.3"),) * 4,
            Cell("31/495"),
        )
        for i, name in enumerate(names)
        for criterion in ("min_hter", "eer")
    )
    return Table("operating_points", "Operating points, a priori beside a posteriori.", columns, rows)


def _spec(names: list[str], title: str) -> dict[str, Any]:
    values = [
        {"x": k / 20, "y": (k / 20) ** (1 + i / 5), "m": n} for i, n in enumerate(names) for k in range(21)
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "config": {"font": "Nonexistent Sans"},
        "width": 420,
        "height": 360,
        "data": {"values": values},
        "mark": {"type": "line", "clip": True},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "title": title},
            "y": {"field": "y", "type": "quantitative", "title": "rate"},
            "color": {
                "field": "m",
                "type": "nominal",
                "title": None,
                "legend": {"orient": "bottom", "columns": 2},
            },
        },
    }


def _grid() -> tuple[float, ...]:
    return tuple(k / 20 for k in range(21))


def _epc(names: list[str]) -> Figure:
    x = _grid()
    series = [
        Series("", "band", i, x, tuple(v * 0.8 for v in x), tuple(v * 0.8 + 0.1 for v in x)) for i in (0, 1)
    ]
    series += [Series(n, "step", i, x, tuple(v ** (1 + i / 5) for v in x)) for i, n in enumerate(names)]
    return Figure(
        "epc",
        "EPC: test HTER, thresholds from dev; band: 95 % percentile interval over speakers.",
        f"Expected performance curves of {names[0]} and others",
        _spec(names, "α"),
        tuple(series),
        Axis("α, weight of false acceptance", 0, 1, ((0, "0"), (0.5, "0.5"), (1, "1"))),
        Axis("HTER (%)", 0, 1.2, ((0, "0"), (0.6, "60"), (1.2, "120"))),
    )


def _det(names: list[str]) -> Figure:
    x = tuple(4 * v - 2 for v in _grid())
    series = [Series(n, "line", i, x, tuple(-v - i / 10 for v in x)) for i, n in enumerate(names)]
    series += [Series(n, "points", i, (0.1,), (-0.1 - i / 10,)) for i, n in enumerate(names)]
    series += [Series(n, "rings", i, (-0.3,), (0.3 - i / 10,)) for i, n in enumerate(names)]
    series.append(Series("chance & more", "guide", 0, (-2, 2), (2, -2)))
    ticks = ((-1.2816, "10"), (0.0, "50"), (1.2816, "90"))
    return Figure(
        "det",
        "DET: dots are dev-chosen points on test, rings the best possible.",
        "Detection error tradeoff",
        _spec(names, "false alarm (%)"),
        tuple(series),
        Axis("False alarm (%)", -2, 2, ticks),
        Axis("Miss (%)", -2, 2, ticks),
    )


def _single(names: list[str]) -> Figure:
    x = _grid()
    line = Series(names[0], "line", 0, (*x, math.inf), (*x, 1.0))
    axis = Axis("x", 0, 1, ())
    return Figure(
        "roc", "ROC.", "Receiver operating characteristic", _spec(names[:1], "FAR"), (line,), axis, axis
    )
