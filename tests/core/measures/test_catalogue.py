"""Measures by their names, and by those that other tools give them."""

import pytest

from reporting.core.measures.catalogue import MEASURES, read_measure


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("roc_auc", "auc"),
        ("roc_auc_score", "auc"),
        ("f1_score", "f1"),
        ("average_precision", "ap_step"),
        ("accuracy_score", "accuracy"),
        ("fbeta_score(beta=2)", "f_beta(beta=2)"),
        ("precision_score(prevalence=0.1)", "precision(prevalence=0.1)"),
        ("sensitivity", "recall"),
        ("fpr", "far"),
        ("eer", "eer_rocch"),
    ],
)
def test_names_that_other_tools_give_their_measures(name, measure):
    assert read_measure(name) == read_measure(measure)
    assert read_measure(name).key in MEASURES
