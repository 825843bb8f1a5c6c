"""Files that each hold the trials of one class: their names are the labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.command import reporting

TARGETS, OTHERS = (3.0, 2.0, 2.0, 1.0, 0.5, 2.5), (0.0, 1.0, -1.0, 0.5, 0.0, -2.0, 1.5, -0.5)


def write(path: Path, scores: tuple[float, ...], head: str = "") -> None:
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".npy":
        np.save(path, np.array(scores))
    else:
        path.write_text(head + "".join(f"{score}\n" for score in scores))


def starter(folder: Path, *files: str) -> dict[str, object]:
    """Return the trials of the config that ``init`` writes of files, which ``check`` accepts."""
    begun = reporting("init", *files, cwd=folder)
    assert begun.returncode == 0, begun.stderr
    checked = reporting("check", "report.yaml", cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert "14 trials (6 targets)" in checked.stdout
    trials = yaml.safe_load((folder / "report.yaml").read_text())["trials"]
    assert isinstance(trials, dict)
    return trials


@pytest.mark.parametrize(
    ("target", "nontarget", "head"),
    [
        ("genuine.txt", "impostor.txt", ""),
        ("Targets.csv", "Nontargets.csv", "score\n"),
        ("genuine.npy", "impostor.npy", ""),
        ("positives.csv", "negatives.csv", "score\n"),
        ("clients_out.txt", "impostors_out.txt", ""),
    ],
)
def test_two_files(target: str, nontarget: str, head: str, tmp_path: Path) -> None:
    write(tmp_path / target, TARGETS, head)
    write(tmp_path / nontarget, OTHERS, head)
    trials = starter(tmp_path, nontarget, target)
    stems = [name.partition(".")[0].partition("_")[0] for name in (target, nontarget)]
    assert trials["source"] == target.replace(stems[0], "{label}")
    assert trials["values"] == dict(zip(("target", "nontarget"), stems, strict=True))


def test_two_files_of_each_model(tmp_path: Path) -> None:
    for model, more in (("a", 0.0), ("b", 0.25)):
        write(tmp_path / "s" / f"{model}_genuine.txt", tuple(score + more for score in TARGETS))
        write(tmp_path / "s" / f"{model}_impostor.txt", OTHERS)
    files = [f"s/{path.name}" for path in sorted((tmp_path / "s").iterdir())]
    assert starter(tmp_path, *files)["source"] == "s/{model}_{label}.txt"


def test_models_that_are_called_like_a_class_are_models(tmp_path: Path) -> None:
    for name in ("genuine", "impostor"):
        rows = [f"target,{score}" for score in TARGETS] + [f"nontarget,{score}" for score in OTHERS]
        (tmp_path / f"{name}.csv").write_text("label,score\n" + "\n".join(rows) + "\n")
    begun = reporting("init", "genuine.csv", "impostor.csv", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    assert yaml.safe_load((tmp_path / "report.yaml").read_text())["trials"]["source"] == "{model}.csv"


def test_names_that_are_of_no_class_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "alpha.txt", TARGETS)
    write(tmp_path / "beta.txt", OTHERS)
    refused = reporting("init", "alpha.txt", "beta.txt", cwd=tmp_path)
    assert refused.returncode == 2
    assert "no column can be the label" in refused.stderr
