"""What names a trial, a model and a question, in tables and pairs of files as people have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.errors import DataError

N = 60
DRAW = np.random.default_rng(64)
TRUTH = (np.arange(N) % 3 == 0).astype(int)


def probability() -> np.ndarray:
    return np.round(np.clip(0.25 + 0.3 * TRUTH + DRAW.normal(0, 0.2, N), 0.02, 0.98), 2)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def started(**tables: pl.DataFrame) -> tuple[list[str], dict[str, Any]]:
    """Return the questions of tables, called as their files, and the keys under trials."""
    for name, table in tables.items():
        table.write_csv(f"{name}.csv")
    shown = write_starter([f"{name}.csv" for name in tables], Path("report.yaml"))
    check_report(Path("report.yaml"))
    trials = yaml.safe_load(Path("report.yaml").read_text())["trials"]
    return [line for line in shown.splitlines() if line.startswith("? ")], trials


def out_of_fold(variants: list[dict[str, str]]) -> pl.DataFrame:
    """Predictions of a cross-validation: every trial in one fold, in all variants of the model."""
    rows = {"ID": np.arange(N) + 2, "fold": np.arange(N) % 5 + 1, "y_true": TRUTH}
    return pl.concat(pl.DataFrame({**rows, "y_score": probability(), **each}) for each in variants)


def test_folds_that_part_trials_are_no_runs():
    questions, trials = started(t=out_of_fold([{"variant": "raw"}, {"variant": "pca"}]))
    assert trials["columns"] == {"label": "y_true", "score": "y_score", "trial": "ID", "model": "variant"}
    assert "is 'variant' the model? a guess" in questions[0]


def test_two_columns_that_name_a_model_together_are_refused():
    table = out_of_fold([{"method": "kg", "variant": "k5"}, {"method": "kg", "variant": "k9"}, {"method": "raw", "variant": "k5"}])  # fmt: skip
    names = table.rename({"method": "representation"})
    with pytest.raises(
        DataError, match="'representation', 'variant': where both name a model, join them into"
    ):
        started(t=names)


def test_a_name_of_resamples_is_no_trial_where_rows_are_named():
    """As tidymodels writes them: id is the resample, .row the trial, and .config the model."""
    rows = {"id": [f"Fold{at % 5 + 1}" for at in range(N)], ".row": np.arange(N) + 1, "Class": TRUTH}
    configs = [f"Preprocessor1_Model{at}" for at in (1, 2)]
    table = pl.concat(
        pl.DataFrame({**rows, ".pred_1": (p := probability()), ".pred_0": 1 - p, ".config": name}) for name in configs
    )  # fmt: skip
    questions, trials = started(t=table)
    assert (trials["columns"]["trial"], trials["columns"]["model"]) == (".row", ".config")
    assert "is '.config' the model? a guess" in questions[0]


def test_trials_that_two_columns_name_together_are_refused():
    """As comparisons of templates: no column alone names a row."""
    pairs = {"TEMPLATE_ID1": np.arange(N) // 10, "TEMPLATE_ID2": np.arange(N) % 10}
    keys, scores = pl.DataFrame({**pairs, "LABEL": TRUTH}), pl.DataFrame({**pairs, "SCORE": probability()})
    with pytest.raises(
        DataError, match="'TEMPLATE_ID1', 'TEMPLATE_ID2' do together, join them with the same"
    ):
        started(labels=keys, scores=scores)


@pytest.mark.parametrize("form", ["{}_pred", "pred_{}", "{} probability"])
def test_labels_with_a_score_each_are_questions(form):
    names = ("toxic", "severe_toxic", "insult")
    columns = {name: np.roll(TRUTH, at) for at, name in enumerate(names)}
    scores = {form.format(name): probability() for name in names}
    with pytest.raises(DataError, match="columns are questions with an outcome each"):
        started(t=pl.DataFrame({"id": np.arange(N), **columns, **scores}))
    questions, _ = started(t=pl.DataFrame({"toxic": TRUTH, form.format("toxic"): probability()}))
    assert questions == ["? trials.columns.label: is 'toxic' the label? its name does not say so"]


def test_labels_and_scores_of_the_same_names_in_two_files_are_questions():
    species = {"amecro": TRUTH, "barswa": np.roll(TRUTH, 1)}
    solution = pl.DataFrame({"row_id": np.arange(N), **species})
    submission = pl.DataFrame({"row_id": np.arange(N), **{name: probability() for name in species}})
    with pytest.raises(DataError, match=r"an outcome each \('amecro', 'barswa'\), not models of one outcome"):
        started(solution=solution, submission=submission)


def test_several_columns_of_scores_next_to_keys_are_asked_about():
    keys = pl.DataFrame({"id": np.arange(N), "label": TRUTH})
    scores = pl.DataFrame({"id": np.arange(N), "prob_rf": probability(), "prob_xgb": probability()})
    questions, trials = started(labels=keys, scores=scores)
    assert trials["columns"] == {"score": "prob_rf", "trial": "id"}
    assert "is 'prob_rf' the one score? layout keyed reads one column, not 'prob_xgb'" in questions[0]


def test_columns_of_lists_are_named():
    table = pl.DataFrame({"id": np.arange(N), "label": TRUTH, "probs": [[0.2, 0.8]] * N})
    table.write_parquet("t.parquet")
    table.write_ndjson("t.jsonl")
    for name in ("t.parquet", "t.jsonl"):
        with pytest.raises(DataError, match="'probs' holds lists or objects: write each value into a column"):
            write_starter([name], Path("report.yaml"))


def test_events_next_to_times_of_observation_are_asked_about():
    """Censored labels are out of scope; a time of day next to another label is no end of observation."""
    columns = {"risk_score": probability(), "time_months": DRAW.exponential(30, N)}
    why = "? trials.columns.label: is 'event' known for every row, or only until 'time_months'?"
    assert any(line.startswith(why) for line in started(t=pl.DataFrame({"event": TRUTH, **columns}))[0])
    Path("report.yaml").unlink()
    questions, _ = started(t=pl.DataFrame({"label": TRUTH, **columns}))
    assert not any("trials.columns.label" in line for line in questions)


def test_scores_of_folds_are_asked_about():
    """Five trainings of one model, and their mean."""
    scores = {f"pred_{name}": probability() for name in ("fold0", "fold1", "fold2", "mean")}
    questions, trials = started(t=pl.DataFrame({"id": np.arange(N), "target": TRUTH, **scores}))
    assert trials["scores"] == list(scores)
    assert "are 'pred_fold0', 'pred_fold1', 'pred_fold2' trainings of one model?" in questions[0]


def test_decisions_in_words_have_a_way():
    words = np.array(["legit", "fraud"])
    table = pl.DataFrame({"id": np.arange(N), "actual": words[TRUTH], "predicted": words[TRUTH[::-1]]})
    with pytest.raises(DataError, match="'predicted' is a decision in words: write 1 where it is the target"):
        started(t=table)


def test_the_model_of_files_of_splits_is_not_called_by_one_of_them():
    """As datasets of Hugging Face are stored."""
    table = pl.DataFrame({"idx": np.arange(N), "label": TRUTH, "score": probability()})
    for split in ("validation", "test"):
        table.write_parquet(f"{split}-00000-of-00001.parquet")
    write_starter(["."], Path("report.yaml"))
    trials = yaml.safe_load(Path("report.yaml").read_text())["trials"]
    assert trials["source"] == "{split}-00000-of-00001.parquet"
    assert trials["scores"] == {"scores": "score"}


def test_few_keys_that_occur_twice_are_duplicates():
    """The key stays, so that the check names them; it went, and models were compared without it."""
    rows = {"utt": [f"u{at}" for at in range(N)], "label": TRUTH}
    one, two = (pl.DataFrame({"system": name, **rows, "score": probability()}) for name in "AB")
    pl.concat([one, two, two.head(3)]).write_csv("t.csv")
    shown = write_starter(["t.csv"], Path("report.yaml"))
    assert (
        "'utt' repeats within 'system': are rows of 'u0', 'u1', 'u2' duplicates? remove them, or name"
        in shown
    )
    with pytest.raises(
        DataError, match="3 keys occur more than once for model 'B' in split test: 'u0', 'u1', 'u2'"
    ):
        check_report(Path("report.yaml"))
