"""The section of moved thresholds: its sentence, its numbers, its reasons, and when there is none."""

import dataclasses
import itertools
import re

import numpy as np
import polars as pl
import pytest
from build import build
from simulated_results import World, simulate

from reporting.core.measures.threshold import PRECISION
from reporting.document.blocks import Prose, Report, Table
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.transfer import TRANSFER
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.features.transfer.frame import transfer_rows
from reporting.features.transfer.section import transfer
from reporting.render.formats import render_all

DATASETS = ("x", "y", "z")


def row(model, dev, test, numbers, asked=("threshold", "min_hter", "hter"), status=None):
    """A row from value, own value, value a posteriori, and that of the choosing dataset at home."""
    value, own, best, at_home = numbers
    over, criterion, measure = asked

    def less(one, other):
        return None if None in (one, other) else one - other

    return {
        "model": model, "run": "0", "dev_dataset": dev, "test_dataset": test,
        "over": over, "criterion": criterion, "measure": measure,
        "value": value, "value_own": own, "value_oracle": best,
        "cost": less(value, own), "threshold_shift": less(value, best), "discrimination": less(best, at_home),
        "status": status,
    }  # fmt: skip


def moved_rows(models, datasets, seed=0, asked=("threshold", "min_hter", "hter")):
    """Values in whole percent that fit each other."""
    rng = np.random.default_rng(seed)
    rows = []
    for model in models:
        best = {d: rng.integers(5, 30) / 100 for d in datasets}
        own = {d: best[d] + rng.integers(0, 4) / 100 for d in datasets}
        for dev, test in itertools.product(datasets, datasets):
            value = own[test] if dev == test else best[test] + rng.integers(0, 20) / 100
            rows.append(row(model, dev, test, (value, own[test], best[test], best[dev]), asked))
    return rows


AREA = ("area", "weighted_error", "weighted_error")


def simulated(models=("A", "B"), datasets=DATASETS, rows=None, **world):
    small = World(
        models=models, datasets=datasets, n_target=40, n_nontarget=60, alphas=3, pictures=False, **world
    )
    rows = moved_rows(models, datasets) + moved_rows(models, datasets, 1, AREA) if rows is None else rows
    return simulate(small).with_frames({TRANSFER: TRANSFER.build(rows)})


def of(results, kind):
    section = transfer(results)
    return [block for block in section.blocks if isinstance(block, kind)]


def number(text):
    return float(text.replace("−", "-"))


def test_a_report_without_the_frame_or_with_an_empty_one_has_no_section():
    results = simulate(World(datasets=DATASETS, pictures=False, n_target=20, n_nontarget=20))
    assert transfer(results) is None
    assert transfer(results.with_frames({TRANSFER: TRANSFER.build([])})) is None


def moves(table):
    """Return the rows by choosing dataset, judged dataset and model."""
    starts = dict(table.row_groups)
    found, here = {}, None
    for place, line in enumerate(table.rows):
        here = starts.get(place, here)
        dev, test = re.fullmatch(r"Thresholds from (.*), tested on (.*)", here).groups()
        found[dev, test, line[0].text] = line[1:]
    return found


def test_every_number_of_the_tables_is_that_of_the_frame():
    results = simulated()
    tables = of(results, Table)
    assert [t.name for t in tables] == ["transfer_thresholds", "transfer_areas"]
    for table, over in zip(tables, ("threshold", "area"), strict=True):
        titles = [column.title for column in table.columns]
        assert titles[0] == "model"
        assert titles[2:] == ["own thresholds", "cost", "threshold shift", "discrimination"]
        frame = results.frame(TRANSFER).filter(over=over)
        lines = moves(table)
        assert set(lines) == {
            (dev, test, model) for dev, test in itertools.permutations(DATASETS, 2) for model in "AB"
        }
        for (dev, test, model), line in lines.items():
            (there,) = frame.filter(dev_dataset=dev, test_dataset=test, model=model).to_dicts()
            for cell, name in zip(
                line, ("value", "value_own", "cost", "threshold_shift", "discrimination"), strict=True
            ):
                assert number(cell.text) == pytest.approx(100 * there[name], abs=0.05 + 1e-9)
                assert cell.order == pytest.approx(there[name], abs=1e-12)
            assert "−0.0" not in [c.text for c in line]


def test_models_stand_in_rank_order_under_each_move():
    results = simulated()
    (view, *_) = views(results)
    (table, _) = of(results, Table)
    ranked = [view.names[model] for model in view.ranked]
    names = [line[0].text for line in table.rows]
    assert names == ranked * (len(names) // len(ranked))


def test_a_value_is_printed_as_everywhere_else_on_the_judged_dataset():
    results = simulated()
    without = pl.when(pl.col("dataset") != "x").then
    bare = results.frame(METRICS).with_columns(ci_low=without("ci_low"), ci_high=without("ci_high"))
    flat = results.frame(COMPARISONS).filter(pl.col("dataset") != "x")
    results = results.with_frames({METRICS: bare, COMPARISONS: flat})
    (table, _) = of(results, Table)
    found = {}
    for view in views(results):
        decimals = found[view.dataset] = view.printing(view.study.primary.measure).decimals
        mine = [line for (_, test, _), line in moves(table).items() if test == view.dataset]
        assert {len(cell.text.partition(".")[2]) for line in mine for cell in line} == {decimals}
    assert found["x"] != found["y"]


def test_the_sentence_names_the_costliest_move():
    own = {"x": 0.2, "y": 0.3}
    dear = {("A", "x", "y"): 0.35, ("B", "y", "x"): 0.41}
    rows = [
        row(m, a, b, (dear.get((m, a, b), own[b]), own[b], 0.1, 0.1))
        for m in "AB"
        for a in "xy"
        for b in "xy"
    ]
    results = simulated(datasets=("x", "y"), rows=rows)
    (said,) = of(results, Prose)
    assert re.fullmatch(
        r"Costliest transfer: with thresholds from y, the HTER of B on x is 41\.\d+%, against 20\.\d+%"
        r" with thresholds from x\.",
        said.text,
    )
    gained = [
        row(m, a, b, (own[b] - 0.01 * (a != b), own[b], 0.1, 0.1)) for m in "AB" for a in "xy" for b in "xy"
    ]
    (said,) = of(simulated(datasets=("x", "y"), rows=gained), Prose)
    assert said.text == "No threshold of another dataset makes the HTER worse."


def test_undefined_cells_say_why():
    nothing = (None, None, None, 0.1)
    rows = [
        row("A", "x", "x", (0.2, 0.2, 0.1, 0.1)),
        row("A", "x", "y", nothing, status="no_targets"),
        row("A", "y", "x", (0.3, None, 0.1, None)),
        row("A", "x", "z", (0.3, 0.3, None, None)),
        row("A", "z", "x", (0.3, 0.2, 0.1, 0.1)),
    ]
    results = simulated(models=("A",), rows=rows)
    (table,) = of(results, Table)
    reasons = {(dev, test): [cell.reason for cell in line] for (dev, test, _), line in moves(table).items()}
    assert reasons["z", "x"] == [""] * 5
    assert reasons["x", "y"][:1] + reasons["x", "y"][2:] == ["the set or group has no targets"] * 4
    assert reasons["y", "x"][2] == "the value with the judged dataset's own thresholds is undefined"
    assert reasons["x", "z"][3:] == [
        "no threshold is tuned on the judged test set",
        "no threshold is tuned on one of the two test sets",
    ]
    for line in table.rows:
        assert all(cell.text != "—" or cell.reason for cell in line)


def test_where_higher_is_better_the_section_says_so():
    results = simulated(models=("A",), datasets=("x", "y"), rows=[])
    study = dataclasses.replace(
        results.study,
        measures=(PRECISION,),
        primary=dataclasses.replace(results.study.primary, measure=PRECISION),
    )
    asked = ("threshold", "min_hter", "precision")
    rows = [row("A", a, b, (0.8 - 0.3 * (a != b), 0.8, 0.9, 0.9), asked) for a in "xy" for b in "xy"]
    results = dataclasses.replace(results, study=study).with_frames({TRANSFER: TRANSFER.build(rows)})
    (table,) = of(results, Table)
    assert [column.sense for column in table.columns[1:4]] == ["higher is better"] * 3
    assert of(results, Prose)[0].text.startswith("Costliest transfer")


def test_an_area_alone_has_its_table_alone():
    results = simulated(rows=moved_rows("AB", DATASETS, 2, AREA))
    (table,) = transfer(results).blocks
    assert table.name == "transfer_areas"
    assert "calibration loss" in table.notes[1]


def test_every_run_has_blocks_of_its_own():
    results = simulate(World(models=("A",), datasets=("x", "y"), n_target=20, n_nontarget=20, pictures=False))
    rows = moved_rows("A", ("x", "y"))
    twice = TRANSFER.build([r | {"run": run} for run in "01" for r in rows])
    trials = pl.concat([results.frame(TRIALS), results.frame(TRIALS).with_columns(run=pl.lit("1"))])
    results = results.with_frames({TRIALS: trials, TRANSFER: twice})
    runs = transfer(results).blocks
    assert [(one.title, one.anchor) for one in runs] == [("run 0", "transfer-1"), ("run 1", "transfer-2")]
    names = [block.name for one in runs for block in one.blocks if isinstance(block, Table)]
    assert len(names) == len(set(names)) == 2


HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "日本 Ω", "=1+1")


def test_a_table_with_hostile_datasets_and_an_empty_class_is_written_in_every_format(tmp_path):
    rows = []
    for seed, name in enumerate(HOSTILE):
        rng = np.random.default_rng(seed)
        for split, i in itertools.product(("dev", "test"), range(24)):
            label = i % 3 == 0
            if name == "=1+1" and split == "test" and label:
                continue
            key = {"model": "m", "dataset": name, "split": split, "trial": f"{split}{i}", "label": label}
            rows.append(key | {"score": float(np.round(rng.normal() + 2 * label, 1))})
    built = build(tmp_path, rows)
    moved = TRANSFER.build(list(transfer_rows(built.parts, built.study)))
    results = built.results.with_frames({TRANSFER: moved})
    section = transfer(results)
    report = Report("Moved", "", "", (section,), "")
    files = render_all(report, results.provenance, ("html", "latex", "json"), interactive=True)
    page = files["report.html"].decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "tables/transfer_thresholds.csv" in files
    judged = [line for (_, test, _), line in moves(of(results, Table)[0]).items() if test == "=1+1"]
    assert len(judged) == 3
    assert {line[0].reason for line in judged} == {"the set or group has no targets"}
