"""Text files that hold labels and scores: ``init`` knows them by their lines, and the report follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report

PAIRS = [(f"e{i}", f"t{i}", i % 3 == 0, (i * 37 % 100) / 100 - 0.015) for i in range(60)]
WORDS = {True: "target", False: "nontarget"}


def lines(form):
    return "".join(
        form.format(
            e=e, t=t, word=WORDS[is_target], one=int(is_target), s=s, identity=e if is_target else "x"
        )
        + "\n"
        for e, t, is_target, s in PAIRS
    )


@pytest.mark.parametrize(
    ("name", "form", "layout"),
    [
        ("vox1_O.kaldi.score", "{e} {t} {s} {word}", "kaldi"),
        ("scores.txt", "{e} {t} {one}.0 {s}", "kaldi"),
        ("scores.tsv", "{e}\t{t}\t{word}\t{s}", "kaldi"),
        ("eer_input", "{s} {word}", "kaldi"),
        ("out.dat", "{one} {s}", "kaldi"),
        ("scores-eval", "{e} {e}_1 {identity} {t} {s}", "bob"),
    ],
)
def test_the_layout_is_known_and_the_config_passes_the_check(tmp_path, monkeypatch, name, form, layout):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(lines(form))
    shown = write_starter([name], Path("report.yaml"))
    assert f"trials.layout: {layout}" in shown
    assert "trials (" in check_report(Path("report.yaml"))


def test_attacks_among_the_labels_are_spoofs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("scores.txt").write_text(
        lines("{e} {t} {s} {word}").replace("1 nontarget", "1 spoof").replace("5 nontarget", "5 spoof")
    )
    assert "trials.values.spoof: spoof" in write_starter(["scores.txt"], Path("report.yaml"))
    assert "trials (" in check_report(Path("report.yaml"))
