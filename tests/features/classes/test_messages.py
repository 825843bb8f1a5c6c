"""What is refused, in one clear message, and names that are no names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reporting.app.run.check import check_report
from reporting.app.run.report import make_report
from reporting.errors import ReportingError
from tests.build import build

ROWS: dict[str, list[Any]] = {
    "shape": ["round", "round", "oval", "flat"],
    "net_round": [0.7, 0.3, 0.3, 0.2],
    "net_oval": [0.2, 0.6, 0.5, 0.1],
    "net_flat": [0.1, 0.1, 0.2, 0.7],
}
CONFIG = """
title: Shapes
trials:
  source: shapes.csv
  layout: wide
  columns: {label: shape}
  values: {target: round, nontarget: rest}
  scores: {net: net_round}
thresholds: {policy: none}
primary: {measure: auc}
significance: {replicates: 99}
curves: []
report: {formats: [html, latex, markdown-full]}
"""


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ("{labels: [round, oval], scores: '{model}_{class}'}",
         "classes.labels: column 'shape' also holds 'flat'; name every label, with its columns of scores"),
        ("{labels: [round, oval, flat, big], scores: '{model}_{class}'}",
         "shapes.csv: column 'net_big' (the scores of model 'net_big') is missing"),
        ("{labels: [round, oval, flat], scores: '{model}_x'}", "expected {class} in scores"),
        ("{labels: [round, round], scores: '{model}_{class}'}", "'round' is given twice"),
        ("{labels: [round, oval, flat], scores: {net: net_round}}",
         "or for each model a mapping from class to column"),
        ("{labels: [round, oval, flat], scores: {net: {round: net_round, oval: net_oval}}}",
         "scores of 'net': the column of 'flat' is missing"),
        ("{labels: [round, oval], scores: {net: {round: net_round, oval: net_oval, oban: net_flat}}}",
         "scores of 'net': 'oban' is none of the labels"),
        ("{labels: [round, oval], scores: {net: {round: net_round, oval: net_round}}}",
         "scores: column 'net_round' is given twice"),
        ("{labels: [round, oval, flat], scores: {nett: {round: net_round, oval: net_oval, flat: net_flat}}}",
         "classes.scores: 'nett' is not a model of the trial table; did you mean 'net'?"),
        ("{labels: [round, oval, flat], scores: '{model}_{class}', measures: [mcc, eer_rocch]}",
         "'eer_rocch' is not computed of several classes: it is read at a threshold or map that suits the test set"
         " best"),
        ("{labels: [round, oval, flat], scores: '{model}_{class}', measures: [calibration_error]}",
         "'calibration_error' is not computed of several classes: classes has it without being named"),
        ("{labels: [round, oval, flat], scores: '{model}_{class}', measures: [cllr]}", "it needs likelihood ratios"),
        ("{labels: [round, oval, flat], scores: '{model}_{class}', measures: [mc]}", "'mc'"),
        ("{labels: [round, oval, flat], scores: '{model}_{class}', measures: [mcc, mcc]}", "'mcc' is given twice"),
    ],
)  # fmt: skip
def test_a_key_that_does_not_suit(tmp_path: Path, classes: str, message: str) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "shapes.csv")
    (tmp_path / "report.yaml").write_text(f"{CONFIG}classes: {classes}\n")
    with pytest.raises(ReportingError) as refused:
        check_report(tmp_path / "report.yaml")
    assert message in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (
            "{labels: [round, oval], column: of}",
            "column belongs to trials.layout: long, a row for each class",
        ),
        (
            "{labels: [round, oval], column: of, scores: '{class}'}",
            "expected scores (layout wide), or column",
        ),
        (
            "{labels: [round, oval], scores: '{model}_{class}', one_vs_rest: 1}",
            "one_vs_rest needs column: the class that each row's label is of",
        ),
        ("{labels: [round, oval]}", "expected scores (layout wide), or column (layout long)"),
    ],
)
def test_scores_or_a_column(tmp_path: Path, classes: str, message: str) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "shapes.csv")
    (tmp_path / "report.yaml").write_text(f"{CONFIG}classes: {classes}\n")
    with pytest.raises(ReportingError) as refused:
        check_report(tmp_path / "report.yaml")
    assert message in str(refused.value)


def test_a_long_table_without_the_column_of_classes(tmp_path: Path) -> None:
    rows = {
        "trial": ["a", "b"],
        "model": ["m", "m"],
        "label": ["x", "y"],
        "score": [0.1, 0.9],
        "kinds": ["x", "y"],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "trials.csv")
    (tmp_path / "report.yaml").write_text(
        "trials: {source: trials.csv, values: {target: x, nontarget: rest}}\nthresholds: {policy: none}\n"
        "classes: {labels: [x, y], column: kind}\n"
    )
    with pytest.raises(
        ReportingError, match="column 'kind' .the class of a score. is missing; did you mean 'kinds'"
    ):
        check_report(tmp_path / "report.yaml")


def test_a_column_that_holds_no_class(tmp_path: Path) -> None:
    rows = {
        "trial": ["a", "b"],
        "model": ["m", "m"],
        "label": ["x", "y"],
        "score": [0.1, 0.9],
        "kind": ["p", "q"],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "trials.csv")
    (tmp_path / "report.yaml").write_text(
        "trials: {source: trials.csv, values: {target: x, nontarget: rest}}\nthresholds: {policy: none}\n"
        "classes: {labels: [x, y], column: kind}\n"
    )
    with pytest.raises(ReportingError, match="no row has the score of 'x' in column 'kind'"):
        check_report(tmp_path / "report.yaml")


def test_a_layout_without_columns_of_classes(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "shapes.csv")
    keys = "classes: {labels: [round, oval, flat], scores: '{model}_{class}'}"
    long = CONFIG.replace("  layout: wide\n", "").replace("  scores: {net: net_round}\n", "")
    (tmp_path / "report.yaml").write_text(f"{long}{keys}\n")
    with pytest.raises(ReportingError, match="needs trials.layout: wide, a column of scores for each class"):
        check_report(tmp_path / "report.yaml")


HOSTILE = ("<script>alert(1)</script>", "a_{b}$%&\\", "=1+1", "| x | **y** |", "{model}")


def test_hostile_names_of_classes(tmp_path: Path) -> None:
    """Names of classes are printed as they are, and in no format are they code."""
    k = len(HOSTILE)
    rows = [
        {
            "trial": f"t{at}",
            "label": label,
            **{f"m{place}": (place == at % k) * 0.5 + 0.1 for place in range(k)},
        }
        for at, label in enumerate(HOSTILE * 3)
    ]
    columns = {label: f"m{place}" for place, label in enumerate(HOSTILE)}
    built = build(
        tmp_path,
        rows,
        f"""
        trials:
          source: trials.parquet
          layout: wide
          scores: {{m: m0}}
          values: {{target: {json.dumps(HOSTILE[0])}, nontarget: rest}}
        thresholds: {{policy: none}}
        primary: {{measure: auc}}
        classes: {{labels: {json.dumps(HOSTILE)}, scores: {{m: {json.dumps(columns)}}}}}
        report: {{formats: [html, latex, markdown-full, json]}}
        """,
    )
    assert set(built.frames["classes"]["label"].drop_nulls()) == set(HOSTILE)
    folder = make_report(tmp_path / "report.yaml", overrides=("significance.replicates=99",))
    html = (folder / "report.html").read_text()
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html
