"""Tables of one row a model: rank order, intervals beneath, groups of rows, and no column that says nothing."""

import dataclasses
import itertools

import numpy as np
import polars as pl
import pytest
from build import build, trials_of
from reading import column, section, table
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.measures.sweep import AUC, EER_ROCCH
from reporting.core.measures.threshold import FAR, FRR, HTER, PRECISION
from reporting.document.blocks import UNDEFINED
from reporting.document.frames.metrics import METRICS
from reporting.document.words.tables import by_width
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.costs.dcf import DCF
from reporting.features.epc.exact_frames import AREAS

FIVE = tuple(f"TC{number}" for number in range(1, 6))


def texts(cells):
    return [cell.text for cell in cells]


def metric(results, **where):
    return results.frame(METRICS).row(
        by_predicate=pl.all_horizontal(pl.col(name) == value for name, value in where.items()), named=True
    )


@pytest.fixture(scope="module")
def results():
    return simulate(World(models=FIVE, measures=(FAR, FRR, HTER, PRECISION, EER_ROCCH, AUC)))


@pytest.fixture(scope="module")
def report(results):
    return compose(results)


def test_every_table_has_the_models_in_rank_order(results, report):
    ranked = [views(results)[0].names[model] for model in views(results)[0].ranked]
    assert ranked != list(FIVE)
    for name in ("operating_points_1", "other_measures"):
        assert texts(column(table(report, name), "model"))[:5] == ranked


def test_operating_points_show_rates_with_intervals_beneath_and_counts_beside(results, report):
    found = table(report, "operating_points_1")
    assert [c.title for c in found.columns] == [
        "model", "FAR", "false alarms", "FRR", "misses", "HTER", "threshold", "HTER, development set"
    ]  # fmt: skip
    assert not found.folded
    assert found.row_groups == ()
    assert len(found.rows) == 5
    row = metric(
        results, model=views(results)[0].ranked[0], split="test", measure="far", criterion="min_hter"
    )
    rate, alarms = column(found, "FAR")[0], column(found, "false alarms")[0]
    assert float(rate.text) == pytest.approx(100 * row["value"], abs=0.005)
    low, high = (float(end) for end in rate.beneath.strip("[]").split(", "))
    assert (low, high) == pytest.approx((100 * row["ci_low"], 100 * row["ci_high"]), abs=0.005)
    assert alarms.text == str(row["false_alarms"])
    assert [c.unit for c in found.columns][1:5] == ["%", "of 700", "%", "of 300"]


def test_rates_and_their_mean_share_their_decimals(report):
    found = table(report, "operating_points_1")
    decimals = {
        len(cell.text.partition(".")[2]) for title in ("FAR", "FRR", "HTER") for cell in column(found, title)
    }
    assert len(decimals) == 1


@pytest.mark.parametrize("name", ["operating_points_1", "operating_points_tuned"])
def test_thresholds_have_four_significant_digits_each_whatever_the_others_are(results, name):
    first = results.models[0]
    moved = pl.when(pl.col("model") == first).then(1000 * pl.col("threshold") + 12.34567).otherwise(0.205134)
    metrics_ = results.frame(METRICS).with_columns(
        threshold=pl.when(pl.col("threshold").is_not_null()).then(moved)
    )
    cells = column(table(compose(results.with_frames({METRICS: metrics_})), name), "threshold")
    assert {text for text in texts(cells) if text.startswith("0.2")} == {"0.2051"}


def test_other_criteria_and_thresholds_tuned_on_test_are_folded_under_groups_of_rows(report):
    other, tuned = table(report, "operating_points_2"), table(report, "operating_points_tuned")
    assert other.folded
    assert tuned.folded
    assert "set on the development set (EER)" in other.caption
    assert [place for place, _ in tuned.row_groups] == [0, 5]
    assert all(
        "set on the test set itself (" in title and title.endswith(", optimistic)")
        for _, title in tuned.row_groups
    )
    assert all(not cell.beneath for row in tuned.rows for cell in row)
    assert "Thresholds tuned on the test set are optimistic" in "\n".join(tuned.notes)


def test_other_measures_have_a_column_each_and_no_rate_that_stands_above(report):
    sweep, further = table(report, "other_measures"), table(report, "other_measures_2")
    assert [c.title for c in sweep.columns] == ["model", "EER", "AUC"]
    assert sweep.row_groups == ((0, "Test set"), (5, "Development set"))
    assert all(cell.beneath for row in sweep.rows[:5] for cell in row[1:])
    assert [c.title for c in further.columns] == ["model", "precision"]
    assert [place for place, _ in further.row_groups] == [0, 5]
    assert section(report, "other-measures").folded


def test_counts_stand_behind_a_rate_only_where_they_make_it(results, report):
    cell = column(table(report, "other_measures_2"), "precision")[0]
    row = metric(
        results, model=views(results)[0].ranked[0], split="test", measure="precision", criterion="min_hter"
    )
    hits = row["n_target"] - row["misses"]
    assert cell.text.endswith(f" ({hits}/{hits + row['false_alarms']})")
    weighted = compose(dataclasses.replace(results, weights={"a": 1, "b": 2}))
    assert not any("/" in c.text for c in column(table(weighted, "other_measures_2"), "precision"))


def test_a_wide_list_is_parted_evenly():
    assert [len(part) for part in by_width(range(7))] == [7]
    assert [list(part) for part in by_width(range(9))] == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]
    assert by_width([]) == []


def trials(models="ab", n=60, seed=1, dev=True):
    rng = np.random.default_rng(seed)
    rows = []
    for split, i in itertools.product(("dev", "test") if dev else ("test",), range(n)):
        label = i % 2 == 0
        about = {
            "trial": f"{split}{i}",
            "split": split,
            "label": label,
            "site": "north" if i % 3 else "south",
        }
        for at, model in enumerate(models):
            rows.append(about | {"model": model, "score": float(rng.normal() + (1 + at) * label)})
    return rows


CONFIG = """
    by: [site]
    measures: [far, frr, hter, auc]
    operating_points: [{name: strict, p_target: 0.01, c_miss: 10}, {name: lax, p_target: 0.5}]
    epc: {criteria: [weighted_error, target_far], measures: [hter, weighted_error], bounds: [0.2, 0.8]}
    """


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("wide"), trials("abc"), CONFIG)


@pytest.fixture(scope="module")
def built_report(built):
    return compose(built.results)


def test_a_breakdown_has_a_row_a_group_and_a_column_a_model(built, built_report):
    found = table(built_report, "breakdown_1")
    ranked = views(built.results)[0].ranked
    assert [c.title for c in found.columns] == ["site", "targets", "non-targets", *ranked]
    assert texts(column(found, "site")) == ["all trials", "north", "south"]
    assert not any("site=" in cell.text for row in found.rows for cell in row)
    for group, cells in zip(("", "site=north", "site=south"), found.rows, strict=True):
        for model, cell in zip(ranked, cells[3:], strict=True):
            there = metric(
                built.results, model=model, group=group, split="test", measure="hter", criterion="min_hter"
            )
            assert cell.order == there["value"]
            assert bool(cell.beneath) == (there["ci_low"] is not None)


def test_detection_costs_are_one_table_with_a_group_of_rows_for_each_point(built, built_report):
    (found,) = section(built_report, "costs").blocks
    assert [title for _, title in found.row_groups] == [
        "strict (prior 1%, miss cost 10, false alarm cost 1)",
        "lax (prior 50%, miss cost 1, false alarm cost 1)",
    ]
    assert [c.title for c in found.columns] == [
        "model", "actual DCF, threshold set on development", "minimum DCF"
    ]  # fmt: skip
    snapshot(
        "features/wide_tables_detection_costs_are_one_table_with_a_group_of_rows_for_each_point",
        found.caption,
    )
    rows = built.results.frame(DCF).filter(split="test", threshold_source="dev", group="")
    for (place, _), name in zip(found.row_groups, ("strict", "lax"), strict=True):
        for line in found.rows[place : place + 3]:
            (there,) = rows.filter(name=name, model=line[0].text).to_dicts()
            assert line[1].order == there["actual"]
            assert line[2].order == there["minimum"]


def test_no_gap_is_printed_where_thresholds_of_test_are_no_bound(built, built_report):
    (found,) = section(built_report, "areas").blocks
    assert [title for _, title in found.row_groups] == [
        "Thresholds by minimum weighted error",
        "Thresholds by target FAR",
    ]
    columns = list(zip(found.columns, *found.rows, strict=True))
    assert [c.group for c, *_ in columns] == [
        "", *["HTER (%), [0, 1]"] * 2, *["HTER (%), [0.2, 0.8]"] * 2,
        *["weighted error (%), [0, 1]"] * 3, *["weighted error (%), [0.2, 0.8]"] * 3,
    ]  # fmt: skip
    for head, *cells in columns[1:]:
        shown = [bool(cell.text) for cell in cells]
        if head.title == "gap":
            assert shown == [True] * 3 + [False] * 3
            assert all(cell.order >= -1e-12 for cell in cells[:3])
        else:
            assert shown == [not head.group.startswith("HTER")] * 3 + [True] * 3
    there = built.results.frame(AREAS).filter(
        criterion="weighted_error", measure="weighted_error", low=0.0, high=1.0, group=""
    )
    mean = dict(there.select("model", "mean").rows())
    ranked = views(built.results)[0].ranked
    assert [cell.order for cell in columns[5][1:4]] == [mean[model] for model in ranked]
    assert built.results.frame(AREAS).filter(measure="hter", criterion="weighted_error").height


def test_folds_have_thresholds_and_no_column_of_dashes(tmp_path):
    built = build(tmp_path, trials(dev=False), "thresholds: {policy: kfold, folds: 5}")
    report = compose(built.results)
    found = table(report, "operating_points_1")
    assert [c.title for c in found.columns] == ["model", "FAR", "false alarms", "FRR", "misses", "HTER"]
    assert "Omitted: threshold (each of the 5 folds has its own)." in found.notes
    assert "no threshold was chosen" not in str(report)
    assert "set each threshold on all other folds" in str(report)
    assert "set each threshold on the development set" not in str(report)
    for each in section(report, "other-measures").blocks:
        assert not any(group == "Development set" for _, group in each.row_groups)
        for place in range(1, len(each.columns)):
            assert any(row[place].text != UNDEFINED for row in each.rows)


def test_the_interpolated_eer_is_named_where_a_printed_digit_differs(results, tmp_path):
    lines = [
        "t1 a {s} 1 4", "t2 a {s} 0 3", "t3 a {s} 1 2", "t4 a {s} 0 1", "t5 a {s} 1 5", "t6 a {s} 0 0",
        "t1 b {s} 1 4", "t2 b {s} 0 1", "t3 b {s} 1 3", "t4 b {s} 0 2", "t5 b {s} 1 5", "t6 b {s} 0 0",
    ]  # fmt: skip
    rows = trials_of(*(line.format(s=split) for split in ("dev", "test") for line in lines))
    asked = "measures: [hter, eer_rocch, eer_interp]"
    both = build(tmp_path / "both", rows, asked).results
    values = {
        each: metric(both, model="a", split="test", measure=each)["value"]
        for each in ("eer_rocch", "eer_interp")
    }
    assert values["eer_rocch"] < values["eer_interp"]
    built = build(tmp_path / "one", rows, "measures: [hter, eer_rocch]")
    (note,) = [
        note for note in table(compose(built.results), "other_measures").notes if "convex hull" in note
    ]
    shown = views(built.results)[0].printing(EER_ROCCH).value_with_unit(values["eer_interp"])
    assert note.endswith(f"many papers quote it: a {shown}.")
    row = metric(built.results, model="a", split="test", measure="eer_rocch")
    assert row["along_curve"] == values["eer_interp"]
    assert "convex hull" not in str(table(compose(both), "other_measures").notes)
    first = build(tmp_path / "first", rows, "primary: {measure: eer_rocch}\nmeasures: [eer_rocch]").results
    assert note in table(compose(first), "summary").notes


def test_several_datasets_are_groups_of_rows_in_one_table():
    results = simulate(World(models=("a", "b"), datasets=("x", "y"), pictures=False))
    report = compose(results)
    found = table(report, "operating_points_1")
    assert found.row_groups == ((0, "x"), (2, "y"))
    assert all("/" in cell.text for cell in column(found, "misses"))
    both = table(report, "other_measures")
    assert [title for _, title in both.row_groups] == [
        "x: Test set", "x: Development set", "y: Test set", "y: Development set"
    ]  # fmt: skip
    ranked = [view.names[model] for view in views(results) for model in view.ranked]
    assert texts(column(found, "model")) == ranked
    lacking = results.frame(METRICS).with_columns(
        value=pl.when((pl.col("dataset") == "y") & (pl.col("measure") == "auc")).then(None).otherwise("value")
    )
    told = [note for note in both.notes if note.startswith(("x: ", "y: "))]
    assert len(told) == len(set(told))
    apart = section(compose(results.with_frames({METRICS: lacking})), "other-measures")
    assert [part.title for part in apart.blocks] == ["x", "y"]
