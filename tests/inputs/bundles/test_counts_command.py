"""The command ``counts``, and the report of what it wrote."""

import pytest
from command import reporting

from reporting.app.run.check import check_report
from reporting.app.run.report import make_report
from tests.inputs.bundles.sites import SPEAKER_OF


@pytest.fixture
def config(sites):
    return sites("gender").joined(SPEAKER_OF)


def test_counts_are_written_checked_and_reported(config):
    out = config.with_name("all.counts.parquet")
    done = reporting("counts", config, "-o", out, "--salt", "x", "--least", "1")
    assert (done.returncode, done.stdout) == (0, f"{out}\n"), done.stderr
    assert done.stderr.splitlines()[-1].endswith("of them with fewer than 5 trials")
    again = config.with_name("again.yaml")
    again.write_text(
        f"trials: {{layout: counts, source: {out.name}{SPEAKER_OF}}}\n"
        "significance: {replicates: 99}\nepc: none\nreport: {formats: [json]}\n"
    )
    checked = check_report(again)
    for told in ("17 of their 64 bits", "come from a bundle of counts (all.counts.parquet)", "by digests"):
        assert told in checked
    text = (make_report(again) / "report.json").read_text(encoding="utf-8")
    assert "Scores were floored to 17 of their 64 bits" in text
    assert "The numbers come from a bundle of counts (all.counts.parquet)" in text


def test_small_cells_exit_2_and_write_nothing(config):
    out = config.with_name("all.counts.parquet")
    done = reporting("counts", config, "-o", out, "-q", "--least", "9")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --least 9: ")
    assert len(done.stderr.splitlines()) == 1
    assert not out.exists()
