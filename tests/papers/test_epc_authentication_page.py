"""The page of the paper on person authentication: its numbers by plain NumPy, its verdicts both ways."""

from __future__ import annotations

import numpy as np
import paper_results
import polars as pl
import pytest
from paper_results import shipped
from statsmodels.stats.proportion import proportions_ztest

from configs.papers.epc_authentication import claims
from configs.papers.epc_authentication.page import epc_authentication
from reporting.document.blocks import Figure, Prose, Section, Table

QUICK = ("significance.bands=none", "epc.alphas=21")


def results_of(folder, table, *overrides):
    return paper_results.results_of(folder, shipped("epc_authentication"), table, *QUICK, *overrides)


def small(seed=3, shift=0.7, better=1.2, n_target=150, n_nontarget=600, names=("A", "B"), **columns):
    """A smaller pair of the same kind: A separates better by ``better``, and shifts on test."""
    rng = np.random.default_rng(seed)
    label = np.repeat(["target", "nontarget"], [n_target, n_nontarget])
    parts = []
    for split in ("dev", "test"):
        common = rng.normal(size=len(label))
        for place, name in enumerate(names):
            mean = 2.0 + (better if place == 0 else 0.0)
            offset = shift if (place, split) == (0, "test") else 0.0
            score = mean * (label == "target") + offset + 0.7 * common + 0.7 * rng.normal(size=len(label))
            said = {"model": name, "split": split, "label": label, "score": np.round(score, 2), **columns}
            said |= {"trial": [f"{split}{k}" for k in range(len(label))]}
            parts.append(pl.DataFrame(said | {"client": [f"{split}{k % 40}" for k in range(len(label))]}))
    return pl.concat(parts)


@pytest.fixture(scope="module")
def table():
    return small(shift=1.5)


@pytest.fixture(scope="module")
def page(table, tmp_path_factory):
    return epc_authentication(results_of(tmp_path_factory.mktemp("page"), table))


def flat(blocks):
    for block in blocks:
        if isinstance(block, Section):
            yield from flat(block.blocks)
        else:
            yield block


def found(page, name):
    return next(b for b in flat(page) if isinstance(b, Table | Figure) and b.name == name)


def rows(page, name):
    return [[cell.text for cell in row] for row in found(page, name).rows]


def verdict(page, says):
    return next(row[4] for row in rows(page, "paper_claims") if says in row[1]).split(";")[0]


def cuts(table, model, split):
    """FAR, FRR and threshold of every cut of a model on a split, accept-all first."""
    mine = table.filter(model=model, split=split)
    score, true = mine["score"].to_numpy(), (mine["label"] == "target").to_numpy()
    values = np.unique(score)
    edges = np.concatenate(([-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]))
    far = np.array([(score[~true] >= t).mean() for t in edges])
    frr = np.array([(score[true] < t).mean() for t in edges])
    return edges, far, frr


def chosen(table, model, split, criterion):
    """The threshold by brute force, ties as the methods have them: balanced for HTER."""
    edges, far, frr = cuts(table, model, split)
    round_off = [np.round(values, 12) for values in (far + frr, np.abs(far - frr), far)]
    keys = {"minimum HTER": (0, 1, 2), "EER": (1, 0, 2)}[criterion]
    order = np.lexsort([round_off[k] for k in reversed(keys)])
    return edges[order[0]]


def at(table, model, threshold):
    mine = table.filter(model=model, split="test")
    score, true = mine["score"].to_numpy(), (mine["label"] == "target").to_numpy()
    return int((score[~true] >= threshold).sum()), int((score[true] < threshold).sum())


def test_table_1_by_brute_force(table, page):
    for criterion, name, *shown in rows(page, "paper_table_1"):
        model = name.removeprefix("Model ")
        expected = []
        for split in ("dev", "test"):
            alarms, misses = at(table, model, chosen(table, model, split, criterion))
            far, frr = alarms / 600, misses / 150
            expected += [far, frr, (far + frr) / 2]
        assert [float(text) for text in shown] == pytest.approx(
            [100 * value for value in expected], abs=0.051
        )
    heads = [column.title for column in found(page, "paper_table_1").columns]
    assert heads == [
        "thresholds of",
        "model",
        *("FAR", "FRR", "HTER"),
        *(f"{r} (post)" for r in ("FAR", "FRR", "HTER")),
    ]
    assert [row[:2] for row in rows(page, "paper_table_1")] == [
        [criterion, f"Model {model}"] for criterion in ("EER", "minimum HTER") for model in "AB"
    ]


def test_tests_by_hand(table, page):
    first, *ours = rows(page, "paper_tests")
    assert first[:4] == ["paper, footnote 2", "0.3", "1.72", ".085"]
    assert first[4:] == ["—"] * 4
    assert [row[0] for row in ours] == [
        f"{name}, {when}" for name in ("EER", "minimum HTER") for when in ("a posteriori", "a priori")
    ]
    for where, _, z, p, gap, z_hter, _, report in ours:
        name, when = where.split(", ")
        split = "dev" if when == "a priori" else "test"
        (fa_a, miss_a), (fa_b, miss_b) = (at(table, m, chosen(table, m, split, name)) for m in "AB")
        known, known_p = proportions_ztest([fa_a + miss_a, fa_b + miss_b], [750, 750])
        assert number(z) == pytest.approx(known, abs=0.0051)
        assert (p == "< .001") if known_p < 0.001 else (float(p) == pytest.approx(known_p, abs=0.0051))
        difference = ((fa_a - fa_b) / 600 + (miss_a - miss_b) / 150) / 2
        assert number(gap) == pytest.approx(100 * difference, abs=0.051)
        variance = sum(
            x * (1 - x) / n
            for x, n in ((fa_a / 600, 600), (fa_b / 600, 600), (miss_a / 150, 150), (miss_b / 150, 150))
        )
        assert number(z_hter) == pytest.approx(difference / (np.sqrt(variance) / 2), abs=0.0051)
        assert (report == "—") == (when == "a posteriori")


def number(text):
    return float(text.replace("−", "-"))


DET = "The model with the lower equal error rate"
COSTS = "Along the costs"
OPTIMISTIC = "The equal error rate on test is lower"
CLASS_ERROR = "A test of two proportions"
TWO = "Equal error rate and least HTER"
AIMED = "Thresholds that aim at the same rate"
AREA = "The mean precision at 11 recalls"
EQUATION = "|α − FAR| chooses"
FOOTNOTE = "The two equal error rates differ"
ROUNDED = "HTER is half the sum"


def test_verdicts_where_the_threshold_does_not_carry_over(page):
    for says in (DET, COSTS, AIMED, ROUNDED, TWO):
        assert verdict(page, says) == "holds", says
    for says in (FOOTNOTE, AREA, EQUATION):
        assert verdict(page, says) == "does not hold", says


def test_verdicts_where_it_does(tmp_path):
    """Dev and test are the same trials: DET and EPC agree, and no model falls out of any band."""
    test = small(shift=0.0).filter(split="test")
    both = pl.concat([test.with_columns(split=pl.lit("dev")), test])
    found = epc_authentication(results_of(tmp_path, both))
    for says in (DET, COSTS, AIMED, OPTIMISTIC):
        assert verdict(found, says) == "does not hold", says
    assert verdict(found, CLASS_ERROR) == "holds"  # either test finds so large a difference


def test_verdicts_of_perfect_systems(tmp_path):
    """All areas are 1 and both criteria choose the one cut without errors."""
    found = epc_authentication(
        results_of(
            tmp_path, small(shift=0.0).with_columns(pl.col("score") + 50 * (pl.col("label") == "target"))
        )
    )
    assert verdict(found, AREA) == "holds"
    assert verdict(found, TWO) == "does not hold"


def test_class_error_and_hter_may_disagree(tmp_path):
    """Many false alarms saved at the price of misses: the class error sees it, the HTER is the same."""
    rng = np.random.default_rng(5)
    label = np.repeat(["target", "nontarget"], [150, 3000])
    parts = []
    for split in ("dev", "test"):
        for model, offset in (("A", 0.35), ("B", -0.35)):
            moved = offset if split == "test" else 0.0
            score = 2.0 * (label == "target") + moved + rng.normal(size=len(label))
            parts.append(
                pl.DataFrame(
                    {
                        "model": model,
                        "split": split,
                        "label": label,
                        "score": score,
                        "trial": [f"{split}{k}" for k in range(len(label))],
                        "client": [f"{split}{k % 50}" for k in range(len(label))],
                    }
                )
            )
    assert verdict(epc_authentication(results_of(tmp_path, pl.concat(parts))), CLASS_ERROR) == "does not hold"


def test_the_equation_as_printed_is_right_where_both_rates_are_equal(tmp_path):
    """Dev scores with FAR = FRR = .05 at one cut: there both formulas choose alike."""
    rng = np.random.default_rng(1)
    score = np.concatenate([[0.0] * 5, [1.0] * 95, [1.0] * 10, [0.0] * 190])
    label = np.repeat(["target", "nontarget"], [100, 200])
    parts = [
        pl.DataFrame(
            {
                "model": m,
                "split": s,
                "label": label,
                "score": score + 0.001 * rng.random(300),
                "trial": [f"{s}{k}" for k in range(300)],
                "client": [f"{s}{k % 20}" for k in range(300)],
            }
        )
        for m in "AB"
        for s in ("dev", "test")
    ]
    assert verdict(epc_authentication(results_of(tmp_path, pl.concat(parts))), EQUATION) == "holds"


def test_frr_on_dev_by_brute_force(table, tmp_path):
    from configs.papers.epc_authentication.pair import pair_of
    from reporting.document.words.view import views

    frame = claims.frr_on_dev(pair_of(views(results_of(tmp_path, table))[0]))
    assert len(frame) == 42
    for row in frame.to_dicts():
        _, far, frr = cuts(table, row["model"], "dev")
        nearest = np.round(np.abs(far - row["alpha"]), 12)
        tied = nearest == nearest.min()
        lowest = far[tied].min()
        assert row["printed"] == pytest.approx(frr[tied & (far == lowest)].min(), abs=1e-9)
        assert abs(row["corrected"] - row["alpha"]) == pytest.approx(
            np.abs(frr - row["alpha"]).min(), abs=1e-9
        )


def test_footnote_and_rounding_are_computed(monkeypatch, table, tmp_path):
    monkeypatch.setattr(claims, "FOOTNOTE", (0.111, 0.106, 63573))
    monkeypatch.setattr(claims, "HALF_SUMS", ((0.1125, 0.111),))
    found = epc_authentication(results_of(tmp_path, table, "epc.alphas=3"))
    assert verdict(found, FOOTNOTE) == "holds"
    assert verdict(found, ROUNDED) == "does not hold"


def test_footnote_in_numbers(page):
    row = next(row for row in rows(page, "paper_claims") if FOOTNOTE in row[1])
    assert row[2:4] == ["0.110; 0.107", "z = 1.72, two-sided p = .085 (.022 to .25), one-sided .043"]
    z, p = proportions_ztest([0.110 * 63573, 0.107 * 63573], [63573, 63573])
    assert claims.two_rates(*claims.FOOTNOTE) == (pytest.approx(z, abs=1e-9), pytest.approx(p, abs=1e-9))


def test_the_figure_shows_the_points_and_a_straight_line_of_equal_hter(table, page):
    figure = found(page, "paper_rates")
    assert not [one for one in figure.series if one.kind == "band"]
    for kind, split in (("points", "dev"), ("rings", "test")):
        for one in (s for s in figure.series if s.kind == kind):
            model = one.label.removeprefix("Model ")
            alarms, misses = at(table, model, chosen(table, model, split, "EER"))
            assert (one.x[0], one.y[0]) == (
                pytest.approx(alarms / 6, abs=1e-4),
                pytest.approx(misses / 1.5, abs=1e-4),
            )
    lines = [one for one in figure.series if one.kind == "guide" and not one.label]
    assert len(lines) == 2
    for line in lines:
        assert np.ptp(np.array(line.x) + line.y) < 1e-3
    assert "Rings: the best possible on the test set (optimistic)." in figure.caption


def test_one_model_three_models_and_two_datasets(table, tmp_path):
    alone = epc_authentication(results_of(tmp_path / "one", table.filter(model="A"), "models=null"))
    assert [type(block) for block in alone] == [Prose, Prose]
    third = pl.concat([table, table.filter(model="B").with_columns(model=pl.lit("C"))])
    of_three = epc_authentication(results_of(tmp_path / "three", third, "epc=none"))
    assert "the first two of 3" in of_three[0].text
    assert verdict(of_three, COSTS) == verdict(of_three, EQUATION) == "not decided here"
    two = pl.concat([small(seed=k, dataset=f"set {k}") for k in (1, 2)])
    of_two = epc_authentication(results_of(tmp_path / "two", two, "epc=none"))
    names = [block.name for block in flat(of_two) if isinstance(block, Table | Figure)]
    assert len(names) == len(set(names)) == 8
    assert [block.title for block in of_two[1:]] == ["set 1", "set 2"]


def test_without_dev_or_a_class_nothing_is_claimed(table, tmp_path):
    empty = table.filter((pl.col("split") == "dev") | (pl.col("label") == "target"))
    found = epc_authentication(results_of(tmp_path, empty))
    for says in (DET, COSTS, CLASS_ERROR, TWO, OPTIMISTIC, AREA):
        assert verdict(found, says) == "not decided here", says
