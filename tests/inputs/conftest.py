"""Counting every run and pair of clusters, and hearing the faults of it."""

from __future__ import annotations

import pytest
from small_tables import counted, faults_of


@pytest.fixture
def count():
    """Read a table and count all its runs."""
    return counted


@pytest.fixture
def faults():
    """Return the faults that reading or counting raises."""
    return faults_of
