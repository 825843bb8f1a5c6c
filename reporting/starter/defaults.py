"""The useful keys that were not said, with their defaults, as comments."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from pydantic import BaseModel

from reporting.config.inference_keys import Significance
from reporting.config.schema import Config, Report
from reporting.config.study_keys import Epc, PrimaryQuestion, Thresholds
from reporting.config.trial_keys import Trials
from reporting.starter.lines import Line

SHOWN: tuple[tuple[tuple[str, ...], type[BaseModel], str, str], ...] = (
    (("trials",), Trials, "missing", "drop | reject"),
    (("trials",), Trials, "unlabelled", "drop"),
    (("trials",), Trials, "prevalence", "or a number: the share of targets where it is used"),
    (("primary",), PrimaryQuestion, "measure", "the question answered first"),
    (("primary",), PrimaryQuestion, "criterion", ""),
    ((), Config, "criteria", "how thresholds are chosen on dev"),
    ((), Config, "measures", "'reporting measures' lists them all"),
    ((), Config, "curves", "and pr, ape, cost, decision, tippett, histogram, reliability, ..."),
    (("thresholds",), Thresholds, "policy", "where thresholds come from"),
    (("epc",), Epc, "criteria", "expected performance curves; none leaves them out"),
    (("epc",), Epc, "measures", ""),
    (("significance",), Significance, "level", "intervals and tests"),
    (("significance",), Significance, "replicates", ""),
    (("significance",), Significance, "correction", ""),
    (("significance",), Significance, "seed", ""),
    (("report",), Report, "formats", "and markdown, pdf"),
    (("report",), Report, "vocabulary", "biometrics | medical | ir | ml"),
)
"""Sections, the schema of each, a key of it, and what else it could be."""


def default_lines(said: Collection[tuple[str, ...]]) -> Iterator[Line]:
    """Yield every such key that is not said, nor a section it stands in, in the order of the schema."""
    for section, schema, key, why in SHOWN:
        trail = (*section, key)
        if trail not in said and section not in said:
            yield Line(trail, _default(schema, key), why, is_offered=True)


def _default(schema: type[BaseModel], key: str) -> Any:
    return schema.model_fields[key].get_default(call_default_factory=True)
