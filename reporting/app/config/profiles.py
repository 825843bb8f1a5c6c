"""Profiles: what a published guidance asks of a report, filled in where the config leaves a key out.

A profile writes keys as a user could; what the config names is left as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from reporting.app.config.study_keys import ModelSettings
from reporting.document.keys import fault
from reporting.document.sections import ALWAYS, CORE_SET, REST
from reporting.errors import listed, quoted

Profile = Literal["stratos"]

PROBABILITIES = ("probability", "logit")
"""Scales that are probabilities, whatever the share of targets."""
OF_PAIRS = ("benefit_difference",)
"""Curves that need two models."""

MAY_NEED_DEV = {"thresholds", "primary", "criteria", "epc", "gates", "operating_points"}
"""Where a config names none of these no threshold is chosen, and a table needs no development set."""

STRATOS: Mapping[str, Any] = {
    "primary": {"measure": "auc"},
    "criteria": [],
    "measures": [
        "auc",
        "oe_ratio",
        "calibration_intercept",
        "calibration_slope",
        "ici",
        "e50",
        "e90",
        "eci",
        "brier",
        "brier_skill",
    ],
    "curves": ["calibration", "decision", "standardised_benefit", "benefit_difference", "risk_distribution"],
    "epc": "none",
}
STRATOS_REPORT: Mapping[str, Any] = {"vocabulary": "medical", "sections": [ALWAYS, CORE_SET, REST]}


def with_profile(data: Any) -> Any:
    """Return the keys of a config with those of its profile where it leaves them out."""
    if not isinstance(data, dict) or data.get("profile") not in get_args(Profile):
        return data
    report, models = data.get("report") or {}, data.get("models") or {}
    keys = dict(STRATOS)
    if isinstance(models, dict) and len(models) < 2:
        keys["curves"] = [word for word in STRATOS["curves"] if word not in OF_PAIRS]
    given = _given(data)
    if not given.keys() & MAY_NEED_DEV:
        keys["thresholds"] = {"policy": "none"}
    if isinstance(report, dict):
        given["report"] = {**STRATOS_REPORT, **_given(report)}
    return {**keys, **given}


def _given(keys: dict[str, object]) -> dict[str, object]:
    """A key with nothing after it is left out."""
    return {key: value for key, value in keys.items() if value is not None}


def states_probabilities(profile: str, models: Mapping[str, ModelSettings], shares: bool) -> None:
    """Refuse models whose scores are no probabilities; ``shares`` turns likelihood ratios into such."""
    example = "such as models: {NAME: {scale: probability}}"
    if not models:
        raise fault(f"{profile} is about predicted probabilities; name the models that state them, {example}")
    plain = [
        key
        for key, model in models.items()
        if model.scale not in PROBABILITIES and not (shares and model.scale != "score")
    ]
    if plain:
        ratios = any(models[key].scale in ("llr", "log10_llr") for key in plain)
        share = " (likelihood ratios become probabilities by trials.prevalence)" if ratios else ""
        raise fault(
            f"{profile} is about predicted probabilities; models without: {listed(map(quoted, plain), 6)};"
            f" declare their scale, {example}{share}"
        )
