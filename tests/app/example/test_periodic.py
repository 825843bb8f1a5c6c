"""The recipes for periodic runs: every file is read by its own kind, and its commands make a small report."""

from __future__ import annotations

import configparser
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from command import reporting
from ruamel.yaml import YAML

from reporting import __version__

ROOT = Path(__file__).resolve().parents[3]
RECIPES = ROOT / "configs" / "periodic"
PASSES = "gates=[{measure: hter, model: candidate, at_most: 0.9}]"
FAST = (
    "significance.replicates=99",
    "epc=none",
    "curves=[]",
    "report.formats=[html]",
    "run.executor=serial",
    PASSES,
)
NAMES = {
    "weekly.yaml", "reporting.service", "reporting.timer", "crontab", "github-actions.yml", "gitlab-ci.yml",
    "orchestrator_task.py", "action.yml", "pre-commit-config.yaml", "pull-request.yml", "Dockerfile",
}  # fmt: skip


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A home with weekly/ (config and trials) and a program that runs fast."""
    weekly = tmp_path / "weekly"
    weekly.mkdir()
    shutil.copy(RECIPES / "weekly.yaml", weekly)
    rows = [
        {"model": model, "split": split, "trial": i, "label": i % 2, "score": (i * 7919 % 23) + k + 9 * (i % 2)}
        for k, model in enumerate(("production", "candidate")) for split in ("dev", "test") for i in range(40)
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(weekly / "trials.parquet")
    program(tmp_path, f'exec {shlex.join([sys.executable, "-m", "reporting"])} "$@" {shlex.join(fast())}')
    program(tmp_path, "exec true", "python")
    return tmp_path


def fast() -> list[str]:
    return [word for key in FAST for word in ("--set", key)]


def program(home: Path, does: str, name: str = "reporting") -> None:
    path = home / "venv" / "bin" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


def failing(home: Path, status: int) -> None:
    """Put a program in its place that ends as one whose gate failed, or that could not run."""
    gates = "mkdir -p report && echo '| gate | failed |' > report/gates.md && " if status == 1 else ""
    program(home, f"{gates}echo told >&2; exit {status}")


def run(home: Path, command: str, shell: str = "sh", **more: str) -> subprocess.CompletedProcess[str]:
    paths = f"{home / 'venv' / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "PATH": paths, "PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        [*shlex.split(shell), "-c", command],
        cwd=home / "weekly", env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_every_recipe_is_tried_here():
    assert {path.name for path in RECIPES.iterdir() if path.is_file()} == NAMES


def service() -> dict[str, str]:
    unit = configparser.ConfigParser(interpolation=None, strict=False, comment_prefixes=("#",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string((RECIPES / "reporting.service").read_text())
    return dict(unit["Service"])


def needs(tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed here")


def test_the_service_runs_its_command_and_tells_every_status(room):
    needs("flock")
    said = service()
    start = said["ExecStart"].replace("/opt/reporting", str(room / "venv")).replace("/usr/bin/flock", "flock")
    assert run(room, start).returncode == 0
    assert (room / "weekly" / "report" / "report.html").exists()
    stop = shlex.split(said["ExecStopPost"])
    assert stop[:2] == ["/bin/sh", "-c"]
    (room / "weekly" / "report" / "gates.md").write_text("the gates\n")
    told = {status: run(room, stop[2], EXIT_STATUS=status).stdout for status in ("0", "1", "2", "75", "KILL")}
    assert told["0"] == ""
    assert told["1"] == "<3>a gate failed\nthe gates\n"
    assert [told[status].startswith("<3>") for status in ("2", "75", "KILL")] == [True] * 3


def test_systemd_accepts_the_units_and_finds_them_closed(tmp_path):
    needs("systemd-analyze")
    for name in ("reporting.service", "reporting.timer"):
        shutil.copy(RECIPES / name, tmp_path)
    units = [str(tmp_path / name) for name in ("reporting.service", "reporting.timer")]
    checked = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, [line for line in checked.stderr.splitlines() if "reporting." in line]) == (
        0,
        [],
    )
    kept = ("ProtectSystem", "ProtectHome", "NoNewPrivileges", "CapabilityBoundingSet")
    assert [service()[key] for key in kept] == ["strict", "yes", "yes", ""]
    closed = ["systemd-analyze", "security", "--offline=yes", "--threshold=20", units[0]]
    exposed = subprocess.run(closed, capture_output=True, text=True, check=False)
    assert exposed.returncode == 0, exposed.stdout[-200:]


def cron_command() -> str:
    lines = [line for line in (RECIPES / "crontab").read_text().splitlines() if line[:1].isdigit()]
    (line,) = lines
    minute, hour, day, month, weekday, command = line.split(maxsplit=5)
    assert [minute, hour, day, month, weekday] == ["0", "5", "*", "*", "1"]
    assert "%" not in command
    return command


def test_cron_has_nothing_to_mail_after_a_good_run_and_the_status_after_a_bad_one(room):
    needs("flock")
    command = cron_command()
    good = run(room, command)
    assert (good.returncode, good.stdout, good.stderr) == (0, "", "")
    assert (room / "weekly" / "report" / "report.html").exists()
    failing(room, 1)
    assert run(room, command).stdout == "weekly report: status 1\ntold\n| gate | failed |\n"
    failing(room, 2)
    assert run(room, command).stdout == "weekly report: status 2\ntold\n"


def test_two_runs_of_cron_never_overlap(room):
    needs("flock")
    program(room, "echo ran >> ran.txt")
    lock = room / "weekly" / ".lock"
    with subprocess.Popen(["flock", lock, "sh", "-c", "echo; read x"], stdin=-1, stdout=-1) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert run(room, cron_command()).stdout == "weekly report: status 75\n"
        holder.communicate(b"\n")
    assert not (room / "weekly" / "ran.txt").exists()


def workflow() -> dict[str, str]:
    said = YAML(typ="safe").load(RECIPES / "github-actions.yml")
    assert said["on"]["schedule"] == [{"cron": "0 5 * * 1"}]
    assert said["concurrency"]["cancel-in-progress"] is False
    steps = said["jobs"]["report"]["steps"]
    assert [step["uses"].partition("@")[0] for step in steps if "uses" in step] == [
        "actions/checkout", "actions/setup-python", "actions/upload-artifact",
    ]  # fmt: skip
    assert [step.get("if") for step in steps[-2:]] == ["always()", "always()"]
    return {step["name"]: step["run"] for step in steps if "run" in step}


def in_git(room: Path) -> None:
    """Make weekly/ what a checkout would give, with an origin to push to."""
    made = run(
        room, 'git init -q --bare ../origin && git init -q && git remote add origin "file://$PWD/../origin"'
    )
    assert made.returncode == 0, made.stderr


WHO = {
    f"GIT_{who}_{what}": "report@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def test_the_steps_of_the_workflow_make_the_report_and_keep_earlier_runs(room):
    needs("git")
    in_git(room)
    steps, summary = workflow(), room / "summary.md"
    said = {**WHO, "GITHUB_STEP_SUMMARY": str(summary)}
    for number in (1, 2):  # the second week finds what the first one left
        for name in ("Install", "Fetch earlier runs"):
            done = run(room, steps[name], "bash -e", **said)
            assert done.returncode == 0, done.stderr
        history = room / "weekly" / "history"
        assert [path.name for path in history.iterdir() if path.name != ".git"] == ["runs"][: number - 1]
        if number == 1:
            done = run(room, steps["Report"], "bash -e", **said)
            assert (done.returncode, done.stderr) == (0, "")
            assert (room / "weekly" / "report" / "report.html").exists()
        done = run(room, steps["Keep earlier runs"], "bash -e", **said)
        assert done.returncode == 0, done.stderr
        run(room, "git worktree remove --force history")
    assert run(room, "git -C ../origin ls-tree --name-only report-history").stdout == "runs\n"


@pytest.mark.parametrize(("status", "summary"), [(1, "| gate | failed |\n"), (2, "")])
def test_the_workflow_fails_with_the_status_and_shows_the_gates(room, status, summary):
    failing(room, status)
    path = room / "summary.md"
    path.touch()
    done = run(room, workflow()["Report"], "bash -e", GITHUB_STEP_SUMMARY=str(path))
    assert (done.returncode, path.read_text()) == (status, summary)
    assert "::error title=" in done.stdout


GH = """
echo "$@" | cut -d ' ' -f 1-5 >> calls.txt
case "$*" in
  *--paginate*) cat ids.txt ;;
  *body=@comment.md*) cp comment.md posted.md ;;
esac
"""
"""Stands in for the command of GitHub: notes how it was called, and lists the comments in ids.txt."""


def of_pull_request(room: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return the commands of the workflow by the names of their steps, and what GitHub sets for them."""
    read = YAML(typ="safe").load(RECIPES / "pull-request.yml")
    assert (read["on"], read["permissions"]["pull-requests"]) == ("pull_request", "write")
    steps = {step["name"]: step["run"] for step in read["jobs"]["report"]["steps"] if "run" in step}
    program(room, GH, "gh")
    return steps, {
        "COMMENTS": "repos/us/models/issues/7/comments",
        "GITHUB_STEP_SUMMARY": str(room / "summary.md"),
    }


def test_a_pull_request_has_one_comment_that_each_push_renews(room):
    steps, given = of_pull_request(room)
    quick = shlex.join(word for key in FAST if "formats" not in key for word in ("--set", key))
    program(room, f'exec {shlex.join([sys.executable, "-m", "reporting"])} "$@" {quick}')
    weekly = room / "weekly"
    for ids, call in (
        ("", "api --silent --method POST repos/us/models/issues/7/comments"),
        ("41\n42\n", "api --silent --method PATCH repos/us/models/issues/comments/41"),
    ):
        (weekly / "ids.txt").write_text(ids)
        for name in ("Report", "Comment"):
            done = run(room, steps[name], "bash -e", **given)
            assert (done.returncode, done.stderr) == (0, "")
        assert (weekly / "calls.txt").read_text().splitlines()[-1] == call
        posted = (weekly / "posted.md").read_text()
        assert posted.startswith("<!-- report of trials -->\n# Weekly evaluation\n")
        assert "All release checks passed (1 of 1)" in posted
        assert not re.search(r"!\[|\]\(|figures/", posted)
    assert (room / "summary.md").read_text().count("# Weekly evaluation") == 2


def test_the_job_of_gitlab_runs_when_scheduled_and_keeps_the_report(room):
    (job,) = YAML(typ="safe").load(RECIPES / "gitlab-ci.yml").values()
    assert '$CI_PIPELINE_SOURCE == "schedule"' in [rule["if"] for rule in job["rules"]]
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"] == {"junit": "report/gates.xml"}
    done = run(room, "\n".join(job["script"]), "bash -e")
    assert done.returncode == 0, done.stderr
    assert (room / "weekly" / job["artifacts"]["paths"][0] / "report.html").exists()
    assert (room / "weekly" / job["artifacts"]["reports"]["junit"]).read_text().startswith("<?xml")
    failing(room, 1)
    assert run(room, "\n".join(job["script"]), "bash -e").returncode == 1


def test_the_task_returns_what_an_orchestrator_can_hand_on(room):
    path = RECIPES / "orchestrator_task.py"
    spec = importlib.util.spec_from_file_location("orchestrator_task", path)
    assert spec is not None
    assert spec.loader is not None
    task = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(task)
    config = room / "weekly" / "weekly.yaml"
    given = task.weekly_report(str(config), overrides=FAST)
    assert json.loads(json.dumps(given)) == given
    (gate,) = given["gates"]
    assert (given["passed"], gate["model"], gate["outcome"]) == (True, "candidate", "pass")
    failed = task.weekly_report(str(config), overrides=FAST[:-1])
    assert (failed["passed"], failed["gates"][0]["counts_as"]) == (False, "fail")
    assert Path(given["report"], "report.html").exists()
    assert not any(
        word in path.read_text().partition('"""\n')[2] for word in ("airflow", "prefect", "dagster")
    )


def action() -> dict[str, str]:
    described = YAML(typ="safe").load(RECIPES / "action.yml")
    assert described["runs"]["using"] == "composite"
    steps = described["runs"]["steps"]
    assert all(step["shell"] == "bash" for step in steps if "run" in step)
    inputs = {name: each["default"] for name, each in described["inputs"].items()}
    assert inputs == {"config": "report.yaml", "out": "report", "package": f"trial-reporting=={__version__}"}
    return {step["name"]: step["run"] for step in steps if "run" in step}


@pytest.mark.parametrize(("status", "summary"), [(0, ""), (1, "| gate | failed |\n"), (2, "")])
def test_the_steps_of_the_action_end_with_the_status_and_show_the_gates(room, status, summary):
    failing(room, status)
    outputs, shown = room / "outputs", room / "summary.md"
    outputs.touch(), shown.touch()
    told = {"CONFIG": "weekly.yaml", "OUT": "report", "PACKAGE": "x"}
    assert run(room, action()["Install"], "bash -e", **told).returncode == 0
    done = run(
        room,
        action()["Report"],
        "bash -e",
        GITHUB_OUTPUT=str(outputs),
        GITHUB_STEP_SUMMARY=str(shown),
        **told,
    )
    assert (done.returncode, shown.read_text()) == (status, summary)
    assert outputs.read_text() == ("page=report/report.html\n" if status < 2 else "")
    assert ("::error title=" in done.stdout) == (status > 0)


def test_the_hook_checks_the_config_before_a_commit(room):
    (hook,) = YAML(typ="safe").load(RECIPES / "pre-commit-config.yaml")["repos"][0]["hooks"]
    assert (hook["language"], hook["pass_filenames"]) == ("python", False)
    assert hook["additional_dependencies"] == [f"trial-reporting=={__version__}"]
    assert all(re.match(hook["files"], name) for name in ("weekly.yaml", "trials.parquet"))
    assert run(room, hook["entry"]).returncode == 0
    config = room / "weekly" / "weekly.yaml"
    config.write_text(config.read_text().replace("baseline: production", "baseline: produktion"))
    assert run(room, hook["entry"]).returncode == 2


def test_the_steps_of_the_container_are_those_of_a_folder_of_its_own(room):
    lines = [line.partition("#")[0].strip() for line in (RECIPES / "Dockerfile").read_text().splitlines()]
    steps = [tuple(line.split(maxsplit=1)) for line in lines if line]
    assert [word for word, _ in steps] == ["FROM", "RUN", "ENV", "WORKDIR", "USER", "ENTRYPOINT", "CMD"]
    said = dict(steps)
    assert said["RUN"] == f"python -m pip install --no-cache-dir 'trial-reporting=={__version__}'"
    assert run(room, said["RUN"]).returncode == 0
    entry = shlex.join([*json.loads(said["ENTRYPOINT"]), "run", "-q", "weekly.yaml", "-o", "report"])
    assert run(room, entry, HOME="/tmp").returncode == 0
    assert (room / "weekly" / "report" / "report.html").exists()


def test_the_example_runs_as_it_is_written(tmp_path: Path) -> None:
    listed = reporting("example")
    assert listed.returncode == 0
    assert [
        name
        for name in ("vote", "vote_in_depth", "house_style", "periodic")
        if f"  {name} " not in listed.stdout
    ] == []
    written = reporting("example", "periodic", cwd=tmp_path)
    assert (written.returncode, written.stdout) == (0, "periodic/weekly.yaml\n")
    recipes = [path.name for path in Path(RECIPES).iterdir() if path.is_file()]
    assert sorted(os.listdir(tmp_path / "periodic")) == sorted([*recipes, "trials.parquet"])
    few = ("--set", "significance.replicates=99", "--set", "curves=[]", "--set", "epc=none")
    ran = reporting("run", "-q", "weekly.yaml", "-o", "report", *few, cwd=tmp_path / "periodic")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "periodic" / "history" / "runs").is_dir()
