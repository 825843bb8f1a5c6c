"""Laws of several classes on small tables of many ties, and the numbers of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.execution import SerialExecutor
from reporting.core.counts.ranks import Ranks
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.sweep import AP_STEP, AUC
from reporting.core.measures.threshold import F1, PRECISION, RECALL, SPECIFICITY
from reporting.core.resampling.bootstrap import BinnedCells, Sweep, Task, resample
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.settings import Inference
from reporting.features.classes.frame import CLASSES
from reporting.features.classes.keys import Classes
from reporting.features.classes.measured import Estimated, MeasuredClasses
from reporting.features.classes.read import ClassTrials, ModelRun
from tests.build import build

RUN = ModelRun("m", "")
Values = dict[tuple[str, str, int | None], Estimated]


def values_of(
    truth: IntArray, score: FloatArray, weight: IntArray | None = None, further: tuple[str, ...] = ()
) -> Values:
    """Return every number of a model, by measure, average and place of the class."""
    labels = tuple("abcdefgh"[: score.shape[1]])
    of = Ranks(label=truth == 0, unit_a=None, rank={}, paired=True, weight=weight)
    study = Study("", Primary(AUC, None), (), (AUC,), None, inference=Inference(replicates=49))
    classes = Classes(labels, "{class}", measures=tuple(map(read_measure, further)))
    measured = MeasuredClasses(
        ClassTrials("", labels, of, truth, {RUN: score}), study.with_key("classes", classes), SerialExecutor()
    )
    return {(str(of.measure), of.average, of.place): value for of, value in measured.estimates([RUN])}


@st.composite
def tables(draw: Callable[..., Any], least: int = 2, most: int = 4) -> tuple[IntArray, FloatArray]:
    """Draw the classes of some trials, each of which occurs, and scores in quarters: there are always ties."""
    k = draw(st.integers(least, most))
    n = draw(st.integers(k, 14))
    truth = [*range(k), *draw(st.lists(st.integers(0, k - 1), min_size=n - k, max_size=n - k))]
    scores = draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n))
    return np.array(truth), np.array(scores, dtype=np.float64) / 4


def points(values: Values) -> dict[tuple[str, str, int | None], float]:
    return {key: of.value for key, of in values.items()}


@given(tables(), st.randoms(use_true_random=False))
def test_another_order_of_classes_moves_no_area(table: tuple[IntArray, FloatArray], random: Any) -> None:
    truth, score = table
    order = list(range(score.shape[1]))
    random.shuffle(order)
    place = np.argsort(order)
    first, other = points(values_of(truth, score)), points(values_of(place[truth], score[:, order]))
    for (measure, average, at), value in first.items():
        if measure in ("auc", "ap_step"):
            moved = None if at is None else int(place[at])
            assert other[measure, average, moved] == pytest.approx(value, abs=1e-12, nan_ok=True)


@given(tables(3, 3))
def test_means_are_those_of_the_classes(table: tuple[IntArray, FloatArray]) -> None:
    truth, score = table
    values, n = points(values_of(truth, score)), np.bincount(truth, minlength=3)
    for measure in ("auc", "ap_step", "recall", "precision", "specificity", "f1"):
        of_classes = np.array([values[measure, "class", place] for place in range(3)])
        assert values[measure, "macro", None] == pytest.approx(of_classes.mean(), abs=1e-12, nan_ok=True)
        weighted = (of_classes * n).sum() / n.sum()
        assert values[measure, "weighted", None] == pytest.approx(weighted, abs=1e-12, nan_ok=True)
    # Of one label a trial, the share of right top labels is micro recall, precision and F1 alike.
    right = (score.argmax(axis=1) == truth).mean()
    assert values["accuracy", "micro", None] == pytest.approx(right, abs=1e-12)
    assert values["recall", "weighted", None] == pytest.approx(right, abs=1e-12)


@given(tables(2, 4))
def test_resamples_obey_the_same_laws(table: tuple[IntArray, FloatArray]) -> None:
    values, k = values_of(*table, further=("hter", "mcc", "pauc(far_max=0.5)")), table[1].shape[1]
    for measure in ("auc", "recall", "f1", "hter", "mcc", "pauc(far_max=0.5)"):
        of_classes = [values[measure, "class", place].replicates for place in range(k)]
        np.testing.assert_allclose(
            values[measure, "macro", None].replicates, np.mean(of_classes, axis=0), atol=1e-12
        )


@given(tables(2, 5), st.booleans(), st.booleans())
def test_resamples_are_those_of_one_class_after_the_other(
    table: tuple[IntArray, FloatArray], weighted: bool, clustered: bool
) -> None:
    """Resamples of areas and decisions of all classes, read at once, are those of plain formulas per class."""
    truth, score = table
    weight = 1 + np.arange(len(truth)) % 3 if weighted else None
    unit = (np.arange(len(truth)) % 6).astype(np.uint32) if clustered else None
    of = Ranks(label=truth == 0, unit_a=unit, rank={}, paired=True, weight=weight)
    study = Study("", Primary(AUC, None), (), (AUC,), None, inference=Inference(replicates=29))
    trials = ClassTrials("", tuple("abcdefgh"[: score.shape[1]]), of, truth, {RUN: score})
    measured = MeasuredClasses(trials, study, SerialExecutor())
    sweeps: dict[tuple[str, ...], tuple[Sweep, ...]] = {}
    bins: dict[tuple[tuple[str, ...], str], BinnedCells] = {}
    for place, against in measured.against.items():
        model, is_class = against.models[RUN], against.ranks.label
        cells = cells_of(measured.units, is_class, weight, model.rank, len(model.test.n_target))
        sweeps[str(place),] = (Sweep(cells, dict.fromkeys((AUC, AP_STEP))),)
        taken = cells_of(measured.units, is_class, weight, (measured.top[RUN] == place).astype(np.int64), 2)
        bins[(str(place),), "top"] = BinnedCells(taken, np.zeros(1, dtype=np.int64))
    plain = resample(Task(measured.units, bins, sweeps, 1), 29, SerialExecutor())
    for place in measured.against:
        for measure in (AUC, AP_STEP, RECALL, PRECISION, F1, SPECIFICITY):
            found = measured.by_class(RUN, measure).replicates[:, place]
            if measure in (AUC, AP_STEP):
                expected = plain.sweeps[str(place),][measure]
            else:
                expected = plain.errors[(str(place),), "top"].values(measure)[:, 0]
            np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=str(measure))


RATES = "npv", "error_rate", "youden"
FURTHER = *RATES, "gini", "pauc", "brier", "log_loss"


def test_two_classes_are_the_binary_question(tmp_path: Path) -> None:
    """Scores p and 1 - p: areas and their limits are those of the report, of either class."""
    random = np.random.default_rng(5)
    truth = random.choice(2, 90, p=[0.4, 0.6])
    p = np.round(np.clip(0.3 * truth + random.normal(0.35, 0.2, 90), 0, 1), 1)
    rows = pl.DataFrame({"trial": [f"t{at:02}" for at in range(90)], "label": [f"c{of}" for of in truth],
                         "m_c1": p, "m_c0": 1 - p, "speaker": [f"s{at % 12}" for at in range(90)]})  # fmt: skip
    for more in ("", ", cluster: speaker"):
        config = f"""
        trials:
          source: trials.parquet
          layout: wide
          columns: {{trial: trial{more}}}
          scores: {{m: m_c1}}
          values: {{target: c1, nontarget: rest}}
        thresholds: {{policy: none}}
        primary: {{measure: auc}}
        measures: [auc, ap_step, hter, {", ".join(FURTHER)}]
        criteria: [fixed(threshold=0.5)]
        classes: {{labels: [c1, c0], scores: "{{model}}_{{class}}", measures: [{", ".join(FURTHER)}]}}
        models: {{m: {{scale: probability}}}}
        """
        built = build(tmp_path / f"with{len(more)}", rows, config)
        frame = built.frames["metrics"].filter(split="test", group="")
        of_report = {row["measure"]: row for row in frame.iter_rows(named=True)}
        of_classes = {(row.measure, row.average, row.label): row for row in built.rows(CLASSES)}
        for measure in ("auc", "ap_step", *FURTHER):
            if more and measure in RATES:  # whose dependence is seen at the score .5, and here by top label
                continue
            row, whole = of_classes[measure, "class", "c1"], of_report[measure]
            assert row.ci_method == whole["ci_method"]
            for name in ("value", "ci_low", "ci_high"):
                assert getattr(row, name) == pytest.approx(whole[name], abs=1e-14), (measure, name)
        balanced, half = of_classes["recall", "macro", None], of_report["hter"]
        assert balanced.value == pytest.approx(1 - half["value"], abs=1e-12)
        assert balanced.ci_low == pytest.approx(1 - half["ci_high"], abs=1e-12)
        assert balanced.ci_high == pytest.approx(1 - half["ci_low"], abs=1e-12)
        assert of_classes["auc", "class", "c0"].value == pytest.approx(of_report["auc"]["value"], abs=1e-12)
        assert of_classes["auc", "macro", None].value == pytest.approx(of_report["auc"]["value"], abs=1e-12)


@pytest.mark.parametrize("are_weighted", [False, True])
def test_scikit_learn_gives_the_same_numbers(are_weighted: bool) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(2)
    truth = random.choice(4, 400, p=[0.4, 0.3, 0.2, 0.1])
    score = np.round(np.exp(random.normal(0, 1, (400, 4)) + 1.2 * np.eye(4)[truth]), 1) + 0.1
    score = score / score.sum(axis=1, keepdims=True)
    weight = random.integers(1, 4, 400) if are_weighted else None
    further = "precision", "f1", "jaccard", "mcc", "kappa", "brier", "log_loss"
    values = points(values_of(truth, score, weight, further))
    top, is_class = score.argmax(axis=1), np.eye(4)[truth]
    more = {} if weight is None else {"sample_weight": weight}
    theirs = {
        ("auc", "macro"): metrics.roc_auc_score(truth, score, multi_class="ovr", average="macro", **more),
        ("auc", "weighted"): metrics.roc_auc_score(
            truth, score, multi_class="ovr", average="weighted", **more
        ),
        ("auc", "micro"): metrics.roc_auc_score(truth, score, multi_class="ovr", average="micro", **more),
        ("ap_step", "macro"): metrics.average_precision_score(is_class, score, average="macro", **more),
        ("ap_step", "weighted"): metrics.average_precision_score(is_class, score, average="weighted", **more),
        ("ap_step", "micro"): metrics.average_precision_score(is_class, score, average="micro", **more),
        ("precision", "macro"): metrics.precision_score(truth, top, average="macro", **more),
        ("f1", "macro"): metrics.f1_score(truth, top, average="macro", **more),
        ("f1", "weighted"): metrics.f1_score(truth, top, average="weighted", **more),
        ("recall", "macro"): metrics.balanced_accuracy_score(truth, top, **more),
        ("accuracy", "micro"): metrics.accuracy_score(truth, top, **more),
        ("precision", "micro"): metrics.precision_score(truth, top, average="micro", **more),
        ("f1", "micro"): metrics.f1_score(truth, top, average="micro", **more),
        **{
            ("jaccard", average): metrics.jaccard_score(truth, top, average=average, **more)
            for average in ("macro", "weighted", "micro")
        },
    }
    own = {
        "mcc": metrics.matthews_corrcoef,
        "kappa": metrics.cohen_kappa_score,
        "brier": metrics.brier_score_loss,
        "log_loss": metrics.log_loss,
    }
    for measure, function in own.items():
        for place in range(4):
            decided = score[:, place] if measure in ("brier", "log_loss") else top == place
            value = function(is_class[:, place], decided, **more)
            assert values[measure, "class", place] == pytest.approx(value, abs=1e-12), (measure, place)
    for (measure, average), value in theirs.items():
        assert values[measure, average, None] == pytest.approx(value, abs=1e-12), (measure, average)


def test_multiroc_gives_the_same_areas() -> None:
    """``multi_roc`` of multiROC 1.1.0 in R: AUC 1, 5/9 and 6/7 of the classes, micro 23/27.

    Its macro AUC, .7193, is the area below a mean of curves that takes the lowest of all hit rates at each false-alarm
    rate. That is below the mean of its own three areas, .8042, which scikit-learn and the report have.
    """
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    score = np.array(
        [[20, 9, 7], [26, 15, 8], [25, 22, 2], [21, 6, 13], [3, 23, 17], [12, 16, 10], [5, 11, 18],
         [4, 24, 27], [1, 19, 14]], dtype=np.float64,
    )  # fmt: skip
    values = points(values_of(truth, score))
    areas = [values["auc", "class", place] for place in range(3)]
    assert areas == pytest.approx([1.0, 0.55555555555555558, 0.85714285714285721], abs=1e-15)
    assert values["auc", "micro", None] == pytest.approx(0.85185185185185186, abs=1e-15)
    assert values["auc", "macro", None] == pytest.approx(np.mean(areas), abs=1e-15)
