"""What comparisons show, and the sentences on how else the answer might be."""

from types import SimpleNamespace

import polars as pl
import pytest
from simulated_results import World, simulate

from reporting.frames import COMPARISONS
from reporting.report.blocks import Prose, Table
from reporting.sections.caveats import independent_limits, monte_carlo_error, second_thoughts
from reporting.sections.comparisons import pairwise
from reporting.sections.compose import compose
from reporting.wording.decisions import word_of
from reporting.wording.oriented import contrast, primary_rows
from reporting.wording.view import views

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
    return second_thoughts(view, primary_rows(view))


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


@pytest.mark.parametrize(
    ("p", "tuned", "said"),
    [
        (0.06, 0.04, "these two tuned systems are shown to differ; with thresholds chosen again"),
        (0.04, 0.06, "the models are shown to differ; at the very thresholds chosen, these two"),
    ],
)
def test_two_estimands_with_two_answers(p, tuned, said):
    results = changed(two(), "b", {"p_value": p, "p_adjusted": p}, {"p_value": tuned})
    (sentence,) = [text for text in thoughts(results) if "depends on the question" in text]
    assert said in sentence
    assert f"b − a (.0{100 * tuned:.0f}0 and .0{100 * p:.0f}0)" in sentence
    agreeing = changed(two(), "b", {"p_value": p, "p_adjusted": p}, {"p_value": p})
    assert not [text for text in thoughts(agreeing) if "depends on the question" in text]


def test_dependence_by_hand():
    """An interval of 2 -+ 3 with design effect 4 would be 2 -+ 1.5 if trials were independent."""
    row = SimpleNamespace(ci_low=-1.0, ci_high=5.0, design_effect=4.0)
    assert independent_limits(row) == (0.5, 3.5)


@pytest.mark.parametrize(
    ("low", "effect", "said"),
    [
        (
            -0.01,
            4.0,
            "([0.5, 3.5] instead of [−1.0, 5.0], design effect 4.0): were trials independent, these two",
        ),
        (0.005, 0.25, "would not be shown to differ; with speakers resampled they are."),
    ],
)
def test_dependence_that_decides_is_said(low, effect, said):
    results = two(cluster="speaker", n_target=100, n_nontarget=100)
    tuned = {"ci_low": low, "ci_high": 0.05, "design_effect": effect}
    found = [text for text in thoughts(changed(results, "b", {}, tuned)) if "Dependence decides" in text]
    assert len(found) == 1
    assert said in found[0]
    harmless = changed(results, "b", {}, {"ci_low": 0.01, "ci_high": 0.05, "design_effect": 1.5})
    assert not [text for text in thoughts(harmless) if "Dependence" in text]


def test_a_p_that_replicates_do_not_settle_is_named_with_its_error():
    near = {"p_value": 0.02, "p_adjusted": 0.04, "mc_error": 0.003}
    (said,) = [t for t in thoughts(changed(two(), "b", near, {"p_value": 0.03})) if "settled" in t]
    assert "side of .050 p lies is not settled by 2000 replicates for b − a (.040 ± .015)" in said
    far = near | {"p_value": 0.005, "p_adjusted": 0.01}
    assert not [t for t in thoughts(changed(two(), "b", far, {"p_value": 0.03})) if "settled" in t]


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
            assert "[" in found.rows[j][i + 1].text
            assert "[" not in found.rows[i][j + 1].text
            assert found.rows[i][j + 1].bold == found.rows[j][i + 1].bold
    for row in found.rows:
        for cell in row[1:]:
            assert cell.bold == cell.text.endswith(" *")
    assert found.notes[0].startswith("Bold with *: shown to differ (adjusted p at most .050)")


def test_a_matrix_without_any_difference_says_so():
    found, _ = matrix(same_scores=True)
    assert found.notes == ("No pair is shown to differ (adjusted p at most .050).",)
    assert not any(cell.bold for row in found.rows for cell in row)


def test_the_matrix_prints_the_numbers_of_the_table():
    results = simulate(World(models=THREE, step=0.4, pictures=False))
    section = next(s for s in compose(results).sections if s.anchor == "comparisons")
    pairs, family = [block for block in section.blocks if isinstance(block, Table)][:2]
    cells = {cell.text.removesuffix(" *") for row in pairs.rows for cell in row[1:]}
    texts = {row[2].text for row in family.rows}
    flipped = {text.translate(str.maketrans("", "", "[], −")) for text in texts}
    shown = {text.split("\n")[1].translate(str.maketrans("", "", "[], −")) for text in cells if "\n" in text}
    assert {"".join(sorted(text)) for text in shown} == {"".join(sorted(text)) for text in flipped}
    adjusted = [column.title for column in family.columns].index("adjusted p")
    assert {row[adjusted].text for row in family.rows} <= cells


@pytest.mark.parametrize("world", [{"models": ("a", "b")}, {"baseline": "a"}, {"n_target": 0}])
def test_without_all_pairs_there_is_no_matrix(world):
    assert matrix(**world)[0] is None


def test_sentences_stand_under_the_table_of_the_family():
    results = changed(two(), "b", {"p_value": 0.06, "p_adjusted": 0.06}, {"p_value": 0.01})
    section = next(s for s in compose(results).sections if s.anchor == "comparisons")
    kinds = [type(block) for block in section.blocks]
    assert kinds.index(Prose) == kinds.index(Table) + 1
    assert "depends on the question" in next(b.text for b in section.blocks if isinstance(b, Prose))
