"""Pictures are the same wherever they are drawn, and whatever becomes of the process that draws."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reporting.errors import OutputError
from reporting.render.drawing import Awaited, Drawer
from reporting.render.pictures import draw, vega_of

SPEC = {
    "data": {"values": [{"a": 1, "b": "x"}, {"a": 2, "b": "😀"}]},
    "mark": "line",
    "encoding": {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "nominal"}},
}


@pytest.fixture
def drawer():
    drawer = Drawer()
    yield drawer
    if drawer._process is not None:
        drawer._process.kill()
        drawer._process.wait()


def test_a_process_draws_the_same(drawer):
    answers = Awaited({"one": drawer.submit(draw, SPEC), "two": drawer.submit(draw, SPEC)})
    assert drawer.submit(vega_of, SPEC).result() == vega_of(SPEC)
    assert dict(answers) == {"one": draw(SPEC), "two": draw(SPEC)}
    assert drawer.submit(os.getpid).result() == drawer._process.pid


def test_where_the_process_is_gone_another_draws(drawer):
    first = drawer.submit(os.getpid).result()
    drawer._process.kill()
    assert drawer.submit(draw, SPEC).result() == draw(SPEC)
    assert drawer.submit(os.getpid).result() not in (first, os.getpid())


def test_what_ends_the_process_does_not_end_the_program(drawer):
    with pytest.raises(OutputError, match=r"a figure cannot be drawn"):
        drawer.submit(os.abort).result()
    assert drawer.submit(draw, SPEC).result() == draw(SPEC)


def test_where_the_process_does_not_come_up_this_one_draws(monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert Drawer().submit(os.getpid).result() == os.getpid()


def test_where_the_process_aborts_as_it_starts_this_one_does_not_try(monkeypatch, tmp_path):
    """V8 ends the process where it may not reserve its addresses: it would end the program too."""
    aborts = tmp_path / "aborts"
    aborts.write_text("#!/bin/sh\nkill -ABRT $$\n")
    aborts.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(aborts))
    with pytest.raises(OutputError, match=r"ended without a message; is there enough memory"):
        Drawer().submit(os.getpid).result()


LAST = """
import os, sys
from reporting.errors import OutputError
from reporting.render.drawing import Drawer
drawer = Drawer()
assert drawer.submit(os.getpid).result() != os.getpid()
sys.executable = "/nowhere/python"
try:
    drawer.submit(os.abort).result()
except OutputError as error:
    print(error)
assert drawer.submit(os.getpid).result() == os.getpid()
"""


def test_what_ended_a_process_is_not_done_here_where_no_other_can_be_had():
    ended = subprocess.run([sys.executable, "-c", LAST], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "a figure cannot be drawn" in ended.stdout


class PanicError(BaseException):
    """What compiled libraries raise is no Exception."""


def test_a_panic_here_reaches_who_waits(monkeypatch):
    def panic():
        raise PanicError("too many open files")

    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(PanicError):
        Drawer().submit(panic).result(timeout=10)


def test_where_no_process_can_be_had_this_one_draws(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert Drawer().submit(os.getpid).result() == os.getpid()


def test_what_cannot_be_drawn_fails_as_it_does_here(drawer):
    with pytest.raises(ValueError, match="Vega-Lite"):
        drawer.submit(vega_of, {"mark": 7}).result()


def test_the_process_ends_with_the_program():
    code = (
        "import os; from reporting.render.drawing import drawer;"
        "print(drawer().submit(os.getpid).result(), flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -9
    until = time.monotonic() + 60
    while _runs(int(done.stdout)):
        assert time.monotonic() < until
        time.sleep(0.1)


def _runs(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
