"""Tables that a config lays out for a paper: rows, columns, intervals, bold, files, and its messages."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from build import build
from reading import every_block, table
from snapshot import snapshot

from reporting.app.config.read import read_plan
from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Table
from reporting.document.frames.metrics import METRICS
from reporting.document.words.decisions import answer
from reporting.document.words.view import views
from reporting.errors import ConfigError
from reporting.features.compose import compose
from reporting.features.paper_tables.keys import OURS
from reporting.render.formats import render_all

HOSTILE = "a_b & {c} <d>"


def trials(models=("a", "b", HOSTILE), datasets=("x", "y"), n=80):
    rng = np.random.default_rng(3)
    rows = []
    for dataset, split, i in itertools.product(datasets, ("dev", "test"), range(n)):
        about = {"dataset": dataset, "split": split, "trial": f"{i}", "label": i % 2 == 0}
        for at, model in enumerate(models):
            rows.append(
                about | {"model": model, "score": float(rng.normal() + (0.5 + 2 * at) * (i % 2 == 0))}
            )
    return rows


COLUMNS = "[eer_rocch, 'mindcf(p_target=0.01)', {measure: frr, criterion: 'target_far(far=0.1)'}, hter]"
CONFIG = f"""
report:
  tables:
    - {{columns: {COLUMNS}, name: main, bold_best: true}}
    - {{columns: [auc, hter], rows: datasets, ci: beside, caption: By dataset.}}
    - {{columns: [auc], ci: none}}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("paper"), trials(), CONFIG)


@pytest.fixture(scope="module")
def report(built):
    return compose(built.results)


def value(built, **where):
    (row,) = built.results.frame(METRICS).filter(split="test", group="", **where).to_dicts()
    return row


def test_models_are_rows_in_rank_order_with_the_datasets_side_by_side(built, report):
    found, first = table(report, "main"), views(built.results)[0]
    assert [row[0].text for row in found.rows] == [first.names[model] for model in first.ranked]
    assert [c.group for c in found.columns] == ["", *["x"] * 4, *["y"] * 4]
    titles = [c.title for c in found.columns[1:5]]
    assert titles[0] == "EER"
    assert titles[2].startswith("FRR, ")
    assert titles[3] != "HTER"
    for row, model in zip(found.rows, first.ranked, strict=True):
        for at, dataset in ((1, "x"), (5, "y")):
            there = value(built, model=model, dataset=dataset, measure="eer_rocch")
            assert row[at].order == there["value"]
            assert row[at].beneath.startswith("[") == (there["ci_low"] is not None)
            frr = value(built, model=model, dataset=dataset, measure="frr", criterion="target_far(far=0.1)")
            assert row[at + 2].order == frr["value"]


def test_names_that_are_kept_are_those_of_the_other_tables(report):
    mine = {"main", "paper_2", "paper_3"}
    others = {
        re.split(r"[_0-9-]", each.name)[0] for each in every_block(report, Table) if each.name not in mine
    }
    assert others <= set(OURS)


def test_what_only_a_table_names_is_computed(built):
    assert "mindcf(p_target=0.01)" in [str(measure) for measure in built.study.measures]
    assert "target_far(far=0.1)" in [str(criterion) for criterion in built.study.criteria]


def test_bold_is_the_best_of_the_primary_question_alone(built, report):
    found = table(report, "main")
    bold = {
        (view.label, view.names[model])
        for view in views(built.results)
        for model in answer(view).where("best")
    }
    assert bold
    shown = {
        (column.group, row[0].text)
        for row in found.rows
        for column, cell in zip(found.columns, row, strict=True)
        if cell.bold
    }
    assert shown == bold
    assert {c.title.split(",")[0] for c, *cells in zip(found.columns, *found.rows, strict=True)
            if any(cell.bold for cell in cells)} == {"HTER"}  # fmt: skip


def test_datasets_are_rows_with_the_models_side_by_side(built, report):
    found, first = table(report, "paper_2"), views(built.results)[0]
    assert found.caption == "By dataset."
    assert [row[0].text for row in found.rows] == ["x", "y"]
    assert [c.group for c in found.columns[1:]] == [
        name for model in first.ranked for name in [first.names[model]] * 4
    ]
    assert [c.kind for c in found.columns[1:5]] == ["number", "interval"] * 2
    for row, dataset in zip(found.rows, "xy", strict=True):
        there = value(built, model=first.ranked[0], dataset=dataset, measure="auc")
        assert row[1].order == there["value"]
        assert row[1].beneath == ""


def test_intervals_can_be_left_out(report):
    found = table(report, "paper_3")
    assert not any(cell.beneath for row in found.rows for cell in row)
    assert found.notes == ()


ORDERED = f"""
models: {{b: {{}}, a: {{}}, "{HOSTILE}": {{}}}}
report:
  tables:
    - columns: [{{measure: auc, digits: 1, title: "{HOSTILE}"}}, {{measure: eer_rocch, digits: 0}}]
      name: main
    - {{columns: [auc], rows: datasets}}
"""


@pytest.fixture(scope="module")
def ordered(tmp_path_factory):
    return build(tmp_path_factory.mktemp("ordered"), trials(), ORDERED)


def test_models_that_the_config_lists_keep_their_order(ordered):
    report = compose(ordered.results)
    assert [row[0].text for row in table(report, "main").rows] == ["b", "a", HOSTILE]
    assert [column.group for column in table(report, "paper_2").columns[1:]] == ["b", "a", HOSTILE]
    assert views(ordered.results)[0].ranked != ["b", "a", HOSTILE]


def test_a_column_can_have_a_title_and_digits_of_its_own(ordered):
    report = compose(ordered.results)
    found = table(report, "main")
    assert [column.title for column in found.columns[1:3]] == [HOSTILE, "EER"]
    assert all(re.fullmatch(r"[01]\.\d", row[1].text) for row in found.rows)
    assert all(re.fullmatch(r"\[\d\.\d, \d\.\d\]", row[1].beneath) for row in found.rows)
    assert all(re.fullmatch(r"\d+", row[2].text) for row in found.rows)
    files = render_all(report, ordered.results.provenance, ("html", "latex", "markdown"), interactive=False)
    assert r"a\_b" in files["tables/main.tex"].decode().partition("\n\\midrule")[0]
    assert HOSTILE not in files["tables/main.tex"].decode()
    assert r"\<d>" in files["tables/main.md"].decode().partition(":---")[0]
    assert "<d>" not in files["report.html"].decode()


def test_a_column_over_datasets_has_the_same_digits_throughout(ordered):
    wider = pl.when(dataset="y").then(2.0).otherwise(0.0)
    metrics = ordered.results.frame(METRICS).with_columns(pl.col("ci_high") + wider)
    results = ordered.results.with_frames({METRICS: metrics})
    assert len({view.printing(read_measure("auc")).decimals for view in views(results)}) == 2
    texts = [row[1].text for row in table(compose(results), "paper_2").rows]
    assert len({len(text.partition(".")[2]) for text in texts}) == 1


THRESHOLDS = """
criteria: [min_hter, oracle(min_hter)]
measures: [auc]
report:
  tables:
    - name: main
      columns: [threshold, {measure: threshold, criterion: oracle(min_hter), digits: 2}, frr]
"""


def test_a_threshold_can_be_a_column(tmp_path):
    built = build(tmp_path, trials(datasets=("x",)), THRESHOLDS)
    found = table(compose(built.results), "main")
    titles = [column.title for column in found.columns]
    assert titles == ["model", "threshold, minimum HTER", "threshold, minimum HTER (optimistic)", "FRR, minimum HTER"]  # fmt: skip
    for row in found.rows:
        for at, criterion in ((1, "min_hter"), (2, "oracle(min_hter)")):
            there = value(built, model=row[0].text, measure="frr", criterion=criterion)
            assert row[at].order == there["threshold"]
            assert float(row[at].text.replace("−", "-")) == pytest.approx(there["threshold"], abs=0.005)
        assert re.fullmatch(r"−?\d\.\d\d", row[2].text)


def test_thresholds_of_folds_are_shown_from_the_lowest_to_the_highest(tmp_path):
    rows = [row | {"split": "test"} for row in trials(datasets=("x",)) if row["split"] == "test"]
    keys = "measures: [auc]\ncriteria: [min_hter]\nepc: none\nthresholds: {policy: kfold, folds: 4}\n"
    built = build(tmp_path, rows, keys + "report: {tables: [{name: main, columns: [threshold]}]}\n")
    found = table(compose(built.results), "main")
    snapshot(
        "paper_tables/section_thresholds_of_folds_are_shown_from_the_lowest_to_the_highest", found.notes[-1]
    )
    for row in found.rows:
        there = value(built, model=row[0].text, measure="far", criterion="min_hter")
        ends = [float(text.replace("−", "-")) for text in row[1].text.split(" to ")]
        assert ends == pytest.approx([there["threshold_low"], there["threshold_high"]], abs=0.005)
        assert there["threshold_low"] < there["threshold_high"]


def test_percentages_have_a_decimal_whatever_the_width_of_their_intervals(tmp_path):
    few = trials(models=("a",), datasets=("x",), n=20)
    built = build(
        tmp_path, few, "report: {tables: [{name: main, columns: [hter, {measure: frr, digits: 0}]}]}"
    )
    (row,) = table(compose(built.results), "main").rows
    assert views(built.results)[0].printing(read_measure("frr")).decimals == 0
    assert re.fullmatch(r"\d+\.\d+", row[1].text)
    assert re.fullmatch(r"\d+", row[2].text)


@pytest.mark.parametrize("baseline", ["a", HOSTILE])
def test_with_a_baseline_the_best_that_is_decided_better_is_bold(tmp_path, baseline):
    keys = f"baseline: '{baseline}'\nreport: {{tables: [{{name: main, columns: [hter], bold_best: true}}]}}"
    built = build(tmp_path, trials(models=("a", HOSTILE), datasets=("x",)), keys)
    (view,) = views(built.results)
    assert answer(view).where("better", "worse") == [({"a", HOSTILE} - {baseline}).pop()]
    found = table(compose(built.results), "main")
    assert [(row[0].text, row[1].bold) for row in found.rows] == [(HOSTILE, True), ("a", False)]
    assert "better than the baseline by the adjusted decision" in found.notes[-1]
    alike = [row | {"model": model} for row in trials(models=("a",), datasets=("x",)) for model in ("a", "b")]
    same = build(tmp_path, alike, keys.replace(HOSTILE, "b"))
    assert not any(row[1].bold for row in table(compose(same.results), "main").rows)


def test_intervals_have_one_pair_of_brackets_in_markdown(built, report):
    files = render_all(
        report, built.results.provenance, ("html", "latex", "markdown", "pdf"), interactive=False
    )
    main = files["tables/main.md"].decode()
    assert re.search(r"\| +\d+\.\d+ \[\d", main)
    assert "([" not in main
    assert "95% CIs in brackets." in main
    whole = files["report.md"].decode()
    assert "([" not in whole
    assert "](" not in whole
    assert ": difference" not in whole


def test_every_table_has_its_files(built, report):
    formats = ("html", "latex", "markdown", "json")
    files = render_all(report, built.results.provenance, formats, interactive=False)
    for name in ("main", "paper_2", "paper_3"):
        assert {f"tables/{name}{end}" for end in (".csv", ".tex", "_narrow.tex", ".md")} <= set(files)
    narrow = files["tables/main_narrow.tex"].decode()
    assert r"\providecommand{\reporttable}{table}" in narrow
    assert r"max width=\linewidth" in narrow
    assert r"a\_b \& \{c\}" in narrow
    assert r"\label{tab:main-narrow}" in narrow
    assert r"\label{tab:main}" in files["tables/main.tex"].decode()
    assert 'id="table-main"' in files["report.html"].decode()
    assert r"\<d>" in files["tables/main.md"].decode()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{columns: [eer_roch]}", "did you mean 'eer_rocch'"),
        ("{columns: [auc], row: datasets}", "unknown key; did you mean 'rows'?"),
        ("{columns: [auc], rows: model}", "did you mean 'models'"),
        ("{columns: [auc], ci: below}", "beneath"),
        ("{columns: []}", "report.tables[0].columns"),
        ("{columns: [{measure: auc, criterion: eer}]}", "'auc' takes no criterion; leave 'criterion' out"),
        ("{columns: [auc, auc]}", "given twice"),
        ("{columns: [{measure: auc, digits: 10}]}", "report.tables[0].columns[0].digits"),
        ("{columns: [{measure: auc, digits: few}]}", "report.tables[0].columns[0].digits"),
        ("{columns: [{measure: auc, titel: x}]}", "did you mean 'title'?"),
        ("{columns: [auc], name: A/b}", "is no file name"),
        ("{columns: [auc], name: paper_2}, {columns: [auc]}", "'paper_2' would be the name of two tables"),
        ("{columns: [auc], name: summary}", "'summary' is kept for the tables"),
    ],
)
def test_a_wrong_table_is_told_with_its_place(tmp_path, keys, said):
    path = tmp_path / "report.yaml"
    path.write_text(f"trials: {{source: trials.parquet}}\nreport:\n  tables: [{keys}]\n")
    (tmp_path / "trials.parquet").touch()
    with pytest.raises(ConfigError, match="report.yaml:3") as caught:
        read_plan(path)
    assert said in str(caught.value)
    assert "report.tables" in str(caught.value)


def test_a_table_at_thresholds_needs_a_criterion(tmp_path):
    path = tmp_path / "report.yaml"
    path.write_text(
        "trials: {source: trials.parquet}\nprimary: {measure: auc}\ncriteria: []\nmeasures: [auc]\nepc: none\n"
        "report: {tables: [{columns: [hter]}]}\n"
    )
    (tmp_path / "trials.parquet").touch()
    with pytest.raises(ConfigError, match="'hter' is at a threshold, and the report has no criterion"):
        read_plan(path)
