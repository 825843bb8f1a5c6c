"""The bill of materials of a release: what it names, what it leaves out, and the same bytes each time."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
VERSION = version("trial-reporting")
WHEEL = b"not a real wheel"


@pytest.fixture
def written(tmp_path: Path) -> str:
    pytest.importorskip("cyclonedx")
    (tmp_path / f"trial_reporting-{VERSION}-py3-none-any.whl").write_bytes(WHEEL)
    command = [sys.executable, str(ROOT / ".ci" / "bill_of_materials.py"), str(tmp_path)]
    ran = subprocess.run(
        command,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    first = Path(ran.stdout.strip()).read_text()
    assert Path(ran.stdout.strip()) == tmp_path / f"trial-reporting-{VERSION}.cdx.json"
    subprocess.run(command, env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"}, check=True)
    assert Path(ran.stdout.strip()).read_text() == first
    return first


@pytest.fixture
def bill(written: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(written)
    return content


def test_it_is_cyclonedx(written: str) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    assert validation.JsonStrictValidator(schema.SchemaVersion.V1_6).validate_str(written) is None


def test_the_wheel_and_the_date(bill: dict[str, Any]) -> None:
    ours = bill["metadata"]["component"]
    assert (ours["name"], ours["version"], ours["type"]) == ("trial-reporting", VERSION, "application")
    assert ours["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(WHEEL).hexdigest()}]
    assert ours["licenses"] == [{"expression": "MIT"}]
    assert bill["metadata"]["timestamp"] == "2026-09-21T14:13:20+00:00"


def test_it_names_what_users_install_and_not_what_developers_do(bill: dict[str, Any]) -> None:
    named = {each["name"]: each["version"] for each in bill["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name in extras if name != "dev" for line in extras[name])]
    for name in (canonicalize_name(Requirement(line).name) for line in wanted):
        assert named[name] == version(name)
    assert {"markupsafe", "pydantic-core"} <= named.keys()  # what these need in turn
    assert not {"pytest", "hypothesis", "ruff", "mypy", "moto", "playwright"} & named.keys()
    needs = {each["ref"]: each.get("dependsOn", []) for each in bill["dependencies"]}
    assert f"pkg:pypi/markupsafe@{named['markupsafe']}" in needs[f"pkg:pypi/jinja2@{named['jinja2']}"]
    assert f"pkg:pypi/jinja2@{named['jinja2']}" in needs[bill["metadata"]["component"]["bom-ref"]]


def test_it_names_no_index_and_no_machine(written: str) -> None:
    assert re.findall(r"https?://[^\"]+", written) == ["http://cyclonedx.org/schema/bom-1.6.schema.json"]
    assert "file:" not in written
    assert str(ROOT) not in written
