"""What a ready-to-run example is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from reporting.base.contents import Named


@dataclass(frozen=True, kw_only=True)
class Example(Named):
    """An example by name: the config it ships, the function that makes its trials, other files with them.

    ``config`` and ``files`` are paths within ``configs/``; ``written_as`` is the config's name there.
    """

    about: str
    config: str
    make_trials: Callable[[], pl.DataFrame]
    files: tuple[str, ...] = ()
    written_as: str = "report.yaml"
