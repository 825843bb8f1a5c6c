"""Ranks of many models, with their confidence sets."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, THREE_MODELS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="ranking",
    asks="Which of many models may be best?",
    needs=(BOTH_CLASSES, THREE_MODELS),
    sections=(
        SectionSpec(
            key="ranking",
            title="Ranking",
            writer=f"{__name__}.section:ranking",
            answer=True,
            on_request=lambda results: not results.study.many,
        ),
    ),
    frames=(f"{__name__}.frame",),
)
