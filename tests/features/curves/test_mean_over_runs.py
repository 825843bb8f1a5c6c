"""DET and ROC of a mean over runs: the vertical mean of the runs' curves, in a window their trials reach."""

import numpy as np
import pytest
from build import build

from reporting.core.engine.model_runs import MEAN
from reporting.document.blocks import Figure
from reporting.document.charts.probit import windows
from reporting.document.charts.rates import curves, vertical_mean
from reporting.document.frames.roc import ROC
from reporting.document.words.view import views
from reporting.features.pictures import curve_figures


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    rng = np.random.default_rng(2)
    rows = []
    for split in ("dev", "test"):
        for i in range(90):
            about = {"split": split, "trial": f"{i}", "label": i % 3 == 0}
            for at, model in enumerate("ab"):
                for run in "12":
                    score = float(np.round(rng.normal() + (1 + at) * (i % 3 == 0), 1))
                    rows.append(about | {"model": model, "run": run, "score": score})
    config = "trials: {source: trials.parquet, columns: {run: run}}"
    return build(tmp_path_factory.mktemp("runs"), rows, config).results


def test_the_curve_of_a_mean_is_the_mean_of_the_curves_at_equal_far(results):
    mean, *runs = views(results)
    assert (mean.run, len(runs)) == (MEAN, 2)
    found = curves(mean)
    assert set(found) == {"a", "b"}
    for model, (far, frr) in found.items():
        expected = vertical_mean([curves(run)[model] for run in runs])
        assert np.array_equal(far, expected[0])
        assert np.array_equal(frr, expected[1])
    assert windows(mean)[0][0][0] >= 0.5 * 100 / 60


def test_its_pictures_come_first_and_say_how_they_were_averaged(results):
    section = curve_figures(results)
    figures = {block.name: block for block in section.blocks[0].blocks if isinstance(block, Figure)}
    assert {"det_mean", "roc_mean"} <= set(figures)
    said = "Each curve is the mean over runs of the false rejection rate at equal false acceptance rate."
    assert all(said in figures[name].caption for name in ("det_mean", "roc_mean"))
    singles = [block for part in section.blocks[1:] for block in part.blocks if isinstance(block, Figure)]
    assert singles
    assert not any(said in figure.caption for figure in singles)


def test_a_model_without_a_curve_in_some_run_has_none_of_their_mean(results):
    frame = results.frame(ROC)
    fewer = frame.filter(~((frame["model"] == "a") & (frame["run"] == "2")))
    mean = views(results.with_frames({ROC: fewer}))[0]
    assert set(curves(mean)) == {"b"}
