"""Logs of the program itself: JSON lines of a run, errors as JSON, and a stderr that nobody reads."""

import json
import os
import subprocess
import sys

import pytest
from command import reporting

STAGES = ["reading trials", "comparing trial sets"]


@pytest.fixture
def config(tmp_path):
    lines = ["model,split,trial,label,score"]
    lines += [
        f"{m},{s},{i},{i % 2},{(i * 7919 % 23) / 10 + i % 2}"
        for m in ("a", "b") for s in ("dev", "test") for i in range(40)
    ]  # fmt: skip
    (tmp_path / "trials.csv").write_text("\n".join(lines) + "\n")
    path = tmp_path / "report.yaml"
    path.write_text("trials: {source: trials.csv}\n")
    return path


def test_a_command_logs_json_lines_and_stdout_stays_as_it_is(config):
    done = reporting("check", config, "--log", "json")
    assert (done.returncode, done.stdout[:25]) == (0, "160 rows, 2 models (a, b)")
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(r["stage"], r["event"]) for r in records] == [
        (stage, event) for stage in STAGES for event in ("begin", "end")
    ]
    assert all(r["seconds"] >= 0 and r["peak_mb"] > 1 for r in records if r["event"] == "end")


def test_the_environment_asks_for_json_too_and_quiet_leaves_errors(config):
    config.write_text("trials: {source: trials.csv}\nmeasures: [htre, acu]\n")
    done = reporting("check", config, "-q", env={"REPORTING_LOG": "json"})
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert (done.returncode, done.stdout) == (2, "")
    assert [(r["level"], r["event"]) for r in records] == [("error", "error")] * 2
    assert "did you mean 'hter'?" in records[0]["message"]


def test_another_kind_of_log_is_refused(config):
    done = reporting("check", config, "--log", "xml")
    assert done.returncode == 2
    assert all(word in done.stderr for word in ("'xml'", "'text'", "'json'"))


def test_check_is_silent_where_nothing_is_wrong_and_quiet(config):
    done = reporting("check", config, "--log", "json", "-q")
    assert (done.returncode, done.stderr) == (0, "")


def nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 2)


@pytest.mark.parametrize("before", [nobody_reads, lambda: os.close(2)], ids=["nobody reads", "closed"])
def test_a_lost_stderr_does_not_end_a_run(config, before):
    command = [sys.executable, "-m", "reporting", "check", str(config)]
    done = subprocess.run(command, stdout=subprocess.PIPE, preexec_fn=before, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("160 rows, 2 models (a, b)")
