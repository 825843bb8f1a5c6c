"""The codes in the columns ``status``, ``reason``, ``flags``, ``ci_method`` and ``p_method``.

Rooms that make numbers write them; ``document/words/codes.py`` has the sentence of each, and a test fails
while one of them has none.
"""

from __future__ import annotations

from typing import Literal

Status = Literal[
    "no_targets",
    "no_nontargets",
    "unresolvable",
    "degenerate",
    "no_such_precision",
    "no_dev",
    "not_calibrated_scale",
    "not_probability",
    "infinite_scores",
    "not_positive",
    "not_converged",
    "no_trial_key",
    "dependent",
    "several_runs",
    "weighted",
    "no_criterion",
    "not_linear",
    "not_measured",
    "no_direction",
    "pair_trials",
    "not_reversible",
    "no_reference",
    "no_outcomes",
    "clustered",
    "no_such_group",
    "no_new_trials",
    "conflict",
    "too_few_replicates",
    "on_the_bound",
    "straddles",
    "not_yet",
    "after_adjustment",
    "no_prevalence",
    "few_units",
    "few_errors",
    "one_group",
    "zero_rate",
    "reference_left_out",
    "too_many_groups",
    "lacks_kind",
    "nothing_decided",
    "noise_unknown",
    "folds_held",
    "ruled_out",
    "too_few_clusters",
]
"""Why a number is undefined, or a gate undecided."""

Flag = Literal[
    "oracle",
    "train",
    "cv_test",
    "tiny_dev",
    "below_rule_of_30",
    "unresolvable",
    "interval_withheld",
    "tied_cut",
    "below_chance",
    "few_clusters",
    "redrawn_empty_class",
    "undefined_left_out",
    "few_readers",
    "no_dev",
    "coarse_dev",
    "coarse_test",
    "identical_decisions",
    "few_discordant",
    "ci_p_disagree",
    "assumes_independent_trials",
    "hook",
    "joined_grades",
    "power_at_bound",
    "power_flat",
    "share_of_dev",
    "held_folds",
    "noise_left_out",
    "interval_unsound",
    "within_cluster",
    "values_alike",
    "too_few_clusters",
]
"""What must be known of a number that is defined."""

FromReplicates = Literal["percentile", "centred", "basic", "studentized", "bca"]
BySpread = Literal["normal", "t", "item_t", "delong", "swap"]

CiMethod = Literal[
    FromReplicates,
    BySpread,
    "logit_delong",
    "delong_noise",
    "logit_clustered",
    "logit_weighted",
    "logit_normal",
    "log_normal",
    "logit_t",
    "log_t",
    "skewed_t",
    "newcombe",
    "newcombe_delong",
    "square_and_add",
    "classes_combined",
    "half_normal",
    "wilson",
    "wilson_noise",
    "best_cut",
    "best_cut_clustered",
    "held_cut",
    "lowered",
    "wilson_effective",
    "korn_graubard",
    "clopper_pearson",
    "score",
    "betting",
    "two_runs",
]
"""How an interval was made."""

PMethod = Literal[FromReplicates, BySpread, "exact_midp", "maxt"]
"""How a p-value was made."""
