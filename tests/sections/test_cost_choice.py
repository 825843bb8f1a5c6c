"""The section of priors and costs: its sentences, picture, table and data against the frame."""

import dataclasses
import json

import polars as pl
import pytest
from simulated_parts import rows_of

from reporting.charts.winners import ALONE, MOST, OUT, TOGETHER, Map, state, winner_map
from reporting.config.read import read_plan
from reporting.counts.count import count_trials
from reporting.execution import SerialExecutor
from reporting.frames import STEPS, TRIALS, WINNERS
from reporting.frames.compute import compute_frames
from reporting.render.formats import render_all
from reporting.report.blocks import UNDEFINED, Figure, Prose, Report, Table
from reporting.run.inputs import open_trials
from reporting.run.report import gather
from reporting.sections.cost_choice import cost_choice, weight_text
from reporting.wording.view import views

THREE = ("a", "b", "c")
CONFIG = """
trials: {source: trials.parquet}
measures: [hter]
criteria: [min_hter]
curves: []
epc: {criteria: [weighted_error], measures: [weighted_error], alphas: 21}
significance: {replicates: 99, bands: none}
operating_points: [{name: rare, p_target: 0.05, c_miss: 2}]
"""
HOSTILE = ("<script>alert(1)</script>", r"a_b % & # $ ^ ~ \ { }", "]]> 中文 </td> αβ", "x" * 80)


def results_of(folder, *overrides, **table):
    folder.mkdir(exist_ok=True)
    rows = rows_of(**({"models": THREE, "step": 0.9} | table))
    pl.DataFrame(rows).write_parquet(folder / "trials.parquet")
    runs = "trials: {source: trials.parquet, columns: {run: run}}" if "runs" in table else ""
    said = CONFIG.replace("trials: {source: trials.parquet}", runs) if runs else CONFIG
    (folder / "report.yaml").write_text(said)
    plan, pool = read_plan(folder / "report.yaml", overrides), SerialExecutor()
    read = open_trials(plan)
    return gather(plan, read, compute_frames(read, count_trials(read, pool), plan.study, pool))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("choice"))


@pytest.fixture(scope="module")
def found(results):
    return winner_map(views(results)[0])


def blocks(results, kind):
    section = cost_choice(results)
    return [block for block in section.blocks if isinstance(block, kind)]


def test_cells_meet_half_way_and_reach_no_farther_than_twice_the_odds(found):
    # 0.05, 0.1, ... 0.9, (0.95 / 1.05 =) 0.90476, 0.95
    cells = dict(zip(found.alphas, found.cells, strict=True))
    assert cells[0.5] == pytest.approx((0.475, 0.525))
    assert cells[0.05] == pytest.approx((0.05 / 1.95, 0.075))
    assert cells[0.95] == pytest.approx(((0.95 + 0.95 / 1.05) / 2, 0.95 + (0.95 - 0.95 / 1.05) / 2))
    rows = found.rows.filter(pl.col("alpha").is_in([0.05, 0.5]))
    apart = Map(found.view, rows)
    assert apart.cells[0] == pytest.approx((0.05 / 1.95, 0.1 / 1.05))
    assert apart.stretches([True, True]) == apart.cells


def test_states_are_those_of_the_frame(found):
    row = found.of_model["a"][0]
    told = {(True, True): ALONE, (False, True): TOGETHER, (False, False): OUT, (None, None): None}
    for (alone, joint), wanted in told.items():
        assert state(dataclasses.replace(row, may_be_best=alone, may_be_best_joint=joint)) == wanted


def test_the_picture_shows_the_states_and_the_lowest(results, found):
    (figure,) = blocks(results, Figure)
    bars = figure.spec["datasets"]["winners_bars"]
    names = [text for _, text in figure.y_axis.ticks][::-1]
    assert names == list(THREE)
    for line, model in enumerate(THREE):
        mine = [bar for bar in bars if bar["y"] < 2.5 - line < bar["y2"]]
        lines = [bar for bar in mine if bar["y2"] - bar["y"] < 0.2]
        for alpha, lead in zip(found.alphas, found.leads(model), strict=True):
            assert any(bar["x"] < alpha < bar["x2"] for bar in lines) == lead
        fills = {}
        for alpha, what in zip(found.alphas, found.states(model), strict=True):
            (bar,) = [bar for bar in mine if bar not in lines and bar["x"] < alpha < bar["x2"]]
            assert fills.setdefault(what, bar["ink"]) == bar["ink"]
        assert sorted(fills, reverse=True) == sorted(fills, key=fills.__getitem__, reverse=True)
    json.dumps(figure.spec, allow_nan=False)


def test_one_model_has_the_lowest_value_at_every_alpha(found):
    for at, alpha in enumerate(found.alphas):
        rows = found.rows.filter(alpha=alpha)
        lead = rows.filter(pl.col("value") == rows["value"].min())["model"].to_list()
        assert [model for model in THREE if found.leads(model)[at]] == lead


def test_sentences_agree_with_the_frame(results, found):
    lowest, ruled_out = (block.text for block in blocks(results, Prose))
    n = len(found.alphas)
    assert f"Over {n} values of α" in lowest
    leads = {model: sum(found.leads(model)) for model in THREE}
    for model, count in leads.items():
        said = f"{model} at all of them" if count == n else f"{model} at {count}"
        assert (said in lowest) == bool(count)
    never = [m for m in THREE if OUT not in found.states(m)]
    assert never
    assert "at all α at once (95 % confidence)" in ruled_out
    assert f"nowhere {never[-1]}" in ruled_out or f"{never[-1]}" in ruled_out.split(";")[0]


def test_the_table_names_the_sets(results, found):
    (table,) = blocks(results, Table)
    heads = [column.title for column in table.columns]
    rows = {row[1].order: dict(zip(heads, row, strict=True)) for row in table.rows}
    assert [row[0].text for row in table.rows if row[0].text] == ["rare"]
    assert any(abs(alpha - 0.95 / 1.05) < 1e-9 for alpha in rows)
    for alpha, row in rows.items():
        frame = found.rows.filter(alpha=alpha)
        for title, column in (
            ("may be the best at this α", "may_be_best"),
            ("may be the best, all α at once", "may_be_best_joint"),
        ):
            inside = set(frame.filter(pl.col(column))["model"].to_list())
            said = row[title].text
            assert set(THREE if said == "all" else said.replace(" and ", ", ").split(", ")) == inside
        assert row["weighted error"].order == pytest.approx(100 * frame["value"].min())


def test_the_data_of_the_control_are_those_of_the_frames(results, found):
    (figure,) = blocks(results, Figure)
    data = figure.explorer
    assert data["alphas"] == pytest.approx(found.alphas)
    assert [point["name"] for point in data["points"]] == ["rare"]
    for model, told in zip(THREE, data["models"], strict=True):
        rows = found.of_model[model]
        assert told["value"] == pytest.approx([row.value for row in rows])
        assert told["state"] == [state(row) for row in rows]
        (run,) = told["runs"]
        steps = results.frame(STEPS).filter(model=model, criterion="weighted_error").sort("alpha_low")
        assert run["to"] == pytest.approx(steps["alpha_high"].to_list())
        assert run["to"][-1] == 1
        sizes = results.frame(TRIALS).filter(model=model, split="test").row(0, named=True)
        assert run["frr"] == pytest.approx((steps["misses"] / sizes["n_target"]).to_list())
        assert run["far"] == pytest.approx((steps["false_alarms"] / sizes["n_nontarget"]).to_list())


def test_the_mean_over_runs_has_the_steps_of_every_run(tmp_path):
    results = results_of(tmp_path / "runs", models=("a", "b"), runs=("1", "2"))
    section = cost_choice(results)
    figures = [block for block in _flat(section) if isinstance(block, Figure)]
    assert len(figures) == 1
    assert [len(model["runs"]) for model in figures[0].explorer["models"]] == [2, 2]


def _flat(block):
    for inner in getattr(block, "blocks", ()):
        yield inner
        yield from _flat(inner)


def test_one_model_is_shown_without_a_set(tmp_path):
    results = results_of(tmp_path / "one", models=("a",))
    said = blocks(results, Prose)[-1].text
    assert said == "Nothing is said of which models may be the best: there is one model."
    (table,) = blocks(results, Table)
    assert {row[-1].text for row in table.rows} == {UNDEFINED}
    assert blocks(results, Figure)[0].explorer["known"] is False


def test_there_is_no_section_without_the_frame(results):
    assert cost_choice(results.with_frames({WINNERS: WINNERS.empty})) is None


def test_many_models_have_the_first_rows_only(results):
    names = tuple(f"m{i:02}" for i in range(MOST + 6))
    frame = results.frame(WINNERS).filter(model="a")
    many = pl.concat([frame.with_columns(model=pl.lit(name)) for name in names])
    crowd = dataclasses.replace(results, models=names).with_frames({WINNERS: many.sort("model", "alpha")})
    (figure,) = blocks(crowd, Figure)
    assert len(figure.y_axis.ticks) == MOST
    assert f"The first {MOST} of {MOST + 6} models by rank." in figure.caption


def test_hostile_names_are_text_everywhere(tmp_path):
    results = results_of(tmp_path / "hostile", models=HOSTILE)
    report = Report("t", "d", "v", (cost_choice(results),), "s")
    page = render_all(report, results.provenance, ("html", "latex", "json"), interactive=True)["report.html"]
    text = page.decode()
    assert "alert(1)</script>" not in text
    data = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert {model["name"] for model in json.loads(data)["models"]} == set(HOSTILE)
    without = render_all(report, results.provenance, ("html",), interactive=False)["report.html"].decode()
    assert "explorer" not in without.split("<main")[1]


def test_weights_keep_the_digits_that_count():
    told = {0.5: "0.5", 0.01: "0.01", 0.99: "0.99", 0.999: "0.999", 0.99 / 1.09: "0.908", 0.9999: "0.9999"}
    assert {alpha: weight_text(alpha) for alpha in told} == told


def test_it_speaks_the_words_of_the_field(tmp_path):
    results = results_of(tmp_path / "medical", "report.vocabulary=medical", models=("a", "b"))
    section = cost_choice(results)
    said = " ".join(block.text for block in section.blocks if isinstance(block, Prose))
    assert "false positives" in said
    assert "cases with the condition" in said
    (figure,) = blocks(results, Figure)
    assert figure.x_axis.title == "α, the weight of false positives"
    assert figure.explorer["words"]["frr"] == "FNR"
    assert "false acceptance" not in said + figure.caption + figure.alt
