"""Of very many models the curves of the first in rank are drawn; frames, tables and ranks have all."""

from dataclasses import replace

import pytest
from build import build
from reading import section
from simulated_parts import rows_of

from reporting.document.blocks import Figure, Section, Table
from reporting.document.charts.captions import which_are_drawn
from reporting.document.words.view import MOST_DRAWN, views
from reporting.features.compose import compose

SIXTY = tuple(f"m{k:02d}" for k in range(60))
CONFIG = "measures: [hter, auc]\ncriteria: [min_hter]\ncurves: [det, roc]\n"
FEW = ("significance.replicates=39", "significance.bands=none", "epc.alphas=3")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    rows = rows_of(models=SIXTY, n=40, step=0.03)
    return build(tmp_path_factory.mktemp("many"), rows, CONFIG, *FEW).results


def figures(results):
    blocks = section(compose(results), "curves").blocks
    return {block.name: block for block in blocks if isinstance(block, Figure)}


def test_the_first_in_rank_are_drawn(results):
    (view,) = views(results)
    assert set(view.drawn) == set(view.ranked[:MOST_DRAWN])
    assert view.drawn == sorted(view.drawn)  # in the report's order
    found = figures(results)
    assert set(found) == {"epc_weighted_error", "epc", "det", "roc"}
    names = {view.names[model] for model in view.drawn}
    for name, figure in found.items():
        for kind in ("line", "points"):
            drawn = {series.label for series in figure.series if series.kind == kind}
            assert drawn <= names, name
        assert {series.label for series in figure.series if series.kind == "line"} == names, name
        assert {probe.label for probe in figure.probes} <= names, name
        assert "Drawn: the first 50 of 60 models in order of HTER." in figure.caption, name
        assert "50 of 60 models" in figure.alt, name


def test_the_baseline_is_drawn_wherever_it_ranks(results):
    worst = views(results)[0].ranked[-1]
    held = replace(results, study=replace(results.study, baseline=worst))
    (view,) = views(held)
    assert worst in view.drawn
    assert len(view.drawn) == MOST_DRAWN + 1
    assert which_are_drawn(view).endswith("in order of HTER and the baseline. Grey: the other 49 models.")


def test_no_title_says_of_all_what_holds_of_the_drawn(results):
    assert figures(results)["roc"].title.endswith("of 50 of 60 models")


def test_the_table_of_the_first_screen_is_folded(results):
    (summary,) = (block for block in section(compose(results), "summary").blocks if isinstance(block, Table))
    assert summary.folded
    assert len(summary.rows) == 60


def test_frames_and_tables_have_all(results):
    for name in ("ranking", "epc", "roc", "winners", "metrics"):
        assert results.frames[name]["model"].n_unique() == 60, name
    (ranks,) = (
        block
        for part in section(compose(results), "ranking").blocks
        if isinstance(part, Section)
        for block in part.blocks
        if isinstance(block, Table) and block.name == "ranks"
    )
    assert len(ranks.rows) == 60


def test_few_models_are_all_drawn_without_a_word(tmp_path):
    built = build(tmp_path, rows_of(models=SIXTY[:12], n=40), CONFIG, *FEW)
    for figure in figures(built.results).values():
        assert "Drawn:" not in figure.caption
        assert "12 models" in figure.alt
