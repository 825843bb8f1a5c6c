"""What is not counted, or counts by its weight, is stated first: on the page, in the methods, by ``check``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from build import built_from
from small_tables import counted

from reporting.app.run.check import check_report
from reporting.app.run.tabulate import Naming, bundle_of
from reporting.document.blocks import Caution, Section
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.counted_trials import data_lines
from reporting.document.words.view import views
from reporting.features.compose import compose
from reporting.features.methods.section import methods
from reporting.inputs.bundle import read_about
from reporting.inputs.spec import TrialSpec

pytestmark = pytest.mark.usefixtures("undrawn")

DEV, TEST = range(16), range(16, 56)


def table(*, lacking: dict[int, str] = {}, unlabelled: tuple[int, ...] = ()) -> str:  # noqa: B006
    """Two models on 16 trials of dev and 40 of test, a quarter of them targets, most small, a few big."""
    lines = ["trial,split,label,A,B,size"]
    for at in (*DEV, *TEST):
        scores = {"A": (at * 7 % 11) / 4 + 2 * (at % 4 == 0), "B": (at * 5 % 13) / 4 + 2 * (at % 4 == 0)}
        shown = {model: "" if lacking.get(at) == model else score for model, score in scores.items()}
        label = "NA" if at in unlabelled else int(at % 4 == 0)
        split, size = "dev" if at in DEV else "test", "big" if at % 8 == 0 else "small"
        lines.append(f"t{at},{split},{label},{shown['A']},{shown['B']},{size}")
    return "\n".join(lines) + "\n"


def report(folder: Path, text: str, trials: str, *overrides: str) -> Any:
    (folder / "t.csv").write_text(text)
    keys = "source: t.csv, layout: wide, scores: [A, B], columns: {stratum: size}"
    (folder / "report.yaml").write_text(
        f"trials: {{{keys}{trials}}}\nbaseline: A\nepc: none\ncurves: []\nsignificance: {{replicates: 99}}\n"
    )
    return built_from(folder / "report.yaml", *overrides).results


def cautions(results: Any) -> dict[str, str]:
    """The cautions of the summary by code, in the order of the page."""
    found = [
        block for part in compose(results).sections for block in part.blocks if isinstance(block, Caution)
    ]
    return {caution.code: caution.text for caution in found}


def paragraph(results: Any) -> str:
    section = methods(results)
    assert isinstance(section, Section)
    return str(section.blocks)


def test_a_development_set_that_has_no_use_is_counted_first(tmp_path):
    results = report(tmp_path, table(), "", "thresholds.policy=none", "primary.measure=auc")
    found = cautions(results)
    assert next(iter(found)) == "TR333"
    assert found["TR333"].startswith("16 of 56 trials belong to the development set and are left out")  # fmt: skip
    assert "thresholds: {policy: dev}" in found["TR214"]
    assert "name a column of splits" not in found["TR214"]
    assert " ".join(data_lines(results)).endswith("Development set: 16 trials, left out.")
    assert "The 16 trials of the development set were left out" in paragraph(results)
    assert "development set has 0" not in paragraph(results)
    assert check_report(tmp_path / "report.yaml", ["thresholds.policy=none", "primary.measure=auc"]).endswith(
        "32 rows of the development set left out (thresholds.policy: none)"
    )


def test_rows_without_a_split_are_all_judged_as_the_caution_says(tmp_path):
    results = report(
        tmp_path, table(), "", "thresholds.policy=none", "primary.measure=auc", "trials.columns.split=none"
    )
    assert "TR333" not in cautions(results)
    assert " ".join(data_lines(results)).startswith("Test set: 56 trials (14 targets, 42 non-targets).")


def test_a_development_set_that_chooses_is_not_left_out(tmp_path):
    results = report(tmp_path, table(), "")
    assert not {"TR333", "TR334", "TR335"} & cautions(results).keys()
    assert "weighted" not in paragraph(results)
    assert "without a score" not in paragraph(results)


LACKING = {16: "A", 17: "A", 18: "B", 2: "B"}
"""On test a target and a non-target of A, a non-target of B; on dev a non-target of B."""


def test_trials_without_a_score_are_counted_by_class_and_model(tmp_path):
    results = report(tmp_path, table(lacking=LACKING), ", missing: drop")
    text = "A lacks 2 (1 target, 1 non-target) on the test set; B lacks 1 (0 targets, 1 non-target) on the test set; B lacks 1 (0 targets, 1 non-target) on the development set"  # fmt: skip
    assert text in cautions(results)["TR334"]
    assert "Of 40 trials on the test set, 3 are left out." in cautions(results)["TR334"]
    assert f"Trials without a score were left out for all models: {text}." in paragraph(results)
    rows = {(row.model, row.split): row for row in results.rows(TRIALS)}
    counted = {
        key: (row.n_missing, row.n_missing_target, row.n_missing_nontarget) for key, row in rows.items()
    }
    assert counted == {
        ("A", "dev"): (0, 0, 0), ("A", "test"): (2, 1, 1), ("B", "dev"): (1, 0, 1), ("B", "test"): (1, 0, 1),
    }  # fmt: skip
    assert {row.n_target + row.n_nontarget for row in rows.values() if row.split == "test"} == {37}


def test_scores_that_count_as_rejected_are_counted_too(tmp_path):
    results = report(tmp_path, table(lacking=LACKING), ", missing: reject")
    assert "TR334" not in cautions(results)
    assert "Trials without a score were counted as rejected: A lacks 2 (1 target" in paragraph(results)


def test_a_missing_score_of_an_unlabelled_trial_is_of_no_class(tmp_path):
    results = report(
        tmp_path, table(lacking={16: "A"}, unlabelled=(16,)), ", missing: drop, unlabelled: drop"
    )
    (row,) = [row for row in results.rows(TRIALS) if (row.model, row.split) == ("A", "test")]
    assert (row.n_missing, row.n_missing_target, row.n_missing_nontarget, row.n_unlabelled) == (1, 0, 0, 1)
    assert (row.rows_read, row.n_target, row.n_nontarget) == (40, 9, 30)
    assert "Rows without a label were left out: 1 on the test set." in paragraph(results)


def test_weighted_rates_are_called_weighted(tmp_path):
    results = report(
        tmp_path,
        table(),
        ", weights: {stratum: {big: 50, small: 1}}",
        "primary.measure=frr", "primary.criterion=fixed(threshold=2)", "criteria=[fixed(threshold=2)]", "measures=[frr, far]",
    )  # fmt: skip
    (view,) = views(results)
    rows = {row.model: row for row in results.rows(METRICS) if row.split == "test" and row.measure == "frr"}
    # By hand: five big targets and five small ones on test.
    targets = [at for at in TEST if at % 4 == 0]
    missed = [at for at in targets if (at * 7 % 11) / 4 + 2 < 2]
    weight = {at: 50 if at % 8 == 0 else 1 for at in targets}
    assert rows["A"].value == pytest.approx(sum(weight[at] for at in missed) / sum(weight.values()))
    assert view.terms.spelled(view.study.primary.measure) == "weighted false rejection rate (FRR)"
    found = cautions(results)
    assert "each trial counts by the weight of its size (big 50 and small 1)" in found["TR335"]
    assert "so a rate is not errors divided by trials" in found["TR335"]
    assert "Trials are weighted by size (big 50 and small 1)" in paragraph(results)
    assert "The primary measure is the weighted false rejection rate (FRR)" in paragraph(results)
    captions = str(compose(results).sections)
    assert "Weighted FRR at" in captions
    assert "Weighted errors on the test set" in captions


def test_files_of_counts_keep_the_classes_of_missing_scores(tmp_path):
    """Of a version that did not count them they are unknown, and the texts leave them out."""
    (tmp_path / "t.csv").write_text(table(lacking=LACKING))
    spec = TrialSpec(
        (tmp_path / "t.csv",), layout="wide", scores={"A": "A", "B": "B"}, missing="drop", coarse=20
    )
    found, counts = counted(spec)
    about = bundle_of(found, counts, "cuts", Naming("names"), "0").about
    by_class = {
        (read.model, read.split): (read.n_missing_target, read.n_missing_nontarget) for read in about.read
    }
    assert by_class == {
        ("A", "dev"): (0, 0),
        ("A", "test"): (1, 1),
        ("B", "dev"): (0, 1),
        ("B", "test"): (0, 1),
    }
    assert read_about("f", about.to_json()) == about
    earlier = json.loads(about.to_json())
    for read in earlier["read"]:
        read.pop("n_missing_target", None), read.pop("n_missing_nontarget", None)
    again = read_about("f", json.dumps(earlier)).read
    assert [(read.n_missing, read.n_missing_target) for read in again] == [
        (0, 0),
        (2, None),
        (1, None),
        (1, None),
    ]
