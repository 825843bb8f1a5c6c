"""The errors of the report's tests, on models whose truth is known: briefly here, at length with -m long."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.research.studies import comparing, covering, depending, run
from tests.research.studies.comparing import BY_ITSELF, SMALL
from tests.research.studies.figures import Figure
from tests.research.studies.models import Drawn, runs, two_models
from tests.research.studies.tables import TABLES

SEED, RUNS = 2024, 40


def shares(study, one, n=RUNS, **settings):
    """The mean of every key over some runs."""
    records = [one(rng, asked, **settings) for rng, asked in runs(study, SEED, 0, n)]
    return {key: float(np.mean([record[key] for record in records])) for key in records[0]}


def test_kept_thresholds_reject_models_of_one_quality_and_the_procedure_does_not():
    """Methods (i), dev 400/100: .50 against .04. One seed in some thousands would miss these bounds."""
    found = shares(comparing.comparing_study(99, (BY_ITSELF,)), comparing.rejections, dev=SMALL)
    row = f"hter @ {BY_ITSELF}"
    for kept in ("given_z", "given_exact", "given_normal", "given_percentile"):
        assert found[f"{row}: {kept}"] > 0.2, found
    for again in ("normal", "percentile"):
        assert found[f"{row}: {again}"] <= 0.2, found
    assert found[f"{BY_ITSELF} @ {BY_ITSELF}: normal"] <= 0.2, found


def test_a_better_model_is_found():
    """Methods (i): power .75 at d' + .25; here .5 more, where hardly any run misses it."""
    study = comparing.comparing_study(99, ("eer",))
    found = shares(study, comparing.rejections, 12, dev=SMALL, d_prime=(2.0, 2.5))
    assert found["hter @ eer: normal"] >= 0.6, found


def test_along_alpha_kept_thresholds_shade_what_the_procedure_does_not():
    found = shares(comparing.along_study(99), comparing.shaded, 8, dev=SMALL)
    assert found["hter, given_thresholds: share percentile"] > 0.2, found
    assert found["hter, given_thresholds: any sup-t"] > 0.5, found
    assert found["hter, procedure: share percentile"] < 0.1, found
    assert found["hter, procedure: any sup-t"] < 0.5, found


def test_few_clusters_need_t_and_trials_are_not_independent():
    study = depending.cluster_study(99)
    found = shares(study, depending.clustered, 12, g=10)
    for quantity in ("hter @ fixed", "hter @ eer", "auc"):
        assert found[f"{quantity}: t"] <= found[f"{quantity}: normal"]
        assert found[f"{quantity}: t"] <= 0.34, found


def test_intervals_hold_the_truth():
    """Nominal .95, of optima over thresholds too."""
    found = shares(covering.single_study(99), covering.single, n_trials=600)
    for key, share in found.items():
        assert share >= 0.8, (key, share)


def test_bands_hold_the_curve_and_pointwise_limits_do_not():
    found = shares(covering.band_study(99), covering.banded, 20, n_nontarget=100, n_target=100)
    assert found["SJR: covers"] >= 0.95, found
    for name in ("FWB", "sup-t", "Working-Hotelling"):
        assert found[f"{name}: covers"] >= 0.7, found
    assert found["pointwise: covers"] <= min(0.8, found["FWB: covers"]), found
    assert found["pointwise: width"] < found["FWB: width"] < found["SJR: width"]


def test_a_run_depends_on_its_number_alone():
    study = comparing.comparing_study(19, ("eer",))

    def values(first, last):
        return [
            Drawn(two_models(rng, 200, 50), asked, two_models(rng, 100, 50))
            .difference(asked.measures[0], "eer", "procedure")
            .tested()
            for rng, asked in runs(study, 3, first, last)
        ]

    assert values(0, 3)[2] == values(2, 3)[0]
    assert values(0, 1) != values(1, 2)


def test_a_figure_is_a_mean_with_its_error_or_a_ratio_to_a_spread():
    assert not Figure("none", "hit", most=0.5).inside({})
    records = {"s": [{"hit": 1.0, "se": 2.0, "value": 1.0}, {"hit": 0.0, "se": 4.0, "value": 4.0}] * 8}
    assert Figure("s", "hit").seen(records) == pytest.approx((0.5, 0.125))
    assert Figure("s", "se", "value").seen(records)[0] == pytest.approx(3 / np.sqrt(2.25 * 16 / 15))
    assert Figure("s", "hit", most=0.5).inside(records)
    assert not Figure("s", "hit", most=0.4).inside(records)
    assert Figure("s", "hit", methods=0.25, most=0.4).cell(records) == "**! 0.500 ± 0.125 (0.25)**"
    assert np.isnan(Figure("none", "hit").seen(records)).all()


def test_what_is_kept_is_not_run_again(tmp_path, monkeypatch):
    only = ["single 120"]
    first = run.collect(tmp_path, 1, 0.001, only)
    monkeypatch.setattr(run.Simulated, "run", None)
    assert run.collect(tmp_path, 1, 0.001, only) == first
    assert len(first.records["single 120"]) == 2
    monkeypatch.setattr(run, "source", lambda: "other")
    assert run.collect(tmp_path, 1, 0.001, only, any_source=True) == first
    with pytest.raises(TypeError):
        run.collect(tmp_path, 1, 0.001, only)


@pytest.mark.long
def test_every_figure_keeps_to_its_bounds(tmp_path):
    """Half an hour and more; ``python -m tests.research.studies.run`` writes the same figures down."""
    found = run.collect(tmp_path, os.cpu_count() or 1)
    print(run.written(found, run.COMMAND))
    figures = [named for table in TABLES for named in table.figures]
    assert not [name for name, figure in figures if not figure.near(found.records)]
