"""What every format is given: the report in legible texts, its pictures, and where its numbers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reporting.render.pictures import Picture
from reporting.report.blocks import Report
from reporting.report.provenance import Provenance


@dataclass(frozen=True)
class Material:
    """The input of a format. ``pictures`` are keyed by figure name."""

    report: Report
    provenance: Provenance
    pictures: Mapping[str, Picture]
    interactive: bool
    """False where the page is shown by viewers that run no script."""
    templates: Path | None = None
    """A folder of the user's templates, which come before ours."""
