"""The section of abstention: its sentence, tables and pictures against the frames, and its cautions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import Built, build, trials_of
from snapshot import snapshot

from reporting.document.blocks import Figure, Prose, Section, Table
from reporting.document.words.view import views
from reporting.features.abstention.frame import ABSTENTION
from reporting.features.abstention.section import abstention_cautions
from reporting.features.compose import compose
from reporting.render.formats import render_all

CONFIG = "curves: []\nepc: none\ncriteria: [min_hter]\n"
DEV = (0, 0, 0, 1, 0, 1, 1, 1)
TEST = [(1, 0), (2, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 1), (7, 0), (8, 1)]


def by_hand(model: str = "a") -> list[dict[str, Any]]:
    """Return eight trials of dev and ten of test: four lie between 3.5 and 5.5, two beyond are wrong."""
    dev = [f"d{at} {model} dev {label} {at}" for at, label in enumerate(DEV, start=1)]
    return trials_of(*dev, *(f"t{at} {model} test {label} {score}" for at, (score, label) in enumerate(TEST)))


def simulated(*models: str, ratios: bool = False) -> pl.DataFrame:
    """Return 200 trials a split; each model parts the classes better than the one before."""
    draw = np.random.default_rng(2)
    tables = []
    for split in ("dev", "test"):
        label = draw.random(200) < 0.4
        for at, model in enumerate(models):
            score = np.round((1 + at) * label + draw.normal(0, 1, 200), 1)
            table = {"model": model, "split": split, "trial": np.arange(200), "label": label}
            tables.append(pl.DataFrame(table | {"score": score * (1 + at) if ratios else score}))
    return pl.concat(tables)


def section(report: Built) -> Section:
    """Return the section."""
    return next(each for each in compose(report.results).sections if each.anchor == "abstention")


def tables(report: Built) -> dict[str, Table]:
    """Return its tables by name."""
    return {block.name: block for block in section(report).blocks if isinstance(block, Table)}


def column(table: Table, title: str) -> list[str]:
    """Return the texts of one column."""
    at = [each.title for each in table.columns].index(title)
    return [row[at].text for row in table.rows]


def cautions(report: Built) -> list[str]:
    """Return the section's cautions."""
    return [
        f"{each.code}: {each.text}" for view in views(report.results) for each in abstention_cautions(view)
    ]


def test_by_hand(tmp_path: Path) -> None:
    report = build(tmp_path, by_hand(), CONFIG + "abstention: {cost: {review: 0.3}}\n")
    first = section(report).blocks[0]
    assert isinstance(first, Prose)
    snapshot("abstention/section_by_hand", first.text)
    found = tables(report)
    shares = found["abstention"]
    assert column(shares, "rejected at") == ["below 3.500"]
    assert column(shares, "accepted at") == ["5.500 and above"]
    assert [column(shares, name) for name in ("rejected", "reviewed", "accepted")] == [["30"], ["40"], ["30"]]
    costs = found["abstention_costs"]
    assert [title for _, title in costs.row_groups] == ["Least cost on development", "No review"]
    assert column(costs, "wrong") == ["33", "40"]
    assert column(costs, "mean cost") == ["0.32", "0.40"]
    assert column(costs, "saved by review") == ["0.080", ""]
    assert "abstention_comparisons" not in found
    figures = [block for block in section(report).blocks if isinstance(block, Figure)]
    assert [figure.name for figure in figures] == ["risk_coverage", "frr_discard", "far_discard"]
    assert figures[0].title == "a: 40.0% of all decisions are wrong, 33.3% of the surest half"
    dots = next(series for series in figures[0].series if series.kind == "points")
    assert (dots.x, dots.y) == ((60.0,), (pytest.approx(100 / 3, abs=1e-4),))


def test_pairs_and_the_rule_of_chow(tmp_path: Path) -> None:
    plan = (
        "abstention: {cost: {false_negative: 2, review: 0.3}}\nmodels: {a: {scale: llr}, b: {scale: llr}}\n"
    )
    report = build(tmp_path, simulated("a", "b", ratios=True), CONFIG + plan, "significance.replicates=499")
    found = tables(report)
    groups = [title for _, title in found["abstention_costs"].row_groups]
    assert groups == ["Least cost on development", "Chow's rule for likelihood ratios", "No review"]
    assert any("trusts the scores" in note for note in found["abstention_costs"].notes)
    pairs = found["abstention_comparisons"]
    assert pairs.folded
    assert column(pairs, "model") == ["b"] * 5
    assert [title for _, title in pairs.row_groups][:2] == ["Mean cost", "Wrong (percentage points)"]
    verdicts = dict(zip([title for _, title in pairs.row_groups], column(pairs, "verdict"), strict=True))
    rows = {row.quantity: row for row in ABSTENTION.rows(report.frames["abstention"]) if row.model == "b"}
    assert rows["aurc"].value is not None
    assert verdicts["AURC (percentage points)"] == "b is better"


def test_lower_scores_for_targets_are_accepted_up_to_a_threshold(tmp_path: Path) -> None:
    rows = pl.DataFrame(by_hand()).with_columns(score=10 - pl.col("score"))
    plan = "abstention: {cost: {review: 0.3}}\nmodels: {a: {higher_is: nontarget}}\n"
    shares = tables(build(tmp_path, rows, CONFIG + plan))["abstention"]
    assert column(shares, "rejected at") == ["above 6.500"]
    assert column(shares, "accepted at") == ["4.500 and below"]
    assert column(shares, "rejected") == ["30"]


def test_more_on_test_than_can_be_reviewed(tmp_path: Path) -> None:
    report = build(tmp_path, by_hand(), CONFIG + "abstention: {capacity: 0.25}\n")
    (found,) = cautions(report)
    snapshot("abstention/section_more_on_test_than_can_be_reviewed", found)
    assert "with at most 25% of the trials reviewed" in section(report).blocks[0].text  # type: ignore[union-attr]
    assert not cautions(build(tmp_path / "more", by_hand(), CONFIG + "abstention: {capacity: 0.4}\n"))


def test_nothing_is_reviewed(tmp_path: Path) -> None:
    report = build(tmp_path / "0", by_hand(), CONFIG + "abstention: {capacity: 0}\n")
    assert cautions(report) == ["TR330: No trial is reviewed by a: the capacity is 0."]
    text = section(report).blocks[0].text  # type: ignore[union-attr]
    assert text.startswith("a leaves no trial of the test set to review.")
    dear = build(tmp_path / "1", by_hand(), CONFIG + "abstention: {cost: {review: 0.9}}\n")
    snapshot("abstention/section_nothing_is_reviewed", "\n".join(cautions(dear)))


def test_nothing_is_decided(tmp_path: Path) -> None:
    rows = trials_of(
        *(f"d{at} a dev {at % 2} {at // 2}" for at in range(8)),
        *(f"t{at} a test {at % 2} 1.5" for at in range(6)),
    )
    report = build(tmp_path, rows, CONFIG + "abstention: {cost: {review: 0.001}}\n")
    snapshot("abstention/section_nothing_is_decided", "\n".join(cautions(report)))
    costs = tables(report)["abstention_costs"]
    assert column(costs, "wrong")[0] == "—"
    assert column(costs, "mean cost")[0] == "0.001"


@pytest.mark.parametrize("vocabulary", ["biometrics", "medical", "ml", "ir", "pad"])
def test_the_words_of_a_field(tmp_path: Path, vocabulary: str) -> None:
    plan = f"abstention: {{cost: {{review: 0.3}}}}\nreport: {{vocabulary: {vocabulary}}}\n"
    report = build(tmp_path, by_hand(), CONFIG + plan)
    terms = views(report.results)[0].terms
    text = section(report).blocks[0].text  # type: ignore[union-attr]
    assert f"a leaves 40.0% of the {terms.trials} of the test set to review" in text
    assert f" {terms.false_alarm} costs 1, " in text
    heads = [each.title for each in tables(report)["abstention_costs"].columns]
    assert terms.far in heads
    assert terms.frr in heads


def test_names_that_are_code(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>_$x$"
    report = build(tmp_path, simulated(name, "b"), CONFIG + "abstention: {capacity: 0.1}\n")
    files = render_all(
        compose(report.results),
        report.results.provenance,
        ("html", "latex", "markdown-full"),
        interactive=True,
    )
    page = files["report.html"].decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    table = files["tables/abstention.tex"].decode()
    assert r"\_\$x\$" in table


def test_without_the_key_there_is_no_section(tmp_path: Path) -> None:
    report = build(tmp_path, by_hand(), CONFIG)
    assert all(each.anchor != "abstention" for each in compose(report.results).sections)
    assert not cautions(report)
