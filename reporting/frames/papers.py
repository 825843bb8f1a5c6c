"""The frames that only the page of a paper needs: what a study of its own computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from reporting.engine.study import Study
from reporting.frames.ap_estimators import ap_estimators_frame

OF_PAPERS: Mapping[str, tuple[str, Callable[[Study], pl.DataFrame]]] = {
    "brodersen": ("ap_estimators", ap_estimators_frame),
}
"""By the paper: the name of its frame, and what computes it."""


def paper_frames(study: Study) -> dict[str, pl.DataFrame]:
    """Return the frame of the paper that the config names; empty for most reports."""
    if study.paper is None or study.paper not in OF_PAPERS:
        return {}
    name, compute = OF_PAPERS[study.paper]
    return {name: compute(study)}
