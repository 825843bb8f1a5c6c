"""A file that did not arrive: the trials of an earlier run under a new date are never reported as new."""

import polars as pl
import pytest
from build import trials_of
from command import reporting

CONFIG = """\
title: Weekly
trials: {source: trials.csv}
epc: none
curves: []
history: {store: history}
significance: {replicates: 99}
report: {formats: [markdown]}
"""
REPEATED = "nothing new was tested, and values, gates and trends repeat that run. [TR326]"


@pytest.fixture
def week(tmp_path):
    """Run the config on a table at a date."""
    (tmp_path / "weekly.yaml").write_text(CONFIG)

    def run(date, shift, *options):
        lines = [f"t{n} {m} {split} {n % 2} {n * shift % 7}" for n in range(40) for m in "ab" for split in ("dev", "test")]  # fmt: skip
        pl.DataFrame(trials_of(*lines)).write_csv(tmp_path / "trials.csv")
        return reporting("run", "-q", "weekly.yaml", "--set", f"history.as_of={date}", *options, cwd=tmp_path)

    return run


def test_a_stale_file_is_named_though_quiet_and_first_in_the_report(week, tmp_path):
    assert week("2026-11-09", 3).stderr == ""
    assert week("2026-11-16", 5).stderr == ""
    stale = week("2026-11-23", 3)
    assert stale.returncode == 0
    assert stale.stderr.startswith("caution: The input files are those of the run of 2026-11-09 (")
    assert stale.stderr.endswith(f"{REPEATED}\n")
    page = (tmp_path / "weekly-report" / "report.md").read_text()
    assert page.index("> **") == page.index("> **Nothing new.**")


def test_a_stale_file_may_be_an_error_that_keeps_no_run(week, tmp_path):
    week("2026-11-09", 3)
    page = (tmp_path / "weekly-report" / "report.md").read_bytes()
    stale = week("2026-11-16", 3, "--set", "history.stale=error")
    assert stale.returncode == 2
    assert stale.stderr.startswith("error: history.stale: The input files are those of the run of")
    assert (tmp_path / "weekly-report" / "report.md").read_bytes() == page
    assert "1 run" in reporting("history", "history", cwd=tmp_path).stdout


def test_a_report_made_again_on_its_day_is_not_stale(week):
    assert [week("2026-11-09", 3).stderr for _ in range(2)] == ["", ""]
