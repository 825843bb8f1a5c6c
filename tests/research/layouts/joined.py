"""Layouts of truth and scores in two files, and of logs, beside those of speech and evals."""

from __future__ import annotations

import json
from pathlib import Path

from tests.research.layouts.evals import RATES, N, passed
from tests.research.layouts.layout import layout
from tests.research.layouts.speech import WORD, rows, wavs
from tests.research.layouts.truth import trials


@layout("VoxCeleb lists as some toolkits rewrite them: label, enrolment, test, between tabs")
def voxceleb_tabs(folder: Path) -> list[str]:
    rows(folder / "veri_test2.txt", [[int(t.target), *wavs(t)] for t in trials()], "\t")
    rows(folder / "scores.txt", [[*wavs(t), t.ours] for t in trials()], "\t")
    return ["veri_test2.txt", "scores.txt"]


@layout("WeSpeaker, a score file for each of two systems: enrolment, test, score, label", "ours", "base")
def wespeaker_two(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        rows(folder / f"{model}.score", [[*wavs(t), getattr(t, model), WORD[t.target]] for t in trials()])
    return ["ours.score", "base.score"]


@layout("Kaldi compute-eer, two systems", "ours", "base")
def eer_two(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        rows(folder / f"{model}.eer", [[getattr(t, model), WORD[t.target]] for t in trials()])
    return ["ours.eer", "base.eer"]


@layout("ASVspoof 2019 countermeasure scores of two systems, labels beside them", "ours", "base")
def asvspoof_two(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        rows(
            folder / f"cm_{model}.txt",
            [
                [t.key, "-" if t.target else "A07", "bonafide" if t.target else "spoof", getattr(t, model)]
                for t in trials()
            ],
        )
    return ["cm_ours.txt", "cm_base.txt"]


@layout("bob.bio.base CSV, a folder for each system: scores-eval.csv", "ours", "base")
def bob_csv_two(folder: Path) -> list[str]:
    head = ["bio_ref_subject_id", "probe_subject_id", "probe_template_id", "score"]
    for model in ("ours", "base"):
        body = [
            [t.speaker, t.speaker if t.target else f"x{t.age}", t.key, getattr(t, model)] for t in trials()
        ]
        rows(folder / model / "scores-eval.csv", [head, *body], ",")
    return ["ours", "base"]


@layout("Medical challenge: truth.csv (case, diagnosis) and preds.csv (case, probability)")
def medical_pair(folder: Path) -> list[str]:
    rows(folder / "truth.csv", [["case", "diagnosis"], *([t.key, int(t.target)] for t in trials())], ",")
    rows(folder / "preds.csv", [["case", "probability"], *([t.key, t.ours] for t in trials())], ",")
    return ["truth.csv", "preds.csv"]


@layout("Medical challenge: truth.csv and the predictions of two teams", "ours", "base")
def medical_teams(folder: Path) -> list[str]:
    rows(folder / "truth.csv", [["case", "label"], *([t.key, int(t.target)] for t in trials())], ",")
    for model in ("ours", "base"):
        body = [[t.key, getattr(t, model)] for t in trials()]
        rows(folder / "teams" / f"{model}.csv", [["case", "score"], *body], ",")
    return ["truth.csv", "teams"]


@layout("DCASE task 2: anomaly scores by file, and a reference of attributes with the label")
def dcase(folder: Path) -> list[str]:
    word = {True: "anomaly", False: "normal"}
    rows(
        folder / "reference.csv", [["file_name", "label"], *([t.key, word[t.target]] for t in trials())], ","
    )
    rows(folder / "anomaly_score.csv", [["file_name", "score"], *([t.key, t.ours] for t in trials())], ",")
    return ["reference.csv", "anomaly_score.csv"]


@layout("LFW pairs with folds: fold, pair, same, similarity")
def lfw_folds(folder: Path) -> list[str]:
    body = [[i % 10, t.key, int(t.target), t.ours] for i, t in enumerate(trials())]
    rows(folder / "lfw.csv", [["fold", "pair", "same", "similarity"], *body], ",")
    return ["lfw.csv"]


@layout("FRVT, IJB: template pairs with mated or nonmated", "ours")
def mated_pairs(folder: Path) -> list[str]:
    word = {True: "mated", False: "nonmated"}
    body = [[f"e{t.key}", f"p{t.key}", t.ours, word[t.target]] for t in trials()]
    rows(folder / "ijb.csv", [["enroll_template", "verif_template", "similarity", "label"], *body], ",")
    return ["ijb.csv"]


@layout("HELM: per_instance_stats.json in a folder a run", values=RATES, measure="success_rate")
def helm(folder: Path) -> list[str]:
    for m in ("ours", "base"):
        run = folder / "runs" / f"boolq:model={m}"
        run.mkdir(parents=True)
        stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1}]
        (run / "per_instance_stats.json").write_text(json.dumps([
            {"instance_id": t.key, "train_trial_index": 0, "stats": [{**stats[0], "sum": float(passed(t, m))}]}
            for t in trials()[:N]
        ]))  # fmt: skip
        (run / "run_spec.json").write_text("{}")
    return ["runs"]


@layout("OpenAI Evals: events of type metrics, two models", values=RATES, measure="success_rate")
def openai_metrics(folder: Path) -> list[str]:
    for m in ("ours", "base"):
        lines: list[object] = [{"spec": {"eval_name": "qa.dev", "completion_fns": [m]}}]
        for t in trials()[:N]:
            data = {"accuracy": float(passed(t, m))}
            lines.append({"sample_id": t.key, "type": "metrics", "data": data})
        (folder / f"{m}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return ["ours.jsonl", "base.jsonl"]


@layout("Inspect: a log of JSON, version 2, a scorer of C and I", values=RATES, measure="success_rate")
def inspect_log(folder: Path) -> list[str]:
    for m in ("ours", "base"):
        samples = [
            {"id": t.key, "epoch": 1, "scores": {"match": {"value": "C" if passed(t, m) else "I"}}}
            for t in trials()[:N]
        ]
        about = {"model": m, "task": "arc", "created": "2026-01-01"}
        log = {"version": 2, "status": "success", "eval": about, "samples": samples}
        (folder / f"{m}.json").write_text(json.dumps(log))
    return ["ours.json", "base.json"]


@layout("Weights & Biases table, exported as JSON: columns and data")
def wandb_table(folder: Path) -> list[str]:
    data = [[t.key, int(t.target), t.ours] for t in trials()]
    table = {"columns": ["id", "label", "score"], "data": data}
    (folder / "predictions.table.json").write_text(json.dumps(table))
    return ["predictions.table.json"]
