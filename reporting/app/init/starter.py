"""The command ``init``: look at trials, infer their meaning, and write a starter config."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reporting.app.init import texts
from reporting.app.init.classes import class_lines, class_table
from reporting.app.init.columns import Given
from reporting.app.init.evals import log_layout, logs_draft, matrix_draft, outcome_lines, outcome_table
from reporting.app.init.lines import Line, default_lines, settled, written
from reporting.app.init.look import Draft, ShownSource, SourceGroup, is_database, sample_of, shown_by
from reporting.app.init.reading import with_reading
from reporting.app.init.table import check_trials, table_of
from reporting.app.init.table_lines import table_lines
from reporting.app.init.tables import tables_draft
from reporting.base.publish import replacing
from reporting.errors import DataError, OutputError, listed, one_line, quoted, unwritable
from reporting.inputs.spec import File, InMemory

SCHEMA_FILE = "report.schema.json"
HEAD = """\
# Starter config written by 'reporting init'.
# {seen}.
# "?" marks what you must fill in. Commented lines show defaults and options;
# 'reporting schema' prints every key. Editors check and complete them after: reporting schema > {schema}
# yaml-language-server: $schema={schema}
"""


def write_starter(trials: Sequence[str], out: Path, *, force: bool = False, table: str | None = None) -> str:
    """Write a commented config of the trials that are shown, and return what was recognised.

    At most a sample of their rows is read. ``table`` is that of a database. ConfigError and DataError where
    there is nothing to infer; OutputError where ``out`` exists, unless ``force`` is set.
    """
    _refuse(out, force)
    draft = drafted(trials, out, table)
    head = HEAD.format(seen="\n# ".join(map(one_line, draft.seen)), schema=SCHEMA_FILE)
    lines = draft.lines
    _publish(head + written(lines), out, force)
    taken = [line.shown for line in lines if not (line.is_offered or line.is_open)]
    questions = [f"? {listed(keys, 3)}: {why}" for why, keys in questions_of(lines).items()]
    path = shlex.quote(str(out))
    after = [f"wrote {out}; next:", f"  reporting check {path}", f"  reporting run {path}"]
    return "\n".join(map(one_line, [*draft.seen, *taken, *questions, *after]))


def drafted(trials: Sequence[str], out: Path, table: str | None = None) -> Draft:
    """Return the lines of a config for the trials that are shown, as it would be written to ``out``.

    ConfigError and DataError where there is nothing to infer; OutputError where ``out`` holds the trials.
    """
    with tempfile.TemporaryDirectory(prefix="reporting-", ignore_cleanup_errors=True) as work:
        shown = shown_by(trials, table, out, Path(work))
        for file in (file for each in shown for file in each.files):
            if out.exists() and file.path.exists() and out.samefile(file.path):
                raise OutputError(f"{out} is one of the files that hold the trials; name another with -o")
        draft = _recognised(shown, out)
    return replace(draft, lines=tuple(_complete(draft, shown, table)))


def questions_of(lines: Sequence[Line]) -> dict[str, list[str]]:
    """Return what only the user can know, each question with the keys that it is about."""
    by_question: dict[str, list[str]] = {}
    for line in lines:
        if line.is_open:
            by_question.setdefault(line.why, []).append(line.key)
    return by_question


def trial_keys(source: File | InMemory) -> Mapping[str, Any]:
    """Return the keys under ``trials``, without the source, that a table of other names needs.

    Empty where it needs none. DataError where it holds no trials.
    """
    keys: Mapping[str, Any] = settled(lines_of(source)).get("trials", {})
    return keys


def lines_of(
    source: File | InMemory, given: Given = MappingProxyType({}), target: str | None = None
) -> list[Line]:
    """Write the keys that one table needs, without its source.

    ``given`` are columns that the user names, and ``target`` is the label of targets. DataError where it
    holds no trials.
    """
    sample = sample_of(source)
    if not (given.keys() & {"label", "score"} or target) and (items := outcome_table([sample])):
        columns = {role: names[0] if len(names) == 1 else list(names) for role, names in given.items()}
        as_given = [Line(("trials", "columns", role), names, "as given") for role, names in columns.items()]
        return [*outcome_lines(items), *as_given]
    table = table_of(source.name, [sample], given, target)
    if not given and (classes := class_table(table)):
        return class_lines(table, classes)
    check_trials(table)
    return table_lines(table, "long" if "model" in table.roles else "wide", table.scores[0].name)


def _refuse(out: Path, force: bool) -> None:
    if out.is_dir():
        raise OutputError(f"{out} is a folder; name a file with -o, such as {out / 'report.yaml'}")
    if not out.parent.is_dir():
        raise OutputError(f"{out} cannot be written: there is no folder {str(out.parent)!r}")
    if os.path.lexists(out) and not force:
        raise OutputError(f"{out} exists; name another file with -o, or replace it with --force")


def _recognised(shown: Sequence[ShownSource], out: Path) -> Draft:
    every = SourceGroup(tuple(shown), tuple(dict.fromkeys(file for each in shown for file in each.files)))
    stray = _stray(every)
    every = replace(every, files=tuple(file for file in every.files if file not in stray))
    clusters = tuple(file for file in every.files if texts.is_clusters(file))
    if not all(texts.is_text(file) for file in every.files) or len(clusters) == len(every.files):
        clusters = ()
    group = replace(every, files=tuple(file for file in every.files if file not in clusters))
    kinds: dict[str, list[str]] = {"counts": [], "evaluation logs": [], "texts": [], "tables": []}
    for file in group.files:
        other = "evaluation logs" if log_layout(file) else "texts" if texts.is_text(file) else "tables"
        kinds["counts" if texts.is_bundle(file) else other].append(file.name)
    present = [kind for kind, names in kinds.items() if names]
    if len(present) > 1:
        shown_kinds = "; ".join(
            f"{listed(map(quoted, names), 3)}: {kind}" for kind, names in kinds.items() if names
        )
        raise DataError(
            f"files of different kinds do not make one table of trials ({shown_kinds}); show one kind"
        )
    group, of_reading = with_reading(group) if present == ["tables"] else (group, [])
    draft = DRAFTS[present[0]](group, out)
    draft = replace(draft, lines=(*draft.lines, *of_reading))
    draft = texts.with_clusters(draft, replace(every, files=clusters), out) if clusters else draft
    left = f"left out, in no format of trials: {listed(file.name for file in stray)}"
    return replace(draft, seen=(*draft.seen, left)) if stray else draft


def _stray(group: SourceGroup) -> list[File]:
    """Return the files of folders and patterns that hold no trials; none where nothing else would be left.

    What was shown by its own name is never among them: its reader wants to know what is wrong with it.
    """
    in_folders = [file for each in group.shown if len(each.files) > 1 for file in each.files]
    stray = [
        file
        for file in in_folders
        if texts.is_text(file) and not (texts.readings(file) or texts.is_clusters(file) or log_layout(file))
    ]
    return stray if len(stray) < len(group.files) else []


DRAFTS: Mapping[str, Callable[[SourceGroup, Path], Draft]] = {
    "counts": texts.counts_draft,
    "evaluation logs": logs_draft,
    "texts": texts.texts_draft,
    "tables": lambda group, out: matrix_draft(group, out) or tables_draft(group, out),
}


def _complete(draft: Draft, shown: Sequence[ShownSource], table: str | None) -> list[Line]:
    lines = [Line(("title",), "Which system errs least?", "default: the name of this file", is_offered=True)]
    lines += draft.lines
    if table and any(is_database(each.text) for each in shown):
        lines.append(Line(("trials", "table"), table))
    return [*lines, *default_lines({line.trail for line in lines})]


def _publish(text: str, out: Path, force: bool) -> None:
    """Write to a temporary file and move it into place; a file created there meanwhile stays."""
    try:
        with replacing(out, over=force) as new:
            new.write_text(text, encoding="utf-8")
    except FileExistsError:
        raise OutputError(f"{out} exists; name another file with -o, or replace it with --force") from None
    except OSError as error:
        raise unwritable(out, error) from None
