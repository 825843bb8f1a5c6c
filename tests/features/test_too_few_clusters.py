"""Clusters that count as at most two of equal size: no limits, no p and no verdict, with the reason."""

import itertools
import re

import numpy as np
import polars as pl
import pytest
from build import build

from reporting.app.run.report import make_report
from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.document.frames.comparisons import COMPARISONS, STANDING
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import BANDS
from reporting.document.frames.tests import TESTS
from reporting.document.words.view import views
from reporting.features.abstention.frame import ABSTENTION
from reporting.features.cautions import cautions
from reporting.features.epc.winners import WINNERS
from reporting.features.groups.group_metrics import GROUP_METRICS

CONFIG = """
trials: {source: trials.parquet, columns: {cluster: speaker}}
models: {a: {scale: llr}, b: {scale: llr}}
measures: [hter, far, precision, f1, auc, ap, eer, "mindcf(p_target=0.1)", cllr, mincllr, max_f1]
criteria: [min_hter]
across: sex
abstention: {cost: {review: 0.1}}
operating_points: [{name: one, p_target: 0.1}]
significance: {tests: [delong, equivalence, non_inferiority, power], margin: 0.05}
"""
LARGEST = 28, 2, 2, 2, 2, 2
"""Of 38 trials of a class: sum n^2 = 804, so K = 1444 / 804, also in each half of all."""


def table(sizes):
    rng, rows = np.random.default_rng(2), []
    for model in "ab":
        for split in ("dev", "test"):
            for speaker, size in enumerate(sizes):
                for at in range(2 * size):
                    label = at % 2
                    score = round(float(rng.normal() + 1.5 * label - 0.75), 1)
                    row = {"model": model, "split": split, "trial": f"{split}{speaker}-{at}", "label": label}
                    rows.append(row | {"score": score, "speaker": f"s{speaker}", "sex": "fm"[at // 2 % 2]})
    return rows


def exchanged(frame):
    """Return which rows have a p by exchanges of two models, or a verdict that rests on one."""
    if "p_method" in frame.columns:
        return pl.col("p_method") == "swap"
    if "test" in frame.columns:
        return pl.col("test").is_in(["equivalence", "non_inferiority", "power"])
    return pl.lit(False)


def limits(frame):
    """Every column of a frame that is a limit or a p-value."""
    named = [name for name in frame.columns if name.endswith(("_low", "_high")) and "threshold" not in name]
    return frame.select(*named, *(name for name in frame.columns if name.startswith("p_value")))


@pytest.mark.parametrize("comparisons", ["procedure", "given_thresholds"])
@pytest.mark.parametrize("sizes", [LARGEST, (20, 20), (38,)])
def test_there_are_no_limits_and_no_verdict_of_anything(tmp_path, sizes, comparisons):
    built = build(tmp_path, table(sizes), CONFIG, f"significance.comparisons={comparisons}")
    asked = (METRICS, COMPARISONS, EPC, BANDS, GROUP_METRICS, ABSTENTION, TESTS, WINNERS)
    for of in asked:
        frame = built.frames[of.name]
        shown = frame.filter(split="test") if "split" in frame.columns and of is not TESTS else frame
        if of is TESTS:
            shown = shown.filter(unit="cluster")
        assert shown.height, of.name
        if sizes == LARGEST and comparisons == "procedure":
            shown = shown.filter(~exchanged(shown).fill_null(value=False))
        here = limits(shown)
        assert here.null_count().row(0) == (shown.height,) * len(here.columns), (of.name, here)
    assert not built.rows(STANDING)
    for row in built.rows(METRICS):
        if row.split == "test" and row.threshold_source != "oracle":
            assert "too_few_clusters" in row.flags, row
    tested = [row for row in built.rows(COMPARISONS) if row.status != "too_few_clusters"]
    if sizes == LARGEST and comparisons == "procedure":
        assert {(row.inference, row.p_method, row.status) for row in tested} == {("procedure", "swap", None)}
        assert all("too_few_clusters" in row.flags for row in tested)
    else:
        assert not tested
    (view,) = views(built.results)
    texts = [each.text for each in cautions(view) if each.title == "Too few clusters for a CI."]
    worth = f"{ClusterSizes.of(sizes).effective:.1f}"
    share = f"{max(sizes) / sum(sizes):.0%}"
    reason = (
        f"{len(sizes)} speakers count as {worth} of equal size, and the largest has {share} of the trials"
    )
    reason = (
        reason if len(sizes) > 1 else "All trials are of one speaker: too few to infer anything about others"
    )
    assert any(reason in text for text in texts), texts


def test_three_clusters_of_one_size_have_limits_and_the_trials_alone_too(tmp_path):
    for sizes, more in (((12, 12, 12), "significance.seed=1"), (LARGEST, "significance.unit=trial")):
        built = build(tmp_path / more, table(sizes), CONFIG, more)
        rows = [
            row for row in built.rows(METRICS) if row.split == "test" and row.threshold_source != "oracle"
        ]
        assert not any("too_few_clusters" in row.flags for row in rows)
        assert all(row.ci_low is not None for row in rows if row.measure in ("hter", "auc", "eer_rocch"))


def test_exchanges_of_two_models_need_no_effective_clusters(tmp_path):
    """Twenty clusters that count as 1.7, in all of which b alone is right: no exchange has as much."""
    rows = []
    for model, split in itertools.product("ab", ("dev", "test")):
        for speaker in range(20):
            for at in range(240 if speaker == 0 else 4):
                label = at % 2 == 0
                right = at % 4 < 2 or model == "b"
                row = {"model": model, "split": split, "trial": f"{split}{speaker}-{at}", "label": label}
                score = (1.0 if right == label else -1.0) + 0.001 * (at % 7)
                rows.append(row | {"score": score, "speaker": f"s{speaker}"})
    config = "trials: {source: trials.parquet, columns: {cluster: speaker}}\nmeasures: [hter]\nepc: none\n"
    built = build(tmp_path, rows, config, "significance.replicates=999", "significance.comparisons=procedure")
    tested = [row for row in built.rows(COMPARISONS) if row.measure == "hter" and row.criterion == "min_hter"]
    (swapped,) = (row for row in tested if row.inference == "procedure")
    assert (swapped.p_method, swapped.p_value, swapped.status) == ("swap", 1 / 1000, None)
    assert "too_few_clusters" in swapped.flags
    assert swapped.ci_high < 0
    (given,) = (row for row in tested if row.inference == "given_thresholds")
    assert (given.p_value, given.ci_low, given.status) == (None, None, "too_few_clusters")
    (view,) = views(built.results)
    assert any("exchanged between two models" in each.text for each in cautions(view))


def test_areas_together_and_fragility_have_no_p_of_too_few_clusters(tmp_path):
    """Their pairs have none; the Wald test of all areas, and what turns a verdict, have none either."""
    three = [
        row | {"model": of, "score": row["score"] + add} for row, of, add in further_model(table(LARGEST))
    ]
    config = (
        "trials: {source: trials.parquet, columns: {cluster: speaker}}\nmeasures: [hter, auc]\nepc: none\n"
    )
    built = build(tmp_path, three, config, "significance.tests=[delong, fragility]")
    rows = [row for row in built.rows(TESTS) if row.unit == "cluster"]
    together = [row for row in rows if row.n_models == 3]
    assert len(together) == 1
    assert {row.test for row in rows} == {"delong", "fragility"}
    assert {(row.p_value, row.statistic, row.verdict, row.status) for row in rows} == {
        (None, None, None, "too_few_clusters")
    }


def further_model(rows):
    """Each row, and one of a third model with other scores for each of the second."""
    for at, row in enumerate(rows):
        yield row, row["model"], 0.0
        if row["model"] == "b":
            yield row, "c", round(0.1 * (at * 7 % 11), 1)


def test_no_table_explains_brackets_that_no_number_has(tmp_path):
    """Of one cluster nothing has limits: neither captions nor notes name brackets."""
    pl.DataFrame(table((8,))).write_parquet(tmp_path / "trials.parquet")
    (tmp_path / "report.yaml").write_text(f"{CONFIG}by: [sex]\nreport: {{formats: [json]}}\n")
    make_report(tmp_path / "report.yaml", tmp_path / "out")
    text = (tmp_path / "out" / "report.json").read_text()
    assert "too few to infer anything about others" in text
    brackets = re.findall(r"[^.\"]*\bbrackets\b[^.\"]*", text)
    # A group within the cluster has limits, about its trials alone: a note names why all together have none.
    assert brackets == ["95% CIs in brackets"]
    assert "All trials together have no CI, because it would be about other speakers." in text
