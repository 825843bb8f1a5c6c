"""Alerts per day and their worth: the thresholds of a report at the volume of an application."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, THRESHOLDS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="alerts",
    asks="How many alerts per day does a threshold give, how many of them are right, and what does it save?",
    needs=(BOTH_CLASSES, THRESHOLDS),
    sections=(SectionSpec(key="alerts", title="Alerts per day", writer=f"{__name__}.section:alerts"),),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
)
