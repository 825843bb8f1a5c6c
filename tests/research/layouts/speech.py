"""Layouts of speech, biometrics and forensics."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.research.layouts.layout import layout
from tests.research.layouts.truth import Trial, area, trials

WORD = {True: "target", False: "nontarget"}


def rows(path: Path, of: list[list[object]], separator: str = " ", end: str = "\n") -> None:
    """Write lines of fields."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(separator.join(map(str, row)) + end for row in of), encoding="utf-8")


def wavs(trial: Trial) -> list[str]:
    """Return the two recordings of a trial, as VoxCeleb names them."""
    enrolled = f"id1{trial.speaker[1:]}"
    other = enrolled if trial.target else f"id2{trial.speaker[1:]}"
    return [f"{enrolled}/enrol/{trial.key}.wav", f"{other}/test/{trial.key}.wav"]


@layout("VoxCeleb, veri_test.txt: label, enrolment, test; scores in a file of their own")
def voxceleb(folder: Path) -> list[str]:
    rows(folder / "veri_test.txt", [[int(t.target), *wavs(t)] for t in trials()])
    rows(folder / "scores.txt", [[*wavs(t), t.ours] for t in trials()])
    return ["veri_test.txt", "scores.txt"]


@layout("VoxSRC challenge: score, enrolment, test against label, enrolment, test", "ours", "base")
def voxsrc(folder: Path) -> list[str]:
    rows(folder / "trials.txt", [[int(t.target), *wavs(t)] for t in trials()])
    rows(folder / "ours.txt", [[t.ours, *wavs(t)] for t in trials()])
    rows(folder / "base.txt", [[t.base, *wavs(t)] for t in trials()])
    return ["trials.txt", "ours.txt", "base.txt"]


@layout("WeSpeaker, score file of score_norm: enrolment, test, score, target or nontarget")
def wespeaker(folder: Path) -> list[str]:
    rows(
        folder / "vox1_O_cleaned.kaldi.score", [[*wavs(t), f"{t.ours:.5f}", WORD[t.target]] for t in trials()]
    )
    return ["vox1_O_cleaned.kaldi.score"]


@layout("Speaker verification challenges (findings 17): enrolment, test, label, score, with a head")
def enrol_test_label_score(folder: Path) -> list[str]:
    rows(
        folder / "scores.txt",
        [["enrol", "test", "label", "score"], *([*wavs(t), WORD[t.target], t.ours] for t in trials())],
    )
    return ["scores.txt"]


@layout("The same without a head, tabs")
def enrol_test_label_score_bare(folder: Path) -> list[str]:
    rows(folder / "scores.tsv", [[*wavs(t), WORD[t.target], t.ours] for t in trials()], "\t")
    return ["scores.tsv"]


@layout("SpeechBrain, recipes/VoxCeleb/SpeakerRec: enrolment, test, label, score")
def speechbrain(folder: Path) -> list[str]:
    rows(folder / "scores.txt", [[*wavs(t), f"{int(t.target)}.0", f"{t.ours:f}"] for t in trials()])
    return ["scores.txt"]


@layout("Kaldi: trials `utt utt target` and scores `utt utt score`", "ours", "base")
def kaldi(folder: Path) -> list[str]:
    rows(folder / "trials", [[*wavs(t), WORD[t.target]] for t in trials()])
    rows(folder / "scores_ours", [[*wavs(t), t.ours] for t in trials()])
    rows(folder / "scores_base", [[*wavs(t), t.base] for t in trials()])
    return ["trials", "scores_ours", "scores_base"]


@layout("Kaldi egs/sre: score and label of a trial on one line, as compute-eer reads it")
def kaldi_eer(folder: Path) -> list[str]:
    rows(folder / "eer_input", [[t.ours, WORD[t.target]] for t in trials()])
    return ["eer_input"]


@layout("NIST SRE16-21 scoring software: modelid, segmentid, side, LLR; key with targettype", "ours")
def nist_sre(folder: Path) -> list[str]:
    rows(
        folder / "trial_key.tsv",
        [
            ["modelid", "segmentid", "side", "targettype", "gender"],
            *([*wavs(t), "a", WORD[t.target], "fm"[t.age % 2]] for t in trials()),
        ],
        "\t",
    )
    rows(
        folder / "system.tsv",
        [["modelid", "segmentid", "side", "LLR"], *([*wavs(t), "a", t.ours] for t in trials())],
        "\t",
    )
    return ["trial_key.tsv", "system.tsv"]


@layout("BOSARIS text: scores `model segment score`, key `model segment target`")
def bosaris(folder: Path) -> list[str]:
    rows(folder / "key.txt", [[*wavs(t), WORD[t.target]] for t in trials()])
    rows(folder / "scores.txt", [[*wavs(t), t.ours] for t in trials()])
    return ["key.txt", "scores.txt"]


@layout("F4DE DETCurve (NIST): TrialID,Score,Decision and a key TrialID,IsTarget")
def f4de(folder: Path) -> list[str]:
    rows(
        folder / "key.csv",
        [['"TrialID"', '"IsTarget"'], *([f'"{t.key}"', f'"{t.word[0]}"'] for t in trials())],
        ",",
    )
    rows(
        folder / "system.csv",
        [
            ['"TrialID"', '"Score"', '"Decision"'],
            *([f'"{t.key}"', f'"{t.ours}"', '"y"' if t.decided else '"n"'] for t in trials()),
        ],
        ",",
    )
    return ["key.csv", "system.csv"]


@layout("ASVspoof 2019 LA, countermeasure protocol and scores `utt attack key score`")
def asvspoof2019_scores(folder: Path) -> list[str]:
    rows(
        folder / "cm_scores.txt",
        [
            [
                f"LA_E_{t.key}",
                "-" if t.target else f"A{7 + t.age % 3:02d}",
                "bonafide" if t.target else "spoof",
                t.ours,
            ]
            for t in trials()
        ],
    )
    return ["cm_scores.txt"]


@layout("ASVspoof 2019 LA: protocol file and scores `utt score`")
def asvspoof2019(folder: Path) -> list[str]:
    rows(
        folder / "ASVspoof2019.LA.cm.eval.trl.txt",
        [
            [t.speaker, f"LA_E_{t.key}", "-", "-" if t.target else "A07", "bonafide" if t.target else "spoof"]
            for t in trials()
        ],
    )
    rows(folder / "scores.txt", [[f"LA_E_{t.key}", t.ours] for t in trials()])
    return ["ASVspoof2019.LA.cm.eval.trl.txt", "scores.txt"]


@layout("ASVspoof 2021 LA keys: speaker utt codec transmission attack key trim phase")
def asvspoof2021(folder: Path) -> list[str]:
    rows(
        folder / "trial_metadata.txt",
        [
            [
                t.speaker,
                f"LA_E_{t.key}",
                "alaw",
                "ita_tx",
                "bonafide" if t.target else "A07",
                "bonafide" if t.target else "spoof",
                "notrim",
                "eval",
            ]
            for t in trials()
        ],
    )
    rows(folder / "score.txt", [[f"LA_E_{t.key}", t.ours] for t in trials()])
    return ["trial_metadata.txt", "score.txt"]


@layout("ASVspoof 5, track 1: filename and cm-score; key by ASVspoof5.eval.track_1.tsv")
def asvspoof5(folder: Path) -> list[str]:
    rows(
        folder / "ASVspoof5.eval.track_1.tsv",
        [
            [
                t.speaker,
                f"E_{t.key}",
                "FM"[t.age % 2],
                "-",
                "-",
                "-",
                "AC1",
                "A20" if not t.target else "bonafide",
                "bonafide" if t.target else "spoof",
                "-",
            ]
            for t in trials()
        ],
    )
    rows(folder / "score.tsv", [["filename", "cm-score"], *([f"E_{t.key}", t.ours] for t in trials())], "\t")
    return ["ASVspoof5.eval.track_1.tsv", "score.tsv"]


def kind_of(trial: Trial) -> str:
    """Return the kind of a trial of speaker verification under attack."""
    return "target" if trial.target else ("spoof" if int(trial.key[1:]) % 3 == 1 else "nontarget")


@layout("SASV challenge 2022: target, nontarget, spoof, and one score; its SASV-EER pools the last two")
def sasv(folder: Path) -> list[str]:
    rows(
        folder / "sasv.csv",
        [["trial", "label", "score"], *([t.key, kind_of(t), t.ours] for t in trials())],
        ",",
    )
    return ["sasv.csv"]


@layout("Bob, four columns: claimed, real, path, score", "ours", "base")
def bob4(folder: Path) -> list[str]:
    for model in ("ours", "base"):
        rows(
            folder / model / "scores-eval",
            [
                [t.speaker, t.speaker if t.target else f"x{t.age}", f"probe/{t.key}", getattr(t, model)]
                for t in trials()
            ],
        )
    return ["ours", "base"]


@layout("Bob, five columns: claimed, model, real, path, score")
def bob5(folder: Path) -> list[str]:
    rows(
        folder / "scores-eval",
        [
            [t.speaker, f"{t.speaker}_1", t.speaker if t.target else f"x{t.age}", f"probe/{t.key}", t.ours]
            for t in trials()
        ],
    )
    return ["scores-eval"]


@layout("bob.bio.base CSV: probe_reference_id, probe_subject_id, bio_ref_subject_id, score")
def bob_csv(folder: Path) -> list[str]:
    head = ["probe_subject_id", "probe_key", "bio_ref_subject_id", "bio_ref_template_id", "score"]
    rows(
        folder / "scores-eval.csv",
        [
            head,
            *(
                [t.speaker if t.target else f"x{t.age}", t.key, t.speaker, f"{t.speaker}_1", t.ours]
                for t in trials()
            ),
        ],
        ",",
    )
    return ["scores-eval.csv"]


@layout("One file a class, one score a line (LR toolboxes, FVC): genuine.txt, impostor.txt")
def class_files(folder: Path) -> list[str]:
    rows(folder / "genuine.txt", [[t.ours] for t in trials() if t.target])
    rows(folder / "impostor.txt", [[t.ours] for t in trials() if not t.target])
    return ["genuine.txt", "impostor.txt"]


@layout("One file a class: targets.csv and nontargets.csv with a head")
def class_files_head(folder: Path) -> list[str]:
    rows(folder / "targets.csv", [["score"], *([t.ours] for t in trials() if t.target)])
    rows(folder / "nontargets.csv", [["score"], *([t.ours] for t in trials() if not t.target)])
    return ["targets.csv", "nontargets.csv"]


@layout("Score histogram of a matcher (BioSecure, NBIS): score, count, one file a class")
def class_histograms(folder: Path) -> list[str]:
    for name, kind in (("genuine.hist", True), ("impostor.hist", False)):
        of = [t.ours for t in trials() if t.target is kind]
        rows(folder / name, [["score", "count"], *([s, of.count(s)] for s in sorted(set(of)))], "\t")
    return ["genuine.hist", "impostor.hist"]


@layout(
    "LFW-like verification results: pair, same, dist (findings 20a)",
    values=[area([-t.ours for t in trials() if not t.target], [-t.ours for t in trials() if t.target])],
)
def face_distance(folder: Path) -> list[str]:
    with (folder / "lfw.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["pair", "same", "dist"], *([t.key, t.word, round(1 - t.ours, 2)] for t in trials())]
        )
    return ["lfw.csv"]


@layout("Forensic voice comparison: questioned, known, same_source, log10LR")
def forensic(folder: Path) -> list[str]:
    rows(
        folder / "lr.csv",
        [
            ["questioned", "known", "same_source", "log10LR"],
            *([f"q{t.key}", t.speaker, str(t.target).upper(), round(4 * t.ours - 2, 2)] for t in trials()),
        ],
        ",",
    )
    return ["lr.csv"]


@layout("Kiss of a lab: comment lines, tabs in .txt")
def comments_tabs(folder: Path) -> list[str]:
    body = [["trial", "label", "score"], *([t.key, WORD[t.target], t.ours] for t in trials())]
    rows(folder / "results.txt", body, "\t")
    text = (folder / "results.txt").read_text()
    (folder / "results.txt").write_text("# system ours, 2026-03-01\n# cosine backend\n" + text)
    return ["results.txt"]
