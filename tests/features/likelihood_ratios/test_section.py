"""A report of likelihood ratios: LR = 1 in words, and the curves that the config names, in its order."""

import dataclasses
import itertools
import re

import numpy as np
import pytest
from build import build
from reading import every_block, section, table
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.study import ModelEntry
from reporting.document.blocks import Caution, Figure, Prose, Table
from reporting.document.words.phrases import ratio_at
from reporting.document.words.view import views
from reporting.features.compose import compose

KEYS = """\
thresholds: {policy: none}
epc: none
primary: {measure: cllr}
measures: [cllr, mincllr, calibration_loss, far, frr]
report: {vocabulary: forensic}
"""
ANY = simulate(World(models=("a", "b"), pictures=False))
LOG10 = "models: {a: {scale: log10_llr}, b: {scale: log10_llr}}\n"


def pairs(n=90):
    """Trials of two models, a third of them of one source."""
    rng = np.random.default_rng(8)
    return [
        {"model": model, "split": "test", "trial": f"t{i}", "label": i % 3 == 0}
        | {"score": round(float(rng.normal(1.0 if i % 3 == 0 else -1.0, 1.2 + 0.3 * at)), 3)}
        for (at, model), i in itertools.product(enumerate("ab"), range(n))
    ]


def of(tmp_path, models, threshold, *keys):
    """The views of a report at a fixed threshold."""
    every = (KEYS, models, f"criteria: ['fixed(threshold={threshold})']\n", *keys)
    return build(tmp_path, pairs(), "".join(every)).results


def test_a_threshold_of_lr_1_is_called_so_and_its_rates_those_of_misleading_evidence(tmp_path):
    report = compose(of(tmp_path, LOG10, 0, "curves: [det]\n"))
    found = table(report, "operating_points_1")
    assert found.caption == "Errors on the test set at the fixed threshold 0 (LR = 1)."
    snapshot(
        "likelihood_ratios/section_a_threshold_of_lr_1_is_called_so_and_its_rates_those_of_misleadi",
        found.notes[-1],
    )
    (det,) = every_block(report, Figure)
    assert "Dots: the fixed threshold 0 (LR = 1)." in det.caption
    prose = " ".join(block.text for block in every_block(report, Prose))
    assert "judged at the fixed threshold 0 (LR = 1), which the configuration sets" in prose


@pytest.mark.parametrize(
    ("scales", "threshold", "text"),
    [
        (("log10_llr", "log10_llr"), 1.0, " (LR = 10)"),
        (("log10_llr", "log10_llr"), 3.0, " (LR = 1,000)"),
        (("log10_llr", "log10_llr"), -2.0, " (LR = 0.01)"),
        (("log10_llr", "log10_llr"), 400.0, ""),
        (("llr", "llr"), 2.302585093, " (LR = 10)"),
        (("llr", "log10_llr"), 0.0, " (LR = 1)"),
        (("llr", "log10_llr"), 1.0, ""),
        (("log10_llr", "score"), 0.0, ""),
    ],
)
def test_a_threshold_is_a_likelihood_ratio_where_it_is_one_for_every_model(scales, threshold, text):
    entries = tuple(ModelEntry(key, key, scale=scale) for key, scale in zip("ab", scales, strict=True))
    study = dataclasses.replace(ANY.study, models=entries)
    (view,) = views(dataclasses.replace(ANY, study=study))
    assert ratio_at(view, read_criterion(f"fixed(threshold={threshold})")) == text
    assert ratio_at(view, read_criterion("min_hter")) == ""


def test_a_measure_of_the_scores_has_no_thresholds_in_the_methods(tmp_path):
    prose = " ".join(block.text for block in every_block(compose(of(tmp_path, LOG10, 0)), Prose))
    assert "The primary measure is the log likelihood ratio cost (Cllr)" in prose


@pytest.mark.parametrize(
    ("named", "opened", "folded"),
    [
        ("[tippett, cross_entropy, det]", ["tippett", "cross_entropy", "det"], []),
        ("[roc, det]", ["det", "roc"], []),
        ("[tippett, roc, det]", ["tippett", "det"], ["roc"]),
        ("[pr, roc, histogram]", ["pr", "roc", "histogram_m1", "histogram_m2"], []),
    ],
)
def test_curves_are_open_and_in_the_order_of_the_config(tmp_path, named, opened, folded):
    report = compose(of(tmp_path, LOG10, 0, f"curves: {named}\n"))
    figures = [block for block in section(report, "curves").blocks if isinstance(block, Figure)]
    assert [figure.name for figure in figures if not figure.folded] == opened
    assert [figure.name for figure in figures if figure.folded] == folded


LR = "curves: []\ncriteria: ['fixed(threshold=0)']\nsignificance: {replicates: 199, interval: WAY}\n"
RATES = "primary: {measure: cllr}\nmeasures: [cllr, mincllr, calibration_loss, eer_rocch, 'frr_at_far(far=0.05)']\n"
FEW = (KEYS.partition("primary")[0], RATES, LOG10)


def told(tmp_path, way):
    """The cautions on few errors of a report by a method of intervals, and its notes."""
    report = compose(build(tmp_path, pairs(36), "".join(FEW) + LR.replace("WAY", way)).results)
    cautions = [(each.code, each.text) for each in every_block(report, Caution) if each.code in CODES]
    return cautions, " ".join(note for each in every_block(report, Table) for note in each.notes)


CODES = ("TR207", "TR325")


def test_a_ci_that_is_left_out_has_the_reason_that_concerns_it_and_its_count(tmp_path):
    cautions, notes = told(tmp_path, "auto")
    assert [code for code, _ in cautions] == ["TR207", "TR207"]
    fixed, minima = (text for _, text in cautions)
    assert re.fullmatch(
        r"Min Cllr of all models has no CI: it needs 7 errors of a class where FAR = FRR, and there are \S+"
        r" \([ab]\) and \S+ \([ab]\) among 12 targets\. With few errors it would hold the true value too rarely\.",
        minima,
    )
    assert fixed.startswith(
        "FRR at 5% FAR of all models has no CI: the fixed rate allows 1.2 errors, and 4 are needed."
    )
    assert "Values of min Cllr" in notes
    assert "have no CI because few errors support them" in notes
    assert "not allow for it" not in notes


def test_a_ci_by_a_named_method_says_that_it_would_be_left_out(tmp_path):
    cautions, notes = told(tmp_path, "percentile")
    assert [code for code, _ in cautions] == ["TR325", "TR325"]
    assert cautions[1][1].startswith(
        "Min Cllr of all models has a CI only because the configuration names its method; otherwise it would"
        " be left out: it needs 7 errors of a class where FAR = FRR, and there are"
    )
    assert "Calibration loss lies above 0" in notes or "calibration loss lies above 0" in notes
    assert "have no CI because" not in notes
