"""The campaign is shown to work: each fault that is planted in the program is found within a few cases."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.hostile import campaign
from tests.hostile.campaign import run_here


def _raises(error: BaseException) -> Callable[..., Any]:
    def planted(*args: Any, **more: Any) -> Any:
        raise error

    return planted


def _same(text: str, *args: Any, **more: Any) -> str:
    return text


PLANTED: dict[str, tuple[str, str, Any, str]] = {
    "messages obey names": ("reporting.app.terminal.log", "one_line", _same, "configs"),
    "check prints names as they are": ("reporting.app.run.check", "one_line", _same, "tables"),
    "no bound of depth or values": ("reporting.app.config.document", "_check_bounds", lambda depth, values: None, "configs"),
    "the file is not looked for": ("reporting.app.config.document", "_text_of", lambda path: path.read_text(), "configs"),
    "numbers are not checked": ("reporting.document.keys", "is_plain", lambda text: text.isascii(), "configs"),
    "a parser fails": ("reporting.base.contents", "_balanced", _raises(IndexError("list index out of range")), "configs"),
    "a hang": ("reporting.app.config.read", "rejoin_split_names", lambda *args: time.sleep(9), "configs"),
    "an assertion": ("reporting.app.config.build", "_execution", _raises(AssertionError()), "configs"),
    "messages too long": ("reporting.errors", "_shortened", lambda fault: fault * 50, "configs"),
    "rows are not checked": ("reporting.inputs.table", "check_rows", lambda *args: None, "tables"),
    "headers are not checked": ("reporting.inputs.formats.separated", "_form_of", _raises(StopIteration()), "files"),
    "broken lines": ("reporting.inputs.formats.text", "lines_of", _raises(EOFError("cut off")), "files"),
    "a folder of templates": ("reporting.app.config.templates", "read_templates", _raises(KeyError("x")), "templates"),
    "steps of templates": ("reporting.document.sandbox.Sandbox", "spend", _raises(ArithmeticError("steps")), "templates"),
    "names in pages": ("reporting.render.formats", "all_legible", lambda report: report, "tables"),
    "the last report is touched": ("reporting.base.publish", "_refuse_foreign", lambda target: (target / "report.html").write_text("x"), "tables"),
    "something is left": ("reporting.base.publish", "_clear", lambda *args: None, "tables"),
    "the manifest is no JSON": ("reporting.app.run.report", "write_json", lambda path, value: path.write_text("{"), "tables"),
}  # fmt: skip
"""By its words: the module or class, the name that is replaced, by what, and the kind of cases that meets it."""
MOST = {"configs": 150, "tables": 60, "files": 60, "templates": 40}


@pytest.mark.long
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_fault_is_found(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, instead, kind = PLANTED[planted]
    monkeypatch.setattr(f"{place}.{name}", instead)
    monkeypatch.setattr(campaign, "LONGEST", 8.0)
    assert any(one.faults for one in run_here(kind, 1, MOST[kind])), planted
