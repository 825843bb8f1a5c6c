"""What the campaign found, each as small as it gets: these inputs once hung, failed or were not told well."""

from __future__ import annotations

import itertools
import json
import random
import time

import numpy as np
import polars as pl
import pytest
from command import reporting

import reporting as api
from reporting.app.config import document
from reporting.errors import ReportingError
from tests.hostile import campaign
from tests.hostile.broken_files import TABLE, write_broken

CONFIG = "trials: {source: trials.parquet}\nsignificance: {replicates: 99}\nepc: none\n"


@pytest.fixture(scope="module", autouse=True)
def imported(tmp_path_factory):
    """Load what a first command loads, which takes two seconds, before any test looks at the clock."""
    folder = tmp_path_factory.mktemp("imported")
    TABLE.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(CONFIG)
    reporting("check", "-q", "report.yaml", cwd=folder)


def told(folder, text, *more):
    """Return the one message of a config that is refused, which takes less than ten seconds of the processor.

    Most take a hundredth of one, those at a bound one; a loaded machine takes several times as long. What this
    is about would take hours, or all of the memory.
    """
    TABLE.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(text, encoding="utf-8")
    begun = time.process_time()
    ended = reporting("check", "-q", "report.yaml", *more, cwd=folder)
    assert time.process_time() - begun < 10
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    return line[: line.rindex(" [TR")]


NESTED = "error: report.yaml: nested more than 50 deep, or an alias that contains itself"
MANY = "error: report.yaml: more than 20000 values, where every alias is written out"
BOMB = "".join(f"l{k}: &l{k} [{', '.join([f'*l{k - 1}'] * 9 if k else ['x'] * 9)}]\n" for k in range(12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: " + "[" * 50_000, NESTED),
        ("title: " + "[" * 600 + "]" * 600, NESTED),
        ("title: " + "{a: " * 600 + "1" + "}" * 600, NESTED),
        ("".join(f"{' ' * k}a:\n" for k in range(600)), NESTED),
        (BOMB, MANY),
        ("models: {" + ", ".join(f"m{k}: {{}}" for k in range(20_000)) + "}", MANY),
        ("#" * 1_000_001, "error: report.yaml: more than 1000000 bytes; a config lists no trials"),
    ],
    ids=["opened", "lists", "mappings", "indented", "aliases", "models", "bytes"],
)
def test_a_document_without_bounds_is_refused_before_it_is_read(tmp_path, text, message, monkeypatch):
    entries = []
    monkeypatch.setattr(document, "_entry", lambda *args: entries.append(args))
    assert told(tmp_path, text) == message
    assert entries == []


def test_a_list_where_a_number_is_expected(tmp_path):
    line = told(tmp_path, "trials: {source: trials.parquet, prevalence: [0.5]}\n")
    assert line.endswith("expected sample, or a number from 1e-12 to 1 - 1e-12, found a list")


@pytest.mark.parametrize(
    "key", ["report: {templates: %s}", "history: {store: %s}", "run: {cache: %s}", "run: {folder: %s}"]
)
def test_a_path_that_no_file_system_takes(tmp_path, key):
    line = told(tmp_path, CONFIG + key % ("x" * 300) + "\n")
    assert line.endswith("is no path: a name may have 255 bytes, a path 4095")


def test_a_message_is_never_longer_than_anybody_reads(tmp_path):
    line = told(tmp_path, CONFIG + f"measures: ['{'oracle(' * 3000}hter{')' * 3000}']\n")
    assert len(line) < 3_100
    assert line.startswith("error: measures[0] (report.yaml:4:12): 'oracle(oracle(")


@pytest.mark.parametrize("name", ["*", "^a$", "^.*$"])
@pytest.mark.parametrize("role", ["model", "split", "trial", "label", "score"])
def test_the_name_of_a_column_is_no_pattern(tmp_path, role, name):
    TABLE.rename({role: name}).write_parquet(tmp_path / "trials.parquet")
    config = f"trials: {{source: trials.parquet, columns: {{{role}: '{name}'}}}}\n"
    (tmp_path / "report.yaml").write_text(config)
    ended = reporting("check", "-q", "report.yaml", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("32 rows, 2 models (a, b): dev 8 trials (4 targets)")


def test_the_name_of_a_column_is_no_pattern_in_wide_and_keyed_tables(tmp_path):
    wide = TABLE.pivot("model", values="score").rename({"a": "*", "b": "^.*$"})
    wide.write_parquet(tmp_path / "wide.parquet")
    (tmp_path / "report.yaml").write_text("trials: {source: wide.parquet, layout: wide}\n")
    ended = reporting("check", "-q", "report.yaml", cwd=tmp_path)
    assert ended.stdout.startswith("32 rows, 2 models (*, ^.*$)"), ended.stderr
    keys = TABLE.filter(model="a").with_columns(trial=pl.col("trial") + pl.col("split"))
    keys.select("trial", "split", "label").rename({"trial": "*", "label": "^l$"}).write_parquet(
        tmp_path / "keys.parquet"
    )
    scores = keys.select("trial", "score").rename({"trial": "*", "score": "^s$"})
    scores.with_columns(model=pl.lit("a")).write_parquet(tmp_path / "scores.parquet")
    (tmp_path / "report.yaml").write_text(
        "trials:\n  source: scores.parquet\n  keys: keys.parquet\n  layout: keyed\n"
        "  columns: {trial: '*', label: ^l$, score: ^s$}\n"
    )
    ended = reporting("check", "-q", "report.yaml", cwd=tmp_path)
    assert ended.stdout.startswith("16 rows, 1 model (a)"), ended.stderr


def made(folder, table, text, formats="[html, json]"):
    """Return the page of a report."""
    table.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(f"{CONFIG}report: {{formats: {formats}}}\n{text}", encoding="utf-8")
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    return (folder / "out" / "report.html").read_text(encoding="utf-8")


def test_scores_that_differ_by_the_smallest_floats(tmp_path):
    """Their axis was of no length: a name on it was nowhere, and the run failed."""
    tiny = TABLE.with_columns(score=pl.col("score") * 5e-324)
    made(tmp_path, tiny, "curves: [histogram, tippett, f1, roc_threshold, decision]\n")


def test_operating_points_at_the_ends_of_their_range(tmp_path):
    """Their weights are 0 or 1 as floats of nine digits, which no logarithmic axis holds."""
    points = "operating_points: [{name: p, p_target: 1e-12, c_miss: 1e-12}, {name: q, p_target: 0.999999999999, c_miss: 1e12}]\n"
    text = points.replace("epc: none", "")
    TABLE.write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "report.yaml").write_text(
        f"trials: {{source: trials.parquet}}\nsignificance: {{replicates: 99}}\nepc: {{alphas: 5}}\n{text}"
    )
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


LONG_NAMES = {
    "letters": "x" * 20_000,
    "marks": "e" + "\u0301\u0336" * 10_000,
    "words": "word " * 4_000,
    "underscores": "_a" * 10_000,
}


@pytest.mark.parametrize("kind", LONG_NAMES)
def test_a_name_of_twenty_thousand_letters_is_shown_in_two_hundred(tmp_path, kind):
    name = LONG_NAMES[kind]
    named = TABLE.with_columns(model=pl.col("model").replace({"a": name, "b": name + "b"}))
    begun = time.process_time()
    page = made(tmp_path, named, f"title: {name}\n", "[html, latex, markdown-full, json]")
    assert time.process_time() - begun < 20
    assert len(page) < 2_000_000
    assert name not in page
    assert f"{name[:199]}…" in page
    assert set(pl.read_parquet(tmp_path / "out" / "frames" / "metrics.parquet")["model"]) == {
        name,
        name + "b",
    }


def test_templates_that_are_nested_too_deeply(tmp_path):
    (tmp_path / "own" / "sections").mkdir(parents=True)
    notes = tmp_path / "own" / "sections" / "notes.yaml"
    for text in (
        "{{ " + "(" * 3000 + "1",
        "{{ " + "-" * 3000 + "1 }}",
        "{% for x in [1] %}" * 30 + "{% endfor %}" * 30,
    ):
        notes.write_text(f'title: x\nblocks: [{{prose: "{text}"}}]\n')
        line = told(tmp_path, f"{CONFIG}report: {{templates: own}}\n")
        assert line.endswith("statements or parentheses are nested too deeply")


def test_names_with_terminal_codes_are_printed_as_escapes(tmp_path):
    """``check`` lists models, and printed what turns a terminal red, renames it or rings its bell."""
    name = "red\x1b[31m\x1b]0;title\x07\r\t\x9b"
    TABLE.with_columns(model=pl.lit(name)).unique(("split", "trial")).write_csv(tmp_path / "trials.csv")
    (tmp_path / "report.yaml").write_text("trials: {source: trials.csv}\n")
    ended = reporting("check", "-q", "report.yaml", cwd=tmp_path)
    assert ended.stdout.startswith(r"16 rows, 1 model (red\x1b[31m\x1b]0;title\x07\r\t\x9b): dev 8 trials"), (
        ended
    )
    assert ended.stdout.count("\n") == 1


def test_a_file_whose_reader_panics_is_told_as_damaged(tmp_path):
    """A changed byte in a page of Parquet made Polars panic: exit 3, with its assertion as the message."""
    source = write_broken(random.Random("files 1472"), tmp_path)
    (tmp_path / "report.yaml").write_text(f"trials: {{source: {source}}}\n")
    ended = reporting("check", "report.yaml", "-q", cwd=tmp_path)
    assert ended.returncode == 2, ended.stderr
    assert "damaged inside" in ended.stderr


def test_a_raw_part_of_a_template_that_never_ends(tmp_path):
    """The lexer's error names no file."""
    TABLE.write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "house" / "sections").mkdir(parents=True)
    section = 'title: Notes\nblocks:\n  - prose: "{% raw %} never ends"\n'
    (tmp_path / "house" / "sections" / "notes.yaml").write_text(section)
    (tmp_path / "report.yaml").write_text(CONFIG + "report: {formats: [html], templates: house}\n")
    ended = reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.endswith("house/sections/notes.yaml:3:12: Missing end of raw directive [TR508]\n")


def test_a_parquet_file_in_whose_pages_the_reader_panics(tmp_path):
    finding = campaign.judged("files", 100901, tmp_path)
    assert (finding.code, finding.faults) == (2, ())


def test_curves_of_two_trials_have_lines_without_a_place(tmp_path):
    """Thirty errors are more than there are trials: that line of the DET plane has no vertex."""
    rows = [("dev", 0, 0, 0), ("dev", 1, 1, 1), ("test", 1, 0, 3), ("test", 0, 1, -1)]
    table = pl.DataFrame(rows, schema=["split", "label", "a", "b"], orient="row")
    table.with_columns(trial=pl.col("label").cast(pl.String)).write_ndjson(tmp_path / "t.ndjson")
    (tmp_path / "report.yaml").write_text(
        "trials: {source: t.ndjson, layout: wide}\ncurves: [gain, nbe, det, roc_error, pr, histogram]\n"
        "baseline: a\nepc: none\nsignificance: {replicates: 99}\nreport: {formats: [html, json]}\n"
    )
    ended = reporting("run", "-q", "report.yaml", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")


Y = [1, 0] * 10
SCORES = [label + k % 3 for k, label in enumerate(Y)]
ENDLESS: list[object] = []
ENDLESS.append(ENDLESS)
CALLS = {
    "a list in itself": (lambda: api.make_report(Y, SCORES, title=ENDLESS), "title (reporting.make_report): nested more than 50 deep, or a list that contains itself"),
    "a list that never ends": (lambda: api.metrics(TABLE, itertools.count()), "measures (reporting.metrics): more than 20000 values"),
    "an object": (lambda: api.make_report(Y, SCORES, title=object()), "title (reporting.make_report): expected text, a number, a list or a mapping, found object"),
    "a set": (lambda: api.metrics(TABLE, {"hter"}), "measures (reporting.metrics): expected text, a number, a list or a mapping, found set"),
    "a key twice": (lambda: api.make_report(Y, SCORES, models={1: {}, "1": {}}), "models['1'] (reporting.make_report): given twice"),
    "half a character": (lambda: api.make_report(Y, SCORES, title="\ud800"), "title (reporting.make_report): '\\ud800' is not text"),
    "many digits": (lambda: api.make_report(Y, SCORES, title=10**5000), "title (reporting.make_report): a number of thousands of digits"),
    "no config": (lambda: api.check_report(...), "config: expected the path of a config file, found ellipsis"),
    "one value to plot": (lambda: api.plot(np.array(1.0)), "trials (reporting.plot): expected a table (Polars, pandas, Arrow, DuckDB, a list of rows) or the path of one, found an array; make a table of labels and scores with reporting.trial_table(labels, scores)"),
    "an array of switches": (lambda: api.metrics(TABLE, intervals=np.array([True, False])), "intervals (reporting.metrics): expected True or False, found an array"),
    "a large score": (lambda: api.trial_table([1, 0], [10**400, 1]), "scores (reporting.trial_table): a number is too large"),
    "dates as scores": (lambda: api.trial_table([1, 0], np.array([0, 1], "datetime64[ns]")), "scores (reporting.trial_table): expected numbers, found '1970-01-01T00:00:00.000000000'"),
    "keys of two kinds": (lambda: api.trial_table([1, 0], [1, 0], trial=np.array([1, "a"], dtype=object)), "trial (reporting.trial_table): expected values of one kind for all trials: text, numbers, dates, or true and false"),
    "a fold of nothing": (lambda: api.from_cross_validate({"A": {"estimator": [1], "indices": {"test": [1.5]}}}, [[1]] * 20, Y), "results['A'] (reporting.from_cross_validate): expected one value per trial, shape (N,), found one value"),
    "a class in a list": (lambda: api.from_predictions(Y, SCORES, pos_label=[1]), "pos_label (reporting.from_predictions): list is not among the labels (found: 1, 0)"),
    "control characters": (lambda: api.read_trials(TABLE.rename({"score": "\x07"})), "the table in memory (reporting.read_trials): its columns are not all called model, label and score; it looks like a table with one row per trial and model. If these are its columns, write trials={'columns': {'score': '\\x07'}}"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_failed_inside_gets_a_sentence(call):
    ask, message = CALLS[call]
    with pytest.raises(ReportingError) as caught:
        ask()
    assert str(caught.value) == message


def test_a_masked_score_is_missing_and_not_the_value_beneath():
    table = api.trial_table([1, 0, 1], np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]))
    assert table["score"].is_nan().to_list() == [False, True, False]


def test_a_table_of_test_alone_without_a_column_of_splits_has_answers():
    """It chooses no thresholds, and the question was asked as if it chose them across folds."""
    frame = api.metrics(api.trial_table(Y, SCORES).drop("split"), intervals=False)
    assert set(frame.filter(criterion="min_hter")["status"]) == {"no_dev"}


def test_names_of_measures_may_come_from_a_generator():
    frame = api.metrics(TABLE, (name for name in ("f1", "roc_auc")), intervals=False)
    assert set(frame["measure"]) == {"f1", "auc"}


def test_a_version_of_a_manifest_is_shown_in_eighty_letters(tmp_path):
    TABLE.write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "report.yaml").write_text(CONFIG + "report: {formats: [json]}\ncurves: []\n")
    reporting("run", "-q", "report.yaml", "-o", "out", cwd=tmp_path)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["libraries"]["polars"] = "x" * 9_000
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    ended = reporting("verify", "--against", "report.yaml", "out", cwd=tmp_path)
    assert ended.returncode == 1
    assert max(map(len, ended.stdout.splitlines())) < 300


def test_a_list_that_contains_itself_is_no_value_of_a_table():
    endless = []
    endless.append(endless)
    with pytest.raises(ReportingError, match="nested more than 8 deep, or a list that contains itself"):
        api.read_trials([{"label": 1, "score": 2, "a": endless}])
