"""Contrasts over groups: fractions by hand, laws, clusters that span groups, and what is left out."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import Built, build
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.stats.intervals import wilson
from reporting.document.frames.metrics import METRICS
from reporting.errors import ConfigError, DataError
from reporting.features.groups.disparities import DISPARITIES, DISPARITY_COMPARISONS
from reporting.features.groups.group_metrics import GROUP_METRICS

FIXED = "primary: {measure: far, criterion: 'fixed(threshold=0.5)'}\ncriteria: ['fixed(threshold=0.5)']\n"
PLAIN = "epc=none", "thresholds.policy=none", "measures=[far]"
COUNTS = {"a": (6, 40, 10, 50), "b": (12, 40, 5, 50), "c": (8, 20, 20, 40)}
"""Misses, targets, false alarms and non-targets of three groups."""


def rows_of(
    counts: dict[str, tuple[int, int, int, int]], model: str = "M", **more: Any
) -> list[dict[str, Any]]:
    """Return trials that have these errors at 0.5."""
    rows: list[dict[str, Any]] = []
    for group, (misses, targets, alarms, nontargets) in counts.items():
        for label, errors, n in ((1, misses, targets), (0, alarms, nontargets)):
            for at in range(n):
                accepted = (at >= errors) if label else (at < errors)
                score = 0.9 if accepted else 0.1
                row = {"model": model, "trial": f"{group}{label}{at}", "label": label, "score": score}
                rows.append(row | {"gender": group, "split": "test"} | more)
    return rows


def built(folder: Path, rows: list[dict[str, Any]], across: str = "gender", *more: str) -> Built:
    """Return the report of trials across groups at the threshold 0.5."""
    return build(folder, rows, f"{FIXED}across: {across}", *PLAIN, *more)


def by_group(built: Built, measure: str) -> dict[str, Any]:
    """Return the rows of one measure by group."""
    return {row.group: row for row in built.rows(GROUP_METRICS) if row.measure == measure}


def statistics(built: Built, measure: str | None, model: str = "M") -> dict[str, Any]:
    """Return the rows of one measure by statistic."""
    rows = built.rows(DISPARITIES)
    return {row.statistic: row for row in rows if (row.measure, row.model) == (measure, model)}


def test_fractions_by_hand(tmp_path: Path) -> None:
    report = built(tmp_path, rows_of(COUNTS))
    far = by_group(report, "far")
    assert list(far) == ["gender=a", "gender=b", "gender=c"]
    a, c = far["gender=a"], far["gender=c"]
    assert (a.value, a.false_alarms, a.misses, a.n_target, a.n_nontarget) == (10 / 50, 10, 6, 40, 50)
    assert (a.ci_low, a.ci_high) == pytest.approx(wilson(10, 50, 0.95))
    # the rest of a: 25 false alarms of 90
    assert a.other == pytest.approx(25 / 90)
    assert a.difference == pytest.approx(float(Fraction(1, 5) - Fraction(25, 90)))
    assert a.ratio == pytest.approx(float(Fraction(1, 5) / Fraction(25, 90)))
    assert a.joint_low < a.ci_low < a.value < a.ci_high < a.joint_high
    assert a.difference_low < a.difference < a.difference_high
    assert c.difference_low > 0  # 20 of 40 against 15 of 100
    assert (a.against, a.n_groups, a.unit, a.n_units, a.status, a.left_out) == (
        "rest",
        3,
        "trial",
        50,
        None,
        None,
    )
    gaps = statistics(report, "far")
    assert gaps["maximum"].value == 0.5
    assert (gaps["maximum"].highest, gaps["maximum"].lowest) == ("gender=c", "gender=b")
    assert gaps["minimum"].value == 0.1
    assert gaps["range"].value == pytest.approx(0.4)
    assert gaps["ratio"].value == pytest.approx(5.0)
    # .1 + .2 + .5 with differences .1, .3 and .4: .8 / (2 x .8)
    assert gaps["gini"].value == pytest.approx(0.5)
    assert gaps["maximum_to_geometric_mean"].value == pytest.approx(0.5 / 0.01 ** (1 / 3))
    both = statistics(report, None)
    # FRR 6/40, 12/40 and 8/20: range .25
    assert both["equalised_odds"].value == pytest.approx(0.4)
    frr_gini = (0.15 + 0.25 + 0.1) / (2 * 0.85)
    assert both["garbe"].value == pytest.approx(0.5 * 0.5 + 0.5 * frr_gini)
    assert both["garbe"].alpha == 0.5


def test_values_are_those_of_the_breakdown(tmp_path: Path) -> None:
    report = build(tmp_path, rows_of(COUNTS), f"{FIXED}across: gender\nby: [gender]", *PLAIN)
    broken_down = {row.group: row for row in report.rows(METRICS) if row.measure == "far" and row.group}
    for group, row in by_group(report, "far").items():
        theirs = broken_down[group]
        assert (row.value, row.misses, row.false_alarms) == (theirs.value, theirs.misses, theirs.false_alarms)
        assert (row.ci_low, row.ci_high, row.ci_method) == (theirs.ci_low, theirs.ci_high, theirs.ci_method)


def test_a_reference_group(tmp_path: Path) -> None:
    report = built(tmp_path, rows_of(COUNTS), "{columns: gender, reference: b, measures: [frr], alpha: 0.2}")
    frr = by_group(report, "frr")
    assert {row.measure for row in report.rows(GROUP_METRICS)} == {"frr"}
    assert (frr["gender=b"].difference, frr["gender=b"].status) == (None, None)
    assert frr["gender=a"].difference == pytest.approx(6 / 40 - 12 / 40)
    assert frr["gender=a"].against == "gender=b"
    assert frr["gender=a"].other == 12 / 40
    assert not statistics(report, None)  # FAR is not among the measures


def test_crossings_are_named_as_in_breakdowns(tmp_path: Path) -> None:
    rows = [row | {"site": "x" if at % 2 else "y"} for at, row in enumerate(rows_of(COUNTS))]
    report = built(tmp_path, rows, "[[site, gender]]")
    names = list(by_group(report, "far"))
    assert names[0] == "gender=a,site=x"
    first = by_group(report, "far")["gender=a,site=x"]
    assert (first.group_columns, first.group_values) == (["gender", "site"], ["a", "x"])
    assert len(names) == 6


@pytest.mark.parametrize(
    ("counts", "left_out"),
    [
        ((3, 9, 10, 50), {"frr": "few_units", "far": None, "hter": "few_units"}),
        # 26 of 100 targets are missed: 18 would miss 4.7
        ((6, 18, 10, 50), {"frr": "few_errors", "far": None, "hter": "few_errors"}),
        ((0, 0, 10, 50), {"frr": "no_targets", "far": None, "hter": "no_targets"}),
        ((6, 40, 0, 0), {"frr": None, "far": "no_nontargets", "hter": "no_nontargets"}),
    ],
)
def test_small_groups_are_left_out_by_rule(
    tmp_path: Path, counts: tuple[int, int, int, int], left_out: dict[str, str | None]
) -> None:
    others = {"b": (20, 82, 10, 50), "c": (20, 82, 20, 50)}
    across = "{columns: gender, measures: [far, frr, hter]}"
    report = built(tmp_path, rows_of({"a": counts} | others), across)
    for measure, why in left_out.items():
        row = by_group(report, measure)["gender=a"]
        assert (row.left_out, row.status) == (why, why)
        assert (row.joint_low is None) == (why is not None)
        gaps = statistics(report, measure)["range"]
        assert (gaps.n_groups, gaps.n_left_out) == (3 - (why is not None), int(why is not None))


def test_a_group_without_errors_takes_part(tmp_path: Path) -> None:
    report = built(tmp_path, rows_of(COUNTS | {"a": (0, 40, 0, 50)}))
    row = by_group(report, "far")["gender=a"]
    assert (row.value, row.left_out, row.difference_high < 0) == (0.0, None, True)
    assert row.joint_high > row.ci_high > 0
    gaps = statistics(report, "far")
    assert (gaps["ratio"].value, gaps["ratio"].status) == (None, "zero_rate")
    assert gaps["range"].value == 0.5
    assert gaps["gini"].value is not None


def test_one_group_has_no_contrast(tmp_path: Path) -> None:
    report = built(tmp_path, rows_of({"a": (6, 40, 10, 50)}))
    row = by_group(report, "far")["gender=a"]
    assert (row.value, row.difference, row.status) == (0.2, None, "one_group")
    assert {gap.status for gap in report.rows(DISPARITIES)} == {"one_group"}
    assert row.joint_low == pytest.approx(row.ci_low, abs=0.05)


def test_a_reference_that_is_too_small(tmp_path: Path) -> None:
    counts = COUNTS | {"b": (2, 5, 2, 5)}
    report = built(tmp_path, rows_of(counts), "{columns: gender, reference: b}")
    rows = by_group(report, "far")
    assert rows["gender=a"].status == "reference_left_out"
    assert rows["gender=b"].status == "few_units"
    assert rows["gender=a"].joint_low is not None


def test_a_reference_that_is_nowhere(tmp_path: Path) -> None:
    report = built(tmp_path, rows_of(COUNTS), "{columns: gender, reference: B}")
    with pytest.raises(ConfigError, match=r"reference group 'gender=B'; did you mean 'gender=b'\?"):
        _ = report.frames


def test_a_column_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="gendre"):
        _ = built(tmp_path, rows_of(COUNTS), "gendre").frames


def test_too_many_groups(tmp_path: Path) -> None:
    rows = rows_of({f"g{at}": (0, 1, 0, 1) for at in range(501)})
    with pytest.raises(ConfigError, match=r"across: 'gender' would make 501 groups; at most 500"):
        _ = built(tmp_path, rows).frames


def test_two_models(tmp_path: Path) -> None:
    better = {"a": (5, 40, 10, 50), "b": (5, 40, 9, 50), "c": (3, 20, 8, 40)}
    rows = rows_of(COUNTS) + rows_of(better, "N")
    report = built(tmp_path, rows, "gender", "significance.replicates=499")
    compared = [row for row in report.rows(DISPARITY_COMPARISONS) if row.measure == "far"]
    gap = next(row for row in compared if row.statistic == "range")
    assert (gap.model, gap.baseline, gap.group, gap.n_groups) == ("N", "M", "", 3)
    assert gap.value == pytest.approx(0.02)
    assert gap.value_baseline == pytest.approx(0.4)
    assert gap.difference == pytest.approx(-0.38)
    assert gap.low < gap.difference < gap.high < 0
    of_c = next(row for row in compared if row.group == "gender=c")
    assert of_c.value == pytest.approx(8 / 40 - 19 / 100)
    assert of_c.value_baseline == pytest.approx(20 / 40 - 15 / 100)
    assert of_c.difference == pytest.approx(of_c.value - of_c.value_baseline)
    assert of_c.high < 0


def test_models_without_shared_trials_are_refused(tmp_path: Path) -> None:
    rows = [
        {name: value for name, value in row.items() if name != "trial"}
        for row in rows_of(COUNTS) + rows_of(COUNTS, "N")
    ]
    with pytest.raises(DataError, match="needs a trial key too"):
        _ = built(tmp_path, rows).frames


GROUPS = st.lists(
    st.tuples(st.integers(0, 15), st.integers(15, 30), st.integers(0, 15), st.integers(15, 30)),
    min_size=2,
    max_size=4,
)


@settings(max_examples=6)
@given(GROUPS, st.integers(0, 9))
def test_names_of_groups_and_order_of_rows_do_not_matter(
    tmp_path_factory: pytest.TempPathFactory, groups: list[tuple[int, int, int, int]], seed: int
) -> None:
    counts = {"abcd"[at]: each for at, each in enumerate(groups)}
    rows = rows_of(counts)
    turned = [row | {"gender": "ponm"["abcd".index(row["gender"])]} for row in rows]
    np.random.default_rng(seed).shuffle(turned)
    first, second = (built(tmp_path_factory.mktemp("t"), each) for each in (rows, turned))
    numbers = [name for name, kind in GROUP_METRICS.schema.items() if kind == pl.Float64]
    one, other = (each.frames["group_metrics"].sort("measure", "group") for each in (first, second))
    renamed = other.with_columns(
        pl.col("group").replace({f"gender={b}": f"gender={a}" for a, b in zip("abcd", "ponm", strict=True)})
    ).sort("measure", "group")
    for name in numbers:
        assert one[name].to_list() == pytest.approx(renamed[name].to_list(), nan_ok=True, abs=1e-9), name
    for a, b in zip(first.rows(DISPARITIES), second.rows(DISPARITIES), strict=True):
        assert (a.statistic, a.status) == (b.statistic, b.status)
        assert [a.value, a.low, a.high] == pytest.approx([b.value, b.low, b.high], abs=1e-5)


def test_swapped_models_turn_every_comparison(tmp_path: Path) -> None:
    other = {"a": (3, 40, 14, 50), "b": (9, 40, 9, 50), "c": (9, 20, 9, 40)}
    frames = []
    for name, baseline in (("one", "M"), ("two", "N")):
        rows = rows_of(COUNTS) + rows_of(other, "N")
        report = built(tmp_path / name, rows, "gender", f"baseline={baseline}")
        frames.append({(r.measure, r.statistic, r.group): r for r in report.rows(DISPARITY_COMPARISONS)})
    first, second = frames
    assert first.keys() == second.keys()
    for key, row in first.items():
        turned = second[key]
        assert [row.difference, row.low, row.high] == pytest.approx(
            [-turned.difference, -turned.high, -turned.low]
        )


def test_clusters_that_span_groups_are_drawn_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for speaker in range(30):
        easy = rng.random() < 0.5
        for group in "ab":
            for at in range(8):
                score = 0.9 if easy else float(rng.choice([0.1, 0.9]))
                key = {"trial": f"{speaker}{group}{at}", "speaker": f"s{speaker}"}
                rows.append(
                    {"model": "M", "label": 0, "score": score, "gender": group, "split": "test"} | key
                )
                rows.append(rows[-1] | {"label": 1, "score": 0.9, "trial": f"t{speaker}{group}{at}"})
    clustered = "trials.columns.cluster=speaker"
    across = "{columns: gender, measures: [far]}"
    spanning = built(tmp_path / "a", rows, across, clustered, "significance.replicates=999")
    apart = [row | {"speaker": row["speaker"] + row["gender"]} for row in rows]
    nested = built(tmp_path / "b", apart, across, clustered, "significance.replicates=999")
    one, other = (by_group(each, "far")["gender=a"] for each in (spanning, nested))
    assert (one.unit, one.n_units, one.value) == ("cluster", 30, other.value)
    # What a speaker brings to both groups cancels in their difference, and only there.
    width, nested_width = (each.difference_high - each.difference_low for each in (one, other))
    assert width < 0.7 * nested_width
    joint, nested_joint = (each.joint_high - each.joint_low for each in (one, other))
    assert joint == pytest.approx(nested_joint, rel=0.1)


def test_runs_are_averaged(tmp_path: Path) -> None:
    second = {"a": (8, 40, 20, 50), "b": (12, 40, 7, 50), "c": (8, 20, 22, 40)}
    rows = rows_of(COUNTS, run="1") + rows_of(second, run="2")
    row = by_group(built(tmp_path, rows), "far")["gender=a"]
    assert (row.run, row.value, row.misses) == ("mean", pytest.approx(0.3), None)
    assert row.difference == pytest.approx(0.3 - (25 / 90 + 29 / 90) / 2)
    assert row.ci_method == "percentile" or row.ci_low < row.value < row.ci_high


def test_weights_of_strata_weigh_groups(tmp_path: Path) -> None:
    rows = [row | {"kind": "heavy" if row["trial"].endswith("1") else "light"} for row in rows_of(COUNTS)]
    weights = "trials.weights={stratum: {heavy: 2, light: 1}}"
    report = built(tmp_path, rows, "gender", "trials.columns.stratum=kind", weights)
    row = by_group(report, "far")["gender=a"]
    in_a = [r for r in rows if r["gender"] == "a" and not r["label"]]
    weight = [2 if r["kind"] == "heavy" else 1 for r in in_a]
    wrong = sum(w for w, r in zip(weight, in_a, strict=True) if r["score"] > 0.5)
    assert row.value == pytest.approx(wrong / sum(weight))
    assert (row.false_alarms, row.n_nontarget) == (10, 50)


def test_a_report_without_groups_has_none_of_the_frames(tmp_path: Path) -> None:
    report = build(tmp_path, rows_of(COUNTS), FIXED, *PLAIN)
    assert not {"group_metrics", "disparities", "disparity_comparisons"} & report.frames.keys()
    assert not math.isnan(sum(row.value or 0.0 for row in report.rows(METRICS)))
