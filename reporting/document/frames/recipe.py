"""What makes a frame, and when a report has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Literal

from reporting.base.contents import Named
from reporting.base.records import dataclass, replace
from reporting.core.engine.operations import JudgedModel
from reporting.core.engine.resampling import Resampling
from reporting.core.engine.study import Study
from reporting.core.stats.spoofing import Mix
from reporting.document.frames.contract import Frame, group_of
from reporting.document.frames.judged import JudgedPart, JudgedRun

Rows = Iterable[Any]
"""Rows of a frame, or data frames of them."""


@dataclass(frozen=True, kw_only=True)
class Recipe(Named):
    """A frame with what makes it, and when it is wanted.

    ``parts`` make what one dataset or group adds to it, ``run`` what only the whole run can give, and
    ``finish`` sees all its rows. Frames without makers are filled in by gates and history.
    """

    frame: Frame[Any]
    parts: tuple[Callable[[JudgedPart], Rows], ...] = ()
    run: Callable[[JudgedRun], Rows] = lambda run: ()
    finish: Callable[[list[Any], Study], list[Any]] = lambda rows, study: rows
    wanted: Callable[[Study], bool] = lambda study: True
    keeps_empty: bool = False
    """Whether the frame is there without rows, too."""
    pairs_trials: bool = False
    """Whether it takes the decisions of several models trial by trial: no report without pairs has it."""
    under_noise: bool = False
    """Whether it is made of counts with noise: it holds values, or intervals that include the noise."""
    of: Literal["two classes", "all measures", "the primary measure"] = "two classes"
    """What it is made of where measures mix two kinds of non-targets: such a measure has parts of its own."""

    def made_of(self, mix: Mix | None, study: Study) -> bool:
        """Return whether parts that mix kinds so add to it."""
        if self.of == "the primary measure":
            return study.primary.measure.mix == mix
        return mix is None or self.of == "all measures"


def frame_of(frame: Frame[Any], *parts: Callable[[JudgedPart], Rows], **fields: Any) -> Recipe:
    """Return a frame that only some reports have: it is left out where nothing adds a row."""
    return Recipe(key=frame.name, frame=frame, parts=parts, **fields)


def each(rows: Callable[[JudgedModel, Resampling, Study], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker that takes every model alone, several at a time where the table is large."""

    def of_all(judged: JudgedPart) -> Rows:
        def of_model(drawn: Resampling, model: JudgedModel) -> list[Any]:
            return list(rows(model, drawn, judged.study))

        return chain.from_iterable(judged.pool.here.run(of_model, judged.drawn, judged.models))

    return of_all


def together(rows: Callable[[list[JudgedModel], Resampling, Study], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker that takes all models jointly."""
    return lambda judged: rows(judged.models, judged.drawn, judged.study)


def in_group(make: Callable[[JudgedPart], Rows]) -> Callable[[JudgedPart], Rows]:
    """Return the maker whose rows identify their group by its columns and values, too."""
    return lambda judged: (replace(row, **group_of(judged.part)._asdict()) for row in make(judged))


def curve_of(frame: Frame[Any], make: Callable[[JudgedPart], Rows], **fields: Any) -> Recipe:
    """Return a frame that is there where a curve that the config names is drawn from it."""
    return frame_of(frame, make, wanted=lambda study: frame.name in study.curve_frames, **fields)
