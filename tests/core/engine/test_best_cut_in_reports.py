"""Intervals at the best cut, from the config to the frames: datasets, groups, runs, clusters, weights."""

import numpy as np
import pytest
from build import build

from reporting.document.frames.metrics import METRICS

ASKED = """\
measures: [eer, "mindcf(p_target=0.1)", ks, dprime, mincprimary]
criteria: [min_hter]
epc: none
"""
KEYS = ("eer_rocch", "mindcf(p_target=0.1)", "ks", "dprime", "mincprimary")


def table(n=120, **columns):
    rng = np.random.default_rng(1)
    rows = []
    for split in ("dev", "test"):
        for i in range(n):
            label = i % 3 == 0
            rows.append(
                {"model": "a", "split": split, "trial": f"{split}{i}", "label": label}
                | {"score": round(float(rng.normal() + 1.5 * label), 1), "sex": "fm"[i % 2]}
                | {"speaker": f"s{i % 24}", "heard": f"s{(i * 7 + 3) % 24}", "corpus": "xy"[i % 4 // 2]}
            )
    return rows


def rows_of(folder, config="", *overrides, rows=None):
    trials = "trials: {source: trials.parquet, columns: {%s}}\n"
    built = build(folder, rows or table(), trials % config + ASKED, *overrides)
    return [row for row in built.rows(METRICS) if row.split == "test" and row.measure in KEYS]


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ("", ""),
        ("", "significance.intervals=procedure"),
        ("cluster: speaker", ""),
        ("cluster: [speaker, heard]", ""),
        ("dataset: corpus", ""),
        ("", "by=[sex]"),
    ],
)
def test_every_row_has_its_interval_at_the_best_cut(tmp_path, columns, more):
    found = rows_of(tmp_path, columns, *filter(None, [more]))
    assert {row.measure for row in found} == set(KEYS)
    for row in found:
        assert row.ci_method == ("best_cut_clustered" if columns == "cluster: speaker" else "best_cut"), row
        assert row.ci_low < row.value < row.ci_high
        assert (row.replicates, row.level) == (99, 0.95)
    parts = {"dataset: corpus": 2, "by=[sex]": 3}
    assert len({(row.dataset, row.group) for row in found}) == parts.get(columns or more, 1)


def test_another_method_is_taken_where_it_is_asked_for(tmp_path):
    assert {row.ci_method for row in rows_of(tmp_path, "", "significance.interval=percentile")} == {
        "percentile"
    }


OPTIMA = "[auch, h_measure, max_f1, max_mcc, min_corner, mincllr, minece]"


@pytest.mark.parametrize("columns", ["", "cluster: speaker", "cluster: [speaker, heard]"])
def test_optima_are_corrected_on_one_side_and_other_methods_are_not(tmp_path, columns):
    """Whatever replicates add to an optimum lies on the other side of its value."""
    trials = f"trials: {{source: trials.parquet, columns: {{{columns}}}}}\n"
    nearer = [row | {"score": row["score"] - 0.8 * row["label"]} for row in table()]
    built = build(tmp_path, nearer, f"{trials}measures: {OPTIMA}\ncriteria: [min_hter]\nepc: none\n")
    rows = [row for row in built.rows(METRICS) if row.split == "test" and row.criterion is None]
    assert len(rows) == 7
    for row in rows:
        assert row.ci_method == "held_cut", row
        assert row.ci_low < row.value < row.ci_high
        assert row.optimism > 0
        long = row.value - row.ci_low, row.ci_high - row.value
        better = row.measure.startswith(("auch", "h_", "max"))
        assert (long[0] > row.optimism) if better else (long[1] > row.optimism)


def test_the_interval_of_a_hull_with_few_errors_is_withheld(tmp_path):
    rows = [row | {"score": row["score"] + 2.5 * row["label"]} for row in table()]
    built = build(tmp_path, rows, f"measures: {OPTIMA}\ncriteria: [min_hter]\nepc: none\n")
    found = {row.measure: row for row in built.rows(METRICS) if row.split == "test" and row.criterion is None}
    for key in ("auch", "mincllr", "minece"):
        assert found[key].ci_low is found[key].ci_method is None
        assert "interval_withheld" in found[key].flags
    assert found["h_measure"].ci_method == "held_cut"
    assert "interval_withheld" not in found["h_measure"].flags


def test_means_over_runs_of_one_model(tmp_path):
    seeds = [
        row | {"run": run, "score": row["score"] + 0.1 * (i * step % 7)}
        for run, step in (("0", 1), ("1", 3))
        for i, row in enumerate(table())
    ]
    found = rows_of(tmp_path, "run: run", rows=seeds)
    mean = {row.measure: row for row in found if row.run == "mean"}
    assert set(mean) == set(KEYS)
    for row in mean.values():
        runs = [each for each in found if each.run != "mean" and each.measure == row.measure]
        assert row.ci_method == "best_cut"
        assert row.value == pytest.approx(np.mean([each.value for each in runs]))
        assert row.ci_low < row.value < row.ci_high
        assert row.ci_low >= np.mean([each.ci_low for each in runs]) - 1e-12


def test_percentiles_of_youden_s_index_are_those_of_proc(tmp_path):
    """pROC 1.18.0, ci.coords(x="best", ret="youden"), 20,000 resamples by class: .425 to .642, median .533.

    The index of these trials is .5125: its percentiles lie too high, as half of its optimism is in every
    resample. The report's own interval reaches lower.
    """
    rng = np.random.default_rng(3)
    label = np.repeat([1, 0], [80, 120])
    score = (rng.normal(size=200) + 1.5 * label).round(1)
    rows = [
        {"model": "a", "split": split, "trial": f"{split}{i}", "label": int(label[i]), "score": score[i]}
        for split in ("dev", "test")
        for i in range(200)
    ]
    config = (
        "measures: [ks]\ncriteria: [min_hter]\nepc: none\nsignificance: {stratify: label, interval: %s}\n"
    )

    def interval(method):
        more = "significance.replicates=4000"
        built = build(tmp_path / method, rows, config % method, more)
        (row,) = (row for row in built.rows(METRICS) if row.split == "test" and row.measure == "ks")
        return row.value, row.ci_low, row.ci_high

    value, low, high = interval("percentile")
    assert value == pytest.approx(0.5125)
    assert (low, high) == pytest.approx((0.425, 0.642), abs=0.01)
    _, own_low, own_high = interval("auto")
    assert own_low < low - 0.02
    assert own_high < high + 0.02
