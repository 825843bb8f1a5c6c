"""What a run opens: its folder, its executor, the checked trial table and its counts."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reporting import __version__
from reporting.app.config.plan import Plan, study_of_all, study_of_models
from reporting.app.config.question_keys import KEYS
from reporting.app.run.origin import unanswerable
from reporting.base.cache.cache import NO_CACHE, Cache
from reporting.base.execution import Executor
from reporting.base.execution.array_store import ArrayStore
from reporting.base.execution.kinds import open_executor
from reporting.base.extensions import extra
from reporting.base.progress import Stages
from reporting.base.records import dataclass, replace
from reporting.base.remembering import forget_latest
from reporting.core.counts.count import Counts, count_trials
from reporting.core.counts.cuts import Key
from reporting.core.engine.study import Study
from reporting.core.stats.sweep import auc
from reporting.document.keys import HeldByTrials
from reporting.document.words.log_bases import misread_logs
from reporting.document.words.one_kind import paid_by
from reporting.errors import ConfigError, DataError, OutputError, quoted, refuse, with_code
from reporting.inputs.bundle import unbundled
from reporting.inputs.remote.address import FILES, database_file
from reporting.inputs.remote.fetch import fetched
from reporting.inputs.spec import Remote, TrialSpec
from reporting.inputs.table import TrialTable, check_names, read_trials, with_whole_paths

PAGES = (".html", ".htm", ".pdf", ".tex", ".md", ".json", ".zip")
"""Endings of files that a report, in part, could be mistaken for."""


def refuse_own_inputs(plan: Plan, target: Path) -> None:
    """Refuse a target that holds config, trials, templates or what runs keep: it is replaced as a whole.

    One that is named as a file is refused too, unless such a folder is there already.
    """
    if target.suffix.lower() in PAGES and not target.is_dir():
        raise OutputError(
            f"{target} is named as a file, and a report is a folder with its pages; name the folder, such as"
            f" -o {target.with_suffix('')}"
        )
    templates = plan.report.templates
    databases = (
        source for source in plan.trials.inputs if isinstance(source, Remote) and source.scheme in FILES
    )
    files = (*plan.trials.files, *map(database_file, databases), *([templates.path] if templates else []))
    kept = [path for path in (plan.source, *files) if path.exists()]
    if plan.execution.cache is not None:
        kept.append(plan.execution.cache)
    for key in KEYS:
        kept += key.kept(key.of(plan.study), plan.source.parent)
    for path in kept:
        if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(target)):
            raise OutputError(
                f"{target} holds {path.name}, and the report would replace it; name another folder with -o"
            )


@contextmanager
def work_folder(inside: Path | None = None) -> Iterator[Path]:
    """Yield a folder for what a run keeps on disk while it works; ``inside`` None: the temporary folder."""
    try:
        # A network file system may keep the name of a file that a worker still maps.
        folder = tempfile.TemporaryDirectory(prefix="reporting-", dir=inside, ignore_cleanup_errors=True)
    except OSError as error:
        raise ConfigError(
            f"run.folder: no folder can be made in {inside or tempfile.gettempdir()} ({error.strerror})"
        ) from None
    with folder as name:
        yield Path(name)


@dataclass(frozen=True, eq=False)
class CountedPlan:
    """The trials of a plan, read and counted; ``plan`` holds what can be asked of them."""

    plan: Plan
    table: TrialTable
    counts: Counts
    pool: Executor
    """The executor for their number."""
    cache: Cache

    def answering(self, plan: Plan, focus: Focus = lambda study: study) -> CountedPlan:
        """Return the same counts for another question; ConfigError where the table does not hold it."""
        refuse_unanswerable(replace(plan, study=focus(plan.study)), self.table)
        plan = plan_for_table(plan, self.table)
        return replace(self, plan=replace(plan, study=focus(plan.study)))


Focus = Callable[[Study], Study]
"""What leaves of a study the questions that a command asks."""


@contextmanager
def counted_trials(
    plan: Plan, stages: Stages | None = None, focus: Focus = lambda study: study
) -> Iterator[CountedPlan]:
    """Read and count the trials of a plan; their store goes with the block.

    ``stages`` hear of scores that look inverted or misread. DataError and ConfigError where a rule is broken.
    """
    stages = stages or Stages()
    run = plan.execution
    cache = Cache(run.cache, lambda message: warn(plan, stages, "cache_unusable", [message]), run.cache_limit)
    with (
        work_folder(run.folder) as work,
        open_executor(
            run.executor, run.workers, work, address=run.address, pool=run.pool, tell=stages.retry
        ) as executor,
    ):
        with stages.stage("reading trials"):
            table = open_table(replace(plan, study=focus(plan.study)), work)
            columns = {model: table.spec.score_column(model) for model in plan.study.in_order(table.models)}
            warn(plan, stages, "another_base", misread_logs(plan.study, columns))
        with stages.stage("counting"):
            try:
                counts, pool = count_all(table, executor, work, stages, cache)
            except DataError:
                table.scan.check_unchanged()  # before any blame of what was read
                raise
            warn(plan, stages, "below_chance", inverted_scores(counts, pool))
        plan = plan_for_table(plan, table)
        try:
            yield CountedPlan(replace(plan, study=focus(plan.study)), table, counts, pool, cache)
        finally:
            forget_latest()


def count_all(
    table: TrialTable, executor: Executor, work: Path, stages: Stages | None = None, cache: Cache = NO_CACHE
) -> tuple[Counts, Executor]:
    """Count the trials of a table, its large arrays in a folder; also return the executor for its size."""
    pool = executor.suited(table.n_rows)
    if stages is not None:
        pool.step = stages.step
    shelf = ArrayStore(pool.folder or work, hashed=pool.folder is not None)
    return count_trials(table, pool, shelf, cache), pool


def plan_for_table(plan: Plan, table: TrialTable) -> Plan:
    """Return what can be asked of a table: of one without splits no thresholds, of many models no pairs."""
    if table.spec.thresholds.policy != plan.study.thresholds.policy:
        plan = plan.without_dev()
    study = study_of_all(plan.study, table.models)
    return replace(plan, study=study_of_models(study, len(table.models)))


CHANCE, REACH = 0.5, 2.58
"""So many standard errors below chance an AUC is no chance."""


def inverted_scores(counts: Counts, pool: Executor) -> Iterator[str]:
    """Yield a sentence for every model whose AUC on a test set lies below chance, and not by chance.

    The standard error is at most sqrt(A (1 - A) / min(N1, N0)) (van Dantzig 1951).
    """
    keys = [key for key, cuts in sorted(counts.cuts.items()) if key.split == "test" and all(cuts.trials)]
    for key, area in zip(keys, pool.here.run(_area, counts, keys), strict=True):
        cuts = counts.cuts[key]
        if area + REACH * math.sqrt(area * (1 - area) / min(cuts.trials)) < CHANCE:
            where = "" if key.dataset == "all" else f", dataset {quoted(key.dataset)}"
            yield (
                f"model {quoted(key.model)}{where}: targets have lower scores than non-targets"
                f" (AUC {area:.3f}); if lower ones favour targets, set 'higher_is: nontarget' for it;"
                " or they are the column of the other class"
            )


def _area(counts: Counts, key: Key) -> float:
    staircase = counts.cuts[key].staircase
    return float(auc(staircase.misses, staircase.false_alarms))


def refuse_one_class(plan: Plan, counts: Counts) -> None:
    """Raise DataError where labels are to distinguish both classes, and one of them never occurs."""
    tests = [ranks for (_, split), ranks in counts.ranks.items() if split == "test"]
    targets = sum(int(ranks.label.sum()) for ranks in tests)
    others = sum(ranks.n_trials for ranks in tests) - targets
    if (targets and others) or not plan.trials.has_labels:
        return
    which, n = ("non-targets", targets) if targets else ("targets", others)
    column = quoted(plan.trials.column("label"))
    raise DataError(
        f"column {column}: there are no {which} among {n} trials of the test set; is it the label, and are"
        " trials.values right? where every trial is an item to be solved, write trials.columns.label: none"
    )


FEWEST_OF_CLASS = 5
"""Trials of each class from which scores that separate them without an error are no chance."""


def suspect_scores(counts: Counts) -> Iterator[str]:
    """Yield a sentence for scores that look like the label, like nothing, or like another model's."""
    for key, cuts in sorted(counts.cuts.items()):
        if key.split != "test" or min(cuts.trials) < FEWEST_OF_CLASS:
            continue
        model = f"model {quoted(key.model)}" + ("" if key.dataset == "all" else f", {quoted(key.dataset)}")
        area = _area(counts, key)
        if area in (0, 1):
            yield (
                f"{model}: its scores separate all {sum(cuts.trials)} trials without an error"
                f" (AUC {area:g}); is the label a function of the score, or the score of the label?"
            )
        elif area == CHANCE:
            how = "all scores are equal" if len(cuts.score) == 1 else "scores do not depend on the label"
            yield f"{model}: AUC is exactly 0.5: {how}; is this the column of its scores?"
    yield from _copies(counts)


def _copies(counts: Counts) -> Iterator[str]:
    """Yield a sentence for every model whose scores are those of an earlier one, wherever both are tested."""
    by_model: dict[str, list[tuple[object, ...]]] = {}
    for key, cuts in sorted(counts.cuts.items()):
        if key.split == "test":
            values = (cuts.score, cuts.n_target, cuts.n_nontarget)
            by_model.setdefault(key.model, []).append(
                (key.dataset, key.run, *(each.tobytes() for each in values))
            )
    first: dict[tuple[tuple[object, ...], ...], str] = {}
    for model, held in by_model.items():
        earlier = first.setdefault(tuple(held), model)
        if earlier != model:
            yield f"models {quoted(earlier)} and {quoted(model)} have the same scores: is one a copy?"


def name_one_sided(plan: Plan, counts: Counts, stages: Stages) -> None:
    """Report a primary measure that the other error rate can buy, unless the config ignores it."""
    both = all(all(cuts.trials) for key, cuts in counts.cuts.items() if key.split == "test")
    if both and paid_by(plan.study.primary):
        from reporting.document.words.phrases import one_sided  # it brings all that writes a report

        warn(plan, stages, "one_sided", [one_sided(plan.study, called=False)])


def warn(plan: Plan, stages: Stages, name: str, sentences: Iterable[str]) -> None:
    """Report sentences under the code of a caution or flag, unless the config ignores it."""
    for sentence in sentences:
        from reporting.document.words.codes import CAUTIONS, FLAGS  # which few runs need before their report

        code = (CAUTIONS.get(name) or FLAGS[name]).key
        if code not in plan.report.ignored:
            stages.caution(sentence, code)


def materialise_sources(spec: TrialSpec, work: Path) -> TrialSpec:
    """Return the spec with its rows, or the counts of them, in local files; those from afar in ``work``."""
    if spec.count_at == "there":
        with extra("sql", "trials.count"):
            from reporting.inputs.pushdown.count import counted_there
        return counted_there(spec, work, __version__)
    if spec.layout == "counts" and (files := unbundled(spec)):
        with extra("sql", "trials.source"):
            from reporting.inputs.pushdown.by_hand import bundled_results
        return bundled_results(spec, files, work, __version__)
    return fetched(spec, work)


def open_table(plan: Plan, work: Path | None = None) -> TrialTable:
    """Read and check the trial table, and whether it holds what the config asks for.

    Remote rows are fetched into ``work`` first.
    """
    if plan.study.turned and (plan.trials.count_at == "there" or plan.trials.layout == "counts"):
        raise ConfigError(
            f"models ({plan.source}): counts need the sense of each model's scores; name them all, as in"
            " models: {A: {higher_is: nontarget}}"
        )
    spec = plan.trials if work is None else materialise_sources(plan.trials, work)
    table = read_trials(with_whole_paths(spec))
    if plan.study.turned:
        negated = study_of_all(plan.study, table.models).negated
        table = replace(table, scan=table.scan.with_spec(replace(table.spec, negated=negated)))
    refuse_unanswerable(plan, table)
    return table


def refuse_unanswerable(plan: Plan, table: TrialTable) -> None:
    """Raise ConfigError or DataError where a table does not hold what a plan asks."""
    study = study_of_all(plan.study, table.models)
    check_names(table, [entry.key for entry in study.models], study.baseline)
    if study.inference.unit == "cluster" and not table.has_cluster:
        raise ConfigError(
            f"significance.unit ({plan.source}): 'cluster' is requested, but the trial table has no column"
            f" {plan.trials.column('cluster')!r}; name it in trials.columns, or use auto or trial"
        )
    datasets = sorted(table.tally.filter(split="test")["dataset"].unique())
    held = HeldByTrials(
        table.models, datasets, clustered=table.has_cluster and study.inference.unit != "trial"
    )
    unknown = [fault for key in KEYS for fault in key.unknown(key.of(study), held)]
    faults = [
        *(f"{fault} ({plan.source})" for fault in unanswerable(table, study)),
        *with_code("TR509", (f"{fault} ({plan.source})" for fault in unknown)),
    ]
    refuse(faults, ConfigError)
