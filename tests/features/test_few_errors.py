"""Few errors are cautioned of every measure, and marked in a table for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import Built, build
from proportions import clopper_pearson

from reporting.document.words.view import views
from reporting.features.paper_tables.section import paper_tables
from reporting.features.reliability.few_errors import bound_without_errors, few_errors, too_few_for_a_ci

PLAN = "thresholds: {policy: none}\nepc: none\nprimary: {measure: MEASURE}\nmeasures: [auc, 'sensitivity_at(specificity=0.97)']\n"
PLAN += "report: {tables: [{name: main, columns: [auc, 'sensitivity_at(specificity=0.97)']}]}\n"


def _rows(copies: int = 1) -> list[dict[str, Any]]:
    """200 non-targets, of which a specificity of 97% lets 6 pass, and 100 targets; as many copies of them."""
    every = [(0, i / 200) for i in range(200)] + [(1, 0.5 + i / 150) for i in range(100)]
    return [
        {"model": "m", "trial": f"{copy}-{i}", "split": "test", "label": label, "score": score}
        for copy in range(copies)
        for i, (label, score) in enumerate(every)
    ]


def _built(folder: Path, measure: str, copies: int = 1) -> Built:
    return build(folder, _rows(copies), PLAN.replace("MEASURE", measure))


@pytest.mark.parametrize("measure", ["auc", "'sensitivity_at(specificity=0.97)'"])
def test_a_rate_at_a_fixed_rate_of_six_errors_is_cautioned_primary_or_not(
    tmp_path: Path, measure: str
) -> None:
    built = _built(tmp_path, measure)
    (caution,) = few_errors(views(built.results)[0])
    assert caution.text.startswith(
        "Sensitivity at 97% specificity is read where the test set has at most 6 false"
    )
    section = paper_tables(built.results)
    assert section is not None
    (table,) = section.blocks
    assert "Fewer than 30 errors in some rows: sensitivity at 97% specificity." in table.notes


def test_thirty_errors_are_enough(tmp_path: Path) -> None:
    built = _built(tmp_path, "auc", copies=5)
    assert not list(few_errors(views(built.results)[0]))
    section = paper_tables(built.results)
    assert section is not None
    assert not any("30 errors" in note for note in section.blocks[0].notes)


def test_other_measures_are_named_beside_the_few_errors_of_the_first(tmp_path: Path) -> None:
    config = PLAN.replace("MEASURE", "far").replace(
        "thresholds: {policy: none}\n", "criteria: ['fixed(threshold=0.9)']\n"
    )
    built = build(tmp_path, _rows(), config, "thresholds.policy=none")
    (caution,) = few_errors(views(built.results)[0])
    assert "rests on only 20 false alarms" in caution.text
    assert caution.text.endswith("Fewer than 30 errors also in sensitivity at 97% specificity.")


def test_a_band_that_is_left_out_says_why(tmp_path: Path) -> None:
    """Classes that overlap in nothing, and 40 of each: bands by standard errors are null, with a caution."""
    rows: list[dict[str, Any]] = [
        {
            "model": "m",
            "trial": str(i),
            "split": "test",
            "label": int(i < 40),
            "score": i % 40 + 50.0 * (i < 40),
        }
        for i in range(80)
    ]
    plan = "thresholds: {policy: none}\nepc: none\nprimary: {measure: auc}\nmeasures: [auc]\ncurves: [roc, pr_band]\n"
    built = build(tmp_path, rows, plan, "significance.bands=sup_t")
    texts = [caution.text for caution in too_few_for_a_ci(views(built.results)[0])]
    assert [text.partition(" curve is left out for m: it needs 5 errors")[0] for text in texts] == [
        "The simultaneous band of the ROC",
        "The simultaneous band of the precision-recall",
    ]
    assert built.frames["bands"]["status"].to_list() == ["few_errors"]
    precision = built.frames["precision_bands"]
    assert precision["band_low"].null_count() == len(precision)
    assert precision["ci_low"].null_count() == 0


def test_no_error_in_300_trials_leaves_a_rate_of_one_percent() -> None:
    """The rule of 3: 3 / 300 = .01; exactly the Clopper-Pearson limit at twice the tail."""
    assert bound_without_errors(300, 0.95) == pytest.approx(0.0099361, abs=5e-8)
    assert bound_without_errors(300, 0.95) == pytest.approx(clopper_pearson(0, 300, 0.9)[1])
