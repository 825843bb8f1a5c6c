"""Whatever there is one of stands in the singular: reports, checks and sizes of the smallest tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reporting.app.run.check import check_report
from reporting.app.run.report import make_report
from reporting.document.words.terms import VOCABULARIES
from reporting.features.planning.sample_plan import SampleSize, size_text


def table(targets: int, nontargets: int) -> pl.DataFrame:
    """Return trials of two models, all of one speaker a set; one of the test set has no label."""
    rows = [
        {"model": model, "split": split, "trial": f"{split}{at}", "speaker": split, "score": at % 3 / 2}
        | {"label": None if at == targets + nontargets else "target" if at < targets else "nontarget"}
        for model in "ab"
        for split in ("dev", "test")
        for at in range(targets + nontargets + (split == "test"))
    ]
    return pl.DataFrame(rows)


def texts_of(value: Any) -> Iterator[str]:
    """Yield all texts of a report."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(each)


def in_plural(texts: Iterator[str], words: set[str]) -> list[str]:
    """Return the places with one of something in the plural."""
    several = "|".join(sorted(map(re.escape, words)))
    found = re.compile(rf"(?<![\d.,–−-])\b1 (?:{several})\b")
    return [text for text in texts if found.search(text)]


@pytest.mark.parametrize("vocabulary", ["detection", "medical", "evals"])
@pytest.mark.parametrize("clustered", [False, True])
def test_reports_of_one_target_and_one_non_target(tmp_path: Path, vocabulary: str, clustered: bool) -> None:
    spoken = VOCABULARIES[vocabulary]
    words = {spoken.trials, spoken.targets, spoken.nontargets, spoken.trials.split()[0]}
    words |= {"models", "speakers", "rows", "points", "folds", "of 3 rows on the test set (33.3%) have"}
    table(1, 1).write_parquet(tmp_path / "t.parquet")
    cluster = ", columns: {cluster: speaker}" * clustered
    (tmp_path / "r.yaml").write_text(
        f"trials: {{source: t.parquet, unlabelled: drop{cluster}}}\nsignificance: {{replicates: 49}}\n"
        f"report: {{formats: [json], vocabulary: {vocabulary}}}\n"
    )
    make_report(tmp_path / "r.yaml", tmp_path / "out")
    texts = list(texts_of(json.loads((tmp_path / "out" / "report.json").read_text())))
    assert in_plural(iter(texts), words) == []
    test = next(text for text in texts if text.startswith("Test set: "))
    assert ", 1 speaker" in test or not clustered
    assert " 1 " in test or "(1 " in test


def test_a_check_of_one_model(tmp_path: Path) -> None:
    table(1, 1).filter(model="a").write_parquet(tmp_path / "t.parquet")
    (tmp_path / "r.yaml").write_text(
        "trials: {source: t.parquet, unlabelled: drop, columns: {cluster: speaker}}\n"
    )
    line = check_report(tmp_path / "r.yaml")
    assert (
        line == "5 rows, 1 model (a): dev 2 trials (1 target, 1 speaker), test 2 trials (1 target, 1 speaker)"
    )


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (SampleSize(n_target=1, n_nontarget=2000), "1 target and 2,000 non-targets"),
        (SampleSize(n_nontarget=1), "1 non-target"),
        (SampleSize(n_trials=1), "1 trial"),
    ],
)
def test_sizes(size: SampleSize, text: str) -> None:
    assert size_text(size, "speakers") == text


def test_means_over_epochs_are_no_rows(tmp_path: Path) -> None:
    """Three epochs of two items a model, and the items that both models have where only these are kept."""
    rows = [
        {"model": model, "trial": f"t{at}", "run": str(run), "score": at / 2}
        for model in "ab"
        for at in range(2)
        for run in range(3)
    ]
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "r.yaml").write_text(
        "trials: {source: t.parquet, runs: epoch, columns: {label: none}}\nprimary: {measure: mean_score}\n"
        "report: {vocabulary: evals}\n"
    )
    assert check_report(tmp_path / "r.yaml").startswith("4 means over epochs, 2 models (a, b)")


def test_models_of_a_wide_table_have_the_trials_that_they_score(tmp_path: Path) -> None:
    """Of twenty trials a has 18 and b 19."""
    scores = {"a": [None, None, *[at % 5 for at in range(18)]], "b": [*[at % 7 for at in range(19)], None]}
    trials = pl.DataFrame({"trial": [str(at) for at in range(20)], "label": [0, 1] * 10} | scores)
    trials.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "r.yaml").write_text(
        "trials: {source: t.parquet, layout: wide, scores: [a, b], missing: shared}\nprimary: {measure: auc}\n"
        "significance: {replicates: 49}\nreport: {formats: [json]}\n"
    )
    make_report(tmp_path / "r.yaml", tmp_path / "out")
    text = (tmp_path / "out" / "report.json").read_text()
    (caution,) = (
        block for block in json.loads(text)["sections"][0]["blocks"] if block.get("code") == "TR334"
    )
    assert "a has 18 and b has 19" in caution["text"]
