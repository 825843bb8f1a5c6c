"""The vote example: real models, parts that do not overlap, and the same bytes each time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from statsmodels.datasets import anes96

from reporting.app.example.catalogue import write_example
from reporting.app.example.vote import MODELS, vote_trials
from reporting.errors import ConfigError, OutputError


@pytest.fixture(scope="module")
def trials() -> pl.DataFrame:
    return vote_trials()


def test_every_model_scores_the_same_respondents_once(trials: pl.DataFrame) -> None:
    assert trials.columns == ["model", "split", "trial", "label", "score", "education"]
    assert trials.null_count().sum_horizontal().item() == 0
    assert not trials.select("model", "trial").is_duplicated().any()
    facts = trials.group_by("split", "trial").agg(pl.col("model").sort(), pl.n_unique("label", "education"))
    assert facts["model"].to_list() == [sorted(MODELS)] * facts.height
    assert facts["label"].unique().to_list() == facts["education"].unique().to_list() == [1]
    assert facts.group_by("split").len().sort("split").rows() == [("dev", 283), ("test", 283)]


def test_labels_and_education_are_the_survey_s(trials: pl.DataFrame) -> None:
    survey = anes96.load_pandas().data
    number = trials["trial"].str.strip_prefix("respondent ").cast(pl.Int64).to_numpy() - 1
    assert ((trials["label"] == "Dole").to_numpy() == (survey["vote"].to_numpy()[number] == 1)).all()
    degrees = (trials["education"] == "PhD").to_numpy()
    assert (degrees == (survey["educ"].to_numpy()[number] == 7)).all()


@pytest.mark.parametrize("model", MODELS)
def test_scores_are_the_log_odds_of_a_model_fitted_on_the_rest(trials: pl.DataFrame, model: str) -> None:
    """Against scikit-learn's fit on the respondents that are in neither dev nor test."""
    survey = anes96.load_pandas().data
    rows = trials.filter(model=model)
    scored = rows["trial"].str.strip_prefix("respondent ").cast(pl.Int64).to_numpy() - 1
    train = np.setdiff1d(np.arange(len(survey)), scored)
    assert len(train) == 378
    seen, vote = survey[list(MODELS[model])].to_numpy(), survey["vote"].to_numpy()
    location, scale = seen[train].mean(axis=0), seen[train].std(axis=0)
    seen = (seen - location) / scale
    oracle = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(seen[train], vote[train])
    np.testing.assert_allclose(rows["score"], oracle.decision_function(seen[scored]), atol=2e-5)


def test_the_files_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    config = write_example("vote", tmp_path / "new" / "one")
    assert config == tmp_path / "new" / "one" / "report.yaml"
    again = "import sys, pathlib; from reporting.app.example.catalogue import write_example as write; "
    again += "write('vote', pathlib.Path(sys.argv[1]))"
    other = {"PYTHONHASHSEED": "7", "POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", again, str(tmp_path / "two")], env=os.environ | other, check=True)
    for name in ("report.yaml", "trials.parquet"):
        assert (config.parent / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_importing_the_room_is_light() -> None:
    command = "import sys, reporting.app.example.vote; print('statsmodels' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", command], text=True) == "False\n"


def test_an_unknown_name_gets_the_nearest_guess(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'vot' is not an? example; did you mean 'vote'?"):
        write_example("vot", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_only_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="is not empty"):
        write_example("vote", tmp_path)
    with pytest.raises(OutputError, match="cannot be written"):
        write_example("vote", tmp_path / "mine.txt")
    assert os.listdir(tmp_path) == ["mine.txt"]
