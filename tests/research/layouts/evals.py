"""Layouts of evaluation logs of language models and agents: success rates, not areas."""

from __future__ import annotations

import json
from pathlib import Path

from tests.research.layouts.layout import layout
from tests.research.layouts.truth import trials

N = 60


def passed(trial: object, model: str) -> bool:
    """Return whether a system solved an item."""
    return getattr(trial, model) >= (0.4 if model == "ours" else 0.5)


def rate(model: str) -> float:
    """Return the share of items that a system solved."""
    of = trials()[:N]
    return sum(passed(t, model) for t in of) / len(of)


RATES = [rate("ours"), rate("base")]


@layout("lm-evaluation-harness, samples_*.jsonl: doc_id, acc", values=RATES, measure="success_rate")
def lm_harness(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        lines = [
            json.dumps(
                {
                    "doc_id": i,
                    "doc": {"q": t.key},
                    "target": t.word,
                    "resps": [["x"]],
                    "acc": float(passed(t, model)),
                }
            )
            for i, t in enumerate(trials()[:N])
        ]
        (folder / model).mkdir()
        (folder / model / "samples_boolq_2026-01-01T00-00-00.jsonl").write_text("\n".join(lines) + "\n")
    return ["ours", "base"]


@layout("item, model, score of 1.0 and 0.0 (findings 16)", values=RATES, measure="success_rate")
def item_model_score(folder: Path) -> list[str]:
    (folder / "evals.csv").write_text(
        "item,model,score\n"
        + "".join(f"{t.key},{m},{float(passed(t, m))}\n" for t in trials()[:N] for m in ("ours", "base"))
    )
    return ["evals.csv"]


@layout("item, model, epoch, score", values=RATES, measure="success_rate")
def item_model_epoch(folder: Path) -> list[str]:
    (folder / "evals.csv").write_text(
        "item,model,epoch,score\n"
        + "".join(
            f"{t.key},{m},{e},{int(passed(t, m))}\n"
            for t in trials()[:N]
            for m in ("ours", "base")
            for e in (1, 2, 3)
        )
    )
    return ["evals.csv"]


@layout("tau-bench: task_id, trial, reward", values=RATES, measure="success_rate")
def tau_bench(folder: Path) -> list[str]:
    lines = [
        json.dumps({"model": m, "task_id": i, "trial": e, "reward": float(passed(t, m))})
        for i, t in enumerate(trials()[:N])
        for m in ("ours", "base")
        for e in (0, 1)
    ]
    (folder / "tau.jsonl").write_text("\n".join(lines) + "\n")
    return ["tau.jsonl"]


@layout("SWE-bench: results of two systems, instance_id and resolved", values=RATES, measure="success_rate")
def swe_bench(folder: Path) -> list[str]:
    for m in ("ours", "base"):
        (folder / f"{m}.json").write_text(
            json.dumps([{"instance_id": f"repo__{t.key}", "resolved": passed(t, m)} for t in trials()[:N]])
        )
    return ["ours.json", "base.json"]


@layout("SWE-bench report.json: resolved_ids and unresolved_ids", values=RATES, measure="success_rate")
def swe_report(folder: Path) -> list[str]:
    for m in ("ours", "base"):
        of = trials()[:N]
        (folder / f"{m}.report.json").write_text(json.dumps({
            "total_instances": N, "resolved_instances": sum(passed(t, m) for t in of),
            "resolved_ids": [t.key for t in of if passed(t, m)], "unresolved_ids": [t.key for t in of if not passed(t, m)],
        }))  # fmt: skip
    return ["ours.report.json", "base.report.json"]


@layout(
    "pandas of a leaderboard: one row an item, one column a system, 0/1", values=RATES, measure="success_rate"
)
def wide_evals(folder: Path) -> list[str]:
    (folder / "board.csv").write_text(
        "item,ours,base\n"
        + "".join(f"{t.key},{int(passed(t, 'ours'))},{int(passed(t, 'base'))}\n" for t in trials()[:N])
    )
    return ["board.csv"]


@layout("OpenAI evals: events with type match and correct", values=[RATES[0]], measure="success_rate")
def openai_evals(folder: Path) -> list[str]:
    head = [json.dumps({"spec": {"eval_name": "arith.dev", "completion_fns": ["ours"]}})]
    lines = [
        json.dumps(
            {
                "run_id": "r",
                "event_id": i,
                "sample_id": f"arith.dev.{i}",
                "type": "match",
                "data": {"correct": passed(t, "ours"), "expected": t.word, "picked": t.word},
            }
        )
        for i, t in enumerate(trials()[:N])
    ]
    (folder / "ours.jsonl").write_text("\n".join([*head, *lines]) + "\n")
    return ["ours.jsonl"]
