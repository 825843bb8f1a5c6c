"""The section of priors and costs: its sentences, picture, table and data against the frame."""

import dataclasses
import json
import math

import numpy as np
import polars as pl
import pytest
from build import build
from simulated_parts import rows_of
from snapshot import snapshot

from reporting.core.criteria.rates import MIN_HTER
from reporting.core.measures.threshold import FRR, HTER
from reporting.document.blocks import UNDEFINED, Figure, Prose, Report, Table
from reporting.document.charts.captions import test_set as set_name
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.features.epc.choice_section import cost_choice
from reporting.features.epc.control import weight_text
from reporting.features.epc.cost_axis import place, ratio_text
from reporting.features.epc.exact_frames import STEPS
from reporting.features.epc.winners import WINNERS
from reporting.features.epc.winners_chart import (
    ALONE,
    FOR_STATE,
    MOST,
    OUT,
    THICK,
    TOGETHER,
    CostRatioRegions,
    cost_ratio_regions,
    state,
)
from reporting.render.formats import render_all

THREE = ("a", "b", "c")
CONFIG = """
measures: [hter]
criteria: [min_hter]
curves: []
epc: {criteria: [weighted_error], measures: [weighted_error], alphas: 21}
significance: {replicates: 99, bands: none}
operating_points: [{name: rare, p_target: 0.05, c_miss: 2}]
"""
HOSTILE = ("<script>alert(1)</script>", r"a_b % & # $ ^ ~ \ { }", "]]> 中文 </td> αβ", "x" * 80)


def results_of(folder, *overrides, **table):
    rows = rows_of(**({"models": THREE, "step": 0.9} | table))
    return build(folder, rows, CONFIG, "epc.alphas=21", *overrides).results


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return results_of(tmp_path_factory.mktemp("choice"))


@pytest.fixture(scope="module")
def found(results):
    return cost_ratio_regions(views(results)[0])


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
    apart = CostRatioRegions(found.view, rows)
    assert apart.cells[0] == pytest.approx((0.05 / 1.95, 0.1 / 1.05))
    assert apart.stretches([True, True]) == apart.drawn_cells
    assert apart.drawn_cells[1] == pytest.approx((math.log10(0.5), apart.axis.high))


def test_states_are_those_of_the_frame(found):
    row = found.of_model["a"][0]
    told = {(True, True): ALONE, (False, True): TOGETHER, (False, False): OUT, (None, None): None}
    for (alone, joint), wanted in told.items():
        assert state(dataclasses.replace(row, may_be_best=alone, may_be_best_joint=joint)) == wanted


def winners_of(results):
    return next(figure for figure in blocks(results, Figure) if figure.name == "winners")


def test_the_rows_show_the_states_and_the_lowest(results, found):
    figure = winners_of(results)
    bars = figure.spec["datasets"]["winners_bars"]
    names = [text for _, text in figure.y_axis.ticks if "%" not in text][::-1]
    assert names == [found.view.names[model] for model in found.view.ranked]
    for line, model in enumerate(found.view.ranked):
        mine = [bar for bar in bars if bar["y"] < 2.5 - line < bar["y2"]]
        states = found.smoothed(found.states(model))
        for alpha, what, lead in zip(found.alphas, states, found.leads(model), strict=True):
            here = [bar for bar in mine if bar["x"] < place(alpha) < bar["x2"]]
            heights = sorted(round((bar["y2"] - bar["y"]) / 2, 6) for bar in here)
            wanted = [FOR_STATE[what]] if what in FOR_STATE else []
            assert heights == sorted([*wanted, *([THICK] if lead else [])])
    json.dumps(figure.spec, allow_nan=False)


def test_the_costs_are_drawn_above_the_rows_on_one_axis(results, found):
    figure, n = winners_of(results), len(found.models)
    by_text = {text: at for at, text in figure.y_axis.ticks}
    none, (text, whole) = (
        by_text["0%"],
        next(pair for pair in by_text.items() if pair[0] in ("20%", "40%", "50%")),
    )
    assert n < none < whole <= figure.y_axis.high
    for line in (each for each in figure.series if each.kind == "line"):
        rows = {found.view.names[m]: of for m, of in found.of_model.items()}[line.label]
        row = next(each for each in rows if each.alpha == 0.5)
        drawn = np.interp(0.0, line.x, line.y)
        assert (drawn - none) / (whole - none) * float(text[:-1]) / 100 == pytest.approx(
            row.value / 0.5, abs=1e-3
        )
    assert figure.shape * 400 <= 430


def test_slivers_of_one_step_are_drawn_as_their_neighbours(found):
    dense = CostRatioRegions(found.view, grid(found, [k / 100 for k in range(1, 100)]))
    states = [ALONE] * 99
    states[50] = OUT
    assert dense.smoothed(states) == [ALONE] * 99
    # The first steps are wide on this axis, and two steps are no sliver.
    states[50], states[1] = ALONE, OUT
    assert dense.smoothed(states) == states
    pair = [ALONE] * 49 + [OUT] * 2 + [ALONE] * 48
    assert dense.smoothed(pair) == pair


def grid(found, alphas):
    row = found.rows.head(1)
    return pl.concat([row.with_columns(alpha=pl.lit(alpha)) for alpha in alphas])


def test_every_stretch_is_in_the_alternative_text(results, found):
    alt = winners_of(results).alt
    for model in THREE:
        mine = alt.split(f" {model}: ")[1].split(". ")[0]
        leads = found.leads(model)
        changes = sum(1 for a, b in zip([False, *leads], leads, strict=False) if b and not a)
        lowest = mine.split(";")[0]
        if not changes:
            assert lowest == "never lowest"
        elif all(leads):
            assert lowest == "lowest at every ratio"
        else:
            assert lowest.count("from") + lowest.count("at ") == changes
        for state_of, begin in ((ALONE, "in contention "), (OUT, "ruled out jointly ")):
            said = mine.split(begin)[1].split(";")[0].rstrip(".")
            assert (said == "at no ratio") == (state_of not in found.states(model))


def test_the_title_says_who_stays_in_contention(results, found):
    stay = [found.view.names[m] for m in found.models if OUT not in found.states(m)]
    if len(stay) == 3:
        wanted = "No model is ruled out jointly at any cost ratio"
    else:
        verb = "is" if len(stay) == 1 else "are"
        wanted = f"Only {' and '.join(stay)} {verb} never ruled out jointly"
    assert winners_of(results).title == wanted
    one_out = results.frame(WINNERS).with_columns(
        may_be_best_joint=(pl.col("model") != "a") | (pl.col("alpha") != 0.5)
    )
    title = winners_of(results.with_frames({WINNERS: one_out})).title
    stay = " and ".join(found.view.names[model] for model in found.models if model != "a")
    assert title == f"Only {stay} are never ruled out jointly"


def test_one_model_has_the_lowest_value_at_every_alpha(found):
    for at, alpha in enumerate(found.alphas):
        rows = found.rows.filter(alpha=alpha)
        lead = rows.filter(pl.col("value") == rows["value"].min())["model"].to_list()
        assert [model for model in THREE if found.leads(model)[at]] == lead


def test_sentences_agree_with_the_frame(results, found):
    (prose,) = blocks(results, Prose)
    n = len(found.alphas)
    (first, most), *others = [(model, count) for model, count in found.counts if count]
    where = "every one" if most == n else str(most)
    assert prose.text.startswith(
        f"{first} has the lowest observed weighted error on the {set_name(found.view)} at {where} of the {n} cost ratios"
    )
    for model, count in others:
        shared = "the other" if count == n - most else str(count)
        assert f"{model} at {shared}" in prose.text
    out = [m for m in found.models if OUT in found.states(m)]
    assert ("With all ratios taken together, no model is ruled out at any" in prose.text) == (not out)
    assert "(95% confidence)" in prose.text


def test_the_table_names_the_sets(results, found):
    (table,) = blocks(results, Table)
    assert table.folded
    snapshot("epc/cost_choice_the_table_names_the_sets", table.caption)
    heads = [column.title for column in table.columns]
    rows = {row[2].order: dict(zip(heads, row, strict=True)) for row in table.rows}
    assert [row[0].text for row in table.rows if row[0].text] == ["rare"]
    assert any(abs(alpha - 0.95 / 1.05) < 1e-9 for alpha in rows)
    for alpha, row in rows.items():
        frame = found.rows.filter(alpha=alpha)
        assert row["false acceptance : false rejection"].text == ratio_text(alpha)
        for title, column in (
            ("in contention at this ratio", "may_be_best"),
            ("in contention (all ratios together)", "may_be_best_joint"),
        ):
            inside = set(frame.filter(pl.col(column))["model"].to_list())
            said = row[title].text
            assert set(THREE if said == "all" else said.replace(" and ", ", ").split(", ")) == inside
        assert row["weighted error"].order == pytest.approx(100 * frame["value"].min())


def test_at_equal_weights_the_interval_is_that_of_the_metrics(results, found):
    control = winners_of(results).explorer
    at = found.alphas.index(0.5)
    for model, told in zip(found.models, control["models"], strict=True):
        row = found.view.metric(model, HTER, MIN_HTER)
        assert row.value == found.of_model[model][at].value
        printed = found.view.printing(HTER)
        assert told["error"][at] == printed.value(row.value)
        assert told["interval"][at] == printed.interval(row.ci_low, row.ci_high)
    # Where the frame has another value there, it is another question: nothing is borrowed.
    other = results.frame(METRICS).with_columns(value=pl.col("value") + 0.01)
    borrowed = winners_of(results.with_frames({METRICS: other})).explorer["models"]
    row = found.of_model[found.models[0]][at]
    shown = cost_ratio_regions(views(results.with_frames({METRICS: other}))[0]).view.printing(HTER)
    mine = next(told for told in borrowed if told["name"] == found.models[0])
    assert mine["interval"][at] == shown.interval(row.ci_low, row.ci_high)


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_the_verdict_at_an_alpha_is_that_of_the_frame(results, found, level):
    at = round(level * (len(found.alphas) - 1))
    alpha = found.alphas[at]
    cases = {
        (True, True, True): "No model is ruled out at this ratio.",
        (True, True, False): "Also in contention",
        (True, False, False): "All other models are ruled out at this ratio",
    }
    order = [next(m for m in THREE if found.leads(m)[at])]
    order += [m for m in THREE if m not in order]
    for inside, words in cases.items():
        for jointly in (False, True):
            alone = dict(zip(order, inside, strict=True))
            frame = results.frame(WINNERS).with_columns(
                may_be_best=pl.when(pl.col("alpha") == alpha)
                .then(pl.col("model").replace_strict(alone, return_dtype=pl.Boolean))
                .otherwise("may_be_best"),
                may_be_best_joint=pl.when(pl.col("alpha") == alpha)
                .then(pl.col("model").replace_strict(alone, return_dtype=pl.Boolean) | jointly)
                .otherwise("may_be_best_joint"),
            )
            control = winners_of(results.with_frames({WINNERS: frame})).explorer
            said = control["verdicts"][control["verdict"][at]]
            assert words in said
            if not all(inside):
                joint = "none is" if jointly else "also with all ratios taken together"
                assert joint in said


def test_beyond_one_error_there_is_no_winner(results):
    control = winners_of(results).explorer
    sizes = results.frame(TRIALS).filter(split="test").row(0, named=True)
    assert control["ends"] == pytest.approx([1 / sizes["n_target"], 1 - 1 / sizes["n_nontarget"]])
    assert control["words"]["cannot"] == [
        f"{sizes['n_target']} targets cannot separate the models at this prior and these costs.",
        f"{sizes['n_nontarget']} non-targets cannot separate the models at this prior and these costs.",
    ]


def test_the_data_of_the_control_are_those_of_the_frames(results, found):
    data = winners_of(results).explorer
    assert data["alphas"] == pytest.approx(found.alphas)
    assert [point["name"] for point in data["points"]] == ["rare"]
    assert data["figures"] == ["cost_difference", "winners"]
    for model, told in zip(found.models, data["models"], strict=True):
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
        printed = found.view.printing(FRR)
        assert run["frr_text"] == [printed.value(rate) for rate in steps["misses"] / sizes["n_target"]]


def test_the_mean_over_runs_has_the_steps_of_every_run(tmp_path):
    results = results_of(tmp_path / "runs", models=("a", "b"), runs=("1", "2"))
    section = cost_choice(results)
    figures = [block for block in _flat(section) if isinstance(block, Figure)]
    assert [figure.name for figure in figures] == ["winners_mean", "cost_difference_mean"]
    assert figures[0].explorer["figures"] == ["cost_difference_mean", "winners_mean"]
    assert [len(model["runs"]) for model in figures[0].explorer["models"]] == [2, 2]


def _flat(block):
    for inner in getattr(block, "blocks", ()):
        yield inner
        yield from _flat(inner)


def test_one_model_has_its_costs_and_no_choice(tmp_path):
    results = results_of(tmp_path / "one", models=("a",))
    section = cost_choice(results)
    assert section.title == "Cost for each prior and costs"
    (figure,) = blocks(results, Figure)
    (table,) = blocks(results, Table)
    assert figure.explorer["known"] is False
    frame = results.frame(WINNERS)
    highest = frame.sort("value").row(-1, named=True)
    printed = cost_ratio_regions(views(results)[0]).view.printing(HTER)
    at_most = f"at most {printed.value_with_unit(highest['value'])}, at {ratio_text(highest['alpha'])}"
    assert figure.title == f"a: weighted error {at_most}"
    assert {s.kind for s in figure.series} == {"band", "line"}
    words = " ".join(
        [
            figure.title,
            figure.caption,
            figure.alt,
            table.caption,
            *table.notes,
            *(c.title for c in table.columns),
        ]
    )
    for word in ("best", "contention", "ruled out", "which model", "lowest", UNDEFINED):
        assert word not in words.lower()


def test_where_no_model_was_tested_nothing_is_claimed(results):
    blank = results.frame(WINNERS).with_columns(
        *(pl.lit(None, pl.Boolean).alias(name) for name in ("may_be_best", "may_be_best_joint")),
        *(pl.lit(None, pl.Float64).alias(name) for name in ("p_best", "p_best_joint")),
    )
    untested = results.with_frames({WINNERS: blank})
    (prose,), (table,), figure = blocks(untested, Prose), blocks(untested, Table), winners_of(untested)
    assert "Which models are in contention is not tested, because" in prose.text
    assert not [column.title for column in table.columns if "contention" in column.title]
    assert UNDEFINED not in {cell.text for row in table.rows for cell in row}
    assert figure.title == "The lowest observed cost along the cost ratio"
    assert "Rows: where the observed cost is lowest." in figure.caption
    assert figure.explorer["verdicts"] == []
    assert "contention" not in figure.alt


def test_there_is_no_section_without_the_frame(results):
    assert cost_choice(results.with_frames({WINNERS: WINNERS.empty})) is None


def test_many_models_have_the_first_rows_only(results):
    names = tuple(f"m{i:02}" for i in range(MOST + 6))
    frame = results.frame(WINNERS).filter(model="a")
    many = pl.concat([frame.with_columns(model=pl.lit(name)) for name in names])
    crowd = dataclasses.replace(results, models=names).with_frames({WINNERS: many.sort("model", "alpha")})
    figure = winners_of(crowd)
    assert len([text for _, text in figure.y_axis.ticks if "%" not in text]) == MOST
    assert f"Rows of {MOST} of {MOST + 6} models." in figure.caption


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
    figure = winners_of(results)
    assert figure.x_axis.sides == ("← a false negative costs more", "a false positive costs more →")
    assert figure.explorer["words"]["frr"] == "FNR"
    said = json.dumps([dataclasses.asdict(block) for block in section.blocks])
    assert "false acceptance" not in said.lower()
    assert "FAR" not in said
