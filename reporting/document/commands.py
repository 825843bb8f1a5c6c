"""What a command of a question ends with, besides a text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.base.provenance import Provenance
    from reporting.document.blocks import Report


@dataclass(frozen=True, eq=False)
class PageToWrite:
    """A page for a file that the user names; the command prints the name."""

    report: Report
    provenance: Provenance
    file: Path
