"""The layouts of evaluation logs of language models: an item is a trial, and its score shows success.

There are no labels. Every item is a target, and accepting it is success: recall at a fixed threshold is the
success rate. ``lm_eval``, ``inspect``, ``openai_evals`` and ``helm`` hold scores under names of metrics, of
which ``metric`` chooses one; ``resolved`` holds lists of items that a system solved. A table of items and
systems is layout ``wide`` or ``long`` without a column of labels.

Rows have the columns trial, model, task, score, and run where a model tried an item more than once, and what
else the config names: ``doc.subject`` is the field ``subject`` of an item's ``doc``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from reporting.base.legible import counted
from reporting.base.records import dataclass, field
from reporting.errors import DataError, UnreadableError, did_you_mean, instead, listed, quoted, refuse
from reporting.inputs.layouts.json_files import (
    as_text,
    json_files,
    json_lines,
    number_of,
    origin_path,
    read_archive,
    read_json,
)
from reporting.inputs.layouts.raw import LayoutRows, Raw, path_values, size_of, source_name
from reporting.inputs.spec import File, TrialSpec

TASK = "task"
"""The column of tasks, for breakdowns and clusters."""
SHOWN = 3
FIELDS_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Item:
    """One attempt of one item: its scores by metric, what is compared between models, and all its fields."""

    id: str
    epoch: int
    scores: Mapping[str, Any]
    digest: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    def value(self, name: str) -> Any:
        """Return a field, or one a step below, such as ``doc.subject``; None where it is no plain value."""
        outer, _, inner = name.partition(".")
        below = self.fields.get(outer)
        inside = below.get(inner) if isinstance(below, Mapping) else None
        value = self.fields.get(name, inside)
        return None if isinstance(value, dict | list) else value


@dataclass(frozen=True, eq=False)
class EvalLog:
    """What one model did on one task; ``date`` orders its repetitions, and is empty where it is unknown."""

    source: File
    model: str
    task: str
    date: str
    items: Sequence[Item]

    @property
    def order(self) -> tuple[str, str]:
        """What repetitions are numbered by."""
        return self.date, self.source.name


def eval_rows(spec: TrialSpec) -> LayoutRows:
    """Return the rows of logs, a piece each; DataError where a metric or a column is not there."""
    logs = logs_of(spec)
    refuse(f"{source_name(log.source)}: the log holds no items" for log in logs if not log.items)
    metrics = _metrics(spec, logs)
    runs = _runs(logs)
    several = len(set(runs.values())) > 1
    pieces = [_piece(spec, log, metrics[log.task], runs if several else None) for log in logs]
    return LayoutRows(pieces, lambda: _other_questions(logs))


def logs_of(spec: TrialSpec) -> list[EvalLog]:
    """Return the logs of a layout that has metrics; DataError where one cannot be read."""
    reader, passed_over = READERS[spec.layout]
    return [reader(spec, file) for file in json_files(spec, passed_over)]


RESULTS = re.compile(r"results_.*\.json")
EVAL_SET = re.compile(r"(eval-set|logs|listing)\.json")
HELM_STATS = "per_instance_stats.json"
HELM_OTHERS = re.compile(rf"(?!{re.escape(HELM_STATS)}).*")
"""Files that lie among logs, and are none."""


SAMPLES = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT[\d.\-]+))?")
OURS = (
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
)
"""What a line of samples holds besides its metrics."""


def _lm_eval_log(spec: TrialSpec, file: File) -> EvalLog:
    """Read samples as the LM Evaluation Harness logs them, ``samples_TASK_DATE.jsonl``.

    A line has ``doc_id``, ``filter``, ``doc_hash`` and a value under the name of every metric. The folder
    names the model, unless the path does. Its ``results_DATE.json`` are passed over. Written by versions 0.4.
    """
    path, of_path = origin_path(file), path_values(file)
    stem = path.name.partition(".jsonl")[0].removesuffix(".json")
    match = SAMPLES.fullmatch(stem)
    task = of_path.get(TASK) or (match["task"] if match else stem)
    items: dict[tuple[str, int], Item] = {}
    for number, line in json_lines(file):
        if "doc_id" not in line:
            guess = did_you_mean("doc_id", line)
            raise UnreadableError(
                f"{source_name(file)}: line {number} has no 'doc_id'{guess} (found: {listed(line)}); expected"
                " are samples that the LM Evaluation Harness wrote with --log_samples"
            )
        named, chosen = line.get("metrics"), line.get("filter", "none")
        metrics = named if isinstance(named, list) else [name for name in line if name not in OURS]
        scores = {
            f"{name},{chosen}": line[name]
            for name in metrics
            if isinstance(line.get(name), int | float | None)
        }
        new = Item(as_text(line["doc_id"]), 1, scores, as_text(line.get("doc_hash", "")), line)
        old = items.get((new.id, 1))
        if old is not None:
            again = sorted(old.scores.keys() & new.scores.keys())
            if again or not new.scores:
                raise UnreadableError(
                    f"{source_name(file)}: line {number}: item {quoted(new.id)} occurs more than once"
                )
            new = Item(new.id, 1, {**old.scores, **new.scores}, old.digest, old.fields)
        items[new.id, 1] = new
    model = of_path.get(spec.column("model")) or path.parent.name
    return EvalLog(file, model, task, (match and match["date"]) or "", list(items.values()))


def _inspect_log(spec: TrialSpec, file: File) -> EvalLog:
    """Read a log of Inspect, ``.json`` or ``.eval``; version 2 of its log.

    A scorer's name is that of a metric; of one with several values, ``scorer.value``. Letters are C 1, P 0.5,
    I and N 0, as Inspect has them. Epochs are runs.
    """
    log = read_archive(file, spec.unpacked_limit) or read_json(file)
    run = log.get("eval") if isinstance(log, dict) else None
    if not isinstance(run, dict) or "model" not in run or "task" not in run:
        raise UnreadableError(
            f"{file.name}: it is no log of Inspect: 'eval' with its model and task is missing"
        )
    if log.get("status") != "success":
        raise UnreadableError(
            f"{file.name}: the status of the evaluation is {quoted(as_text(log.get('status')))}; expected is"
            " 'success', because items that were not reached would count for nothing"
        )
    of_path = path_values(file)
    items = [_inspect_item(file, number, sample) for number, sample in enumerate(log.get("samples") or (), 1)]
    last = {(item.id, item.epoch): item for item in items}  # a sample that was run again comes once more
    return EvalLog(
        file,
        of_path.get(spec.column("model")) or as_text(run["model"]),
        of_path.get(TASK) or as_text(run["task"]),
        as_text(run.get("created", "")),
        list(last.values()),
    )


def _inspect_item(file: File, number: int, sample: Any) -> Item:
    epoch = sample.get("epoch") if isinstance(sample, dict) else None
    if not isinstance(epoch, int) or "id" not in sample:
        raise UnreadableError(f"{file.name}: sample {number} has no 'id' and 'epoch'")
    scores: dict[str, object] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        several = {f"{name}.{key}": each for key, each in value.items()} if isinstance(value, dict) else None
        for key, each in ({name: value} if several is None else several).items():
            if isinstance(each, str):
                scores[key] = LETTERS.get(each, WORDS.get(each.lower(), each))
            elif not isinstance(each, list | dict):
                scores[key] = each
    return Item(as_text(sample["id"]), epoch, scores, "", sample)


def _openai_log(spec: TrialSpec, file: File) -> EvalLog:
    """Read a log of OpenAI Evals: a line for each event, JSON lines.

    Events of type ``match`` have the metric ``correct``; those of ``metrics`` every number that they hold.
    The line ``spec`` names the model (``completion_fns``) and the task (``eval_name``); other events are
    passed over.
    """
    about: Mapping[str, Any] = {}
    items: dict[str, Item] = {}
    for number, line in json_lines(file):
        if isinstance(line.get("spec"), dict):
            about = line["spec"]
        kind, data = line.get("type"), line.get("data")
        if kind not in ("match", "metrics") or not isinstance(data, dict) or "sample_id" not in line:
            continue
        values = {"correct": data.get("correct")} if kind == "match" else data
        scores = {name: value for name, value in values.items() if isinstance(value, int | float)}
        name = as_text(line["sample_id"])
        old = items.get(name, Item(name, 1, {}, fields=data))
        if old.scores.keys() & scores.keys():
            raise UnreadableError(
                f"{source_name(file)}: line {number}: item {quoted(name)} has {listed(scores)} more than once"
            )
        items[name] = Item(name, 1, {**old.scores, **scores}, fields={**data, **old.fields})
    of_path = path_values(file)
    models = about.get("completion_fns") or [origin_path(file).name.partition(".")[0]]
    return EvalLog(
        file,
        of_path.get(spec.column("model")) or ", ".join(map(as_text, models)),
        of_path.get(TASK) or as_text(about.get("eval_name", "")) or origin_path(file).name,
        as_text(about.get("created_at", "")),
        list(items.values()),
    )


MODEL_IN_RUN = re.compile(r"(?P<task>.*?)[:,]model=(?P<model>[^,]+)(?P<rest>.*)")


def _helm_log(spec: TrialSpec, file: File) -> EvalLog:
    """Read statistics by instance of HELM, ``per_instance_stats.json``.

    Its folder is named after the run: ``TASK:...,model=MODEL``. Means over the counts of a statistic are the
    score; instances that were perturbed are passed over, and trials of other training samples are runs.
    """
    held, where, of_path = read_json(file), source_name(file), path_values(file)
    if not isinstance(held, list):
        raise UnreadableError(f"{where}: expected a list of instances with their 'stats', as HELM writes it")
    folder = origin_path(file).parent.name
    named = MODEL_IN_RUN.fullmatch(folder)
    items = [_helm_item(where, number, each) for number, each in enumerate(held, 1)]
    return EvalLog(
        file,
        of_path.get(spec.column("model")) or (named["model"] if named else folder),
        of_path.get(TASK) or (named["task"] + named["rest"] if named else TASK),
        "",
        [item for item in items if not item.fields.get("perturbation")],
    )


def _helm_item(where: str, number: int, held: Any) -> Item:
    stats = held.get("stats") if isinstance(held, dict) else None
    if not isinstance(stats, list) or "instance_id" not in held:
        raise UnreadableError(f"{where}: instance {number} has no 'instance_id' and 'stats'")
    scores = {}
    for each in stats:
        name, n, total = (each.get(key) for key in ("name", "count", "sum"))
        if isinstance(name, dict) and not name.get("perturbation") and isinstance(total, int | float):
            scores[as_text(name.get("name"))] = total / n if n else None
    run = held.get("train_trial_index", 0)
    return Item(as_text(held["instance_id"]), run + 1 if isinstance(run, int) else 1, scores, "", held)


READERS: Mapping[str, tuple[Callable[[TrialSpec, File], EvalLog], re.Pattern[str]]] = {
    "lm_eval": (_lm_eval_log, RESULTS),
    "inspect": (_inspect_log, EVAL_SET),
    "openai_evals": (_openai_log, re.compile("(?!)")),
    "helm": (_helm_log, HELM_OTHERS),
}
"""By layout: how a log of it is read, and the names of files that lie among logs, and are none."""


LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def metrics_of(logs: Sequence[EvalLog]) -> dict[str, list[str]]:
    """Return the metrics of every task, in the order of the logs."""
    by_task: dict[str, dict[str, None]] = {}
    for log in logs:
        every = by_task.setdefault(log.task, {})
        every |= dict.fromkeys(name for item in log.items for name in item.scores)
    return {task: list(names) for task, names in sorted(by_task.items())}


def _metrics(spec: TrialSpec, logs: Sequence[EvalLog]) -> dict[str, str]:
    by_task, chosen = metrics_of(logs), dict[str, str]()
    named = spec.metric if isinstance(spec.metric, Mapping) else {}
    faults = [
        f"trials.metric: {quoted(task)} is no task of the logs{instead(task, by_task)}"
        for task in named
        if task not in by_task
    ]
    for task, every in by_task.items():
        wanted = spec.metric if isinstance(spec.metric, str) else named.get(task)
        meant = [name for name in every if wanted in (None, name, name.rpartition(",")[0])]
        if len(meant) == 1:
            chosen[task] = meant[0]
        else:
            faults.append(_not_one(task, wanted, meant, every, several=len(by_task) > 1))
    for log in logs:
        (names,) = metrics_of([log]).values()
        metric = chosen.get(log.task)
        if metric is not None and metric not in names:
            faults.append(
                f"{source_name(log.source)}: it has no metric {quoted(metric)}, as other logs of task"
                f" {quoted(log.task)} have{instead(metric, names)}"
            )
    refuse(faults)
    return chosen


def _not_one(task: str, wanted: str | None, meant: list[str], every: list[str], *, several: bool) -> str:
    if not every:
        return f"task {quoted(task)}: its logs hold no scores that are numbers"
    example = quoted(meant[0] if meant else every[0])
    value = f"{{{quoted(task)}: {example}}}" if several else example
    if meant:
        what = f"{len(meant)} metrics" if wanted is None else f"{quoted(wanted)} in {len(meant)} filters"
        return (
            f"task {quoted(task)} has {what}: {listed(map(quoted, meant), FIELDS_SHOWN)};"
            f" name the one that counts in trials.metric, such as metric: {value}"
        )
    shown = listed(map(quoted, every), FIELDS_SHOWN)
    guess = did_you_mean(wanted or "", [*every, *(name.rpartition(",")[0] for name in every if "," in name)])
    remedy = "; tasks with different metrics are named one by one: metric: {TASK: METRIC}" if several else ""
    fault = f"trials.metric: task {quoted(task)} has no metric {quoted(wanted or '')}{guess} (found: {shown})"
    return fault + remedy


def _runs(logs: Sequence[EvalLog]) -> dict[tuple[EvalLog, int], int]:
    """Number the repetitions of every model and task from 1: by date of the log, then by epoch."""
    repeated: dict[tuple[str, str], list[tuple[tuple[str, str], int, EvalLog]]] = {}
    for log in logs:
        for epoch in {item.epoch for item in log.items}:
            repeated.setdefault((log.model, log.task), []).append((log.order, epoch, log))
    return {
        (log, epoch): number
        for several in repeated.values()
        for number, (_, epoch, log) in enumerate(sorted(several, key=lambda each: each[:2]), 1)
    }


def _piece(spec: TrialSpec, log: EvalLog, metric: str, runs: Mapping[tuple[EvalLog, int], int] | None) -> Raw:
    columns: dict[str, list[Any]] = {
        spec.column("trial"): [f"{as_text(log.task)}/{item.id}" for item in log.items],
        spec.column("model"): [log.model] * len(log.items),
        TASK: [log.task] * len(log.items),
        spec.column("score"): [
            number_of(
                item.scores.get(metric), f"{source_name(log.source)}: item {quoted(item.id)}: its {metric!r}"
            )
            for item in log.items
        ],
    }
    if runs is not None:
        columns[spec.column("run")] = [str(runs[log, item.epoch]) for item in log.items]
    of_path = path_values(log.source)
    columns |= {name: [text] * len(log.items) for name, text in of_path.items() if name not in columns}
    own = [name for ours, name in spec.columns.items() if ours not in ("label", "score")]
    for name in dict.fromkeys([*own, *spec.further]):
        if name not in columns:
            columns[name] = _field(log, name)
    kinds = {name: pl.Float64 if name == spec.column("score") else pl.String for name in columns}
    rows = pl.DataFrame(columns, schema=kinds).lazy()
    return Raw(source_name(log.source), rows, log.model, None, size_of(log.source))


def _field(log: EvalLog, name: str) -> list[str | None]:
    values = [item.value(name) for item in log.items]
    if all(value is None for value in values):
        names = dict.fromkeys(key for item in log.items[:SHOWN] for key in (TASK, *_names(item)))
        raise DataError(
            f"{source_name(log.source)}: no item has the field {quoted(name)}"
            f"{instead(name, names, FIELDS_SHOWN)}"
        )
    return [None if value is None else as_text(value) for value in values]


def _names(item: Item) -> Iterator[str]:
    for name, value in item.fields.items():
        names = [f"{name}.{below}" for below in value] if isinstance(value, Mapping) else [name]
        yield from (each for each in names if item.value(each) is not None)


def _other_questions(logs: Sequence[EvalLog]) -> list[str]:
    """Say which tasks are other questions in one log than in another, by the digests of their items."""
    first: dict[tuple[str, str], tuple[str, EvalLog]] = {}
    differing: dict[tuple[str, str, str], list[str]] = {}
    for log in logs:
        for item in log.items:
            if not item.digest:
                continue
            digest, other = first.setdefault((log.task, item.id), (item.digest, log))
            if digest != item.digest:
                key = (log.task, source_name(other.source), source_name(log.source))
                differing.setdefault(key, []).append(item.id)
    return [
        f"task {quoted(task)}: {counted(len(ids), 'item has', 'items have')} another 'doc_hash' in"
        f" {there} than in {here}, so"
        f" the questions are not the same: {listed(map(quoted, ids), SHOWN)}"
        for (task, here, there), ids in differing.items()
    ]
