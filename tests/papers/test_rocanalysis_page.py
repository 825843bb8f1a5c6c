"""The page on ROCAnalysis.jl: its numbers by plain NumPy, and each verdict on data where it turns."""

import math

import numpy as np
import polars as pl
import pytest
from paper_results import results_of, shipped
from scipy import stats
from scipy.optimize import isotonic_regression
from scipy.special import expit

from configs.papers.rocanalysis import claims, hand
from configs.papers.rocanalysis import data as example
from configs.papers.rocanalysis.page import rocanalysis
from configs.papers.rocanalysis.seen import README, actual_parts, least_parts, seen
from reporting.core.stats import likelihood
from reporting.core.stats.staircase import cumulate, group_ties
from reporting.document.blocks import Figure, Prose, Section, Table
from reporting.document.frames.metrics import METRICS
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.likelihood_ratios.frame import COST
from reporting.render.formats import render_all


def table_of(targets, nontargets, second=2.0, decimals=3):
    """A trial table of drawn scores on test, and the same on dev; the second model by factor or function."""
    score = np.round(np.concatenate((targets, nontargets)), decimals)
    other = second(score) if callable(second) else second * score
    n = len(score)
    label = ["target"] * len(targets) + ["nontarget"] * len(nontargets)
    return pl.concat(
        pl.DataFrame(
            {
                "model": [model] * n,
                "split": [split] * n,
                "trial": [f"{k:06d}" for k in range(n)],
                "label": label,
                "score": values,
            }
        )
        for model, values in (("calibrated", score), ("doubled", other))
        for split in ("dev", "test")
    )


def results(folder, table, *overrides):
    return results_of(folder, shipped("rocanalysis"), table, *overrides)


RNG = np.random.default_rng(11)
TARGETS, NONTARGETS = RNG.normal(2, 2, 1000), RNG.normal(-2, 2, 8000)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return results(tmp_path_factory.mktemp("usual"), table_of(TARGETS, NONTARGETS))


@pytest.fixture(scope="module")
def reversed_(tmp_path_factory):
    """Few trials of classes that stand the other way round; the second model has scores of its own."""
    rng = np.random.default_rng(3)
    table = table_of(rng.normal(-2, 2, 60), rng.normal(2, 2, 60), lambda s: np.round(np.sin(9 * s), 3))
    return results(tmp_path_factory.mktemp("reversed"), table)


@pytest.fixture(scope="module")
def separated(tmp_path_factory):
    rng = np.random.default_rng(4)
    return results(
        tmp_path_factory.mktemp("separated"), table_of(rng.normal(30, 1, 200), rng.normal(-30, 1, 200))
    )


def blocks(found, kind):
    for block in found:
        if isinstance(block, Section):
            yield from blocks(block.blocks, kind)
        elif isinstance(block, kind):
            yield block


def table_called(page, name):
    return next(one for one in blocks(page, Table) if one.name == name)


def verdict(found, begins):
    rows = table_called(rocanalysis(found), "paper_claims").rows
    (row,) = [row for row in rows if row[1].text.startswith(begins)]
    return row[4].text.split(";")[0]


HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided here"


def score_and_label(table, model="calibrated"):
    rows = table.filter(model=model, split="test")
    return rows["score"].to_numpy(), rows["label"].to_numpy() == "target"


# --- the numbers, by plain NumPy ------------------------------------------------------------------


def by_numpy(score, label):
    """EER by the crossing, error area, costs and Cllr straight from the scores."""
    tar, non = score[label], score[~label]
    at = np.concatenate((np.unique(score), [np.inf]))
    frr = np.array([(tar < t).mean() for t in at])
    far = np.array([(non >= t).mean() for t in at])
    k = int(np.argmax(frr > far)) - 1
    gap = far - frr
    eer = far[k] + gap[k] * (far[k + 1] - far[k]) / (gap[k] - gap[k + 1])
    above = (tar[:, None] < non).mean() + 0.5 * (tar[:, None] == non).mean()
    cost = [0.1 * (tar < t).mean() + 0.99 * (non >= t).mean() for t in (math.log(9.9), 0.0)]
    cllr = (np.log2(1 + np.exp(-tar)).mean() + np.log2(1 + np.exp(non)).mean()) / 2
    return {
        "eer(tar, non)": eer,
        "auc(r)": above,
        "AUC(r)": 1 - above,
        "plo(d)": -math.log(9.9),
        "dcf(tar, non, d=d)": cost[0],
        "dcf(tar, non, d=d, thres=0)": cost[1],
        "mindcf(r, d=d)": (0.1 * frr + 0.99 * far).min(),
        "cllr(tar, non)": cllr,
    }


def test_the_calls_are_what_numpy_finds(usual):
    score, label = score_and_label(table_of(TARGETS, NONTARGETS))
    rows = {row[0].text: row for row in table_called(rocanalysis(usual), "rocanalysis_calls").rows}
    for call, known in by_numpy(score, label).items():
        assert rows[call][4].order == pytest.approx(known, abs=1e-12), call
    assert rows["eerch(r)"][4].order == pytest.approx(rows["eer(tar, non)"][4].order, abs=0.01)
    twice = (np.log2(1 + np.exp(-2 * score[label])).mean(), np.log2(1 + np.exp(2 * score[~label])).mean())
    assert rows["cllr(2tar, 2non)"][4].order == pytest.approx(sum(twice) / 2, abs=1e-12)


def test_the_theory_column_is_the_theory(usual):
    rows = {row[0].text: row[2].order for row in table_called(rocanalysis(usual), "rocanalysis_calls").rows}
    assert rows["eer(tar, non)"] == pytest.approx(stats.norm.cdf(-1), abs=1e-12)
    assert rows["auc(r)"] == pytest.approx(0.0786496, abs=1e-7)
    assert rows["dcf(tar, non, d=d)"] == pytest.approx(0.0715810522, abs=1e-10)
    assert rows["mindcf(r, d=d)"] == pytest.approx(0.0715810522, abs=1e-10)
    assert rows["cllr(tar, non)"] == pytest.approx(0.5140558458670648, abs=1e-12)
    assert rows["cllr(2tar, 2non)"] > 0.6
    assert (example.MEAN, example.SPREAD) == README


def test_the_costs_at_seven_priors(usual):
    score, label = score_and_label(table_of(TARGETS, NONTARGETS))
    rows = table_called(rocanalysis(usual), "rocanalysis_priors").rows
    assert [row[0].text for row in rows] == ["0.001", "0.01", "0.1", "0.5", "0.9", "0.99", "0.999"]
    for row in rows:
        p = float(row[0].text)
        t = -math.log(p / (1 - p))
        cost = p * (score[label] < t).mean() + (1 - p) * (score[~label] >= t).mean()
        assert row[2].text == f"{cost:.6f}"
        assert row[4].text == f"{cost / min(p, 1 - p):.4f}"
        known = p * stats.norm.cdf((t - 2) / 2) + (1 - p) * stats.norm.sf((t + 2) / 2)
        assert row[3].text == f"{known:.6f}"


def test_both_parts_of_the_bayes_error_are_counted_rates(usual):
    score, label = score_and_label(table_of(TARGETS, NONTARGETS))
    one, _ = seen(views(usual)[0])
    parts = actual_parts(one)
    frr = np.array([(score[label] < -tau).mean() for tau in parts.prior_log_odds])
    far = np.array([(score[~label] >= -tau).mean() for tau in parts.prior_log_odds])
    assert parts.misses == pytest.approx(expit(parts.prior_log_odds) * frr, abs=1e-12)
    assert parts.false_alarms == pytest.approx(expit(-parts.prior_log_odds) * far, abs=1e-12)
    least = least_parts(one)
    total = one.priors["min_bayes_error"].to_numpy()
    assert least.misses + least.false_alarms == pytest.approx(total, abs=1e-14)


def test_mincllr_with_laplace_from_the_hull_is_that_of_all_scores(usual, separated):
    for found in (usual, separated):
        one, _ = seen(views(found)[0])
        assert one.mincllr_with_laplace > one.number("mincllr")
    score, label = score_and_label(table_of(TARGETS, NONTARGETS))
    distinct, p, n, _ = group_ties(score, label)
    assert len(distinct) < len(score)
    one, _ = seen(views(usual)[0])
    whole = likelihood.mincllr(*cumulate(p, n), laplace=True)
    assert one.mincllr_with_laplace == pytest.approx(float(whole), abs=1e-13)
    share = np.concatenate(([1, 0], p / (p + n), [1, 0]))
    weight = np.concatenate(([1, 1], p + n, [1, 1]))
    post = isotonic_regression(share, weights=weight).x[2:-2]
    ratio = np.log(post / (1 - post)) - math.log(label.sum() / (~label).sum())
    cost = (p @ np.log2(1 + np.exp(-ratio)) / p.sum() + n @ np.log2(1 + np.exp(ratio)) / n.sum()) / 2
    assert one.mincllr_with_laplace == pytest.approx(cost, abs=1e-12)


def test_the_det_falls_by_the_ratio_of_spreads():
    """On the corners of exact normal quantiles the line is the theory's."""
    one = _OfDet(np.linspace(-4, 1, 400), -2 - 0.5 * np.linspace(-4, 1, 400))
    assert one.det_line == pytest.approx((-0.5, -2), abs=1e-12)


class _OfDet:
    def __init__(self, x, y):
        self.det = x, y

    from configs.papers.rocanalysis.seen import Seen

    det_line = Seen.det_line


def test_the_slope_of_the_llr_plot(usual):
    one, doubled = seen(views(usual)[0])
    assert one.llr_slope == pytest.approx(1, abs=0.15)
    assert doubled.llr_slope == pytest.approx(one.llr_slope / 2, abs=1e-12)


# --- the verdicts, either way ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "begins",
    [
        "eer() of the example", "eerch() is the maximum", "The DET of two", "d′", "auc() is",
        "DCF(0.01", "The threshold −plo", "Calibrated scores", "EER and AUC", "Cllr is 1",
        "The LLR plot",
    ],
)  # fmt: skip
def test_what_holds_on_the_readme_s_law(usual, begins):
    assert verdict(usual, begins) == HOLDS


@pytest.mark.parametrize(
    "begins",
    [
        "Its slope", "That is the area", "The area under the red", "The area under the green",
        "mincllr() falls", "mincllr() sums", "Trials at", "Of a distance",
    ],
)  # fmt: skip
def test_what_does_not_hold_on_the_readme_s_law(usual, begins):
    assert verdict(usual, begins) == FAILS


def test_every_correction_has_its_note(usual):
    notes = table_called(rocanalysis(usual), "paper_claims").notes
    assert len(notes) == 7
    for words in ("minus sign", "1 − AUC", "2 ln 2", "at either end", "No decision rule", "−d", "type I "):
        assert any(words in note for note in notes), words


@pytest.mark.parametrize(
    "begins", ["eer() of the example", "Joining", "auc() is", "EER and AUC", "The DET of two"]
)
def test_what_does_not_hold_the_other_way_round(reversed_, begins):
    assert verdict(reversed_, begins) == FAILS


def test_runs_are_joined_where_one_class_is_rare(tmp_path):
    found = results(tmp_path, table_of(TARGETS[:100], NONTARGETS, decimals=6), "measures=[cllr]")
    assert verdict(found, "Joining") == HOLDS


def test_reversed_scores_have_the_printed_area_as_usual_auc(reversed_):
    assert verdict(reversed_, "That is the area") == HOLDS


def test_separated_scores_leave_no_area_to_differ(separated):
    assert verdict(separated, "The area under the red") == HOLDS
    assert verdict(separated, "The area under the green") == HOLDS
    assert verdict(separated, "The threshold −plo") == FAILS


def test_scores_without_information_leave_laplace_nothing_to_temper(tmp_path):
    score = np.zeros(500)
    found = results(tmp_path, table_of(score, score))
    assert verdict(found, "mincllr() sums") == HOLDS
    assert verdict(found, "The DET of two") in (FAILS, OPEN)
    assert verdict(found, "Its slope") == OPEN


def test_a_steep_ratio_near_zero_would_fit_without_its_sign(tmp_path):
    rng = np.random.default_rng(5)
    found = results(tmp_path, table_of(rng.normal(1, 2, 1500), rng.normal(0, 0.1, 1500), decimals=4))
    assert verdict(found, "Its slope") == HOLDS


def test_the_maximum_over_priors_is_read_off_the_curve(usual):
    moved = usual.frame(COST).with_columns(pl.col("min_bayes_error") + 0.01)
    assert verdict(usual.with_frames({COST: moved}), "eerch() is the maximum") == FAILS


@pytest.mark.parametrize(("share", "expected"), [(0.5, HOLDS), (1.0, OPEN), (2.0, FAILS)])
def test_steadier_means_a_clearly_narrower_interval(usual, share, expected):
    crossing = (
        usual.frame(METRICS).filter(model="calibrated", split="test", measure="eer_interp").row(0, named=True)
    )
    high = crossing["ci_low"] + share * (crossing["ci_high"] - crossing["ci_low"])
    at = pl.col("measure") == "eer_rocch"
    changed = usual.frame(METRICS).with_columns(
        pl.when(at).then(crossing["ci_low"]).otherwise(pl.col("ci_low")).alias("ci_low"),
        pl.when(at).then(high).otherwise(pl.col("ci_high")).alias("ci_high"),
    )
    assert verdict(usual.with_frames({METRICS: changed}), "eerch() tends") == expected


def test_costs_of_two_alike_models_do_not_show_calibration(tmp_path):
    found = results(tmp_path, table_of(TARGETS[:200], NONTARGETS[:800], second=1.0))
    assert verdict(found, "Calibrated scores") == FAILS


# --- the hand sets --------------------------------------------------------------------------------


def test_who_errs_at_a_tie_by_hand():
    rates = hand.counted_at_ties()
    assert rates["both"] == pytest.approx((3 / 5, 2 / 6))
    assert rates["accepted"] == pytest.approx((1 / 5, 2 / 6))
    assert rates["rejected"] == pytest.approx((3 / 5, 1 / 6))


def test_signed_distances_by_hand():
    assert hand.area_of_distances(inverse=False) == 1
    assert hand.area_of_distances(inverse=True) == 0.5


def test_separated_classes_by_hand():
    assert hand.separated_mincllr(2, laplace=False) == 0
    # Below: a target and three non-targets share an LLR of log(1/2) - log(3/2); above the other way.
    assert hand.separated_mincllr(2, laplace=True) == pytest.approx(math.log2(1 + 1 / 3), abs=1e-14)
    assert hand.cllr_without_information() == 1


@pytest.mark.parametrize(
    ("name", "other", "begins"),
    [
        ("TIED_AT", 2.0, "Trials at"),
        ("DISTANCES", ((1.0, 1.5), (2.0, 3.0)), "Of a distance"),
        ("separated_mincllr", lambda trials, laplace: 0.0, "mincllr() falls"),
    ],
)
def test_other_sets_decide_the_other_way(usual, monkeypatch, name, other, begins):
    monkeypatch.setattr(hand, name, other)
    assert verdict(usual, begins) == HOLDS


def test_another_cost_is_not_that_of_2008(usual, monkeypatch):
    monkeypatch.setattr(claims, "DCF", (0.01, 1.0, 10.0))
    assert verdict(usual, "DCF(0.01") == FAILS
    monkeypatch.setattr(hand, "cllr_without_information", lambda: 0.9)
    assert verdict(usual, "Cllr is 1") == FAILS


# --- the page -------------------------------------------------------------------------------------


def test_the_page_has_citation_tables_and_figures(usual):
    page = rocanalysis(usual)
    assert isinstance(page[0], Prose)
    assert "van Leeuwen" in page[0].text
    assert "1,000 targets and 8,000 non-targets" in page[0].text
    names = [figure.name for figure in blocks(page, Figure)]
    assert names == ["rocanalysis_det", "rocanalysis_nbe"]
    for figure in blocks(page, Figure):
        assert any(digit in figure.alt for digit in "0123456789")
    nbe = list(blocks(page, Figure))[1]
    assert {s.label for s in nbe.series if s.kind == "line"} == {
        f"{which}{part}" for which in ("actual", "least") for part in ("", ": misses", ": false alarms")
    }


def test_less_asked_for_leaves_blanks_and_no_fault(tmp_path):
    asked = (
        'curves=["pr"]', "operating_points=[]", "significance.bands=none", 'measures=["cllr"]', "criteria=[]",
    )  # fmt: skip
    found = results(tmp_path, table_of(TARGETS[:50], NONTARGETS[:100]), *asked)
    page = rocanalysis(found)
    assert next(iter(blocks(page, Figure))).name == "rocanalysis_det"
    assert verdict(found, "The area under the red") == OPEN
    assert verdict(found, "auc() is") == OPEN
    assert any("not asked for" in one.text for one in blocks(page, Prose))


def test_one_model_and_hostile_names(tmp_path):
    hostile = "a_b&%$#{}~^\\<script>"
    table = table_of(TARGETS[:80], NONTARGETS[:200]).filter(model="calibrated")
    found = results(
        tmp_path, table.with_columns(model=pl.lit(hostile)), "models={}", "baseline=null", 'curves=["ape"]'
    )
    page = rocanalysis(found)
    assert all("doubled" not in row[0].text for row in table_called(page, "rocanalysis_calls").rows)
    assert verdict(found, "EER and AUC") == OPEN
    files = render_all(compose(found), found.provenance, ("html", "latex"), interactive=False)
    html = next(text for path, text in files.items() if str(path).endswith(".html"))
    html = html.decode() if isinstance(html, bytes) else html
    assert "&lt;script&gt;" in html
    assert hostile not in html


def test_one_class_alone_is_said_not_raised(tmp_path):
    table = table_of(TARGETS[:30], NONTARGETS[:30])
    test = pl.col("split") == "test"
    alone = table.filter(~test | (pl.col("label") == "target"))
    page = rocanalysis(results(tmp_path, alone))
    assert list(blocks(page, Figure)) == []
