"""The whole program as one readable path: plan -> trials -> counts -> frames -> report -> files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from reporting import __version__
from reporting.app.config.plan import Plan
from reporting.app.config.read import read_plan
from reporting.app.run.inputs import CountedPlan, counted_trials, refuse_own_inputs
from reporting.app.run.junit import gate_files
from reporting.app.run.manifest import TIMINGS, manifest, way_to_config, write_json
from reporting.app.run.origin import origin_of
from reporting.app.run.run_history import Judges, look_back, memory_of
from reporting.base.progress import Stages
from reporting.base.provenance import Provenance, library_versions, report_date
from reporting.base.publish import MANIFEST, SCHEMA_VERSION, parquet, publishing
from reporting.base.records import dataclass, replace
from reporting.document.blocks import Report
from reporting.document.feature import called
from reporting.document.frames.contract import Frame
from reporting.document.frames.results import Results
from reporting.document.runs import GateResult
from reporting.features.catalogue import asked_by
from reporting.features.compose import cautions_of, compose, reorder, suppress_cautions
from reporting.features.compute import Visit, compute_frames
from reporting.inputs.bundle import Origin
from reporting.inputs.spec import SAMPLED
from reporting.inputs.table import TrialTable
from reporting.render.drawing import drawer
from reporting.render.formats import Pictures, render_all


def make_report(
    config: Path,
    out: Path | None = None,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
) -> Path:
    """Build the report of a config and return its directory.

    Raises ConfigError, DataError or OutputError, and then leaves the last good report untouched. ``tell``
    hears of every stage.
    """
    target = out or folder_beside(config)
    report_of(read_plan(config, overrides), target, tell)
    return target


def folder_beside(config: Path) -> Path:
    """Return the folder of a config's report where no other is named: ``report`` of ``report.yaml``."""
    return config.parent / (config.stem if config.stem == "report" else f"{config.stem}-report")


@dataclass(frozen=True, eq=False)
class ComputedReport:
    """What a run has computed, before any file of it is rendered."""

    plan: Plan
    results: Results
    keep: Callable[[], object] = lambda: None
    """Keeps the run in its history, if any."""

    @cached_property
    def report(self) -> Report:
        """The report in blocks, its sections in the order of the config."""
        spec = self.plan.report
        whole = compose(self.results, self.plan.sections, spec.sections)
        return suppress_cautions(reorder(whole, self.results, spec.sections, spec.own), spec.ignored)

    @cached_property
    def gates(self) -> list[GateResult]:
        """The outcome of every gate."""
        questions = asked_by(self.plan.study)
        return [each for feature in questions for each in called(feature.verdicts, self.results)]


def report_of(plan: Plan, target: Path | None, tell: Callable[[str], None]) -> ComputedReport:
    """Build the report of a plan in a folder; without one its files are left for ``save``."""
    stages = Stages(tell)
    if target is None:
        with computed(plan, stages) as report:
            return _announced(report, stages)
    refuse_own_inputs(plan, target)
    way = way_to_config(plan, target)
    drawer()
    with new_folder(target) as folder, computed(plan, stages) as report:
        write(folder, report, stages, way)
        report.keep()
    for caution in cautions_of(report.report):
        if not caution.ignored:
            stages.in_report(f"{caution.title} {caution.text}".strip(), caution.code)
    return _announced(report, stages)


def _announced(computed: ComputedReport, stages: Stages) -> ComputedReport:
    """Name the gates that did not pass; return the report without what keeps it in a history."""
    for feature in asked_by(computed.plan.study):
        for gate in called(feature.verdicts, computed.results):
            if gate.outcome != "pass":
                code = feature.code("gate_failed" if gate.outcome == "fail" else "gate_undecided")
                stages.gate(gate.line, code.key, holds_back=gate.counts_as == "fail")
    return replace(computed, keep=lambda: None)


def save(computed: ComputedReport, target: Path) -> None:
    """Write the files of a computed report in place of what is in a folder."""
    refuse_own_inputs(computed.plan, target)
    with new_folder(target) as folder:
        write(folder, computed, Stages(), way_to_config(computed.plan, target))


def new_folder(target: Path) -> AbstractContextManager[Path]:
    """Return a folder that replaces ``target`` when its block ends well."""
    return publishing(target, f"{os.getpid()}-{secrets.token_hex(4)}")


@contextmanager
def computed(plan: Plan, stages: Stages, as_of: str | None = None) -> Iterator[ComputedReport]:
    """Read, count, measure and compare what a plan names; yield it while it may be kept for later runs."""
    if memory := memory_of(plan):
        memory.prepare()
    with counted_trials(plan, stages) as counted:
        plan, table = counted.plan, counted.table
        with stages.stage("measuring and comparing"), ThreadPoolExecutor(1) as beside:
            unchanged = beside.submit(table.scan.check_unchanged)
            judges = Judges(plan.study)
            try:
                frames = frames_of(counted, judges.visit)
            finally:
                unchanged.result()  # before any blame of what was read
        results = build_results(plan, table, frames, origin_of(table, counted.counts), as_of)
        in_strata = any(ranks.strata is not None for ranks in counted.counts.ranks.values())
        sampled = table.spec.column(SAMPLED) if in_strata else None
        results = replace(results, cased=counted.counts.cased, sampled=sampled)
        sources = table, counted.counts
        yield ComputedReport(plan, *look_back(plan, memory, sources, judges, results, stages))


def frames_of(
    counted: CountedPlan, visit: Visit | None = None, only: Collection[Frame[Any]] = ()
) -> dict[str, pl.DataFrame]:
    """Return the frames that a plan asks of its trials, or ``only`` some; ``visit`` sees every part."""
    return compute_frames(
        counted.table, counted.counts, counted.plan.study, counted.pool, visit, counted.cache, only
    )


def write(folder: Path, computed: ComputedReport, stages: Stages, way: str | None) -> None:
    """Write every file of a report into an empty folder."""
    plan, results = computed.plan, computed.results
    with stages.stage("writing the report"):
        spec = plan.report
        templates = spec.templates.path if spec.templates else None
        with Pictures() as pictures:
            report = computed.report
        files = render_all(
            report,
            results.provenance,
            spec.formats,
            interactive=spec.interactive,
            templates=templates,
            frames=results.frames,
            pictures=pictures,
        )
        files |= gate_files(computed.gates)
        for feature in asked_by(plan.study):
            files |= feature.written(results, plan.trials)
    version = {"schema_version": str(SCHEMA_VERSION)}
    files |= {f"frames/{name}.parquet": parquet(frame, version) for name, frame in results.frames.items()}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    write_json(folder / MANIFEST, manifest(folder, plan, results, way))
    write_json(folder / TIMINGS, stages.timings())


def build_results(
    plan: Plan,
    table: TrialTable,
    frames: dict[str, pl.DataFrame],
    origin: Origin | None = None,
    as_of: str | None = None,
) -> Results:
    """Put the frames together with the question they answer and the place they come from."""
    memory = memory_of(plan)
    provenance = Provenance(
        version=__version__,
        inputs=table.scan.inputs,
        libraries=library_versions(),
        seed=plan.study.inference.seed,
        as_of=as_of or (memory and memory.as_of) or report_date(),
    )
    cluster = table.spec.column("cluster") if table.has_cluster else None
    models = tuple(plan.study.in_order(table.models))
    return Results(
        study=plan.study,
        models=models,
        cluster=cluster,
        cluster_b=table.spec.column("cluster_b") if table.spec.has_pairs else None,
        pools=table.spec.pools,
        provenance=provenance,
        dev_of=table.dev_of,
        weights=table.spec.weights,
        row_weights=table.spec.row_weights,
        missing=plan.trials.missing,
        dates=table.spec.values.dated,
        stratum=table.spec.column("stratum"),
        origin=origin,
        score_columns={model: table.spec.score_column(model) for model in models},
        frames={**frames, **plan.frames},
    )
