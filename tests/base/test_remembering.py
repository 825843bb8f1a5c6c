"""What several need is made once; values of large tables are kept while they are looked at, and gone with their report."""

import gc
import weakref

from reporting.base.remembering import Remembering, forget_latest, keeps_latest
from reporting.core.engine import operations
from reporting.core.engine.operations import _latest_bins
from reporting.core.engine.resampling import _latest_placements


class Value:
    """What a function returns."""


def test_the_values_looked_at_last_are_kept_until_they_are_forgotten():
    calls = []

    @keeps_latest(2)
    def make(of: str) -> Value:
        calls.append(of)
        return Value()

    first = weakref.ref(make("a"))
    for of in ("b", "a", "c", "a"):
        make(of)
    assert calls == ["a", "b", "c"]
    assert make("a") is first()
    forget_latest()
    gc.collect()
    assert first() is None
    make("a")
    assert calls[3:] == ["a"]


def test_what_several_need_is_made_once_for_what_is_given_and_for_nothing_else():
    class Report(Remembering):
        def __init__(self) -> None:
            self._remembered = {}

    report, calls = Report(), []

    def make(of: list[int]) -> int:
        calls.append(of[0])
        return of[0]

    held = [7]
    assert (report.once(make, held), report.once(make, held), calls) == (7, 7, [7])
    # Each list would be where the one before it was, did nobody keep that.
    assert [report.once(make, [number]) for number in range(100)] == [*range(100)]


def test_nothing_of_a_table_outlives_its_report(example, monkeypatch, tmp_path):
    """Not even where every table is large: an open notebook would hold its trials."""
    from reporting.app.run import inputs, report

    monkeypatch.setattr(operations, "MANY_TRIALS", 1)
    held = []

    def forget() -> None:
        held.extend(each.cache_info().currsize for each in (_latest_bins, _latest_placements))
        forget_latest()

    monkeypatch.setattr(inputs, "forget_latest", forget)
    report.make_report(example("vote"), tmp_path / "report", ["significance.replicates=49"])
    assert held[0] > 0
    assert held[1] > 0
    assert _latest_bins.cache_info().currsize == _latest_placements.cache_info().currsize == 0
