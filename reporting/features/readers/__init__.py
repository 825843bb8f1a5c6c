"""A reader study: every reader with every model, and whether a difference extends to other readers.

The numbers are rows of ``metrics`` and ``comparisons``, as those of any runs (``trials.runs``) are.
``core/engine/model_runs`` makes the mean over readers, ``of_readers`` and ``over_runs`` in ``core/engine``
its interval and test, by the formulas of ``core/stats/readers`` (methods 8.11). Here is the page's section,
and ``features/planning`` plans readers and cases.
"""

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
