"""A cache costs no byte of the frames: cold, warm, in part or damaged, wherever work runs."""

from __future__ import annotations

import hashlib
import io
from shutil import copytree

import numpy as np
import polars as pl
import pytest

from reporting.app.config.read import read_plan
from reporting.app.run.inputs import open_table
from reporting.base.cache import cache as cache_module
from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import SerialExecutor, ThreadExecutor
from reporting.base.execution.array_store import IN_MEMORY, ArrayStore
from reporting.base.execution.processes import ProcessExecutor
from reporting.core.counts.count import count_trials
from reporting.features.compute import compute_frames

CONFIG = """\
trials: {source: trials.parquet}
criteria: [min_hter, eer]
measures: [hter, auc, mindcf, ap_step]
epc: {criteria: [weighted_error], measures: [hter], alphas: 5}
curves: [roc]
significance: {replicates: 60}
"""
CLUSTERED = "trials: {source: trials.parquet, columns: {cluster: speaker}}\nby: [gender]\n" + "".join(
    CONFIG.splitlines(keepends=True)[1:]
)


def table(models="AB", n=50, scale=1.0):
    rows = []
    for number, model in enumerate(models):
        for split in ("dev", "test"):
            rng = np.random.default_rng([number, split == "dev"])
            label = np.arange(n) % 3 == 0
            told = {
                "model": model,
                "split": split,
                "label": label,
                "score": np.round(rng.normal(label), 1) * scale,
            }
            names = [f"{split}{k:03}" for k in range(n)], [f"s{k // 4}" for k in range(n)]
            rows.append(pl.DataFrame(told | dict(zip(("trial", "speaker"), names, strict=True))))
    return pl.concat(rows).with_columns(gender=pl.col("speaker").str.slice(-1, 1) < "5")


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


class Study:
    """A table, its config, and a cache beside them."""

    def __init__(self, folder):
        self.folder, self.told = folder, []
        self.write(table())

    def write(self, rows, config=CONFIG, name="trials.parquet"):
        rows.write_csv(self.folder / name) if name.endswith("csv") else rows.write_parquet(self.folder / name)
        (self.folder / "report.yaml").write_text(config)

    def cache(self):
        return Cache(self.folder / "cache", self.told.append)

    def frames(self, cache, *overrides, pool=None, shelf=IN_MEMORY):
        plan = read_plan(self.folder / "report.yaml", overrides)
        trials, pool = open_table(plan), pool or SerialExecutor()
        found = compute_frames(trials, count_trials(trials, pool, shelf), plan.study, pool, cache=cache)
        return {name: digest(frame) for name, frame in found.items()}

    def run(self, *overrides, pool=None):
        """Return frames, and how many results were found and made."""
        cache = self.cache()
        return self.frames(cache, *overrides, pool=pool), cache.found, cache.made


def digest(frame):
    written = io.BytesIO()
    frame.write_parquet(written)
    return hashlib.sha256(written.getvalue()).hexdigest()


@pytest.mark.parametrize("config", [CONFIG, CLUSTERED, CONFIG.replace("60", "60, correction: maxt")])
def test_cold_warm_partly_warm_and_damaged_give_the_same_bytes(study, config):
    study.write(table(), config)
    plain = study.frames(NO_CACHE)
    cold, found, made = study.run()
    # All trials and their groups ask alike which units of dev change sides in exchanges.
    shared = 1 if config == CLUSTERED else 0
    assert (cold, found) == (plain, shared)
    assert study.run() == (plain, made + shared, 0)
    entries = sorted(study.folder.glob("cache/*/*.arrays"))
    assert made // 2 < len(entries) <= made  # two that follow from the same are one
    for entry in entries[::2]:
        entry.unlink()
    for entry in entries[1::4]:
        entry.write_bytes(entry.read_bytes()[:100])
    frames, found, again = study.run()
    assert (frames, found + again) == (plain, made + shared)
    assert len(set(study.told)) == len(entries[1::4])
    assert study.run() == (plain, made + shared, 0)


def test_one_more_model_computes_its_own_results_alone(study):
    _, _, two = study.run()
    of_pair = 6  # three a criterion: exchanges on dev, on test, and outcomes at given thresholds
    of_all = 2  # which units change sides, on dev and on test
    study.write(table("ABC"))
    frames, found, made = study.run()
    assert (found, made) == (two, (two - of_pair - of_all) // 2 + 2 * of_pair)
    assert frames == study.frames(NO_CACHE)


def test_rows_in_any_order_and_kind_of_file_hit_the_same_entries(study):
    frames, _, made = study.run()
    study.write(
        table().sample(fraction=1, shuffle=True, seed=1), CONFIG.replace("parquet", "csv"), "trials.csv"
    )
    assert study.run() == (frames, made, 0)


def test_large_arrays_on_disk_hit_the_same_entries(study, tmp_path, monkeypatch):
    frames, _, made = study.run()
    monkeypatch.setattr("reporting.base.execution.array_store.LARGE_ARRAY", 1)
    cache = study.cache()
    (tmp_path / "shelf").mkdir()
    assert study.frames(cache, shelf=ArrayStore(tmp_path / "shelf")) == frames
    assert (cache.found, cache.made) == (made, 0)
    assert list((tmp_path / "shelf").iterdir())


def test_other_scores_in_the_same_order_are_other_thresholds(study):
    study.run()
    study.write(table(scale=2.0))
    frames, _, made = study.run()
    assert made
    assert frames == study.frames(NO_CACHE)


def test_threads_and_processes_share_entries_with_a_serial_run(study, tmp_path):
    study.write(table("ABC"))
    plain = study.frames(NO_CACHE)
    (tmp_path / "work").mkdir()
    with ThreadExecutor(2) as threads, ProcessExecutor(2, tmp_path / "work", print) as processes:
        cold, _, _ = study.run("significance.replicates=300", pool=processes)
        _, every, _ = study.run("significance.replicates=300")
        assert study.run("significance.replicates=300", pool=threads) == (cold, every, 0)
        # What workers find and make they count themselves.
        for pool in (None, processes):
            frames, _, made = study.run("significance.replicates=300", pool=pool)
            assert (frames, made) == (cold, 0)
        assert study.frames(NO_CACHE, "significance.replicates=300") == cold
        assert study.run(pool=threads)[0] == plain


HITS = [
    "title=Other", "models={A: {name: First}}", "baseline=A", "report.formats=[markdown]", "report.vocabulary=ml",
    "run.executor=serial", "run.workers=1", "primary.measure=auc", "criteria=[min_hter]", "measures=[hter]", "epc=none",
    "epc.measures=[frr]", "curves=[]", "significance.level=0.9",
    "significance.intervals=procedure", "significance.correction=bh", "significance.family=all",
    "significance.interval=percentile", "significance.tests=[mcnemar, delong]", "significance.bands=vertical", "significance.bands=threshold",
    "significance.replicate_on=bins",
]  # fmt: skip
"""Bands of a curve that is compared are had already; so few scores are bins of their own."""
MISSES = [
    "significance.comparisons=given_thresholds", "significance.seed=2", "significance.replicates=61", "significance.stratify=label",
    "significance.correction=maxt", "thresholds.ties=high", "thresholds.threshold_at=lower", "thresholds.policy=cv_test",
    "epc.alphas=7", "epc.criteria=[target_far]", "criteria=[min_hter, eer, 'min_dcf(c_miss=10)']",
    "measures=[hter, 'mindcf(c_miss=10)']", "operating_points=[SRE08]", "trials.prevalence=0.2",
    "models={A: {higher_is: nontarget}}", "by=[gender]", "trials.columns.cluster=speaker",
]  # fmt: skip


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    study = Study(tmp_path_factory.mktemp("warm"))
    study.run()
    return study


@pytest.mark.parametrize("change", HITS)
def test_a_change_that_no_result_follows_from_computes_none(warm, change):
    frames, _, made = warm.run(change)
    assert made == 0
    assert frames == warm.frames(NO_CACHE, change)


@pytest.mark.parametrize("change", MISSES)
def test_a_change_that_results_follow_from_computes_those(warm, tmp_path, change):
    copytree(warm.folder / "cache", tmp_path / "cache")
    cache = Cache(tmp_path / "cache")
    frames = warm.frames(cache, change)
    assert cache.made > 0
    assert frames == warm.frames(NO_CACHE, change)


@pytest.mark.parametrize("changed", ["source", "numpy", "scipy"])
def test_another_program_computes_everything(study, monkeypatch, changed):
    _, _, made = study.run()
    was = cache_module.program()
    now = tuple(
        "other" if name == changed else one
        for name, one in zip(("source", "numpy", "scipy"), was, strict=True)
    )
    monkeypatch.setattr(cache_module, "program", lambda: now)
    assert study.run()[1:] == (0, made)
