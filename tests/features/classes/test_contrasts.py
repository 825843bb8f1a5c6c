"""Differences of measures of several classes between groups."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.arrays import IntArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.sweep import AUC
from reporting.core.resampling.settings import Inference
from reporting.document.blocks import Section, Table
from reporting.document.words.view import views
from reporting.features.classes.contrasts import BETWEEN_GROUPS, ClassGroupDifferenceRow, contrast_rows
from reporting.features.classes.measured import MeasuredClasses
from reporting.features.classes.read import ClassTrials, ModelRun
from reporting.features.classes.section import class_cautions
from reporting.features.sections import SECTIONS
from tests.build import Built, build
from tests.features.classes.test_designs import CONFIG, LABELS, built_of, table

BY = "by: [site]"
Rows = dict[tuple[str, str, str, str | None], ClassGroupDifferenceRow]


def sites(n: int, k: int) -> list[str]:
    """Return a site for each trial, of unequal sizes, each with trials of every class."""
    return [
        f"s{at}" for at in np.random.default_rng(3).choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    ]


def differences_of(built: Built, model: str = "m") -> Rows:
    rows = built.rows(BETWEEN_GROUPS)
    return {(row.group, row.measure, row.average, row.label): row for row in rows if row.model == model}


@st.composite
def grouped(draw: st.DrawFn) -> tuple[IntArray, IntArray, IntArray, IntArray | None]:
    """Draw classes of 120 trials, their scores, which tie, their groups, and clusters or none."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    truth = random.permutation(np.arange(120) % 3)
    score = random.integers(0, 4, (120, 3)) + 2 * np.eye(3, dtype=np.int64)[truth]
    return (
        truth,
        score,
        random.permutation(np.arange(120) % draw(st.integers(2, 3))),
        draw(st.sampled_from([None, random.permutation(np.arange(120) % 20)])),
    )


def by_group(truth: IntArray, score: IntArray, group: IntArray, unit: IntArray | None) -> Rows:
    """Return the differences of groups 0, 1, ... by the number of the group."""
    site = Attribute(tuple(map(str, range(group.max() + 1))), group.astype(np.uint32))
    units = None if unit is None else unit.astype(np.uint32)
    ranks = Ranks(label=truth == 0, unit_a=units, rank={}, paired=True, attributes={"site": site})
    study = Study(
        "", Primary(AUC, None), (), (AUC,), None, by=(("site",),), inference=Inference(replicates=39)
    )
    run = ModelRun("m", "")
    whole = MeasuredClasses(
        ClassTrials("", tuple("abc"), ranks, truth, {run: score / 9}), study, SerialExecutor()
    )
    rows = contrast_rows(whole, {"m": dict(whole.estimates([run]))})
    return {(row.group[5:], row.measure, row.average, row.label): row for row in rows}


@given(grouped())
def test_a_group_and_its_rest_are_all_trials(
    table: tuple[IntArray, IntArray, IntArray, IntArray | None],
) -> None:
    truth, score, group, _ = table
    right = score.argmax(axis=1) == truth
    for (name, measure, average, label), row in by_group(*table).items():
        of = np.full(len(truth), fill_value=True) if label is None else truth == "abc".index(label)
        if (measure, average) not in (("accuracy", "micro"), ("recall", "class")):
            continue
        inside = group == int(name)
        assert row.value is not None and row.other is not None  # noqa: PT018
        together = row.value * (of & inside).sum() + row.other * (of & ~inside).sum()
        assert together == pytest.approx(right[of].sum(), abs=1e-9)


@given(grouped(), st.randoms(use_true_random=False))
def test_names_of_groups_do_not_count(
    table: tuple[IntArray, IntArray, IntArray, IntArray | None], random: Any
) -> None:
    """Of two groups that change names differences and limits turn about; of three each keeps its own."""
    truth, score, group, unit = table
    names = list(range(group.max() + 1))
    random.shuffle(names)
    first, other = by_group(*table), by_group(truth, score, np.array(names)[group], unit)
    for (name, *of), row in first.items():
        turned = len(names) == 2 and names != [0, 1]
        again = other[str(names[int(name)]) if len(names) > 2 else "0", *of]  # type: ignore[index]
        limits = (row.ci_low, row.ci_high)
        if turned and row.difference is not None:
            row = replace(row, difference=-row.difference)
            limits = tuple(None if end is None else -end for end in limits[::-1])  # type: ignore[assignment]
        assert again.status == row.status
        for own, theirs in zip(
            (row.difference, *limits, row.p_value, row.p_adjusted),
            (again.difference, again.ci_low, again.ci_high, again.p_value, again.p_adjusted),
            strict=True,
        ):
            assert theirs == (None if own is None else pytest.approx(own, abs=1e-9))


def test_a_group_is_held_against_all_trials_outside_it(tmp_path: Path) -> None:
    rows = table(240, site=sites(240, 3))
    found = differences_of(built_of(rows, tmp_path, BY))
    top = rows.select(pl.concat_list([f"m_{label}" for label in LABELS]).list.arg_max()).to_series()
    right = rows.with_columns(right=pl.Series([LABELS[at] for at in top]) == pl.col("label"))
    for site in ("s0", "s1", "s2"):
        inside, outside = right.filter(site=site), right.filter(pl.col("site") != site)
        row = found[f"site={site}", "accuracy", "micro", None]
        assert row.against == "rest"
        assert (row.value, row.other) == pytest.approx((inside["right"].mean(), outside["right"].mean()))
        assert row.difference == pytest.approx((row.value or 0) - (row.other or 0), abs=1e-15)
        recall = found[f"site={site}", "recall", "class", "b"]
        of_b = inside.filter(label="b")["right"].mean(), outside.filter(label="b")["right"].mean()
        assert (recall.value, recall.other) == pytest.approx(of_b)


def test_limits_exclude_zero_where_the_adjusted_p_is_small(tmp_path: Path) -> None:
    """One site in which scores of a fifth of the trials say nothing; both are of all groups together."""
    rows = table(600, site=sites(600, 4))
    spoilt = (pl.col("site") == "s3") & (pl.int_range(pl.len()) % 5 < 4)
    mixed = rows.with_columns(
        **{f"m_{label}": pl.when(spoilt).then(pl.col(f"m_{label}").shuffle(seed=at)).otherwise(f"m_{label}")
           for at, label in enumerate(LABELS)}
    )  # fmt: skip
    found = [row for row in differences_of(built_of(mixed, tmp_path, BY)).values() if row.status is None]
    assert {row.family_size for row in found} == {4}
    excluded = [row for row in found if (row.ci_low or 0) > 0 or (row.ci_high or 0) < 0]
    assert 0 < len(excluded) < len(found)
    for row in found:
        assert row.p_value is not None and row.p_adjusted is not None  # noqa: PT018
        assert row.p_value <= row.p_adjusted <= min(1.0, 4 * row.p_value + 0.02), row
        assert (row in excluded) == (row.p_adjusted <= 0.05), row


def test_of_two_groups_one_difference_is_tested_alone(tmp_path: Path) -> None:
    rows = table(180, site=sites(180, 2))
    found = differences_of(built_of(rows, tmp_path, BY))
    assert {(row.group, row.against) for row in found.values()} == {("site=s0", "site=s1")}
    for row in found.values():
        assert (row.family_size, row.p_adjusted) == (1, row.p_value)


def test_two_classes_give_the_binary_differences(tmp_path: Path) -> None:
    """Balanced accuracy is 1 - HTER at .5, and recall of the target 1 - FRR, in every group and its rest."""
    random = np.random.default_rng(5)
    truth = random.choice(2, 400, p=[0.4, 0.6])
    p = np.round(np.clip(0.3 * truth + random.normal(0.35, 0.2, 400), 0, 1), 2)
    rows = pl.DataFrame({"trial": [f"t{at:03}" for at in range(400)], "label": [f"c{of}" for of in truth],
                         "m_c1": p, "m_c0": 1 - p, "site": sites(400, 3)})  # fmt: skip
    config = """
    trials:
      source: trials.parquet
      layout: wide
      scores: {m: m_c1}
      values: {target: c1, nontarget: rest}
    thresholds: {policy: none}
    primary: {measure: hter, criterion: fixed(threshold=0.5)}
    measures: [hter, frr]
    across: [{columns: [site], measures: [hter, frr]}]
    by: [site]
    classes: {labels: [c1, c0], scores: "{model}_{class}"}
    """
    built = build(tmp_path, rows, config, "significance.replicates=1999")
    binary = {
        (row["group"], row["measure"]): row for row in built.frames["group_metrics"].iter_rows(named=True)
    }
    found = differences_of(built)
    for site in ("s0", "s1", "s2"):
        for measure, of in (("hter", ("recall", "macro", None)), ("frr", ("recall", "class", "c1"))):
            row, whole = found[f"site={site}", *of], binary[f"site={site}", measure]
            assert row.value == pytest.approx(1 - whole["value"], abs=1e-12)
            assert row.difference == pytest.approx(-whole["difference"], abs=1e-12)
            if measure == "hter":
                # Theirs are made of Wilson's limits of both rates, these of the spread of resamples.
                ends = 0 - (row.ci_high or 0), 0 - (row.ci_low or 0)
                assert ends == pytest.approx((whole["difference_low"], whole["difference_high"]), abs=0.04)


def test_order_and_names_of_classes_and_rows_do_not_count(tmp_path: Path) -> None:
    rows = table(200, site=sites(200, 3))
    # No ties, so that the order of classes decides no top label.
    rows = rows.with_columns(
        pl.col(f"{model}_{label}") + (at + 1) * 1e-4 for model in "mn" for at, label in enumerate(LABELS)
    )
    first = built_of(rows, tmp_path / "first", BY)
    shuffled = built_of(rows.sample(fraction=1.0, shuffle=True, seed=1), tmp_path / "rows", BY)
    assert shuffled.frames[BETWEEN_GROUPS.name].equals(first.frames[BETWEEN_GROUPS.name], null_equal=True)
    config = CONFIG.replace("[a, b, c]", "[c, a, b]")
    reordered = differences_of(built_of(rows, tmp_path / "labels", BY, config=config))
    for key, row in differences_of(first).items():
        other = reordered[key]
        assert (other.difference, other.status) == (pytest.approx(row.difference, abs=1e-12), row.status)
        assert (other.ci_low, other.ci_high) == pytest.approx((row.ci_low, row.ci_high), abs=1e-9)


def test_groups_that_share_their_clusters_are_compared_within_them(tmp_path: Path) -> None:
    """Each trial is in both groups, in one cluster: nothing can differ, in no resample."""
    rows = table(60)
    twice = pl.concat(
        [rows.with_columns(pl.col("trial") + site, site=pl.lit(site), speaker="trial") for site in ("x", "y")]
    )
    config = CONFIG.replace("layout: wide", "layout: wide\n  columns: {cluster: speaker}")
    found = differences_of(built_of(twice, tmp_path, BY, config=config))
    assert {(row.difference, row.p_value) for row in found.values()} == {(0.0, 1.0)}


def test_sites_that_are_clusters_are_not_tested(tmp_path: Path) -> None:
    config = CONFIG.replace("layout: wide", "layout: wide\n  columns: {cluster: site}")
    found = differences_of(built_of(table(240, site=sites(240, 3)), tmp_path, BY, config=config))
    assert {row.status for row in found.values()} == {"few_units"}


@pytest.mark.parametrize(
    ("sizes", "status"), [((27, 90), "few_units"), ((45, 90), None), ([20] * 17, "too_many_groups")]
)
def test_small_groups_and_many_take_no_part(tmp_path: Path, sizes: list[int], status: str | None) -> None:
    site = np.repeat([f"s{at:02}" for at in range(len(sizes))], sizes)
    found = differences_of(built_of(table(len(site), site=site), tmp_path, BY))
    row = found["site=s00", "recall", "macro", None]
    assert row.status == status
    assert (row.ci_low is None) == (row.difference is None) == (status is not None)


def test_a_group_without_a_class_and_one_without_errors_take_no_part(tmp_path: Path) -> None:
    rows = table(240, site=sites(240, 3))
    lacking = rows.filter((pl.col("site") != "s1") | (pl.col("label") != "c"))
    found = differences_of(built_of(lacking, tmp_path / "class", BY))
    assert found["site=s1", "auc", "macro", None].status == "few_units"
    assert found["site=s1", "accuracy", "micro", None].status is None
    right = rows.with_columns(
        (pl.col("label") == label).cast(pl.Float64).alias(f"m_{label}") for label in LABELS
    )
    found = differences_of(built_of(right, tmp_path / "right", BY))
    assert found["site=s1", "accuracy", "micro", None].status == "few_errors"
    assert found["site=s1", "auc", "macro", None].status == "degenerate"


def tables_of(built: Built) -> dict[str, Table]:
    section = SECTIONS["classes"].write(built.results)
    assert section is not None
    parts = (block.blocks if isinstance(block, Section) else (block,) for block in section.blocks)
    return {block.name: block for part in parts for block in part if isinstance(block, Table)}


def test_the_page_holds_groups_against_the_rest(tmp_path: Path) -> None:
    rows = table(240, site=sites(240, 3))
    shown = tables_of(built_of(rows, tmp_path / "three", BY))["classes_between_groups"]
    assert [title for _, title in shown.row_groups] == ["m", "n"]
    assert len(shown.rows) == 2 * 3 * 5 - 8
    assert shown.notes[2].startswith("8 differences are left out because the group has fewer than 10 trials")
    assert shown.notes[0] == "Rest: all test trials outside the group."
    two = tables_of(built_of(rows.filter(pl.col("site") != "s0"), tmp_path / "two", BY))
    assert two["classes_between_groups"].caption.startswith("Groups against each other.")
    assert "Rest" not in str(two["classes_between_groups"].notes)


def test_the_page_says_why_groups_are_not_compared(tmp_path: Path) -> None:
    few = tables_of(built_of(table(72, site=["s0", "s1", "s2"] * 24), tmp_path / "few", BY))
    (note,) = few["classes_between_groups"].notes[2:]
    assert note.startswith("24 differences are left out because the group has fewer than 10 trials")
    assert len(few["classes_between_groups"].rows) == 2 * 3
    many = tables_of(built_of(table(340, site=[f"s{at % 17}" for at in range(340)]), tmp_path / "many", BY))
    assert "classes_between_groups" not in many
    assert many["classes_groups"].notes[1:] == (
        "Groups against the rest: 170 differences are left out because at most 16 groups are compared.",
    )


def test_the_matrix_of_a_mean_over_runs_promises_no_limits(tmp_path: Path) -> None:
    runs = [table(60, noise).with_columns(run=pl.lit(f"r{at}")) for at, noise in enumerate((0.1, 0.2))]
    config = CONFIG.replace("layout: wide", "layout: wide\n  columns: {run: run}")
    captions = [
        built_of(rows, tmp_path / name, config=of)
        for name, rows, of in (("two", pl.concat(runs), config), ("one", table(60), CONFIG))
    ]
    two, one = (
        next(of.caption for name, of in tables_of(built).items() if name.startswith("classes_matrix_1"))
        for built in captions
    )
    assert two.endswith("by predicted class, with trials of all runs in parentheses.")
    assert one.endswith("by predicted class, with trials in parentheses and 95% CIs in brackets.")


def test_a_class_that_is_rare_in_a_group_is_named(tmp_path: Path) -> None:
    """In site s0 only three trials are of class c: p of average precision there is by too few."""
    rows = table(240, site=sites(240, 2))
    rare = (
        (pl.col("site") != "s0")
        | (pl.col("label") != "c")
        | (pl.col("label").cum_count().over("site", "label") <= 3)
    )
    cautions = {
        name: [caution.text for caution in class_cautions(view) if caution.code == "TR350"]
        for name, of in (("rare", rows.filter(rare)), ("none", rows))
        for view in views(built_of(of, tmp_path / name, BY).results)
    }
    assert cautions["none"] == []
    (text,) = cautions["rare"]
    assert "fewer than 5 trials of a class (3 of c in site=s0)" in text
