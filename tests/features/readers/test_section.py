"""The tables of a reader study: against the frames, and the degrees of freedom against the interval."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from build import built_from
from scipy.stats import t

from docs.gallery.tables import readers as reads
from reporting.document.blocks import Section, Table
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.features.compose import compose
from reporting.features.readers.section import readers

pytestmark = pytest.mark.usefixtures("undrawn")

CONFIG = """
trials: {source: reads.parquet, runs: reader}
thresholds: {policy: none}
baseline: alone
primary: {measure: auc}
measures: [auc]
epc: none
curves: []
significance: {replicates: 199}
"""


def study(folder: Path, table: pl.DataFrame, config: str = CONFIG) -> Any:
    table.write_parquet(folder / "reads.parquet")
    (folder / "report.yaml").write_text(config)
    return built_from(folder / "report.yaml").results


def tables(results: Any) -> list[Table]:
    section = readers(results)
    assert isinstance(section, Section)
    assert section.anchor == "readers"
    return [block for block in section.blocks if isinstance(block, Table)]


def test_each_reader_has_a_row_and_the_mean_the_last(tmp_path: Path) -> None:
    results = study(tmp_path, reads())
    values, components = tables(results)
    assert [row[0].text for row in values.rows] == [*(f"reader {i}" for i in range(1, 6)), "mean of 5"]
    assert [column.title for column in values.columns] == [
        "reader", "alone", "with software", "with software − alone",
    ]  # fmt: skip
    metrics = {(row.model, row.run): row for row in results.rows(METRICS) if row.measure == "auc"}
    for row in values.rows[:-1]:
        alone, software = (metrics[model, row[0].text].value for model in ("alone", "with software"))
        assert [cell.order for cell in row[1:]] == [alone, software, software - alone]
        assert row[1].beneath.startswith("[")
        assert row[3].beneath == ""
    (compared,) = (row for row in results.rows(COMPARISONS) if row.measure == "auc")
    assert values.rows[-1][3].order == compared.difference
    assert values.rows[-1][3].beneath.startswith("[")
    # S is that of the differences above it, and SE, df and interval belong together.
    between, of_readers, of_cases, whole, df, _ = (cell.order for cell in components.rows[0][1:])
    differences = [row[3].order for row in values.rows[:-1]]
    assert between == pytest.approx(statistics.stdev(differences))
    assert of_readers == pytest.approx(between / 5**0.5)
    assert of_readers**2 + of_cases**2 == pytest.approx(whole**2) == pytest.approx(compared.se**2)
    assert compared.ci_high - compared.difference == pytest.approx(t.ppf(0.975, df) * whole)


def test_other_runs_are_no_readers(tmp_path: Path) -> None:
    config = CONFIG.replace(", runs: reader", "")
    results = study(tmp_path, reads(), config)
    assert readers(results) is None
    assert "readers" not in [section.anchor for section in compose(results).sections]


def test_readers_who_differ_alike_have_no_components_of_their_own(tmp_path: Path) -> None:
    """A single reader is no sample: there is no variance between readers, and no mean."""
    results = study(tmp_path, reads().filter(pl.col("run") == "reader 1"))
    section = readers(results)
    assert section is None or not [block for block in section.blocks if isinstance(block, Table)]
