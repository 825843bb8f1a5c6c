"""Optima over thresholds look better than they are: which way, by how much, and where that matters."""

import re

import numpy as np
import pytest
from build import build
from snapshot import snapshot

from reporting.document.words.view import views
from reporting.features.cautions import cautions
from reporting.features.operating_points.optimism import optimism_of

CONFIG = "measures: [eer, mindcf, ks, max_f1]\nprimary: {measure: %s}\ncriteria: [min_hter]\nepc: none\n"


def view_of(folder, measure, *overrides):
    rng = np.random.default_rng(3)
    rows = [
        {"model": model, "split": split, "trial": f"{split}{i}", "label": i % 2 == 0, "sex": "fm"[i // 2 % 2]}
        | {"score": float(rng.normal() + 1.5 * (i % 2 == 0)), "speaker": f"s{i // 8}"}
        for model in "ab"
        for split in ("dev", "test")
        for i in range(200)
    ]
    built = build(folder, rows, CONFIG % measure, *overrides)
    (view,) = views(built.results)
    return view


def said(view):
    return [caution.text for caution in cautions(view) if caution.title == "Optimistic optimum."]


def test_minima_are_biased_downwards_and_maxima_upwards(tmp_path):
    view = view_of(tmp_path, "eer")
    text = optimism_of(view, view.study.measures)
    number = r"[\d.]+( to [\d.]+)?"
    assert re.fullmatch(
        rf"Minima are biased downwards \(EER by {number} points and minDCF \(prior 50%\) by {number}, estimated\);"
        rf" maxima are biased upwards \(KS by {number} and max F1 by {number}, estimated\); CIs allow for it\.",
        text,
    ), text


def test_clusters_allow_for_it_by_the_width_at_the_best_threshold(tmp_path):
    view = view_of(tmp_path, "eer", "trials={source: trials.parquet, columns: {cluster: speaker}}")
    text = optimism_of(view, view.study.measures)
    assert text.endswith("CIs allow for it, those of EER, minDCF (prior 50%) and KS by their width alone."), (
        text
    )


def test_percentiles_do_not_allow_for_it(tmp_path):
    view = view_of(tmp_path, "eer", "significance.interval=percentile")
    snapshot(
        "operating_points/optimism_percentiles_do_not_allow_for_it", optimism_of(view, view.study.measures)
    )


@pytest.mark.parametrize(
    ("measure", "by", "n"), [("eer", "[sex]", 1), ("eer", "[]", 0), ("hter", "[sex]", 0)]
)
def test_groups_of_other_sizes_differ_by_it(tmp_path, measure, by, n):
    found = said(view_of(tmp_path, measure, f"by={by}"))
    assert len(found) == n
    if n:
        assert found[0].startswith("EER is the best over all thresholds and looks better than it is")
