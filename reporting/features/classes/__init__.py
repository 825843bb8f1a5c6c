"""Several classes: measures of every class against the rest, their means, and the confusion matrix.

- ``keys``: the key ``classes``: the labels, and the columns with the scores of every class.
- ``read``: these columns, read as the trials are.
- ``formulas``, ``measured``: measures by class, their means, and resamples of both.
- ``frame``, ``contrasts``: the rows of the frames, each number with its interval.
- ``section``, ``chart``: the tables, cautions and pictures of the page.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="classes",
    asks="How well does a model separate several classes?",
    needs=(CLASSES,),
    sections=(SectionSpec(key="classes", title="Several classes", writer=f"{__name__}.section:classes"),),
    frames=(f"{__name__}.frame", f"{__name__}.contrasts"),
    keys=f"{__name__}.keys",
    by_key=True,
    checks=(f"{__name__}.read:check_classes",),
    cautions=(f"{__name__}.section:class_cautions",),
    words=__name__,
)
