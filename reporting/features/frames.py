"""The frames that a report can have, in the order of its folder."""

from __future__ import annotations

from collections.abc import Iterable

from reporting.base.contents import Contents
from reporting.base.extensions import extensions
from reporting.core.engine.study import Study
from reporting.document.feature import Feature
from reporting.document.frames.recipe import Recipe
from reporting.errors import ConfigError, quoted
from reporting.features.catalogue import FEATURES, asked_by
from reporting.features.trials_frame import RECIPES

IN_ORDER = (
    "trials",
    "metrics",
    "comparisons",
    "roc",
    "epc",
    "dcf",
    "areas",
    "epc_steps",
    "expected",
    "drift",
    "pr",
    "cost",
    "cross_entropy",
    "histogram",
    "reliability",
    "decision",
    "risks",
    "net_benefit",
    "net_benefit_differences",
    "precision_bands",
    "calibration",
    "transfer",
    "differences",
    "standing",
    "ranking",
    "pairs",
    "winners",
    "bands",
    "curve_differences",
    "tests",
    "group_metrics",
    "disparities",
    "disparity_comparisons",
    "abstention",
    "risk_coverage",
    "abstention_comparisons",
    "agreement",
    "worst",
    "fits",
    "fit_metrics",
    "fit_curves",
    "passport",
    "held_counts",
    "held_pairs",
    "history",
    "since_last",
    "changes",
    "gates",
)
"""Names of frames; others follow."""


def _recipes_of(features: Iterable[Feature]) -> list[Recipe]:
    """Return what makes the frames of some questions, and the frame of trials, in the order of the folder."""
    return sorted(
        (*RECIPES, *(recipe for feature in features for recipe in feature.recipes())),
        key=lambda recipe: IN_ORDER.index(recipe.key) if recipe.key in IN_ORDER else len(IN_ORDER),
    )


FRAMES = Contents("frame", (), lambda: _recipes_of(FEATURES.values()))


def recipes_for(study: Study) -> list[Recipe]:
    """Return what may make a frame of a report; where packages add some, all, because names are compared."""
    return [*FRAMES.values()] if extensions() else _recipes_of(asked_by(study))


def recipe_of(name: str) -> Recipe:
    """Return what makes a frame; ConfigError where the question that makes it is not in the program."""
    if name not in FRAMES:
        raise ConfigError(
            f"the frame {quoted(name)} is needed here, and no question of this program makes it"
        )
    return FRAMES[name]
