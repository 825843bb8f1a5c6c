"""The frames of earlier runs; ``past``, ``differences`` and ``trends`` make their rows."""

from __future__ import annotations

from reporting.document.frames.history import CHANGES, HISTORY, SINCE_LAST
from reporting.document.frames.recipe import frame_of

RECIPES = (
    frame_of(HISTORY),
    frame_of(SINCE_LAST),
    frame_of(CHANGES),
)
