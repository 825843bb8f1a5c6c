"""A report as a notebook has it: it shows its answer, hands out its frames, and is saved as a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from reporting.app.api.arguments import one_of
from reporting.app.api.mlflow_log import log_report
from reporting.app.api.printed_tables import PAPER, great_table, paper_section
from reporting.app.api.tables import to_pandas
from reporting.app.config.values import path_of
from reporting.app.run.report import ComputedReport, save
from reporting.base.legible import all_legible
from reporting.document.blocks import Caution
from reporting.errors import ConfigError, one_line
from reporting.render.fragment import cautions_of, report_fragment
from reporting.render.layout import lay_out
from reporting.render.render_input import tables

if TYPE_CHECKING:
    import pandas as pd

WHERE = "report"
WIDTH = 100


class NotebookReport(PathLike[str]):
    """A report that was computed; its folder, where it has one, is what ``Path(report)`` names.

    In a notebook it shows the answer, its cautions, the summary and one picture, without a script and
    without the network. ``save`` writes everything that a run writes.
    """

    def __init__(self, computed: ComputedReport, folder: Path | None = None) -> None:
        self._computed = computed
        self.folder = folder
        """Where its files are; None until it is saved."""

    @property
    def title(self) -> str:
        """The title."""
        return self._computed.report.title

    @property
    def verdict(self) -> str:
        """The answer in full sentences."""
        return self._computed.report.verdict

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What must be known of the answer, each with ``text`` and ``code``, those that change it first."""
        return tuple(caution for caution in cautions_of(self._computed.report) if not caution.ignored)

    @property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        """The numbers of the report by the names of FRAMES.md: ``report.frames["metrics"]``."""
        return MappingProxyType(dict(self._computed.results.frames))

    def to_pandas(self, name: str) -> pd.DataFrame:
        """Return a frame as a pandas table; pyarrow is not needed. ConfigError for a name that it lacks."""
        return to_pandas(self.frames[one_of(name, self.frames, f"{WHERE}: there is no frame")])

    def table(self, name: str = "summary") -> Any:
        """Return a table as printed, as an object of great_tables (extra ``tables``).

        ``name`` is that of a file in ``tables/``; or ``paper``, a table with a row per model and a column per
        measure. The object shows itself in a notebook; ``as_latex()`` and ``as_raw_html()`` are its texts.
        """
        report = self._computed.report
        known = {table.name: table for table in tables(report)}
        if PAPER not in known and (section := paper_section(self._computed.results)):
            known |= {table.name: table for table in tables(replace(report, sections=(section,)))}
        table = all_legible(known[one_of(name, known, f"{WHERE}: there is no table")])
        return great_table(lay_out(table))

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the files of a run into a folder, in place of a report there, and return it.

        OutputError where the folder holds anything else.
        """
        target = path_of(folder, f"{WHERE}.save", "of a folder")
        save(self._computed, target)
        self.folder = target
        return target

    def log_mlflow(self) -> str:
        """Log the report to the active run of MLflow, or to a new one, and return the run's id.

        Metrics are the measures on the test set, ``model/measure/criterion``; the verdict is a tag; the files
        of the report are artifacts in ``report/``. It needs the extra ``mlflow``.
        """
        if self.folder is not None:
            return log_report(self._computed.results, self.folder, self.verdict, self.title)
        with TemporaryDirectory(prefix="reporting-") as name:
            folder = Path(name) / "report"
            save(self._computed, folder)
            return log_report(self._computed.results, folder, self.verdict, self.title)

    def __fspath__(self) -> str:
        return str(self._saved())

    def __truediv__(self, name: str | PathLike[str]) -> Path:
        """Return the path of one of its files: ``report / "report.html"``."""
        return self._saved() / path_of(name, WHERE, "of one of its files")

    def _saved(self) -> Path:
        if self.folder is None:
            raise ConfigError(f"{WHERE}: it has no folder yet; save(folder) writes it")
        return self.folder

    def __repr__(self) -> str:
        report = self._computed.report
        lines = [
            f"Report: {report.title}",
            report.data_line,
            report.verdict,
            *(f"{each.title} {each.text}".strip() for each in self.cautions if each.grave),
            f"Frames: {', '.join(self.frames)}",
            "Not saved: save(folder) writes it." if self.folder is None else f"Folder: {self.folder}",
        ]
        return "\n".join(one_line(line) for line in lines if line)

    def _repr_html_(self) -> str:
        return report_fragment(self._computed.report)
