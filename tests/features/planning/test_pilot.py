"""A pilot's config: its standard errors by the report's own methods, and what follows for a larger study."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import reporting as run
from scipy.stats import norm
from snapshot import snapshot

import reporting
from reporting.core.stats import planning
from reporting.core.stats.readers import ReaderVariances, of_replicates
from reporting.errors import DataError, ReportingError

N = 80


def write(folder: Path, models=("A", "B"), *, clusters=0, labels=None, config="primary: {measure: auc}\n"):
    """Write a table of two models with correlated scores, and its config."""
    rng = np.random.default_rng(3)
    label = np.arange(4 * N) % 2 if labels is None else np.full(4 * N, labels)
    common = rng.normal(size=4 * N)
    frames = [
        pl.DataFrame(
            {
                "model": model,
                "split": ["dev", "dev", "test", "test"] * N,
                "trial": [f"{i:03}" for i in range(4 * N)],
                "label": label,
                "score": (label * (1 + at) + common + rng.normal(size=4 * N)).round(1),
                "speaker": [f"s{i // 4 % max(clusters, 1)}" for i in range(4 * N)],
            }
        )
        for at, model in enumerate(models)
    ]
    pl.concat(frames).write_csv(folder / "trials.csv")
    columns = ", columns: {cluster: speaker}" if clusters else ""
    text = f"trials: {{source: trials.csv{columns}}}\nsignificance: {{replicates: 199}}\n{config}"
    (folder / "report.yaml").write_text(text)
    return folder / "report.yaml"


def test_a_difference_is_planned_from_delongs_error(tmp_path):
    """Independent trials: (z + z_power)^2 SE^2 / D^2 times those of the pilot, SE that of the report."""
    config = write(tmp_path)
    plan = reporting.plan(config, difference=0.03)
    (pilot,) = plan.pilot["differences"]
    row = reporting.compare(str(tmp_path / "trials.csv"), measures=["auc"], criteria=[]).row(0, named=True)
    assert pilot["se"] == row["se"]
    times = ((norm.ppf(0.975) + norm.ppf(0.8)) * row["se"] / 0.03) ** 2
    assert plan.n_trials == pytest.approx(times * 2 * N, abs=2)
    assert abs(plan.n_target - plan.n_nontarget) <= 1
    correlation = f"{plan.pilot['differences'][0]['correlation']:.3f}"
    assert "B against A  " in str(plan)
    assert str(plan).rstrip().endswith(correlation)
    values = reporting.metrics(str(tmp_path / "trials.csv"), measures=["auc"], criteria=[]).filter(
        split="test"
    )
    first, second = values["se"]
    expected = (first**2 + second**2 - row["se"] ** 2) / (2 * first * second)
    assert pilot["correlation"] == pytest.approx(expected, rel=1e-12)
    assert 0.2 < expected < 0.9
    assert "a difference of 0.03 in AUC" in plan.sentence
    # A margin is one-sided.
    margin = reporting.plan(config, margin=0.03)
    times = ((norm.ppf(0.95) + norm.ppf(0.8)) * row["se"] / 0.03) ** 2
    assert margin.n_trials == pytest.approx(times * 2 * N, abs=2)


def test_clusters_are_planned_as_whole_units(tmp_path):
    config = write(tmp_path, clusters=16)
    plan = reporting.plan(config, difference=0.05)
    (pilot,) = plan.pilot["differences"]
    assert (pilot["units"], pilot["n_units"]) == ("speakers", 16)
    assert pilot["df"] == 15
    assert pilot["design_effect"] is not None
    assert plan.n_trials == pytest.approx(plan.n_clusters * 2 * N / 16, abs=2)
    assert "speakers" in plan.sentence
    # Student's t with one degree of freedom fewer than speakers.
    se = pilot["se"] * math.sqrt(16 / plan.n_clusters)
    assert plan.power == pytest.approx(planning.power(0.05, se, 0.95, df=plan.n_clusters - 1), rel=1e-9)
    assert plan.power >= 0.8


def test_a_width_is_that_of_the_report_at_the_size_of_the_pilot(tmp_path):
    config = write(tmp_path)
    values = reporting.metrics(str(tmp_path / "trials.csv"), measures=["auc"], criteria=[]).filter(
        split="test"
    )
    widths = values["ci_high"] - values["ci_low"]
    plan = reporting.plan(config, width=float(widths.max()))
    assert plan.n_trials == 2 * N
    assert reporting.plan(config, width=float(widths.max()) / 2).n_trials == pytest.approx(8 * N, rel=0.03)
    chosen = reporting.plan(config, width=0.1, model="B")
    assert [value["model"] for value in chosen.pilot["values"]] == ["B"]


def test_the_command(tmp_path):
    write(tmp_path)
    ended = run("plan", "report.yaml", "--difference", "0.03", "--json", "-o", "plan.html", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    plan = json.loads(ended.stdout)
    assert plan["question"] == "pilot"
    assert plan["pilot"]["config"] == "report.yaml"
    page = (tmp_path / "plan.html").read_text()
    assert plan["sentence"] in page
    assert "reporting plan report.yaml --difference 0.03" in page
    assert "B against A" in page
    again = run("plan", "pilot", "report.yaml", "--difference", "0.03", "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == plan


def test_a_pilot_without_a_development_set_is_planned_as_its_report_is_made(tmp_path):
    """The defaults' primary measure needs a threshold; a table without splits is judged by its AUC."""
    config = write(tmp_path, config="")
    table = pl.read_csv(tmp_path / "trials.csv").drop("split")
    table.write_csv(tmp_path / "trials.csv")
    aims = {"difference": 0.05}, {"width": 0.05}
    found = [reporting.plan(config, **aim) for aim in aims]
    assert all(" AUC" in plan.sentence for plan in found)
    config.write_text(config.read_text() + "primary: {measure: auc}\nthresholds: {policy: none}\n")
    assert [reporting.plan(config, **aim).n_trials for aim in aims] == [plan.n_trials for plan in found]


FAULTS = {
    "": "plan: give --difference or --margin, in units of the primary measure, or --width",
    "--width 0.1 --difference 0.1": "plan: --width and --difference are two questions; plan one at a time",
    "--difference 0": "--difference: '0' is not between 0 and 1",
    "--difference 0.1 --power 1": "--power: '1' is not between 0 and 1",
    "--margin 0.1 --difference 0.1": "plan: a true difference of 0.1 is not below the margin of 0.1, so non-inferiority cannot be shown",
    "--difference 0.1 --model C": "plan: --model 'C' is no model of the pilot (found: A, B)",
}  # fmt: skip


@pytest.mark.parametrize("options", FAULTS)
def test_faults(tmp_path, options):
    write(tmp_path)
    ended = run("plan", "report.yaml", *options.split(), "--quiet", cwd=tmp_path)
    assert ended.returncode == 2
    assert [line.partition(" [TR")[0] for line in ended.stderr.splitlines()] == [f"error: {FAULTS[options]}"]


def test_pilots_that_plan_nothing(tmp_path):
    one = write(tmp_path, models=("A",))
    with pytest.raises(DataError, match="a difference needs two models, and the pilot has one; give --width"):
        reporting.plan(one, difference=0.1)
    assert reporting.plan(one, width=0.1).n_trials > 0
    without_dev = "primary: {measure: auc}\nthresholds: {policy: none}\n"
    with pytest.raises(ReportingError) as caught:
        reporting.plan(write(tmp_path, labels=1, config=without_dev), difference=0.1)
    snapshot("planning/pilot_pilots_that_plan_nothing", "\n".join(caught.value.faults))
    with pytest.raises(ReportingError, match=r"missing\.yaml"):
        reporting.plan(tmp_path / "missing.yaml", difference=0.1)


def test_a_difference_among_very_many_models_needs_the_one_to_compare_with(tmp_path):
    config = write(tmp_path, models=tuple("ABCDEFGHIJK"))
    with pytest.raises(ReportingError) as caught:
        reporting.plan(config, difference=0.1)
    snapshot(
        "planning/pilot_a_difference_among_very_many_models_needs_the_one_to_compare_with",
        "\n".join(caught.value.faults),
    )
    assert reporting.plan(config, width=0.1, model="K").n_trials > 0
    config = write(tmp_path, models=tuple("ABCDEFGHIJK"), config="primary: {measure: auc}\nbaseline: C\n")
    assert len(reporting.plan(config, difference=0.1).pilot["differences"]) == 10


def test_equal_models_have_no_error_to_plan_from(tmp_path):
    config = write(tmp_path)
    table = pl.read_csv(tmp_path / "trials.csv").filter(model="A")
    pl.concat([table, table.with_columns(model=pl.lit("B"))]).write_csv(tmp_path / "trials.csv")
    with pytest.raises(DataError, match="the pilot has no difference with a standard error in AUC"):
        reporting.plan(config, difference=0.1)


def write_readers(folder, n_readers=5, n=60, seed=4):
    """Write a pilot in which every reader reads every case with two models."""
    rng = np.random.default_rng(seed)
    label = np.arange(2 * n) % 2
    cases = rng.normal(size=2 * n)
    rows = [
        {
            "model": model,
            "run": f"r{reader}",
            "split": "test",
            "trial": f"{i:03}",
            "label": int(label[i]),
            "score": float(score),
        }
        for reader in range(n_readers)
        for at, model in enumerate("AB")
        for i, score in enumerate(
            cases + rng.normal(size=2 * n) + label * (1 + 0.3 * at + 0.2 * rng.normal())
        )
    ]
    pl.DataFrame(rows).write_csv(folder / "trials.csv")
    config = "thresholds: {policy: none}\nprimary: {measure: auc}\nsignificance: {replicates: 499}\n"
    (folder / "report.yaml").write_text(f"trials: {{source: trials.csv, runs: reader}}\n{config}")
    return folder / "report.yaml"


def test_readers_of_a_pilot(tmp_path):
    """The variances of Obuchowski and Rockette: those of the pilot's own comparison at its own size."""
    config = write_readers(tmp_path)
    plan = reporting.plan(config, difference=0.15)
    (pilot,) = plan.pilot["differences"]
    assert plan.n_readers == pilot["readers"] == 5
    at_pilot = (pilot["between"] + pilot["own"]) / 5 + pilot["shared"]
    assert pilot["se"] == pytest.approx(math.sqrt(at_pilot), rel=1e-6)
    more = reporting.plan(config, difference=0.15, readers=12)
    assert more.n_readers == 12
    assert more.n_trials < plan.n_trials
    assert "12 readers" in more.sentence
    # No number of cases makes up for readers who differ.
    if pilot["between"] > 0:
        with pytest.raises(ReportingError, match="no number of trials gives 99% power"):
            reporting.plan(config, difference=0.9 * math.sqrt(pilot["between"] / 5), power=0.99)


def test_planned_variances_of_readers_by_hand():
    """Two readers, D = 1 and 3: S^2 = 2; replicates with a variance of 1 each and a covariance of 1/2."""
    drawn = [np.array([[1.0], [-1.0], [0.0]]), np.array([[1.0], [0.0], [-1.0]])]
    found = ReaderVariances.estimated([np.array([1.0]), np.array([3.0])], drawn, of_replicates(1.0))
    assert found == pytest.approx((1.5, 0.5, 0.5))
    se, df = found.spread(2, 1.0)
    assert se**2 == pytest.approx(2 / 2 + 0.5)
    assert df == pytest.approx(1.5**2 / 1.0**2)
    assert found.spread(2, 1e12)[0] ** 2 == pytest.approx(1.5 / 2)
