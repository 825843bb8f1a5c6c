"""A folder with a trial table in it, and a way to say a config and hear its faults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.errors import ConfigError

Read = Callable[..., Plan]
Faults = Callable[..., list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with empty files: a config never opens the data."""
    for name in ("trials.parquet", "b.csv", "a.csv", "notes.md"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def read(folder: Path) -> Read:
    def read_text(text: str, *overrides: str) -> Plan:
        Path("report.yaml").write_text(text, encoding="utf-8")
        return read_plan(Path("report.yaml"), overrides)

    return read_text


@pytest.fixture
def faults(read: Read) -> Faults:
    def faults_of(text: str, *overrides: str) -> list[str]:
        with pytest.raises(ConfigError) as raised:
            read(text, *overrides)
        assert all("\n" not in fault for fault in raised.value.faults)
        return list(raised.value.faults)

    return faults_of
