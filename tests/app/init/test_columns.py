"""Which column is which: speakers before enrolments, labels among other columns of two values, no model of an id."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from snapshot import snapshot

from reporting.app.config.document import read_document
from reporting.app.init.look import sample_of
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.inputs.spec import File
from tests.app.init.examples import long_table, wide_table


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def started(table: pl.DataFrame, name: str = "t.csv") -> tuple[list[str], dict]:
    """Write a table and its config; the questions, and the config's keys."""
    table.write_csv(name)
    shown = write_starter([name], Path("report.yaml"), force=True)
    keys = read_document(Path("report.yaml"), []).plain()
    return [line for line in shown.splitlines() if line.startswith("? ")], keys


def test_speakers_come_before_the_utterances_they_enrolled_with():
    pairs = long_table().with_columns(
        enroll=pl.lit("e-") + pl.col("trial"),
        test=pl.lit("t-") + pl.col("trial"),
        enroll_speaker="speaker",
        test_speaker=pl.lit("s") + (pl.col("trial").str.slice(-2, 2).cast(pl.Int64) % 5).cast(pl.String),
    )
    _, config = started(pairs.drop("speaker"))
    assert config["trials"]["columns"]["cluster"] == ["enroll_speaker", "test_speaker"]
    check_report(Path("report.yaml"))


def test_an_enrolment_alone_is_no_cluster():
    _, config = started(long_table().drop("speaker").with_columns(enroll=pl.lit("e") + pl.col("gender")))
    assert "cluster" not in config["trials"].get("columns", {})
    check_report(Path("report.yaml"))


@pytest.mark.parametrize("end", ["csv", "parquet"])
def test_the_third_of_three_models_one_after_the_other_is_looked_at_too(end):
    n = 50_000
    table = pl.concat(
        pl.DataFrame({"label": [at % 2 for at in range(n)]}).select(
            pl.lit(model).alias("model"),
            pl.int_range(n).alias("trial"),
            "label",
            (sense * pl.col("label") + pl.int_range(n) % 7 / 10).alias("score"),
        )
        for model, sense in (("A", 1), ("B", 1), ("C", -1))
    )
    getattr(table, f"write_{end}")(f"t.{end}")
    shown = write_starter([f"t.{end}"], Path("report.yaml"))
    assert "model: 3 values: 'A', 'B', 'C'" in shown
    assert "? models.C.higher_is: targets have lower scores" in shown
    assert len(sample_of(File(Path(f"t.{end}")))) == 100_000


def test_a_label_among_columns_of_two_values_is_the_one_that_scores_tell_apart():
    table = (
        long_table()
        .rename({"label": "same_person", "gender": "sex"})
        .with_columns(
            noisy=pl.col("trial").str.ends_with("1"),
            phone=pl.lit("ab").str.slice(pl.int_range(pl.len()) % 2, 1),
        )
    )
    asked, config = started(table.rename({"same_person": "claim_holds"}))
    assert config["trials"]["columns"]["label"] == "claim_holds"
    snapshot("init/columns_a_label_among_columns_of_two_values_is_the_one_that_scores_tell_apart", asked[0])
    check_report(Path("report.yaml"))


def test_words_of_targets_count_for_more_than_scores():
    turned = pl.col("trial").str.slice(-1).is_in(["1", "2", "3"])
    table = long_table(("A",)).with_columns(
        kind=pl.when("label").then(pl.lit("bonafide")).otherwise(pl.lit("spoof")),
        warm=pl.col("score") > 1,
        late=turned,
    )
    _, config = started(table.drop("label", "gender"))
    assert config["trials"]["columns"]["label"] == "kind"
    check_report(Path("report.yaml"))


def test_an_enrolled_model_is_no_system():
    speakers = [f"m{at}" for at in range(5)]
    table = pl.DataFrame(
        [
            {"model_id": model, "segment": f"u{i}", "label": int(i % 5 == at), "score": (i * 7 % 11) + 3.5 * (i % 5 == at)}
            for at, model in enumerate(speakers)
            for i in range(20)
        ]
    )  # fmt: skip
    _, config = started(table, "scores.csv")
    assert config["trials"]["layout"] == "wide"
    assert config["trials"]["scores"] == {"scores": "score"}
    assert "1 model (scores): test 100 trials (20 targets)" in check_report(Path("report.yaml"))


def test_numbers_of_rows_and_people_are_no_models():
    table = wide_table().with_columns(
        pl.col("A", "B", "C").mul(4).cast(pl.Int64) + pl.int_range(pl.len()) % 3,
        case_no=pl.int_range(pl.len()) % 9,
        site_id=pl.int_range(pl.len()) % 4,
    )
    _, config = started(table.drop("speaker"))
    assert config["trials"]["scores"] == ["A", "B", "C"]
    check_report(Path("report.yaml"))


def test_an_id_that_tells_rows_of_a_trial_apart_is_no_model():
    both = pl.concat(
        wide_table().with_columns(pl.lit(session).alias("session_id")) for session in ("s-a", "s-b")
    )
    asked, config = started(both)
    assert "model" not in config["trials"]["columns"]
    assert config["trials"]["columns"]["dataset"] == "session_id"
    assert asked
    check_report(Path("report.yaml"))


@pytest.mark.parametrize("key", [("trial", "label", "split", "speaker"), ("trial", "split", "speaker")])
def test_labels_come_from_score_files_too(key):
    long_table(("A",)).select(key).write_csv("key.csv")
    for model, rows in long_table(("A", "B")).partition_by("model", as_dict=True).items():
        rows.select("trial", "label", "score").write_csv(f"{model[0]}.csv")
    write_starter(["key.csv", "A.csv", "B.csv"], Path("report.yaml"))
    config = read_document(Path("report.yaml"), []).plain()
    assert config["trials"]["layout"] == "keyed"
    assert config["trials"]["keys"] == "key.csv"
    assert check_report(Path("report.yaml")).startswith(
        "96 rows, 2 models (A, B): dev 24 trials (8 targets, 8 speakers), test 24 trials (8 targets"
    )


def test_comments_of_keys_on_one_line_name_their_keys():
    turned = wide_table().with_columns((2.0 - pl.col("A")) / 4, pl.col("B") / 4, pl.col("C") / 4)
    started(turned)
    text = Path("report.yaml").read_text()
    assert "only where it is one (scale); targets have lower scores" in text
    assert "# intervals and tests (level); or a number of bootstrap resamples" in text
