"""Makes the sites of a small table in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from tests.inputs.bundles.sites import Sites, table_of_sites


@pytest.fixture
def sites(tmp_path: Path) -> Callable[..., Sites]:
    """Makes sites of a table without some columns."""

    def made(*without: str, rows: pl.DataFrame | None = None) -> Sites:
        return Sites(tmp_path, (table_of_sites() if rows is None else rows).drop(without))

    return made
