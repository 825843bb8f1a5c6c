"""How far the numbers can be relied on: what the reader must not overlook of data, design and scores."""

from __future__ import annotations

from reporting.document.feature import Feature

FEATURE = Feature(
    key="reliability",
    cautions=(
        *(
            f"{__name__}.design:{name}"
            for name in (
                "policy",
                "independence",
                "judged_where_chosen",
                "letter_case",
                "primary_question",
                "prevalence",
                "another_analysis",
                "replicates",
                "coarseness",
            )
        ),
        *(
            f"{__name__}.scores:{name}"
            for name in (
                "below_chance",
                "constant_scores",
                "hard_decisions",
                "unstable_thresholds",
                "misleading_ratios",
                "another_base",
                "mixed_scales",
                "outside_scores",
                "rejects_infinite",
                "groups_of_one_class",
                "unseen_values",
            )
        ),
        *(f"{__name__}.few_errors:{name}" for name in ("few_errors", "no_errors", "too_few_for_a_ci")),
        *(
            f"{__name__}.flagged:{name}"
            for name in ("undefined_values", "undefined_comparisons", "flagged_values", "flagged_comparisons")
        ),
    ),
    words=__name__,
)
