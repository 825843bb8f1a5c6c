"""Of whom CIs and p-values speak, what limits include, and thresholds chosen on those who are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from build import Built, build

from reporting.base.legible import plural
from reporting.document.blocks import Prose, Table
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.features.cautions import cautions, summary
from reporting.features.methods.section import methods

SPEAKER = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n"
PLAIN = "trials: {source: trials.parquet}\n"


def rows(dev: str = "s", test: str = "s", *, each: int = 6, largest: int = 6) -> list[dict[str, Any]]:
    """Two models on 24 speakers of each set, who share names where the prefixes are the same."""
    return [
        {
            "trial": f"{split}-{who}-{at}",
            "speaker": f"{prefix}{who}",
            "day": "ab"[who % 2],
            "split": split,
            "model": model,
            "label": int(at % 3 == 0),
            "score": (who * 7 + at * 5 + (model == "B") * at) % 11 + 4 * (at % 3 == 0),
        }
        for split, prefix in (("dev", dev), ("test", test))
        for who in range(24)
        for at in range(each if who else largest)
        for model in "AB"
    ]


def said(built: Built) -> tuple[str, str]:
    """Return the paragraph of the primary analysis, and the notes under the summary."""
    section, above = methods(built.results), summary(built.results)
    assert section is not None
    assert above is not None
    (paragraph,) = (b.text for b in section.blocks if isinstance(b, Prose) and "Primary" in b.title)
    notes = [note for block in above.blocks if isinstance(block, Table) for note in block.notes]
    return paragraph, " ".join(notes)


def caution_of(built: Built, code: str) -> str:
    found = [each.text for view in views(built.results) for each in cautions(view) if each.code == code]
    return found[0] if found else ""


@pytest.mark.parametrize(
    ("config", "whom", "more"),
    [
        (SPEAKER, "new speakers", ", of which these are taken as a sample"),
        (SPEAKER + "significance: {unit: trial}\n", "new trials of these speakers", ", not to new speakers"),
        (PLAIN, "new trials like these", ""),
        (PLAIN + "report: {vocabulary: medical}\n", "new patients like these", ""),
        (SPEAKER + "averaged_over: day\n", "new values of day", ""),
    ],
)
def test_a_report_says_of_whom_it_speaks_once(tmp_path: Path, config: str, whom: str, more: str) -> None:
    paragraph, notes = said(build(tmp_path, rows(), config))
    assert paragraph.count(" refer to ") == notes.count(" refer to ") == 1
    assert f"refer to {whom}{more}." in paragraph
    assert f"refer to {whom}." in notes


def test_classes_fixed_by_design_are_said(tmp_path: Path) -> None:
    fixed = "Resamples have as many targets and non-targets as the data"
    for stratify in ("label", "none"):
        built = build(tmp_path / stratify, rows(), PLAIN + f"significance: {{stratify: {stratify}}}\n")
        assert (fixed in said(built)[0]) == (stratify == "label")


def test_thresholds_that_are_held_are_said_with_the_limits(tmp_path: Path) -> None:
    held = build(tmp_path / "held", rows(), PLAIN)
    assert ", with thresholds fixed." in said(held)[1]
    again = build(tmp_path / "again", rows(), PLAIN + "significance: {intervals: procedure}\n")
    assert ", thresholds re-selected in each resample." in said(again)[1]
    given = build(
        tmp_path / "given", rows(), PLAIN + "primary: {measure: hter, criterion: fixed(threshold=5)}\n"
    )
    assert "fixed." not in said(given)[1]
    assert "uncertainty of choosing it" not in said(given)[0]


@pytest.mark.parametrize(("dev", "n"), [("s", 24), ("other", 0)])
def test_thresholds_chosen_on_those_who_are_judged(tmp_path: Path, dev: str, n: int) -> None:
    built = build(tmp_path, rows(dev), SPEAKER)
    (shared,) = {row.shared_clusters for row in built.rows(TRIALS) if row.split == "test"}
    assert shared == n
    text = caution_of(built, "TR337")
    assert bool(text) == bool(n)
    if n:
        assert text.startswith("All 24 speakers of the development set are also in the test set")
        assert text.endswith("held fixed, or re-selected on the speakers of the same resample.")


def test_a_single_cluster_of_both_sets_stands_in_the_singular(tmp_path: Path) -> None:
    built = build(tmp_path, [row | {"speaker": "same"} for row in rows()], SPEAKER)
    assert caution_of(built, "TR337").startswith("The development set has a single speaker, which is also in")


def test_some_who_are_in_both_sets_are_no_reason(tmp_path: Path) -> None:
    some = [row | {"speaker": "new"} if row["trial"].startswith("dev-0-") else row for row in rows()]
    built = build(tmp_path, some, SPEAKER)
    assert {row.shared_clusters for row in built.rows(TRIALS) if row.split == "test"} == {23}
    assert not caution_of(built, "TR337")
    whole = build(tmp_path / "auc", rows(), SPEAKER + "primary: {measure: auc}\ncriteria: []\nepc: none\n")
    assert not caution_of(whole, "TR337")


def test_no_coverage_is_claimed_of_clusters_that_differ_in_size(tmp_path: Path) -> None:
    for largest, like in ((15, True), (200, False)):
        built = build(tmp_path / str(largest), rows("d", each=15, largest=largest), SPEAKER)
        assert ("400 non-targets in 20 clusters of equal size such CIs" in said(built)[0]) == like


def test_means_over_a_column_draw_its_values(tmp_path: Path) -> None:
    config = PLAIN + "averaged_over: day\nsignificance: {interval: percentile}\n"
    built = build(tmp_path, rows(), config)
    paragraph, notes = said(built)
    means = [row for row in built.rows(METRICS) if row.group.startswith("mean(") and row.ci_method]
    assert means
    assert "resamples of values of day" in notes
    assert "99 resamples of trials" not in notes + paragraph


def test_clusters_that_a_pattern_says_are_not_called_as_their_column(tmp_path: Path) -> None:
    of_pairs = [{key: value for key, value in row.items() if key != "speaker"} for row in rows()]
    pattern = "trials: {source: trials.parquet, clusters: {pattern: '^[a-z]+-([0-9]+)-'%s}}\n"
    for name, word in (("", "cluster"), (", name: person", "person")):
        paragraph, notes = said(build(tmp_path / word, of_pairs, pattern % name))
        assert f"scores swapped {word} by {word} " in notes
        assert f"chance decides for every {word} of both sets" in paragraph
        assert f"refer to new {plural(word)}" in notes
