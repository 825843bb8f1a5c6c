"""What runs of an earlier version left behind is read by this one, or refused in one clear message.

``before`` holds the smallest of each kind, written by the version 0.1.0 before its rooms were moved: a store
of two runs, a cache, a bundle of counts, the manifest and frames of a report, and templates of a user. They
are never made again: only another kind of file gets a folder of its own beside them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from command import reporting
from polars.testing import assert_frame_equal

from reporting.base.publish import SCHEMA_VERSION

BEFORE = Path(__file__).parent / "before"


@pytest.fixture
def before(tmp_path, monkeypatch):
    """A copy of what was left, on the day of its last run."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(BEFORE, tmp_path / "before")


@pytest.fixture
def unrendered(monkeypatch):
    """Leave out the pages and pictures, which take nearly all of a small run's time."""
    monkeypatch.setattr("reporting.app.run.report.render_all", lambda *_, **__: {"report.json": b"{}"})


REPEATED = (
    "caution: The input files are those of the run of 2026-09-14 (7fab4012): nothing new was tested, and values,"
    " gates and trends repeat that run. [TR326]\n"
)


def run(config, out, *settings, told=""):
    code, _, errors = reporting("run", "-q", config, "-o", out, *(f"--set={each}" for each in settings))
    assert (code, errors) == (0, told)
    return {path.stem: pl.read_parquet(path) for path in (out / "frames").glob("*.parquet")}


RENAMED = {"ci_method": {"logit_delong": "logit_clustered"}}
"""What the changelog calls by another name since: every AUC here has the standard error of clusters."""

MORE_EXACT = {"se", "ci_low", "ci_high", "p_value", "p_adjusted", "design_effect"}
"""Whose last digits changed where a difference of areas lost none any more (changelog)."""


MADE_BY = {
    "ci_method": ("ci_low", "ci_high", "level", "unit", "n_units", "replicates", "se"),
    "p_method": (
        "p_value",
        "p_adjusted",
        "p_percentile",
        "mc_error",
        "ci_low",
        "ci_high",
        "band_low",
        "band_high",
        "se",
        "replicates",
    ),
}
"""What a method has made; the changelog says which rows have another one since."""


def made_as_then(now, then):
    """Both frames without what methods made of which one is another since."""
    for method, made in MADE_BY.items():
        if method in then.columns:
            same = now[method].eq_missing(then[method])
            mine = [c for c in (method, *made) if c in then.columns]
            now, then = (each.with_columns(pl.when(same).then(pl.col(mine))) for each in (now, then))
    return now, then


WIDER = (
    "se",
    "ci_low",
    "ci_high",
    "band_low",
    "band_high",
    "p_value",
    "p_adjusted",
    "mc_error",
    "design_effect",
)
"""What clusters, here of unequal size, make wider since (changelog)."""


def without_width(now, then):
    """Both frames without what follows from how unequal clusters are, once none is seen to be narrower."""
    if "unit" not in then.columns:
        return now, then
    clustered = (then["unit"] == "cluster").fill_null(value=False)
    for low, high in (("ci_low", "ci_high"), ("band_low", "band_high")):
        if low in then.columns:
            grown = (now[high] - now[low]) - (then[high] - then[low])
            assert (grown.filter(clustered).drop_nulls() >= -1e-9).all()
    mine = [c for c in WIDER if c in then.columns]
    return (each.with_columns(pl.when(~clustered).then(pl.col(mine))) for each in (now, then))


def same_columns(now, then):
    """Whether a frame holds every column of the earlier one with the same values."""
    then = then.with_columns(pl.col(c).replace(RENAMED[c]) for c in then.columns if c in RENAMED)
    if not set(then.columns) <= set(now.columns):
        return False
    now, then = without_width(*made_as_then(now.select(then.columns), then))
    exact = [c for c in then.columns if c not in MORE_EXACT]
    if MORE_EXACT & set(then.columns):
        assert_frame_equal(now, then, rel_tol=1e-10, abs_tol=1e-15)
    return now.select(exact).equals(then.select(exact), null_equal=True)


def test_a_store_of_runs_is_listed_and_continued(before, unrendered):
    code, listing, errors = reporting("history", "before/history")
    assert (code, errors) == (0, "")
    assert "2 runs, 2026-09-14 to 2026-09-21" in listing
    then = pl.read_parquet(BEFORE / "report" / "frames" / "metrics.parquet")
    now = run(
        before / "report.yaml", before / "next", "history.as_of=2026-09-28", "run.cache=null", told=REPEATED
    )
    history = now["history"].filter(as_of="2026-09-21", model="A", measure="auc")
    stored = then.filter(split="test", model="A", measure="auc")
    assert history["value"].to_list() == stored["value"].to_list()
    assert set(now["since_last"]["difference"].to_list()) == {0.0}, "the same trials as a week before"
    assert "3 runs, 2026-09-14 to 2026-09-28" in reporting("history", "before/history")[1]


def test_a_cache_changes_no_frame_and_is_emptied(before, unrendered):
    entries = len(list((before / "cache").glob("*/*.arrays")))
    assert reporting("cache", "show", before / "cache")[1].startswith(
        f"{before / 'cache'}: {entries} entries"
    )
    with_cache = run(before / "report.yaml", before / "a", "history=null")
    without = run(before / "report.yaml", before / "b", "history=null", "run.cache=null")
    assert with_cache.keys() == without.keys()
    assert all(frame.equals(without[name], null_equal=True) for name, frame in with_cache.items())
    assert reporting("cache", "clear", before / "cache")[0] == 0
    assert not list((before / "cache").glob("*/*.arrays"))


def test_counts_give_the_numbers_that_they_gave(before, unrendered):
    now = run(before / "fromcounts.yaml", before / "out")["metrics"]
    assert same_columns(now, pl.read_parquet(before / "values" / "metrics_from_counts.parquet"))


def test_a_report_gives_the_numbers_that_it_gave(before, unrendered):
    shutil.rmtree(before / "history")
    frames = run(before / "report.yaml", before / "now", "run.cache=null", "history=null")
    then = {path.stem: pl.read_parquet(path) for path in (BEFORE / "report" / "frames").glob("*.parquet")}
    of_runs = {"history", "since_last", "changes"}
    assert set(then) - of_runs <= set(frames)
    # Of a difference that is compared by another test since, no replicates are shown; the bands of differences
    # along the curves are made another way, those of ROC curves know of clusters, limits along an EPC are those of
    # ``metrics``, and limits over a family are there for more methods (changelog).
    limits = ("ci_low", "ci_high", "band_low", "band_high")
    then["epc"], then["winners"] = then["epc"].drop(limits), then["winners"].drop(limits[:2])
    then["comparisons"] = then["comparisons"].drop(limits[2:])
    compared = set(then) - of_runs - {"differences", "curve_differences", "bands"}
    different = [name for name in compared if not same_columns(frames[name], then[name])]
    assert different == []


def test_a_manifest_is_verified_file_by_file(before):
    manifest = json.loads((before / "report" / "manifest.json").read_text())
    code, lines, errors = reporting("verify", "-v", before / "report")
    assert code == 1, errors
    written = {name for name in manifest["outputs"] if (before / "report" / name).exists()}
    absent = set(manifest["outputs"]) - written
    assert {
        line.removeprefix("missing ") for line in lines.splitlines() if line.startswith("missing ")
    } >= absent


def test_templates_of_a_user_still_shape_the_page(before):
    run(before / "report.yaml", before / "out", "report.formats=[html]", "history=null", "run.cache=null")
    page = (before / "out" / "report.html").read_text()
    assert "To the top" in page
    assert "--accent: #7a1f3d" in page


def test_every_table_and_model_names_its_schema(before):
    assert "schema_version" not in json.loads((BEFORE / "report" / "manifest.json").read_text()), (
        "read all the same"
    )
    run(before / "report.yaml", before / "out", "report.formats=[json]", "history=null", "run.cache=null")
    frames = sorted((before / "out" / "frames").glob("*.parquet"))
    assert {pl.read_parquet_metadata(path)["schema_version"] for path in frames} == {str(SCHEMA_VERSION)}
    for name in ("manifest.json", "report.json"):
        assert json.loads((before / "out" / name).read_text())["schema_version"] == SCHEMA_VERSION
