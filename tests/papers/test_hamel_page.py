"""The page on Hamel's paper: its numbers by plain NumPy, and each verdict on data where it turns."""

import math
import textwrap

import numpy as np
import polars as pl
import pytest
from paper_results import results_of

from configs.papers.hamel.curve import grid_thresholds
from configs.papers.hamel.data import trials
from configs.papers.hamel.page import hamel
from configs.papers.hamel.plane import A, O, cheaper_below, region
from configs.papers.hamel.skew import paper_counts, subsample_sd
from reporting.core.stats import confusion
from reporting.document.blocks import Figure, Section, Table

CONFIG = """
    trials: {source: trials.parquet, values: {target: target, nontarget: nontarget}}
    baseline: five
    models: {five: {scale: llr}, SCALES}
    primary: {measure: auc}
    criteria: ["target_frr(frr=0.1)", "best(measure=youden)", "best(measure=corner_distance)"]
    measures: [far, frr, accuracy, precision, "precision(prevalence=0.5)", auc, "frr_at_far(far=0.1)", ap_step]
    epc: none
    curves: [roc, roc_threshold]
"""


def results(folder, table, scales="six: {scale: llr}, others: {scale: llr}, all: {scale: llr}"):
    return results_of(folder, textwrap.dedent(CONFIG).replace("SCALES", scales), table)


def blocks(found, kind):
    for block in found:
        if isinstance(block, Section):
            yield from blocks(block.blocks, kind)
        elif isinstance(block, kind):
            yield block


def table_of(page, name):
    return next(one for one in blocks(page, Table) if one.name == name)


def verdicts(page):
    return {row[1].text: row[4].text.split(";")[0] for row in table_of(page, "paper_claims").rows}


def cell(table, row, column):
    at = [one.title for one in table.columns].index(column)
    return next(cells[at] for cells in table.rows if cells[0].text == row)


@pytest.fixture(scope="module")
def data():
    return trials()


@pytest.fixture(scope="module")
def page(data, tmp_path_factory):
    return hamel(results(tmp_path_factory.mktemp("hamel"), data))


def arrays(data, dataset, split, model):
    rows = data.filter(dataset=dataset, split=split, model=model)
    label = (rows["label"] == "target").to_numpy()
    score = rows["score"].to_numpy()
    return score[label], score[~label]


def area(targets, nontargets):
    below = np.searchsorted(np.sort(nontargets), targets, side="left")
    upto = np.searchsorted(np.sort(nontargets), targets, side="right")
    return float((below + upto).mean() / 2 / len(nontargets))


def test_the_papers_arithmetic():
    """Methods 13."""
    for n, expected in ((3700, (0.7750, 0.7200, 0.8000, 0.5680)), (370, (0.8773, 0.9626, 0.9302, 0.4428))):
        counts = paper_counts(n)
        found = [f(*counts) for f in (confusion.accuracy, confusion.precision, confusion.f1, confusion.mcc)]
        assert [float(one) for one in found] == pytest.approx(expected, abs=5e-5)
        assert float(confusion.recall(*counts)) == pytest.approx(0.9)
    assert subsample_sd(1295, 3700, 370) == pytest.approx(0.0235, abs=5e-5)
    draws = np.random.default_rng(1).hypergeometric(1295, 2405, 370, 20_000) / 370
    assert subsample_sd(1295, 3700, 370) == pytest.approx(draws.std(), rel=0.02)


def test_the_papers_points():
    assert (A.youden, O.youden) == (pytest.approx(0.55), pytest.approx(0.50))
    assert (A.distance, O.distance) == (pytest.approx(0.364, abs=5e-4), pytest.approx(0.453, abs=5e-4))
    assert cheaper_below(O, A) == pytest.approx(0.5)


def test_regions():
    assert [region(*at, 0.01) for at in ((0.1, 0.6), (0.6, 0.9), (0.9, 0.3), (0.3, 0.305))] == [
        "conservative",
        "liberal",
        "perverse",
        "random",
    ]


def test_the_loop_of_the_paper():
    found = grid_thresholds()
    assert len(found) == 100
    assert found[-1] == pytest.approx(0.01, abs=1e-12)
    assert -1e-14 < found[-1] - 0.01 < 0


def test_the_verdicts_on_ringnorm(page):
    said = list(verdicts(page).values())
    assert said == ["holds"] * 4 + ["does not hold"] + ["holds"] + ["does not hold"] * 5 + ["holds"]


def test_confusion_matrices_are_those_of_the_trials(data, page):
    targets, nontargets = arrays(data, "equal", "dev", "sum")
    # The threshold whose FRR on dev is nearest to .1: 370 of 3700 rejected, halfway to the next score of all.
    ordered = np.sort(np.concatenate([targets, nontargets]))
    at = np.sort(targets)[369]
    matrices = table_of(page, "paper_matrices")
    for dataset in ("equal", "tenth"):
        one, other = arrays(data, dataset, "test", "sum")
        hits = float(cell(matrices, "true positives", f"sum, {dataset}").text)
        alarms = float(cell(matrices, "false positives", f"sum, {dataset}").text)
        nearby = ordered[np.searchsorted(ordered, at) :][:6]
        cuts = [((one >= t).sum(), (other >= t).sum()) for t in (nearby[:-1] + nearby[1:]) / 2]
        assert (hits, alarms) in [tuple(map(float, cut)) for cut in cuts]
        accuracy = (hits + len(other) - alarms) / (len(one) + len(other))
        assert float(cell(matrices, "accuracy", f"sum, {dataset}").text) == pytest.approx(accuracy, abs=5e-5)


def test_areas_and_intervals(data, page):
    table = table_of(page, "paper_areas")
    for model in ("five", "sum", "square"):
        for dataset in ("equal", "tenth"):
            printed = cell(table, model, f"AUC, {dataset}").text.split()[0]
            assert float(printed) == pytest.approx(area(*arrays(data, dataset, "test", model)), abs=5e-4)
    table = table_of(page, "paper_same_point")
    wider = [row[-1].order for row in table.rows if row[0].text in ("five", "six", "others", "sum")]
    assert wider == pytest.approx([math.sqrt(10)] * 4, abs=0.2)


def test_what_is_inside_the_concavity(data, page):
    """Between the printed scores, found on dev: the area of the trials of test within them."""
    table = table_of(page, "paper_concavities_table")
    low = cell(table, "sum", "scores").order
    targets, nontargets = (side[side >= low] for side in arrays(data, "equal", "test", "sum"))
    assert cell(table, "sum", "AUC inside").order == pytest.approx(area(targets, nontargets), abs=0.003)
    inside = cell(table, "sum", "trials of test inside").order
    assert inside == pytest.approx(len(targets) + len(nontargets), abs=12)
    assert cell(table, "sum", "ranking inside").text == "worse than random"
    for proper in ("five", "six", "others", "all"):
        assert cell(table, proper, "ranking inside").text == "not shown"


def test_points_of_the_grid(data, page):
    table = table_of(page, "paper_draw_roc_table")
    for model in ("five", "six", "others", "all"):
        targets, nontargets = arrays(data, "equal", "test", model)
        grid = grid_thresholds()
        rates = [[(1 / (1 + np.exp(-side)) >= t).mean() for t in grid] for side in (nontargets, targets)]
        assert cell(table, model, "last point drawn").order == pytest.approx(rates[0][-1], abs=0.005)
        drawn = np.trapezoid(rates[1], rates[0])
        assert cell(table, model, "area under what is drawn").order == pytest.approx(drawn, abs=0.005)
        points = len(set(zip(*rates, strict=True)))
        left_out = cell(table, model, "corners").order - points
        assert cell(table, model, "left out, at least").order <= left_out + 1


def test_every_figure_speaks(page):
    figures = list(blocks(page, Figure))
    assert len({one.name for one in figures}) == len(figures) == 8
    assert all(one.caption and any(c.isdigit() for c in one.alt) for one in figures)


def other_world(kept="top"):
    """Two proper models with equal variances, one turned round, ten distinct probabilities, and skewed sets."""
    rng, n, parts = np.random.default_rng(5), 800, []
    for dataset, split in (("equal", "dev"), ("equal", "test"), ("tenth", "test")):
        if dataset == "equal":
            signal = np.concatenate([rng.normal(size=n) + 1.2, rng.normal(size=n)])
            near = signal + 0.2 * rng.normal(size=2 * n)
        order = np.argsort(signal[n:])[::-1]
        chosen = {"all": np.arange(n), "top": order[: n // 10]}["all" if dataset == "equal" else kept]
        rows = np.concatenate([np.arange(n), n + np.sort(chosen)])
        coarse = np.clip(np.floor(4 + 1.5 * (signal - 0.6)), 0, 9) / 10 + 0.05
        for model, score in {"five": near, "coarse": coarse, "wrong": -signal}.items():
            parts.append(
                pl.DataFrame(
                    {
                        "dataset": dataset,
                        "model": model,
                        "split": split,
                        "trial": [f"t{i:04d}" for i in rows],
                        "label": np.where(rows < n, "target", "nontarget"),
                        "score": np.round(score[rows], 6),
                    }
                )
            )
    return pl.concat(parts)


def test_verdicts_turn_on_other_data(tmp_path):
    """The kept non-targets are the hardest; inversion of equal variances is a reflection; ten probabilities
    lose nothing; the only concavity is the whole plane of a model below chance."""
    table = other_world()
    said = verdicts(hamel(results(tmp_path, table, "coarse: {scale: probability}")))
    assert (
        said["after down-sampling a class the model is at the same point of the ROC plane"] == "does not hold"
    )
    assert said["ROC curves do not depend on the share of the classes"] == "does not hold"
    assert said["the inverted curve is symmetric to the curve along the random line"] == "holds"
    assert said["where the curve is concave the model is worse than a random classifier"] == "holds"


def test_a_grid_that_loses_nothing(tmp_path):
    table = other_world().filter(pl.col("model") != "wrong")
    page = hamel(results(tmp_path, table.filter(dataset="equal"), "coarse: {scale: probability}"))
    drawn = table_of(page, "paper_draw_roc_table")
    assert cell(drawn, "coarse", "left out, at least").text == "0"
    assert cell(drawn, "coarse", "last point drawn").text == "(1.000, 1.000)"
    assert cell(drawn, "coarse", "area under what is drawn").text == cell(drawn, "coarse", "AUC").text
    said = verdicts(page)
    assert "random line" not in said
    assert (
        said["where the curve is concave the model is worse than a random classifier"] == "not decided here"
    )
    assert said["thresholds from 1 to 0 in steps of .01 trace the ROC curve"] == "does not hold"
    assert said["overlapping bands: the difference is not significant"] in ("holds", "does not hold")


def test_hostile_names_and_missing_parts(tmp_path):
    """One dataset, other models, one of a hostile name: the page says what it can, and skew is left out."""
    name = "</script>$&%\\x"
    table = other_world().filter(dataset="equal").with_columns(model=pl.col("model").replace({"wrong": name}))
    page = hamel(results(tmp_path, table, "coarse: {}"))
    found = {one.name for one in blocks(page, Table)}
    assert found >= {"paper_claims", "paper_points", "paper_ringnorm"}
    assert not {"paper_matrices", "paper_same_point"} & found
    assert any(name in row[0].text for row in table_of(page, "paper_concavities_table").rows)
