"""Between semicolons a comma is the decimal point of a number, and a letter of a name."""

from __future__ import annotations

import polars as pl
import pytest

import reporting
from reporting.errors import DataError

KEYS = ["1,5", "1.5", "2,5", "2.5"]
"""Four trials, of which two would have the key of another."""
HEADER = "trial;label;score;speaker;site"
ROWS = [
    f"{key};{label};{score};{key};{key}"
    for key, label, score in zip(KEYS, "1010", ["0,75", "-1e0", "1,25e-1", "3"], strict=True)
]
COLUMNS = {"columns": {"cluster": "speaker"}}


def test_keys_clusters_and_groups_keep_their_commas(tmp_path):
    (tmp_path / "t.csv").write_text(
        "\n".join([HEADER.replace("trial", "model;trial"), *(f"A;{row}" for row in ROWS)])
    )
    read = reporting.read_trials(
        tmp_path / "t.csv", trials=COLUMNS, by=["site"], thresholds={"policy": "none"}
    )
    assert read.select("trial", "cluster", "site").rows() == [(key, key, key) for key in sorted(KEYS)]
    assert dict(read.select("trial", "score").iter_rows()) == dict(
        zip(KEYS, [0.75, -1.0, 0.125, 3.0], strict=True)
    )


@pytest.mark.parametrize("scores", [{"scores": ["A"]}, {}])
def test_scores_of_every_model_have_decimal_commas(tmp_path, scores):
    (tmp_path / "t.csv").write_text("\n".join([HEADER.replace("score", "A"), *ROWS]))
    keys = {"layout": "wide", **scores, **COLUMNS}
    read = reporting.read_trials(tmp_path / "t.csv", trials=keys, by=["site"], thresholds={"policy": "none"})
    assert sorted(read["score"]) == [-1.0, 0.125, 0.75, 3.0]
    assert sorted(read["trial"]) == sorted(read["cluster"]) == sorted(read["site"]) == sorted(KEYS)


def test_keys_are_joined_with_those_of_another_format(tmp_path):
    keys = pl.DataFrame({"trial": KEYS, "label": [1, 0, 1, 0]})
    keys.write_parquet(tmp_path / "keys.parquet")
    rows = "\n".join(["model;trial;score", *(f"A;{key};{at},5" for at, key in enumerate(KEYS))])
    (tmp_path / "scores.csv").write_text(rows)
    trials = {"layout": "keyed", "keys": str(tmp_path / "keys.parquet")}
    read = reporting.read_trials(tmp_path / "scores.csv", trials=trials, thresholds={"policy": "none"})
    assert dict(read.select("trial", "score").iter_rows()) == dict(
        zip(KEYS, [0.5, 1.5, 2.5, 3.5], strict=True)
    )


def test_a_comma_that_may_be_either_sign_is_asked_for(tmp_path):
    (tmp_path / "t.csv").write_text('model,label,score\nA,1,"1,234"\nA,0,2\n')
    fault = r"1 of 2 rows not numbers \(the comma of 1,234 .* \{decimal: ','\} or .*; first '1,234'"
    with pytest.raises(DataError, match=fault):
        reporting.read_trials(tmp_path / "t.csv", thresholds={"policy": "none"})
    for sign, score in ((",", 1.234), (".", 1234.0)):
        read = reporting.read_trials(
            tmp_path / "t.csv", trials={"reading": {"decimal": sign}}, thresholds={"policy": "none"}
        )
        assert sorted(read["score"]) == sorted([score, 2.0])
