"""The whole report.json of one small config, held against the file in ``golden``.

To renew that file after a change that is meant: REPORTING_RENEW=1 pytest tests/render/test_json_golden.py
"""

from __future__ import annotations

import difflib
import json
import os
import re
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from render.report_json import read_report

from reporting.app.run.report import make_report
from reporting.base.provenance import Provenance
from reporting.render.pictures import DrawnFigure

GOLDEN = Path(__file__).parent / "golden"
DIGITS = 9
MOST_LINES = 80
TINY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1760000000")
        # The pictures are no part of the model, and take most of the time.
        drawn: Future[DrawnFigure] = Future()
        drawn.set_result(DrawnFigure(TINY, b"", "1", "1"))
        patch.setattr("reporting.render.formats.submit", lambda work, spec: drawn)
        folder = make_report(GOLDEN / "report.yaml", tmp_path_factory.mktemp("golden") / "report")
    return (folder / "report.json").read_bytes()


def test_the_report_is_the_golden_one(content: bytes) -> None:
    now = _readable(_normal(json.loads(content), read_report(content)[1])) + "\n"
    golden = GOLDEN / "report.json"
    if os.environ.get("REPORTING_RENEW") == "1":
        golden.write_text(now, encoding="utf-8")
    before = golden.read_text(encoding="utf-8")
    changes = list(
        difflib.unified_diff(before.splitlines(), now.splitlines(), "golden", "now", "", "", 1, "")
    )
    shown = "\n".join(line[:400] for line in changes[:MOST_LINES])
    more = f"\n... {len(changes) - MOST_LINES} more lines" if len(changes) > MOST_LINES else ""
    assert not changes, f"{shown}{more}\nIf that is meant: REPORTING_RENEW=1 pytest {Path(__file__).name}"


def test_the_golden_report_is_a_model() -> None:
    report, provenance = read_report((GOLDEN / "report.json").read_bytes())
    assert report.title == "Two systems"
    assert provenance.as_of == "2025-10-09"
    assert provenance.libraries == ()


def _normal(model: Any, provenance: Provenance) -> Any:
    """Take out what says which versions ran, and the last digits of numbers, in which machines differ."""
    model["provenance"]["libraries"] = []
    versions = [("reporting", provenance.version), *provenance.libraries]
    known = {f"{name} {version}": f"{name} VERSION" for name, version in versions}
    return _mapped(model, known | {provenance.version: "VERSION"})


def _mapped(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _mapped(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, known) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, str):
        for found, printed in known.items():
            value = value.replace(found, printed) if " " in found else printed if value == found else value
        return re.sub(r"(?<=schema/vega-lite/v)[\d.]+(?=\.json)", "VERSION", value)
    return value


def _readable(value: Any, margin: str = "") -> str:
    """Print an entry a line, but what is short in one."""
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(margin) + len(short) <= 110:
        return short
    inner = f"{margin} "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {_readable(item, inner)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{margin}}}"
    if all(isinstance(item, int | float | None) for item in value):
        return short
    return "[\n" + ",\n".join(inner + _readable(item, inner) for item in value) + f"\n{margin}]"
