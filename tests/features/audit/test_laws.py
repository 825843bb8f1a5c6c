"""Laws of every analysis of an audit, on small leaderboards whose scores tie."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.app.run.analyses import repeated_analyses
from reporting.errors import ConfigError
from reporting.features.audit.analyses import AuditedAnalysis, audited

MODELS = ("a", "b", "c")
CONFIG = """
trials: {source: trials.parquet, columns: {cluster: speaker}}
primary: {measure: auc}
thresholds: {policy: none}
significance: {replicates: 49}
"""


@st.composite
def leaderboards(draw: Callable[..., Any]) -> pl.DataFrame:
    """Draw scores of four values for both classes of 12 speakers, of two sources."""
    quarters = st.lists(st.integers(0, 3), min_size=24, max_size=24)
    scores = {model: draw(quarters) for model in MODELS}
    return pl.DataFrame(
        {"trial": range(24), "label": [k % 2 for k in range(24)], "speaker": [f"s{k // 2}" for k in range(24)],
         "source": ["x", "x", "y", "y"] * 6, **scores}
    ).unpivot(MODELS, index=["trial", "label", "speaker", "source"], variable_name="model", value_name="score")  # fmt: skip


def analysed(table: pl.DataFrame) -> list[AuditedAnalysis]:
    """Return the analyses by speakers and trials, of all and without each source."""
    with tempfile.TemporaryDirectory() as folder:
        table.write_parquet(Path(folder) / "trials.parquet")
        (Path(folder) / "report.yaml").write_text(CONFIG)
        with repeated_analyses([f"{folder}/report.yaml"]) as analyses:
            (audit,) = audited(analyses, (), ("source",))
    return list(audit.outcomes)


@settings(max_examples=8)
@given(leaderboards())
def test_tiers_ranks_and_leads_agree(table: pl.DataFrame) -> None:
    for each in analysed(table):
        rows = {row.model: row for row in each.rows}
        leads = {model: each.lead(model) for model in rows}
        assert leads[each.leader][0] >= 0  # type: ignore[operator]
        for model, row in rows.items():
            value, low, high = leads[model]
            assert value is not None
            assert (value > 0) <= (row.rank == 1)
            if row.rank_low is None or row.rank_high is None or row.rank is None:
                continue
            assert row.rank_low <= row.rank <= row.rank_high
            # Nobody of the first tier can be shown to be behind, and whoever is ahead of all is alone there.
            assert (row.rank_low == 1) == (row.tier == 1)
            if low is not None and high is not None:
                assert low <= value <= high
            if row.rank_high == 1:
                assert each.first_tier == [model]


@settings(max_examples=5)
@given(leaderboards())
def test_other_names_and_higher_scores_change_no_rank(table: pl.DataFrame) -> None:
    """Names of models are in the streams of none of these numbers; scores count by their order alone."""
    other = table.with_columns(
        pl.col("model").replace(dict(zip(MODELS, "xyz", strict=True))), 10 + 3 * pl.col("score")
    )
    try:
        first = analysed(table)
    except ConfigError:
        with pytest.raises(ConfigError):
            analysed(other)
        return
    for before, after in zip(first, analysed(other), strict=True):
        assert [(row.rank, row.value) for row in before.rows] == [(row.rank, row.value) for row in after.rows]
        assert [dict(zip(MODELS, "xyz", strict=True))[row.model] for row in before.rows] == [
            row.model for row in after.rows
        ]
