"""What a report has of the past: only earlier runs of its question, and the same on every day it is made."""

import numpy as np
import pytest
from polars.testing import assert_frame_equal
from weeks import decided, facts, filled, frames_from, frames_of

from reporting.document.frames.history import SINCE_LAST
from reporting.errors import DataError
from reporting.features.history.frame import CHANGES, HISTORY
from reporting.features.history.past import past_of
from reporting.features.history.store import open_store


def test_the_first_report_has_no_past(tmp_path):
    past = past_of(open_store(tmp_path), facts(0), frames_of(0), "h")
    assert past.frames == {}
    assert past.snapshot is None


def test_frames_keep_their_contracts_and_hold_this_run_last(tmp_path):
    past = past_of(filled(open_store(tmp_path), 3), facts(3), frames_of(3), "h")
    for contract in (HISTORY, SINCE_LAST, CHANGES):
        assert past.frames[contract.name].schema == contract.schema
    assert past.frames["history"]["as_of"].unique().sort().to_list() == [
        facts(week).as_of for week in range(4)
    ]
    assert set(past.frames["since_last"]["as_of"]) == {facts(2).as_of}
    assert past.snapshot.name == "history h"


def test_a_report_made_again_has_the_past_it_had(tmp_path):
    first = past_of(filled(open_store(tmp_path), 3), facts(2), frames_of(2), "h")
    filled(open_store(tmp_path), 6)
    again = past_of(open_store(tmp_path), facts(2), frames_of(2), "h")
    assert again.snapshot == first.snapshot
    for name, frame in first.frames.items():
        assert_frame_equal(again.frames[name], frame)


def test_runs_of_another_question_are_no_past(tmp_path):
    store = open_store(tmp_path)
    store.record(facts(0, title="Another"), frames_of(0))
    past = past_of(open_store(tmp_path), facts(1), frames_of(1), "h")
    assert past.frames == {}


def test_a_named_run_is_the_reference(tmp_path):
    store = filled(open_store(tmp_path), 3)
    past = past_of(store, facts(3), frames_of(3), "h", reference=facts(0).as_of)
    assert set(past.frames["since_last"]["as_of"]) == {facts(0).as_of}
    with pytest.raises(
        DataError, match="history.reference: run .* is of 2026-09-18, not earlier than 2026-09-11"
    ):
        past_of(store, facts(1), frames_of(1), "h", reference=facts(2).as_of)


def test_damage_in_the_past_is_a_caution_and_no_fault(tmp_path):
    runs = filled(open_store(tmp_path), 3).runs()
    next((tmp_path / "runs" / runs[2].name).glob("outcomes*")).unlink()
    (tmp_path / "runs" / runs[0].name / "manifest.json").write_text("{")
    past = past_of(open_store(tmp_path), facts(3), frames_of(3), "h")
    told = past.frames["changes"].filter(kind="caution")["name"].to_list()
    assert len(told) == 2
    assert "since_last" not in past.frames
    assert past.frames["history"]["as_of"].n_unique() == 3


def stale_in(past):
    return past.frames["changes"].filter(kind="stale").select("name", "then", "now", "count").rows()


def test_input_files_of_an_earlier_run_are_stale_whichever_it_was(tmp_path):
    store = filled(open_store(tmp_path), 3)
    assert stale_in(past_of(store, facts(3), frames_of(3), "h")) == []
    again = facts(3, inputs=facts(1).inputs)
    found = past_of(store, again, frames_of(1), "h")
    assert stale_in(found) == [(facts(1).id, facts(1).as_of, "inputs", None)]
    assert found.frames["changes"].schema == CHANGES.schema


def test_other_files_with_the_same_decisions_on_the_same_trials_are_stale(tmp_path):
    store = filled(open_store(tmp_path), 3)
    rewritten = past_of(store, facts(3), frames_of(2), "h")
    assert stale_in(rewritten) == [(facts(2).id, facts(2).as_of, "decisions", 400)]
    keys, label, accepted = decided(2)
    one_more = frames_from([*keys, "new"], np.append(label, False), {m: np.append(a, False) for m, a in accepted.items()})  # fmt: skip
    assert stale_in(past_of(store, facts(3), one_more, "h")) == []
    another_model = {"TC1": ~accepted["TC1"]} | {m: accepted[m] for m in ("TC2", "TC3")}
    assert stale_in(past_of(store, facts(3), frames_from(keys, label, another_model), "h")) == []


def test_a_run_without_decisions_is_stale_by_its_files_alone(tmp_path):
    store = open_store(tmp_path)
    metrics = {"metrics": frames_of(0)["metrics"]}
    store.record(facts(0), metrics)
    assert stale_in(past_of(open_store(tmp_path), facts(1), metrics, "h")) == []
    assert len(stale_in(past_of(open_store(tmp_path), facts(1, inputs=facts(0).inputs), metrics, "h"))) == 1
