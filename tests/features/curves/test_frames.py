"""The frames of curves: their contracts, their edges, and the numbers of the hand sets in them."""

import numpy as np
import polars as pl
import pytest
from tied import labelled

from reporting.core.counts.cuts import Key, count_cuts
from reporting.core.curves.scores import Scaled
from reporting.document.frames.histogram import HISTOGRAM
from reporting.features.calibration_and_benefit.probability_frames import (
    DECISION,
    RELIABILITY,
    decision_frame,
    reliability_frame,
)
from reporting.features.curves.roc_frame import PR, histogram_frame, pr_frame
from reporting.features.likelihood_ratios.frame import COST, CROSS_ENTROPY, cost_frame, cross_entropy_frame

SETS = {
    "hand": ([0.5, 1.5, 1.5, 2.5, 3.5], [-1.0, 0.0, 0.5, 0.5, 1.5, 2.0]),
    "test of 7.9": ([-1.0, 0.6, 1.7, 3.0], [-2.5, -1.5, 0.25, 0.75, 2.0]),
    "perfect": ([2.0, 3.0], [0.0, 1.0]),
    "constant": ([1.0, 1.0], [1.0, 1.0, 1.0]),
    "infinite": ([np.inf, 1.0], [-np.inf, 1.0]),
    "only infinite": ([np.inf], [-np.inf]),
    "no targets": ([], [0.0, 1.0]),
    "no non-targets": ([0.0, 1.0], []),
}
HAND = pl.col("model") == "hand"


def key(model, split="test"):
    return Key(model, "0", "all", split)


CUTS = {key(name): count_cuts(*labelled(*lists))[0] for name, lists in SETS.items()}
CUTS[key("hand", "dev")] = CUTS[key("hand")]


def as_ratios(one):
    return Scaled(one.score, one.n_target, one.n_nontarget)


def as_probabilities(one):
    return Scaled(1 / (1 + np.exp(-one.score)), one.n_target, one.n_nontarget)


RATIOS = {each: {"none": as_ratios(one)} for each, one in CUTS.items()}
PROBABILITIES = {each: as_probabilities(one) for each, one in CUTS.items()}
MADE = {
    "pr": (PR, lambda cuts: pr_frame(cuts, "midpoint")),
    "cost": (COST, lambda cuts: cost_frame(cuts, RATIOS)),
    "cross_entropy": (CROSS_ENTROPY, lambda cuts: cross_entropy_frame(cuts, RATIOS)),
    "histogram": (HISTOGRAM, histogram_frame),
    "reliability": (
        RELIABILITY,
        lambda cuts: reliability_frame({each: PROBABILITIES[each] for each in cuts}),
    ),
    "decision": (DECISION, lambda cuts: decision_frame({each: PROBABILITIES[each] for each in cuts})),
}


@pytest.mark.parametrize("name", MADE)
def test_frames_keep_their_contract_whatever_the_data(name):
    contract, make = MADE[name]
    frame = make(CUTS)
    assert frame.collect_schema() == contract.schema
    assert frame.equals(frame.sort(list(contract.sorted_by), maintain_order=True))
    numbers = frame.select(pl.col(pl.Float64).exclude("threshold"))
    for column in numbers:
        assert column.drop_nulls().is_finite().all(), column.name
    assert frame["split"].unique().sort().to_list() == ["dev", "test"]


@pytest.mark.parametrize("name", MADE)
def test_frames_do_not_depend_on_the_order_of_models(name):
    _, make = MADE[name]
    assert make(CUTS).equals(make(dict(reversed(CUTS.items()))))


@pytest.mark.parametrize("name", MADE)
def test_without_models_a_frame_is_empty(name):
    contract, make = MADE[name]
    assert make({}).collect_schema() == contract.schema
    assert len(make({})) == 0


def test_precision_is_null_where_nothing_is_accepted_and_recall_without_targets():
    frame = pr_frame(CUTS, "midpoint")
    last = frame.filter(pl.col("threshold") == np.inf)
    assert last["precision"].null_count() == len(last) == len(CUTS)
    recalls = frame.filter(pl.col("model") == "no targets")["recall"]
    assert recalls.null_count() == len(recalls) > 0
    assert frame["recall"].null_count() == len(recalls)


def test_the_pr_frame_of_the_hand_set():
    rows = pr_frame(CUTS, "midpoint").filter(HAND, pl.col("split") == "test")
    assert rows["false_alarms"].to_list() == [6, 4, 2, 1, 0, 0]
    assert rows["true_positives"].to_list() == [5, 5, 4, 2, 2, 0]
    np.testing.assert_allclose(rows["precision"][:5], [5 / 11, 5 / 9, 4 / 6, 2 / 3, 1], rtol=1e-15)


def test_plain_scores_have_a_minimum_but_no_actual_error():
    plain = cost_frame(CUTS, {key("hand"): None})
    assert plain["bayes_error"].null_count() == len(plain)
    assert plain["calibration"].unique().to_list() == ["none"]
    known = cost_frame(CUTS, RATIOS)
    assert plain["min_bayes_error"].equals(known["min_bayes_error"])


def test_every_calibration_has_its_own_rows_and_the_minimum_of_the_scores():
    one = CUTS[key("hand")]
    merged = Scaled(np.where(one.score < 1, -1.0, 1.0), one.n_target, one.n_nontarget)
    frame = cost_frame({key("hand"): one}, {key("hand"): {"none": as_ratios(one), "pav": merged}})
    none, pav = (frame.filter(pl.col("calibration") == name) for name in ("none", "pav"))
    assert none["min_bayes_error"].equals(pav["min_bayes_error"])
    at_even = pl.col("prior_log_odds") == 0
    assert none.filter(at_even)["bayes_error"].to_list() == pytest.approx([5 / 12])
    assert pav.filter(at_even)["bayes_error"].to_list() == pytest.approx([(2 / 6 + 1 / 5) / 2])


def test_the_cost_frame_stays_small():
    rng = np.random.default_rng(1)
    score, label = rng.normal(size=200_000), rng.random(200_000) < 0.3
    cuts = count_cuts(score + 2 * label, label)[0]
    assert len(cost_frame({key("large"): cuts}, {})) < 800


def test_every_trial_of_a_model_with_a_finite_score_is_in_its_histogram():
    frame = histogram_frame(CUTS).filter(pl.col("split") == "test")
    counted = {row["model"]: (row["n_target"], row["n_nontarget"]) for row in sums(frame)}
    for each, one in CUTS.items():
        expected = None if each.model == "only infinite" else one.totals
        assert counted.get(each.model) == expected


def sums(frame):
    return frame.group_by("model").agg(pl.col("n_target", "n_nontarget").sum()).to_dicts()


def test_the_decision_frame_of_the_hand_set():
    rows = decision_frame(PROBABILITIES).filter(HAND, pl.col("split") == "test", pl.col("probability") == 0.5)
    # From score 0 on: five targets and five non-targets of eleven trials, at even weights.
    assert rows["net_benefit"].to_list() == pytest.approx([0], abs=1e-15)
    assert rows["treat_all"].to_list() == pytest.approx([-1 / 11])
    empty = decision_frame(PROBABILITIES).filter(pl.col("model") == "no targets")
    assert empty["net_benefit"].null_count() == len(empty) == 99
