"""The frame ``gates``, whose rows ``verdict`` makes."""

from __future__ import annotations

from reporting.document.frames.gates import GATES
from reporting.document.frames.recipe import frame_of

RECIPES = (frame_of(GATES),)
