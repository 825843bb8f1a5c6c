"""Audits of generated reports: every analysis is made or refused with its reason, and keeps the laws of ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.app.run.analyses import repeated_analyses
from reporting.errors import ReportingError
from reporting.features.audit.analyses import audited
from reporting.features.audit.page import audit_report
from reporting.features.audit.text import audit_text
from tests.research.combinations.generator import make

MADE = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14)
"""Seeds 2 and 6 have clusters of two populations, each of which is also analysed alone."""
REFUSED = {10: "no two models have a value in the primary measure", 26: "means over a column have no ranks"}


@pytest.mark.parametrize("seed", MADE)
def test_every_analysis_keeps_the_laws(seed: int, tmp_path: Path) -> None:
    make(seed, tmp_path)
    with repeated_analyses([str(tmp_path / "report.yaml")]) as analyses:
        audits = audited(analyses, (), ())
    assert audit_text(audits, 140, unicode=True)
    assert audit_report(audits)
    for each in (outcome for audit in audits for outcome in audit.outcomes):
        value, low, high = each.lead(each.leader)
        assert value is not None
        assert value >= -1e-12
        if low is not None and high is not None:
            assert low - 1e-9 <= value <= high + 1e-9
        for row in each.rows:
            if row.rank_low is not None and row.rank_high is not None and row.rank is not None:
                assert row.rank_low <= row.rank <= row.rank_high
                assert (row.rank_low == 1) == (row.tier == 1)


@pytest.mark.parametrize("seed", REFUSED)
def test_what_has_no_ranks_is_refused(seed: int, tmp_path: Path) -> None:
    make(seed, tmp_path)
    with (
        repeated_analyses([str(tmp_path / "report.yaml")]) as analyses,
        pytest.raises(ReportingError, match=REFUSED[seed]),
    ):
        audited(analyses, (), ())
