"""From counts to the result frames of a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from reporting.cache.cache import NO_CACHE, Cache
from reporting.counts.count import Counts
from reporting.engine.operations import JudgedModel
from reporting.engine.parts import Part, parts
from reporting.engine.rechoosing import Rechoosing
from reporting.engine.resampling import Resampling, resample_part
from reporting.engine.study import Study
from reporting.execution import Executor
from reporting.frames import curve_schemas, inference_schemas, schemas
from reporting.frames.bands import BANDS, CURVE_DIFFERENCES, band_frame, difference_frame
from reporting.frames.best_set import standing_rows
from reporting.frames.bundled import without_trial_pairs
from reporting.frames.comparisons import comparison_rows, macro_rows
from reporting.frames.contract import KEY, Frame
from reporting.frames.curve_frames import curve_frames
from reporting.frames.dcf import dcf_rows
from reporting.frames.differences import difference_rows
from reporting.frames.epc import epc_rows
from reporting.frames.epc_exact import ExactCurves, expected_rows
from reporting.frames.families import with_adjusted
from reporting.frames.fits import (
    FIT_CURVES,
    FIT_METRICS,
    FITS,
    fit_curve_frame,
    fit_metric_rows,
    fit_model,
    fit_rows,
    is_clustered,
)
from reporting.frames.further_tests import TESTS, further_test_rows
from reporting.frames.keyed import stacked
from reporting.frames.macro import macro_metrics, macro_of
from reporting.frames.metrics import metric_rows
from reporting.frames.runs import mean_curves, mean_metrics
from reporting.frames.transfer import TRANSFER, transfer_rows
from reporting.frames.trials import group_trial_rows, trial_rows
from reporting.frames.winners import WINNERS, winner_rows
from reporting.trials.table import TrialTable

ON_REQUEST = (
    curve_schemas.DCF,
    curve_schemas.AREAS,
    curve_schemas.STEPS,
    curve_schemas.EXPECTED,
    TRANSFER,
    inference_schemas.DIFFERENCES,
    inference_schemas.STANDING,
    WINNERS,
    TESTS,
    FITS,
    FIT_METRICS,
)
STACKED = BANDS, CURVE_DIFFERENCES, FIT_CURVES


def compute_frames(
    table: TrialTable,
    counts: Counts,
    study: Study,
    pool: Executor,
    visit: Callable[[Part, Resampling], None] = lambda part, drawn: None,
    cache: Cache = NO_CACHE,
) -> dict[str, pl.DataFrame]:
    """Return every result frame by name; those of curves that nobody asked for are left out.

    ``visit`` sees every part while its replicates are at hand.
    """
    gathered = _Gathered(study, pool, visit, cache)
    curves: dict[str, list[pl.DataFrame]] = {}
    wholes: list[Part] = []
    groups: list[Part] = []
    for part in parts(counts, study):
        (groups if part.group else wholes).append(part)
        gathered.add_part(part)
        for name, frame in curve_frames(part, study).items():
            curves.setdefault(name, []).append(frame)
    gathered.add(TRANSFER, transfer_rows(wholes, study))
    rows = gathered.rows
    found = {
        "trials": schemas.TRIALS.build([*trial_rows(table, counts), *group_trial_rows(table, groups)]),
        "metrics": schemas.METRICS.build(rows["metrics"]),
        "comparisons": schemas.COMPARISONS.build(with_adjusted(rows["comparisons"], study)),
        "epc": schemas.EPC.build(rows["epc"]),
        **gathered.on_request(),
        **{name: _joined(frames) for name, frames in curves.items()},
    }
    return without_trial_pairs(table, found)


def _joined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(frames).sort(list(KEY), maintain_order=True)


class _Gathered:
    """The rows of all frames that grow part by part, by the name of the frame."""

    def __init__(
        self, study: Study, pool: Executor, visit: Callable[[Part, Resampling], None], cache: Cache
    ) -> None:
        self.study, self.pool, self.visit = study, pool, visit
        self.rechoosing = Rechoosing(study, pool, cache)
        self.rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.stacks: dict[str, list[pl.DataFrame]] = defaultdict(list)

    def add(self, contract: Frame[Any], rows: Iterable[dict[str, Any]]) -> None:
        """Add rows to a frame."""
        self.rows[contract.name] += rows

    def add_part(self, part: Part) -> None:
        """Measure and compare the models of one part."""
        study, drawn = self.study, resample_part(part, self.study, self.rechoosing, self.pool)
        self.visit(part, drawn)
        for model in part.models:
            self._add_model(model, drawn)
            self._add_fits(model, part)
        self.add(schemas.METRICS, mean_metrics(part.models, drawn, study))
        self.add(schemas.EPC, mean_curves(part.models, drawn, study))
        self.add(schemas.COMPARISONS, comparison_rows(part.models, drawn, study, self.pool))
        self.add(inference_schemas.DIFFERENCES, difference_rows(part.models, drawn, study))
        self.add(inference_schemas.STANDING, standing_rows(part.models, drawn, study))
        self.add(WINNERS, winner_rows(part.models, drawn, study))
        self.add(TESTS, further_test_rows(part.models, drawn, study, self.pool))
        self.stacks[BANDS.name].append(band_frame(part, drawn, study, study.bands))
        self.stacks[CURVE_DIFFERENCES.name].append(difference_frame(part, drawn, study, study.bands))
        macro = macro_of(part, study)
        if macro is not None:
            self.add(schemas.METRICS, macro_metrics(macro, part, study))
            self.add(schemas.COMPARISONS, macro_rows(macro, part, study))

    def _add_model(self, model: JudgedModel, drawn: Resampling) -> None:
        study, exact = self.study, ExactCurves(model, self.study)
        self.add(schemas.METRICS, metric_rows(model, drawn, study))
        self.add(schemas.EPC, epc_rows(model, drawn, study))
        self.add(curve_schemas.DCF, dcf_rows(model, drawn, study))
        self.add(curve_schemas.AREAS, exact.area_rows())
        self.add(curve_schemas.STEPS, exact.step_rows())
        self.add(curve_schemas.EXPECTED, expected_rows(model, study))

    def _add_fits(self, model: JudgedModel, part: Part) -> None:
        found = fit_model(model, part, self.study)
        self.add(FITS, fit_rows(found, self.study, is_clustered(part, self.study)))
        self.add(FIT_METRICS, fit_metric_rows(found, model, self.study))
        self.stacks[FIT_CURVES.name].append(fit_curve_frame(found, self.study.inference.level))

    def on_request(self) -> dict[str, pl.DataFrame]:
        """The frames that only some reports have."""
        built = {one.name: one.build(rows) for one in ON_REQUEST if (rows := self.rows[one.name])}
        stacks = {one.name: stacked(one, self.stacks[one.name]) for one in STACKED}
        return built | {name: frame for name, frame in stacks.items() if len(frame)}
