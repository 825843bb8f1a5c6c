"""The real trials of EVALITA 2009 against values computed elsewhere, and against themselves."""

import json

import numpy as np
import polars as pl
import pytest

from reporting.base.execution import SerialExecutor, ThreadExecutor
from reporting.core.counts.count import count_trials
from reporting.core.counts.cuts import count_cuts
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.engine.study import EpcPlan, Primary, Study
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.resampling.settings import Inference
from reporting.core.stats import sweep
from reporting.features.catalogue import CURVES
from reporting.features.compute import compute_frames
from reporting.features.frames import FRAMES
from reporting.inputs.spec import TrialSpec
from reporting.inputs.table import read_trials

SYSTEMS = [f"TC{k}" for k in range(1, 7)]
COLUMNS = {"model": "system", "label": "target", "cluster": "speaker"}
NAMES = ["far", "frr", "hter", "eer_rocch", "eer_interp", "auc", "mindcf"]
PRIORS = [0.1, 0.05, 0.01, 0.005, 0.001]

ALWAYS = ("trials", "metrics", "comparisons", "roc", "epc")


def study(replicates=199, alphas=11, **inference):
    measures = [MEASURES[name] for name in NAMES] + [read_measure(f"mindcf(p_target={p})") for p in PRIORS]
    criteria = (CRITERIA["min_hter"], CRITERIA["eer"])
    epc = EpcPlan((CRITERIA["weighted_error"],), (MEASURES["hter"], MEASURES["weighted_error"]), alphas)
    return Study(
        "ru2009",
        Primary(MEASURES["hter"], criteria[0]),
        criteria,
        tuple(measures),
        epc,
        curves=(CURVES["roc"], CURVES["det"]),
        inference=Inference(replicates=replicates, **inference),
    )


def frames_of(*paths, columns=COLUMNS, pool=None, **settings):
    table = read_trials(TrialSpec(tuple(paths), columns))
    pool = pool or SerialExecutor()
    return compute_frames(table, count_trials(table, pool), study(**settings), pool)


@pytest.fixture(scope="module")
def source(shared):
    return shared / "data" / "ru2009.parquet"


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "references" / "verification.json").read_text())


@pytest.fixture(scope="module")
def frames(source):
    return frames_of(source)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_curve_equals_bob_inside_the_unit_interval(frames, expected, system):
    """At alpha = 1 bob.measure rejects everything, because it cumulates FAR in floats and never meets 0."""
    reference = expected["ru2009_epc_bob"][system]
    rows = frames["epc"].filter(model=system, measure="hter").sort("alpha")
    np.testing.assert_allclose(rows["alpha"], reference["epc_alpha"], atol=1e-15)
    np.testing.assert_allclose(rows["value"][1:-1], reference["epc_hter"][1:-1], atol=1e-9, rtol=0)
    np.testing.assert_allclose(rows["threshold"][1:-1], reference["epc_thr"][1:-1], atol=1e-9, rtol=0)


@pytest.mark.parametrize("system", SYSTEMS)
def test_operating_points_equal_bob(frames, expected, system):
    reference = expected["ru2009_epc_bob"][system]
    rows = {
        (r["split"], r["measure"], r["criterion"]): r["value"]
        for r in frames["metrics"].filter(model=system).iter_rows(named=True)
    }
    for criterion, key in (("min_hter", "minhter_dev"), ("eer", "dev_farfrr")):
        got = [rows["dev", measure, criterion] for measure in ("far", "frr")]
        assert got == pytest.approx(reference[key], abs=1e-9)
    for criterion, key in (("min_hter", "minhter_test"), ("eer", "test_farfrr")):
        got = [rows["test", measure, criterion] for measure in ("far", "frr")]
        assert got == pytest.approx(reference[key], abs=1e-9)
    assert rows["test", "hter", "oracle(eer)"] == pytest.approx(reference["eer_test_posteriori"], abs=1e-9)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("split", ["dev", "test"])
def test_measures_over_the_sweep_equal_the_references(frames, expected, system, split):
    reference = expected[f"ru2009/{system}/{split}"]
    rows = frames["metrics"].filter(pl.col("criterion").is_null(), model=system, split=split)
    got = {r["measure"]: r["value"] for r in rows.iter_rows(named=True)}
    for ours, theirs in (("auc", "auc"), ("eer_rocch", "eer_rocch"), ("eer_interp", "eer_interp")):
        assert got[ours] == pytest.approx(reference[theirs], abs=1e-9)
    for prior in [0.5, *PRIORS]:
        name = str(read_measure(f"mindcf(p_target={prior})"))
        assert got[name] == pytest.approx(reference[f"mindcf_norm_p{prior}_c1_1"], abs=1e-9)


@pytest.mark.parametrize("name", ["iris_nonsep", "iris_linsep"])
def test_iris_equals_the_references(expected, name):
    reference = expected[name]
    score = np.array(reference["pos"] + reference["neg"])
    cuts, _ = count_cuts(score, np.arange(len(score)) < len(reference["pos"]))
    errors = cuts.staircase.misses, cuts.staircase.false_alarms
    assert float(sweep.auc(*errors)) == pytest.approx(reference["auc"], abs=1e-12)
    assert float(sweep.eer_rocch(*errors)) == pytest.approx(reference["eer_rocch"], abs=1e-12)
    assert float(sweep.eer_interp(*errors)) == pytest.approx(reference["eer_interp"], abs=1e-12)
    assert float(sweep.mindcf(*errors, p_target=0.01)) == pytest.approx(
        reference["mindcf_norm_p0.01_c1_1"], abs=1e-12
    )
    assert len(cuts.hull) == reference["n_rocch_vertices"]
    np.testing.assert_allclose(errors[0][cuts.hull] / 50, reference["rocch_pmiss"], atol=1e-12)
    np.testing.assert_allclose(errors[1][cuts.hull] / 50, reference["rocch_pfa"], atol=1e-12)


def test_every_frame_follows_its_contract(frames):
    assert set(frames) == {
        *ALWAYS,
        "bands",
        "curve_differences",
        "differences",
        "drift",
        "standing",
        "areas",
        "epc_steps",
        "winners",
    }
    for name, frame in frames.items():
        contract = FRAMES[name].frame
        assert frame.collect_schema() == contract.schema
        key = frame.select(contract.sorted_by)
        assert not key.is_duplicated().any()
        assert key.equals(key.sort(contract.sorted_by))
        for column, kind in contract.schema.items():
            if kind == pl.Float64:
                assert not frame[column].is_nan().any()
                if column not in ("threshold", "llr"):
                    assert not frame[column].is_infinite().any()


def same_bytes(one, other, folder):
    for name in one:
        for side, frames in (("one", one), ("other", other)):
            frames[name].write_parquet(folder / f"{name}.{side}")
        assert (folder / f"{name}.one").read_bytes() == (folder / f"{name}.other").read_bytes(), name


def test_shuffled_rows(frames, source, tmp_path):
    shuffled = tmp_path / "shuffled.parquet"
    pl.read_parquet(source).sample(fraction=1, shuffle=True, seed=5).write_parquet(shuffled)
    same_bytes(frames, frames_of(shuffled), tmp_path)


def test_three_parts(frames, source, tmp_path):
    rows = pl.read_parquet(source)
    paths = [tmp_path / f"part{k}.parquet" for k in range(3)]
    for k, path in enumerate(paths):
        rows[k * 9000 : (k + 1) * 9000].write_parquet(path)
    same_bytes(frames, frames_of(*paths), tmp_path)


def test_csv(frames, source, tmp_path):
    path = tmp_path / "trials.csv"
    pl.read_parquet(source).write_csv(path)
    same_bytes(frames, frames_of(path), tmp_path)


def test_two_workers(frames, source, tmp_path):
    with ThreadExecutor(2) as pool:
        same_bytes(frames, frames_of(source, pool=pool), tmp_path)


FAMILY = ["p_adjusted", "family_size", "band_low", "band_high"]


@pytest.mark.parametrize("unit", ["auto", "trial"])
def test_a_seventh_model_changes_no_other_number(source, tmp_path, unit):
    rows = pl.read_parquet(source)
    seventh = rows.filter(system="TC3").with_columns(
        pl.lit("TC0").alias("system"), (pl.col("score") * 0.9).round(2).alias("score")
    )
    more = tmp_path / "seven.parquet"
    pl.concat([seventh, rows]).write_parquet(more)
    six, seven = frames_of(source, unit=unit), frames_of(more, unit=unit)
    for name in ("trials", "metrics", "roc", "epc"):
        assert six[name].equals(seven[name].filter(pl.col("model") != "TC0"))
    old = seven["comparisons"].filter((pl.col("model") != "TC0") & (pl.col("baseline") != "TC0"))
    assert six["comparisons"].drop(FAMILY).equals(old.drop(FAMILY))
    assert not six["comparisons"][FAMILY].equals(old[FAMILY])


def test_without_trial_keys_comparisons_are_null_with_a_status(source, tmp_path):
    path = tmp_path / "keyless.parquet"
    pl.read_parquet(source).drop("trial", "speaker").write_parquet(path)
    keyless = frames_of(path, columns={"model": "system", "label": "target"})
    comparisons = keyless["comparisons"]
    assert comparisons["status"].unique().to_list() == ["no_trial_key"]
    assert comparisons["difference"].null_count() == comparisons["p_value"].null_count() == len(comparisons)
    keyed = frames_of(source, unit="trial")
    assert keyless["metrics"]["value"].equals(keyed["metrics"]["value"])
    by_counts = pl.col("ci_method").is_in(["wilson", "logit_delong"]) | (pl.col("measure") == "hter")
    both = [f["metrics"].filter(by_counts)["ci_low"] for f in (keyless, keyed)]
    assert both[0].equals(both[1])
