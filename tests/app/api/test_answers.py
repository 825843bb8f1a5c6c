"""Every function against the frames that the report of the same trials has, and by hand."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from snapshot import snapshot

import reporting
from reporting.app.api.answers import CUTS
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.errors import ConfigError, DataError
from reporting.features.fits.frame import FITS as FITS_CONTRACT

FITS_SCHEMA = FITS_CONTRACT.schema
LIMITS = ["ci_low", "ci_high", "band_low", "band_high"]


def asked(**more: Any) -> dict[str, Any]:
    return {
        "baseline": "B",
        "criteria": ["min_hter", "eer", "fixed(threshold=1)"],
        "measures": ["hter", "far", "frr", "auc", "eer_rocch"],
        "significance": {"replicates": 99},
        "by": "gender",
    } | more


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in asked().items() if key not in keys}


def test_roc_is_that_of_the_report(report):
    found = reporting.roc(report.trials, by=["gender"])
    assert found.schema == ROC.schema
    assert_frame_equal(found, report.frame("roc"))


def test_metrics_are_those_of_the_report(report):
    found = reporting.metrics(report.trials, **asked(by=["gender"]))
    assert found.schema == METRICS.schema
    assert_frame_equal(found, report.frame("metrics"))


def test_comparisons_are_those_of_the_report(report):
    curves = {
        "criteria": ["weighted_error", "target_far"],
        "measures": ["hter", "weighted_error"],
        "alphas": 5,
    }
    found = reporting.compare(report.trials, **asked(by=["gender"], epc=curves))
    assert found.schema == COMPARISONS.schema
    assert_frame_equal(found, report.frame("comparisons"))
    alone = reporting.compare(report.trials, **asked(by=["gender"]))
    assert_frame_equal(alone, found.filter(pl.col("parameter").is_null()))


def test_epc_is_that_of_the_report(report):
    said = without("criteria", "measures", "by")
    arguments = (["weighted_error", "target_far"], ["hter", "weighted_error"], 5)
    found = reporting.epc(report.trials, *arguments, by=["gender"], **said)
    assert found.schema == EPC.schema
    assert_frame_equal(found, report.frame("epc"))
    bare = reporting.epc(report.trials, *arguments, by=["gender"], intervals=False, **said)
    assert bare.select(LIMITS).null_count().row(0) == (len(bare),) * 4
    assert_frame_equal(bare.drop(LIMITS), found.drop(LIMITS))


def test_without_intervals_only_they_are_missing(report):
    found = reporting.metrics(report.trials, **asked(by=["gender"], intervals=False))
    gone = ["ci_low", "ci_high", "level", "ci_method", "unit", "n_units", "replicates", "se", "optimism"]
    assert found.select(gone).null_count().row(0) == (len(found),) * len(gone)
    assert_frame_equal(found.drop(gone), report.frame("metrics").drop(gone))


def test_nothing_is_resampled_where_nothing_is_asked_for(report, monkeypatch):
    """A bootstrap would meet the broken function."""
    import reporting.core.resampling.bootstrap as room

    monkeypatch.setattr(room, "resample", None)
    monkeypatch.setattr(room, "resample_model", None)
    reporting.roc(report.trials)
    reporting.cuts(report.trials)
    with pytest.raises(TypeError):
        reporting.metrics(report.trials)


def test_cuts_by_hand():
    """Targets 1, 2, 2; non-targets 0, 1, 2. At 1 and above: no miss, 2 of 3 false alarms."""
    table = reporting.trial_table([1, 1, 1, 0, 0, 0], [1, 2, 2, 0, 1, 2])
    found = reporting.cuts(table)
    assert found.schema == CUTS.schema
    assert found.drop("model", "run", "dataset", "split", "group").rows() == [
        (0.0, 0, 1, 0, 3, True),
        (1.0, 1, 1, 0, 2, True),
        (2.0, 2, 1, 1, 1, True),
    ]


def test_cuts_add_up_to_the_corners_of_the_roc(report):
    table = reporting.cuts(report.trials, by=["gender"])
    corners = reporting.roc(report.trials, by=["gender"])
    keys = ["model", "run", "dataset", "split", "group"]
    counted = set(table.select(*keys, "misses", "false_alarms").rows())
    inner = corners.filter(pl.col("threshold").is_finite())
    assert set(inner.select(*keys, "misses", "false_alarms").rows()) <= counted
    sums = table.group_by(keys).agg(pl.col("n_target", "n_nontarget").sum())
    ends = corners.group_by(keys).agg(pl.col("misses", "false_alarms").max())
    assert_frame_equal(
        sums.rename({"n_target": "misses", "n_nontarget": "false_alarms"}), ends, check_row_order=False
    )


def test_read_trials_returns_the_contract_s_columns(tmp_path):
    said = pl.DataFrame(
        {
            "who": ["a", "a"],
            "split": ["test", "test"],
            "kind": ["yes", "no"],
            "score": ["2", "1"],
            "sex": ["f", "m"],
        }
    )
    found = reporting.read_trials(
        said.with_columns(trial=pl.Series(["2", "1"])),
        trials={"columns": {"model": "who", "label": "kind"}, "values": {"target": "yes"}},
        models={"a": {"higher_is": "nontarget"}},
        by=["sex"],
    )
    assert found.to_dicts() == [
        {
            "model": "a",
            "run": "0",
            "dataset": "all",
            "split": "test",
            "trial": trial,
            "sex": sex,
            "label": label,
            "score": score,
        }
        for trial, sex, label, score in (("1", "m", False, -1.0), ("2", "f", True, -2.0))
    ]


def test_only_what_is_named_is_answered(report):
    """The default primary question adds nothing, and the first measure named becomes it."""
    found = reporting.metrics(report.trials, ["auc"], intervals=False)
    assert set(found["measure"]) == {"auc"}
    at = reporting.metrics(report.trials, ["f1"], ["oracle(eer)"], intervals=False)
    assert set(at["criterion"]) == {"oracle(eer)"}
    compared = reporting.compare(report.trials, "B", ["auc", "far"], ["eer"], significance={"replicates": 99})
    families = compared.select("measure", "criterion", "inference", "family").rows()
    assert families == [
        ("auc", None, None, "primary"),
        ("far", "eer", "given_thresholds", "descriptive"),
        ("far", "eer", "procedure", "descriptive"),
    ]


@pytest.mark.parametrize("said", [{}, {"averaged_over": "query"}, {"significance": {"interval": "bca"}}])
def test_without_intervals_there_are_none_of_means_either(said):
    """Means over runs and over the values of a column, whatever method is asked for."""
    rng, y = np.random.default_rng(1), np.tile([0, 1], 60)
    split = np.where(np.arange(120) < 60, "dev", "test")
    runs = ["1"] if "averaged_over" in said else ["1", "2"]
    tables = [
        reporting.trial_table(
            y, (y + rng.normal(size=120)).round(1), split=split, run=run, query=np.arange(120) // 10
        )
        for run in runs
    ]
    found = reporting.metrics(pl.concat(tables), ["hter", "auc", "f1"], ["eer"], intervals=False, **said)
    limits = ["ci_low", "ci_high", "level", "ci_method", "replicates"]
    assert found.select(limits).null_count().row(0) == (len(found),) * len(limits)


@pytest.mark.parametrize("kind", ["lazy", "parquet", "csv", "paths", "arrow"])
def test_a_table_may_come_in_any_form(report, tmp_path, kind):
    path = tmp_path / f"trials.{'csv' if kind == 'csv' else 'parquet'}"
    report.trials.write_csv(path) if kind == "csv" else report.trials.write_parquet(path)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return report.trials.__arrow_c_stream__(requested_schema)

    forms = {
        "lazy": report.trials.lazy(),
        "parquet": path,
        "csv": str(path),
        "paths": [path],
        "arrow": Stream(),
    }
    assert_frame_equal(reporting.roc(forms[kind]), reporting.roc(report.trials))


def test_a_pandas_table_is_taken(report):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({name: report.trials[name].to_list() for name in report.trials.columns})
    assert_frame_equal(reporting.roc(table), reporting.roc(report.trials))
    table.loc[3, "score"] = float("nan")
    table.loc[4, "model"] = None
    with pytest.raises(DataError) as caught:
        reporting.roc(table)
    assert len(caught.value.faults) == 2


def test_the_order_of_rows_changes_nothing(report):
    shuffled = report.trials.sample(fraction=1, shuffle=True, seed=5)
    for name in ("roc", "cuts", "read_trials"):
        function = getattr(reporting, name)
        assert_frame_equal(function(shuffled), function(report.trials))


# Tables without dev.


@pytest.fixture(scope="module")
def tested(report):
    return report.trials.filter(split="test")


def test_without_dev_what_is_chosen_on_dev_has_no_value(tested, report):
    """What needs no dev is as beside one."""
    said = asked(by=["gender"], intervals=False)
    found, whole = reporting.metrics(tested, **said), report.frame("metrics").filter(split="test")
    chosen = found.filter(pl.col("criterion").is_in(["min_hter", "eer"]))
    assert set(chosen["status"]) == {"no_dev"}
    assert (
        chosen["value"].null_count()
        == len(chosen)
        == len(whole.filter(pl.col("criterion").is_in(["min_hter", "eer"])))
    )
    rest = [
        "model",
        "group",
        "measure",
        "criterion",
        "threshold",
        "threshold_source",
        "value",
        "misses",
        "flags",
    ]
    given = ~pl.col("criterion").is_in(["min_hter", "eer"]).fill_null(False)
    assert_frame_equal(found.filter(given).select(rest), whole.filter(given).select(rest))
    groups = ["group", "group_columns", "group_values"]
    of_chosen, of_all = (set(map(str, frame.select(groups).rows())) for frame in (chosen, whole))
    assert of_chosen == of_all
    assert "('gender=f', ['gender'], ['f'])" in of_chosen


@pytest.mark.parametrize("split", [True, False])
def test_without_dev_curves_and_cuts_are_those_of_test(tested, report, split):
    table = tested if split else tested.drop("split")
    assert_frame_equal(reporting.roc(table), reporting.roc(report.trials).filter(split="test"))
    assert_frame_equal(reporting.cuts(table), reporting.cuts(report.trials).filter(split="test"))


def test_without_dev_only_what_needs_none_is_compared(tested, report):
    found, whole = reporting.compare(tested, **without("by")), report.frame("comparisons").filter(group="")
    chosen = found.filter(pl.col("criterion").is_in(["min_hter", "eer"]))
    assert set(chosen.select("status", "difference", "p_value").rows()) == {("no_dev", None, None)}
    given = ~pl.col("criterion").is_in(["min_hter", "eer"]).fill_null(False)
    numbers = [
        "measure",
        "criterion",
        "model",
        "baseline",
        "difference",
        "ci_low",
        "ci_high",
        "p_value",
        "p_method",
    ]
    only = pl.col("parameter").is_null()
    assert_frame_equal(found.filter(given).select(numbers), whole.filter(given, only).select(numbers))


def test_without_dev_a_calibration_has_no_value(tested):
    found = reporting.metrics(tested, ["cllr(calibration=affine)"], intervals=False)
    assert set(found.select("value", "status").rows()) == {(None, "no_dev")}


def test_without_dev_a_policy_still_chooses(tested):
    found = reporting.metrics(tested, ["hter"], ["min_hter"], thresholds={"policy": "kfold"}, intervals=False)
    assert set(found.filter(criterion="min_hter").select("threshold_source", "status").rows()) == {
        ("cv", None)
    }


def test_without_dev_there_is_no_epc(tested):
    with pytest.raises(DataError, match="the table has no dev rows"):
        reporting.epc(tested)


def test_more_models_than_pairs_can_be_shown_have_curves():
    scores = {f"m{k:02d}": np.arange(6) + k for k in range(12)}
    table = reporting.trial_table([0, 1, 0, 1, 0, 1], scores)
    assert reporting.roc(table)["model"].n_unique() == 12


# Messages.


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("roc", {"mesures": 1}, "mesures (reporting.roc): unknown key; did you mean 'measures'? (allowed: title, "),
        ("metrics", {"measures": ["auc", "htre"]}, "measures[1] (reporting.metrics): 'htre' is not a measure; did you mean 'hter'?"),
        ("epc", {"alphas": 1}, "epc.alphas (reporting.epc): expected at least 2, found 1"),
        ("epc", {"epc": {"alphas": 11}}, "epc (reporting.epc): its keys are arguments here: criteria, measures, alphas"),
        ("compare", {"baseline": "C"}, "baseline: 'C' is not a model of the trial table (found: A, B)"),
        ("cuts", {"trials": {"colums": {}}}, "trials.colums (reporting.cuts): unknown key; did you mean 'columns'?"),
        ("cuts", {"trials": 3}, "trials (reporting.cuts): expected a mapping of keys next to the table"),
    ],
)  # fmt: skip
def test_a_bad_key_is_told_as_in_a_file(report, function, arguments, message):
    with pytest.raises((ConfigError, DataError)) as caught:
        getattr(reporting, function)(report.trials, **arguments)
    assert caught.value.faults[0].startswith(message)
    assert len(caught.value.faults) == 1


def test_a_bad_table_is_told_as_of_a_file(report):
    bad = report.trials.with_columns(split=pl.col("split").replace("test", "tset"))
    with pytest.raises(DataError) as caught:
        reporting.roc(bad)
    snapshot("api/answers_a_bad_table_is_told_as_of_a_file", "\n".join(caught.value.faults))
    with pytest.raises(DataError, match="the table in memory: column 'score' \\(the score\\) is missing"):
        reporting.roc(report.trials.drop("score"))
    with pytest.raises(DataError, match="has no rows"):
        reporting.roc(report.trials.clear())


@pytest.mark.parametrize(
    ("given", "found"), [(3, "found int"), ({"model": ["a"]}, "found dict"), ([], "found list"), (None, "found nothing")]
)  # fmt: skip
def test_what_is_no_table_is_refused(given, found):
    with pytest.raises(ConfigError, match=found):
        reporting.roc(given)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(
        ConfigError, match=r"trials.source\[0\]|trials.source \(reporting.roc\): there is no file"
    ):
        reporting.roc(tmp_path / "none.csv")


def test_importing_the_package_stays_light():
    code = (
        "import sys, reporting; reporting.__all__; dir(reporting);"
        "print([m for m in ('polars', 'numpy', 'pydantic', 'altair', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_public_name_is_there_and_names_no_room():
    import pathlib

    rooms = {path.name for path in pathlib.Path(reporting.__file__).parent.iterdir() if path.is_dir()}
    for name in reporting.__all__:
        assert getattr(reporting, name) is not None
        assert name not in rooms
    with pytest.raises(AttributeError, match="has no attribute 'rok'"):
        reporting.rok  # noqa: B018


FITS = ["binormal", "binormal_ordinal(prevalence=0.1)", "alpha_binormal(interval=bootstrap)"]


def test_fits_are_those_of_the_report(report, tmp_path):
    said = asked(by=["gender"])
    found = reporting.fit(report.trials, FITS, **{key: said[key] for key in said if key != "criteria"})
    assert found.schema == FITS_SCHEMA
    reporting.make_report(trials=report.trials, out=tmp_path / "r", fits=FITS, **said)
    assert_frame_equal(found, pl.read_parquet(tmp_path / "r" / "frames" / "fits.parquet"))


def test_a_name_alone_is_a_list_of_one(report):
    alone = reporting.fit(report.trials, "binormal")
    assert_frame_equal(alone, reporting.fit(report.trials, ["binormal"]))
    assert set(alone["fit"]) == {"binormal"}
    with pytest.raises(ConfigError, match="fits\\[0\\] \\(reporting.fit\\): 'binormall' is not a fit"):
        reporting.fit(report.trials, "binormall")
    assert set(reporting.metrics(report.trials, "auc", intervals=False)["measure"]) == {"auc"}
