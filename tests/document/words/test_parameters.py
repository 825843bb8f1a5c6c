"""Printed forms of measures and criteria: no key of the config, in the words of five fields."""

import re

import pytest

from reporting.base.contents import Parameter
from reporting.core.criteria.catalogue import CRITERIA, read_criterion
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.document.words.parameters import IN_LABEL, IN_PARENTHESES, RANGES, WORDS
from reporting.document.words.terms import DETECTION, VOCABULARIES, terms

EVERY = [*MEASURES.values(), *CRITERIA.values()]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("precision(prevalence=0.1)", "precision at 10% prevalence"),
        ("calibration_error(bins=15,prevalence=0.1)", "calibration error (15 bins) at 10% prevalence"),
        ("recall_at(precision=0.8,prevalence=0.3)", "recall at 80% precision (prevalence 30%)"),
        ("pauc(far_max=0.1,mcclish=true)", "pAUC (FAR ≤ 10%, McClish)"),
        ("pauc(far_min=0.01)", "pAUC (FAR ≥ 1%)"),
        ("pauc(far_min=0.01,far_max=0.1)", "pAUC (FAR 1% to 10%)"),
        ("pauc", "pAUC"),
        ("pauc_tpr", "pAUC (over TPR)"),
        ("pauc_tpr(tpr_min=0.9)", "pAUC (TPR ≥ 90%)"),
        ("frr_at_far(far=0.05)", "FRR at 5% FAR"),
        ("frr_at_far(far=0.001,how=interp)", "FRR at 0.1% FAR (interpolated)"),
        ("far_at_frr(frr=0.07,how=nearest)", "FAR at 7% FRR (nearest threshold)"),
        ("mindcf(p_target=0.01,c_miss=10)", "minDCF (prior 1%, miss cost 10)"),
        ("mindcf", "minDCF (prior 50%)"),
        ("dcf(c_fa=2.5,normalised=false)", "DCF (prior 50%, false alarm cost 2.5, not normalised)"),
        ("actdcf(p_target=0.001,norm=miss)", "actual DCF (prior 0.1%, relative to rejecting all)"),
        ("cprimary(points=SRE08,calibration=affine)", "Cprimary (SRE08, affine calibration)"),
        ("cprimary", "Cprimary (SRE16)"),
        ("f_beta(beta=2)", "F2"),
        ("weighted_error(alpha=0.3)", "weighted error (α = 0.3)"),
        ("precision_at(k=100)", "precision in the top 100"),
        ("lift_at(share=0.05)", "lift in the top 5%"),
        ("mincllr(laplace=true)", "min Cllr (Laplace smoothing)"),
        ("bayes_error(prior_log_odds=-2.3)", "Bayes error (prior log odds −2.3)"),
        ("net_benefit(p_threshold=0.2)", "net benefit (threshold probability 20%)"),
    ],
)
def test_measures(name, printed):
    assert DETECTION.measure(read_measure(name)) == printed


@pytest.mark.parametrize(
    ("name", "printed", "rule"),
    [
        ("min_hter", "minimum HTER", "minimising HTER"),
        ("target_far(far=0.1)", "FAR nearest to 10%", "with FAR nearest to 10%"),
        ("target_far(far=0.01,how=at_most)", "FAR of at most 1%", "with FAR of at most 1%"),
        (
            "target(measure=precision,value=0.9,how=at_least)",
            "precision of at least 90%",
            "with precision of at",
        ),
        ("target(measure=f1,value=0.9)", "F1 nearest to 0.9", "with F1 nearest to 0.9"),
        ("best(measure=f1)", "maximum F1", "maximising F1"),
        ("best(measure=hter)", "minimum HTER", "minimising HTER"),
        ("guarantee(far=0.01)", "FAR of at most 1% with 95% confidence", "guaranteeing FAR of at most 1%"),
        ("weighted(alpha=0.3)", "best weighted sum of FAR and FRR (α = 0.3)", "optimising a weighted sum"),
        (
            "min_dcf(p_target=0.01,c_miss=10)",
            "minimum DCF (prior 1%, miss cost 10)",
            "minimising DCF (prior 1%",
        ),
        ("fixed(threshold=-1.5)", "fixed threshold −1.5", ""),
        ("bayes(p_target=0.01)", "Bayes threshold (prior 1%)", ""),
    ],
)
def test_criteria(name, printed, rule):
    criterion = read_criterion(name)
    assert DETECTION.criterion(criterion) == printed
    assert DETECTION.rule(criterion).startswith(rule)


@pytest.mark.parametrize(
    ("vocabulary", "name", "printed"),
    [
        ("biometrics", "frr_at_far(far=0.05)", "FNMR at 5% FMR"),
        ("biometrics", "pauc_tpr(tpr_min=0.9)", "pAUC (TMR ≥ 90%)"),
        ("medical", "recall_at(precision=0.8)", "sensitivity at 80% PPV"),
        ("medical", "mindcf(p_target=0.01,c_miss=10)", "minDCF (prevalence 1%, false negative cost 10)"),
        ("ir", "mindcf(p_target=0.01,c_miss=10)", "minDCF (prior 1%, miss cost 10)"),
        ("ml", "far_at_frr(frr=0.05)", "FPR at 5% FNR"),
    ],
)
def test_the_words_are_those_of_the_field(vocabulary, name, printed):
    assert terms(vocabulary).measure(read_measure(name)) == printed


def test_criteria_hold_measures_in_the_words_of_the_field():
    mine = terms("biometrics")
    assert mine.criterion(read_criterion("target_far(far=0.1)")) == "FMR nearest to 10%"
    assert mine.criterion(read_criterion("target(measure=frr,value=0.1)")) == "FNMR nearest to 10%"
    assert mine.rule(read_criterion("best(measure=hter)")) == "minimising HTER"


@pytest.mark.parametrize("named", EVERY, ids=str)
def test_every_parameter_has_words(named):
    ranges = {name for low, (high, _) in RANGES.items() for name in (low, high)}
    for each in named.parameters:
        if each.low == each.high or each.words == (each.default,):
            continue
        assert each.name in IN_PARENTHESES or f"{{{each.name}}}" in named.label or each.name in ranges
        for word in each.words or ((not each.default,) if isinstance(each.default, bool) else ()):
            is_plain = str(word).isdecimal() or each.name == "points" or word == each.default
            assert is_plain or (each.name, word) in WORDS or (each.name, word) in IN_LABEL


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("named", EVERY, ids=str)
def test_no_key_is_printed(named, vocabulary):
    mine = terms(vocabulary)
    changed = named.at(
        **{each.name: _another(each) for each in named.parameters if _another(each) is not None}
    )
    printed = (
        mine.measure(changed) if named in MEASURES.values() else mine.criterion(changed) + mine.rule(changed)
    )
    assert not re.search(r"[=_{}]", printed.replace("α =", ""))
    assert not re.search(
        r"\b(true|false|none)\b(?! (positive|negative|match|non-match|alarm|success))", printed
    )


def _another(parameter: Parameter):
    """A value that is not the default, so that it must be printed."""
    if isinstance(parameter.default, bool):
        return not parameter.default
    if parameter.words:
        return next((word for word in parameter.words if word != parameter.default), None)
    if not isinstance(parameter.default, float) or parameter.low == parameter.high:
        return None
    return min(max(parameter.low, 0.25), parameter.high) if not parameter.whole else 7.0


@pytest.mark.parametrize(
    ("vocabulary", "printed"),
    [("biometrics", "TMR at 0.1% FMR"), ("detection", "sensitivity at 99.9% specificity")],
)
def test_sensitivity_in_biometrics_is_tmr_at_fmr(vocabulary: str, printed: str) -> None:
    assert terms(vocabulary).measure(read_measure("TAR@FAR=0.1%")) == printed
