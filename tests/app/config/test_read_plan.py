"""What a good config means."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from config_keys import resolved_of_questions

from reporting.app.config.plan import Execution, Plan, ReportSpec
from reporting.core.criteria.catalogue import CRITERIA, oracle
from reporting.core.criteria.rates import EER, MIN_HTER, WEIGHTED_ERROR
from reporting.core.engine.study import EpcPlan, ModelEntry, Primary, Study
from reporting.core.measures import costs, sweep, threshold
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.costs import PRESETS
from reporting.core.resampling.settings import Inference, Test
from reporting.features.catalogue import CURVES
from reporting.inputs.spec import File, TrialSpec, Values

SMALLEST = """\
title: Speaker verification, EVALITA 2009
trials:
  source: trials.parquet
  columns: {model: system, label: target, cluster: speaker}
"""
BARE = "trials: {source: trials.parquet}\n"

RESOLVED: dict[str, Any] = {
    "title": "Speaker verification, EVALITA 2009",
    "trials": {
        "source": ["trials.parquet"],
        "keys": None,
        "metric": None,
        "layout": "long",
        "scores": None,
        "table": None,
        "query": None,
        "storage": {},
        "columns": {"model": "system", "label": "target", "cluster": "speaker"},
        "values": {
            "target": ["true", "True", "TRUE", "1", "1.0", "target"],
            "nontarget": ["false", "False", "FALSE", "0", "0.0", "nontarget"],
            "dev": "dev",
            "test": "test",
        },
        "missing": "error",
        "unlabelled": "error",
        "prevalence": "sample",
        "weights": None,
        "clusters": {"name": None, "file": None, "pattern": None, "pools": "one"},
        "coarse": None,
        "reading": {"decimal": None, "header": None, "sheet": None},
        "unpacked_limit": 4096,
        "runs": "seed",
    },
    "baseline": None,
    "models": {},
    "primary": {"measure": "hter", "criterion": "min_hter"},
    "criteria": ["min_hter", "eer"],
    "measures": ["far", "frr", "hter", "eer_rocch", "auc", "mindcf"],
    "operating_points": [],
    "thresholds": {
        "policy": "dev",
        "from": None,
        "folds": 10,
        "threshold_at": "midpoint",
        "ties": "balanced",
    },
    "curves": ["roc", "det"],
    "epc": {
        "criteria": ["weighted_error"],
        "measures": ["hter", "weighted_error"],
        "bounds": [0.0, 1.0],
        "alphas": 101,
    },
    "significance": {
        "level": 0.95,
        "replicates": 3072,
        "unit": "auto",
        "comparisons": "procedure",
        "intervals": "given_thresholds",
        "stratify": "none",
        "interval": "auto",
        "correction": "holm",
        "family": "primary",
        "seed": 1,
        "bands": "fixed_width",
        "tests": [],
        "margin": None,
        "power": 0.8,
        "replicate_on": "auto",
        "pairs": "auto",
    },
    "by": [],
    "averaged_over": None,
    **resolved_of_questions(),
    "report": {
        "formats": ["html", "latex", "json"],
        "sections": None,
        "templates": None,
        "paper": None,
        **resolved_of_questions("report"),
        "interactive": True,
        "vocabulary": "detection",
    },
    "run": {
        "executor": "auto",
        "address": None,
        "workers": None,
        "folder": None,
        "cache": None,
        "cache_limit": 4096,
    },
}


def test_the_smallest_useful_config(read):
    expected = Plan(
        source=Path("report.yaml"),
        trials=TrialSpec(
            sources=(File(Path("trials.parquet")),),
            columns={"model": "system", "label": "target", "cluster": "speaker"},
            values=Values(),
            missing="error",
            unlabelled="error",
            negated=frozenset(),
        ),
        study=Study(
            title="Speaker verification, EVALITA 2009",
            primary=Primary(threshold.HTER, MIN_HTER),
            criteria=(MIN_HTER, EER),
            measures=(threshold.FAR, threshold.FRR, threshold.HTER, sweep.EER_ROCCH, sweep.AUC, costs.MINDCF),
            epc=EpcPlan((WEIGHTED_ERROR,), (threshold.HTER, threshold.WEIGHTED_ERROR), 101),
            curves=(CURVES["roc"], CURVES["det"]),
            models=(),
            baseline=None,
            ties="balanced",
            threshold_at="midpoint",
            inference=Inference(3_072, 0.95, "auto", "procedure", "given_thresholds", correction="holm"),
            vocabulary="detection",
        ),
        report=ReportSpec(("html", "latex", "json"), True, "detection"),
        execution=Execution("auto", None),
        resolved=RESOLVED,
    )
    assert read(SMALLEST) == expected


WHOLE = """\
title: 2009
trials:
  source: [trials.parquet, "[ab].csv"]
  columns: {trial: key}
  values: {target: 1, nontarget: rest, dev: TS1, test: 02}
  missing: reject
  unlabelled: drop
  clusters: {pools: one}
baseline: 007
models:
  TC9:
  007: {name: "Condition <7>", higher_is: nontarget, scale: llr}
  1e3: {}
primary: {measure: eer}
criteria: ["oracle(weighted_error(alpha=0.30))"]
measures: ["mindcf(c_miss=10, p_target=1e-2)"]
thresholds: {threshold_at: upper, ties: low}
curves: []
epc: none
significance: {replicates: 199, level: 0.99, unit: cluster, correction: bh, family: all, seed: 0}
report: {formats: [json], interactive: False, vocabulary: detection}
run: {executor: thread, workers: 2}
"""


def test_everything_said(read):
    plan = read(WHOLE)
    assert plan.trials == TrialSpec(
        sources=tuple(File(Path(name)) for name in ("trials.parquet", "a.csv", "b.csv")),
        columns={"trial": "key"},
        values=Values(("1", "1.0"), "rest", "TS1", "02"),
        missing="reject",
        unlabelled="drop",
        negated=frozenset({"007"}),
        seed=0,
    )
    study = plan.study
    assert study.title == "2009"
    assert study.primary == Primary(sweep.EER_ROCCH, MIN_HTER)
    assert study.criteria == (oracle(WEIGHTED_ERROR.at(alpha=0.3)),)
    assert study.measures == (sweep.EER_ROCCH, costs.MINDCF.at(p_target=0.01, c_miss=10))
    assert study.models == (
        ModelEntry("TC9", "TC9"),
        ModelEntry("007", "Condition <7>", "llr", "nontarget"),
        ModelEntry("1e3", "1e3"),
    )
    assert (study.baseline, study.curves, study.epc) == ("007", (), None)
    assert (study.threshold_at, study.ties, study.vocabulary) == ("upper", "low", "detection")
    assert study.inference == Inference(199, 0.99, "cluster", correction="bh", family="all", seed=0)
    assert plan.report == ReportSpec(("json",), False, "detection")
    assert plan.execution == Execution("thread", 2)
    assert plan.resolved["measures"] == ["eer_rocch", "mindcf(p_target=0.01,c_miss=10)"]
    assert plan.resolved["trials"]["source"] == ["trials.parquet", "[ab].csv"]


TESTED = BARE + "significance: {tests: [equivalence, power], margin: 5e-3, power: 0.9}\n"


def test_further_tests_come_in_the_order_in_which_they_are_asked_for(read):
    inference = read(TESTED).study.inference
    assert (inference.tests, inference.margin, inference.power) == (("equivalence", "power"), 0.005, 0.9)
    every = get_args(Test)
    said = BARE + f"significance: {{tests: [{', '.join(every)}], margin: 0.01}}\n"
    assert read(said).study.inference.tests == every


@pytest.mark.parametrize("text", [SMALLEST, WHOLE, BARE, TESTED])
def test_the_resolved_config_is_json_and_gives_the_same_plan(read, text):
    plan = read(text)
    written = json.dumps(plan.resolved, allow_nan=False)
    assert json.loads(written) == plan.resolved
    assert read(written) == plan


def test_paths_are_never_absolute_in_the_resolved_config(folder, read):
    plan = read(SMALLEST)
    assert str(folder) not in json.dumps(plan.resolved)


def bare(name):
    """Trials alone; of three kinds where a cost needs them."""
    of_three = any(word in name for word in ("adcf", "spoofing_error"))
    return BARE.replace("}", ", values: {target: t, nontarget: n, spoof: s}}") if of_three else BARE


@pytest.mark.parametrize(
    "name", [*map(str, MEASURES.values()), "weighted_error(alpha=0.25)", "mindcf(normalised=false)"]
)
def test_every_measure_of_the_catalogue_round_trips(read, name):
    plan = read(bare(name) + f"measures: ['{name}']\n")
    assert name in [str(measure) for measure in plan.study.measures]
    assert name in plan.resolved["measures"]


ORACLES = [f"oracle({criterion})" for criterion in CRITERIA.values() if criterion.has_oracle]


@pytest.mark.parametrize(
    "name", [*map(str, CRITERIA.values()), *ORACLES, "oracle(weighted_error(alpha=0.25))"]
)
def test_every_criterion_of_the_catalogue_round_trips(read, name):
    plan = read(bare(name) + f"criteria: ['{name}']\n")
    assert name in [str(criterion) for criterion in plan.study.criteria]
    assert name in plan.resolved["criteria"]


def test_a_primary_question_that_is_not_listed_comes_first(read):
    study = read(
        BARE + "primary: {measure: hter, criterion: eer}\nmeasures: [far]\ncriteria: [weighted_error]\n"
    ).study
    assert study.measures == (threshold.HTER, threshold.FAR)
    assert study.criteria == (EER, WEIGHTED_ERROR)


def test_a_primary_measure_over_the_sweep_adds_no_criterion(read):
    study = read(BARE + "primary: {measure: auc}\ncriteria: [eer]\n").study
    assert study.primary.measure == sweep.AUC
    assert study.criteria == (EER,)


@pytest.mark.parametrize(
    ("said", "target", "nontarget"),
    [
        ("target: true", ("true", "True", "TRUE"), None),
        ("target: TRUE, nontarget: False", ("true", "True", "TRUE"), ("false", "False", "FALSE")),
        ("target: 1, nontarget: 0", ("1", "1.0"), ("0", "0.0")),
        ("target: yes, nontarget: no", ("yes",), ("no",)),
        ("target: 007, nontarget: 1e-3", ("007",), ("1e-3",)),
        ("target: [genuine, 1], nontarget: rest", ("genuine", "1", "1.0"), "rest"),
    ],
)
def test_labels_are_the_text_of_the_file(read, said, target, nontarget):
    values = read(f"trials: {{source: trials.parquet, values: {{{said}}}}}\n").trials.values
    assert values.target == target
    assert values.nontarget == nontarget


def test_splits_may_be_named_alone(read):
    values = read("trials: {source: trials.parquet, values: {dev: TS1}}").trials.values
    assert values == Values(dev="TS1")


def test_a_key_with_nothing_after_it_keeps_its_default(read):
    said = "trials:\n  source: trials.parquet\n  columns:\nepc:\nmeasures:\nsignificance:\n  # level: 0.9\n"
    assert read(said) == read(BARE)


def test_without_a_title_the_report_bears_the_name_of_the_file(read):
    assert read(BARE).study.title == "report"


def test_numbers_are_those_of_yaml_1_2(read):
    plan = read(BARE + "significance: {level: 5e-1, seed: 010}\n")
    assert (plan.study.inference.level, plan.study.inference.seed) == (0.5, 10)


def test_sources_lie_beside_the_config(folder, read, monkeypatch):
    from reporting.app.config.read import read_plan

    read(BARE)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert read_plan(Path("../report.yaml")).trials.files == (Path("../trials.parquet"),)


def test_a_glob_may_be_absolute_and_is_sorted_by_name(folder, read):
    assert read(f"trials: {{source: '{folder}/*.csv'}}").trials.files == (
        folder / "a.csv",
        folder / "b.csv",
    )


def test_a_file_whose_name_looks_like_a_glob_is_found(folder, read):
    (folder / "x[1].csv").touch()
    assert read("trials: {source: 'x[1].csv'}").trials.files == (Path("x[1].csv"),)


def test_hostile_text_passes_unchanged(read):
    plan = read(BARE + "title: '<script>{x}{{y}}$\\input{z}'\nmodels: {'../a\"b': {name: '{0}%s'}}\n")
    assert plan.study.title == "<script>{x}{{y}}$\\input{z}"
    assert plan.study.models == (ModelEntry('../a"b', "{0}%s"),)


def test_reading_a_config_imports_nothing_heavy():
    heavy = "{'polars', 'altair', 'scipy.stats', 'statsmodels'}"
    said = f"import sys, reporting.app.config.read; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_surrogate_pairs_of_json_are_joined(read):
    text = json.dumps({"title": "\U0001f600", "trials": {"source": "a.csv"}, "models": {"\U0001f601": {}}})
    assert "\\ud83d\\ude00" in text
    study = read(text, 'title="\\ud83d\\ude02"').study
    assert (study.title, study.models[0].key) == ("\U0001f602", "\U0001f601")
    assert read(text).study.title == "\U0001f600"


def test_a_known_evaluation_may_be_written_out_with_its_own_numbers(read):
    text = "trials: {source: a.csv}\noperating_points: [{name: SRE08, p_target: 0.01, c_miss: 10}]\n"
    assert read(text).study.operating_points == PRESETS["SRE08"].points


def test_empty_parentheses_stand_for_no_parameters(read):
    study = read("trials: {source: a.csv}\nmeasures: [eer(), hter()]\ncriteria: [eer()]\n").study
    assert [str(measure) for measure in study.measures] == ["eer_rocch", "hter"]
