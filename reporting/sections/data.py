"""How many trials stand behind the numbers."""

from __future__ import annotations

from reporting.engine.model_runs import MEAN
from reporting.frames.results import Results
from reporting.frames.schemas import TRIALS, TrialsRow
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Cell, Column, Prose, Section, Table
from reporting.sections.origin import origin_sentences
from reporting.wording.phrases import clusters
from reporting.wording.terms import terms
from reporting.wording.view import View, views

SPLITS = ("dev", "test")
REPAIRS = (
    ("n_unlabelled", "unlabelled"),
    ("n_missing", "missing scores"),
    ("n_infinite", "infinite scores"),
    ("rows_dropped", "rows dropped"),
)
SAME_FOR_ALL = ("n_target", "n_nontarget", "n_clusters", *(column for column, _ in REPAIRS))


def data(results: Results) -> Section | None:
    """Return one table over all datasets; a row for each model only where models differ."""
    found = views(results)
    rows = [line for view in found for split in SPLITS for line in _lines(view, split)]
    if not rows:
        return None
    shown = [(column, title) for column, title in REPAIRS if any(getattr(row, column) for _, _, row in rows)]
    with_dataset = len(found) > 1
    with_model = any(model for _, model, _ in rows)
    table = Table(
        name="data",
        caption="Trials behind the numbers" + ("." if with_model else "; the same for every model."),
        columns=_columns(results, with_dataset, with_model, [title for _, title in shown]),
        rows=tuple(
            (
                *([Cell(view.label)] if with_dataset else []),
                Cell(row.split),
                *([Cell(model or "all models")] if with_model else []),
                *_counts(results, row, [column for column, _ in shown]),
            )
            for view, model, row in rows
        ),
    )
    told = tuple(Prose(f"{said}.") for said in origin_sentences(results.origin)[1:])
    return Section("Data", "data", (table, *told, *_by_group(results, found)))


def _by_group(results: Results, found: list[View]) -> tuple[Table, ...]:
    """The classes in every group that a breakdown judges, in dev and test; none without breakdowns."""
    rows = [
        (view, split, group, model, row)
        for view in found
        for group in _groups(view)
        for split in SPLITS
        for _, model, row in _lines(view, split, group)
    ]
    if not results.study.by or not rows:
        return ()
    spoken, several = terms(results.study.vocabulary), len(found) > 1
    with_model = any(model for _, _, _, model, _ in rows)
    heads = (Column(spoken.targets, "number"), Column(spoken.nontargets, "number"))
    return (
        Table(
            name="data_groups",
            caption="Trials of the groups that are judged by themselves.",
            columns=(
                *([Column("dataset")] if several else []),
                Column("group"),
                Column("split"),
                *([Column("model")] if with_model else []),
                *heads,
            ),
            rows=tuple(
                (
                    *([Cell(view.label)] if several else []),
                    Cell(group),
                    Cell(split),
                    *([Cell(model or "all models")] if with_model else []),
                    _count(row.n_target),
                    _count(row.n_nontarget),
                )
                for view, split, group, model, row in rows
            ),
        ),
    )


def _groups(view: View) -> list[str]:
    rows = view.results.trials.filter(dataset=view.dataset, run=view.run)
    judged = view.results.metrics.filter(dataset=view.dataset, run=view.run)
    kept = set(judged["group"]) - {""}
    return sorted((set(rows["group"]) & kept), key=lambda group: group.encode())


def _lines(view: View, split: str, group: str = "") -> list[tuple[View, str, TrialsRow]]:
    """One line where all models have the same counts, else one for each model."""
    here = {"dataset": view.dataset, "run": view.run, "group": group, "split": split}
    rows = {row.model: row for row in TRIALS.rows(view.results.trials.filter(**here))}
    present = [model for model in view.results.models if model in rows]
    distinct = {tuple(getattr(rows[model], column) for column in SAME_FOR_ALL) for model in present}
    if len(distinct) == 1:
        return [(view, "", rows[present[0]])]
    return [(view, view.names[model], rows[model]) for model in present]


def _columns(
    results: Results, with_dataset: bool, with_model: bool, repairs: list[str]
) -> tuple[Column, ...]:
    spoken = terms(results.study.vocabulary)
    return (
        *([Column("dataset")] if with_dataset else []),
        Column("split"),
        *([Column("model")] if with_model else []),
        Column("trials", "number"),
        Column(spoken.targets, "number"),
        Column(spoken.nontargets, "number"),
        Column(spoken.share, "number", "%"),
        *([Column(clusters(results), "number")] if results.cluster else []),
        *(Column(title, "number") for title in repairs),
    )


def _counts(results: Results, row: TrialsRow, repairs: list[str]) -> list[Cell]:
    trials = row.n_target + row.n_nontarget
    counts: list[int | None] = [trials, row.n_target, row.n_nontarget]
    cells = [_count(number) for number in counts]
    cells.append(_share(row.n_target, trials))
    if results.cluster:
        cells.append(_count(row.n_clusters))
    return cells + [_count(getattr(row, column)) for column in repairs]


def _count(number: int | None) -> Cell:
    if number is None:
        return Cell(UNDEFINED, reason="not counted")
    return Cell(numbers.count(number), float(number))


def _share(targets: int, trials: int) -> Cell:
    if not trials:
        return Cell(UNDEFINED, reason="there are no trials")
    return Cell(numbers.percent(targets / trials, 1), targets / trials)


def data_line(results: Results) -> str:
    """Say in one line what was judged: test trials, targets and clusters of every dataset."""
    found = views(results)
    with_trials = [view for view in found if view.run != MEAN] or found
    return "; ".join(_scope_line(view) for view in with_trials)


def _scope_line(view: View) -> str:
    lines = _lines(view, "test")
    if not lines:
        return f"{view.label} test: no trials".strip()
    most = max((row for _, _, row in lines), key=lambda row: row.n_target + row.n_nontarget)
    trials = most.n_target + most.n_nontarget
    up_to = "up to " if len(lines) > 1 else ""
    targets = numbers.count(most.n_target)
    said = f"{view.label} test: {up_to}{numbers.count(trials)} trials ({targets} {view.terms.targets})"
    if view.results.cluster and most.n_clusters is not None:
        said += f", {numbers.count(most.n_clusters)} {clusters(view.results)}"
    return said.strip()
