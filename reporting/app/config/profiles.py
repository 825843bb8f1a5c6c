"""Profiles: what a report of a profession has, filled in where the config leaves a key out.

A profile writes keys as a user could; what the config names is left as it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from reporting.app.config.study_keys import ModelSettings
from reporting.base.records import dataclass
from reporting.core.measures.catalogue import read_measure
from reporting.document.keys import fault
from reporting.errors import ConfigError, listed, quoted
from reporting.features.catalogue import CURVES
from reporting.features.sections import NAMES

PROBABILITIES = ("probability", "logit")
"""Scales that are probabilities, whatever the share of targets."""
OF_PAIRS = ("benefit_difference",)
"""Curves that need two models."""
MAY_NEED_DEV = {"thresholds", "primary", "criteria", "epc", "gates", "operating_points"}
"""Where a config names none of these no threshold is chosen, and a table needs no development set."""
GRADES = "grades"
"""The profile of mean scores: that of trials without labels where such a mean is the primary measure."""
FILLED_WITHIN = ("trials", "report", "thresholds")
"""Sections of which a config may name some keys, and the profile the others."""


@dataclass(frozen=True)
class Profile:
    """What a report of one profession asks, and how it is laid out."""

    about: str
    keys: Mapping[str, Any]
    source: str = ""
    """The guidance that it follows."""
    probabilities: bool = False
    """Whether every model must state probabilities."""
    without_dev: bool = False
    """Whether no threshold is chosen where the config names no key that needs one."""


def _read() -> dict[str, Profile]:
    text = files(__package__).joinpath("profiles.toml").read_text(encoding="utf-8")
    return {
        name: Profile(source=entry.pop("from", ""), **{**entry, "keys": answered(entry["keys"])})
        for name, entry in tomllib.loads(text).items()
    }


def answered(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return keys with those of their curves and sections alone that a question of the program brings."""
    known = {"curves": CURVES, "sections": NAMES}
    return {
        key: answered(value)
        if isinstance(value, dict)
        else [word for word in value if word in known[key]]
        if key in known
        else value
        for key, value in keys.items()
    }


PROFILES = _read()


def with_profile(data: Any) -> Any:
    """Return the keys of a config with those of its profile where it leaves them out."""
    if not isinstance(data, dict):
        return data
    primary = _primary_grade(data)
    name = data.get("profile") or (GRADES if primary and _lacks_labels(data) else None)
    if name not in (*PROFILES,):
        return data
    profile, given = PROFILES[name], _given(data)
    keys = dict(profile.keys)
    if name == GRADES:
        keys |= {"profile": name} | ({"measures": [primary]} if primary else {})
    models = data.get("models") or {}
    if "curves" in keys and isinstance(models, dict) and len(models) < 2:
        keys["curves"] = [word for word in keys["curves"] if word not in OF_PAIRS]
    if profile.without_dev and not given.keys() & MAY_NEED_DEV:
        keys["thresholds"] = {"policy": "none"}
    for section in FILLED_WITHIN:
        named = given.get(section, {})
        if section in keys and isinstance(named, dict):
            given[section] = {**keys[section], **_given(named)}
    return {**keys, **given}


def _primary_grade(data: dict[str, Any]) -> str | None:
    """Return the primary measure as it is written, where it is a mean of the scores themselves."""
    primary = data.get("primary")
    text = primary.get("measure") if isinstance(primary, dict) else None
    try:
        return text if isinstance(text, str) and read_measure(text).of_grades else None
    except ConfigError:
        return None


def _lacks_labels(data: dict[str, Any]) -> bool:
    """Return whether trials have no labels, so that thresholds, curves and EPCs have no use."""
    trials = data.get("trials")
    columns = trials.get("columns") if isinstance(trials, dict) else None
    return isinstance(columns, dict) and columns.get("label") in ("none", None) and "label" in columns


def _given(keys: dict[str, object]) -> dict[str, object]:
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
