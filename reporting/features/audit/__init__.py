"""How the order of models depends on the analysis: units of resampling, ties, sources, tuning on test.

- ``analyses``: the choices that can be defended, and the order of models in each.
- ``text``, ``page``: the sentences, the table for a terminal, and the page with its picture.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, TWO_MODELS

FEATURE = Feature(
    key="audit",
    asks="Would another defensible analysis put another model first?",
    needs=(BOTH_CLASSES, TWO_MODELS),
    commands=(f"{__name__}.command:audit",),
)
