"""The section of groups: its tables against the frames, what they claim, and names that are code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import Built, build

from reporting.document.blocks import Figure, Section, Table
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.groups.group_metrics import GROUP_METRICS
from reporting.features.groups.section import groups_left_out, side
from reporting.render.formats import render_all

COUNTS = {"a": (6, 40, 10, 50), "b": (12, 40, 5, 50), "c": (8, 20, 20, 40), "d": (1, 4, 1, 4)}
"""Misses, targets, false alarms and non-targets of each group."""
BETTER = {"a": (10, 40, 10, 50), "b": (10, 40, 9, 50), "c": (5, 20, 8, 40), "d": (1, 4, 1, 4)}
CONFIG = (
    "primary: {measure: far, criterion: 'fixed(threshold=0.5)'}\ncriteria: ['fixed(threshold=0.5)']\n"
    "curves: []\nepc: none\nthresholds: {policy: none}\n"
)


def trials(model: str, counts: dict[str, tuple[int, int, int, int]]) -> list[dict[str, Any]]:
    """Return trials that have these errors at 0.5."""
    rows = []
    for group, (misses, targets, alarms, nontargets) in counts.items():
        for label, errors, n in ((1, misses, targets), (0, alarms, nontargets)):
            for at in range(n):
                accepted = (at >= errors) if label else (at < errors)
                key = {"model": model, "trial": f"{group}{label}{at}", "split": "test", "place": group}
                rows.append(key | {"label": label, "score": 0.9 if accepted else 0.1})
    return rows


def built(folder: Path, across: str = "place", names: tuple[str, ...] = ("a", "b", "c", "d")) -> Built:
    """Return the report of two models on four groups, the last of which is small."""
    named = dict(zip(COUNTS, names, strict=True))
    counts = {named[group]: each for group, each in COUNTS.items()}
    better = {named[group]: each for group, each in BETTER.items()}
    rows = [*trials("M", counts), *trials("N", better)]
    return build(folder, rows, f"{CONFIG}across: {across}", "significance.replicates=499")


def blocks(report: Built) -> tuple[Any, ...]:
    """Return the blocks of the section."""
    section = next(each for each in compose(report.results).sections if each.anchor == "groups")
    assert isinstance(section, Section)
    return section.blocks


def column(table: Table, title: str) -> list[str]:
    """Return the texts of one column."""
    at = [each.title for each in table.columns].index(title)
    return [row[at].text for row in table.rows]


def test_the_first_table_by_hand(tmp_path: Path) -> None:
    figure, table, *_ = blocks(built(tmp_path))
    assert isinstance(figure, Figure)
    assert isinstance(table, Table)
    assert table.caption.startswith("FAR at the fixed threshold 0.5, by place")
    assert table.row_groups == ((0, "N"), (4, "M"))  # the better model first
    assert column(table, "place") == ["a", "b", "c", "d"] * 2
    assert column(table, "FAR")[4:] == ["20.0", "10.0", "50.0", "25.0"]
    assert column(table, "against the rest")[4:] == ["inconclusive", "lower", "higher", "too few trials"]
    assert column(table, "against the rest")[:4] == ["inconclusive"] * 3 + ["too few trials"]
    assert column(table, "difference from the rest")[7] == ""


def test_gaps_and_models_by_hand(tmp_path: Path) -> None:
    tables = {table.name: table for table in blocks(built(tmp_path)) if isinstance(table, Table)}
    gaps = tables["gaps_1"]
    assert column(gaps, "largest")[:2] == ["20.0", "50.0"]
    assert column(gaps, "range")[:2] == ["2.0", "40.0"]
    assert column(gaps, "ratio")[1] == "5.00"
    assert column(gaps, "Gini")[1] == "0.50"
    ends = [each.title for each in gaps.columns]
    assert [gaps.rows[1][at].text for at, title in enumerate(ends) if title == "group"] == ["c", "b"]
    assert column(tables["odds_1"], "equalised odds difference")[1] == "40.0"
    ranges = tables["ranges_1"]
    assert column(ranges, "difference")[0] == "−38.0"
    assert column(ranges, "verdict")[0] == "smaller for N"
    assert tables["differences_of_groups_1"].folded


def test_a_reference_has_no_contrast_with_itself(tmp_path: Path) -> None:
    table = blocks(built(tmp_path, "{columns: place, reference: b}"))[1]
    assert column(table, "ratio to b")[5] == ""
    assert column(table, "against b")[4:] == ["inconclusive", "", "higher", "too few trials"]


def test_the_caution_names_who_is_left_out(tmp_path: Path) -> None:
    report = built(tmp_path)
    (caution,) = groups_left_out(views(report.results)[0])
    assert caution.code == "TR322"
    assert "leave out d (FAR and FRR): the group has" in caution.text
    assert "fewer than 10 trials or clusters" in caution.text
    assert caution in compose(report.results).sections[0].blocks


def test_claims_are_those_of_the_limits(tmp_path: Path) -> None:
    report = built(tmp_path)
    claimed = {row.group for row in report.rows(GROUP_METRICS) if (row.difference_low or 0) > 0}
    assert claimed == {"place=c"}
    assert [side(*limits, "higher", "lower") for limits in ((0.1, 0.2), (-0.2, -0.1), (0.0, 0.2))] == [
        "higher",
        "lower",
        "inconclusive",
    ]


@pytest.mark.parametrize("vocabulary", ["detection", "biometrics", "medical", "ir", "ml", "pad"])
def test_every_vocabulary_has_its_words(tmp_path: Path, vocabulary: str) -> None:
    rows = trials("M", COUNTS)
    report = build(tmp_path, rows, f"{CONFIG}across: place", f"report.vocabulary={vocabulary}")
    text = str(blocks(report))
    assert "{" not in text.replace("{'", "").split("spec=")[0]
    assert ("FMR" in text) == (vocabulary == "biometrics")


def test_names_of_groups_that_are_code_are_text(tmp_path: Path) -> None:
    names = (
        "<script>alert(1)</script>",
        r"a_b % & # $ \\input{/etc/passwd}",
        "=cmd|' /C calc'!A0",
        "x" * 300,
    )
    report = built(tmp_path, "place", names)
    files = render_all(
        compose(report.results),
        report.results.provenance,
        ("html", "latex", "markdown-full", "json"),
        interactive=True,
    )
    page = files["report.html"].decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    tex = "".join(content.decode() for name, content in files.items() if name.endswith(".tex"))
    assert r"\input{/etc" not in tex
    data = b"".join(content for name, content in files.items() if name.endswith(".csv"))
    assert b"\n=cmd" not in data
    assert b",=cmd" not in data


def test_items_of_a_benchmark_have_one_class(tmp_path: Path) -> None:
    """Every item is a target and the threshold is given: no column of non-targets, no word of development."""
    rows = [row for row in trials("M", COUNTS) + trials("N", BETTER) if row["label"]]
    question = CONFIG.replace("measure: far", "measure: recall")
    across = "across: {columns: place, measures: [recall]}"
    report = build(
        tmp_path, rows, question + across, "report.vocabulary=evals", "significance.replicates=499"
    )
    table = blocks(report)[1]
    assert [each.title for each in table.columns][:2] == ["place", "items to solve"]
    assert "items to refuse" not in [each.title for each in table.columns]
    assert column(table, "success rate")[:3] == ["75.0", "75.0", "75.0"]
    text = str(blocks(report))
    assert "Thresholds were set in advance." in text
    assert "development" not in text


def test_the_first_sentence_names_the_groups_that_differ(tmp_path: Path) -> None:
    report = compose(built(tmp_path).results)
    tables = [each for each in blocks(built(tmp_path / "again")) if isinstance(each, Table)]
    decided = {
        (row[0].text, row[-1].text)
        for each in tables
        if each.name == "groups_1_1"
        for row in each.rows
        if row[-1].text in ("higher", "lower")
    }
    line = report.lead[0]
    assert line.startswith("By place: ")
    assert all(f"{word} for" in line and group in line for group, word in decided)
    assert decided or line == "By place: no group is shown to differ from the rest in FAR."
    assert report.sections[1].anchor == "groups"
