"""Files that are tables: long, wide, or scores and their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from reporting.app.init import look
from reporting.app.init.class_labels import TWO
from reporting.app.init.classes import ClassTable, class_lines, class_table
from reporting.app.init.columns import is_key, rank, rows_of, score_by_contents
from reporting.app.init.lines import Line, column_line
from reporting.app.init.table import OF_QUESTIONS, ROW_PER_QUESTION, SampleTable, check_trials, table_of
from reporting.app.init.table_lines import model_lines, table_lines
from reporting.base.records import dataclass, replace
from reporting.errors import DataError, listed, quoted
from reporting.inputs.spec import File

FEWEST_ROWS = 2000
"""Rows of each of many files that are looked at."""


@dataclass(frozen=True, eq=False)
class SampledFiles:
    """Files of one kind, and what a sample of them holds."""

    group: look.SourceGroup
    table: SampleTable
    samples: tuple[pl.DataFrame, ...]


def tables_draft(group: look.SourceGroup, out: Path) -> look.Draft:
    """Recognise tables; DataError where they hold no trials."""
    keys, scores = _parted(group)
    if keys is not None:
        return _keyed(keys, scores, out)
    sampled = _sampled(scores)
    if classes := class_table(sampled.table):
        return _by_class(sampled, classes, out)
    looked = _with_paths(sampled, out)
    _check_decisions(sampled)
    check_trials(looked.table)
    layout = "long" if "model" in looked.table.roles else "wide"
    files = looked.group.files
    # Name the one model of a table after its file, and of files of a class or split each by what they share.
    name = files[0].path.name if files[0].origin is None else files[0].origin.name.rpartition("/")[2]
    stem = looked.group.pattern.rpartition("/")[2].partition(".")[0]
    if look.LABEL in stem or look.SPLIT in stem:
        name = stem.replace(look.LABEL, "").replace(look.SPLIT, "").strip("_-")
        name = name if re.search(r"[A-Za-z]{3}", name) else "scores"
    model = name.partition(".")[0] or name
    lines = (look.places_line(looked.group, out), *table_lines(looked.table, layout, model))
    return look.Draft(lines, _seen(looked, layout))


def _check_decisions(sampled: SampledFiles) -> None:
    """Raise DataError where the same trials are 0 or 1 in each file: truth and decisions, by one name."""
    label, tables = sampled.table.roles.get("label"), sampled.samples
    if label is None or not label.is_decided or sampled.table.scores or len(tables) < TWO:
        return
    names = sorted(set.intersection(*(set(table.columns) for table in tables)) - {label.name})
    keys = [table.select(by_name(*names).cast(pl.String)) for table in tables]
    if names and all(len(keys[0].join(each, on=names, how="semi")) for each in keys[1:]):
        raise DataError(
            f"{sampled.table.name}: {quoted(label.name)} is 0 or 1 in each file, for the same trials: which"
            " one holds the truth? call the column pred in files of decisions; where it is whether an item"
            " was solved, write trials.columns.label: none"
        )


def _by_class(looked: SampledFiles, classes: ClassTable, out: Path) -> look.Draft:
    group = looked.group
    lacking = {"model", "split"} - looked.table.roles.keys()
    by_paths = look.pattern_of(group.files, lacking, out) if len(group.files) > 1 and group.is_local else None
    if by_paths is not None:
        group = replace(group, files=by_paths.files, pattern=by_paths.pattern)
        looked = _sampled(group)
    lines = class_lines(looked.table, classes)
    if "model" not in looked.table.roles:
        why = "the model is called as its file: put {model} into source to name it otherwise"
        lines.append(column_line("model", "model", why, is_offered=True))
    else:
        lines += model_lines(looked.table.roles["model"].values)
    roles = {role: column for role, column in looked.table.roles.items() if role != "label"}
    looked = replace(looked, table=replace(looked.table, roles=roles))
    return look.Draft((look.places_line(group, out), *lines), _seen(looked, classes.layout))


def _parted(group: look.SourceGroup) -> tuple[look.SourceGroup | None, look.SourceGroup]:
    """Part files with labels from files with scores alone; None where no file is but a key."""
    if len(group.files) < 2:
        return None, group
    kinds = {
        file: table_of(file.name, [look.sample_of(file, FEWEST_ROWS, group.reading)])
        for file in look.some_of(group.files)
    }
    # Scores are known by their name, or are numbers in a table without labels.
    by_name = {
        file
        for file, table in kinds.items()
        if any(rank(column.name, "score") is not None for column in table.scores)
    }
    scored = by_name | {file for file, table in kinds.items() if table.scores and not table.has_label}
    keys_alone = {file for file, table in kinds.items() if file not in scored}
    labelled = [kinds[file].has_label for file in scored]
    with_label = {file for file in keys_alone if kinds[file].has_label or all(labelled)}
    if not with_label or not scored or with_label != keys_alone:
        return None, group
    columns = {file: frozenset(each.name for each in table.columns) for file, table in kinds.items()}
    # Files that were not looked at are known by their columns; those of Kaggle have the same on both sides.
    of_keys = {columns[file] for file in with_label} - {columns[file] for file in scored}
    keys = [
        file
        for file in group.files
        if file in with_label
        or (file not in kinds and frozenset(look.sample_of(file, 1, group.reading).columns) in of_keys)
    ]
    return replace(group, files=tuple(keys)), replace(
        group, files=tuple(file for file in group.files if file not in keys)
    )


def _sampled(group: look.SourceGroup) -> SampledFiles:
    files = look.some_of(group.files)
    most = max(look.MOST_ROWS // len(files), FEWEST_ROWS)
    samples = tuple(look.sample_of(file, most, group.reading) for file in files)
    return SampledFiles(group, table_of(listed((file.name for file in files), 2), samples), samples)


def _with_paths(looked: SampledFiles, out: Path, without: Sequence[File] = ()) -> SampledFiles:
    """Let the names of files say model and split, where nothing else does."""
    table, group = looked.table, looked.group
    wanted = ("model", "split") if without else ("model", "split", "label")
    lacking = {name for name in wanted if name not in table.roles}
    if len(table.scores) != 1 and not without:
        lacking -= {"model"}
    if not (lacking and group.is_local and (len(group.files) > 1 or without)):
        return looked
    others = [file.path for file in without]
    by_paths = look.pattern_of(group.files, lacking, out, others)
    if by_paths is None and lacking >= {"model", "split"}:
        by_paths = look.pattern_of(group.files, lacking - {"model"}, out, others)
    return (
        looked
        if by_paths is None
        else _sampled(replace(group, files=by_paths.files, pattern=by_paths.pattern))
    )


def _keyed(keys: look.SourceGroup, scores: look.SourceGroup, out: Path) -> look.Draft:
    of_keys = _with_paths(_sampled(keys), out)
    of_scores = _with_paths(_sampled(scores), out, keys.files)
    trial = _shared_key(of_keys.table, of_scores.table)
    joined, in_scores = _joined(of_keys, of_scores, trial)
    check_trials(joined)
    lines = [
        look.places_line(of_scores.group, out),
        look.places_line(of_keys.group, out, "keys", "the labels, joined on the trial"),
        Line(("trials", "layout"), "keyed", "labels in key files, scores in others"),
        *(_named_in_file(line, in_scores) for line in table_lines(joined, "keyed", "")),
    ]
    if doubt := _other_scores(of_scores, in_scores.get(joined.scores[0].name, joined.scores[0].name)):
        lines = [*(line for line in lines if line.trail != doubt.trail), doubt]
    if "model" not in joined.roles:
        why = "nothing names the model of the scores: put it into the path, such as scores/{model}.csv"
        lines.append(column_line("model", "model", why, True, True))
    return look.Draft(tuple(lines), (*_seen(of_keys, "keyed (keys)"), *_seen(of_scores, "keyed (scores)")))


def _other_scores(scores: SampledFiles, taken: str) -> Line | None:
    """Ask about the other columns of scores of a score file, where one is read; None: there is one."""
    names = [column.name for column in scores.table.score_columns]
    left = [quoted(name) for name in names if name != taken]
    if taken not in names or not left:
        return None
    why = (
        f"is {quoted(taken)} the one score? layout keyed reads one column, not {listed(left, 3)}: else write"
        f" a row per trial and model, or put the label into {scores.group.files[0].name}"
    )
    return column_line("score", taken, why, True)


def _shared_key(keys: SampleTable, scores: SampleTable) -> str:
    both = {each.name for each in keys.columns} & {each.name for each in scores.columns}
    likely = [each.roles["trial"].name for each in (keys, scores) if "trial" in each.roles]
    others = [keys.roles.get("label"), keys.roles.get("split")]
    shared = {each.name: each for each in keys.columns if each.name in both and each not in others}
    name = next((name for name in (*likely, *shared) if name in shared), None)
    if name is None:
        held = "; ".join(listed(column.name for column in table.columns) for table in (keys, scores))
        raise DataError(
            f"{keys.name} holds labels and {scores.name} scores, and they share no column that names trials"
            f" (found: {held})"
        )
    if name not in likely and len(shared) > 1 and not is_key([shared[name]]):
        raise DataError(
            f"{keys.name} and {scores.name}: what names a trial? No column alone does; where"
            f" {listed(map(quoted, shared))} do together, join them with the same separator into one column,"
            " trial, of each file"
        )
    return name


def _named_in_file(line: Line, in_scores: Mapping[str, str]) -> Line:
    """Return a line with the name that the score file has for a column, where the key file has it too."""
    if line.trail[:2] != ("trials", "columns") or line.value not in in_scores:
        return line
    is_score = line.trail[2] == "score"
    why = "as the label in the key file: the file determines which it is" if is_score else line.why
    return replace(line, value=in_scores[line.value], why=why, is_open=line.is_open and not is_score)


def _joined(keys: SampledFiles, scores: SampledFiles, trial: str) -> tuple[SampleTable, dict[str, str]]:
    """Look at a sample of keys with their scores as at one table.

    Also returned is what score files call the columns that have another name here, as key files have theirs.
    """
    left = rows_of(keys.table.columns)
    right = rows_of(scores.table.columns)
    split = {table.roles["split"].name for table in (keys.table, scores.table) if "split" in table.roles}
    on = [trial, *(name for name in split if name in left.columns and name in right.columns)]
    # The columns of a score file that are no truth, whatever their name.
    alone = [*scores.table.scores, *([scores.table.roles["label"]] if scores.table.confidences else [])]
    twice = [column.name for column in alone if column.name in left.columns]
    named = {f"{name} in {scores.group.files[0].name}": name for name in twice if name not in on}
    fractions = {each.name for each in scores.table.columns if each.is_fractional}
    outcomes = [c for c in keys.table.columns if len(c.values) == TWO and c.name in fractions]
    if len(outcomes) > 1:
        raise DataError(
            f"{keys.table.name} and {scores.table.name}: {OF_QUESTIONS}"
            f" ({listed((quoted(each.name) for each in outcomes), 3)}), {ROW_PER_QUESTION}"
        )
    kept = [name for name in right.columns if name in on or name not in left.columns]
    right = right.select(by_name(*kept), *(by_name(name).as_expr().alias(new) for new, name in named.items()))
    rows = left.join(right, on=by_name(*on), how="inner")
    both = f"{keys.table.name} joined with {scores.table.name}"
    joined = table_of(both, [rows])
    if "trial" not in joined.roles and not joined.notes:
        joined = table_of(both, [rows], {"trial": (trial,)})
    likely = [
        column
        for column in joined.columns
        if named.get(column.name, column.name) in {each.name for each in scores.table.scores}
        and (column.name in named or column.name not in twice)
    ]
    if joined.roles.get("score") in likely:
        return joined, named
    others = {
        role: column for role, column in joined.roles.items() if role != "score" and column not in likely
    }
    return replace(joined, roles={**others, **score_by_contents(likely, others)}), named


def _seen(looked: SampledFiles, what: str) -> tuple[str, ...]:
    n = looked.table.n_rows
    files = f"{len(looked.group.files)} files" if len(looked.group.files) > 1 else looked.table.name
    seen = [f"{files}: layout {what}, {n:,} rows sampled"]
    for role in ("model", "split", "label"):
        if role in looked.table.roles:
            seen.append(f"  {role}: {looked.table.roles[role].summary}")
    return tuple(seen)
