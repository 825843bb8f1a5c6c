"""Which interpreters and libraries the tests run with: the matrix of CI, and the versions that it asks for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def printed(kind: str) -> list[str]:
    command = [sys.executable, str(ROOT / ".ci" / "constraints.py"), kind]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_lowest_versions_are_those_that_the_project_allows() -> None:
    lowest = printed("lowest")
    assert {"numpy==2.0", "polars==2.0", "psycopg==3.2.1", "typst==0.14"} <= set(lowest)
    assert not {line for line in lowest if not re.fullmatch(r"[a-z0-9.-]+==[0-9.]+", line)}
    assert len(lowest) >= len(PROJECT["dependencies"])
    assert not {"pytest", "ruff", "hypothesis"} & {line.partition("==")[0] for line in lowest}


def test_every_library_that_users_install_has_a_floor_and_a_locked_version() -> None:
    locked = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in printed("locked")}
    lines = [
        *PROJECT["dependencies"],
        *(line for own in PROJECT["optional-dependencies"].values() for line in own),
    ]
    for line in lines:
        assert re.fullmatch(r"[a-z0-9.-]+(\[[a-z0-9-]+\])?>=[0-9.]+", line), line
        assert re.sub(r"[-_.]+", "-", re.split(r"[\[>]", line)[0]) in locked, line


def test_the_newest_versions_are_whatever_there_is() -> None:
    assert printed("newest") == []


def test_the_matrix_has_the_first_python_with_the_lowest_and_each_later_one() -> None:
    jobs = [
        (job["python"], job["dependencies"]) for job in json.loads((ROOT / ".ci" / "matrix.json").read_text())
    ]
    first = PROJECT["requires-python"].removeprefix(">=")
    assert {(first, "locked"), (first, "lowest")} <= set(jobs)
    assert {python for python, _ in jobs} >= {"3.11", "3.12", "3.13", "3.14"}
    assert {kind for _, kind in jobs} == {"locked", "lowest", "newest"}


def test_the_workflow_hands_each_job_to_the_script_of_ci() -> None:
    workflow = YAML(typ="safe").load((ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert ".ci/matrix.json" in workflow["jobs"]["matrix"]["steps"][1]["run"]
    run = workflow["jobs"]["tests"]["steps"][-1]
    assert run == {
        "run": ".ci/run",
        "env": {"PYTHON": "python", "DEPENDENCIES": "${{ matrix.dependencies }}"},
    }


def test_make_knows_the_choices() -> None:
    for kind in ("locked", "lowest", "newest"):
        ran = subprocess.run(
            ["make", "-n", "-B", "test", f"DEPENDENCIES={kind}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert f".ci/constraints.py {kind} > .venv/constraints.txt" in ran.stdout
        assert ("--deselect tests/house" in ran.stdout) == (kind != "locked")


@pytest.mark.parametrize("wrong", ["", "latest"])
def test_another_word_is_refused(wrong: str) -> None:
    command = [sys.executable, str(ROOT / ".ci" / "constraints.py"), wrong]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode != 0
    assert "locked, lowest or newest is allowed" in ran.stderr
