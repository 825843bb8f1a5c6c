"""How intervals are made and how often they held the truth: words and figures for every measure."""

import pytest

from reporting.measures.catalogue import MEASURES, read_measure
from reporting.wording.covered import assumed_by, comparison_of, coverage_of, covered, interval_of

WITHOUT_SPREAD = {"failure_to_acquire", "zero_fmr"}
OF_ATTACKS = {"adcf", "minadcf", "spoofing_error", "tdcf", "mintdcf"}
"""What the study leaves out; costs of attacks have one of their own, ``tests/studies/spoofing.md``."""


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_every_measure_says_how_it_is_judged(measure):
    assert interval_of(measure)
    assert comparison_of(measure)
    assert assumed_by(measure)
    figures = covered(measure)
    assert (figures is None) == (measure.key in WITHOUT_SPREAD | OF_ATTACKS)
    if figures is not None:
        assert 0 <= figures.lowest <= figures.highest <= 1
        assert figures.runs >= 50
        assert f"{figures.lowest:.1%} ({figures.lowest_of})" in coverage_of(measure)


def test_words_follow_the_measure():
    assert "optimism" in interval_of(MEASURES["eer_rocch"])
    assert "fewer than 7 errors" in interval_of(MEASURES["mincllr"])
    assert "fewer than" not in interval_of(MEASURES["h_measure"])
    assert interval_of(MEASURES["pauc"]).startswith(
        "normal on the log scale with bootstrap standard error; clusters: Student's t on the log scale"
    )
    assert interval_of(MEASURES["hter"]).startswith("square-and-add of those of FAR and FRR")
    assert interval_of(MEASURES["far"]).startswith("Wilson (Clopper-Pearson without errors)")
    assert comparison_of(MEASURES["gini"]).startswith("DeLong")
    assert comparison_of(MEASURES["hter"]).startswith("swap test, thresholds re-selected")
    assert covered(read_measure("mindcf(p_target=0.37)")) is None
    assert coverage_of(read_measure("mindcf(p_target=0.37)")) == ""
