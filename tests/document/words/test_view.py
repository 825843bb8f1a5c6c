"""The views of a report are made once, and each looks for its rows of a frame once."""

import polars as pl
from simulated_results import simulate
from simulated_world import World

from reporting.document.frames.metrics import METRICS
from reporting.document.words.view import views

RESULTS = simulate(World(("a", "b"), datasets=("one", "two"), pictures=False))


def test_views_are_made_once_for_results_and_anew_for_others():
    assert views(RESULTS) is views(RESULTS)
    assert [view.dataset for view in views(RESULTS)] == ["one", "two"]
    fewer = RESULTS.with_frames({METRICS: RESULTS.frame(METRICS).filter(model="a")})
    (first, _), (other, _) = views(RESULTS), views(fewer)
    assert other.results is fewer
    assert {row.model for row in other.metrics} == {"a"}
    assert {row.model for row in first.metrics} == {"a", "b"}


def test_rows_of_a_view_are_those_of_its_dataset_and_of_all_trials():
    frame = RESULTS.frame(METRICS)
    of_group = frame.with_columns(pl.lit("sex=f").alias("group"))
    with_groups = RESULTS.with_frames({METRICS: pl.concat([frame, of_group])})
    for view in views(with_groups):
        assert view.frame(METRICS).equals(frame.filter(dataset=view.dataset))
        assert view.frame(METRICS) is view.frame(METRICS)
        assert view.part(of_group).is_empty()
        assert view.rows(METRICS, "test") == METRICS.rows(frame.filter(dataset=view.dataset, split="test"))


def test_who_takes_rows_out_of_a_list_takes_none_from_others():
    view = views(RESULTS)[0]
    rows = view.rows(METRICS)
    rows.clear()
    assert view.rows(METRICS) == METRICS.rows(view.frame(METRICS))
