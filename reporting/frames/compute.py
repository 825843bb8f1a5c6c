"""From counts to the result frames of a report."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from reporting.counts.count import Counts
from reporting.frames import curve_schemas, schemas
from reporting.frames.bands import band_frame, difference_frame
from reporting.frames.bands_schema import BANDS, CURVE_DIFFERENCES
from reporting.frames.comparisons import comparison_rows, macro_rows
from reporting.frames.curve_frames import curve_frames
from reporting.frames.dcf import dcf_rows
from reporting.frames.epc import epc_rows
from reporting.frames.epc_exact import ExactCurves, expected_rows
from reporting.frames.families import with_adjusted
from reporting.frames.keyed import stacked
from reporting.frames.macro import macro_metrics, macro_of
from reporting.frames.metrics import metric_rows
from reporting.frames.parts import Part, parts
from reporting.frames.rechoosing import Rechoosing
from reporting.frames.resampling import resample_part
from reporting.frames.runs import mean_curves, mean_metrics
from reporting.frames.study import Study
from reporting.frames.transfer import transfer_rows
from reporting.frames.transfer_schema import TRANSFER
from reporting.frames.trials import group_trial_rows, trial_rows
from reporting.trials.table import TrialTable

Rows = list[dict[str, Any]]


def compute_frames(
    table: TrialTable, counts: Counts, study: Study, pool: Executor
) -> dict[str, pl.DataFrame]:
    """Return every result frame by name; those of curves that nobody asked for are left out."""
    rows = _Rows()
    curves: dict[str, list[pl.DataFrame]] = {}
    wholes: list[Part] = []
    groups: list[Part] = []
    rechoosing = Rechoosing(study, pool)
    for part in parts(counts, study):
        (groups if part.group else wholes).append(part)
        rows.add(part, study, rechoosing, pool)
        for name, frame in curve_frames(part, study).items():
            curves.setdefault(name, []).append(frame)
    rows.transfer += transfer_rows(wholes, study)
    return {
        "trials": schemas.TRIALS.build([*trial_rows(table, counts), *group_trial_rows(table, groups)]),
        "metrics": schemas.METRICS.build(rows.metrics),
        "comparisons": schemas.COMPARISONS.build(with_adjusted(rows.comparisons, study)),
        "epc": schemas.EPC.build(rows.epc),
        **rows.optional(),
        **{name: _joined(frames) for name, frames in curves.items()},
    }


def _joined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames).sort(list(schemas.KEY), maintain_order=True)


@dataclass
class _Rows:
    """The rows of all frames that grow part by part."""

    metrics: Rows = field(default_factory=list)
    comparisons: Rows = field(default_factory=list)
    epc: Rows = field(default_factory=list)
    dcf: Rows = field(default_factory=list)
    areas: Rows = field(default_factory=list)
    epc_steps: Rows = field(default_factory=list)
    expected: Rows = field(default_factory=list)
    transfer: Rows = field(default_factory=list)
    bands: list[pl.DataFrame] = field(default_factory=list)
    curve_differences: list[pl.DataFrame] = field(default_factory=list)

    def add(self, part: Part, study: Study, rechoosing: Rechoosing, pool: Executor) -> None:
        """Measure and compare the models of one part."""
        drawn = resample_part(part, study, rechoosing, pool)
        for model in part.models:
            self.metrics += metric_rows(model, drawn, study)
            self.epc += epc_rows(model, drawn, study)
            self.dcf += dcf_rows(model, drawn, study)
            exact = ExactCurves(model, study)
            self.areas += exact.area_rows()
            self.epc_steps += exact.step_rows()
            self.expected += expected_rows(model, study)
        self.bands.append(band_frame(part, drawn, study, study.bands))
        self.curve_differences.append(difference_frame(part, drawn, study, study.bands))
        self.metrics += mean_metrics(part.models, drawn, study)
        self.epc += mean_curves(part.models, drawn, study)
        self.comparisons += comparison_rows(part.models, drawn, study, pool)
        macro = macro_of(part, study)
        if macro is not None:
            self.metrics += macro_metrics(macro, part, study)
            self.comparisons += macro_rows(macro, part, study)

    def optional(self) -> dict[str, pl.DataFrame]:
        """The frames that only some reports have."""
        contracts: tuple[tuple[Rows, Callable[[Rows], pl.DataFrame], str], ...] = (
            (self.dcf, curve_schemas.DCF.build, "dcf"),
            (self.areas, curve_schemas.AREAS.build, "areas"),
            (self.epc_steps, curve_schemas.STEPS.build, "epc_steps"),
            (self.expected, curve_schemas.EXPECTED.build, "expected"),
            (self.transfer, TRANSFER.build, "transfer"),
        )
        stacks = ((BANDS, self.bands), (CURVE_DIFFERENCES, self.curve_differences))
        curves = {one.name: stacked(one, frames) for one, frames in stacks if any(map(len, frames))}
        return {name: build(rows) for rows, build, name in contracts if rows} | curves
