"""Bands of ROC curves as frames: four trials by hand, laws on tied data, and where there is no band."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proportions import clopper_pearson
from tied import labelled, score_lists

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import Counts
from reporting.core.counts.cuts import Key, count_cuts
from reporting.core.counts.ranks import Attribute, Ranks
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.parts import parts
from reporting.core.engine.rechoosing import ThresholdBootstrap, units_of
from reporting.core.engine.resampling import resample_part
from reporting.core.engine.study import Primary, Study
from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import HTER
from reporting.core.resampling.bootstrap import Sweep, Task, resample
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.settings import Inference
from reporting.core.resampling.units import trial_units
from reporting.core.stats.intervals import wilson
from reporting.core.stats.roc_bands import curve_readers, fpr_grid, least_errors, tpr_at
from reporting.core.stats.staircase import truth_runs
from reporting.document.frames.roc import BANDS
from reporting.features.catalogue import CURVES
from reporting.features.curves.bands import CURVE_DIFFERENCES, ROUNDS, band_frame, difference_frame
from reporting.features.curves.formulas import ks_distance, sup_t_band

FIXED = read_criterion("fixed(threshold=0)")
STUDY = Study(
    "Bands",
    Primary(HTER, FIXED),
    (),
    (AUC,),
    None,
    curves=(CURVES["roc"], CURVES["det"]),
    inference=Inference(replicates=99),
)
HAND = ([0.5, 1.5], [0.0, 0.5, 1.0, 1.0])
KINDS = ("fixed_width", "sup_t", "vertical", "sjr")


def drawn_part(models, kind, study=STUDY, by=(), **more):
    """The parts of a test set of several models on the same trials, and what is read off its replicates.

    ``models`` holds a pair of lists for each model, or for each model and run.
    """
    pairs = {name if isinstance(name, tuple) else (name, "0"): lists for name, lists in models.items()}
    cuts, rank = {}, {}
    for name, lists in pairs.items():
        score, label = labelled(*lists)
        cuts[Key(*name, "all", "test")], rank[name] = count_cuts(score, label, more.get("weight"))
    settings = {"unit_a": None, "paired": True} | more
    ranks = Ranks(label=label, rank=rank, **settings)
    counts = Counts(cuts, {("all", "test"): ranks}, {}, {})
    study = replace(study, by=by)
    pool = SerialExecutor()
    for part in parts(counts, study):
        drawn = resample_part(part, study, ThresholdBootstrap(study, pool), pool)
        yield part, replace(drawn, sweeps=read(part, study, kind, pool)), study


def read(part, study, kind, pool):
    """Read every model's replicates at its truth-state runs."""
    units = units_of(part, study).test
    sweeps = {}
    for model in part.models:
        counts = model.test.n_target, model.test.n_nontarget
        run = truth_runs(*counts)
        cells = cells_of(units, part.ranks.label, part.ranks.weight, run[model.rank], int(run[-1]) + 1)
        sweeps[model.id] = (Sweep(cells, {}, curve_readers(kind, *counts, compared=True)),)
    return resample(Task(units, {}, sweeps, study.inference.seed), study.inference.replicates, pool).sweeps


def banded(models, kind, study=STUDY, **more):
    """The frame ``bands`` of the whole test set."""
    part, drawn, study = next(drawn_part(models, kind, study, **more))
    return band_frame(part, drawn, study, kind)


def differing(models, study=STUDY, kind="fixed_width", **more):
    """The frame ``curve_differences`` of the whole test set."""
    part, drawn, study = next(drawn_part(models, kind, study, **more))
    return difference_frame(part, drawn, study, kind)


def normal(n=60, shift=1.5, seed=1, digits=1):
    """Tied scores of n targets and n non-targets."""
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(shift, 1, n), digits).tolist(), np.round(rng.normal(0, 1, n), digits).tolist()


def test_four_non_targets_by_hand():
    """TPR .5 at FPR .5; 1 - d0 lies on the slope from (.5, .5) to (.75, 1), and .5 + d0 beyond it."""
    study = replace(STUDY, inference=Inference(replicates=99, level=0.1))
    frame = banded({"m": HAND}, "sjr", study)
    assert frame.schema == BANDS.schema
    d1, d0 = (ks_distance(n, 0.1**0.5) for n in (2, 4))
    rows = {row["p_fa"]: row for row in frame.iter_rows(named=True)}
    assert rows[0.5]["p_miss"] == 0.5
    limits = [rows[x][name] for x in (0, 0.5, 1) for name in ("p_miss_low", "p_miss_high")]
    assert limits == pytest.approx([0.5 - d1, 1, 0, 0.5 + d1, 0, 0.5 - 2 * (0.5 - d0) + d1])
    said = frame.select("model", "run", "split", "kind", "simultaneous", "level", "replicates", "unit")
    assert said.unique().rows() == [("m", "0", "test", "sjr", True, 0.1, None, "trial")]
    assert frame["status"].null_count() == len(frame)
    assert frame["threshold"].null_count() == len(frame)
    assert sorted(rows) == frame["p_fa"].to_list()
    assert set(np.round(fpr_grid(4), 12)) <= set(np.round(list(rows), 12))


@settings(max_examples=25)
@given(score_lists(odd=True), score_lists(odd=True), st.sampled_from(["fixed_width", "sup_t", "sjr"]))
def test_simultaneous_bands_hold_the_curve(targets, nontargets, kind):
    """Methods, property P33, at both ends of vertical runs; limits fall with FPR (sup-t's need not), and stay in [0, 1]."""
    frame = banded({"m": (targets, nontargets)}, kind)
    if frame["status"][0] is not None:
        assert kind == "sup_t"
        return
    cuts = count_cuts(*labelled(targets, nontargets))[0].staircase
    assert frame["p_fa"].is_sorted()
    limits = [frame[name].to_numpy() for name in ("p_miss_low", "p_miss", "p_miss_high")]
    assert all(((limit >= 0) & (limit <= 1)).all() for limit in limits)
    assert (limits[0] <= limits[1] + 1e-9).all()
    assert (limits[1] <= limits[2] + 1e-9).all()
    if kind != "sup_t":
        lower = 1 - tpr_at(cuts.misses, cuts.false_alarms, frame["p_fa"].to_numpy(), "lower")
        assert (lower <= limits[2] + 1e-9).all()
        assert all((np.diff(limit) <= 1e-12).all() for limit in limits)


def test_every_kind_says_what_it_is():
    models = {"a": normal(), "b": normal(seed=2)}
    for kind in KINDS:
        frame = banded(models, kind)
        assert frame["model"].unique().sort().to_list() == ["a", "b"]
        assert frame["kind"].unique().to_list() == [kind]
        assert frame["simultaneous"].unique().to_list() == [kind != "vertical"]
        assert frame["replicates"].unique().to_list() == [None if kind == "sjr" else 99]
        assert frame["status"].null_count() == len(frame)
        ends = (0.01, 0.99) if kind in ("sup_t", "vertical") else (0.0, 1.0)
        assert (frame["p_fa"].min(), frame["p_fa"].max()) == ends
        assert frame.equals(frame.sort(BANDS.sorted_by))
    assert banded(models, "none").is_empty()


def test_the_least_spread_is_that_of_the_trials():
    """Thirty targets and many non-targets, whatever these weigh, make the floor of the sup-t band."""
    targets, nontargets = normal(30, 0.8)[0], normal(100)[1]
    weight = np.where(np.arange(130) < 30, 3, 1)
    part, drawn, study = next(drawn_part({"m": (targets, nontargets)}, "sup_t", weight=weight))
    cuts = part.models[0].test.staircase
    grid = fpr_grid(100)
    own, again = tpr_at(cuts.misses, cuts.false_alarms, grid), drawn.sweeps["m", "0"]["tpr"]
    assert cuts.n_target == 90
    frame = band_frame(part, drawn, study, "sup_t")
    for n_target, same in ((30, True), (90, False), (100, False)):
        band = sup_t_band(grid, own, again, least_errors(own, n_target), 0.95, off=0.5 / 100)
        assert np.allclose(frame["p_miss_high"], 1 - band.low) == same


def test_steep_limits_stand_on_a_finer_grid():
    """Separated classes: the lower limit rises at once, where the width across ends."""
    frame = banded({"m": (list(range(100, 200)), list(range(100)))}, "sjr")
    assert len(fpr_grid(100)) < len(frame) <= len(fpr_grid(100)) + ROUNDS
    rise = frame.filter(pl.col("p_miss_high") > 0.99)["p_fa"].max()
    width = ks_distance(100, 0.95**0.5)
    assert rise < width
    assert width - rise < 0.01 / 2 ** (ROUNDS - 1)


def test_limits_at_thresholds():
    frame = banded({"m": normal()}, "threshold")
    score, label = labelled(*normal())
    assert frame["threshold"].null_count() == 0
    for row in frame.iter_rows(named=True):
        accepted = score >= row["threshold"] if row["threshold"] < np.inf else np.zeros(len(score), bool)
        assert row["p_fa"] == pytest.approx(accepted[~label].mean())
        assert row["p_miss"] == pytest.approx(1 - accepted[label].mean())
        for rate in ("p_fa", "p_miss"):
            assert 0 <= row[f"{rate}_low"] <= row[rate] <= row[f"{rate}_high"] <= 1
    inner = frame.filter(pl.col("p_fa").is_between(0.2, 0.8))
    assert (inner["p_fa_high"] - inner["p_fa_low"]).min() > 0.1
    assert frame["simultaneous"].unique().to_list() == [False]
    assert banded({"m": ([1.0, 1.0], [1.0])}, "threshold")["p_fa"].to_list() == [0, 1]


@pytest.mark.parametrize("kind", ["fixed_width", "sup_t", "sjr", "threshold"])
@pytest.mark.parametrize(
    ("lists", "why"), [(([], [0.0, 1.0]), "no_targets"), (([0.0, 1.0], []), "no_nontargets")]
)
def test_an_empty_class_has_no_band(kind, lists, why):
    frame = banded({"m": lists}, kind)
    assert frame.select("status", "p_fa", "p_miss", "level").rows() == [(why, None, None, None)]
    frame = differing({"a": lists, "b": lists})
    assert frame.select("status", "p_fa", "difference").rows() == [(why, None, None)]


def test_too_few_replicates():
    study = replace(STUDY, inference=Inference(replicates=9))
    for kind, status in (("fixed_width", "degenerate"), ("vertical", "degenerate"), ("sjr", None)):
        assert banded({"m": HAND}, kind, study)["status"].unique().to_list() == [status]
    assert differing({"a": HAND, "b": HAND}, study)["status"].to_list() == ["degenerate"]


def test_dependent_trials():
    """Clusters are resampled whole; the Kolmogorov distances hold for independent trials of one weight only."""
    speakers = {"unit_a": np.arange(120, dtype=np.uint32) % 12}
    wide, narrow = banded({"m": normal()}, "fixed_width", **speakers), banded({"m": normal()}, "fixed_width")
    assert (wide["unit"][0], narrow["unit"][0]) == ("cluster", "trial")
    assert banded({"m": normal()}, "sjr", **speakers)["status"].to_list() == ["dependent"]
    by_trial = replace(STUDY, inference=Inference(replicates=99, unit="trial"))
    assert banded({"m": normal()}, "sjr", by_trial, **speakers)["status"][0] is None
    weighted = {"weight": np.where(np.arange(120) % 3 == 0, 5, 1)}
    assert banded({"m": normal()}, "sjr", **weighted)["status"].to_list() == ["dependent"]
    assert banded({"m": normal()}, "fixed_width", **weighted)["status"][0] is None


def test_clusters_that_repeat_a_trial_widen_the_band():
    """Every trial four times: as trials the band halves, as clusters of its copies it stays."""
    few = normal(40)
    copies = tuple(np.repeat(scores, 4).tolist() for scores in few)
    unit = np.repeat(np.arange(80, dtype=np.uint32), 4)

    def width(frame):
        row = frame.filter(pl.col("p_fa").is_between(0.295, 0.305))
        return row["p_miss_high"][0] - row["p_miss_low"][0]

    study = replace(STUDY, inference=Inference(replicates=999))
    alone = width(banded({"m": few}, "sup_t", study))
    assert width(banded({"m": copies}, "sup_t", study, unit_a=unit)) == pytest.approx(alone, rel=0.25)
    assert width(banded({"m": copies}, "sup_t", study)) < 0.7 * alone


def test_limits_at_thresholds_are_those_of_rates():
    """Wilson's, of none and all those of Clopper and Pearson; of clusters those of effective sizes with t."""
    frame = banded({"m": normal()}, "threshold")
    for row in frame.iter_rows(named=True):
        for rate in ("p_fa", "p_miss"):
            k = round(60 * row[rate])
            by = clopper_pearson if k in (0, 60) else wilson
            assert (row[f"{rate}_low"], row[f"{rate}_high"]) == pytest.approx(by(k, 60, 0.95))
    assert frame["replicates"].null_count() == len(frame)
    part, drawn, study = next(
        drawn_part({"m": normal()}, "threshold", unit_a=np.arange(120, dtype=np.uint32) % 6)
    )
    of_clusters = band_frame(part, drawn, study, "threshold")
    for name in ("p_fa", "p_miss"):
        wide, narrow = ((of[f"{name}_high"] - of[f"{name}_low"]).to_numpy() for of in (of_clusters, frame))
        assert (wide > narrow).all()


@pytest.mark.parametrize(("n", "shift", "banded_too"), [(60, 1.5, True), (15, 2.0, False), (60, 9.0, False)])
def test_a_sup_t_band_needs_five_errors_where_both_rates_are_equal(n, shift, banded_too):
    """15 of either class at d' 2 expect 2.4: it held about 70% of curves; limits at points and fixed width stay."""
    of = {"m": normal(n, shift)}
    found = {kind: banded(of, kind)["status"].unique().to_list() for kind in KINDS}
    assert found == {kind: [None] for kind in KINDS} | {"sup_t": [None if banded_too else "few_errors"]}


@pytest.mark.parametrize("kind", ["vertical", "threshold"])
def test_limits_at_a_point_have_width_without_errors(kind):
    """Percentiles had none: every resample of separated classes finds all targets."""
    frame = banded({"m": normal(40, 9.0)}, kind)
    assert (frame["p_miss_high"] - frame["p_miss_low"]).min() > 0.01


@pytest.mark.parametrize("kind", ["fixed_width", "sup_t"])
def test_bands_of_few_clusters_reach_as_far_as_student_s_t(kind):
    """Six clusters: their replicates lie sqrt(6 / 5) t / z = 1.44 times as far, at every point."""
    unit = np.arange(600, dtype=np.uint32) % 6
    part, drawn, study = next(drawn_part({"m": normal(300)}, kind, unit_a=unit))
    independent = replace(drawn, units=trial_units(part.ranks.label, ("all", "test")))
    # The same replicates, read as those of clusters and as those of trials.
    frames = [band_frame(part, of, study, kind) for of in (drawn, independent)]
    both = frames[0].join(frames[1], on=["p_fa", "threshold"], nulls_equal=True, suffix="_near")
    both = both.filter(pl.col("p_fa").is_between(0.1, 0.9), pl.col("p_miss_low") > 0)
    widths = [(both[f"p_miss_high{near}"] - both[f"p_miss_low{near}"]).to_numpy() for near in ("", "_near")]
    times = (6 / 5) ** 0.5 * 2.570582 / 1.959964
    assert len(both) > 5
    assert np.median(widths[0] / widths[1]) == pytest.approx(times, rel=0.05)


def test_differences_of_few_clusters_reach_as_far_as_student_s_t():
    unit = np.arange(120, dtype=np.uint32) % 6
    part, drawn, study = next(drawn_part({"a": normal(), "b": normal(seed=2)}, "sup_t", unit_a=unit))
    independent = replace(drawn, units=trial_units(part.ranks.label, ("all", "test")))
    bands = [difference_frame(part, of, study, "sup_t") for of in (drawn, independent)]
    widths = [(band["band_high"] - band["band_low"]).to_numpy() for band in bands]
    assert (widths[0] > 1.2 * widths[1]).mean() > 0.5


def test_groups_are_left_out():
    gender = Attribute(("f", "m"), np.arange(120, dtype=np.uint32) % 2)
    models = {"a": normal(), "b": normal(seed=2)}
    found = list(drawn_part(models, "sup_t", by=(("gender",),), attributes={"gender": gender}))
    assert [part.group for part, _, _ in found] == ["", "gender=f", "gender=m"]
    for part, drawn, study in found[1:]:
        assert band_frame(part, drawn, study, "sup_t").is_empty()
        assert difference_frame(part, drawn, study, "sup_t").is_empty()


def test_differences_are_paired():
    """A copy differs nowhere; other scores of the same trials do, and by more than two curves alone tell."""
    targets, nontargets = normal(200)
    better = [score + 0.8 for score in targets], nontargets
    models = {"a": (targets, nontargets), "b": better, "c": (targets, nontargets)}
    study = replace(STUDY, baseline="a", inference=Inference(replicates=399))
    frame = differing(models, study)
    assert frame.schema == CURVE_DIFFERENCES.schema
    assert frame.select("model", "baseline").unique().sort("model").rows() == [("b", "a"), ("c", "a")]
    same = frame.filter(pl.col("model") == "c").select("difference", "band_low", "band_high")
    assert same.unique().rows() == [(0, 0, 0)]
    other = frame.filter(pl.col("model") == "b", pl.col("p_fa") == 0.2).row(0, named=True)
    assert other["difference"] > 0
    assert other["band_low"] > 0
    own = {name: count_cuts(*labelled(*lists))[0].staircase for name, lists in models.items()}
    tpr = {name: tpr_at(one.misses, one.false_alarms, [0.2])[0] for name, one in own.items()}
    assert other["difference"] == pytest.approx(tpr["b"] - tpr["a"])
    alone = banded(models, "sup_t", study).filter(pl.col("p_fa") == 0.2, pl.col("model") != "c")
    widths = (alone["p_miss_high"] - alone["p_miss_low"]).sum()
    assert other["band_high"] - other["band_low"] < 0.8 * widths
    assert frame.equals(frame.sort(CURVE_DIFFERENCES.sorted_by))


def test_differences_stay_in_range():
    frame = differing(
        {"a": (list(range(40)), list(range(20, 60))), "b": normal(40, 4)}, replace(STUDY, baseline="a")
    )
    assert frame["band_high"].max() == 1
    assert frame["band_low"].min() > -1
    turned = differing(
        {"a": (list(range(40)), list(range(20, 60))), "b": normal(40, 4)}, replace(STUDY, baseline="b")
    )
    assert turned["band_low"].min() == -1


def test_swapped_models_have_mirrored_differences():
    models = {"a": normal(), "b": normal(shift=1.0, seed=2)}
    forth, back = (differing(models, replace(STUDY, baseline=name)) for name in "ab")
    assert (forth["model"][0], back["model"][0]) == ("b", "a")
    for one, other in (("difference", "difference"), ("band_low", "band_high"), ("band_high", "band_low")):
        assert forth[one].to_list() == (-back[other]).to_list()
    # Another model changes neither.
    more = differing(models | {"c": normal(shift=3, seed=3)}, replace(STUDY, baseline="a"))
    assert more.filter(pl.col("model") == "b").equals(forth)


def test_trials_without_a_key_are_no_pairs():
    models = {"a": normal(), "b": normal(seed=2)}
    frame = differing(models, paired=False)
    assert frame.select("status", "p_fa", "replicates").rows() == [("no_trial_key", None, None)]
    assert banded(models, "fixed_width", paired=False)["status"].null_count() > 0


def test_runs_are_compared_by_their_means():
    runs = {("a", "1"): normal(), ("a", "2"): normal(seed=2), ("b", "1"): normal(seed=3)}
    frame = differing(runs, replace(STUDY, baseline="a"))
    row = frame.filter(pl.col("p_fa") == 0.3).row(0, named=True)
    own = [count_cuts(*labelled(*lists))[0].staircase for lists in runs.values()]
    first, second, other = (tpr_at(one.misses, one.false_alarms, [0.3])[0] for one in own)
    assert row["difference"] == pytest.approx(other - (first + second) / 2)
    assert row["band_low"] < row["difference"] < row["band_high"]
    found = banded(runs, "sjr")
    assert found.select("model", "run").unique().sort("model", "run").rows() == [
        ("a", "1"),
        ("a", "2"),
        ("b", "1"),
    ]
