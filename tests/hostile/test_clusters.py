"""Hostile files of clusters and patterns: one message or a result, within a bound of time, nothing obeyed."""

from __future__ import annotations

import re
import time
from pathlib import Path

import polars as pl
import pytest
from command import Ended, reporting

LONG = "a" * 100_000
NAMES = (
    "plain",
    "é z",
    "\x1b[31mred",
    "\u202eturned",
    "x" * 5000,
    LONG + "!",
    "'quoted'",
    "{brace}",
    "<b>",
    "=1+1",
)
TABLE = pl.DataFrame(
    [
        {"model": model, "split": split, "trial": name, "label": at % 2, "score": float(at * 7 % 5)}
        for model in "AB"
        for split in ("dev", "test")
        for at, name in enumerate(NAMES)
    ]
)


def checked(folder: Path, clusters: str) -> Ended:
    """Check a table whose clusters are said so, in less than five seconds of the processor."""
    TABLE.write_parquet(folder / "t.parquet")
    (folder / "report.yaml").write_text(f"trials:\n  source: t.parquet\n  clusters: {clusters}\n")
    begun = time.process_time()
    ended = reporting("check", "-q", "report.yaml", cwd=folder)
    assert time.process_time() - begun < 5
    assert ended.returncode in (0, 2)
    assert "Traceback" not in ended.stderr
    assert all(line.isprintable() and len(line) < 3200 for line in ended.stderr.splitlines())
    return ended


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "((a|a)*)*$", "^(([a-z])+.)+[A-Z]$", "(a*)*b", "^(.*)*$", "(?:(?:(?:a*)*)*)*(b)", "(x+x+)+y", "(\\w{500}){4}"],
)  # fmt: skip
def test_a_pattern_that_takes_others_for_ever_takes_no_time(tmp_path, pattern):
    checked(tmp_path, f"{{pattern: '{pattern}'}}")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(" + "(?:a{999}){999}" * 2 + ")", "is no regular expression"),
        ("(" * 900, "is no regular expression"),
        ("(" + "a" * 1000 + ")", "a pattern may have 1000 characters, found 1002"),
        ("(a)\\1", "is no regular expression"),
        ("(?P<x>a)(?P<x>b)", "is no regular expression"),
        ("\\p{Nonsense}(a)", "is no regular expression"),
        ("[", "is no regular expression"),
    ],
)
def test_a_pattern_that_cannot_be_is_one_message(tmp_path, pattern, message):
    ended = checked(tmp_path, f"{{pattern: '{pattern}'}}")
    assert ended.returncode == 2
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("pattern", ["([\\s\\S])", "(?s)(.)", "(.)", "(?i)([A-ZÉ])"])
def test_a_pattern_of_single_letters_is_taken_at_its_word(tmp_path, pattern):
    ended = checked(tmp_path, f"{{pattern: '{pattern}'}}")
    assert ended.returncode in (0, 2)
    assert ended.stderr == "" or "finds no cluster in" in ended.stderr


LINES = "".join(f"{name.split()[0]} s{at % 3}\n" for at, name in enumerate(NAMES))
FILES = {
    "not UTF-8": b"plain \xff\xfe\n",
    "NULs": b"plain\0 s1\0\n" * 3,
    "NULs alone": b"\0" * 4096,
    "a Parquet file": b"PAR1" + bytes(range(256)) * 4 + b"PAR1",
    "one long line": b"a" * 3_000_000,
    "one long line of fields": b"a " * 500_000,
    "blanks alone": b" \t\r\n" * 1000,
    "terminal codes": "\x1b[2J\x1b[31m s1\n\u202eevil s2\n\x07 s3 s4\n".encode(),
    "bare carriage returns": b"plain s1\rother s2\r",
    "cut off gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b",
    "names that are speakers": b"s1 s2\ns2 s3\ns3 s1\n",
    "a mark": "\ufeffplain s1\n".encode(),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_hostile_file_is_one_message_a_fault(tmp_path, kind):
    (tmp_path / "utt2spk").write_bytes(FILES[kind])
    ended = checked(tmp_path, "{file: utt2spk}")
    assert ended.returncode == 2
    assert 1 <= len(ended.stderr.splitlines()) <= 2


@pytest.mark.parametrize(
    "name", [".", "..", "/dev/null", "/dev/zero", "/proc/self/mem", "~", "$HOME", "*", "t.parquet/x", "a\\0b"]
)
def test_what_is_no_file_is_one_message(tmp_path, name):
    ended = checked(tmp_path, f'{{file: "{name}"}}')
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


def test_the_name_of_a_unit_is_text_everywhere(tmp_path):
    table = TABLE.with_columns(trial=pl.concat_str(pl.lit("s"), pl.int_range(pl.len()) % len(NAMES) % 4, pl.lit("-"), pl.int_range(pl.len()) % len(NAMES)))  # fmt: skip
    table.write_parquet(tmp_path / "t.parquet")
    name = "<script>alert(1)</script>{{x}}\\\\input{a}"
    (tmp_path / "report.yaml").write_text(
        f"trials: {{source: t.parquet, clusters: {{pattern: '^(s.)-', name: \"{name}\"}}}}\n"
        "epc: none\ncurves: []\nmeasures: [auc]\nsignificance: {replicates: 99}\n"
        "report: {formats: [html, latex, markdown]}\n"
    )
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "<script>alert" not in (tmp_path / "out/report.html").read_text()
    assert "\\input{a}" not in (tmp_path / "out/report.tex").read_text()
    assert not re.search(r"(?<!\\)<script>", (tmp_path / "out/report.md").read_text())
