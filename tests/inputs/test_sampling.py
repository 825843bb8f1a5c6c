"""Strata of a sampling design: read, checked, refused where they are not served, and laws of whole reports."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from build import build
from reading import every_block

from reporting.app.run.check import check_report
from reporting.document.blocks import Prose, Table
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.errors import ConfigError, DataError
from reporting.features.compose import compose

KEYS = """
primary: {measure: hter, criterion: min_hter}
criteria: [min_hter]
measures: [far, frr, hter, precision, auc, mindcf]
significance: {replicates: 99}
trials: {source: trials.parquet, weights: {column: w}, columns: {cluster: family, sampling_stratum: region}}
epc: none
by: [sex]
"""
IN_STRATA = ", columns: {cluster: family, sampling_stratum: region}"


def rows(of_region="region {}".format, times=1):
    """Tied scores of two models in three regions of four families, whose rates differ; both sets share families."""
    rng, lines = np.random.default_rng(4), []
    for at in range(144):
        region, family, label = at % 3, at % 12, at % 5 < 2
        split = "dev" if rng.random() < 0.4 else "test"
        for model, strength in (("a", 1.0), ("b", 1.6)):
            score = round(float(rng.normal(strength * label + region * (0.5 - label), 1)) * 2) / 2
            lines.append(
                {"trial": f"{at:03}", "model": model, "split": split, "label": label, "score": score}
                | {"w": times * (1 + region), "family": f"f{family:02}", "region": of_region(region)}
                | {"sex": "fm"[at // 12 % 2]}
            )
    return lines


def limits(built):
    return [
        (row.model, row.split, row.group, row.measure, row.criterion, row.value, row.ci_low, row.ci_high)
        for row in built.rows(METRICS)
    ] + [(row.model, row.measure, row.ci_low, row.ci_high, row.p_value) for row in built.rows(COMPARISONS)]


def test_one_stratum_is_none(tmp_path):
    alike = build(tmp_path / "a", rows(lambda _: "all"), KEYS).frames
    without = build(tmp_path / "b", rows(), KEYS.replace(IN_STRATA, ", columns: {cluster: family}")).frames
    assert alike.keys() == without.keys()
    for name, frame in alike.items():
        assert frame.drop("n_strata", "least_stratum", strict=False).equals(
            without[name].drop("n_strata", "least_stratum", strict=False)
        ), name


def test_strata_change_limits_and_no_values(tmp_path):
    within = build(tmp_path / "a", rows(), KEYS).rows(METRICS)
    without = build(tmp_path / "b", rows(), KEYS.replace(IN_STRATA, ", columns: {cluster: family}")).rows(
        METRICS
    )
    assert [row.value for row in within] == [row.value for row in without]
    pairs = [
        (a, b) for a, b in zip(within, without, strict=True) if a.ci_low is not None and a.measure == "far"
    ]
    assert pairs
    assert all((a.ci_low, a.ci_high) != (b.ci_low, b.ci_high) for a, b in pairs)


@pytest.mark.parametrize("clustered", [True, False], ids=["clusters", "trials"])
def test_names_of_strata_order_of_rows_and_scale_of_weights_do_nothing(tmp_path, clustered):
    keys = KEYS if clustered else KEYS.replace("cluster: family, ", "")
    lines = rows()
    expected = limits(build(tmp_path / "a", lines, keys))
    assert limits(build(tmp_path / "b", rows(lambda at: f"{'zax'[at]}"), keys)) == expected
    assert limits(build(tmp_path / "c", lines[::-1], keys)) == expected
    assert limits(build(tmp_path / "d", rows(times=0.25), keys)) == expected


def test_strata_need_no_weights(tmp_path):
    plain = KEYS.replace(", weights: {column: w}", "")
    found = build(tmp_path / "a", rows(), plain).rows(METRICS)
    without = build(tmp_path / "b", rows(), plain.replace(IN_STRATA, ", columns: {cluster: family}")).rows(
        METRICS
    )
    assert [row.value for row in found] == [row.value for row in without]
    assert [row.misses for row in found] == [row.misses for row in without]


@pytest.mark.parametrize("clustered", [True, False], ids=["clusters", "trials"])
def test_strata_and_the_units_of_the_smallest_are_counted(tmp_path, clustered):
    """Families 0, 3, 6 and 9 of twelve are of region 0, and so on."""
    keys = KEYS if clustered else KEYS.replace("cluster: family, ", "")
    built = build(tmp_path, rows(), keys)
    of_region = Counter(line["region"] for line in rows() if (line["model"], line["split"]) == ("a", "test"))
    least, unit = (4, "families") if clustered else (min(of_region.values()), "trials")
    test = [row for row in built.rows(TRIALS) if row.split == "test"]
    assert {(row.n_strata, row.least_stratum) for row in test} == {(3, least)}
    report = compose(replace(built.results, sampled="region"))
    assert (
        f"{'12 families' if clustered else 'non-targets)'} in 3 strata of at least {least}"
        in report.data_line
    )
    prose = " ".join(each.text for each in every_block(report, Prose))
    assert f"drawn in 3 strata (region) of at least {least} {unit}: {unit} are resampled within" in prose
    (data,) = (each for each in every_block(report, Table) if each.name == "data")
    shown = " ".join([data.caption, *(column.title for column in data.columns)])
    assert f"{unit} of the smallest stratum" in shown
    assert f"in 3 strata of at least {least}" in check_report(tmp_path / "report.yaml")


def test_a_single_stratum_is_named(tmp_path):
    results = build(tmp_path, rows(lambda _: "all"), KEYS).results
    report = compose(replace(results, sampled="region"))
    prose = " ".join(each.text for each in every_block(report, Prose))
    assert "The sample was drawn in 1 stratum (region): families are resampled" in prose


def refused(tmp_path, lines=None, *extra, keys=KEYS):
    with pytest.raises((ConfigError, DataError)) as raised:
        build(tmp_path, rows() if lines is None else lines, keys, *extra).only(METRICS)
    return str(raised.value)


def test_a_cluster_lies_in_one_stratum(tmp_path):
    lines = [row | {"family": row["family"][-1]} for row in rows()]
    assert "column 'family' (the cluster): '0' lies in two strata of column 'region'" in refused(
        tmp_path, lines
    )


def test_a_stratum_with_a_long_name_is_shortened_wherever_it_is_named(tmp_path):
    lines = [row | {"family": row["family"][-1], "region": row["region"] + "x" * 500} for row in rows()]
    message = refused(tmp_path, lines)
    assert "name each by both, such as 'region" in message
    assert "x" * 100 not in message


def test_a_stratum_has_two_units_in_each_set(tmp_path):
    lines = rows()
    for row in lines:
        row["region"] = "lone" if row["family"] == "f03" else row["region"]
    message = refused(tmp_path, lines)
    assert "(the sampling stratum): 'lone' has a single cluster in split" in message
    assert "merge such a stratum" in message
    for row in lines:
        row["region"] = "lone" if row["trial"] == "003" else "other"
    message = refused(tmp_path, lines, keys=KEYS.replace("cluster: family, ", ""))
    assert "'lone' has a single trial in split" in message


def test_a_stratum_is_named_in_every_row_and_the_same_in_all_models(tmp_path):
    lines = rows()
    lines[0]["region"] = ""
    assert "column 'region' (the sampling stratum): 1 of 288 rows empty" in refused(tmp_path, lines)
    lines[0]["region"], lines[1]["region"] = "region 0", "region 2"
    assert "column 'region' (the sampling stratum): 1 trial of model 'b'" in refused(tmp_path, lines)
    assert "'nowhere'" in refused(
        tmp_path, keys=KEYS.replace("sampling_stratum: region", "sampling_stratum: nowhere")
    )


@pytest.mark.parametrize(
    ("key", "extra"),
    [
        ("trials.runs", "trials.runs=reader"),
        ("thresholds.policy", "thresholds.policy=kfold"),
        ("significance.stratify", "significance.stratify=label"),
        ("averaged_over", "averaged_over=sex"),
        ("across", "across=[{columns: [sex]}]"),
        ("handover", "handover=true"),
        ("report.passport", "report.passport=true"),
        ("report.recompute", "report.recompute=true"),
        ("trials.columns.cluster", "trials.columns.cluster=[family, sex]"),
    ],
)
def test_what_is_not_computed_is_refused(tmp_path, key, extra):
    keys = KEYS.replace(", weights: {column: w}", "")
    message = refused(tmp_path, None, extra, keys=keys)
    assert message.startswith(f"{key}: ")
    assert "not computed in strata of a sampling design" in message


def test_a_guarantee_is_refused(tmp_path):
    assert "weigh the same" in refused(
        tmp_path, None, "criteria=['guarantee(far=0.2)']", keys=KEYS.replace(", weights: {column: w}", "")
    )
