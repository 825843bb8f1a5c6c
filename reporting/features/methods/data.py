"""How many trials the numbers rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from reporting.core.engine.model_runs import MEAN
from reporting.document import numbers
from reporting.document.blocks import Caution, Prose, Section, Table
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.origins import origin_sentences
from reporting.document.words.phrases import clusters, cross_validated, group_label, listing
from reporting.document.words.tables import ColumnOf, TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.methods import FEATURE

SPLITS = {"dev": "development", "test": "test"}

Count = Callable[[TrialsRow], int | None]

REPAIRS: tuple[tuple[str, Count], ...] = (
    ("unlabelled", lambda row: row.n_unlabelled),
    ("missing scores", lambda row: row.n_missing),
    ("infinite scores", lambda row: row.n_infinite),
    ("rows dropped", lambda row: row.rows_dropped),
)
COUNTS: tuple[Count, ...] = (
    lambda row: row.n_target,
    lambda row: row.n_nontarget,
    lambda row: row.n_clusters,
    *(count for _, count in REPAIRS),
)
"""What makes two models' lines different."""


class Counted(NamedTuple):
    """The trials of a split or a group; ``model`` is empty where they are those of every model."""

    view: DatasetView
    model: str
    row: TrialsRow

    @property
    def n_trials(self) -> int:
        """How many trials have a label."""
        return self.row.n_target + self.row.n_nontarget

    @property
    def share(self) -> float | None:
        """The share of targets."""
        return self.row.n_target / self.n_trials if self.n_trials else None


def data(results: Results) -> Section | None:
    """Return one table over all datasets; a row for each model only where models differ."""
    every = views(results)
    lines = [line for view in every for split in SPLITS for line in _lines(view, split)]
    if not lines:
        return None
    table, spoken = TableOf[Counted](every[0]), every[0].terms
    shown, same_in_each = _varying(
        lines,
        (
            _counted(table, spoken.targets, lambda row: row.n_target),
            _counted(table, spoken.nontargets, lambda row: row.n_nontarget),
            table.number(
                spoken.share,
                lambda line: line.share,
                lambda share: numbers.percent(share, 1),
                unit="%",
                why=f"there are no {spoken.trials}",
            ),
            *([_counted(table, clusters(results), lambda row: row.n_clusters)] if results.cluster else []),
            *(
                _counted(table, title, count)
                for title, count in REPAIRS
                if any(count(line.row) for line in lines)
            ),
        ),
    )
    same = "" if any(line.model for line in lines) else " (identical for all models)"
    whole = table.build(
        "data",
        f"{capitalised(spoken.trials)} per split{same}.{same_in_each}",
        lines,
        (
            *_heads(table, lines, len(every) > 1, _split(table)),
            table.count(spoken.trials, lambda line: float(line.n_trials)),
            *shown,
        ),
    )
    origin = tuple(Prose(f"{sentence}.") for sentence in origin_sentences(results.origin, spoken)[1:])
    return FEATURE.section("data").of((whole, *origin, *_by_group(results, every)))


def _split(table: TableOf[Counted]) -> ColumnOf[Counted]:
    return table.text("split", lambda line: SPLITS[line.row.split])


def _varying(
    lines: list[Counted], columns: Iterable[ColumnOf[Counted]]
) -> tuple[list[ColumnOf[Counted]], str]:
    """Return the columns that distinguish rows, and a sentence with what is the same in all of several."""
    shown, same = [], []
    for column in columns:
        texts = {column.cell(line).text for line in lines}
        if len(lines) > 1 and len(texts) == 1:
            same.append(f"{column.head.title} {texts.pop()}{column.head.unit}")
        else:
            shown.append(column)
    return shown, f" In each: {', '.join(same)}." if same else ""


def _by_group(results: Results, every: list[DatasetView]) -> tuple[Table, ...]:
    """Return the classes in every group that a breakdown judges, in both sets; none without breakdowns."""
    lines = [
        line
        for view in every
        for group in _groups(view)
        for split in SPLITS
        for line in _lines(view, split, group)
    ]
    if not results.study.by or not lines:
        return ()
    table, spoken = TableOf[Counted](every[0]), every[0].terms
    group = table.text("group", lambda line: group_label(line.row))
    return (
        table.build(
            "data_groups",
            "Trials of the groups of each breakdown.",
            lines,
            (
                *_heads(table, lines, len(every) > 1, group, _split(table)),
                _counted(table, spoken.targets, lambda row: row.n_target),
                _counted(table, spoken.nontargets, lambda row: row.n_nontarget),
            ),
        ),
    )


def _heads(
    table: TableOf[Counted], lines: list[Counted], many_datasets: bool, *within: ColumnOf[Counted]
) -> tuple[ColumnOf[Counted], ...]:
    """Return the columns that name a line: dataset and model only where there is a choice."""
    dataset = table.text("dataset", lambda line: line.view.label)
    model = table.text("model", lambda line: line.model or "all models")
    many_models = any(line.model for line in lines)
    return (*((dataset,) if many_datasets else ()), *within, *((model,) if many_models else ()))


def _counted(table: TableOf[Counted], title: str, count: Count) -> ColumnOf[Counted]:
    def number(line: Counted) -> float | None:
        counted = count(line.row)
        return None if counted is None else float(counted)

    return table.count(title, number, why="not counted")


def _groups(view: DatasetView) -> list[str]:
    counted = view.results.frame(TRIALS).filter(dataset=view.dataset, run=view.run)["group"]
    judged = view.results.frame(METRICS).filter(dataset=view.dataset, run=view.run)["group"]
    return sorted((set(counted) & set(judged)) - {""}, key=str.encode)


def _lines(view: DatasetView, split: str, group: str = "") -> list[Counted]:
    """One line where all models have the same counts, else one for each model."""
    here = {"dataset": view.dataset, "run": view.run, "group": group, "split": split}
    by_model = {row.model: row for row in TRIALS.rows(view.results.frame(TRIALS).filter(**here))}
    rows = [by_model[model] for model in view.results.models if model in by_model]
    if len({tuple(count(row) for count in COUNTS) for row in rows}) == 1:
        return [Counted(view, "", rows[0])]
    return [Counted(view, view.names[row.model], row) for row in rows]


def data_line(results: Results) -> str:
    """Return in one line what was judged: the trials, classes and clusters of every dataset."""
    every = views(results)
    with_trials = [view for view in every if view.run != MEAN] or every
    if len(with_trials) > 1:
        sets = (f"{view.label}: {_counts_of(view, 'test')}" for view in with_trials)
        return f"Test sets: {'; '.join(sets)}."
    (view,) = with_trials
    if results.study.thresholds.policy == "kfold":
        scored = "" if results.study.thresholds.column is None else ", scored out of fold"
        chosen = f"{view.terms.thresholds} {cross_validated(results.study)}"
        return f"{capitalised(_counts_of(view, 'test'))}{scored}; {chosen}."
    dev = f" Development set: {_counts_of(view, 'dev', whole=False)}." if _lines(view, "dev") else ""
    if unused := view.dev_left_out:
        dev = f" Development set: {numbers.count(unused)} {view.terms.trials}, left out."
    return f"Test set: {_counts_of(view, 'test')}.{dev}"


def _counts_of(view: DatasetView, split: str, *, whole: bool = True) -> str:
    """Return ``283 trials (129 targets, 154 non-targets), 50 speakers``; the classes where ``whole``.

    Where all trials are targets: ``283 targets, 50 speakers``.
    """
    lines = _lines(view, split)
    if not lines:
        return f"no {view.terms.trials}"
    most, spoken = max(lines, key=lambda line: line.n_trials), view.terms
    targets_alone = whole and most.row.n_target > 0 and not most.row.n_nontarget
    noun = spoken.targets if targets_alone else spoken.trials
    unequal = len({(line.row.n_target, line.row.n_nontarget) for line in lines}) > 1
    text = f"{'up to ' if unequal else ''}{numbers.count(most.n_trials)} {noun}"
    if whole and not targets_alone:
        classes = ((most.row.n_target, spoken.targets), (most.row.n_nontarget, spoken.nontargets))
        # "113 patients (41 with the condition, ...": the word for a trial is there already.
        known = f"{spoken.trials} "
        text += f" ({', '.join(f'{numbers.count(n)} {name.removeprefix(known)}' for n, name in classes)})"
    if view.results.cluster and most.row.n_clusters is not None:
        text += f", {numbers.count(most.row.n_clusters)} {clusters(view.results)}"
    without = max(line.row.n_unlabelled for line in lines)
    return f"{text}, {numbers.count(without)} more without a label" if without else text


def development_set(view: DatasetView) -> Iterator[Caution]:
    """Yield how many trials of a development set are left out, and what would count them."""
    if unused := view.dev_left_out:
        judged = max((line.row.rows_read for line in _lines(view, "test")), default=0)
        policy = view.study.thresholds.policy
        shown = {"left_out": numbers.count(unused), "every": numbers.count(unused + judged)}
        yield FEATURE.caution(view, "dev_left_out", policy == "none", **shown, policy=policy)


def lacking_scores(view: DatasetView, split: str) -> list[str]:
    """Return for every model how many trials of a set have no score: ``A lacks 18 (2 targets, ...)``.

    Classes are not known of a file of counts, where trials may have been left out before.
    """
    texts = []
    for line in _lines(view, split):
        row, spoken = line.row, view.terms
        if not row.n_missing:
            continue
        classes = (
            (row.n_missing_target, (spoken.target, spoken.targets)),
            (row.n_missing_nontarget, (spoken.nontarget, spoken.nontargets)),
        )
        known = [f"{numbers.count(n)} {names[n != 1]}" for n, names in classes if n is not None]
        of_class = f" ({', '.join(known)})" if known else ""
        who = (
            f"{line.model} lacks" if line.model else "all models lack" if len(view.names) > 1 else "there are"
        )
        at = f" of {view.label}" if view.label else ""
        texts.append(f"{who} {numbers.count(row.n_missing)}{of_class} on the {SPLITS[split]} set{at}")
    return texts


def missing_dropped(view: DatasetView) -> Iterator[Caution]:
    """Yield how many trials of each class lack the score of which model, and were left out for all."""
    counted = [text for split in ("test", "dev") for text in lacking_scores(view, split)]
    if view.results.missing == "drop" and counted:
        on_test = [line.row for line in _lines(view, "test")]
        dropped = max((row.rows_dropped for row in on_test), default=0)
        read = max((row.rows_read for row in on_test), default=0)
        shown = {
            "lacking": "; ".join(counted),
            "read": numbers.count(read),
            "dropped": numbers.count(dropped),
        }
        yield FEATURE.caution(view, "missing_dropped", dropped >= MOST_UNLABELLED * read, **shown)


def stratum_weights(results: Results) -> str:
    """Return the weight of every stratum: ``big 50, legit 1 and small 1``."""
    return listing(
        (f"{stratum} {weight:,}" for stratum, weight in sorted(results.weights.items())), MOST_STRATA
    )


MOST_STRATA = 6
"""So many strata are named with their weights; more are counted."""


def weighted_rates(view: DatasetView) -> Iterator[Caution]:
    """Yield that rates are weighted and counts are not."""
    if view.results.weighted:
        shown = {"stratum": view.results.stratum, "weights": stratum_weights(view.results)}
        yield FEATURE.caution(view, "weighted_rates", True, **shown)


MOST_UNLABELLED = 0.02
"""Rows without a label that are this share of a set, or more, may change what is measured."""


def unlabelled(view: DatasetView) -> Iterator[Caution]:
    """Yield the set and the model of which the largest share of rows has no label and was left out."""
    shares = [
        (line.row.n_unlabelled / line.row.rows_read, line)
        for split in SPLITS
        for line in _lines(view, split)
        if line.row.rows_read
    ]
    share, worst = max(shares, key=lambda each: each[0], default=(0.0, None))
    if worst is not None and share >= MOST_UNLABELLED:
        yield FEATURE.caution(
            view,
            "unlabelled",
            worst.row.split == "test",
            left_out=numbers.count(worst.row.n_unlabelled),
            read=numbers.count(worst.row.rows_read),
            of_model=f" of {worst.model}" if worst.model else "",
            split=SPLITS[worst.row.split],
            percent=numbers.percent(share, 1),
        )
