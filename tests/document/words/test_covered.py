"""How intervals are made and how often they held the truth: words and figures for every measure."""

import numpy as np
import polars as pl
import pytest
from snapshot import snapshot

from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.document.words.covered import (
    STUDIED,
    Studied,
    assumed_by,
    comparison_of,
    coverage_of,
    covered,
    interval_of,
)
from reporting.features.methods.section import methods
from tests.build import build
from tests.research.studies.coverage import KINDS

WITHOUT_SPREAD = {"failure_to_acquire", "zero_fmr"}
OF_ATTACKS = {"adcf", "minadcf", "spoofing_error", "tdcf", "mintdcf"}
OF_GRADES = {"mean_score", "mean_cost"}
"""What the study leaves out; costs of attacks and mean scores have studies of their own, ``spoofing.md`` and
``grades.md`` in ``tests/research/studies``."""


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_every_measure_says_how_it_is_judged(measure):
    assert interval_of(measure)
    assert comparison_of(measure)
    assert assumed_by(measure)
    figures = covered(measure)
    assert (figures is None) == (measure.key in WITHOUT_SPREAD | OF_ATTACKS | OF_GRADES)
    if figures is not None:
        assert 0 <= figures.lowest <= figures.highest <= 1
        assert figures.runs >= 50
        assert f"{figures.lowest:.1%} ({figures.lowest_of})" in coverage_of(measure)


def test_words_follow_the_measure():
    assert "optimism" in interval_of(MEASURES["eer_rocch"])
    assert "fewer than 7 errors" in interval_of(MEASURES["mincllr"])
    assert "fewer than" not in interval_of(MEASURES["h_measure"])
    assert interval_of(MEASURES["pauc"]).startswith(
        "normal on the log scale with bootstrap standard error; clusters"
    )
    assert interval_of(MEASURES["hter"]).startswith("Wilson intervals of FAR and FRR, combined")
    assert interval_of(MEASURES["far"]).startswith("Wilson (Clopper-Pearson without errors)")
    assert comparison_of(MEASURES["gini"]).startswith("DeLong")
    assert comparison_of(MEASURES["hter"]).startswith("permutation test, thresholds re-selected")
    assert covered(read_measure("mindcf(p_target=0.37)")) is None
    assert coverage_of(read_measure("mindcf(p_target=0.37)")) == ""


def test_kinds_of_tables_are_those_of_the_study():
    assert list(STUDIED) == list(KINDS)
    for name, kind in KINDS.items():
        studied = STUDIED[name]
        assert studied.n_target + studied.n_nontarget == kind.trials
        assert studied.n_target / studied.n_nontarget == kind.ratio[0] / kind.ratio[1]
        assert studied.n_units == kind.clusters + kind.speakers
        assert studied.unit == ("pair" if kind.speakers else "cluster" if kind.clusters else "trial")
        assert studied.grades == kind.grades


def test_coverage_is_known_of_tables_like_those_of_the_study_alone():
    hter = MEASURES["hter"]
    assert covered(hter, Studied(70, 250)).span == "95%"  # 60/300: .953
    assert covered(hter, Studied(70, 250)).kinds == "60 targets and 300 non-targets drawn independently"
    assert (
        covered(hter, Studied(121, 400)) is None
    )  # 60/300 has fewer than half the targets, 200/1000 too many
    assert covered(hter, Studied(30, 30)).span == "94% to 95%"  # 60/60: .952, with unequal variances .940
    assert covered(hter, Studied(29, 30)) is None
    assert covered(hter, Studied(50, 200, "cluster", 6)) is None  # no study has six clusters
    assert covered(hter, Studied(50, 200, "cluster", 12)).lowest_of == "10 clusters of 5/20"
    assert covered(hter, Studied(50, 200, "pair", 12)) is None
    graded = covered(hter, Studied(100, 100, grades=6))
    assert (graded.lowest_of, graded.highest_of) == ("seven grades 100/100", "five grades 60/60")
    snapshot("words/covered_coverage_is_known_of_tables_like_those_of_the_study_alone", graded.kinds)


def table(n_targets, n_nontargets, clusters=0, runs=1):
    rng = np.random.default_rng(7)
    label = np.arange(n_targets + n_nontargets) < n_targets
    rows = []
    for run in range(runs):
        for split in ("dev", "test"):
            score = rng.normal(2.0 * label)
            rows.append(pl.DataFrame({
                "trial": [f"{split}{i}" for i in range(len(label))], "label": label, "score": score,
                "cluster": [f"c{i % clusters if clusters else i}" for i in range(len(label))],
            }).with_columns(model=pl.lit("a"), split=pl.lit(split), run=pl.lit(str(run))))  # fmt: skip
    frame = pl.concat(rows)
    return frame if clusters else frame.drop("cluster")


@pytest.mark.parametrize(
    ("trials", "said"),
    [
        (table(60, 300), "In simulated tables of 60 targets and 300 non-targets drawn independently such CIs contained the true HTER in 95%"),
        (table(50, 200, clusters=12), "In simulated tables of 50 targets and 200 non-targets in 10 clusters"),
        (table(50, 200, clusters=6), None),
        (table(600, 300), None),
        (table(60, 300, runs=2), None),
    ],
)  # fmt: skip
def test_methods_state_the_coverage_of_tables_like_this_one_alone(tmp_path, trials, said):
    built = build(tmp_path, trials, "epc: none\ncurves: []\n")
    text = " ".join(block.text for block in methods(built.results).blocks)
    assert said in text if said else "simulat" not in text
