"""A gate, its comparison and its row of ``metrics`` are one number with one interval, in every design."""

import math

import numpy as np
import polars as pl
import pytest
from build import build
from judging import BOUND_OF, GIVEN, only

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.core.stats.effective_size import EffectiveRate
from reporting.document.runs import PastRun
from reporting.features.gates.collect import Collector
from reporting.features.gates.keys import Gate
from reporting.features.gates.past import CurrentRun
from reporting.features.gates.verdict import gates_frame

RUNS = "run: run"
CLUSTERS = "cluster: speaker"


def table(runs=("0",), alike=False, seed=2):
    rng = np.random.default_rng(seed)
    rows = []
    for split in ("dev", "test"):
        label = np.arange(90) % 3 == 0
        shared = rng.normal(size=90) + 1.5 * label
        for model in "ab":
            for run in runs:
                score = shared if alike else shared + rng.normal(size=90) * 0.4
                rows += [
                    {"model": model, "split": split, "trial": f"{split}{i}", "label": bool(label[i]), "score": float(score[i]),
                     "run": run, "speaker": f"{split}{i // 3}"}
                    for i in range(90)
                ]  # fmt: skip
    return rows


def answered(folder, rows, columns, gate, *overrides, config="", runs=""):
    """The row of a gate, and the frames of its report."""
    kept = rows if "run" in columns else [{k: r[k] for k in r if k != "run"} for r in rows]
    kept = kept if "speaker" in columns else [{k: r[k] for k in r if k != "speaker"} for r in kept]
    read = f", runs: {runs}" if runs else ""
    source = f"trials: {{source: trials.parquet, columns: {{{columns}}}{read}}}\n" if columns else ""
    text = f"{source}epc: none\nmeasures: [hter, frr, accuracy, auc, eer_rocch]\nbaseline: b\n{config}"
    built = build(folder, kept, text, "significance.replicates=199", *overrides)
    collector = Collector([gate], built.study)
    for at, part in enumerate(built.parts):
        collector.visit(part, built.judged(at).drawn)
    return collector, built


def gate_of(measure="hter", kind="non_inferiority", size=0.05, against="b"):
    made = read_measure(measure)
    at = {"criterion": read_criterion("min_hter")} if made.over == "threshold" else {}
    return Gate(made, ("a",), against, **{BOUND_OF.get(kind, kind): size}, **at)


def both(folder, rows, columns, gate, *overrides, **more):
    collector, built = answered(folder, rows, columns, gate, *overrides, **more)
    row = only(gates_frame(collector, built.table.models, CurrentRun(None)))
    where = {"measure": row["measure"], "model": "a"}
    compared = built.frames["comparisons"].filter(
        pl.col("inference").eq_missing(pl.lit(row["inference"])),
        pl.col("criterion").eq_missing(pl.lit(row["criterion"])),
    )
    return row, only(compared, **where)


@pytest.mark.parametrize("runs", ["", "reader"])
@pytest.mark.parametrize("measure", ["hter", "accuracy", "auc", "eer_rocch"])
@pytest.mark.parametrize("given", [(), (GIVEN,)])
def test_means_of_several_runs_have_the_difference_of_their_comparison(tmp_path, runs, measure, given):
    """They had none: ``several_runs``."""
    row, compared = both(tmp_path, table("012"), RUNS, gate_of(measure), *given, runs=runs)
    assert row["status"] is None
    assert row["estimate"] == pytest.approx(compared["difference"], abs=1e-12)
    # No nearer than there, and up to the further disagreement that a margin allows for.
    assert row["ci_low"] <= compared["ci_low"] + 1e-9
    assert row["ci_high"] >= compared["ci_high"] - 1e-9
    if measure in ("auc", "eer_rocch"):
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((compared["ci_low"], compared["ci_high"]))


@pytest.mark.parametrize("columns", ["", CLUSTERS, RUNS])
@pytest.mark.parametrize("measure", ["hter", "frr", "accuracy", "auc"])
@pytest.mark.parametrize("given", [(), (GIVEN,)])
def test_identical_models_have_one_interval(tmp_path, columns, measure, given):
    """They had [0, 0] in ``comparisons``, and other limits, or none, in ``gates``. Of 30 targets each counts."""
    runs = "01" if columns == RUNS else "0"
    row, compared = both(tmp_path, table(runs, alike=True), columns, gate_of(measure), *given)
    assert (compared["difference"], compared["p_value"], compared["ci_method"]) == (0, 1, "score")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((compared["ci_low"], compared["ci_high"]))
    assert "identical_decisions" in compared["flags"]
    # Each speaker has three trials, one of them a target: 30 units either way, or 30 of 90 trials.
    units = {"hter": 2 * 30, "frr": 30, "auc": 30, "accuracy": 45 if columns == CLUSTERS else 90}[measure]
    assert compared["ci_high"] == pytest.approx(-math.log(0.025) / units, rel=0.02)


@pytest.mark.parametrize("columns", ["", CLUSTERS, RUNS])
@pytest.mark.parametrize("measure", ["hter", "accuracy"])
@pytest.mark.parametrize("given", [(), (GIVEN,), (GIVEN, "significance.interval=percentile")])
def test_a_difference_of_0_is_tested_as_its_comparison_is(tmp_path, columns, measure, given):
    """Exact mid-p, studentized, by exchanges, by clusters, or as the config says; an exchange may tie."""
    rows = table("01" if columns == RUNS else "0")
    row, compared = both(tmp_path, rows, columns, gate_of(measure, "superiority", 0.0), *given)
    assert row["p_value"] == compared["p_value"]
    assert row["estimate"] == pytest.approx(compared["difference"], abs=1e-12)


@pytest.mark.parametrize("measure", ["hter", "auc"])
def test_the_mean_over_runs_is_held_against_that_of_the_reference(tmp_path, measure):
    """It was undecided: ``metrics`` has a row for every run, and none was taken."""
    gate = gate_of(measure, size=0.3, against="reference")
    collector, built = answered(tmp_path, table("012"), RUNS, gate)
    models = built.table.models
    first = gates_frame(collector, models, CurrentRun(None))
    accepted = first.with_columns(outcome=pl.lit("pass"), counts_as=pl.lit("pass"))
    past = PastRun("one", {"gates": accepted, "metrics": built.frames["metrics"]})
    row = only(gates_frame(collector, models, CurrentRun(None, (past,))))
    assert (row["estimate"], row["ci_method"], row["outcome"]) == (0.0, "two_runs", "pass")


@pytest.mark.parametrize("measure", ["auc", "eer_rocch", "hter", "accuracy", "f1"])
@pytest.mark.parametrize("columns", ["", CLUSTERS])
@pytest.mark.parametrize("given", [(), (GIVEN,)])
def test_one_gate_at_0_shows_the_limits_of_its_comparison(tmp_path, columns, measure, given):
    config = "primary: {measure: f1, criterion: min_hter}\n" if measure == "f1" else ""
    asked = gate_of(measure, "superiority", 0.0)
    row, compared = both(tmp_path, table(), columns, asked, *given, config=config)
    assert row["ci_low"] is not None
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((compared["ci_low"], compared["ci_high"]))
    assert row["ci_method"] == compared["ci_method"]


@pytest.mark.parametrize("measure", ["auc", "eer_rocch", "hter", "f1"])
@pytest.mark.parametrize("given", [(), (GIVEN,)])
def test_gates_over_two_crossed_pools_are_their_comparison(tmp_path, measure, given):
    """At 0 and at a margin, by closed forms or by replicates, with degrees of freedom of their own."""
    rows = [row | {"sensor": f"{row['split']}{i % 90 % 7}"} for i, row in enumerate(table())]
    asked, config = gate_of(measure, "superiority", 0.0), ""
    if measure == "f1":
        config = "primary: {measure: f1, criterion: min_hter}\n"
    pools = "cluster: [speaker, sensor]", asked, "trials.clusters.pools=two", *given
    row, compared = both(tmp_path / "zero", rows, *pools, config=config)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((compared["ci_low"], compared["ci_high"]))
    assert row["p_value"] == pytest.approx(compared["p_value"], abs=1e-6)
    assert (row["unit"], row["ci_method"]) == ("cluster", compared["ci_method"])
    if measure in ("auc", "eer_rocch"):
        pools = pools[0], gate_of(measure, size=0.05), *pools[2:]
        again, _ = both(tmp_path / "margin", rows, *pools, config=config)
        assert (again["ci_low"], again["ci_high"]) == pytest.approx((row["ci_low"], row["ci_high"]))


def test_thresholds_of_folds_held_fixed_give_no_verdict(tmp_path):
    rows = [r for r in table() if r["split"] == "test"]
    config = "thresholds: {policy: kfold, folds: 3}\n"
    row, compared = both(tmp_path, rows, "", gate_of(), GIVEN, config=config)
    assert (row["status"], row["outcome"], row["ci_low"], compared["ci_low"]) == (
        "folds_held",
        "undecided",
        None,
        None,
    )
    assert row["estimate"] == compared["difference"]


@pytest.mark.parametrize(("kind", "against"), [("non_inferiority", "b"), ("at_most", None)])
def test_a_mean_over_a_column_without_spread_has_its_number(tmp_path, kind, against):
    """All sites are alike, so that nothing is known of others."""
    rows = [{**row, "trial": f"{row['trial']}{site}", "site": site} for row in table() for site in "xy"]
    gate = gate_of("frr", kind, 0.05, against)
    collector, built = answered(tmp_path, rows, "", gate, GIVEN, config="averaged_over: site\n")
    row = only(gates_frame(collector, built.table.models, CurrentRun(None)))
    assert (row["status"], row["outcome"], row["ci_low"]) == ("degenerate", "undecided", None)
    where = {"model": "a", "measure": "frr", "group": "mean(site)", "criterion": "min_hter"}
    if against is None:
        value = only(built.frames["metrics"], **where, split="test", threshold_source="dev")["value"]
    else:
        value = only(built.frames["comparisons"], **where)["difference"]
    assert row["estimate"] == pytest.approx(value)


@pytest.mark.parametrize("rate", [0.0, 0.05])
def test_limits_of_five_clusters_are_known_at_levels_next_to_0(rate):
    """The quantile of t with 4 df is 0 at a level of 1e-9, which gates pass by on their way to a p."""
    low, high = EffectiveRate(rate, 40, 4, few=True).limits(1e-9)
    assert low <= high
    assert low == pytest.approx(high, abs=0.05)


@pytest.mark.parametrize("seed", [3, 20, 36])
def test_a_margin_has_one_p_in_a_gate_and_in_a_further_test(tmp_path, seed):
    """By exchanges both take the larger of two p-values: that of exchanges, and that of the score."""
    tests = "\nsignificance: {tests: [non_inferiority], margin: 0.02}\n"
    rows = table(seed=seed)
    collector, built = answered(tmp_path, rows, "", gate_of(size=0.02), config=tests)
    gate = only(gates_frame(collector, built.table.models, CurrentRun(None)))
    tested = only(built.frames["tests"], test="non_inferiority")
    assert tested["inference"] == "procedure"
    assert gate["p_value"] == min(1.0, 2 * tested["p_value"])
