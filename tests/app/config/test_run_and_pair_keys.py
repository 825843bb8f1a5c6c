"""The keys of pair trials and of runs."""

from __future__ import annotations

import json

import jsonschema
import pytest

from reporting.app.config.schema import json_schema

PAIRS = "trials: {source: a.csv, columns: {trial: key, cluster: [said, heard]}, clusters: {pools: two}}\n"


def test_two_cluster_columns_are_pair_trials(read):
    spec = read(PAIRS).trials
    assert spec.columns == {"trial": "key", "cluster": "said", "cluster_b": "heard"}
    assert (spec.has_pairs, spec.pools) == (True, "two")
    assert (spec.column("cluster_b"), spec.called("cluster")) == (
        "heard",
        "column 'said' (the first cluster)",
    )


def test_one_cluster_column_is_none(read):
    spec = read("trials: {source: a.csv, columns: {cluster: said}, clusters: {pools: one}}").trials
    assert (spec.columns, spec.has_pairs, spec.pools) == ({"cluster": "said"}, False, "one")
    assert spec.called("cluster") == "column 'said' (the cluster)"


@pytest.mark.parametrize("runs", ["seed", "reader", "fold", "epoch"])
def test_what_a_run_is(read, runs):
    graded = "profile: grades\n" * (runs == "epoch")
    plan = read(f"trials: {{source: a.csv, columns: {{run: repetition}}, runs: {runs}}}\n{graded}")
    assert (plan.trials.runs, plan.trials.column("run")) == (runs, "repetition")
    assert plan.resolved["trials"]["runs"] == runs


def test_nothing_said_is_one_population_and_repetitions_by_seed(read):
    spec = read("trials: {source: a.csv}\n").trials
    assert (spec.pools, spec.runs) == ("one", "seed")


@pytest.mark.parametrize("said", ["two", "one"])
def test_the_resolved_config_gives_the_same_plan(read, said):
    plan = read(PAIRS.replace("two", said))
    assert plan.resolved["trials"]["columns"] == {"trial": "key", "cluster": ["said", "heard"]}
    assert read(json.dumps(plan.resolved)) == plan
    jsonschema.validate(plan.resolved, json_schema())


@pytest.mark.parametrize(
    ("columns", "good"),
    [
        ({"cluster": "a"}, True),
        ({"cluster": 7}, True),
        ({"cluster": ["a", "b"]}, True),
        ({"cluster": ["a"]}, False),
        ({"cluster": ["a", "b", "c"]}, False),
        ({"cluster": {}}, False),
    ],
)
def test_the_schema_takes_one_column_or_a_list_of_two(columns, good):
    config = {"trials": {"source": "a.csv", "columns": columns}}
    assert jsonschema.Draft202012Validator(json_schema()).is_valid(config) == good


def test_the_schema_says_what_each_choice_means():
    parts = json_schema()["$defs"]
    runs, pools = parts["TrialsKeys"]["properties"]["runs"], parts["ClustersKeys"]["properties"]["pools"]
    for described, words in ((runs, ["seed", "reader", "fold", "epoch"]), (pools, ["one", "two"])):
        assert described["enum"] == words
        assert "Not built yet" not in described["description"]
        assert all(f"{word}: " in described["description"] for word in words)
