"""The JSON Schema for editors."""

from __future__ import annotations

import json
import warnings

import jsonschema
import pytest
from config_keys import REPORT, TOP, keys_of
from ruamel.yaml import YAML

from reporting.app.config.schema import json_schema

SMALLEST = """
title: Speaker verification, EVALITA 2009
trials:
  source: ru2009.parquet
  columns: {model: system, label: target, cluster: speaker}
"""
TYPICAL = """
trials: {source: [a.csv, b.csv], values: {target: 1, nontarget: false, dev: 1, test: 2}}
baseline: 7
models: {7: {name: 3, scale: llr}}
primary: {measure: eer}
measures: [hter, "mindcf(p_target=0.01, c_miss=10)"]
criteria: ["oracle(eer)"]
epc: none
"""
WIDE = """
trials:
  source: a.csv
  columns: {stratum: condition}
  prevalence: 0.01
  weights: {stratum: {a: 1, b: 0.5}}
operating_points: [SRE16, {name: mine, p_target: 0.1, c_miss: 10, normalised: false}]
thresholds: {policy: kfold, folds: 5, from: {vox-H: vox-O}}
curves: [roc, pr, ape, tippett]
by: [gender, [gender, 7]]
averaged_over: query
significance: {tests: [mcnemar, equivalence], margin: 0.01, power: 0.9}
"""


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def as_json(text: str) -> object:
    """Read YAML as an editor does: keys as text, scalars typed."""
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load(text)))


@pytest.mark.parametrize("text", [SMALLEST, TYPICAL, WIDE])
def test_the_schema_accepts_good_configs(validator, text):
    validator.validate(as_json(text))


def test_the_schema_accepts_the_defaults_spelt_out(validator, read):
    validator.validate(read("trials: {source: trials.parquet}").resolved)


@pytest.mark.parametrize(
    "text",
    [
        "title: x",
        SMALLEST + "titel: y",
        SMALLEST + "measures: [htre]",
        SMALLEST + "epc: nothing",
        SMALLEST + "significance: {level: 2}",
        SMALLEST + "significance: {tests: [mcnemr]}",
        SMALLEST + "significance: {margin: 0}",
        SMALLEST + "run: {workers: 0}",
        SMALLEST + "operating_points: [SRE61]",
        SMALLEST + "by: [[]]",
        SMALLEST + "thresholds: {folds: 1}",
        "trials: {source: ''}",
        "trials: {source: []}",
        "trials: {source: [a.csv, {}]}",
        "trials: {source: a.csv, prevalence: 2}",
        "trials: {source: a.csv, weights: {stratum: {}}}",
    ],
)
def test_the_schema_refuses_bad_configs(validator, text):
    assert not validator.is_valid(as_json(text))


def test_every_key_of_the_contract_is_there():
    schema = json_schema()
    assert list(schema["properties"]) == keys_of(TOP)
    sections = {name: set(part["properties"]) for name, part in schema["$defs"].items()}
    assert sections["TrialsKeys"] == {
        "source",
        "keys",
        "layout",
        "scores",
        "table",
        "query",
        "storage",
        "columns",
        "values",
        "metric",
        "missing",
        "unlabelled",
        "prevalence",
        "weights",
        "clusters",
        "coarse",
        "reading",
        "unpacked_limit",
        "count",
        "paired",
        "runs",
    }
    assert sections["ThresholdsKeys"] == {"policy", "from", "folds", "column", "threshold_at", "ties"}
    assert sections["SignificanceKeys"] == {
        "replicates",
        "level",
        "unit",
        "comparisons",
        "intervals",
        "stratify",
        "interval",
        "correction",
        "family",
        "seed",
        "bands",
        "tests",
        "margin",
        "power",
        "pairs",
        "replicate_on",
    }
    assert sections["ReportKeys"] == {*keys_of(REPORT, "report")}
    assert sections["RunKeys"] == {"executor", "address", "workers", "folder", "cache", "cache_limit"}


def test_defaults_are_written_as_in_a_config():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema = json_schema()
    assert schema["properties"]["measures"]["default"] == [
        "far", "frr", "hter", "eer_rocch", "auc", "mindcf",
    ]  # fmt: skip
    assert schema["$defs"]["EpcKeys"]["properties"]["alphas"]["default"] == 101
    assert (
        "given_thresholds" in schema["$defs"]["SignificanceKeys"]["properties"]["comparisons"]["description"]
    )
    assert schema["required"] == ["trials"]
    assert schema["$id"] == "urn:trial-reporting:config:1"
