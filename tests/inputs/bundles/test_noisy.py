"""Counts with noise (``reporting counts --noise``): from the command to the report, and what is refused."""

import json
import re
import sys

import numpy as np
import polars as pl
import pytest
from command import reporting
from snapshot import snapshot

from reporting.app.run.check import check_report
from reporting.app.run.counts import make_bundle
from reporting.app.run.report import make_report
from reporting.app.run.verify import verify
from reporting.document.frames.metrics import METRICS
from reporting.inputs.bundle import METADATA, Noise, described
from tests.inputs.bundles.sites import Sites
from tests.inputs.bundles.test_bad_bundles import changed, message

ASKED = (
    'criteria: [min_hter, "fixed(threshold=0.6)"]',
    "measures: [far, frr, hter, precision, f1, auc, gini, eer_rocch, mindcf, brier]",
    "operating_points: [{name: rare, p_target: 0.1, c_miss: 1, c_fa: 1}]",
    "curves: [roc, det, pr, histogram, cost]",
    "report: {formats: [html, json]}",
)


def table(n=4000, models="ab"):
    rng = np.random.default_rng(11)
    label = rng.random(n) < 0.4
    return pl.concat(
        pl.DataFrame(
            {
                "model": [model] * n,
                "split": np.where(np.arange(n) % 2, "dev", "test"),
                "label": label.astype(int),
                "score": (rng.normal(size=n) + 1.3 * label).round(2),
            }
        )
        for model in models
    )


@pytest.fixture
def site(tmp_path):
    """A folder with the config of a table, and what it is called."""
    made = Sites(tmp_path, table())
    made.table.write_csv(tmp_path / "t.csv")
    return made, made.config("t", "source: t.csv, coarse: 30")


NOISE = Noise(1.0, -4.0, 6.0, 32)


@pytest.fixture
def noisy(site):
    """The sites, and a config of the file with noise."""
    sites, config = site
    make_bundle(config, sites.folder / "n.parquet", noise=NOISE)
    return sites, sites.config("n", "layout: counts, source: n.parquet", *ASKED)


def frames(folder):
    return {path.stem: pl.read_parquet(path) for path in (folder / "frames").iterdir()}


def test_from_the_command_to_the_report(site):
    sites, config = site
    out = sites.folder / "n.parquet"
    done = reporting("counts", config, "-o", out, "--noise", "1", "--range", "-4", "6", "--bins", "32")
    assert (done.returncode, done.stdout) == (0, f"{out}\n"), done.stderr
    told = (
        "privacy: epsilon 1 for each score; a person with k trials scored by 2 models and runs has k x 2 x 1"
    )
    assert done.stderr.splitlines()[-1].endswith(told)
    assert described(out, "n").noise == NOISE
    assert pl.read_parquet(out).height == 2 * 2 * 2 * 32
    report = make_report(sites.config("n", "layout: counts, source: n.parquet", *ASKED))
    metrics = frames(report)["metrics"].filter(pl.col("threshold_source") != "oracle", split="test")
    assert set(metrics["measure"]) == {"far", "frr", "hter", "precision", "f1"}
    ways = dict(metrics.select("measure", "ci_method").unique().rows())
    assert ways == {
        "far": "wilson_noise", "frr": "wilson_noise", "precision": "wilson_noise", "hter": "square_and_add", "f1": None,
    }  # fmt: skip
    assert verify(report).status == 0


def test_default_bins_and_the_range_of_one_site_in_another_file(site):
    sites, config = site
    out = sites.folder / "n.parquet"
    assert reporting("counts", config, "-o", out, "--noise", "2", "--range", "0", "1").returncode == 0
    assert described(out, "n").noise == Noise(2.0, 0.0, 1.0, 64)


def test_intervals_hold_the_values_and_are_wider_than_without_noise(noisy):
    sites, config = noisy
    exact = sites.config("e", "layout: counts, source: e.parquet", *ASKED)
    rows = pl.read_parquet(sites.folder / "n.parquet").filter(pl.col("n") > 0)
    (sites.folder / "e.parquet").write_bytes((sites.folder / "n.parquet").read_bytes())
    changed(sites.folder / "e.parquet", rows, noise=None, format=1)
    keys = ["model", "split", "measure", "criterion"]
    both = frames(make_report(config))["metrics"].join(
        frames(make_report(exact))["metrics"], on=keys, nulls_equal=True
    )
    assert both["value"].equals(both["value_right"])
    with_ci = both.drop_nulls("ci_low")
    assert set(with_ci["measure"]) == {"far", "frr", "hter", "precision", "auc", "gini"}
    assert (with_ci["ci_low"] <= with_ci["ci_low_right"]).all()
    assert (with_ci["ci_high"] >= with_ci["ci_high_right"]).all()
    left_out = both.filter(pl.col("flags").list.contains("noise_left_out"))
    assert set(left_out["measure"]) == {"f1", "eer_rocch", "mindcf", *({"brier"} & set(left_out["measure"]))}
    assert left_out["value"].null_count() == 0
    assert left_out["ci_low"].null_count() == left_out.height


@pytest.mark.parametrize("setting", ["intervals: procedure", "interval: percentile"])
def test_other_intervals_do_not_know_the_noise(noisy, setting):
    sites, _ = noisy
    asked = "measures: [far, auc]", "criteria: [min_hter]", "report: {formats: [json]}"
    settings = f"significance: {{{setting}, replicates: 200}}"
    config = sites.config("o", "layout: counts, source: n.parquet", settings, *asked)
    rows = frames(make_report(config))["metrics"].filter(split="test", measure="far", threshold_source="dev")
    assert rows.select("ci_low", "flags").rows() == [(None, ["noise_left_out"])] * 2


LIMIT = re.compile(
    r"(^|_)(ci|band|joint|behind|rank)_(low|high)$|^(p_value|p_adjusted|p_exact|se|difference)$"
)


def test_no_frame_has_an_interval_that_ignores_the_noise(noisy):
    every = frames(make_report(noisy[1]))
    assert every.keys() == {
        "areas", "comparisons", "cost", "dcf", "epc", "epc_steps", "histogram", "metrics", "pr", "roc", "trials",
    }  # fmt: skip
    for name, frame in every.items():
        for column in filter(LIMIT.search, frame.columns):
            filled = frame[column].drop_nulls().len()
            # At given thresholds FAR and FRR have limits that include it, along a curve as in a table.
            included = (("epc", "ci"), ("dcf", "actual_ci"))
            if name == "metrics" or (name, column.removesuffix("_low").removesuffix("_high")) in included:
                assert filled
            else:
                assert not filled, (name, column)
    assert set(every["comparisons"]["status"]) == {"no_trial_key"}


def test_the_report_says_what_was_added(noisy):
    report = make_report(noisy[1])
    text = (report / "report.json").read_text(encoding="utf-8")
    # Two models: sqrt(v 32 / 2), v = 2 e^-1 / (1 - e^-1)^2 = 1.8413.
    added = (
        "Every count carries random noise (differential privacy, epsilon 1 per score). Its standard deviation is 5.4"
        " for the number of targets or of non-targets, and at most "
    )
    assert added in text
    assert added in check_report(noisy[1])
    assert "TR332" in text
    assert "minDCF" in text
    assert "TR227" in text
    assert "counted in 32 equal bins; an AUC is within about" in text
    assert "In simulations they contained" not in text


GATES = (
    "gates:",
    "  - {measure: hter, model: a, at_most: 0.45}",
    "  - {measure: eer_rocch, model: a, at_most: 0.45}",
    "  - {measure: auc, model: a, at_least: 0.6}",
    "  - {measure: hter, model: a, against: b, not_worse_by: 0.02}",
)


def test_gates_see_the_noise_or_are_undecided(noisy):
    sites, _ = noisy
    config = sites.config("g", "layout: counts, source: n.parquet", "report: {formats: [json]}", *GATES)
    gates = frames(make_report(config))["gates"].sort("measure", "against")
    assert gates.select("measure", "outcome", "ci_method", "reason").rows() == [
        ("auc", "pass", "delong_noise", None),
        ("eer_rocch", "undecided", None, "noise_unknown"),
        ("hter", "pass", "square_and_add", None),
        ("hter", "undecided", None, "no_trial_key"),
    ]


def test_two_files_are_added_with_the_noise_of_both(site):
    sites, config = site
    for name, epsilon in (("x", 1.0), ("y", 0.5)):
        make_bundle(config, sites.folder / f"{name}.parquet", noise=Noise(epsilon, -4.0, 6.0, 32))
    pooled = sites.config("p", "layout: counts, source: [x.parquet, y.parquet]", *ASKED)
    checked = check_report(pooled)
    assert "epsilon 0.5, 1 per score" in checked
    make_bundle(config, sites.folder / "y.parquet", noise=Noise(1.0, -4.0, 6.0, 16))
    assert "the bins of noisy counts differ (16 from -4.0 to 6.0, not 32 from -4.0 to 6.0)" in message(pooled)
    make_bundle(config, sites.folder / "y.parquet")
    assert "the bins of noisy counts differ (none, not 32 from -4.0 to 6.0)" in message(pooled)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--noise", "1"], "--noise: give the range of the scores, such as --range 0 1"),
        (["--range", "0", "1"], "--range parts scores for --noise"),
        (["--bins", "8"], "--bins parts scores for --noise"),
        (["--noise", "0", "--range", "0", "1"], "epsilon is 0; from 0.001 to 100 is allowed"),
        (["--noise", "-1", "--range", "0", "1"], "epsilon is -1; from 0.001 to 100"),
        (["--noise", "nan", "--range", "0", "1"], "epsilon is nan; from 0.001 to 100"),
        (["--noise", "inf", "--range", "0", "1"], "epsilon is inf; from 0.001 to 100"),
        (["--noise", "1", "--range", "1", "1"], "the range is 1 to 1; expected two finite numbers, rising"),
        (["--noise", "1", "--range", "nan", "1"], "the range is nan to 1; expected"),
        (["--noise", "1", "--range", "0", "inf"], "the range is 0 to inf; expected"),
        (["--noise", "1", "--range", "-1e308", "1e308"], "the range is -1e+308 to 1e+308; expected"),
        (
            ["--noise", "1", "--range", "0", "1", "--bins", "1"],
            "there are 1 bins; from 2 to 4096 are allowed",
        ),
        (["--noise", "1", "--range", "0", "1", "--bins", "4097"], "there are 4097 bins; from 2 to 4096"),
        (["--noise", "1", "--range", "0", "1", "--paired"], "leave --paired out"),
        (["--noise", "1", "--range", "0", "1", "--least", "5"], "leave --least out"),
        (["--noise", "1", "--range", "0", "1", "--sql", "duckdb"], "leave it out with --sql"),
        (["--noise", "1", "--range", "1", "1.0000001"], "30 bits of a score do not separate so many bins"),
    ],
)
def test_what_cannot_be_hidden_exits_2_and_writes_nothing(site, options, told):
    sites, config = site
    out = sites.folder / "n.parquet"
    done = reporting("counts", config, "-o", out, "-q", *options)
    assert done.returncode == 2
    assert told in " ".join(done.stderr.split())
    assert done.stderr.count("error: ") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("column", "keys", "told"),
    [
        (
            "cluster",
            (),
            "--noise: that a cluster is in the file cannot be hidden; set trials.columns.cluster: none",
        ),
        ("sex", ("by: [sex]",), "--noise: counts by 'sex' would show which values occur; leave 'by' out"),
    ],
)
def test_clusters_and_groups_are_refused(tmp_path, column, keys, told):
    rows = table(200).with_columns(
        pl.Series(column, ["x", "y"] * 200), trial=pl.int_range(pl.len()).over("model")
    )
    rows.write_csv(tmp_path / "t.csv")
    config = Sites(tmp_path, rows).config("t", "source: t.csv, coarse: 30", *keys)
    done = reporting("counts", config, "-o", tmp_path / "n.pq", "-q", "--noise", "1", "--range", "0", "1")
    assert done.returncode == 2
    assert done.stderr == f"error: {told} [TR601]\n"
    assert not (tmp_path / "n.pq").exists()


def test_without_the_library_the_extra_is_named(site, monkeypatch):
    sites, config = site
    monkeypatch.setitem(sys.modules, "opendp", None)
    monkeypatch.delitem(sys.modules, "reporting.app.run.noising", raising=False)
    monkeypatch.delitem(sys.modules, "opendp.prelude", raising=False)
    done = reporting("counts", config, "-o", sites.folder / "n.pq", "-q", "--noise", "1", "--range", "0", "1")
    assert done.returncode == 2
    snapshot("bundles/noisy_without_the_library_the_extra_is_named", done.stderr)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "significance: {tests: [mcnemar]}",
            "significance.tests: what the noise on these counts does to 'mcnemar'",
        ),
        (
            "curves: [roc, reliability]",
            "curves: what the noise on these counts does to 'reliability' is not known",
        ),
        (
            "fits: [binormal]",
            "fits: what the noise on these counts does to 'binormal' is not known; leave it out",
        ),
        (
            "report: {recompute: true}",
            "report.recompute: what the noise on these counts does to 'report.recompute' is not known",
        ),
        (
            "report: {sections: [summary, ranking]}",
            "report.sections: what the noise on these counts does to 'ranking'",
        ),
    ],
)
def test_what_noise_changes_in_unknown_ways_is_refused(noisy, asked, told):
    sites, _ = noisy
    assert told in message(sites.config("q", "layout: counts, source: n.parquet", asked))


@pytest.mark.parametrize(
    "noise",
    [
        7,
        [],
        {},
        {"epsilon": "1", "low": 0.0, "high": 1.0, "bins": 32},
        {"epsilon": float("nan"), "low": -4.0, "high": 6.0, "bins": 32},
        {"epsilon": 10**400, "low": -4.0, "high": 6.0, "bins": 32},
        {"epsilon": True, "low": -4.0, "high": 6.0, "bins": 32},
        {"epsilon": 0, "low": -4.0, "high": 6.0, "bins": 32},
        {"epsilon": 1.0, "low": 6.0, "high": -4.0, "bins": 32},
        {"epsilon": 1.0, "low": -4.0, "high": 6.0, "bins": 10**9},
        {"epsilon": 1.0, "low": -4.0, "high": 6.0, "bins": 32.5},
        {"epsilon": 1.0, "low": -(10**400), "high": 6.0, "bins": 32},
    ],
)
def test_descriptions_of_impossible_noise_are_refused(noisy, noise):
    sites, config = noisy
    changed(sites.folder / "n.parquet", noise=noise)
    assert "the description of the bundle is damaged" in message(config)


@pytest.mark.parametrize(
    ("change", "said", "told"),
    [
        (
            lambda rows: rows.filter(pl.col("n") > 0),
            {},
            "its noisy counts are not those of 32 bins for each class",
        ),
        (
            lambda rows: rows,
            {"noise": {"epsilon": 1.0, "low": -4.0, "high": 6.0, "bins": 16}},
            "not those of 16 bins",
        ),
        (
            lambda rows: rows,
            {"noise": {"epsilon": 1.0, "low": -5.0, "high": 6.0, "bins": 32}},
            "not those of 32 bins",
        ),
        (
            lambda rows: rows.with_columns(n=pl.col("n") - 1),
            {},
            "rows hold a negative number of trials; first -1",
        ),
        (
            lambda rows: rows.filter(split="dev"),
            {},
            "its noisy counts are not those of 32 bins for each class",
        ),
        (lambda rows: rows, {"noise": None}, "rows hold less than one trial; first 0"),
        (lambda rows: rows, {"format": 4}, "is a bundle of format 4, made by a newer version"),
    ],
)
def test_files_that_are_not_as_noise_leaves_them_are_refused(noisy, change, said, told):
    sites, config = noisy
    path = sites.folder / "n.parquet"
    changed(path, change(pl.read_parquet(path)), **said)
    assert told in message(config)


def test_files_without_noise_say_nothing_of_it(site):
    sites, config = site
    make_bundle(config, sites.folder / "plain.parquet")
    about = json.loads(pl.read_parquet_metadata(sites.folder / "plain.parquet")[METADATA])
    assert about["format"] == 1
    assert "noise" not in about


def test_one_config_gives_other_noise_each_time(site):
    sites, config = site
    files = [make_bundle(config, sites.folder / f"{name}.parquet", noise=NOISE) for name in "xy"]
    assert not pl.read_parquet(files[0]).equals(pl.read_parquet(files[1]))


def test_hostile_names_and_scores_survive(tmp_path):
    rows = table(400, models=["<b>&\"'", "=1+1"])
    wild = pl.Series("score", [float("inf"), -float("inf"), 1e308, -1e308, 0.0, -0.0, 5e-324, 1.0] * 100)
    rows.with_columns(wild).write_parquet(tmp_path / "t.parquet")
    sites = Sites(tmp_path, rows)
    config = sites.config("t", "source: t.parquet, coarse: 30")
    make_bundle(config, tmp_path / "n.parquet", noise=Noise(0.5, 0.0, 1.0, 4))
    report = make_report(
        sites.config("n", "layout: counts, source: n.parquet", "report: {formats: [html, latex]}")
    )
    metrics = frames(report)["metrics"]
    assert set(metrics["model"]) == {"<b>&\"'", "=1+1"}
    assert METRICS.schema == metrics.schema
    assert "<b>&\"'" not in (report / "report.html").read_text(encoding="utf-8")


def test_lower_scores_may_speak_for_the_target(tmp_path):
    rows = table()
    rows.with_columns(-pl.col("score")).write_csv(tmp_path / "t.csv")
    sites = Sites(tmp_path, rows)
    turned = "models: {a: {higher_is: nontarget}, b: {higher_is: nontarget}}"
    config = sites.config("t", "source: t.csv, coarse: 30", turned)
    make_bundle(config, tmp_path / "n.parquet", noise=Noise(50.0, -6.0, 4.0, 32))
    asked = "measures: [auc]", "significance: {replicates: 99}", "report: {formats: [json]}"
    metrics = frames(make_report(sites.config("n", "layout: counts, source: n.parquet", turned, *asked)))[
        "metrics"
    ]
    auc = metrics.filter(measure="auc", split="test")
    assert (auc["value"] > 0.75).all()
    assert auc["ci_low"].null_count() == 0
