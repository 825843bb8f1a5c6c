"""Reader studies in the input format of the FDA's iMRMC."""

from __future__ import annotations

from pathlib import Path

import pytest
from inputs.formats.opened import table

import reporting
from reporting.app.init.starter import write_starter
from reporting.errors import DataError

HEAD = "A study, with a comma\n\nNR: 2\nN0: 2\nN1: 3\nNM: 2\n\nBEGIN DATA:\n"
TRUTHS = "-1,n1,0,0\n-1,n2,0,0\n-1,d1,0,1\n-1,d2,0,1\n-1,d3,0,1\n"
SCORES = {
    ("a", "film"): {"n1": 1, "n2": 3, "d1": 2, "d2": 3, "d3": 5},
    ("a", "digital"): {"n1": 1, "n2": 2, "d1": 2, "d2": 4, "d3": 5},
    ("b", "film"): {"n1": 2, "n2": 2, "d1": 1, "d2": 2, "d3": 4},
    ("b", "digital"): {"n1": 1, "n2": 3, "d1": 3, "d2": 2, "d3": 4},
}
READINGS = "".join(
    f"{reader}, {case}, {modality}, {score}\n"
    for (reader, modality), scores in SCORES.items()
    for case, score in scores.items()
)
AREAS = {
    ("film", "a"): (1 + 1.5 + 2) / 6,  # pairs won by 2, 3 and 5 over 1 and 3; a tie counts one half
    ("film", "b"): (0 + 1 + 2) / 6,
    ("digital", "a"): (1.5 + 2 + 2) / 6,
    ("digital", "b"): (1.5 + 1 + 2) / 6,
}
"""The areas of readers and modalities, by hand."""


def study(folder: Path, text: str = HEAD + TRUTHS + READINGS) -> Path:
    path = folder / "study.imrmc"
    path.write_text(text)
    return path


def test_a_reading_is_a_row_with_the_truth_of_its_case(tmp_path):
    held = table(study(tmp_path))
    assert list(held) == ["reader", "case", "modality", "truth", "score"]
    rows = list(zip(*held.values(), strict=True))
    assert rows[:2] == [("a", "n1", "film", "0", "1"), ("a", "n2", "film", "0", "3")]
    assert (len(rows), rows[-1]) == (20, ("b", "d3", "digital", "1", "4"))


def test_the_words_of_the_r_package_and_other_line_ends_are_the_same_study(tmp_path):
    expected = table(study(tmp_path))
    other = "begin data:\r\n" + (
        READINGS + TRUTHS.replace("-1,", "truth,").replace(",0,", ",truth,")
    ).replace("\n", "\r\n")
    assert table(study(tmp_path, other)) == expected


def test_init_knows_readers_modalities_and_truth_without_a_question(tmp_path):
    told = write_starter([str(study(tmp_path))], tmp_path / "report.yaml")
    assert "\n?" not in told
    for settled in (
        "columns.label: truth",
        "columns.run: reader",
        "columns.trial: case",
        "columns.model: modality",
        "runs: reader",
    ):
        assert f"trials.{settled}  (" in told


def test_the_areas_are_those_by_hand_and_their_mean_over_readers(tmp_path):
    write_starter([str(study(tmp_path))], tmp_path / "report.yaml")
    overrides = [
        "measures=[auc]",
        "curves=[]",
        "thresholds.policy=none",
        "significance.replicates=99",
        "report.formats=[json]",
    ]
    rows = reporting.make_report(tmp_path / "report.yaml", tmp_path / "out", overrides).frames["metrics"]
    areas = {(model, run): value for model, run, value in rows.select("model", "run", "value").rows()}
    for modality in ("film", "digital"):
        mean = (AREAS[modality, "a"] + AREAS[modality, "b"]) / 2
        assert areas.pop((modality, "mean")) == pytest.approx(mean, abs=1e-12)
    assert areas == pytest.approx(AREAS, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("NR: 2\n1,n1,1,0.5\n", "it holds no readings: no line 'BEGIN DATA:' with lines below it"),
        (HEAD + "a,n1,film\n", "line 9 has 3 fields; expected reader, case, modality and score"),
        (HEAD + TRUTHS + READINGS + "a,x9,film,2\n", "no truth (a line of reader -1, modality 0) for case 'x9'"),
        (HEAD + TRUTHS + "-1,d1,0,0\n" + READINGS, "more than one truth (a line of reader -1) for case 'd1'"),
        (HEAD + TRUTHS + READINGS + "a,d3,film,2\n", "more than one score of a reader in one modality for case 'd3'"),
        (HEAD + TRUTHS + "-1,d4,0,2\n" + READINGS, "the truth of a case is 0 or 1, found another for case 'd4'"),
        (HEAD + TRUTHS + "-1,d4,0,maybe\n" + READINGS, "the truth of a case is 0 or 1, found another for case 'd4'"),
    ],
)  # fmt: skip
def test_what_is_no_study_says_why(tmp_path, text, fault):
    with pytest.raises(DataError) as error:
        table(study(tmp_path, text))
    assert f"study.imrmc: cannot be read: {fault}" in str(error.value)
