"""Counting every run and pair of clusters, and hearing the faults of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reporting.counts.count import Counts, count_trials
from reporting.errors import DataError
from reporting.execution import SerialExecutor
from reporting.trials.spec import TrialSpec
from reporting.trials.table import TrialTable, read_trials


def count_every_run(spec: TrialSpec) -> tuple[TrialTable, Counts]:
    table = read_trials(spec)
    return table, count_trials(table, SerialExecutor())


@pytest.fixture
def count() -> Callable[[TrialSpec], tuple[TrialTable, Counts]]:
    """Reads a table and counts all its runs."""
    return count_every_run


@pytest.fixture
def faults() -> Callable[[TrialSpec], list[str]]:
    def faults_of(spec: TrialSpec) -> list[str]:
        with pytest.raises(DataError) as caught:
            count_every_run(spec)
        assert all("\n" not in fault for fault in caught.value.faults)
        return list(caught.value.faults)

    return faults_of
