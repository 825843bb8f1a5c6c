"""A chosen threshold handed over to what decides by it, and whether it still holds there.

- ``keys``: the key of the config; ``frame``: what each threshold did on test, and how scores lay there.
- ``handed``: the file ``thresholds.json`` as values, read and checked, and what Python does with them.
- ``written``, ``section``: the file and the section of a report.
- ``check``: new scores against a file; ``command``, ``text``: who asks for it, and what is printed.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="handover",
    asks="Which threshold goes into use, and does it still hold for new scores?",
    needs=(BOTH_CLASSES,),
    sections=(SectionSpec(key="handover", title="Thresholds in use", writer=f"{__name__}.section:handover"),),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    files=(f"{__name__}.written:thresholds_file",),
    commands=(f"{__name__}.command:drift",),
)
