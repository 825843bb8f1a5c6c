"""Logs of OpenAI Evals and of HELM, and lists of instances: items, runs and metrics, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_tables import faults_of

from reporting.app.init.starter import write_starter
from reporting.app.run.check import check_report
from reporting.inputs.scan import Scan
from reporting.inputs.spec import File, TrialSpec


def spec_of(*paths, layout, **others):
    return TrialSpec(tuple(map(File, paths)), layout=layout, may_lack_split=True, **others)


def rows_of(spec):
    return sorted(Scan(spec).rows().select("trial", "model", "run", "score").collect().rows())


def written(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def events(model="gpt-4", n=3, kind="match"):
    """A log of OpenAI Evals: its head, an event a sample for the prompt and one for the outcome, its end."""
    yield {"spec": {"completion_fns": [model], "eval_name": "arith.dev.v0", "created_at": "2026-01-01"}}
    for i in range(n):
        data = {"correct": i > 0} if kind == "match" else {"accuracy": i / 2, "choice": "A"}
        yield {"event_id": i, "sample_id": f"arith.{i}", "type": "sampling", "data": {"prompt": "?"}}
        yield {"event_id": 9 + i, "sample_id": f"arith.{i}", "type": kind, "data": data}
    yield {"final_report": {"accuracy": 2 / 3}}


def test_events_of_openai_evals(tmp_path):
    spec = spec_of(written(tmp_path / "a.jsonl", events()), layout="openai_evals")
    assert rows_of(spec) == [
        ("arith.dev.v0/arith.0", "gpt-4", "0", 0),
        ("arith.dev.v0/arith.1", "gpt-4", "0", 1),
        ("arith.dev.v0/arith.2", "gpt-4", "0", 1),
    ]


def test_numbers_of_metrics_events_are_scores(tmp_path):
    spec = spec_of(written(tmp_path / "a.jsonl", events(kind="metrics")), layout="openai_evals")
    assert [row[3] for row in rows_of(spec)] == [0, 0.5, 1]


def test_an_item_that_is_matched_twice_is_refused(tmp_path):
    lines = [*events(n=1), *list(events(n=1))[1:]]
    spec = spec_of(written(tmp_path / "a.jsonl", lines), layout="openai_evals")
    assert "line 6: item 'arith.0' has correct more than once" in str(faults_of(spec))


def instance(name, trial, value, perturbation=None):
    named = {"name": "exact_match", "split": "test"}
    return {
        "instance_id": name,
        "train_trial_index": trial,
        **({"perturbation": perturbation} if perturbation else {}),
        "stats": [{"name": named, "count": 2, "sum": 2 * value}],
    }


def helm(folder, model, values, *others):
    run = folder / "runs" / f"mmlu:subject=law,model={model}" / "per_instance_stats.json"
    run.parent.mkdir(parents=True)
    held = [instance(f"id{i}", trial, v) for trial, of in enumerate(values) for i, v in enumerate(of)]
    run.write_text(json.dumps([*held, *others]))
    (run.parent / "stats.json").write_text("[]")
    return run


def test_instances_of_helm(tmp_path):
    typos = instance("id0", 0, 1, perturbation={"name": "misspelling"})
    spec = spec_of(helm(tmp_path, "openai_gpt", [[0, 1], [1, 1]], typos), layout="helm")
    assert rows_of(spec) == [
        ("mmlu:subject=law/id0", "openai_gpt", "1", 0),
        ("mmlu:subject=law/id0", "openai_gpt", "2", 1),
        ("mmlu:subject=law/id1", "openai_gpt", "1", 1),
        ("mmlu:subject=law/id1", "openai_gpt", "2", 1),
    ]


def test_what_is_no_file_of_helm(tmp_path):
    path = tmp_path / "per_instance_stats.json"
    for text, said in (("{}", "expected a list of instances"), ("[{}]", "instance 1 has no 'instance_id'")):
        path.write_text(text)
        assert said in str(faults_of(spec_of(path, layout="helm")))


def instances(path, outcomes):
    path.write_text(json.dumps([{"instance_id": name, "resolved": it} for name, it in outcomes]))
    return path


def test_lists_of_instances_say_which_are_resolved(tmp_path):
    paths = [
        instances(tmp_path / "a.json", [("x", True), ("y", False)]),
        instances(tmp_path / "b.json", [("y", True), ("x", None)]),
    ]
    assert rows_of(spec_of(*paths, layout="resolved")) == [
        ("x", "a", "0", 1),
        ("x", "b", "0", None),
        ("y", "a", "0", 0),
        ("y", "b", "0", 1),
    ]
    twice = instances(tmp_path / "c.json", [("x", True), ("x", False)])
    assert "an item occurs more than once" in str(faults_of(spec_of(twice, layout="resolved")))


@pytest.mark.parametrize("kind", ["openai_evals", "helm", "resolved", "lm_eval"])
def test_init_knows_them_by_what_they_hold(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    for model, step in (("a", 1), ("b", 2)):
        outcomes = [(f"i{i}", i * step % 3 > 0) for i in range(12)]
        if kind == "openai_evals":
            written(Path(f"{model}.jsonl"), events(model, 12))
        elif kind == "helm":
            helm(tmp_path, model, [[float(it) for _, it in outcomes]])
        elif kind == "resolved":
            instances(Path(f"{model}.json"), outcomes)
        else:
            samples = [{"doc_id": name, "doc": {}, "acc": float(it)} for name, it in outcomes]
            written(Path(model, "samples_arc_2026-01-01T00-00-00.jsonl"), samples)
    shown = {"helm": ["runs"], "lm_eval": ["a", "b"]}.get(kind, sorted(map(str, Path().glob("*.js*"))))
    assert f"trials.layout: {kind}" in write_starter(shown, Path("report.yaml"))
    assert "12 trials (12 targets" in check_report(Path("report.yaml"))
