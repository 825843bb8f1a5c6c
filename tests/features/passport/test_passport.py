"""The passport: shares by hand, the command, the section, and what is refused."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from build import build
from command import reporting

from reporting.app.run.report import make_report
from reporting.base.cache.cache import Cache
from reporting.base.execution import SerialExecutor
from reporting.core.resampling.settings import Inference
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.metrics import MetricRow
from reporting.features.passport import budget
from reporting.features.passport.frame import rejects_too_often, rows_of
from reporting.features.passport.simulate import Headline, headline, simulated, simulation_of

KEY = {"dataset": "all", "split": "test", "group": "", "measure": "hter", "criterion": "min_hter"}
VALUE = MetricRow(
    **KEY, model="a", run="0", value=0.2, n_target=4, n_nontarget=4, inference="given_thresholds"
)
COMPARED = ComparisonRow(
    **KEY, model="b", baseline="a", inference="procedure", family="primary", difference=0.1, correction="holm",
    family_size=1,
)  # fmt: skip


def rows(
    own: list[list[list[float]]], null: list[list[list[float]]] | None, margin: float | None = None
) -> Any:
    """Return the rows of hand-made tables of one value and one difference."""
    names = ("all", "a"), ("all", "b", "a")
    study = SimpleNamespace(inference=Inference(replicates=99, seed=3))
    simulation = SimpleNamespace(names=names, study=study)
    observed = Headline({names[0]: VALUE, names[1]: COMPARED}, {})
    return rows_of(simulation, observed, np.array(own), None if null is None else np.array(null), margin)  # type: ignore[arg-type]


NONE = float("nan")


def test_shares_by_hand() -> None:
    # estimate, low, high, p, p_adjusted, truth; a value at given thresholds, a difference of the procedure.
    own = [
        [[0.2, 0.1, 0.3, NONE, NONE, 0.25], [0.1, 0.05, 0.2, 0.01, 0.02, 0.1]],
        [[0.2, 0.1, 0.3, NONE, NONE, 0.35], [0.0, -0.1, 0.1, 0.04, 0.08, 0.3]],
        [[0.2, 0.1, 0.3, NONE, NONE, 0.05], [0.3, 0.21, 0.4, 0.01, 0.01, 0.2]],
        [[0.2, NONE, NONE, NONE, NONE, 0.2], [NONE, NONE, NONE, NONE, NONE, 0.2]],
    ]
    null = [[[0.0] * 6, [0, 0, 0, p, min(1.0, 2 * p), 0]] for p in (0.01, 0.04, 0.5, 0.9)]
    value, difference = rows(own, null, margin=0.1)
    assert (value.simulations, value.intervals) == (4, 3)
    assert (value.coverage, value.too_low, value.too_high) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (value.size, value.power) == (None, None)
    # The truth of the procedure is the mean of .1, .3, .2 and .2: only the first interval holds .2.
    assert difference.truth == pytest.approx(0.2)
    assert (difference.coverage, difference.too_low, difference.too_high) == pytest.approx(
        (1 / 3, 1 / 3, 1 / 3)
    )
    assert difference.power == pytest.approx(2 / 3)
    assert (difference.size, difference.family_size) == (0.5, 0.25)
    # A difference of .1 less than the truth: .1 lies in the first two intervals, not in the third.
    assert (difference.margin, difference.margin_power) == (0.1, pytest.approx(1 / 3))


@pytest.mark.parametrize(("held", "promise"), [(170, "broken"), (185, "kept")])
def test_a_promise_is_broken_beyond_monte_carlo_error(held: int, promise: str) -> None:
    own = [[[0.2, 0.1, 0.3, NONE, NONE, 0.2 if at < held else 0.5]] * 2 for at in range(200)]
    assert rows(own, None)[0].promise == promise


@pytest.mark.parametrize(
    ("tests", "size", "expected"), [(1, 0.15, True), (15, 0.15, False), (15, 0.4, True), (1, None, False)]
)
def test_size_is_judged_for_all_comparisons_together(tests: int, size: float | None, expected: bool) -> None:
    """3 of 20 tables are more than 5 % by the limit of one comparison, .052, and not by that of 15, .036."""
    row = SimpleNamespace(size=size, simulations=20, level=0.95)
    assert rejects_too_often(row, tests) is expected  # type: ignore[arg-type]


def test_nothing_is_promised_where_no_table_had_an_interval() -> None:
    own = [[[0.2, NONE, NONE, NONE, NONE, 0.2]] * 2 for _ in range(20)]
    assert [(row.coverage, row.promise) for row in rows(own, None)] == [(None, None)] * 2


def table(n: int = 40, clusters: int = 0, seed: int = 1) -> pl.DataFrame:
    rng, every = np.random.default_rng(seed), []
    for split in ("dev", "test"):
        label, common = rng.integers(0, 2, n), rng.normal(size=n)
        for model, d in (("a", 2.0), ("b", 1.0)):
            columns = {"trial": [f"{split}{k}" for k in range(n)], "label": label}
            if clusters:
                columns["cluster"] = [f"{split}{k % clusters}" for k in range(n)]
            score = d * label + common + rng.normal(size=n)
            every.append(pl.DataFrame({"model": model, "split": split, **columns, "score": score}))
    return pl.concat(every)


def config(folder: Path, trials: pl.DataFrame, more: str = "") -> Path:
    trials.write_parquet(folder / "trials.parquet")
    path = folder / "report.yaml"
    path.write_text(f"trials: {{source: trials.parquet}}\nsignificance: {{replicates: 99}}\n{more}")
    return path


def test_the_simulated_headline_is_that_of_the_frames(tmp_path: Path) -> None:
    built = build(tmp_path, table())
    simulation, observed = simulation_of(built.counts, built.study, SerialExecutor())
    metrics, compared = built.frames["metrics"], built.frames["comparisons"]
    asked = {"measure": "hter", "criterion": "min_hter"}
    for model in "ab":
        row = metrics.filter(**asked, split="test", model=model).row(0, named=True)
        found = observed.rows["all", model]
        assert isinstance(found, MetricRow)
        assert (found.value, found.ci_low, found.ci_high) == (row["value"], row["ci_low"], row["ci_high"])
    row = compared.filter(**asked, family="primary").row(0, named=True)
    found = observed.rows["all", "b", "a"]
    assert isinstance(found, ComparisonRow)
    assert (found.ci_low, found.p_value, found.p_adjusted) == (
        row["ci_low"],
        row["p_value"],
        row["p_adjusted"],
    )
    assert simulation.names == (("all", "a"), ("all", "b"), ("all", "b", "a"))


def test_what_a_table_shows_is_its_own_report_and_the_truth_that_of_the_population(tmp_path: Path) -> None:
    built = build(tmp_path, table())
    simulation, _ = simulation_of(built.counts, built.study, SerialExecutor())
    shown = simulated(simulation, 0, 3, SerialExecutor())
    assert shown.shape == (3, 3, 6)
    again = headline(simulation.world.table(2), simulation.study, SerialExecutor(), world=simulation.world)
    assert shown[2, 0, 0] == again.rows["all", "a"].value  # type: ignore[union-attr]
    assert shown[2, 2, 5] == shown[2, 1, 5] - shown[2, 0, 5]


def test_blocks_are_remembered(tmp_path: Path) -> None:
    built = build(tmp_path, table())
    cache = Cache(tmp_path / "cache")
    simulation, _ = simulation_of(built.counts, built.study, SerialExecutor())
    first = simulated(simulation, 0, 40, SerialExecutor(), cache)
    made = cache.made
    again = simulated(simulation, 0, 40, SerialExecutor(), cache)
    assert (made, cache.made, cache.found) == (2, 2, 2)
    assert np.array_equal(first, again, equal_nan=True)


def test_the_command_prints_the_same_twice(tmp_path: Path) -> None:
    path = config(tmp_path, table(clusters=10))
    ended = [reporting("passport", path, "--simulations", 20) for _ in range(2)]
    assert ended[0].returncode == 0, ended[0].stderr
    assert ended[0].stdout == ended[1].stdout
    text = " ".join(ended[0].stdout.split())
    assert "20 tables were simulated" in text
    assert "whole clusters are drawn" in text
    assert (
        "Promise: broken where coverage is below 95% by its Monte Carlo limit at a level for all 3 CIs together"
        in text
    )
    assert "b − a" in text


def test_promises_of_two_datasets_are_judged_together(tmp_path: Path) -> None:
    """Each dataset has three CIs."""
    names = ("near", "far")
    both = pl.concat(table().with_columns(dataset=pl.lit(name)) for name in names)
    text = " ".join(reporting("passport", config(tmp_path, both), "--simulations", 10).stdout.split())
    assert text.count("at a level for all 6 CIs together") == 2


def test_the_passport_has_the_words_of_the_report(tmp_path: Path) -> None:
    path = config(tmp_path, table(), "report: {vocabulary: medical}\n")
    text = " ".join(reporting("passport", path, "--simulations", 10).stdout.split())
    assert "patients are drawn with replacement" in text
    assert "the scores of each patient were dealt" in text


def test_minutes_are_a_number_of_tables(tmp_path: Path) -> None:
    path = config(tmp_path, table())
    by_minutes, by_number = (
        reporting("passport", path, *words, "--json")
        for words in (("--minutes", 0.0001), ("--simulations", 10))
    )
    assert by_minutes.returncode == 0, by_minutes.stderr
    assert by_minutes.stdout == by_number.stdout
    (first, *_) = json.loads(by_number.stdout)
    assert (first["simulations"], first["replicates"], first["seed"]) == (10, 99, 1)


def test_minutes_end_with_a_block_and_leave_little_to_simulate_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is asked once before each block; of 60 tables by number the first block alone is new."""
    ticks = itertools.count()
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    blocks: list[tuple[int, int]] = []

    def recorded(simulation: Any, first: int, last: int, *more: Any) -> Any:
        if not simulation.exchanged:
            blocks.append((first, last))
        return simulated(simulation, first, last, *more)

    monkeypatch.setattr(budget, "simulated", recorded)
    path = config(tmp_path, table())
    (first, *_) = json.loads(reporting("passport", path, "--minutes", 0.15, "--json").stdout)
    assert blocks == [(0, 10), (10, 20), (20, 40), (40, 60)][: len(blocks)]
    assert first["simulations"] == blocks[-1][1] >= 40


def test_a_report_has_the_section_and_others_have_none(tmp_path: Path) -> None:
    path = config(tmp_path, table(), "report: {formats: [json], passport: 20}\n")
    few = ["curves=[]", "epc=none"]
    with_it, without = (
        json.loads((make_report(path, tmp_path / name, [*few, *more]) / "report.json").read_text())
        for name, more in (("with", []), ("without", ["report.passport=false"]))
    )
    anchors = [[section["anchor"] for section in report["sections"]] for report in (with_it, without)]
    assert "passport" in anchors[0]
    assert "passport" not in anchors[1]
    frame = pl.read_parquet(tmp_path / "with" / "frames" / "passport.parquet")
    assert frame["simulations"].unique().to_list() == [20]
    assert not (tmp_path / "without" / "frames" / "passport.parquet").exists()


def test_trials_taken_as_independent_break_the_promise(tmp_path: Path) -> None:
    """Clusters of 30 equal trials each, of which the report is told to know nothing."""
    rng, every = np.random.default_rng(2), []
    for split in ("dev", "test"):
        for cluster in range(16):
            effect = rng.normal(size=2)
            for k in range(30):
                label = k % 2
                every.append(
                    (
                        split,
                        f"{split}{cluster}-{k}",
                        f"{split}{cluster}",
                        label,
                        "a",
                        2 * label + effect[label] + 0.3 * rng.normal(),
                    )
                )
    names = ["split", "trial", "cluster", "label", "model", "score"]
    path = config(tmp_path, pl.DataFrame(every, names, orient="row"))
    ended = reporting("passport", path, "--simulations", 40, "--set", "significance.unit=trial")
    assert ended.returncode == 0, ended.stderr
    text = " ".join(ended.stdout.split())
    assert "Intervals miss the truth too often" in text
    assert "Coverage of a with clusters as the unit (significance.unit: cluster)" in text
    words = ("--simulations", 40, "--set", "significance.unit=trial", "--json")
    row = json.loads(reporting("passport", path, *words).stdout)[0]
    assert row["coverage"] < row["more_units"] + 0.2 < row["by_cluster"]
    assert row["other_interval"] is None


def test_another_interval_is_tried_whichever_the_config_names(tmp_path: Path) -> None:
    """Percentiles of resamples of 8 clusters cover too rarely; intervals by their standard error and t do not."""
    path = config(tmp_path, table(120, clusters=8))
    words = ("--simulations", 60, "--set", "significance.interval=percentile", "--json")
    broken = [
        row for row in json.loads(reporting("passport", path, *words).stdout) if row["promise"] == "broken"
    ]
    assert broken
    assert all(row["other_interval"] == "auto" and row["other_coverage"] > 0.9 for row in broken)


@pytest.mark.parametrize("policy", ["kfold", "leave_one_client_out"])
def test_tables_in_folds_have_coverage_size_and_power(tmp_path: Path, policy: str) -> None:
    path = config(tmp_path, table(90, clusters=12).filter(split="test").drop("split"))
    words = ("--simulations", 10, "--set", f"thresholds.policy={policy}", "--set", "thresholds.folds=4")
    (first, *_) = json.loads(reporting("passport", path, *words, "--json").stdout)
    assert first["coverage"] > 0.7
    if policy == "kfold":
        text = " ".join(reporting("passport", path, *words).stdout.split())
        assert (
            "the population's mean value over the thresholds that tables of this size choose for their folds"
            in text
        )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--simulations", 5), "passport: --simulations must be 10 to 100,000, found 5"),
        (("--minutes", 0), "passport: --minutes must be above 0, found 0"),
        (("--minutes", 1, "--simulations", 50), "passport: give --simulations or --minutes, not both"),
        (
            ("--set", "trials.columns.cluster=[cluster, other]"),
            "passport: no tables are simulated of trials of two clusters each: a speaker that is drawn twice would"
            " meet itself as another; leave the coverage passport out",
        ),
        (
            ("--set", "trials.columns.sampling_stratum=half"),
            "passport: no tables are simulated of strata of a sampling design: a population here has none; leave"
            " the coverage passport out",
        ),
        (("--set", "report.passport=7"), "report.passport"),
    ],
)
def test_what_is_refused(tmp_path: Path, words: tuple[Any, ...], message: str) -> None:
    half = pl.col("cluster").str.tail(1).is_in(["0", "1", "2", "3"])
    trials = table(clusters=8).with_columns(other=pl.col("cluster"), half=half)
    ended = reporting("passport", config(tmp_path, trials), *words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr
