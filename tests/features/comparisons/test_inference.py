"""Estimands, runs, pair trials, shared clusters and joint corrections, from the config to the frames."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from from_config import frames_from, only
from scipy.optimize import brentq
from scipy.special import expit, logit, stdtrit
from scipy.stats import t as student_t

from reporting.core.stats.swap import Swaps
from reporting.errors import ConfigError
from reporting.features.comparisons.frame import DrawnComparison, _adjusted

ASKED = """\
measures: [far, frr, hter, auc]
criteria: [min_hter]
epc: none
"""


def table(model="a", run="0", seed=1, n=120, shift=1.5, trials=1):
    """Dev and test trials with two speakers each; models and runs differ in their scores only."""
    common, own = np.random.default_rng(trials), np.random.default_rng([seed, 7])
    rows = []
    for split in ("dev", "test"):
        label = common.random(n) < 0.4
        label[:4] = True, False, True, False
        first, second = common.integers(0, 12, (2, n))
        score = np.round(own.normal(size=n) + shift * label, 1)
        for i in range(n):
            rows.append(
                {
                    "model": model, "run": run, "split": split, "trial": f"{split}{i}", "label": bool(label[i]),
                    "score": float(score[i]), "said": f"{split}{first[i]}", "heard": f"{split}{second[i]}",
                    "speaker": f"s{first[i]}",
                }
            )  # fmt: skip
    return rows


def two_models():
    return table("a", seed=1) + table("b", seed=2, shift=1.1)


OF_FAMILY = "p_adjusted", "family_size", "correction", "band_low", "band_high"


def headline(frames, **more):
    asked = {"measure": "hter", "criterion": "min_hter", "parameter": None, "inference": "procedure"}
    return only(frames["comparisons"], **(asked | more))


def test_models_that_exchange_one_pair_have_the_exact_error_of_their_areas(tmp_path):
    """One of n targets, and one of n non-targets, has a placement 1 / n higher: a variance of 2 / n^4."""
    n = 400
    rows = [
        {"model": model, "split": split, "trial": f"{split}{i}", "label": i % 2 == 1, "score": float(i)}
        for model in "ab"
        for split in ("dev", "test")
        for i in range(2 * n)
    ]
    exchanged = {("b", "test400"): 401.0, ("b", "test401"): 400.0}
    rows = [row | {"score": exchanged.get((row["model"], row["trial"]), row["score"])} for row in rows]
    found = only(frames_from(tmp_path, rows, "measures: [auc]\nepc: none\n")["comparisons"], measure="auc")
    assert abs(found["difference"]) == pytest.approx(1 / n**2, rel=1e-10, abs=0)
    assert found["se"] == pytest.approx(2**0.5 / n**2, rel=1e-13, abs=0)


def test_both_estimands_stand_side_by_side_and_only_the_headline_is_in_the_family(tmp_path):
    frames = frames_from(tmp_path / "both", two_models(), ASKED)
    again, given = headline(frames), headline(frames, inference="given_thresholds")
    assert again["difference"] == pytest.approx(given["difference"], abs=1e-15)
    assert (again["family"], again["p_method"], again["ci_method"]) == ("primary", "swap", "swap")
    assert (given["family"], given["p_method"], given["p_adjusted"]) == ("descriptive", "exact_midp", None)
    assert again["p_adjusted"] == again["p_value"]
    assert again["ci_high"] - again["ci_low"] != given["ci_high"] - given["ci_low"]
    fixed = frames_from(tmp_path / "fixed", two_models(), ASKED, "significance.comparisons=given_thresholds")
    assert set(fixed["comparisons"]["inference"]) == {"given_thresholds", None}
    assert headline(fixed, inference="given_thresholds")["family"] == "primary"
    assert headline(fixed, inference="given_thresholds")["p_exact"] == given["p_exact"]


def test_thresholds_that_no_dev_chose_are_given(tmp_path):
    frames = frames_from(
        tmp_path / "fixed", two_models(), ASKED + "primary: {criterion: fixed(threshold=0.5)}"
    )
    rows = frames["comparisons"].filter(criterion="fixed(threshold=0.5)")
    assert set(rows["inference"]) == {"given_thresholds"}
    assert only(rows, measure="hter")["family"] == "primary"


def test_intervals_of_one_model_may_speak_of_the_procedure(tmp_path):
    given = frames_from(tmp_path / "given", two_models(), ASKED)["metrics"]
    again = frames_from(tmp_path / "again", two_models(), ASKED, "significance.intervals=procedure")[
        "metrics"
    ]
    asked = {"model": "a", "split": "test", "measure": "hter", "criterion": "min_hter"}
    one, other = only(given, **asked), only(again, **asked)
    assert (one["inference"], other["inference"]) == ("given_thresholds", "procedure")
    assert one["value"] == other["value"]
    assert (one["ci_low"], one["ci_high"]) != (other["ci_low"], other["ci_high"])
    rate = only(again, **(asked | {"measure": "far"}))
    assert rate["ci_method"] == "percentile"


def test_a_third_model_changes_neither_estimand_of_the_others(tmp_path):
    alone = frames_from(tmp_path / "two", two_models(), ASKED)
    more = frames_from(tmp_path / "three", two_models() + table("c", seed=3), ASKED)
    both = [frames["comparisons"].filter(model="b", baseline="a").drop(OF_FAMILY) for frames in (alone, more)]
    assert both[0].equals(both[1])


def test_bands_along_alpha_hold_the_pointwise_estimate_and_are_wider(tmp_path):
    frames = frames_from(tmp_path / "bands", two_models(), "measures: [hter]\ncriteria: [min_hter]")
    along = frames["comparisons"].filter(pl.col("parameter").is_not_null(), measure="hter")
    assert set(along["inference"]) == {"procedure"}
    inside = along.filter(pl.col("parameter").is_between(0.1, 0.9))
    assert (inside["band_low"] < inside["difference"]).all()
    assert (inside["band_low"] <= inside["ci_low"]).all()
    assert (inside["ci_high"] <= inside["band_high"]).all()
    curve = frames["epc"].filter(measure="hter").filter(pl.col("alpha").is_between(0.1, 0.9))
    assert ((curve["band_low"] < curve["value"]) & (curve["value"] < curve["band_high"])).all()
    pointwise = (curve["ci_high"] - curve["ci_low"]).mean()
    assert (curve["band_high"] - curve["band_low"]).mean() > 1.02 * pointwise


def test_max_t_adjusts_less_than_bonferroni_and_not_below_the_member(tmp_path):
    rows = two_models() + table("c", seed=3, shift=1.2)
    many = "significance.replicates=1999"
    frames = frames_from(tmp_path / "maxt", rows, ASKED, "significance.correction=maxt", many)
    family = frames["comparisons"].filter(family="primary")
    assert family.height == 3
    assert set(family["correction"]) == {"maxt"}
    assert (family["p_adjusted"] > 0).all()
    assert (family["band_low"] <= family["ci_low"]).all()
    plain = frames_from(tmp_path / "holm", rows, ASKED, many)["comparisons"].filter(family="primary")
    np.testing.assert_allclose(family["difference"], plain["difference"])
    assert family.sort("p_value")["p_adjusted"].is_sorted()
    # The least of three is held against the largest of three: about thrice as likely by chance.
    least = family.sort("p_value").row(0, named=True)
    assert 1.3 * least["p_value"] < least["p_adjusted"] < 3.5 * least["p_value"]


def test_clusters_of_both_splits_are_one_draw(tmp_path):
    config = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" + ASKED
    shared = frames_from(tmp_path / "shared", two_models(), config)
    apart = frames_from(
        tmp_path / "apart",
        [row | {"speaker": row["split"] + row["speaker"]} for row in two_models()],
        config,
    )
    one, other = headline(shared), headline(apart)
    assert (one["unit"], one["n_units"], one["p_method"]) == ("cluster", 12, "swap")
    assert one["difference"] == other["difference"]
    assert one["ci_low"] != other["ci_low"]
    assert "few_clusters" in one["flags"]


@pytest.mark.parametrize("pools", ["one", "two"])
def test_pair_trials(tmp_path, pools):
    config = (
        f"trials: {{source: trials.parquet, columns: {{cluster: [said, heard]}}, clusters: {{pools: {pools}}}}}\n"
    ) + ASKED
    frames = frames_from(tmp_path / pools, two_models(), config)
    row = headline(frames)
    assert (row["unit"], row["n_units"], row["p_method"]) == ("cluster", 12, "t")
    area = only(frames["metrics"], measure="auc", model="a", split="test")
    assert area["ci_method"] == "logit_clustered"
    assert area["ci_low"] < area["value"] < area["ci_high"]
    ignored = headline(frames_from(tmp_path / f"{pools}i", two_models(), config, "significance.unit=trial"))
    assert (ignored["unit"], ignored["n_units"]) == ("trial", 120)


def seeds():
    """Three seeds of a and two of b, on the same trials."""
    a = [row for seed in (1, 2, 3) for row in table("a", f"{seed}", seed)]
    return a + [row for seed in (4, 5) for row in table("b", f"{seed}", seed, shift=1.1)]


@pytest.mark.parametrize("runs", ["seed", "reader"])
def test_the_mean_over_runs_is_what_is_compared(tmp_path, runs):
    config = f"trials: {{source: trials.parquet, columns: {{run: run}}, runs: {runs}}}\n" + ASKED
    frames = frames_from(tmp_path / runs, seeds(), config)
    metrics = frames["metrics"].filter(split="test", measure="hter", criterion="min_hter")
    mean = {}
    for model, names in (("a", "123"), ("b", "45")):
        each = [only(metrics, model=model, run=name) for name in names]
        exact = [
            (Fraction(r["misses"], r["n_target"]) + Fraction(r["false_alarms"], r["n_nontarget"])) / 2
            for r in each
        ]
        mean[model] = sum(exact) / len(exact)
        row = only(metrics, model=model, run="mean")
        assert row["value"] == pytest.approx(float(mean[model]), abs=1e-15)
        assert row["ci_low"] < row["value"] < row["ci_high"]
        assert ("few_readers" in row["flags"]) == (runs == "reader")
    compared = headline(frames)
    assert compared["difference"] == pytest.approx(float(mean["b"] - mean["a"]), abs=1e-15)
    assert compared["p_method"] == {"seed": "normal", "reader": "t"}[runs]
    assert headline(frames, measure="auc", criterion=None, inference=None)["p_value"] is not None
    assert headline(frames, inference="given_thresholds")["p_method"] == compared["p_method"]


def test_drawing_readers_too_widens_the_interval(tmp_path):
    config = "trials: {{source: trials.parquet, columns: {{run: run}}, runs: {}}}\nsignificance: {{replicates: 999}}\n"
    width = {}
    for runs in ("seed", "reader"):
        rows = headline(
            frames_from(tmp_path / runs, seeds(), config.format(runs) + ASKED), inference="given_thresholds"
        )
        width[runs] = rows["ci_high"] - rows["ci_low"]
    assert width["reader"] > width["seed"]


def test_the_mean_over_readers_has_the_interval_of_other_readers(tmp_path):
    """Logit of the mean, SE^2 = S^2 / R + c and df = SE^4 (R - 1) / (S^2 / R)^2: at least readers' own t."""
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: reader}\n" + ASKED
    metrics = frames_from(tmp_path, seeds(), config)["metrics"].filter(split="test", measure="auc", model="a")
    of_readers = np.array([only(metrics, run=name)["value"] for name in "123"])
    row, own = only(metrics, run="mean"), of_readers.var(ddof=1) / 3
    assert row["ci_method"] == "logit_t"
    assert row["se"] ** 2 >= own * (1 - 1e-12)
    df, mean = row["se"] ** 4 * 2 / own**2, of_readers.mean()
    half = stdtrit(df, 0.975) * row["se"] / (mean * (1 - mean))
    limits = expit(logit(mean) - half), expit(logit(mean) + half)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(limits, rel=1e-9)


@pytest.mark.parametrize("method", ["auto", "percentile", "basic", "centred", "studentized", "bca"])
def test_the_mean_over_readers_has_limits_within_the_measure(tmp_path, method):
    """Two readers far apart: Student's t with one degree of freedom reaches beyond 1; replicates did too."""
    rows = [
        r for run, shift in (("1", 0.2), ("2", 4.0)) for r in table("a", run, int(run), n=40, shift=shift)
    ]
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: reader}\n" + ASKED
    frames = frames_from(tmp_path, rows, config, f"significance.interval={method}")
    limits = frames["metrics"].filter(split="test", run="mean").drop_nulls("ci_low")
    assert limits.height >= 4
    assert limits["ci_low"].min() >= 0
    assert limits["ci_high"].max() <= 1
    assert (limits["ci_low"] <= limits["value"]).all()
    assert (limits["value"] <= limits["ci_high"]).all()


def test_areas_over_readers_do_not_depend_on_the_seed(tmp_path):
    """The covariances of readers are DeLong's: neither the test nor the interval of a mean is drawn."""
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: reader}\n" + ASKED
    found = []
    for seed in (1, 2):
        more = f"significance: {{seed: {seed}, replicates: 99}}\n"
        frames = frames_from(tmp_path / f"{seed}", seeds(), config + more)
        row = only(frames["comparisons"], measure="auc")
        mean = only(frames["metrics"], split="test", measure="auc", model="a", run="mean")
        columns = ("ci_low", "ci_high", "se", "p_value", "mc_error")
        found.append([row[name] for name in columns] + [mean[name] for name in columns[:3]])
    assert found[0] == found[1]
    assert found[0][4] == 0.0


def test_a_study_of_readers_is_the_analysis_of_obuchowski_and_rockette(shared, tmp_path):
    """Five readers, two modalities, 100 cases: by the closed form p = .0514, Cov2 - Cov3 = .000097."""
    table = pl.read_csv(shared / "cases/clinic/reads.csv")
    rows = table.rename({"modality": "model", "reader": "run", "case": "trial", "rating": "score"})
    rows = rows.with_columns(
        label=pl.col("truth").replace_strict({"diseased": "target", "healthy": "nontarget"}),
        split=pl.lit("test"),
    ).drop("truth")
    asked = "thresholds: {policy: none}\nprimary: {measure: auc}\nmeasures: [auc]\nbaseline: CT\n"
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: reader}\n" + asked
    row = only(frames_from(tmp_path, rows.to_dicts(), config)["comparisons"], measure="auc")
    assert round(row["p_value"], 4) == 0.0514


def test_a_model_with_several_runs_leaves_the_others_as_they_are(tmp_path):
    alone = frames_from(tmp_path / "alone", two_models(), ASKED)
    more = frames_from(tmp_path / "more", two_models() + seeds()[: 3 * 240], ASKED)
    pair = frames_from(
        tmp_path / "pair",
        two_models() + [row | {"model": "c"} for seed in (1, 2) for row in table("c", f"{seed}", seed)],
        ASKED,
    )
    assert alone["comparisons"].height < pair["comparisons"].height
    first, second = (
        frames["comparisons"].filter(model="b", baseline="a").drop(OF_FAMILY) for frames in (alone, pair)
    )
    assert first.equals(second)
    assert set(more["metrics"].filter(model="a")["run"]) == {"0", "1", "2", "3", "mean"}


def test_folds_are_judged_at_their_own_thresholds_and_pooled(tmp_path):
    """Each trial is tested once; misses and false alarms are summed over folds."""
    rows, expected = [], {"a": [0, 0], "b": [0, 0]}
    per_fold = {}
    for model, shift in (("a", 1.5), ("b", 1.1)):
        for fold in ("x", "y", "z"):
            trials_of_fold = {"x": 21, "y": 22, "z": 23}[fold]
            part = table(model, fold, seed=trials_of_fold, n=40, shift=shift, trials=trials_of_fold)
            part = [row | {"trial": f"{fold}{row['trial']}"} for row in part]
            rows += part
            alone = frames_from(tmp_path / f"{model}{fold}", [r | {"run": "0"} for r in part], ASKED)
            row = only(alone["metrics"], split="test", measure="hter", criterion="min_hter")
            per_fold[model, fold] = row
            expected[model][0] += row["misses"]
            expected[model][1] += row["false_alarms"]
    config = "trials: {source: trials.parquet, columns: {run: run}, runs: fold}\n" + ASKED
    frames = frames_from(tmp_path / "folds", rows, config)
    for model in "ab":
        row = only(frames["metrics"], model=model, split="test", measure="hter", criterion="min_hter")
        assert [row["misses"], row["false_alarms"]] == expected[model]
        assert (row["run"], row["threshold"], row["threshold_source"]) == ("pooled", None, "dev")
    compared = headline(frames, inference="given_thresholds")
    assert (compared["family"], compared["p_method"]) == ("primary", "exact_midp")


def test_dev_sets_with_very_many_scores_are_chosen_on_in_bins_and_say_so(tmp_path, monkeypatch):
    free = frames_from(tmp_path / "free", two_models(), ASKED)
    monkeypatch.setattr("reporting.core.resampling.settings.EXACT_SCORES", 10)
    binned = frames_from(tmp_path / "binned", two_models(), ASKED)
    assert "coarse_dev" in headline(binned)["flags"]
    assert "coarse_dev" not in headline(binned, inference="given_thresholds")["flags"]
    assert "coarse_dev" not in headline(free)["flags"]
    one, other = ((row["ci_high"] - row["ci_low"]) for row in (headline(free), headline(binned)))
    assert one == pytest.approx(other, rel=0.25)


def test_means_over_a_column_are_not_taken_over_runs(tmp_path):
    config = "trials: {source: trials.parquet, columns: {run: run}}\naveraged_over: said\n" + ASKED
    with pytest.raises(
        ConfigError, match="averaged_over: means over a column are not supported with several runs of a model"
    ):
        frames_from(tmp_path / "macro", seeds(), config)


@pytest.mark.parametrize("method", ["percentile", "centred", "basic", "studentized", "bca"])
def test_a_named_method_makes_intervals_and_p_values(tmp_path, method):
    """Independent trials: every method at a threshold; over the sweep the influence is not known."""
    settings = f"significance.interval={method}", "significance.replicates=999"
    frames = frames_from(tmp_path / method, two_models(), ASKED, *settings)
    found = headline(frames, inference="given_thresholds")
    assert (found["ci_method"], found["p_method"]) == (method, method)
    assert found["ci_low"] < found["ci_high"]
    again = headline(frames)
    elsewhere = "percentile" if method in ("studentized", "bca") else method
    assert (again["ci_method"], again["p_method"]) == (elsewhere, elsewhere)
    one = only(frames["metrics"], model="a", split="test", measure="far", criterion="min_hter")
    assert one["ci_method"] == method
    assert one["ci_low"] <= one["value"] <= one["ci_high"]
    assert only(frames["metrics"], model="a", split="test", measure="auc")["ci_method"] == elsewhere


T2 = {"basic": 0.0247, "centred": 0.0240, "bca": 0.0188, "studentized": 0.0247}


@pytest.mark.parametrize(
    "method",
    [pytest.param(method, marks=() if method == "centred" else pytest.mark.long) for method in T2],
)
def test_the_papers_interval_of_t2_is_centred_at_the_mean_of_the_replicates(tmp_path, method):
    """Methods 8.6: of T2 the shift p is .0247, the centred p .0233 to .0248, BCa's .0188."""
    counts = {True: (150, 8, 26, 16), False: (18, 16, 34, 732)}
    patterns = ((1, 1), (1, 0), (0, 1), (0, 0))
    rows = []
    for split in ("dev", "test"):
        for label, of_class in counts.items():
            for pattern, n in zip(patterns, of_class, strict=True):
                for i in range(n):
                    for model, accepted in zip("ab", pattern, strict=True):
                        trial = f"{split}{label}{pattern}{i}"
                        rows.append({"model": model, "split": split, "trial": trial, "label": label,
                                     "score": float(accepted)})  # fmt: skip
    config = "measures: [hter]\nprimary: {criterion: fixed(threshold=0.5)}\ncriteria: []\nepc: none"
    config += "\nsignificance: {replicates: 20000, stratify: label}"
    frames = frames_from(tmp_path, rows, config.replace("20000", f"20000, interval: {method}"),
                         "significance.replicates=20000")  # fmt: skip
    row = only(frames["comparisons"], measure="hter", model="b", baseline="a")
    assert row["difference"] == pytest.approx(-0.03375)
    assert row["p_value"] == pytest.approx(T2[method], abs=4 * np.sqrt(T2[method] / 20000) + 0.001)


def test_a_guarantee_is_not_chosen_again(tmp_path):
    """It counts order statistics of distinct trials, which a resample does not have."""
    name = "guarantee(far=0.2,confidence=0.5)"
    config = f"criteria: ['{name}', min_hter]\nprimary: {{criterion: '{name}'}}\nmeasures: [hter]\nepc: none"
    rows = frames_from(tmp_path / "guarantee", two_models(), config)["comparisons"]
    assert set(rows.filter(criterion=name)["inference"]) == {"given_thresholds"}
    assert set(rows.filter(criterion="min_hter")["inference"]) == {"given_thresholds", "procedure"}


OWN = "trials: {source: trials.parquet, columns: {cluster: own}}\n"


def test_clusters_of_one_trial_are_exchanged_as_trials(tmp_path):
    trials = [row | {"own": row["trial"]} for row in two_models()]
    plain = headline(frames_from(tmp_path / "trial", trials, ASKED))
    own = headline(frames_from(tmp_path / "own", trials, OWN + ASKED))
    assert (plain["p_method"], own["unit"]) == ("swap", "cluster")
    assert [own[name] for name in ("ci_low", "ci_high", "p_value", "se")] == [
        plain[name] for name in ("ci_low", "ci_high", "p_value", "se")
    ]


def test_clusters_of_one_trial_are_trials_but_for_the_factor_and_t(tmp_path):
    """Methods, property P23: the same draws, SE sqrt(G / (G - 1)) as large and t with G - 1, G the trials of the scarcer class."""
    trials = [row | {"own": row["trial"]} for row in two_models()]
    by_bootstrap = "significance.correction=maxt"
    plain = headline(frames_from(tmp_path / "trial", trials, ASKED, by_bootstrap))
    own = headline(frames_from(tmp_path / "own", trials, OWN + ASKED, by_bootstrap))
    targets = sum(row["label"] for row in trials if row["split"] == "test" and row["model"] == "a")
    se = (plain["ci_high"] - plain["difference"]) / 1.959963984540054
    df = min(targets, 120 - targets) - 1
    wider = (own["ci_high"] - own["difference"]) / student_t.ppf(0.975, df)
    assert wider == pytest.approx(se * np.sqrt((df + 1) / df), rel=1e-9)
    assert own["p_value"] == pytest.approx(2 * student_t.sf(abs(own["difference"]) / wider, df), rel=1e-9)


@pytest.mark.parametrize("comparisons", ["procedure", "given_thresholds"])
def test_max_t_knows_that_two_members_are_one(tmp_path, comparisons):
    """A copy of b adds no test: jointly drawn, its difference to a is that of b in every replicate."""
    rows = table("a", seed=1) + table("b", seed=2, shift=1.3)
    rows += [row | {"model": "c"} for row in rows if row["model"] == "b"]
    settings = (
        "significance.correction=maxt", "significance.replicates=1999", f"significance.comparisons={comparisons}",
        "baseline=a",
    )  # fmt: skip
    family = frames_from(tmp_path / comparisons, rows, ASKED, *settings)["comparisons"].filter(
        family="primary"
    )
    assert family.height == 2
    assert family["p_adjusted"].n_unique() == 1
    basic = frames_from(
        tmp_path / f"{comparisons}b",
        [row for row in rows if row["model"] != "c"],
        ASKED,
        *settings,
    )["comparisons"].filter(family="primary")
    assert family["p_adjusted"][0] == basic["p_adjusted"][0]
    assert 0.01 < basic["p_adjusted"][0] < 0.9


def test_the_basic_interval_mirrors_the_percentile_one_and_the_centred_one_is_neither(tmp_path):
    found = {
        method: headline(
            frames_from(tmp_path / method, two_models(), ASKED, f"significance.interval={method}"),
            inference="given_thresholds",
        )
        for method in ("percentile", "basic", "centred")
    }
    d = found["basic"]["difference"]
    assert found["basic"]["ci_low"] == pytest.approx(2 * d - found["percentile"]["ci_high"], abs=1e-12)
    assert found["basic"]["ci_high"] == pytest.approx(2 * d - found["percentile"]["ci_low"], abs=1e-12)
    assert found["centred"]["ci_low"] != found["basic"]["ci_low"]
    middle = (found["centred"]["ci_low"] + found["centred"]["ci_high"]) / 2
    assert abs(middle - d) < 0.02


def test_one_cluster_gives_no_band_no_histogram_and_no_standing(tmp_path):
    rows = [row | {"one": "x"} for row in two_models()]
    config = (
        "trials: {source: trials.parquet, columns: {cluster: one}}\nmeasures: [hter]\ncriteria: [min_hter]"
    )
    frames = frames_from(tmp_path / "one", rows, config)
    assert set(frames["bands"]["status"]) == {"too_few_clusters"}
    assert frames["bands"]["p_miss_low"].null_count() == len(frames["bands"])
    assert frames["epc"]["band_low"].null_count() == len(frames["epc"])
    assert not {"differences", "standing"} & set(frames)


def test_few_clusters_widen_joint_limits_as_they_widen_the_members(tmp_path):
    rows = [row | {"one": f"{row['split']}{int(row['speaker'][1:]) % 5}"} for row in two_models()]
    config = "trials: {source: trials.parquet, columns: {cluster: one}}\n" + ASKED
    family = frames_from(tmp_path / "few", rows, config, "significance.correction=maxt")
    row = family["comparisons"].filter(family="primary").row(0, named=True)
    assert row["band_low"] <= row["ci_low"] + 0.02
    assert row["band_high"] >= row["ci_high"] - 0.02
    assert row["p_adjusted"] >= row["p_value"]
    standing = family["standing"].filter(model="b").row(0, named=True)
    assert standing["may_be_best"] or row["p_value"] < 0.1


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_limits_over_a_family_hold_together(tmp_path, correction):
    """Student's t with as many degrees of freedom as its CI has, at the level 1 - .05 / 6."""
    rows = [row for seed, name in enumerate("abcd") for row in table(name, seed=seed, shift=1.0 + 0.4 * seed)]
    config = """
    trials: {source: trials.parquet, columns: {cluster: speaker}}
    primary: {measure: auc}
    measures: [auc]
    epc: none
    """
    found = frames_from(tmp_path, rows, config, f"significance.correction={correction}")
    family = found["comparisons"].filter(family="primary")
    assert set(family["p_method"]) == {"t"}
    assert (family["p_adjusted"] > family["p_value"]).any()
    for row in family.iter_rows(named=True):
        assert (row["band_low"] > 0 or row["band_high"] < 0) == (6 * row["p_value"] <= 0.05)
        assert row["band_low"] <= row["ci_low"] <= row["ci_high"] <= row["band_high"]
        half = (row["ci_high"] - row["ci_low"]) / 2 / row["se"]
        df = brentq(lambda df, half: stdtrit(df, 0.975) - half, 1, 300, args=(half,), xtol=1e-12)
        reach = stdtrit(df, 1 - 0.025 / 6) * row["se"]
        limits = max(row["difference"] - reach, -1), min(row["difference"] + reach, 1)
        assert (row["band_low"], row["band_high"]) == pytest.approx(limits, rel=1e-5)


@pytest.mark.parametrize(("measure", "limits"), [("lr_positive", (None, None)), ("hter", (-1.0, 1.0))])
def test_limits_over_a_family_end_somewhere_or_are_left_out(measure, limits):
    """Exchanges of all units speak against no difference: of a measure without bounds no limit is known."""
    everyone = Swaps(0.5, np.full(99, 0.5), np.ones(99))
    place = {
        "dataset": "all",
        "split": "test",
        "group": "",
        "model": "a",
        "baseline": "b",
        "family": "primary",
    }
    row = DrawnComparison(
        **place, measure=measure, level=0.95, difference=0.5, p_value=0.4, limits_at=everyone.interval
    )
    adjusted = _adjusted(row, 0.8, 0.975)
    assert (adjusted.band_low, adjusted.band_high) == limits


@pytest.mark.parametrize("correction", ["holm", "bh", "maxt"])
@pytest.mark.parametrize("method", ["auto", "percentile", "bca", "studentized", "basic", "centred"])
def test_adjusted_limits_are_outside_the_unadjusted_ones_by_every_method(tmp_path, method, correction):
    """Of independent trials, at thresholds as given and chosen again, and of areas."""
    rows = [row for seed, name in enumerate("abcd") for row in table(name, seed=seed, shift=1.0 + 0.5 * seed)]
    settings = f"significance.correction={correction}", f"significance.interval={method}"
    config = "trials: {source: trials.parquet}\nmeasures: [hter, f1, auc]\ncriteria: [min_hter]\nepc: none\n"
    config += "baseline: a\nsignificance: {family: all, comparisons: given_thresholds}"
    found = frames_from(tmp_path, rows, config, *settings, "significance.replicates=1999")["comparisons"]
    family = found.filter(pl.col("family") == "all")
    assert set(family["measure"]) == {"hter", "f1", "auc"}
    assert family["band_low"].null_count() == 0
    assert (family["band_low"] <= family["ci_low"]).all()
    assert (family["ci_high"] <= family["band_high"]).all()
    assert (family["band_high"] - family["band_low"] > family["ci_high"] - family["ci_low"]).all()
    excludes = family.filter((pl.col("band_low") > 0) | (pl.col("band_high") < 0))
    assert (excludes["p_adjusted"] <= 0.05).all()


def test_drawn_by_class_a_difference_that_is_the_share_of_targets_has_no_spread(tmp_path):
    """a accepts every target and b none, both no non-target: accuracies differ by the share of targets."""
    rows = [
        {"model": m, "split": split, "trial": f"{split}{i}", "label": i < 30, "score": float(i < 30 and m == "a")}
        for m in "ab" for split in ("dev", "test") for i in range(90)
    ]  # fmt: skip
    config = (
        "primary: {measure: accuracy, criterion: 'fixed(threshold=0.5)'}\nmeasures: [accuracy]\nepc: none"
    )
    found = {}
    for stratify in ("none", "label"):
        frames = frames_from(tmp_path / stratify, rows, config, f"significance.stratify={stratify}")
        found[stratify] = only(frames["comparisons"], criterion="fixed(threshold=0.5)", measure="accuracy")
        assert found[stratify]["difference"] == pytest.approx(-1 / 3)
    assert found["none"]["ci_low"] < found["none"]["ci_high"]
    assert (found["label"]["ci_low"], found["label"]["status"]) == (None, "degenerate")


def test_one_population_and_two_give_different_standard_errors(tmp_path):
    limits = set()
    for pools in ("one", "two"):
        columns = "columns: {cluster: [said, heard]}"
        config = f"trials: {{source: trials.parquet, {columns}, clusters: {{pools: {pools}}}}}\n" + ASKED
        frames = frames_from(tmp_path / pools, two_models(), config)
        limits.add(only(frames["metrics"], measure="auc", model="a", split="test")["ci_low"])
    assert len(limits) == 2
