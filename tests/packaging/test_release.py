"""What goes with a release: how it is cited, completed by a shell, and known to editors."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from reporting import __version__

ROOT = Path(__file__).resolve().parents[2]


def test_the_citation_has_the_version_and_licence_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    assert (citation["version"], citation["license"]) == (__version__, project["license"])
    assert [author["name"] for author in citation["authors"]] == [each["name"] for each in project["authors"]]
    assert citation["title"].startswith(project["name"])
    assert citation["keywords"] == project["keywords"]


def test_a_command_has_the_name_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == dict.fromkeys(("reporting", project["name"]), "reporting.app.cli:main")


@pytest.mark.parametrize(
    ("words", "completed"), [("reporting ver", "verify"), ("reporting run --no", "--no-cache")]
)
def test_a_shell_completes_commands_and_options(words: str, completed: str) -> None:
    asked = {"_REPORTING_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    program = "import sys; sys.argv[0] = 'reporting'; from reporting.app.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.split(), ran.stderr) == ([completed], "")
