"""Whatever the shape of a table: the config that ``init`` writes passes the check, and asks where it guesses."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from tests.app.init.shapes import LONG_SCORES, SCORES, SHAPES


def started(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a shape and its config, and return what was shown."""
    monkeypatch.chdir(folder)
    return write_starter(SHAPES[name](folder), Path("report.yaml"))


def test_there_are_many_shapes():
    assert len(SHAPES) >= 60


@pytest.mark.parametrize("name", SHAPES)
def test_the_config_passes_the_check(name, tmp_path, monkeypatch):
    started(tmp_path, name, monkeypatch)
    assert "trials (" in check_report(Path("report.yaml"))


@pytest.mark.parametrize("name", [*SCORES, *LONG_SCORES])
def test_a_score_of_no_known_name_is_asked_for(name, tmp_path, monkeypatch):
    shown = started(tmp_path, name, monkeypatch)
    column = name.partition(" called ")[2]
    assert f": is '{column}' the score?" in shown
    assert f"# ? is '{column}' the score?" in Path("report.yaml").read_text()
