"""What a config says of its trial table: where it is, what its columns and values are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

COLUMNS = ("model", "run", "dataset", "split", "trial", "label", "score", "cluster")
REQUIRED = ("model", "split", "label", "score")
DEFAULTS = {"run": "0", "dataset": "all"}

TRUE_WORDS = ("true", "True", "TRUE", "1", "1.0", "target")
FALSE_WORDS = ("false", "False", "FALSE", "0", "0.0", "nontarget")


@dataclass(frozen=True)
class Values:
    """What labels and splits are called in the table; ``nontarget`` None: exactly one other value."""

    target: tuple[str, ...] = TRUE_WORDS
    nontarget: tuple[str, ...] | Literal["rest"] | None = FALSE_WORDS
    dev: str = "dev"
    test: str = "test"


@dataclass(frozen=True)
class TrialSpec:
    """Everything ``read_trials`` needs. ``columns`` maps our names to the table's (only what differs)."""

    sources: tuple[Path, ...]
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Values = Values()
    missing: Literal["error", "drop", "reject"] = "error"
    unlabelled: Literal["error", "drop"] = "error"
    negated: frozenset[str] = frozenset()
    """Models whose higher scores speak for the non-target; their scores change sign when read."""

    def column(self, name: str) -> str:
        """Return what the table calls our column ``name``."""
        return self.columns.get(name, name)
