"""The cache from the command line: runs that remember, a folder that is shown and emptied, and refusals."""

import json
import os

import polars as pl
from command import reporting


def config_in(folder):
    rows = [
        {"model": m, "split": s, "trial": i, "label": i % 2, "score": (i * 7919 % 23) / 10 + i % 2 + k / 10}
        for k, m in enumerate("ab")
        for s in ("dev", "test")
        for i in range(30)
    ]
    pl.DataFrame(rows).write_csv(folder / "trials.csv")
    (folder / "report.yaml").write_text(
        "trials: {source: trials.csv}\nsignificance: {replicates: 60}\nepc: none\ncurves: []\n"
        "report: {formats: [json]}\nrun: {cache: remembered}\n"
    )
    return folder / "report.yaml"


def frames(out):
    outputs = json.loads((out / "manifest.json").read_text())["outputs"]
    return {name: digest for name, digest in outputs.items() if name.startswith("frames/")}


def test_runs_remember_unless_told_not_to(tmp_path):
    config, cache = config_in(tmp_path), tmp_path / "remembered"
    assert reporting("run", config, "-o", tmp_path / "plain", "--no-cache")[0] == 0
    assert not cache.exists()
    assert reporting("run", config, "-o", tmp_path / "cold")[0] == 0
    entries = {path: path.stat().st_ino for path in cache.glob("*/*.arrays")}
    size = sum(path.stat().st_size for path in entries)
    told = f"{cache}: {len(entries)} entries, {size / 2**20:.1f} MB"
    assert reporting("cache", "show", cache) == (0, f"{told}\n", "")
    for number, path in enumerate(entries):  # a link keeps the number of a file from being given again
        os.link(path, tmp_path / f"{number}")
    next(iter(entries)).write_bytes(b"damaged")
    code, _, said = reporting("run", config, "-o", tmp_path / "warm")
    assert (code, said.count("caution: run.cache: ")) == (0, 1)
    assert frames(tmp_path / "plain") == frames(tmp_path / "cold") == frames(tmp_path / "warm")
    assert len({path.stat().st_ino for path in entries} - set(entries.values())) == 1
    assert reporting("cache", "clear", cache) == (0, f"{told} deleted\n", "")
    assert [path.name for path in cache.iterdir()] == ["reporting-cache.json"]


def test_a_folder_that_is_no_cache_is_refused_in_one_line(tmp_path):
    config, foreign = config_in(tmp_path), tmp_path / "remembered"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    for command in (("run", config), ("cache", "show", foreign), ("cache", "clear", foreign)):
        code, out, said = reporting(*command)
        assert (code, out, said.count("\n")) == (2, "", 1)
        assert said.startswith(f"error: {foreign} ")
        assert "is not a cache folder (reporting-cache.json is missing)" in said
    assert not (tmp_path / "report").exists()
    assert [path.name for path in foreign.iterdir()] == ["notes.txt"]


def test_a_report_never_replaces_its_cache(tmp_path):
    code, _, said = reporting(
        "run", config_in(tmp_path), "-o", tmp_path / "out", "--set", "run.cache=out/cache"
    )
    assert code == 2
    assert "holds cache, and the report would replace it" in said
