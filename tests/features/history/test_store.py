"""The store: what it keeps, once and for good, in which order, and what it says of damage."""

import dataclasses
import hashlib
import json
import sys

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from weeks import facts, filled, frames_of

from reporting.base.provenance import InputFile
from reporting.errors import ConfigError, DataError, OutputError
from reporting.features.decided_trials import ACCEPTED, decisions_of, outcomes_of
from reporting.features.history.store import DamagedError, as_date, open_store, stored_config


def test_the_same_inputs_config_and_date_are_kept_once(tmp_path):
    store = open_store(tmp_path / "h")
    assert store.record(facts(0), frames_of(0))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")}
    assert not open_store(tmp_path / "h").record(facts(0, version="0.2.0"), frames_of(1))
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.*")} == before
    assert_frame_equal(open_store(tmp_path / "h").runs()[0].frame("metrics"), frames_of(0)["metrics"])


def test_another_date_input_or_config_is_another_run_and_the_name_of_an_input_is_not():
    one = facts(0)
    others = [
        facts(1, inputs=one.inputs),
        facts(0, config={"title": "x"}),
        facts(0, inputs=(InputFile("trials.parquet", "ab" * 32, 1),)),
    ]
    assert len({one.id, *(other.id for other in others)}) == 4
    assert facts(0, inputs=(dataclasses.replace(one.inputs[0], name="moved"),)).id == one.id


def test_equal_runs_have_equal_bytes(tmp_path):
    for name in "ab":
        filled(open_store(tmp_path / name), 2)
    files = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in "ab"
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 2 * 3


def test_runs_come_by_date_then_id_however_they_were_kept(tmp_path):
    store = open_store(tmp_path)
    for week in (3, 0, 2, 0):
        store.record(
            facts(week, inputs=(InputFile("t", f"{week}{len(list(tmp_path.rglob('*')))}" * 16, 1),)), {}
        )
    found = [(run.facts.as_of, run.facts.id) for run in open_store(tmp_path).runs()]
    assert len(found) == 4
    assert found == sorted(found)


def test_the_latest_run_is_of_an_earlier_date_and_the_same_question(tmp_path):
    store = filled(open_store(tmp_path), 4)
    assert store.latest(facts(3).as_of).facts.as_of == facts(2).as_of
    assert store.latest(facts(0).as_of) is None
    assert store.latest("2030-01-01", measure="auc") is None
    assert store.latest("2030-01-01", title="Weekly systems", measure="hter") is store.runs()[-1]


def test_the_snapshot_tells_what_a_date_depends_on_and_nothing_later(tmp_path):
    first = filled(open_store(tmp_path), 3).snapshot(facts(2).as_of, "weekly")
    filled(open_store(tmp_path), 5)
    assert open_store(tmp_path).snapshot(facts(2).as_of, "weekly") == first
    assert first.name == "history weekly"
    assert open_store(tmp_path).snapshot(facts(3).as_of, "weekly").sha256 != first.sha256


def test_a_run_is_found_by_its_id_date_or_name_and_a_slip_is_told(tmp_path):
    store = filled(open_store(tmp_path), 3)
    run = store.runs()[1]
    assert {store.find(text) for text in (run.short, run.facts.id, run.name, run.facts.as_of)} == {run}
    with pytest.raises(DataError, match=f"there is no run 'zzzz' .found: {store.runs()[0].short}"):
        store.find("zzzz")
    store.record(facts(1, config={}), {})
    with pytest.raises(DataError, match="means 2 runs; say one of"):
        open_store(tmp_path).find(run.facts.as_of)


def damage(run_folder, kind):
    parquet = next(run_folder.glob("metrics-*.parquet"))
    manifest = run_folder / "manifest.json"
    said = json.loads(manifest.read_bytes())
    match kind:
        case "bit":
            content = bytearray(parquet.read_bytes())
            content[len(content) // 2] ^= 1
            parquet.write_bytes(content)
        case "gone":
            parquet.unlink()
        case "short":
            manifest.write_bytes(manifest.read_bytes()[:200])
        case "no manifest":
            manifest.unlink()
        case "edited":
            manifest.write_text(json.dumps(said | {"title": "Another"}))
        case "later":
            manifest.write_text(json.dumps(said | {"layout": 9}))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("short", "its manifest cannot be read"),
        ("no manifest", "it has no manifest"),
        ("edited", "its manifest does not agree with its own digest"),
        ("later", "it was written by a later version"),
    ],
)
def test_a_run_with_a_damaged_manifest_is_named_and_passed_over(tmp_path, kind, told):
    name = filled(open_store(tmp_path), 3).runs()[1].name
    damage(tmp_path / "runs" / name, kind)
    store = open_store(tmp_path)
    assert len(store.runs()) == 2
    assert store.cautions == (f"{tmp_path}: run {name} is left out: {told}",)


@pytest.mark.parametrize(("kind", "told"), [("bit", "has another digest"), ("gone", "is missing")])
def test_a_damaged_frame_is_never_read(tmp_path, kind, told):
    run = filled(open_store(tmp_path), 1).runs()[0]
    damage(tmp_path / "runs" / run.name, kind)
    with pytest.raises(DamagedError, match=told):
        run.frame("metrics")


def test_strangers_in_the_folder_are_no_runs(tmp_path):
    filled(open_store(tmp_path), 1)
    (tmp_path / "runs" / "notes.txt").write_text("x")
    (tmp_path / "runs" / ".new-0123").mkdir()
    assert len(open_store(tmp_path).runs()) == 1
    assert open_store(tmp_path).cautions == ()


def test_no_credential_is_kept(tmp_path):
    config = {
        "trials": {
            "source": "postgresql://reader:pa55@host/lab?sslkey=x",
            "storage": {"secret_access_key": "hush"},
            "columns": {"trial": "key"},
        },
        "history": {"store": "s3://b"},
        "run": {"workers": 2},
        "report": {},
    }
    kept = stored_config(config)
    assert kept == {
        "trials": {
            "source": "postgresql://host/lab",
            "storage": {"secret_access_key": "(not stored)"},
            "columns": {"trial": "key"},
        }
    }
    source = InputFile("postgresql://reader:pa55@host/lab (table t)", "0" * 64, 1)
    open_store(tmp_path).record(facts(0, config=kept, inputs=(source,)), {})
    assert not any(
        b"pa55" in path.read_bytes() or b"hush" in path.read_bytes() for path in tmp_path.rglob("*.*")
    )


def test_outcomes_hold_digests_and_decisions_alone():
    frame = outcomes_of(
        [
            decisions_of("b", ["k2", "k1"], [True, False], {"m": [True, False]}, ["c", "c"]),
            decisions_of("a", ["k1"], [True], {"n": [False]}),
        ]
    )
    assert frame.columns == [
        "dataset",
        "trial",
        "label",
        "cluster",
        "cluster_b",
        f"{ACCEPTED}m",
        f"{ACCEPTED}n",
    ]
    assert frame["dataset"].to_list() == ["a", "b", "b"]
    assert frame["trial"].bin.size().to_list() == [16, 16, 16]
    k1, k2 = (hashlib.sha256(key).digest()[:16] for key in (b"k1", b"k2"))
    rows = {(row["dataset"], row["trial"]): row for row in frame.to_dicts()}
    assert rows.keys() == {("a", k1), ("b", k1), ("b", k2)}
    assert [rows["b", key][f"{ACCEPTED}m"] for key in (k1, k2)] == [False, True]
    assert rows["a", k1][f"{ACCEPTED}m"] is None


def test_the_order_of_trials_does_not_matter():
    one = decisions_of("a", ["x", "y"], [True, False], {"m": [True, True], "l": [False, True]})
    two = decisions_of("a", ["y", "x"], [False, True], {"l": [True, False], "m": [True, True]})
    assert_frame_equal(one, two)


def test_what_a_user_can_get_wrong_is_told_in_one_line(tmp_path, monkeypatch):
    with pytest.raises(DataError, match="there is no history in"):
        open_store(tmp_path / "none").runs()
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="the history .*file' cannot be written: Not a directory"):
        open_store(tmp_path / "file").record(facts(0), {"metrics": pl.DataFrame({"a": [1]})})
    with pytest.raises(DataError, match="expected a folder or s3://bucket/prefix, found 'gs://b'"):
        open_store("gs://b")
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.delitem(sys.modules, "reporting.features.history.objects", raising=False)
    with pytest.raises(ConfigError, match="'s3://b/x' needs obstore, which is not installed"):
        open_store("s3://b/x")
    with pytest.raises(ConfigError, match="history.as_of: expected a date such as 2026-11-20, found 'soon'"):
        as_date("soon")


def test_criteria_of_earlier_versions_have_the_names_of_today(tmp_path):
    frames = frames_of(0)
    older = frames["metrics"].with_columns(pl.col("criterion").replace({"min_hter": "best"}))
    open_store(tmp_path).record(facts(0, criterion="best"), {**frames, "metrics": older})
    (run,) = open_store(tmp_path).runs()
    assert run.facts.criterion == "best(measure=f1)"
    assert set(run.frame("metrics")["criterion"].drop_nulls()) == {"best(measure=f1)"}
