import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.base.execution import SerialExecutor, ThreadExecutor
from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.outcomes import bin_trials, outcomes
from reporting.core.counts.ranks import Ranks
from reporting.core.measures.catalogue import MEASURES
from reporting.core.resampling.bootstrap import BinnedCells, Sweep, Task, resample, resample_model
from reporting.core.resampling.cell_tables import cells_of
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats import sweep
from reporting.core.stats.staircase import cumulate, truth_runs

SWEEPS = tuple(m for m in MEASURES.values() if m.over == "sweep")
SCORES = tuple(m for m in MEASURES.values() if m.over == "scores")


def sample(n, seed, clusters=7):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    label[:2] = True, False
    score = np.round(rng.normal(size=n) + 1.5 * label, 1)
    return score, label, rng.integers(0, clusters, n)


A, OP = ("a", "0"), (("a", "0"), "op")


def trials(label):
    return trial_units(label, ("all", "test"))


def clusters_of(label, cluster):
    return cluster_units([Ranks(label, cluster, {}, paired=True)], ("all", "test"))[0]


def weights_of(units, size, seed=1):
    """The weights of the first block: shape (atoms, size)."""
    (drawn, redrawn), *_ = units.pool.draw(seed, 0, size, size)
    return units.weights(drawn), redrawn


def on_scale(measure, score):
    """The scores as what the measure takes them for."""
    return 1 / (1 + np.exp(-score)) if measure.needs == "probability" else score


def sweeps_for(units, label, weight, cuts, rank, measures):
    run = truth_runs(cuts.n_target, cuts.n_nontarget)
    on_runs = {m: None for m in measures if m.over == "sweep" and m.sees_runs}
    others = {
        m: on_scale(m, cuts.score) if m.over == "scores" else None for m in measures if m not in on_runs
    }
    return (
        Sweep(cells_of(units, label, weight, run[rank], int(run[-1]) + 1), on_runs),
        Sweep(cells_of(units, label, weight, rank, len(cuts.score)), others),
    )


def task_for(units, score, label, thresholds=(0.3, 0.8), measures=SWEEPS, weight=None):
    cuts, rank = count_cuts(score, label, weight)
    bins = bin_trials(cuts, rank, np.array(thresholds))
    cells = cells_of(units, label, weight, bins.of_trial, bins.n_bins)
    index = bins.index(cuts, np.array(thresholds))
    sweeps = sweeps_for(units, label, weight, cuts, rank, measures)
    return Task(units, {OP: BinnedCells(cells, index)}, {A: sweeps}, 1)


@settings(max_examples=25)
@given(st.integers(5, 60), st.integers(0, 10_000), st.booleans())
def test_weights_are_repeated_rows(n, seed, clustered):
    """Every replicate equals the measure on a table whose rows are repeated by their weights."""
    score, label, cluster = sample(n, seed)
    units = clusters_of(label, cluster) if clustered else trials(label)
    task = task_for(units, score, label, measures=SWEEPS + SCORES)
    drawn = resample(task, 6, SerialExecutor())
    weights, _ = weights_of(units, 6)
    for r in range(6):
        times = weights[units.of_trial, r]
        again_score, again_label = np.repeat(score, times), np.repeat(label, times)
        cuts, _ = count_cuts(again_score, again_label)
        counted = cumulate(cuts.n_target, cuts.n_nontarget)
        for measure in SWEEPS:
            expected = float(measure.formula(*counted, **measure.arguments))
            assert drawn.sweeps[A][measure][r] == pytest.approx(expected, abs=1e-12, nan_ok=True), measure
        for measure in SCORES:
            counted_at = on_scale(measure, cuts.score), cuts.n_target, cuts.n_nontarget
            expected = float(measure.formula(*counted_at, **measure.arguments))
            assert drawn.sweeps[A][measure][r] == pytest.approx(expected, abs=1e-9, nan_ok=True), measure
        for j, t in enumerate((0.3, 0.8)):
            errors = drawn.errors[OP]
            assert errors.misses[r, j] == (again_label & (again_score < t)).sum()
            assert errors.false_alarms[r, j] == (~again_label & (again_score >= t)).sum()
        assert drawn.errors[OP].n_target[r, 0] == again_label.sum()


def test_weights_draw_as_many_units_as_there_are():
    _, label, cluster = sample(50, 3)
    for units in (trials(label), clusters_of(label, cluster), trials(np.repeat(label, 11))):
        weights, _ = weights_of(units, 40)
        assert (weights.sum(axis=0, dtype=np.int64) == units.n_units).all()


def test_the_result_does_not_depend_on_workers_or_on_other_models():
    score, label, cluster = sample(200, 4)
    units = clusters_of(label, cluster)
    task = task_for(units, score, label)
    alone = resample(task, 600, SerialExecutor())
    cuts, rank = count_cuts(-score, label)
    other = {("b", "0"): sweeps_for(units, label, None, cuts, rank, SWEEPS)}
    more = Task(units, task.bins, dict(task.sweeps) | other, 1)
    with ThreadExecutor(3) as pool:
        together = resample(more, 600, pool)
    for measure in SWEEPS:
        np.testing.assert_array_equal(alone.sweeps[A][measure], together.sweeps[A][measure])
    np.testing.assert_array_equal(alone.errors[OP].misses, together.errors[OP].misses)


def test_chunks_of_replicates_do_not_change_them(monkeypatch):
    score, label, _ = sample(300, 5)
    task = task_for(trials(label), score, label)
    whole = resample(task, 100, SerialExecutor())
    monkeypatch.setattr("reporting.core.resampling.bootstrap.LARGEST_CHUNK", task.largest * 7)
    pieces = resample(task, 100, SerialExecutor())
    for measure in SWEEPS:
        np.testing.assert_array_equal(whole.sweeps[A][measure], pieces.sweeps[A][measure])


def test_the_two_bootstraps_agree():
    """Decision (vi): collapsed patterns and weights per trial are the same distribution."""
    score, label, _ = sample(400, 6)
    cuts, rank = count_cuts(score, label)
    bins = bin_trials(cuts, rank, np.array([0.3, 0.8]))
    m = 8000
    collapsed = resample_model(outcomes(label, bins), 1, ("a",), m)
    weighted = resample(task_for(trials(label), score, label), m, SerialExecutor()).errors[OP]
    hter = MEASURES["hter"]
    a, b = collapsed.values(hter), weighted.values(hter)
    se = a.std(axis=0)
    assert np.abs(a.mean(axis=0) - b.mean(axis=0)).max() < 4 * se.max() * np.sqrt(2 / m)
    np.testing.assert_allclose(b.std(axis=0), se, rtol=4 / np.sqrt(m))
    for q in (0.025, 0.975):
        np.testing.assert_allclose(np.quantile(a, q, axis=0), np.quantile(b, q, axis=0), atol=0.15 * se.max())


def test_clusters_of_equal_rows_widen_the_spread_by_the_root_of_their_size():
    """A table where every trial stands four times in its cluster knows no more than one copy of it."""
    score, label, _ = sample(150, 7)
    once = resample(task_for(trials(label), score, label), 4000, SerialExecutor())
    four = np.repeat(np.arange(150), 4)
    clusters = clusters_of(label[four], four)
    copied = resample(task_for(clusters, score[four], label[four]), 4000, SerialExecutor())
    for measure in (MEASURES["auc"], MEASURES["eer_rocch"]):
        a, b = once.sweeps[A][measure], copied.sweeps[A][measure]
        assert b.std() == pytest.approx(a.std(), rel=0.08)


def test_a_cluster_bootstrap_never_loses_a_class():
    label = np.array([True, True, False, False, False])
    units = clusters_of(label, np.array([0, 0, 1, 1, 2]))
    weights, redrawn = weights_of(units, 500)
    assert redrawn > 0
    for members in (label, ~label):
        assert (weights[units.of_trial[members]].sum(axis=0) > 0).all()


def test_an_empty_class_is_undefined_and_does_not_hang():
    score, label = np.array([1.0, 2.0, 3.0]), np.array([False, False, False])
    drawn = resample(task_for(trials(label), score, label), 50, SerialExecutor())
    assert np.isnan(drawn.sweeps[A][MEASURES["auc"]]).all()
    assert sweep.auc is MEASURES["auc"].formula


def test_nothing_is_drawn_where_nothing_is_asked():
    score, label, _ = sample(50, 8)
    task = task_for(trials(label), score, label)
    empty = Task(task.units, {}, {A: ()}, 1)
    drawn = resample(empty, 10**9, SerialExecutor())  # a billion replicates would never end
    assert (drawn.errors, drawn.sweeps, drawn.redrawn) == ({}, {A: {}}, False)


def test_a_trial_that_weighs_three_counts_as_three():
    """Resampled with its weight, a stratum of weight 3 equals rows that stand three times in their unit."""
    score, label, _ = sample(60, 9)
    weight = np.where(np.arange(60) % 3 == 0, 3, 1)
    once = resample(task_for(trials(label), score, label, weight=weight), 40, SerialExecutor())
    rows = np.repeat(np.arange(60), weight)
    copied = resample(
        task_for(clusters_of(label[rows], rows), score[rows], label[rows]), 40, SerialExecutor()
    )
    for measure in (MEASURES["auc"], MEASURES["eer_rocch"], MEASURES["mindcf"]):
        np.testing.assert_allclose(once.sweeps[A][measure], copied.sweeps[A][measure], atol=1e-12)
    np.testing.assert_array_equal(once.errors[OP].misses, copied.errors[OP].misses)
