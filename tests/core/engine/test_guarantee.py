"""Guarantees of a rate where trials come in clusters: each counts as one error if it has any."""

import math

import numpy as np
import pytest
from build import build
from from_config import frames_from, only
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks, cuts_counted, whole_clusters
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.stats.staircase import threshold_of
from reporting.errors import ConfigError, DataError

FAR, CONFIDENCE = 0.05, 0.95
GUARANTEE = CRITERIA["guarantee"].at(far=FAR, confidence=CONFIDENCE)


def threshold(score, label, cluster=None):
    """The guaranteed threshold, by the program's own parts; without clusters, of independent trials."""
    cuts, rank = count_cuts(score, label)
    by_cluster = {}
    if cluster is not None:
        ranks = Ranks(label=label, unit_a=cluster.astype(np.uint32), rank={}, paired=True)
        counted = whole_clusters(ranks, rank, "nontarget")
        cuts = cuts_counted(cuts, rank, label, counted.counts)
        by_cluster = {"share": counted.share}
    return float(threshold_of(cuts.score, GUARANTEE.choose(cuts.staircase, "balanced", **by_cluster).cut))


def four(rng, n):
    return np.full(n, 4)


def unequal(rng, n):
    return rng.integers(1, 8, n)


@pytest.mark.parametrize("alike", [1.0, 0.5])
@pytest.mark.parametrize(("sizes_of", "worse"), [(four, 0.0), (unequal, 0.0), (unequal, 0.2)])
def test_the_promise_is_kept_for_families(sizes_of, worse, alike):
    """At most 5 % of 1,000 tables of 300 families; by trials, as many as 20 % where families are alike.

    ``alike`` is how far one score tells of another of its family, ``worse`` by how much it is higher for each
    trial more: the true FAR is that of a trial drawn from all.
    """
    rng = np.random.default_rng(7)
    exceeded, by_trial, runs = 0, 0, 1000
    for _ in range(runs):
        sizes = sizes_of(rng, 300)
        family = np.repeat(np.arange(300), sizes)
        own, shared = rng.normal(size=len(family)), rng.normal(size=300)
        score = math.sqrt(alike) * shared[family] + math.sqrt(1 - alike) * own + worse * sizes[family]
        score, label = np.append(score, 9.0), np.append(np.zeros(len(family), dtype=bool), True)
        cluster = np.append(family, 300)

        def true_far(at, sizes_of=sizes_of):
            each = np.arange(1, 8) if sizes_of is unequal else np.array([4])
            return float((each * norm.sf(at - worse * each)).sum() / each.sum())

        exceeded += true_far(threshold(score, label, cluster)) > FAR
        by_trial += true_far(threshold(score, label)) > FAR
    assert exceeded / runs <= 0.05
    assert by_trial / runs > (0.12 if alike == 1 else 0.05)


@settings(max_examples=40)
@given(st.integers(0, 99), st.booleans())
def test_clusters_of_one_trial_are_independent_trials(seed, ties):
    rng = np.random.default_rng(seed)
    label = rng.random(400) < 0.2
    score = rng.normal(size=400) + 2 * label
    score = np.round(score, 1) if ties else score
    assert threshold(score, label, rng.permutation(400)) == threshold(score, label)


def rows(n_families=400, size=4, second=False, **more):
    """Dev and test trials: targets alone in their clusters, non-targets in families of one score."""
    rng = np.random.default_rng(3)
    made = []
    for split, families in (("dev", n_families), ("test", 10)):
        scores = rng.normal(size=families)
        trials = [(False, f"{split}{k}", scores[k]) for k in range(families) for _ in range(size)]
        trials += [(True, f"{split}-t{k}", 2 + rng.normal()) for k in range(40)]
        for at, (label, cluster, score) in enumerate(trials):
            row = {"model": "a", "split": split, "trial": f"{split}{at}", "label": label, "score": score}
            made.append(row | {"cluster": cluster, "other": f"{cluster}{at % 3}"})
    return made


CONFIG = "trials: {source: trials.parquet, columns: {cluster: cluster}}\nepc: none\ncurves: []\n"
ASKED = 'criteria: ["guarantee(far=0.01)"]\nprimary: {measure: far, criterion: "guarantee(far=0.01)"}\n'


def placed(frames):
    return only(frames["metrics"], measure="far", split="test", criterion="guarantee")["threshold"]


def test_a_report_counts_families(tmp_path):
    """400 families may err once (.99^400 + 400 .01 .99^399 = .091 > .05: not even once); 1,600 trials ten times."""
    families = sorted({r["score"] for r in rows() if r["split"] == "dev" and not r["label"]})
    whole = placed(frames_from(tmp_path / "clusters", rows(), CONFIG + ASKED))
    assert whole > families[-1]
    as_trials = CONFIG + ASKED + "significance: {unit: trial}\n"
    assert families[-4] < placed(frames_from(tmp_path / "trials", rows(), as_trials)) <= families[-2]


def test_too_few_clusters_and_clusters_that_cross_are_refused(tmp_path):
    with pytest.raises(
        DataError,
        match=r"'guarantee' .*: the development set has 175 clusters of non-targets; at least 299 are",
    ):
        frames_from(tmp_path / "few", rows(175), CONFIG + ASKED)
    crossed = CONFIG.replace("cluster: cluster", "cluster: [cluster, other]") + ASKED
    with pytest.raises(ConfigError, match="trials of two clusters each are neither; use target_far"):
        frames_from(tmp_path / "crossed", rows(), crossed)


def test_larger_families_lower_the_limit(tmp_path):
    """One family of 12 among those of 4: the mean over the largest is about a third, and a third of 1 % needs 894."""
    more = [r | {"trial": f"{r['trial']}-{k}"} for r in rows() if r["cluster"] == "dev0" for k in range(2)]
    with pytest.raises(DataError, match=r"400 clusters of non-targets; at least 89\d are needed"):
        frames_from(tmp_path, rows() + more, CONFIG + ASKED)


def test_across_folds_families_are_counted_too(tmp_path):
    """Every threshold lies above all families outside its fold: some 320, which may not err once."""
    table = [r | {"split": "test"} for r in rows() if r["split"] == "dev"]
    config = CONFIG + ASKED + "thresholds: {policy: kfold, folds: 5}\n"
    (model,) = build(tmp_path, table, config).parts[0].models
    thresholds = next(iter(model.single.values())).chosen.threshold[:, 0]
    score, label = model.test.score[model.rank], model.ranks.label
    highest = [score[(model.ranks.fold != fold) & ~label].max() for fold in range(5)]
    assert (thresholds > highest).all()
    assert len(set(highest)) == 2  # the fold of the highest one does not see it
