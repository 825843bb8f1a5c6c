"""What a report says where folds choose the thresholds, and in the words of a medical test."""

import itertools

import numpy as np
import pytest
from build import build
from reading import anchors, every_block, table
from snapshot import snapshot

from reporting.document.blocks import Figure, Prose, Table
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.curves.rates import OFF_THE_CURVE

N = 60


def trials(*, fold=False):
    rng = np.random.default_rng(5)
    return [
        {"model": model, "split": "test", "trial": f"{i}", "label": i % 3 == 0}
        | {"score": float(rng.normal() + (1 + at) * (i % 3 == 0)), "speaker": f"s{i % 12}"}
        | ({"fold": f"f{i % 4}"} if fold else {})
        for (at, model), i in itertools.product(enumerate(("Elisa", "NDKA")), range(N))
    ]


KEYS = "epc: none\nmeasures: [hter, auc, youden]\ncriteria: ['best(measure=youden)']\nbaseline: Elisa\ncurves: [roc]\n"
DEALT = "thresholds: {policy: kfold, folds: 5}\n"
GIVEN = "thresholds: {policy: kfold, column: fold}\n"
AUC_FIRST = "primary: {measure: auc}\n"
MEDICAL = "report: {vocabulary: medical}\n"


@pytest.fixture(scope="module")
def medical(tmp_path_factory):
    return build(tmp_path_factory.mktemp("medical"), trials(), KEYS + DEALT + AUC_FIRST + MEDICAL)


def test_folds_that_are_dealt_are_named_where_thresholds_are(tmp_path):
    built = build(tmp_path, trials(), KEYS + DEALT + AUC_FIRST)
    report = compose(built.results)
    snapshot("features/folds_folds_that_are_dealt_are_named_where_thresholds_are", report.data_line)
    (roc,) = [figure for figure in every_block(report, Figure) if figure.name == "roc"]
    assert "thresholds cross-validated over 5 folds (maximum Youden's J)." in roc.caption
    assert roc.caption.endswith(OFF_THE_CURVE)
    prose = " ".join(block.text for block in every_block(report, Prose))
    assert "Trials were dealt to the folds at random (seed 1)" in prose  # fmt: skip
    assert "all other folds (5 folds)" in prose


def test_folds_of_a_column_mean_scores_out_of_fold(tmp_path):
    report = compose(build(tmp_path, trials(fold=True), KEYS + GIVEN + AUC_FIRST).results)
    snapshot("features/folds_folds_of_a_column_mean_scores_out_of_fold", report.data_line)
    prose = " ".join(block.text for block in every_block(report, Prose))
    assert "taken to be predicted out of fold" in prose
    assert "dealt" not in prose


def test_a_name_in_a_heading_keeps_its_capitals(tmp_path):
    report = compose(build(tmp_path, trials(), KEYS + DEALT + AUC_FIRST).results)
    assert "comparisons" in [section.anchor for section in report.sections]
    captions = [each.caption for each in every_block(report, Table)]
    (caption,) = [caption for caption in captions if caption.startswith("Differences from Elisa")]
    assert "at thresholds cross-validated over 5 folds (maximum Youden's J)" in caption


def test_a_medical_report_counts_patients_and_prints_specificity_and_cutoffs(medical):
    report = compose(medical.results)
    assert report.data_line.startswith(
        "60 patients (20 with the condition, 40 without the condition); cutoffs"
    )
    points = table(report, "operating_points_1")
    titles = [column.title for column in points.columns]
    assert titles[:5] == ["model", "specificity", "false positives", "sensitivity", "false negatives"]
    (view,) = views(medical.results)
    for row in points.rows:
        model = row[0].text
        (far,) = [
            r for r in view.metrics if r.measure == "far" and r.model == model and r.split == "test"
        ] or [None]
        errors = int(row[2].text), int(row[4].text)
        assert (row[1].order, row[3].order) == pytest.approx((1 - errors[0] / 40, 1 - errors[1] / 20))
        assert far is None or row[1].order == pytest.approx(1 - far.value)
    assert any("cutoff" in note for note in points.notes)
    assert "methods" in anchors(report)
    prose = " ".join(block.text for block in every_block(report, Prose))
    assert "A patient is positive if its score is at or above the cutoff." in prose


def test_the_complement_of_an_error_rate_has_the_complement_of_its_interval(tmp_path):
    keys = KEYS.replace("[hter, auc", "[far, frr, hter, auc") + DEALT + AUC_FIRST
    errors = table(compose(build(tmp_path, trials(), keys).results), "operating_points_1")
    correct = table(compose(build(tmp_path, trials(), keys + MEDICAL).results), "operating_points_1")
    for wrong, right in zip(errors.rows, correct.rows, strict=True):
        for at in (1, 3):
            low, high = (float(end) for end in wrong[at].beneath.strip("[]").split(", "))
            assert float(right[at].text) == pytest.approx(100 - float(wrong[at].text), abs=0.11)
            ends = [float(end) for end in right[at].beneath.strip("[]").split(", ")]
            assert ends == pytest.approx([100 - high, 100 - low], abs=0.11)


def test_the_signature_names_clusters_as_the_report_does(tmp_path):
    keys = "trials: {source: trials.parquet, columns: {cluster: speaker}, clusters: {name: talker}}\nmeasures: [auc]\nepc: none\n"
    report = compose(build(tmp_path, trials(), keys + DEALT + AUC_FIRST).results)
    assert "resamples of talkers |" in report.signature
