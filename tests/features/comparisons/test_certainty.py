"""What comparisons show, and the sentences on how else the answer might be."""

import dataclasses
import re
from types import SimpleNamespace

import polars as pl
import pytest
from reading import blocks, every_block, section, table
from scipy.special import ndtri
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.document.blocks import Caution, Prose, Table
from reporting.document.frames.comparisons import COMPARISONS, DIFFERENCES, STANDING
from reporting.document.words.caveats import bootstrap_centre, monte_carlo_error, sensitivity_notes
from reporting.document.words.decisions import word_of
from reporting.document.words.oriented import contrast, primary_rows
from reporting.document.words.view import views
from reporting.features.answer.verdict import verdict
from reporting.features.cautions import cautions
from reporting.features.comparisons.section import pairwise
from reporting.features.compose import compose

THREE = ("a", "b", "c")


def changed(results, model, headline, tuned=None):
    """The results with other numbers of one model's comparisons on the first question."""
    asked = (pl.col("measure") == "hter") & (pl.col("criterion") == "min_hter") & (pl.col("model") == model)
    rows = results.frame(COMPARISONS)
    for estimand, values in (("procedure", headline), ("given_thresholds", tuned or {})):
        mine = asked & (pl.col("inference") == estimand) & pl.col("parameter").is_null()
        for name, value in values.items():
            rows = rows.with_columns(pl.when(mine).then(pl.lit(value)).otherwise(name).alias(name))
    return results.with_frames({COMPARISONS: rows})


def thoughts(results):
    view = views(results)[0]
    return sensitivity_notes(view, primary_rows(view))


def two(**world):
    return simulate(World(models=("a", "b"), pictures=False, **world))


def test_the_headline_is_of_thresholds_chosen_again():
    view = views(two())[0]
    (row,) = primary_rows(view)
    assert row.inference == "procedure"
    assert view.tuned(row).inference == "given_thresholds"
    assert view.tuned(view.tuned(row)) is None
    assert contrast(view, "b", "a").row is row
    (fixed,) = primary_rows(views(two(comparisons="given_thresholds"))[0])
    assert fixed.inference == "given_thresholds"
    areas = [one for one in view.headlines if one.measure == "auc"]
    assert [view.tuned(one) for one in areas] == [None]


@pytest.mark.parametrize(("p", "tuned"), [(0.06, 0.04), (0.04, 0.06)])
def test_two_estimands_with_two_answers(p, tuned):
    results = changed(two(), "b", {"p_value": p, "p_adjusted": p, "p_percentile": p}, {"p_value": tuned})
    (sentence,) = [text for text in thoughts(results) if "thresholds fixed" in text]
    assert sentence == (
        f"Another analysis decides otherwise: b − a, p = .0{100 * tuned:.0f}0 with thresholds fixed and"
        f" p = .0{100 * p:.0f}0 with thresholds re-selected in each resample (both adjusted). The report takes"
        " the latter."
    )
    agreeing = changed(two(), "b", {"p_value": p, "p_adjusted": p, "p_percentile": p}, {"p_value": p})
    assert not [text for text in thoughts(agreeing) if "decides otherwise" in text]


def test_other_analyses_are_adjusted_like_the_family_before_they_are_compared():
    """With three comparisons p = .02 decides nothing after Holm's correction, whatever it looks like alone."""
    results = simulate(World(models=("a", "b", "c"), pictures=False))
    for model in ("b", "c"):
        same = {"p_value": 0.06, "p_adjusted": 0.18, "p_percentile": 0.06}
        results = changed(results, model, same, {"p_value": 0.02})
    assert not [text for text in thoughts(results) if "decides otherwise" in text]
    decided = changed(results, "b", {}, {"p_value": 0.01})
    (sentence,) = [text for text in thoughts(decided) if "decides otherwise" in text]
    assert "b − a, p = .030 with thresholds fixed and p = .18 with" in sentence


def test_percentiles_that_decide_otherwise_are_said_with_both_numbers():
    results = changed(
        two(), "b", {"p_value": 0.06, "p_adjusted": 0.06, "p_percentile": 0.01}, {"p_value": 0.06}
    )
    (sentence,) = [text for text in thoughts(results) if "decides otherwise" in text]
    assert "b − a, p = .010 by percentiles of the bootstrap and p = .060 by the reported test (" in sentence


@pytest.mark.parametrize(("effect", "p", "said"), [(4.0, 0.1, "p = .001 if"), (0.25, 0.04, "p = .30 if")])
def test_dependence_that_decides_is_said(effect, p, said):
    """z = 1.645 is twice as large, 3.29, at a design effect of 4; z = 2.05 is half of it at one of 1/4."""
    results = two(cluster="speaker", comparisons="given_thresholds", n_target=100, n_nontarget=100)
    reach = float(ndtri(1 - p / 2))
    other = {"difference": 0.01 * reach, "se": 0.01, "p_value": p, "p_adjusted": p, "p_percentile": p}
    known = changed(results, "b", {}, other | {"design_effect": effect})
    (sentence,) = [text for text in thoughts(known) if "independent" in text]
    assert said in sentence
    assert sentence.split(" and ")[1].startswith(
        f"p = .{'10' if p == 0.1 else '040'} with speakers resampled"
    )
    harmless = changed(results, "b", {}, other | {"design_effect": 1.05})
    assert not [text for text in thoughts(harmless) if "independent" in text]


def test_a_bias_of_the_bootstrap_is_named_from_a_quarter_of_a_standard_error_on():
    results = simulate(World(models=("a", "b")))
    view = views(results)[0]
    (row,) = primary_rows(view)
    bins = results.frame(DIFFERENCES)
    for errors, named in ((0.2, False), (0.3, True), (-0.6, True)):
        away = row.difference - bootstrap_centre(view, row) + errors * row.se
        moved = results.with_frames({DIFFERENCES: bins.with_columns(pl.col("low", "high") + away)})
        said = [text for text in thoughts(moved) if text.startswith("Bootstrap bias")]
        assert bool(said) == named
        assert all(f"({abs(errors):.1f} standard errors)" in text for text in said)


def test_a_p_that_replicates_do_not_settle_is_named_with_its_error():
    near = {"p_value": 0.02, "p_adjusted": 0.04, "mc_error": 0.003}
    (said,) = [t for t in thoughts(changed(two(), "b", near, {"p_value": 0.03})) if "rerun" in t]
    snapshot("comparisons/certainty_a_p_that_replicates_do_not_settle_is_named_with_its_error", said)
    far = near | {"p_value": 0.005, "p_adjusted": 0.01}
    assert not [t for t in thoughts(changed(two(), "b", far, {"p_value": 0.03})) if "rerun" in t]


def unsettled(results):
    """Whether the caution box and the verdict name a p that resamples do not settle."""
    (view,) = views(results)
    boxed = [each for each in cautions(view) if each.code == "TR309"]
    assert all(each.grave and "rerun" in each.text for each in boxed)
    assert [each.text for each in boxed if each.text in verdict(results)] == [each.text for each in boxed]
    return bool(boxed)


@pytest.mark.parametrize("baseline", [None, "a"])
@pytest.mark.parametrize(("p", "open_"), [(0.048, True), (0.052, True), (0.02, False), (0.3, False)])
def test_an_answer_that_another_seed_may_turn_is_a_grave_caution(baseline, p, open_):
    """.05 +- 2.576 * .0035: .041 to .059."""
    near = {"p_value": p, "p_adjusted": p, "p_percentile": p, "mc_error": 0.0035}
    assert unsettled(changed(two(baseline=baseline), "b", near, {"p_value": p})) is open_


@pytest.mark.parametrize(("p", "open_"), [(0.045, True), (0.03, False)])
def test_so_is_one_on_the_best_of_several(p, open_):
    """2,000 resamples: sqrt(.045 .955 / 2000) = .0046, and .045 + 2.576 * .0046 > .05; .03 + .0098 < .05."""
    results = simulate(World(models=THREE, pictures=False, comparisons="given_thresholds"))
    (view,) = views(results)
    frame = results.frame(STANDING)
    second = pl.col("model") == view.ranked[1]
    moved = frame.with_columns(
        p_best=pl.when(second).then(p).otherwise(pl.lit(1.0)),
        replicates=pl.lit(2000, frame.schema["replicates"]),
    )
    assert unsettled(results.with_frames({STANDING: moved})) is open_


def test_the_error_of_an_adjusted_p_follows_its_correction():
    known = {"p_value": 0.01, "p_adjusted": 0.03, "mc_error": 0.002, "correction": "holm", "replicates": 100}

    def error(**changed):
        return monte_carlo_error(SimpleNamespace(**known | changed))

    assert error() == pytest.approx(0.006)
    assert error(correction="maxt") == pytest.approx((0.03 * 0.97 / 100) ** 0.5)
    assert error(p_adjusted=None) == pytest.approx(0.002)
    assert error(mc_error=0.0) == 0.0


def test_what_is_shown_follows_the_adjusted_p():
    shown = changed(two(step=0.8), "b", {"p_value": 0.01, "p_adjusted": 0.04})
    open_ = changed(two(step=0.8), "b", {"p_value": 0.01, "p_adjusted": 0.06})
    for results, sides in ((shown, ("better", "worse")), (open_, ("inconclusive",) * 2)):
        view = views(results)[0]
        assert tuple(word_of(view, contrast(view, *pair)) for pair in (("b", "a"), ("a", "b"))) == sides


def matrix(**world):
    results = simulate(World(**({"models": THREE, "pictures": False, "step": 1.0} | world)))
    return pairwise(views(results)[0]), views(results)[0]


def test_the_matrix_holds_every_pair_from_either_side():
    found, view = matrix()
    assert [row[0].text for row in found.rows] == [view.names[key] for key in view.ranked]
    orders = [[cell.order for cell in row[1:]] for row in found.rows]
    for i in range(3):
        assert orders[i][i] is None
        for j in range(i):
            assert orders[i][j] == pytest.approx(-orders[j][i])
            assert "[" in found.rows[j][i + 1].beneath
            assert not found.rows[i][j + 1].beneath
            assert not found.rows[i][j + 1].bold  # the same fact is marked above the diagonal
    for row in found.rows:
        for cell in row[1:]:
            assert cell.bold == cell.text.endswith(" *")
    assert found.notes[0] == "Bold with *: p ≤ .05."


def test_a_matrix_without_any_difference_says_so():
    found, _ = matrix(same_scores=True)
    assert found.notes[0] == "No pair has p ≤ .05."
    assert not any(cell.bold for row in found.rows for cell in row)


def test_the_pairs_of_the_leader_have_the_numbers_of_the_summary():
    report = compose(simulate(World(models=THREE, step=0.4, pictures=False)))
    summary, pairs = table(report, "summary"), table(report, "pairs")
    for ranked, row in zip(summary.rows[1:], pairs.rows[1:], strict=True):
        difference = next(
            c for c, head in zip(ranked, summary.columns, strict=True) if head.title == "difference"
        )
        above = pairs.rows[0][pairs.rows.index(row) + 1]
        assert above.order == pytest.approx(-difference.order)
        digits = [
            sorted(text.replace("−", "").strip("[]").split(", "))
            for text in (above.beneath, difference.beneath)
        ]
        assert digits[0] == digits[1]


@pytest.mark.parametrize("world", [{"models": ("a", "b")}, {"baseline": "a"}, {"n_target": 0}])
def test_without_all_pairs_there_is_no_matrix(world):
    assert matrix(**world)[0] is None


def test_cautions_stand_under_the_table_of_the_family():
    results = changed(
        simulate(World(models=THREE, pictures=False)),
        "b",
        {"p_value": 0.06, "p_adjusted": 0.06},
        {"p_value": 0.01},
    )
    found = section(compose(results), "comparisons").blocks
    kinds = [type(block) for block in found]
    assert kinds.index(Table) < kinds.index(Caution)
    assert any("decides otherwise" in block.text for block in found if isinstance(block, Caution))


def test_of_two_models_the_pair_is_the_answer_and_is_not_printed_again():
    names = [block.name for block in every_block(compose(two()), Table)]
    assert "comparisons" not in names
    assert "pairs" not in names
    assert "comparisons" in [block.name for block in every_block(compose(two(baseline="a")), Table)]


def test_no_table_of_comparisons_but_that_of_the_family_has_p_values():
    for world in ({"baseline": "a"}, {}):
        report = compose(simulate(World(models=THREE, step=0.4, pictures=False, **world)))
        tables = [b for b in blocks(section(report, "comparisons")) if isinstance(b, Table)]
        first, *others = tables
        assert first.name in ("comparisons", "pairs")
        assert {other.name for other in others} >= {"differences_1", "differences_2"}
        for other in others:
            assert not [column.title for column in other.columns if re.search(r"\bp\b|p-value", column.title)]


def test_detectable_differences_are_those_of_what_is_open():
    results = simulate(World(models=("a", "b"), step=0.05, pictures=False, n_target=150, n_nontarget=150))
    (row,) = primary_rows(views(results)[0])
    found = table(compose(results), "detectable")
    reach = float(ndtri(0.975)) + float(ndtri(0.8))
    assert [[cell.order for cell in line[1:]] for line in found.rows] == [
        [pytest.approx(reach * row.se, rel=1e-3)]
    ]
    assert "times as many" not in found.caption
    inference = dataclasses.replace(results.study.inference, tests=("power",))
    asked = dataclasses.replace(results, study=dataclasses.replace(results.study, inference=inference))
    decided = simulate(World(models=("a", "b"), step=1.5, pictures=False))
    for other in (asked, decided):
        assert "detectable" not in [block.name for block in every_block(compose(other), Table)]


def prose(results):
    section_blocks = blocks(section(compose(results), "comparisons"))
    return [block.text for block in section_blocks if isinstance(block, Prose)]


def test_a_pair_that_is_open_though_a_model_is_ruled_out_is_explained():
    results = simulate(World(models=THREE, step=1.0, strength=1.0, pictures=False))
    told = prose(results)
    assert not [text for text in told if "one-sided" in text]
    rows = results.frame(COMPARISONS)
    weak = rows.with_columns(p_adjusted=pl.when(pl.col("p_adjusted").is_not_null()).then(0.2))
    told = prose(results.with_frames({COMPARISONS: weak}))
    (sentence,) = [text for text in told if "one-sided" in text]
    assert sentence.startswith("Ruled out as best, but inconclusive against c among all 3 pairs")
