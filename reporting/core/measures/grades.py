"""Means of graded scores: no threshold makes a yes or no of a grade."""

from __future__ import annotations

from functools import partial

from reporting.core.measures.measure import measure
from reporting.core.stats import grades

INFINITE = float("inf")

of_grades = partial(
    measure,
    over="scores",
    bounds=(-INFINITE, INFINITE),
    printed_in="number",
    formula=grades.mean_score,
    mean_costs=grades.score_costs,
)
MEAN_SCORE = of_grades("mean_score", better="higher")
MEAN_COST = of_grades("mean_cost", better="lower")
