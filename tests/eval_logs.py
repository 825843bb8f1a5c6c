"""Evaluation logs of language models as their programs write them, from one table of scores.

``lm_eval``: LM Evaluation Harness 0.4.9, ``samples_TASK_DATE.jsonl``; ``inspect``: version 2 of the logs of
Inspect, ``.json`` and ``.eval`` (deflate); ``swe_bench``: reports of SWE-bench, ``schema_version`` 2.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Scores = Mapping[tuple[str, str], Mapping[str, float | None]]
"""By model and task: the score of every item."""
DATE = "2026-11-02T10-15-00.123456"


def lm_eval(
    folder: Path, scores: Scores, metric: str = "acc", filters: Iterable[str] = ("none",), date: str = DATE
) -> None:
    """Write a folder for each model, with the samples of each task and its aggregated results."""
    for (model, task), items in scores.items():
        place = folder / model.replace("/", "__")
        place.mkdir(parents=True, exist_ok=True)
        lines = [
            json.dumps(_sample(task, item, score, metric, chosen))
            for item, score in items.items()
            for chosen in filters
        ]
        (place / f"samples_{task}_{date}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (place / f"results_{date}.json").write_text(json.dumps({"results": {task: {}}}), encoding="utf-8")


def _sample(task: str, item: str, score: float | None, metric: str, chosen: str) -> dict[str, Any]:
    """One line of samples; a filter other than the first fails where the item's number is odd."""
    digest = hashlib.sha256(f"{task} {item}".encode()).hexdigest()
    value = score if chosen in ("none", "strict-match") else 1.0
    return {
        "doc_id": int(item) if item.isdigit() else item,
        "doc": {"question": f"question {item}", "subject": f"{task} {len(item)}", "choices": ["a", "b"]},
        "target": "a",
        "arguments": {"gen_args_0": {"arg_0": f"question {item}", "arg_1": " a"}},
        "resps": [[["-1.5", "False"]]],
        "filtered_resps": [["-1.5", "False"]],
        "filter": chosen,
        "metrics": [metric],
        "doc_hash": digest,
        "prompt_hash": digest,
        "target_hash": hashlib.sha256(b"a").hexdigest(),
        metric: value,
    }


def inspect_log(
    model: str, task: str, epochs: list[Mapping[str, Any]], scorer: str = "match", status: str = "success"
) -> dict[str, Any]:
    """Return a log of Inspect: ``epochs`` has the value of every sample, for each epoch."""
    samples = [
        {
            "id": item,
            "epoch": epoch,
            "input": f"question {item}",
            "target": "a",
            "scores": {} if value is None else {scorer: {"value": value, "answer": "a"}},
            "metadata": {"source": f"document {item[:1]}"},
        }
        for epoch, items in enumerate(epochs, start=1)
        for item, value in items.items()
    ]
    run = {
        "eval_id": f"{model}{task}",
        "run_id": "r",
        "created": "2026-11-02T10:15:00+00:00",
        "task": task,
        "task_id": task,
        "task_version": 0,
        "dataset": {"samples": len(epochs[0]), "sample_ids": list(epochs[0])},
        "model": model,
        "config": {"epochs": len(epochs)},
        "scorers": [{"name": scorer}],
    }
    return {"version": 2, "status": status, "eval": run, "plan": {}, "stats": {}, "samples": samples}


def write_json(path: Path, held: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(held), encoding="utf-8")


def write_eval(path: Path, log: Mapping[str, Any]) -> None:
    """Write a log as an archive of its header, the summaries of its samples, and the samples."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("summaries.json", json.dumps(log["samples"]))
        archive.writestr(
            "header.json", json.dumps({key: held for key, held in log.items() if key != "samples"})
        )


def swe_bench(items: Mapping[str, float], incomplete: Iterable[str] = ()) -> dict[str, Any]:
    """Return a report of SWE-bench; an item is resolved where its score is 1."""
    resolved = sorted(item for item, score in items.items() if score == 1)
    unresolved = sorted(set(items) - set(resolved))
    return {
        "total_instances": len(items) + len(list(incomplete)),
        "submitted_instances": len(items),
        "completed_instances": len(items),
        "resolved_instances": len(resolved),
        "unresolved_instances": len(unresolved),
        "empty_patch_instances": 0,
        "error_instances": 0,
        "completed_ids": sorted(items),
        "incomplete_ids": sorted(incomplete),
        "empty_patch_ids": [],
        "submitted_ids": sorted(items),
        "resolved_ids": resolved,
        "unresolved_ids": unresolved,
        "error_ids": [],
        "schema_version": 2,
    }
