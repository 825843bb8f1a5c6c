"""Names that anybody may have written: they are made visible, and end no run."""

from __future__ import annotations

import polars as pl
import pytest
from command import reporting

NAMES = ("red\x1b[31m", "bell\x07", "delete\x7f", "no character\ufffe", "turned\u202e", "c1\x9b")
VISIBLE = ("red␛[31m", "bell␇", "delete␡", "no character\ufffd", "turned\ufffd", "c1\ufffd")


@pytest.mark.parametrize("others", [(), tuple("abcdef")])  # compared in pairs; ranked
def test_characters_that_no_picture_can_hold_are_made_visible(tmp_path, others):
    """The drawing library aborts on what XML cannot hold, and with it the program, whatever the formats."""
    rows = [
        {"model": name, "split": split, "trial": i, "label": i % 2, "score": (i * 7 + k) % 5 + i % 2}
        for k, name in enumerate((*NAMES, *others))
        for split in ("dev", "test")
        for i in range(24)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "report.yaml").write_text(
        "trials: {source: trials.parquet}\nsignificance: {replicates: 99}\ncurves: [det, tippett]\n"
    )
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in VISIBLE)
    for path in (tmp_path / "out").rglob("*"):
        if path.suffix in {".html", ".svg", ".tex", ".csv", ".json", ".md"}:
            text = path.read_text(encoding="utf-8")
            assert not {name[-1] for name in NAMES[1:]} & set(text), path
            assert "\x1b" not in text, path
    assert set(pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet")["model"]) == {*NAMES, *others}
