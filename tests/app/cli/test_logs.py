"""Logs of the program itself: JSON lines of a run, errors as JSON, and a stderr that nobody reads."""

import json
import os
import subprocess
import sys

import pytest
from command import reporting

REPEATED = (
    "model,split,trial,label,score\na,dev,1,1,2\na,dev,1,1,2\na,dev,2,0,1\na,test,3,1,1\na,test,4,0,1\n"
)
STAGES = ["reading trials", "counting"]


@pytest.fixture
def config(tmp_path):
    lines = ["model,split,trial,label,score"]
    lines += [
        f"{m},{s},{i},{i % 2},{(i * 7919 % (23 if m == 'a' else 19)) / 10 + i % 2}"
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
    assert [(r["level"], r["event"], r["code"]) for r in records] == [("error", "error", "TR505")] * 2
    assert "did you mean 'hter'?" in records[0]["message"]


@pytest.mark.parametrize(
    ("config_text", "table", "code"),
    [
        ("trials: [", None, "TR501"),
        ("trials: {source: trials.csv}\nseeed: 1", None, "TR502"),
        ("title: t", None, "TR503"),
        ("trials: {source: trials.csv}\nsignificance: {level: high}", None, "TR504"),
        ("trials: {source: trials.csv}\nmeasures: [htre]", None, "TR505"),
        ("trials: {source: trials.csv}\nprimary: {measure: auc, criterion: eer}", None, "TR506"),
        ("trials: {source: gone.csv}", None, "TR507"),
        ("trials: {source: trials.csv}\nreport: {templates: gone}", None, "TR508"),
        ("trials: {source: trials.csv}\nbaseline: c", None, "TR509"),
        ("trials: {source: trials.csv}\ngates: [{measure: hter, model: c, at_most: 0.1}]", None, "TR509"),
        ("trials: {source: trials.parquet}", "no table", "TR602"),
        ("trials: {source: trials.csv}", "model,split,trial,label\na,dev,1,1\n", "TR603"),
        ("trials: {source: trials.csv}", "model,split,trial,label,score\na,tst,1,1,2\n", "TR604"),
        ("trials: {source: trials.csv}", "model,split,trial,label,score\na,dev,1,1,x\n", "TR605"),
        ("trials: {source: trials.csv}", REPEATED, "TR606"),
        ("trials: {source: trials.csv}", "model,split,trial,label,score\n", "TR608"),
        ("trials: {source: 'sqlite:///gone.db', table: t}", None, "TR609"),
    ],
)
def test_an_error_has_the_code_of_its_family(config, config_text, table, code):
    config.write_text(config_text)
    if table is not None:
        config.with_name(config_text.partition("source: ")[2].rstrip("}")).write_text(table)
    text = reporting("check", config, "-q")
    assert text.returncode == 2
    assert {line[-8:] for line in text.stderr.splitlines()} >= {f" [{code}]"}, text.stderr
    assert reporting("explain", code).returncode == 0


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
