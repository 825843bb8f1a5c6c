"""A file that changes while a report is made is named, whatever goes wrong with what was read of it."""

import os

import polars as pl
import pytest
from build import trials_of

from reporting.app.config.read import read_plan
from reporting.app.run import inputs, report
from reporting.errors import DataError


@pytest.mark.parametrize("fails", [False, True])
def test_a_file_that_changed_is_named_before_any_blame_of_what_it_held(tmp_path, monkeypatch, fails):
    path = tmp_path / "trials.csv"
    rows = trials_of(*(f"t{n} a {split} {n % 2} {n % 7}" for n in range(20) for split in ("dev", "test")))
    pl.DataFrame(rows).write_csv(path)
    (tmp_path / "report.yaml").write_text("trials: {source: trials.csv}\nreport: {formats: [json]}\n")
    count_all, frames_of = inputs.count_all, report.frames_of

    def counted(*args, **options):
        counts = count_all(*args, **options)
        os.utime(path, ns=(1, 1))
        return counts

    def measured(*args, **options):
        if fails:
            raise DataError("a model has no targets")
        return frames_of(*args, **options)

    monkeypatch.setattr(inputs, "count_all", counted)
    monkeypatch.setattr(report, "frames_of", measured)
    with pytest.raises(DataError, match=r"trials\.csv: changed while it was read"):
        report.report_of(read_plan(tmp_path / "report.yaml"), tmp_path / "out", lambda line: None)
