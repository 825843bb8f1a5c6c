"""What a run tells on stderr: plain lines, bars on a terminal, JSON lines, and what timings hold."""

import contextlib
import io
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from reporting.app.terminal import voice_for
from reporting.app.terminal.log import JsonLines, Log, Voice
from reporting.base.progress import Event, Progress, Stages

HOSTILE = "a\x1b[31m\nb\u202e\x7f[bold]"
KEYS = ["time", "level", "stage", "event", "code", "seconds", "peak_mb", "message"]


class Heard(list):
    def __call__(self, line):
        self.append(line)

    def hear(self, event):
        self.append(event)


def story(tell):
    """A run of two stages that counts, retries and cautions."""
    stages = Stages(tell)
    with stages.stage("one"):
        stages.step(1, 3, "models")
        stages.retry(f"worker {HOSTILE} was lost")
    with stages.stage("two"):
        stages.caution("few targets")
    return stages


def spoken(kind, **settings):
    stream = io.StringIO()
    story(kind(stream, **settings))
    return stream.getvalue()


def on_a_terminal(act, monkeypatch, **environment):
    """What a voice writes to a real terminal."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    main, side = os.openpty()
    written = []
    reader = threading.Thread(target=read_all, args=(main, written))
    reader.start()
    with os.fdopen(side, "w") as stream:
        act(stream)
    reader.join()
    os.close(main)
    return b"".join(written).decode()


def read_all(terminal, into):
    with contextlib.suppress(OSError):  # the other side was closed
        while chunk := os.read(terminal, 4096):
            into.append(chunk)


def test_a_plain_function_hears_one_line_a_stage_then_retries_and_cautions():
    lines = []
    story(lines.append)
    assert lines == ["one", f"retry: worker {HOSTILE} was lost", "two", "caution: few targets"]


def test_a_listener_hears_every_event_with_its_stage():
    heard = Heard()
    assert isinstance(heard, Progress)
    story(heard)
    assert [(e.kind, e.stage) for e in heard] == [
        ("begin", "one"), ("step", "one"), ("retry", "one"), ("end", "one"),
        ("begin", "two"), ("caution", "two"), ("end", "two"),
    ]  # fmt: skip
    assert heard[1] == Event("step", "one", "models", 1, 3)
    assert heard[-1].seconds >= 0
    assert heard[-1].peak_mb > 1


def test_timings_hold_stages_their_total_and_the_machine():
    timings = story(Heard()).timings()
    assert [stage["stage"] for stage in timings["stages"]] == ["one", "two"]
    assert timings["total"]["seconds"] >= sum(stage["seconds"] for stage in timings["stages"]) - 0.001
    assert timings["total"]["peak_mb"] == max(stage["peak_mb"] for stage in timings["stages"])
    assert timings["machine"]["cores"] >= 1
    assert timings["machine"]["memory_mb"] > 100
    json.dumps(timings, allow_nan=False)


def test_a_stage_that_fails_has_no_time():
    stages = Stages(Heard())
    with pytest.raises(ZeroDivisionError), stages.stage("one"):
        _ = 1 / 0
    assert stages.done == []


def test_a_stage_has_a_peak_of_its_own_where_the_system_offers_it():
    stages = Stages(Heard())
    with stages.stage("large"):
        np.ones(40_000_000).sum()  # 305 MB, given back at once
    with stages.stage("small"):
        pass
    large, small = stages.done
    if large["peak_of"] != "stage":
        pytest.skip("the system sets no high-water mark back")
    assert large["peak_mb"] - small["peak_mb"] > 250


def test_in_a_process_that_is_not_ours_the_high_water_mark_is_left_alone():
    stages = story(lambda line: None)
    assert {stage["peak_of"] for stage in stages.done} == {"process so far"}


def test_plain_lines_are_one_a_stage_and_hostile_text_is_escaped():
    assert spoken(Voice).splitlines() == [
        "one",
        "retry: worker a\\x1b[31m\\nb\\u202e\\x7f[bold] was lost",
        "two",
        "caution: few targets",
    ]


def test_verbose_lines_end_with_seconds_and_a_message_stands_alone():
    lines = [line.rsplit(" ", 2) for line in spoken(Voice, verbose=True).splitlines()]
    assert [line[0] for line in lines if line[-1] == "s"] == ["one", "two"]
    assert len(lines) == 6  # each stage was cut by a message
    stream = io.StringIO()
    with Stages(Voice(stream, verbose=True)).stage("three"):
        assert stream.getvalue() == "three"
    assert stream.getvalue() == f"three {float(stream.getvalue().split()[1]):.3f} s\n"


@pytest.mark.parametrize("kind", [Voice, JsonLines])
def test_quiet_means_errors_alone(kind):
    assert spoken(kind, quiet=True) == ""
    stream = io.StringIO()
    kind(stream, quiet=True).error("no such file", "TR501")
    assert "no such file" in stream.getvalue()


def test_json_lines_say_when_what_and_where_and_escape_everything():
    written = spoken(JsonLines)
    records = [json.loads(line) for line in written.splitlines()]
    assert all(list(record) == KEYS for record in records)
    assert [(r["event"], r["level"], r["stage"]) for r in records] == [
        ("begin", "info", "one"), ("retry", "warning", "one"), ("end", "info", "one"),
        ("begin", "info", "two"), ("caution", "warning", "two"), ("end", "info", "two"),
    ]  # fmt: skip
    assert records[1]["message"] == f"worker {HOSTILE} was lost"
    assert written.replace("\n", "").isprintable()
    assert written.isascii()
    assert records[0]["seconds"] is None
    assert records[2]["seconds"] >= 0
    assert records[0]["time"].endswith("Z")
    assert len(records[0]["time"]) == len("2026-11-21T20:00:00.000Z")


def test_a_json_note_belongs_to_the_stage_it_falls_in():
    stream = io.StringIO()
    voice = JsonLines(stream)
    with Stages(voice).stage("one"):
        voice("waiting")
        voice.error("lost", "TR506")
    records = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(r["event"], r["stage"]) for r in records[1:3]] == [("note", "one"), ("error", "one")]


def test_a_json_error_names_the_stage_it_ended():
    stream = io.StringIO()
    voice = JsonLines(stream, verbose=True)
    with pytest.raises(RuntimeError, match="two\nlines") as caught, Stages(voice).stage("one"):
        raise RuntimeError("two\nlines")
    voice.failure(caught.value)
    last = json.loads(stream.getvalue().splitlines()[-1])
    assert (last["level"], last["event"], last["stage"]) == ("error", "error", "one")
    assert last["message"].startswith("internal error: RuntimeError: two\nlines\nTraceback")


def bars(stream):
    voice = voice_for(Log.TEXT, stream)
    story(voice)
    voice.close()


def test_a_terminal_gets_bars_that_settle_and_the_cursor_is_left_alone(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    written = on_a_terminal(bars, monkeypatch, TERM="xterm-256color")
    assert all(word in written for word in ("one", "two", "━", "0:00:00", "caution: few targets"))
    assert "a\\x1b[31m\\nb\\u202e\\x7f[bold]" in written
    assert "\x1b[?25" not in written
    assert "\x1b[38" in written or "\x1b[32" in written


def test_bars_tell_what_is_counted(monkeypatch):
    def half(stream):
        voice = voice_for(Log.TEXT, stream)
        with pytest.raises(KeyboardInterrupt), (stages := Stages(voice)).stage("counting"):
            stages.step(1_500, 3_000, "blocks")
            raise KeyboardInterrupt
        voice.close()

    assert "1,500 of 3,000 blocks" in on_a_terminal(half, monkeypatch, TERM="xterm")


def test_no_colour_means_no_colour(monkeypatch):
    written = on_a_terminal(bars, monkeypatch, TERM="xterm-256color", NO_COLOR="1")
    assert "━" in written
    assert "\x1b[3" not in written


@pytest.mark.parametrize("terminal", ["dumb", ""])
def test_a_terminal_that_draws_nothing_gets_lines(monkeypatch, terminal):
    written = on_a_terminal(bars, monkeypatch, TERM=terminal)
    assert written.splitlines()[::2] == ["one", "two"]


def test_loading_the_command_line_loads_no_bars():
    code = "import sys, reporting.app.cli; sys.exit('rich' in sys.modules or 'polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
