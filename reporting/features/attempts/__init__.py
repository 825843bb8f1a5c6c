"""Repeated attempts at each item: whether a model solves it every time, or at least once."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import ATTEMPTS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="attempts",
    asks="How often does a model solve an item in all of k attempts, or in at least one?",
    needs=(ATTEMPTS,),
    sections=(SectionSpec(key="attempts", title="Repeated attempts", writer=f"{__name__}.section:attempts"),),
    frames=(f"{__name__}.frame",),
)
