"""The whole program as one readable path: plan -> trials -> counts -> frames -> report -> files."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from reporting import __version__
from reporting.config.plan import Plan
from reporting.config.read import read_plan
from reporting.counts.count import Counts, count_trials
from reporting.errors import ConfigError, OutputError, listed
from reporting.executors import Executor, open_executor
from reporting.frames.bundled import Origin, origin_of, unanswerable
from reporting.frames.compute import compute_frames
from reporting.frames.results import Results
from reporting.gates.collect import Collector
from reporting.gates.evaluate import check_gates, gates_exit, gates_frame
from reporting.gates.gate import REFERENCE
from reporting.gates.paired import Today
from reporting.gates.past import PastRun
from reporting.history.remember import decisions, remember
from reporting.history.store import KEPT, Store, open_store
from reporting.progress import Stages
from reporting.publish import MANIFEST, PROGRAM, publishing
from reporting.render.formats import render_all
from reporting.render.junit import gate_files
from reporting.report.provenance import Provenance, library_versions, report_date
from reporting.sections.arrange import arranged
from reporting.sections.catalogue import ON_REQUEST
from reporting.sections.compose import compose
from reporting.sections.gates import told_gates
from reporting.sections.origin import origin_sentences
from reporting.shelf import Shelf
from reporting.trials.inputs import inputs_of
from reporting.trials.remote.fetch import fetched
from reporting.trials.remote.sqlite import database_file
from reporting.trials.shipping import with_whole_paths
from reporting.trials.spec import Remote
from reporting.trials.table import TrialTable, check_names, read_trials

MOST_MODELS_IN_PAIRS = 10


def make_report(
    config: Path,
    out: Path | None = None,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
) -> Path:
    """Make the report of a config and return the directory it stands in.

    Without ``out`` that is ``<config name>-report`` beside the config. Raises ConfigError, DataError or
    OutputError, and then leaves the last good report untouched. ``tell`` hears of every stage.
    """
    plan = read_plan(config, overrides)
    return report_of(plan, out or config.parent / f"{config.stem}-report", tell)


def report_of(plan: Plan, target: Path, tell: Callable[[str], None]) -> Path:
    """Make the report of a plan in the directory ``target`` and return it."""
    refuse_own_inputs(plan, target)
    past = None if plan.history is None else open_store(plan.history.store, may_be_new=True)
    stages = Stages(tell)
    with (
        work_folder(plan.execution.folder) as work,
        executor_of(plan, work, stages) as executor,
        publishing(target, f"{os.getpid()}-{secrets.token_hex(4)}") as folder,
    ):
        with stages.stage("reading trials"):
            table = open_trials(plan, work)
        pool = executor.suited(table.n_rows)
        pool.step = stages.step
        with stages.stage("counting"):
            counts = count_trials(table, pool, Shelf(pool.folder or work, hashed=pool.folder is not None))
        with stages.stage("measuring and comparing"):
            collector = Collector(plan.gates, plan.study)
            frames = compute_frames(table, counts, plan.study, pool, collector.visit)
        results = gather(plan, table, frames, origin_of(table, counts))
        results = judged(plan, (table, counts), collector, results, past)
        remembered = None
        if plan.history is not None and past is not None:
            with stages.stage("looking back"):
                said = plan.history.said, plan.history.reference
                remembered = remember(past, *said, (table, counts), results, plan.resolved)
                results = remembered.results
        with stages.stage("writing the report"):
            spec = plan.report
            report = arranged(compose(results), results, spec.sections, ON_REQUEST, spec.own)
            files = render_all(
                report,
                results.provenance,
                spec.formats,
                interactive=spec.interactive,
                templates=spec.templates.path if spec.templates else None,
            )
            files |= gate_files(told_gates(results))
        write(folder, plan, results, files, stages)
        if remembered is not None:
            remembered.keep()
    return target


def judged(
    plan: Plan,
    sources: tuple[TrialTable, Counts],
    collector: Collector,
    results: Results,
    past: Store | None,
) -> Results:
    """Return the results with the frame ``gates``; as they are where the config has none."""
    if not plan.gates:
        return results
    table, looks_back = sources[0], any(g.always_valid or g.against == REFERENCE for g in plan.gates)
    today = Today(
        outcomes=decisions(*sources, results) if looks_back else None,
        past=earlier(past, results) if looks_back and past is not None else (),
        criterion=plan.study.primary.criterion,
        clustered=table.has_cluster and plan.study.inference.unit != "trial",
        weighted=bool(plan.trials.weights),
        pairs=table.spec.has_pairs,
    )
    return replace(results, gates=gates_frame(collector, table.models, today))


def earlier(store: Store, results: Results) -> list[PastRun]:
    """Return the runs of this report at earlier dates, with all frames that are kept of them."""
    mine = [run for run in store.before(results.provenance.as_of) if run.facts.title == results.study.title]
    return [
        PastRun(run.name, {name: frame for name in KEPT if (frame := run.frame(name)) is not None})
        for run in mine
    ]


def held_back(folder: Path) -> bool:
    """Tell whether a gate of the report in a folder counts as failed."""
    frame = folder / "frames" / "gates.parquet"
    return frame.exists() and gates_exit(pl.read_parquet(frame))


def refuse_own_inputs(plan: Plan, target: Path) -> None:
    """Refuse a target that holds the config, the trials or the templates: it is replaced as a whole."""
    templates = plan.report.templates
    databases = (one for one in plan.trials.inputs if isinstance(one, Remote) and one.scheme == "sqlite")
    files = (*plan.trials.files, *map(database_file, databases), *([templates.path] if templates else []))
    found = [path for path in (plan.source, *files) if path.exists()]
    if plan.history is not None and "://" not in plan.history.store:
        found.append(Path(plan.history.store))  # even a new one: the report would soon replace it
    for path in found:
        if path.resolve().is_relative_to(target.resolve()):
            raise OutputError(
                f"{target} holds {path.name}, and the report would replace it; name another folder with -o"
            )


def check_report(
    config: Path, overrides: Sequence[str] = (), tell: Callable[[str], None] = lambda line: None
) -> str:
    """Check a config and its data, compute nothing, and return one line that says what was found."""
    plan = read_plan(config, overrides)
    stages = Stages(tell)
    with (
        work_folder(plan.execution.folder) as work,
        executor_of(plan, work, stages) as executor,
    ):
        with stages.stage("reading trials"):
            table = open_trials(plan, work)
        pool = executor.suited(table.n_rows)
        pool.step = stages.step
        with stages.stage("comparing trial sets"):
            counts = count_trials(table, pool, Shelf(pool.folder or work, hashed=pool.folder is not None))
    return _found(table, counts)


@contextmanager
def work_folder(inside: Path | None = None) -> Iterator[Path]:
    """Yield a folder for what a run keeps on disk while it works; ``inside`` None: the temporary folder."""
    try:
        # A network file system may keep the name of a file that a worker still maps.
        made = tempfile.TemporaryDirectory(prefix="reporting-", dir=inside, ignore_cleanup_errors=True)
    except OSError as error:
        raise ConfigError(
            f"run.folder: no folder can be made in {inside or tempfile.gettempdir()} ({error.strerror})"
        ) from None
    with made as name:
        yield Path(name)


def executor_of(plan: Plan, work: Path, stages: Stages | None = None) -> Executor:
    """Open the executor of a plan; ``stages`` hear of workers that die."""
    said = plan.execution
    tell = (stages or Stages()).retry
    return open_executor(said.executor, said.workers, work, address=said.address, tell=tell)


def open_trials(plan: Plan, work: Path | None = None) -> TrialTable:
    """Read and check the trial table, and whether it holds what the config asks for.

    Remote rows are fetched into ``work`` first.
    """
    table, study = open_table(plan, work), plan.study
    if study.baseline is None and len(table.models) > MOST_MODELS_IN_PAIRS:
        raise ConfigError(
            f"baseline ({plan.source}): {len(table.models)} models make"
            f" {len(table.models) * (len(table.models) - 1) // 2} pairs; name the model to compare with"
            f" (found: {listed(table.models)})"
        )
    return table


def open_table(plan: Plan, work: Path | None = None) -> TrialTable:
    """Read and check the trial table, however many pairs its models make."""
    spec = plan.trials if work is None else fetched(plan.trials, work)
    table, study = read_trials(with_whole_paths(spec)), plan.study
    check_names(table, [entry.key for entry in study.models], study.baseline)
    if study.inference.unit == "cluster" and not table.has_cluster:
        raise ConfigError(
            f"significance.unit ({plan.source}): 'cluster' is asked for, but the trial table has no column"
            f" {plan.trials.column('cluster')!r}; name it in trials.columns, or say auto or trial"
        )
    datasets = sorted(table.tally.filter(split="test")["dataset"].unique())
    asked = [*unanswerable(table, study), *check_gates(plan.gates, table.models, datasets)]
    faults = [f"{fault} ({plan.source})" for fault in asked]
    if faults:
        raise ConfigError(*faults)
    return table


def gather(
    plan: Plan, table: TrialTable, frames: dict[str, pl.DataFrame], origin: Origin | None = None
) -> Results:
    """Put the frames beside the question they answer and the place they come from."""
    provenance = Provenance(
        version=__version__,
        inputs=inputs_of(table.spec),
        libraries=library_versions(),
        seed=plan.study.inference.seed,
        as_of=(plan.history and plan.history.as_of) or report_date(),
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
        weighted=bool(plan.trials.weights),
        origin=origin,
        **frames,
    )


def write(folder: Path, plan: Plan, results: Results, files: dict[str, bytes], stages: Stages) -> None:
    """Write rendered files, frames, manifest and timings into the new folder."""
    (folder / "frames").mkdir()
    for name, frame in results.frames().items():
        frame.write_parquet(folder / "frames" / f"{name}.parquet", compression="zstd", statistics=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    _write_json(folder / MANIFEST, _manifest(folder, plan, results))
    _write_json(folder / "timings.json", stages.timings())


UNSTABLE = (".pdf", ".png")
"""Pictures whose bytes a library may change from call to call: their source, the spec, is digested."""


def _manifest(folder: Path, plan: Plan, results: Results) -> dict[str, Any]:
    """What was read and what was made; nothing here is decided by a clock."""
    provenance = results.provenance
    outputs = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in UNSTABLE)
    return {
        "program": PROGRAM,
        "version": provenance.version,
        "config": plan.resolved,
        "seed": provenance.seed,
        "inputs": [vars(source) for source in provenance.inputs],
        "libraries": dict(provenance.libraries),
        "templates": dict(plan.report.templates.digests) if plan.report.templates else {},
        "outputs": {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in outputs
        },
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def _found(table: TrialTable, counts: Counts) -> str:
    rows = int(table.tally["rows_read"].sum())
    cluster = "pair member" if table.spec.has_pairs else table.spec.column("cluster")
    places = ", ".join(
        f"{place[1] if place[0] == 'all' else ' '.join(place)} {ranks.n_trials} trials"
        f" ({int(ranks.label.sum())} targets"
        + (f", {counts.n_clusters[place]} {cluster}s)" if place in counts.n_clusters else ")")
        for place, ranks in sorted(counts.ranks.items())
    )
    found = f"{rows} rows, {len(table.models)} models ({listed(table.models)}): {places}"
    return ". ".join((found, *origin_sentences(origin_of(table, counts))))
