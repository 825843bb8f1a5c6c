"""Counts, rates and the AUC of a report against counting one trial after the other, from tables of every type."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from command import reporting
from hypothesis import given, settings
from hypothesis import strategies as st

TYPES = {
    "float64": pl.Float64,
    "float32": pl.Float32,
    "int8": pl.Int8,
    "uint64": pl.UInt64,
    "text": pl.String,
}
CONFIG = """\
trials: {{source: trials.{kind}}}
models: {{a: {{higher_is: {higher}}}}}
significance: {{replicates: 99, bands: none}}
criteria: [min_hter, eer, 'target_far(far=0.1)', 'fixed(threshold={fixed})']
measures: [far, frr, auc]
curves: []
epc: none
report: {{formats: [json]}}
"""


@st.composite
def tables(draw: st.DrawFn, type_of: str) -> pl.DataFrame:
    """Dev and test trials of one model; few distinct scores, so that most are tied, some of them infinite."""
    has_infinite = type_of in ("float64", "float32", "text")
    scores = st.sampled_from([*range(5), *([float("inf"), -float("inf")] if has_infinite else [])])
    if has_infinite:
        scores |= st.sampled_from([0.1, 0.7, 1.3, 1e-30, 2.5])
    rows = []
    for split in ("dev", "test"):
        labels = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=2, max_size=20))]
        rows += [
            {"model": "a", "split": split, "trial": i, "label": label, "score": float(draw(scores))}
            for i, label in enumerate(labels)
        ]
    return pl.DataFrame(rows).with_columns(pl.col("score").cast(TYPES[type_of]))


@pytest.mark.parametrize("type_of", TYPES)
@pytest.mark.parametrize("higher", ["target", "nontarget"])
@settings(max_examples=3)
@given(data=st.data())
def test_what_a_report_counts_is_what_counting_gives(higher: str, type_of: str, data: st.DataObject) -> None:
    table = data.draw(tables(type_of))
    kind, fixed = data.draw(st.sampled_from(["parquet", "csv"])), data.draw(st.sampled_from([0, 1, 2.5]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table.write_parquet(folder / "trials.parquet") if kind == "parquet" else table.write_csv(
            folder / "trials.csv"
        )
        (folder / "report.yaml").write_text(CONFIG.format(kind=kind, higher=higher, fixed=fixed))
        ended = reporting("run", "-q", folder / "report.yaml", "-o", folder / "out")
        assert (ended.returncode, ended.stderr) == (0, "")
        metrics = pl.read_parquet(folder / "out" / "frames" / "metrics.parquet").filter(split="test")
    test = table.filter(split="test").with_columns(pl.col("score").cast(pl.Float64))
    sign = 1 if higher == "target" else -1
    scored = [(sign * score, label) for score, label in test.select("score", "label").iter_rows()]
    targets, others = ([score for score, label in scored if label == which] for which in (1, 0))
    for row in metrics.filter(pl.col("measure").is_in(["far", "frr"])).iter_rows(named=True):
        threshold = sign * row["threshold"]
        accepts = [score >= threshold and threshold != float("inf") for score, _ in scored]  # inf rejects all
        misses = sum(label and not accepted for accepted, (_, label) in zip(accepts, scored, strict=True))
        alarms = sum(accepted and not label for accepted, (_, label) in zip(accepts, scored, strict=True))
        assert row["misses"] in (misses, None)
        assert row["false_alarms"] in (alarms, None)
        expected = (
            Fraction(misses, len(targets)) if row["measure"] == "frr" else Fraction(alarms, len(others))
        )
        assert row["value"] == float(expected)
    above = sum(Fraction((t > o) * 2 + (t == o), 2) for t in targets for o in others)
    (area,) = metrics.filter(measure="auc")["value"]
    assert area == pytest.approx(float(above / (len(targets) * len(others))), rel=1e-14)
