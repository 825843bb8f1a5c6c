"""Evaluation logs of language models, recognised by what they hold, and tables of solved items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from reporting.app.init.columns import (
    SampleColumn,
    columns_of,
    has_word,
    is_decision,
    is_key,
    rank,
    rows_of,
    suits,
)
from reporting.app.init.lines import Line, column_line
from reporting.app.init.look import Draft, SourceGroup, lines_in, places_line, sample_of, some_of
from reporting.app.init.table_lines import by_line, model_lines
from reporting.app.init.tables import FEWEST_ROWS
from reporting.base.legible import counted
from reporting.base.records import dataclass, replace
from reporting.errors import DataError, listed, quoted
from reporting.inputs.formats.catalogue import word_of
from reporting.inputs.formats.json_tables import is_table_of_scores
from reporting.inputs.layouts.evals import HELM_STATS, RESULTS, TASK, EvalLog, logs_of, metrics_of
from reporting.inputs.layouts.json_files import origin_path
from reporting.inputs.layouts.resolved import is_instances
from reporting.inputs.scan import Scan
from reporting.inputs.spec import METRICS, File, Layout, TrialSpec


def log_layout(file: File) -> Layout | None:
    """Return the layout of an evaluation log; None where a file is none."""
    name = origin_path(file).name
    if RESULTS.fullmatch(name):
        return "lm_eval"
    if word_of(file.path.name) == "ndjson":
        held = _value(next(iter(lines_in(file, 1)), ""))
        first = held if isinstance(held, dict) else {}
        spec = first.get("spec")
        if isinstance(spec, dict) and "eval_name" in spec:
            return "openai_evals"
        return "lm_eval" if "doc_id" in first and first.keys() & OF_SAMPLES else None
    if name.endswith(".eval"):
        return "inspect"
    if not name.endswith(".json"):
        return None
    if (file.path.parent / HELM_STATS).exists():
        return "helm"  # it, and the files of its run
    every = _value(file.path.read_bytes())
    if is_instances(every):
        return "resolved"
    held = every if isinstance(every, dict) else {}
    if isinstance(held.get("eval"), dict) and "version" in held:
        return "inspect"
    is_list = bool(held) and all(isinstance(items, list | dict) for items in held.values())
    if is_list and "resolved_ids" not in held and is_table_of_scores(held):
        return None
    return "resolved" if "resolved_ids" in held or "resolved" in held or is_list else None


OF_SAMPLES = {"doc", "doc_hash", "resps", "filtered_resps"}
"""What a line of samples has besides the number of its item, one of these."""


def _value(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def logs_draft(group: SourceGroup, out: Path) -> Draft:
    """Return the lines that logs of one layout need; DataError where they are of several."""
    layouts = {file: log_layout(file) for file in group.files}
    layout, *others = dict.fromkeys(layouts.values())
    if others or layout is None:
        shown = listed((f"{file.name}: {its}" for file, its in layouts.items()), 3)
        raise DataError(
            f"logs of different layouts do not make one table of trials ({shown}); show one layout"
        )
    spec = TrialSpec(group.files, layout=layout)
    lines = [
        places_line(group, out),
        Line(("trials", "layout"), layout, "evaluation logs: every item is a target"),
    ]
    logs = logs_of(spec) if layout in METRICS else []
    chosen = list(_metric_lines(logs))
    metric = chosen[0].value if chosen else None
    spec = TrialSpec(group.files, layout=layout, metric=metric, may_lack_split=True)
    rows = Scan(spec).rows().select("model", "trial", "run", "score").collect()
    models = sorted(rows["model"].unique())
    repeated = rows["run"].n_unique()
    lines += chosen
    if repeated > 1:
        lines.append(
            Line(("trials", "runs"), "seed", f"{repeated} attempts at each item; values are means over them")
        )
    tasks = sorted({log.task for log in logs})
    lines += _cluster_lines(logs, tasks)
    lines += _question_lines(rows["score"])
    lines += model_lines(models)
    if len(tasks) > 1:
        lines.append(by_line([TASK]))
    counts = {"item": rows["trial"].n_unique(), "task": len(tasks), "model": len(models)}
    held = ", ".join(counted(n, word) for word, n in counts.items() if n)
    n_files = len(logs) or len(group.files)
    files = f"{n_files} files" if n_files > 1 else group.files[0].name
    return Draft((*lines, VOCABULARY), (f"{files}: layout {layout}, {held}",))


VOCABULARY = Line(("report", "vocabulary"), "evals", "items, solved, success rate")
MOST_NAMED = 20


def _metric_lines(logs: Sequence[EvalLog]) -> Iterator[Line]:
    """Say the metric of every task, where a task has several; the first of each is a guess."""
    by_task = metrics_of(logs)
    if all(len(names) == 1 for names in by_task.values()):
        return
    first = {task: names[0] for task, names in by_task.items() if names}
    offered = listed(dict.fromkeys(quoted(name) for names in by_task.values() for name in names), MOST_NAMED)
    value = next(iter(first.values())) if len(set(first.values())) == 1 else first
    yield Line(
        ("trials", "metric"), value, f"which metric counts? the first of {offered} is a guess", is_open=True
    )


def _cluster_lines(logs: Sequence[EvalLog], tasks: Sequence[str]) -> Iterator[Line]:
    """Offer a field whose values repeat as the cluster, or else tasks."""
    items = [item for log in logs[:1] for item in log.items]
    fields = dict.fromkeys(
        f"{outer}.{inner}"
        for item in items[:1]
        for outer in ("doc", "metadata")
        for inner in (item.fields.get(outer) or ())
    )
    repeated = [name for name in fields if 1 < len({item.value(name) for item in items}) <= len(items) / 2]
    name = next(iter(repeated), TASK if len(tasks) > 1 else None)
    if name is not None:
        why = f"are items of one {name.rpartition('.')[2]} alike? then they are resampled as one unit"
        yield column_line("cluster", name, why, is_offered=True)


def _question_lines(scores: pl.Series) -> Iterator[Line]:
    known = scores.drop_nulls().drop_nans()
    is_solved = known.is_in([0.0, 1.0]).all() or known.is_empty()
    low, high = (0.0, 1.0) if is_solved else (float(known.min()), float(known.max()))  # type: ignore[arg-type]
    rule = f"fixed(threshold={(low + high) / 2:g})"
    why = "1 is solved, 0 is not"
    if not is_solved:
        why = f"scores go from {low:g} to {high:g}: from which one on is an item solved? half way is a guess"
    if scores.null_count():
        n = scores.null_count()
        missing = (
            f"{counted(n, 'item has', 'items have')} no score: drop them over all models, or"
            " reject (not solved)?"
        )
        yield Line(("trials", "missing"), "reject", missing, is_open=True)
    yield Line(("primary", "measure"), "recall", "the success rate: the share of items that are solved")
    yield Line(("primary", "criterion"), rule, why, is_open=not is_solved)
    yield Line(("criteria",), [rule])
    yield Line(("measures",), ["recall"])
    yield Line(("curves",), [], "curves need items of two classes")
    yield Line(("epc",), "none")


def _mean_lines(scores: pl.Series) -> Iterator[Line]:
    if n := scores.null_count():
        why = f"{counted(n, 'row has', 'rows have')} no score: their items are dropped over all models"
        yield Line(("trials", "missing"), "drop", why, is_open=True)
    yield Line(("primary",), {"measure": "mean_score"}, "the mean grade; mean_cost where less is better")


@dataclass(frozen=True)
class OutcomeTable:
    """The columns of a table of solved items: what names items, what holds outcomes, systems and attempts."""

    item: SampleColumn
    outcomes: tuple[SampleColumn, ...]
    system: SampleColumn | None
    """None: every column of outcomes is a system's."""
    attempt: SampleColumn | None = None
    groups: tuple[SampleColumn, ...] = ()
    """Further columns of few values."""

    @property
    def graded(self) -> bool:
        """Whether outcomes are grades, of which the mean counts, and not solved or not."""
        return not all(map(is_outcome, self.outcomes))

    @property
    def models(self) -> list[str]:
        """The names of the systems."""
        return self.system.values if self.system else [column.name for column in self.outcomes]


def matrix_draft(group: SourceGroup, out: Path) -> Draft | None:
    """Recognise tables of items by systems, or of one row per attempt, without labels; else None."""
    table = outcome_table([sample_of(file, FEWEST_ROWS, group.reading) for file in some_of(group.files)])
    if table is None:
        return None
    held = f"{counted(len(table.item.values), 'item')}, {counted(len(table.models), 'model')}"
    lines = (places_line(group, out), *outcome_lines(table))
    return Draft(lines, (f"{listed(f.name for f in group.files)}: {held}",))


def outcome_table(samples: Sequence[pl.DataFrame]) -> OutcomeTable | None:
    """Recognise samples of such a table; None where they are of another."""
    columns = columns_of(pl.concat([rows_of(columns_of(sample)) for sample in samples], how="diagonal"))
    if any(rank(column.name, "label") is not None for column in columns):
        return None
    table = _long_outcomes(columns) or _wide_outcomes(columns)
    if table is None:
        return None
    used = (table.item, table.system, table.attempt, *table.outcomes)
    others = [column for column in columns if column not in used and 1 < len(column.values) <= MOST_NAMED]
    return replace(table, groups=tuple(others))


def outcome_lines(table: OutcomeTable) -> list[Line]:
    """Write the keys that a table of solved items needs."""
    groups = [by_line([column.name for column in table.groups])] * bool(table.groups)
    scores = pl.concat([column.numbers for column in table.outcomes])
    return [
        *_roles_of_items(table),
        *(_mean_lines(scores) if table.graded else _question_lines(scores)),
        *model_lines(table.models),
        *groups,
        VOCABULARY,
    ]


def _long_outcomes(columns: Sequence[SampleColumn]) -> OutcomeTable | None:
    """Find items, systems and one column of outcomes by their names: a row is an attempt at an item."""
    system = next((it for it in columns if suits(it, "model") and rank(it.name, "model") is not None), None)
    outcomes = [
        column
        for column in columns
        if (column.name.lower() in SOLVED and is_outcome(column)) or _are_grades(column, columns)
    ]
    if system is None or len(outcomes) != 1:
        return None
    free = [column for column in columns if column not in (system, *outcomes) and not column.n_missing]
    items = [column for column in free if not column.is_fractional]
    for item in sorted(items, key=lambda column: not is_item(column)):
        if is_key([system, item]):
            return OutcomeTable(item, tuple(outcomes), system)
        attempts = [each for each in free if each is not item and has_word(each.name, ATTEMPTS)]
        attempt = next((each for each in attempts if is_key([system, item, each])), None)
        if attempt is not None and is_item(item):
            return OutcomeTable(item, tuple(outcomes), system, attempt)
    return None


def _are_grades(column: SampleColumn, columns: Sequence[SampleColumn]) -> bool:
    """Return whether a column grades items: by its name, or a score where nothing could be a label."""
    if not column.is_numeric or has_word(column.name, GRADES):
        return column.is_numeric
    others = (it for it in columns if it is not column and rank(it.name, "model") is None)
    return column.name.lower() in PARTIAL and not any(
        len(it.values) == len(("target", "nontarget")) and not has_word(it.name, ATTEMPTS) for it in others
    )


def _wide_outcomes(columns: Sequence[SampleColumn]) -> OutcomeTable | None:
    """Find items by their name, and apart from them nothing but outcomes and groups of items.

    People, probabilities and decisions make a table one of trials, whose label may have any name.
    """
    outcomes = [column for column in columns if is_outcome(column)]
    others = [column for column in columns if column not in outcomes]
    item = next((column for column in others if is_item(column) and is_key([column])), None)
    is_other = any(column.is_fractional for column in others) or any(is_decision(c.name) for c in columns)
    if item is None or item.n_missing or is_other or len(outcomes) < len(("A", "B")):
        return None
    if any(rank(column.name, "model") is not None for column in others):
        return None
    return OutcomeTable(item, tuple(outcomes), None)


def _roles_of_items(table: OutcomeTable) -> Iterator[Line]:
    every = "every item is a target: 1 is solved, 0 is not"
    by_name = has_word(table.outcomes[0].name, GRADES)
    if table.graded:
        every = "every item is graded, and none has a label"
        if not by_name:
            every = f"does {quoted(table.outcomes[0].name)} grade every item, so that none has a label?"
    roles = {"model": table.system, "trial": table.item, "run": table.attempt}
    if table.system:
        roles["score"] = table.outcomes[0]
    else:
        names = [column.name for column in table.outcomes]
        every += f"; or is one of {listed(map(quoted, names), 5)} the truth?"
        yield Line(("trials", "layout"), "wide", "one row per item, one column per system")
        yield Line(("trials", "scores"), names)
    for ours, column in roles.items():
        if column is not None and column.name != ours:
            yield column_line(ours, column.name)
    is_open = table.system is None or (table.graded and not by_name)
    yield column_line("label", "none", every, is_open=is_open)


SOLVED = (
    "solved", "resolved", "correct", "success", "passed", "score", "acc", "accuracy", "exact_match", "reward",
)  # fmt: skip
"""Names of a column that shows whether an attempt succeeded."""
PARTIAL = ("score", "reward")
"""Names of a column that may give partial credit."""
GRADES = ("grade", "mark", "marks", "rating", "points", "credit", "rubric")
"""Words in the name of a column of grades."""
ITEMS = (
    "item", "task", "question", "problem", "instance", "prompt", "doc", "document", "example", "sample",
    "trial",
)  # fmt: skip
"""Words in the name of a column of items."""
ATTEMPTS = ("epoch", "trial", "attempt", "run", "repeat", "repetition", "seed", "sample", "try")
"""Words in the name of a column that distinguishes attempts at one item."""


def is_outcome(column: SampleColumn) -> bool:
    """Return whether a column holds 0 and 1 alone."""
    return column.is_numeric and set(column.numbers.drop_nulls()) <= {0.0, 1.0}


def is_item(column: SampleColumn) -> bool:
    """Return whether a column names items."""
    return has_word(column.name, ITEMS)
