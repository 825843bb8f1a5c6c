"""A reader study: every reader with every model, and whether a difference extends to other readers."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, READERS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="readers",
    asks="How do readers differ, and does a difference between models extend to other readers?",
    needs=(BOTH_CLASSES, READERS),
    sections=(SectionSpec(key="readers", title="Readers", writer=f"{__name__}.section:readers"),),
)
