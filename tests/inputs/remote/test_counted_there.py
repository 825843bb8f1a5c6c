"""What an engine counts is what the same rows give here, or the same rule refuses it; nothing is written there."""

from __future__ import annotations

import math
import os
import threading
import time
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from asking import FAST, config_of, frames_of, plan_of
from counting import COLUMNS, content, counted_here, counted_there, plan_there
from hypothesis import given
from hypothesis import strategies as st

from reporting.app.run.report import make_report
from reporting.base.publish import parquet
from reporting.errors import ConfigError, DataError
from reporting.inputs.bundle import METADATA
from reporting.inputs.values import coarse_key

TABLE = "table: scores, coarse: 20, columns: {cluster: speaker}"


@pytest.fixture
def duck(tmp_path: Path, trials: pl.DataFrame) -> Path:
    """A DuckDB database with the table ``scores``."""
    return database(tmp_path / "lab.duckdb", trials)


def database(path: Path, rows: pl.DataFrame) -> Path:
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE scores AS SELECT * FROM rows")
    return path


@pytest.mark.parametrize("paired", [True, False])
def test_duckdb_counts_what_is_counted_here(tmp_path, duck, trials, paired):
    further = f"{TABLE}, paired: {str(paired).lower()}"
    there = counted_there(plan_there(tmp_path, "duckdb:///lab.duckdb", further), tmp_path / "work")
    here = counted_here(tmp_path / "here", trials, f"coarse: 20, {COLUMNS}", paired=paired)
    assert content(there) == content(here)
    assert there.names == ("duckdb:///lab.duckdb (table scores)",)


@pytest.mark.parametrize("rest", ["averaged_over: speaker\n", "by: [speaker]\n", "across: speaker\n"])
def test_a_column_that_is_the_cluster_may_also_be_broken_down(tmp_path, duck, trials, rest):
    there = counted_there(plan_there(tmp_path, "duckdb:///lab.duckdb", TABLE, rest), tmp_path / "work")
    here = counted_here(tmp_path / "here", trials, f"coarse: 20, {COLUMNS}", rest, paired=True)
    assert content(there) == content(here)


@pytest.mark.parametrize("paired", [True, False])
def test_postgresql_counts_what_is_counted_here(tmp_path, lab, trials, paired):
    further = f"{TABLE}, paired: {str(paired).lower()}"
    there = counted_there(plan_there(tmp_path, lab.url, further), tmp_path / "work")
    here = counted_here(tmp_path / "here", trials, f"coarse: 20, {COLUMNS}", paired=paired)
    assert content(there) == content(here)


def test_the_frames_are_those_of_the_bundle(tmp_path, duck, trials):
    """Every frame, byte for byte, of the file of counts that 'reporting counts' writes."""
    here = counted_here(tmp_path / "here", trials, f"coarse: 20, {COLUMNS}", paired=True)
    bundle = tmp_path / "counts.parquet"
    bundle.write_bytes(parquet(here.rows, {METADATA: here.about.to_json()}))
    expected = frames_of(plan_of(tmp_path / "a", str(bundle), ", layout: counts"))
    there = plan_of(tmp_path, "duckdb:///lab.duckdb", ", table: scores, count: there, coarse: 20")
    assert frames_of(there) == expected


EDGES = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    5e-324,
    -5e-324,
    2.0**-1022,
    1.7976931348623157e308,
    -1.7976931348623157e308,
]


def awkward_scores() -> list[float]:
    """Floats of every size: all powers of two and their neighbours, of either sign, and bits at random."""
    powers = 2.0 ** np.arange(-1074, 1024)
    near = np.concatenate([powers, np.nextafter(powers, 0), np.nextafter(powers, np.inf)])
    bits = np.random.default_rng(3).integers(-(2**63), 2**63 - 1, 5_000, dtype=np.int64).view(np.float64)
    every = np.concatenate([near, -near, bits[~np.isnan(bits)], EDGES])
    # Between these a float is written as a whole number of 16 digits, which is refused as one that was rounded.
    return list(np.unique(every[(np.abs(every) < 2.0**52) | (np.abs(every) > 2e16)]))


@pytest.mark.parametrize("bits", [16, 24, 63])
@pytest.mark.parametrize("engine", ["duckdb", "postgresql"])
def test_engines_floor_scores_to_the_very_bit(tmp_path, request, engine, bits):
    scores = awkward_scores()
    rows = pl.DataFrame(
        {"model": "A", "split": "test", "label": [n % 2 for n in range(len(scores))], "score": scores}
    )
    further = f"table: scores, coarse: {bits}"
    if engine == "duckdb":
        database(tmp_path / "lab.duckdb", rows)
        url = "duckdb:///lab.duckdb"
    else:
        lab = request.getfixturevalue("lab")
        url = lab.url
        lab.ask("DROP TABLE scores", "CREATE TABLE scores (model text, split text, label int, score float8)")
        copied(lab, rows)
        lab.ask("GRANT SELECT ON scores TO reader")
    there = counted_there(
        plan_there(tmp_path, url, further, "thresholds: {policy: none}\n"), tmp_path / "work"
    )
    keys = rows.select(coarse_key(pl.col("score"), bits)).to_series().unique().sort()
    assert there.rows["key"].unique().sort().to_list() == keys.to_list()
    assert there.rows["n"].sum() == len(scores)


def copied(lab, rows: pl.DataFrame) -> None:
    """Copy rows into the table ``scores`` of a server."""
    import psycopg

    with (
        psycopg.connect(host=str(lab.folder), port=lab.port, user="owner", dbname="lab") as db,
        db.cursor().copy("COPY scores FROM STDIN") as copy,
    ):
        for row in rows.iter_rows():
            copy.write_row(row)


SCORES = st.sampled_from([-1.5, -0.0, 0.0, 0.25, 0.25 + 2**-40, 1.0, math.inf, -math.inf, math.nan, None])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "model": st.sampled_from(["A", "b", "Ä'\"\\", None]) | st.just("A"),
            "split": st.sampled_from(["dev", "test", "train", "tst"]) | st.sampled_from(["dev", "test"]),
            "trial": st.sampled_from(["t1", "t2", "t3", "007"]),
            "label": st.sampled_from(["yes", "no", "", None]) | st.sampled_from(["yes", "no"]),
            "score": SCORES,
            "speaker": st.sampled_from(["s1", "s2"]),
        }
    ),
    min_size=1,
    max_size=14,
)
RULES = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "drop", "reject"]),
        "unlabelled": st.sampled_from(["error", "drop"]),
    }
)


@given(rows=ROWS, rules=RULES, full=st.booleans(), paired=st.booleans(), turned=st.booleans())
def test_any_rows_are_counted_alike_or_refused_alike(tmp_path_factory, rows, rules, full, paired, turned):
    """Tables with every fault: both ways give one bundle, or both refuse it."""
    folder = tmp_path_factory.mktemp("any")
    schema = {name: pl.Float64 if name == "score" else pl.String for name in rows[0]}
    table = pl.DataFrame(crossed(rows) if full else rows, schema=schema)
    words = ", ".join(f"{rule}: {word}" for rule, word in rules.items())
    further = f"coarse: 20, {COLUMNS}, values: {{target: 'yes', nontarget: 'no', unused: [train]}}, {words}"
    rest = "thresholds: {policy: none}\n" + "models: {b: {higher_is: nontarget}}\n" * turned
    table.write_parquet(folder / "rows.parquet")
    query = """, query: 'SELECT * FROM "rows.parquet"'"""
    outcomes = []
    plan = plan_there(folder, "duckdb:///", f"{further}{query}, paired: {str(paired).lower()}", rest)
    several = table.select("model").drop_nulls().n_unique() > 1
    for count in (
        lambda: counted_there(plan, folder / "work"),
        lambda: counted_here(folder / "here", table, further, rest, paired=paired and several),
    ):
        try:
            outcomes.append(content(count()))
        except DataError as error:
            outcomes.append(len(error.faults) > 0)
    there, here = outcomes
    assert there == here


def crossed(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Give every model every trial once, with one label and speaker: most such tables are legal."""
    models = sorted({str(row["model"]) for row in rows})
    trials = {(row["split"], row["trial"]): row for row in rows}
    scores = [row["score"] for row in rows]
    return [
        {**row, "model": model, "score": scores[(at + 3 * number) % len(scores)]}
        for number, model in enumerate(models)
        for at, row in enumerate(trials.values())
    ]


def fault(folder: Path, rows: pl.DataFrame, further: str = TABLE, rest: str = "") -> list[str]:
    """Return the faults with which rows in a DuckDB database are refused."""
    database(folder / "lab.duckdb", rows)
    with pytest.raises((ConfigError, DataError)) as caught:
        counted_there(plan_there(folder, "duckdb:///lab.duckdb", further, rest), folder / "work")
    assert not list(folder.rglob("counted.parquet"))
    return [str(each) for each in caught.value.faults]


NAME = "duckdb:///lab.duckdb (table scores)"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            pl.when(pl.col("trial") == "002").then(pl.lit("maybe")).otherwise(pl.col("label").cast(str)).alias("label"),
            "column 'label' (the label): 4 of 32 rows hold unknown values: 'maybe'. Map them: trials: {values:"
            " {target: ..., nontarget: ...}} (known: true, True, TRUE, 1, 1.0, target, false, False, FALSE, 0, 0.0,"
            " nontarget)",
        ),
        (
            pl.when((pl.col("trial") == "002") & (pl.col("model") == "A")).then(None).otherwise("score").alias("score"),
            "column 'score' (the score): 2 of 32 rows missing or NaN (trials.missing: drop or reject allows them);"
            f" first trial '002' of {NAME}, trial '002' of {NAME}",
        ),
        (
            pl.when(pl.col("trial") == "003").then(pl.lit("002")).otherwise("trial").alias("trial"),
            f"{NAME}: column 'trial' (the trial): 2 keys occur more than once for a model; first '002' in split dev,"
            " '002' in split test",
        ),
        (
            pl.when((pl.col("trial") == "003") & (pl.col("model") == "B")).then(pl.lit("x")).otherwise("speaker").alias("speaker"),
            f"{NAME}: column 'speaker' (the cluster): 2 trials have different values in different models; first"
            " '003' in split dev, '003' in split test",
        ),
        (
            pl.when(pl.col("trial") == "004").then(pl.lit("")).otherwise("speaker").alias("speaker"),
            f"column 'speaker' (the cluster): 4 of 32 rows empty; first '' at trial '004' of {NAME}, '' at trial '004'"
            f" of {NAME}, '' at trial '004' of {NAME}",
        ),
        (
            pl.col("score").cast(str),
            f"{NAME}: column 'score' (the score) holds texts; count: there needs numbers: cast it in a query, or read"
            " the rows with count: here",
        ),
        (pl.col("label").alias("count"), None),
    ],
    ids=["label", "score", "duplicates", "speakers", "empty", "texts", "count"],
)  # fmt: skip
def test_rows_that_break_a_rule_are_refused_with_examples(tmp_path, trials, change, told):
    faults = fault(tmp_path, trials.with_columns(change))
    if told is None:
        told = (
            f"{NAME}: column 'count' (the count): rows that represent several trials are read here; write count: none"
            " in trials.columns, or use count: here"
        )
    assert told in [each.partition(" [TR")[0] for each in faults]


def test_trials_that_a_model_lacks_are_counted(tmp_path, trials):
    lacking = trials.filter(
        ~((pl.col("model") == "B") & (pl.col("trial") == "005") & (pl.col("split") == "dev"))
    )
    (one, *_) = fault(tmp_path, lacking)
    assert (
        one
        == f"{NAME}: column 'trial' (the trial): 1 trial is missing in some models; first '005' in split dev"
    )


@pytest.mark.parametrize(
    ("further", "told"),
    [
        ("table: scores", "trials.coarse: counts hold no exact scores"),
        ("table: score, coarse: 20", "Table with name score does not exist!; did you mean 'scores'?"),
        ("query: 'DROP TABLE scores', coarse: 20", "expected one SELECT"),
        ("query: 'SELECT 1; DROP TABLE scores', coarse: 20", "expected one SELECT"),
        ("query: 'INSERT INTO scores SELECT * FROM scores', coarse: 20", "expected one SELECT"),
        ("query: 'SELECT * FROM scores) SELECT * FROM (SELECT 1', coarse: 20", "(query)"),
        ("query: 'SELECT model FROM scores', coarse: 20", "column 'label' (the label) is missing"),
        ("table: scores, coarse: 20, values: {target: '1', nontarget: '0', spoof: '2'}", "trials.values.spoof: counts hold two classes"),
        ("table: scores, coarse: 20, layout: wide", "count: there needs long"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused_and_nothing_changes(tmp_path, trials, further, told):
    faults = fault(tmp_path, trials, further)
    assert any(told in each for each in faults), faults
    with duckdb.connect(str(tmp_path / "lab.duckdb"), read_only=True) as db:
        assert db.execute("SELECT count(*) FROM scores").fetchone() == (32,)


def test_postgresql_only_reads(tmp_path, lab):
    lab.ask(
        "CREATE FUNCTION emptied() RETURNS int LANGUAGE sql VOLATILE AS 'DELETE FROM scores RETURNING 1'",
        "GRANT DELETE ON scores TO reader",
    )
    plan = plan_there(tmp_path, lab.url, "query: 'SELECT *, emptied() FROM scores', coarse: 20")
    with pytest.raises(DataError, match="cannot execute DELETE in a read-only transaction"):
        counted_there(plan, tmp_path / "work")


def test_a_lost_connection_leaves_the_last_good_report(tmp_path, lab):
    further = ", table: scores, count: there, coarse: 20"
    report = make_report(config_of(tmp_path, lab.url, further), overrides=FAST)
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    password = os.environ["PGPASSWORD"].encode()
    assert [path for path, content in before.items() if password in content] == []
    slow = config_of(
        tmp_path, lab.url, ", query: 'SELECT *, pg_sleep(0.5) FROM scores', count: there, coarse: 20"
    )

    def ended() -> None:
        time.sleep(2)
        lab.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")

    thread = threading.Thread(target=ended)
    thread.start()
    with pytest.raises(DataError, match="terminating connection due to administrator command"):
        make_report(slow, overrides=FAST)
    thread.join()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != slow}
    assert after == before


def test_rows_that_change_between_statements_are_refused(tmp_path, trials, monkeypatch):
    """An engine without transactions: rows are added after the survey."""
    from reporting.inputs.remote.duckdb import DuckDb

    path, surveyed = database(tmp_path / "lab.duckdb", trials), []
    query = "SELECT * FROM scores"
    rows = DuckDb.rows

    def changing(engine: DuckDb, statement: str) -> pl.DataFrame:
        if "AS n" in statement:
            statement = statement.replace(query, f"{query} UNION ALL {query}")
        surveyed.append(statement)
        return rows(engine, statement)

    monkeypatch.setattr(DuckDb, "rows", changing)
    plan = plan_there(tmp_path, f"duckdb:///{path.name}", f"query: '{query}', coarse: 20, paired: false")
    with pytest.raises(DataError, match="changed while it was counted; run again once it stays as it is"):
        counted_there(plan, tmp_path / "work")
    assert len(surveyed) == 3


def test_a_database_that_is_not_reached_names_the_way(tmp_path):
    for source, told in (
        (
            "snowflake://account/lab",
            "'reporting counts CONFIG --sql snowflake' prints statements to run there",
        ),
        ("spark:///", "rows of spark:// stay there; set trials.count: there"),
    ):
        plan = plan_of(tmp_path, source, ", table: scores")
        with pytest.raises(ConfigError) as caught:
            frames_of(plan)
        assert told in str(caught.value)


def test_a_table_without_labels_is_one_of_targets_there_too(tmp_path):
    rows = pl.DataFrame(
        {"model": ["A", "B"] * 4, "item": list("aabbccdd"), "solved": [1, 0, 1, 1, 0, 0, 1, 0]}
    )
    database(tmp_path / "lab.duckdb", rows)
    rows.write_csv(tmp_path / "rows.csv")
    columns = "coarse: 20, columns: {trial: item, score: solved, label: none}"
    question = (
        "\nprimary: {measure: recall, criterion: fixed(threshold=0.5)}\ncriteria: [fixed(threshold=0.5)]\n"
    )
    frames = []
    for name, source in (
        ("there", "source: 'duckdb:///lab.duckdb', table: scores, count: there"),
        ("here", "source: rows.csv"),
    ):
        config = tmp_path / f"{name}.yaml"
        config.write_text(f"trials: {{{source}, {columns}}}{question}epc: none\ncurves: []\n")
        made = make_report(config, tmp_path / name, overrides=["significance.replicates=99"])
        found = pl.read_parquet(made / "frames" / "metrics.parquet").filter(measure="recall")
        frames.append(found.select("model", "value", "ci_low", "ci_high", "n_target", "n_nontarget"))
    assert frames[0].equals(frames[1])
    assert frames[0]["value"].to_list() == [0.75, 0.25]
