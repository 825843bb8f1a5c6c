"""The truth of a table is never a guess in silence: files that people have, and what ``init`` says of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from snapshot import snapshot

import reporting
from reporting.app.config.document import read_document
from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import DataError

FILES = Path(__file__).parents[4] / "shared" / "cases" / "files"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def started(table: pl.DataFrame | str) -> tuple[list[str], dict]:
    """Write a table, or copy one that is shared; the questions, and the keys under trials."""
    if isinstance(table, str):
        if not (FILES / table).exists():
            pytest.skip(f"{FILES} is not here")
        shutil.copy(FILES / table, table)
        name = table
    else:
        name = "t.csv"
        table.write_csv(name)
    said = write_starter([name], Path("report.yaml"), force=True)
    trials = read_document(Path("report.yaml"), []).plain()["trials"]
    return [line for line in said.splitlines() if line.startswith("? ")], trials


def rows(**columns: str) -> pl.DataFrame:
    """60 trials: their words, truth, probability and decision under the names that are given."""
    n = range(60)
    target = [at % 3 == 0 for at in n]
    score = [round(0.2 + 0.35 * one + (at * 7 % 11) / 25, 2) for at, one in zip(n, target, strict=True)]
    held = {
        "id": [f"u{at}" for at in n],
        "row": list(n),
        "truth": [int(one) for one in target],
        "word": ["yes" if one else "no" for one in target],
        "score": score,
        "other": [round(1 - one, 2) for one in score],
        "decided": [int(one >= 0.5) for one in score],
        "said": ["yes" if one >= 0.5 else "no" for one in score],
        "sure": [max(one, round(1 - one, 2)) for one in score],
        "sex": ["fm"[at % 2] for at in n],
        "site": [at % 2 for at in n],
        "age": [20 + at * 13 % 60 for at in n],
    }
    return pl.DataFrame({name: held[kind] for name, kind in columns.items()})


@pytest.mark.parametrize(
    ("name", "label"),
    [("label_and_prediction.csv", None), ("obs_pred_words.csv", "observed"), ("pyc_min.csv", "y_test")],
)
def test_a_decision_beside_the_truth_is_not_it(name, label):
    questions, trials = started(name)
    assert trials["columns"].get("label") == label
    assert not [each for each in questions if "columns.label" in each]


def test_a_decision_alone_is_refused():
    with pytest.raises(DataError, match="'Decision' is what a system decided, by its name, not the truth"):
        started("decision_only.csv")


@pytest.mark.parametrize("name", ["pred", "Scored Labels", "PGR_1", "y_hat", "output", "predicted_class"])
def test_a_label_of_no_known_name_is_asked_for_and_no_decision_is_taken(name):
    questions, trials = started(rows(died="truth", **{name: "decided"}, risk="score"))
    assert trials["columns"]["label"] == "died"
    assert "? trials.columns.label: is 'died' the label? its name does not say so" in questions


def test_gold_comes_before_the_label_of_a_system_and_is_asked_for():
    questions, trials = started(rows(gold="word", label="said", score="score"))
    assert trials["columns"]["label"] == "gold"
    assert questions[0].endswith("which of 'gold', 'label' is the truth, and which the decision of a system? a guess")  # fmt: skip


def test_a_label_that_a_number_makes_is_asked_about():
    table = rows(outcome="truth", age="age", score="score").with_columns(
        outcome=(pl.col("age") >= 50).cast(int)
    )
    questions, _ = started(table)
    assert re.search(r"columns.label: is 'outcome' the truth\? it is '1' exactly where 'age' is 50 or more", questions[0])  # fmt: skip


def test_a_label_that_goes_with_a_decision_is_asked_about():
    questions, _ = started(rows(label="decided", prediction="decided", score="age"))
    assert "'prediction', a decision by its name, has the same in every row" in questions[0]


@pytest.mark.parametrize(("truth", "said"), [("gold", "label"), ("actual", "predicted"), ("label", "pred")])
def test_confidence_in_the_predicted_class_is_turned_to_the_target(truth, said):
    questions, trials = started(rows(**{truth: "word", said: "said", "score": "sure"}))
    assert not [each for each in questions if "columns" in each]
    assert trials["columns"]["predicted"] == said
    assert trials["columns"].get("label", "label") == truth
    few = ["significance.replicates=39", "report.formats=[json]"]
    report = reporting.make_report("report.yaml", overrides=few)
    (metrics,) = report.frames["metrics"].filter(measure="auc")["value"]
    of = rows(truth="truth", score="score")
    by = [of.filter(truth=one)["score"].to_list() for one in (1, 0)]
    assert metrics == pytest.approx(sum((a > b) + (a == b) / 2 for a in by[0] for b in by[1]) / 800)


def test_which_column_is_the_predicted_class_is_asked_where_no_name_says_so():
    questions, trials = started(rows(label="word", outcome="said", score="sure"))
    assert (
        "which of 'label' and 'outcome' is the truth, and which the class of which the score" in questions[0]
    )
    assert trials["columns"] == {"label": "label", "predicted": "outcome"}


def test_a_decision_at_a_threshold_is_no_class_of_a_confidence():
    table = rows(label="word", score="sure").with_columns(
        predicted=pl.when(pl.col("score") >= 0.7).then(pl.lit("yes")).otherwise(pl.lit("no"))
    )
    _, trials = started(table)
    assert "predicted" not in trials.get("columns", {})


def test_confidences_of_several_models_are_refused():
    table = rows(gold="word", label="said", a="sure").with_columns(b=pl.col("a").shuffle(seed=1))
    with pytest.raises(DataError, match="write a row per trial and model with one column of both"):
        started(table)


def test_truth_and_scores_of_one_name_are_known_by_their_files():
    """Kaggle: solution.csv and submission.csv, both with a column target."""
    rows(id="id", target="truth").write_csv("solution.csv")
    rows(id="id", target="score").write_csv("submission.csv")
    said = write_starter(["solution.csv", "submission.csv"], Path("report.yaml"))
    trials = read_document(Path("report.yaml"), []).plain()["trials"]
    assert trials["columns"] == {"label": "target", "score": "target", "trial": "id"}
    assert "? " not in said
    assert "as the label in the key file: the file determines which it is" in said


def test_predictions_of_a_pipeline_beside_a_file_of_labels():
    """Labels of the truth in one file, label and score of Hugging Face in another."""
    rows(id="id", label="word").write_csv("truth.csv")
    rows(id="id", label="said", score="sure").write_csv("preds.csv")
    write_starter(["truth.csv", "preds.csv"], Path("report.yaml"))
    trials = read_document(Path("report.yaml"), []).plain()["trials"]
    assert trials["columns"] == {"predicted": "label", "trial": "id"}
    check_report(Path("report.yaml"))


def test_confidence_with_one_class_is_asked_about():
    questions, _ = started(rows(label="said", score="sure"))
    assert "no 'score' is below 0.5: is 'label' the truth, or the class of which" in questions[0]


@pytest.mark.parametrize(
    ("target", "other"),
    [("proba_1", "proba_0"), ("P(class=yes)", "P(class=no)"), (".pred_yes", ".pred_no"), ("yes", "no"),
     ("confidence(yes)", "confidence(no)"), ("Churn_1.0_PREDICTION", "Churn_0.0_PREDICTION")],
)  # fmt: skip
def test_probabilities_of_both_classes_are_one_model(target, other):
    for names in ({target: "score", other: "other"}, {other: "other", target: "score"}):
        truth = "truth" if "1" in target else "word"
        questions, trials = started(rows(label=truth, **names))
        assert trials["scores"] == {"t": target}
        assert not [each for each in questions if "trials.scores" in each]


def test_probabilities_of_no_name_that_add_up_are_asked_about():
    questions, trials = started(rows(label="truth", a="score", b="other"))
    assert len(trials["scores"]) == 1
    assert "'a', 'b' add up to 1: classes of one model; is 'a' that of the target?" in questions[0]


def test_questions_with_an_outcome_each_are_refused():
    table = rows(q1="score", q1_outcome="truth", q2="other", q2_outcome="decided", id="id")
    with pytest.raises(
        DataError, match=r"questions with an outcome each \('q1' with 'q1_outcome', 'q2' with"
    ):
        started(table)


@pytest.mark.parametrize(
    "table",
    [
        rows(died="truth", PRE_1="score", PGR_1="decided"),
        rows(patientid="id", cancer="truth", famhistory="site", marker="score"),
        rows(y_test="truth", y_pred="decided", y_pred_proba="score"),
    ],
)
def test_tables_of_people_are_no_benchmark_of_language_models(table):
    _, trials = started(table)
    assert trials.get("columns", {}).get("label") != "none"


@pytest.mark.parametrize("name", ["evals_float.csv", "evals_repeated.csv", "tau.jsonl"])
def test_attempts_at_items_need_no_label(name):
    questions, trials = started(name)
    assert trials["columns"]["label"] == "none"
    assert not questions
    assert ("run" in trials["columns"]) == (name != "evals_float.csv")


def test_systems_side_by_side_are_asked_whether_one_is_the_truth():
    questions, trials = started(rows(item="id", human="truth", llm="decided"))
    assert trials["columns"]["label"] == "none"
    snapshot("init/truth_systems_side_by_side_are_asked_whether_one_is_the_truth", "\n".join(questions))


def test_what_needs_no_label_is_named_in_the_refusal():
    with pytest.raises(DataError, match="'won' is whether it was, write trials.columns.label: none"):
        started(rows(name="id", won="truth"))


def test_attacks_are_a_third_kind_of_trials():
    _, trials = started("three_words.csv")
    assert trials["values"] == {"target": "target", "nontarget": "nontarget", "spoof": "spoof"}


def test_two_scores_with_attacks_are_asked_about():
    kinds = pl.Series([("target", "nontarget", "spoof")[at % 3] for at in range(60)])
    questions, _ = started(
        rows(trial="id", asv="score", cm="age").with_columns(pl.col("cm") / 8, label=kinds)
    )
    assert any("'cm' separates spoofs from the rest and is no rival of 'asv'" in each for each in questions)


def test_tuning_values_are_models_and_asked_about():
    one = rows(rowIndex="row", obs="word", no="other", yes="score")
    both = pl.concat(one.with_columns(mtry=pl.lit(value)) for value in (2, 7))
    questions, trials = started(both)
    assert trials["columns"] == {"label": "obs", "model": "mtry", "trial": "rowIndex", "score": "yes"}
    assert any("is 'mtry' the model? a guess" in each for each in questions)


def test_numbers_that_distinguish_rows_of_caret_are_tuning_values_by_any_name():
    one = rows(rowIndex="row", obs="word", no="other", yes="score").with_columns(Resample=pl.lit("Fold1"))
    questions, trials = started(pl.concat(one.with_columns(k=pl.lit(value)) for value in (3, 7)))
    assert trials["columns"]["model"] == "k"
    assert any("is 'k' the model? a guess" in each for each in questions)


def test_an_id_with_both_labels_is_asked_about():
    table = rows(id="id", label="truth", score="score").with_columns(id=pl.int_range(60) // 2 % 20)
    questions, _ = started(table)
    assert "? trials.columns.trial: 'id' repeats, with both labels" in "\n".join(questions)


@pytest.mark.parametrize("days", [7, 1])
def test_a_column_of_times_may_be_clusters(days):
    table = rows(id="id", label="truth", score="score")
    table = table.with_columns(date=pl.date(2026, 1, 1) + pl.duration(days=pl.int_range(60) // days))
    questions, _ = started(table)
    assert any("trials.columns.cluster: 'date': " in each for each in questions)


def test_race_is_no_cluster():
    kinds = pl.Series([f"k{at % 7}" for at in range(60)])
    questions, _ = started(rows(id="id", label="truth", score="score").with_columns(race=kinds))
    assert not questions


def test_a_line_that_is_offered_passes_the_check():
    started("offered_line.csv")
    assert read_document(Path("report.yaml"), []).plain()["models"] == {
        "offered_line": {"higher_is": "nontarget"}
    }
    check_report(Path("report.yaml"))


def test_the_margin_of_weka_is_no_score():
    """It is the probability of the true class less the largest other one, so it knows the truth."""
    table = rows(label="word", predicted="said", score="score").rename({"score": "prediction margin"})
    with pytest.raises(DataError, match="no column can be the score"):
        started(table)


def test_the_event_of_what_was_observed_is_asked_about():
    table = rows(station="site", pop="score", rain_mm="truth").with_columns(rain_mm=pl.col("rain_mm") * 2.5)
    questions, trials = started(table)
    assert trials["columns"]["label"] == "rain_mm"
    assert trials["values"]["event"] == {"above": "0"}
    assert [each for each in questions if "is a target a row with more than 0 in 'rain_mm'?" in each]
    check_report(Path("report.yaml"))


def test_a_label_comes_before_what_was_observed():
    table = rows(outcome="truth", pop="score", rain_mm="truth").with_columns(rain_mm=pl.col("rain_mm") * 2.5)
    _, trials = started(table)
    assert trials["columns"]["label"] == "outcome"
    assert "event" not in trials.get("values", {})
