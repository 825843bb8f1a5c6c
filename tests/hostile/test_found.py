"""What the campaign found, each as small as it gets: these inputs once hung, failed or were not told well."""

from __future__ import annotations

import random
import time

import polars as pl
import pytest
from command import reporting

from tests.hostile import campaign
from tests.hostile.broken_files import TABLE

CONFIG = "trials: {source: trials.parquet}\nsignificance: {replicates: 99}\nepc: none\n"


def told(folder, text, *more):
    """Return the one message of a config that is refused, which takes less than two seconds of the processor."""
    TABLE.write_parquet(folder / "trials.parquet")
    (folder / "report.yaml").write_text(text, encoding="utf-8")
    begun = time.process_time()
    ended = reporting("check", "-q", "report.yaml", *more, cwd=folder)
    assert time.process_time() - begun < 2
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
def test_a_document_without_bounds_is_refused_before_it_is_read(tmp_path, text, message):
    assert told(tmp_path, text) == message


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
    assert ended.stdout.startswith("16 rows, 1 models (a)"), ended.stderr


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
        assert line.endswith("own/sections/notes.yaml:2:18: statements or parentheses are nested too deeply")


def test_names_with_terminal_codes_are_printed_as_escapes(tmp_path):
    """``check`` lists models, and printed what turns a terminal red, renames it or rings its bell."""
    name = "red\x1b[31m\x1b]0;title\x07\r\t\x9b"
    TABLE.with_columns(model=pl.lit(name)).unique(("split", "trial")).write_csv(tmp_path / "trials.csv")
    (tmp_path / "report.yaml").write_text("trials: {source: trials.csv}\n")
    ended = reporting("check", "-q", "report.yaml", cwd=tmp_path)
    assert ended.stdout.startswith(
        r"16 rows, 1 models (red\x1b[31m\x1b]0;title\x07\r\t\x9b): dev 8 trials"
    ), ended
    assert ended.stdout.count("\n") == 1


def test_a_file_whose_reader_panics_is_told_as_damaged(tmp_path):
    """A changed byte in a page of Parquet made Polars panic: exit 3, with its assertion as the message."""
    case = campaign.KINDS["files"](random.Random("files 1472"), tmp_path)
    ended = reporting(*case.arguments, "-q", cwd=tmp_path)
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
