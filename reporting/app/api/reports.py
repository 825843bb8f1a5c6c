"""The report from Python: of a config file, or of a table and keys of the config."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl

from reporting.app.api.column_names import columns_recognised
from reporting.app.api.inferred import ROLES, inferred_keys, is_inferred
from reporting.app.api.notebook import NotebookReport
from reporting.app.api.query import first_question, source_of
from reporting.app.api.tables import is_table, trial_table
from reporting.app.config.read import plan_of, read_plan
from reporting.app.config.schema import Config
from reporting.app.config.values import path_of, plain_values
from reporting.app.run.report import folder_beside, report_of
from reporting.app.run.run_history import memory_of
from reporting.base.contents import WORD
from reporting.base.execution import LentPool
from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Section
from reporting.document.frames.results import Results
from reporting.document.sections import section_name
from reporting.errors import ConfigError, ReportingError, did_you_mean, kind_of_value, quoted
from reporting.features.frames import FRAMES
from reporting.features.sections import NAMES
from reporting.inputs.formats.catalogue import format_of
from reporting.inputs.spec import InMemory

WHERE = "reporting.make_report"


def make_report(
    subject: Any = None,
    scores: Any = None,
    /,
    overrides: Sequence[str] = (),
    tell: Callable[[str], None] = lambda line: None,
    *,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
    out: str | PathLike[str] | None = None,
    trials: Any = None,
    sections: Sequence[Callable[[Results], Section | None]] = (),
    frames: Mapping[str, pl.DataFrame] | None = None,
    executor: LentPool | None = None,
    **keys: Any,
) -> NotebookReport:
    """Make a report and return it; a notebook shows its answer, and ``report.save(folder)`` writes it.

    ``make_report(y, scores)``: labels (true, 1 or target; false, 0 or nontarget), and the scores of one
    model or a dict of them by model; ``pos_label`` is the label of targets where labels are other words;
    ``split``, ``trial``, ``cluster``, ``dataset`` and ``stratum`` hold one value for all trials or one per
    trial, as do columns of other names that ``by`` or ``across`` name. ``make_report(table)``: a trial table
    (Polars, pandas, Arrow, DuckDB, a list of rows) or the path of one. Of a table in memory whose columns are
    not called model, label and score, they are inferred as ``reporting init`` infers those of a file, and
    logged; where the table does not show it, the error names the argument that answers: ``label``, ``score``
    (one column or a list), ``model``, ``split``, ``trial``, ``cluster``, ``dataset`` or ``stratum`` name a
    column, ``pos_label`` the label of targets. ``make_report("report.yaml")``: a
    config file, whose report is written to ``out``, or else to ``<config name>-report`` next to it, or
    ``report`` of ``report.yaml``.

    ``out`` is a folder, to which the report is also written; after a config file or a table it needs no
    keyword. Where ``measures`` are named and ``primary`` is not, the first measure is the primary one, but
    not a rate of one kind of errors where the threshold trades it for the other kind.
    ``config`` and ``trials`` are keywords for a config (its path, or its keys as a mapping) and for
    a table, its path, or the config's keys under ``trials`` with such a ``source``; ``keys`` hold other keys
    of the config. The title is that of ``title``, else the folder's name. ``tell`` hears of every stage.

    ``sections`` are functions that write sections of your own from the results, None where there is nothing
    to say. They follow the answer, or come where ``report.sections`` names them: ``def by_site(results)``
    is ``by-site`` there. ``frames`` are tables of your own, which are written to ``frames/`` too and reach
    the sections as ``results.frames``.

    ``executor`` runs the work: a ``concurrent.futures.Executor``, or whatever has its ``submit``, such as
    those of loky, mpi4py, Ray or submitit. The frames have the same bytes wherever work runs. Workers need
    this program and see ``run.folder`` under one path; the executor stays open.

    Raises ConfigError, DataError or OutputError, and then leaves the last good report untouched.
    """
    _check_arguments(config, sections, frames, tell, executor)
    names = [section_name(write) for write in sections]
    scores, out = (None, scores) if out is None and _is_path(scores) else (scores, out)
    config, trials, own_keys = _wanted(subject, scores, config, trials, keys)
    of_table = {name: own_keys[name] for name in (*ROLES, "pos_label") if name in own_keys}
    if scores is None:
        own_keys = {name: value for name, value in own_keys.items() if name not in of_table}
    target = None if out is None else path_of(out, f"out ({WHERE})", "of a folder")
    if isinstance(config, Path):
        if trials is not None or own_keys:
            more = "trials" if trials is not None else next(iter(own_keys))
            raise ConfigError(
                f"{more} ({WHERE}): the config file sets it; change it there, or with overrides such as"
                " 'significance.replicates=999'"
            )
        plan = read_plan(config, overrides, names)
        target = target or folder_beside(config)
    else:
        settings = {**(config or {}), **own_keys}
        of_keys = settings.pop("trials", None)
        source = _trials(of_keys if trials is None else trials)
        title = "Report" if target is None else target.resolve().name
        plain = plain_values(settings, WHERE)
        with_primary = _with_question(plain) if config is None else plain
        every = {"title": title, **with_primary, "trials": source}
        plan = plan_of(
            every if scores is not None else _with_inferred(every, of_table), WHERE, overrides, names
        )
    _check_sections(names, [section.name for section in plan.report.own])
    _check_names_of(frames or {})
    if target is None and memory_of(plan) is not None:
        raise ConfigError(
            f"history ({WHERE}): only a report with a folder is kept in a history; name it in out"
        )
    if executor is not None and plan.execution.executor != "auto":
        raise ConfigError(
            f"executor ({WHERE}): run.executor names {plan.execution.executor!r} already; leave one out"
        )
    execution = replace(plan.execution, pool=executor)
    plan = replace(plan, sections=tuple(sections), frames=frames or {}, execution=execution)
    arrays = scores is not None and subject is not None
    with columns_recognised(plan.trials, WHERE, arrays=arrays):
        return NotebookReport(report_of(plan, target, tell), target)


def _wanted(
    subject: Any, scores: Any, config: Any, trials: Any, keys: Mapping[str, Any]
) -> tuple[Path | Mapping[str, Any] | None, Any, Mapping[str, Any]]:
    described = isinstance(trials, Mapping) and "source" not in trials  # the keys of a table, without it
    if subject is not None and (config is not None or (trials is not None and not described)):
        name = "config" if config is not None else "trials"
        raise ConfigError(f"{name} ({WHERE}): the first argument names the trials already; leave one out")
    if scores is None and (
        isinstance(subject, Mapping)
        or (_is_path(subject) and format_of(path_of(subject, WHERE, "of a config file").name) is None)
    ):
        subject, config = None, subject
    if scores is not None:
        subject, keys = _scored(subject, scores, keys)
    config = path_of(config, f"config ({WHERE})", "of a config file") if _is_path(config) else config
    if subject is not None:
        trials = {**trials, "source": subject} if described else subject
    return config, trials, keys


def _with_inferred(settings: Mapping[str, Any], roles: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys with those that a table in memory shows, where its columns have names of their own."""
    source = settings["trials"].get("source")
    for name in settings.keys() - Config.model_fields.keys():
        known = [*Config.model_fields, *ROLES, "pos_label"]
        raise ConfigError(f"{name} ({WHERE}): unknown key{did_you_mean(name, known)}")
    if not isinstance(source, InMemory):
        for name in roles:
            raise ConfigError(
                f"{name} ({WHERE}): names a column of a table in memory; of files, write"
                f" trials={{'columns': {{{name!r}: ...}}}}, or let 'reporting init' write a config"
            )
        return settings
    return (
        inferred_keys(source, settings, roles, WHERE)
        if is_inferred(source, settings["trials"], roles)
        else settings
    )


def _with_question(keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys with the first measure as the primary question, where another is not named.

    At the first criterion whose threshold is no oracle's, as ``reporting.compare`` takes it: a measure that
    the other error rate buys at such a threshold gives way to the next (``first_question``).
    """
    primary, measures = keys.get("primary"), keys.get("measures")
    if isinstance(primary, str):
        return {**keys, "primary": {"measure": primary}}
    if primary is not None or not measures:
        return keys
    names = [measures] if isinstance(measures, str) else list(measures)
    usable = [each for each in keys.get("criteria") or [] if not str(each).startswith("oracle")]
    try:
        named = [read_measure(str(name)) for name in names]
        criterion = read_criterion(str(usable[0])) if usable else USUAL
    except ReportingError:  # the config refuses it, with a message
        return {**keys, "primary": {"measure": names[0]}}
    first = first_question(named, criterion).measure
    at = {"criterion": usable[0]} if usable and first.over == "threshold" else {}
    return {**keys, "primary": {"measure": names[named.index(first)], **at}}


USUAL = read_criterion("min_hter")
"""The criterion of a primary question that names none."""


def _scored(labels: Any, scores: Any, keys: Mapping[str, Any]) -> tuple[pl.DataFrame, Mapping[str, Any]]:
    kinds = {
        "nothing": labels is None,
        "a mapping": isinstance(labels, Mapping),
        "a path": _is_path(labels),
        "a table": is_table(labels),
    }
    if kind := next((kind for kind, fits in kinds.items() if fits), ""):
        raise ConfigError(
            f"{WHERE}: expected labels before the scores, found {kind}; write make_report(y, scores), where"
            " scores may be a dict by model"
        )
    groups = {*_names_in([keys.get("by"), keys.get("across")])} - Config.model_fields.keys()
    columns = {name: keys[name] for name in keys if name in (*OF_TRIALS, *groups)}
    table = trial_table(labels, scores, **columns)
    left = {name: value for name, value in keys.items() if name not in columns}
    return table if "split" in columns else table.drop("split"), left


def _names_in(groups: Any) -> Iterator[str]:
    if isinstance(groups, str):
        yield groups
    elif isinstance(groups, Mapping | list | tuple):
        for each in groups:
            yield from _names_in(each)


OF_TRIALS = ("split", "trial", "cluster", "dataset", "stratum", "pos_label")
"""Keywords that describe the trials of labels and scores."""


def _is_path(given: Any) -> bool:
    return isinstance(given, str | PathLike)


def _check_arguments(config: Any, sections: Any, frames: Any, tell: Any, executor: Any) -> None:
    functions = isinstance(sections, Sequence) and not isinstance(sections, str | bytes)
    lacking = next((each for each in sections if not callable(each)), sections) if functions else sections
    is_config = config is None or isinstance(config, Mapping) or _is_path(config)
    takes_tasks = executor is None or callable(getattr(executor, "submit", None))
    by_name = frames is None or isinstance(frames, Mapping)
    for name, given, ok, expected in (
        ("config", config, is_config, "a path or a mapping of keys"),
        ("sections", lacking, functions and lacking is sections, "a list of functions"),
        ("frames", frames, by_name, "frames by name, such as {'by_site': frame}"),
        ("tell", tell, callable(tell), "a function"),
        ("executor", executor, takes_tasks, "what has submit, such as a concurrent.futures.Executor"),
    ):  # fmt: skip
        if not ok:
            raise ConfigError(f"{name} ({WHERE}): expected {expected}, found {kind_of_value(given)}")


def _check_sections(names: Sequence[str], from_templates: Sequence[str]) -> None:
    taken = {*NAMES, *from_templates}
    for name in names:
        if not name.replace("-", "_").isidentifier():
            raise ConfigError(f"sections ({WHERE}): expected a function with a name, found {quoted(name)}")
        if name in taken:
            raise ConfigError(f"sections ({WHERE}): there is a section {name!r} already; rename the function")
        taken.add(name)


def _check_names_of(frames: Mapping[str, object]) -> None:
    for name, frame in frames.items():
        if not isinstance(name, str) or not WORD.fullmatch(name) or not isinstance(frame, pl.DataFrame):
            raise ConfigError(f"frames ({WHERE}): expected a name such as 'by_site' and a Polars frame")
        if name in FRAMES:
            raise ConfigError(f"frames ({WHERE}): there is a frame {name!r} already; name it otherwise")


def _trials(given: Any) -> Mapping[str, Any]:
    if given is None:
        raise ConfigError(f"{WHERE}: expected labels and scores, a table, or a config file, found nothing")
    keys = dict(given) if isinstance(given, Mapping) else {"source": given}
    return keys | ({"source": source_of(keys["source"], WHERE)} if "source" in keys else {})
