"""How many trials the numbers rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reporting.document import numbers
from reporting.document.blocks import Caution, Prose, Section, Table
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.counted_trials import REPAIRS, SPLITS, Count, Counted, counted_lines
from reporting.document.words.origins import origin_sentences
from reporting.document.words.phrases import clusters, group_label, listing
from reporting.document.words.tables import ColumnOf, TableOf
from reporting.document.words.terms import Counts, capitalised, terms
from reporting.document.words.view import DatasetView, views
from reporting.features.methods import FEATURE


def data(results: Results) -> Section | None:
    """Return one table over all datasets; a row for each model only where models differ."""
    every = views(results)
    lines = [line for view in every for split in SPLITS for line in counted_lines(view, split)]
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
            *(_strata(table, results) if any(line.row.n_strata for line in lines) else ()),
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


def _strata(table: TableOf[Counted], results: Results) -> tuple[ColumnOf[Counted], ...]:
    """Return how many strata a sample was drawn in, and how many units the smallest has."""
    units = clusters(results) if results.cluster else terms(results.study.vocabulary).trials
    return (
        _counted(table, "strata", lambda row: row.n_strata),
        _counted(table, f"{units} of the smallest stratum", lambda row: row.least_stratum),
    )


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
        for line in counted_lines(view, split, group)
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


def development_set(view: DatasetView) -> Iterator[Caution]:
    """Yield how many trials of a development set are left out, and what would count them."""
    if unused := view.dev_left_out:
        judged = max((line.row.rows_read or 0 for line in counted_lines(view, "test")), default=0)
        policy = view.study.thresholds.policy
        shown = {"left_out": numbers.count(unused), "every": numbers.count(unused + judged)}
        yield FEATURE.caution(view, "dev_left_out", policy == "none", **shown, policy=policy)


def lacking_scores(view: DatasetView, split: str) -> list[str]:
    """Return for every model how many trials of a set have no score: ``A lacks 18 (2 targets, ...)``.

    Classes are not known of a file of counts, where trials may have been left out before.
    """
    texts = []
    for line in counted_lines(view, split):
        row, spoken = line.row, view.terms
        if not row.n_missing:
            continue
        epochs = "" if view.study.runs != "epoch" else " epoch" if row.n_missing == 1 else " epochs"
        classes: tuple[tuple[Counts, int | None], ...] = (
            ("target", row.n_missing_target),
            ("nontarget", row.n_missing_nontarget),
        )
        known = [spoken.counted(of, n) for of, n in classes if n is not None]
        of_class = epochs or (f" ({', '.join(known)})" if known else "")
        who = (
            f"{line.model} lacks" if line.model else "all models lack" if len(view.names) > 1 else "there are"
        )
        at = f" of {view.label}" if view.label else ""
        texts.append(f"{who} {numbers.count(row.n_missing)}{of_class} on the {SPLITS[split]} set{at}")
    return texts


def missing_dropped(view: DatasetView) -> Iterator[Caution]:
    """Yield how many trials of each class lack the score of which model, and were left out for all."""
    counted = [text for split in ("test", "dev") for text in lacking_scores(view, split)]
    if view.results.missing == "shared":
        yield from _shared_alone(view)
    if view.results.missing == "drop" and counted:
        on_test = [line.row for line in counted_lines(view, "test")]
        dropped = max((row.rows_dropped or 0 for row in on_test), default=0)
        read = max((row.rows_read or 0 for row in on_test), default=0)
        shown = {
            "lacking": "; ".join(counted),
            "read": numbers.count(read),
            "dropped": numbers.count(dropped),
        }
        kind = "epochs" if view.study.runs == "epoch" else "drop"
        yield FEATURE.caution(view, f"missing_dropped.{kind}", dropped >= MOST_UNLABELLED * read, **shown)


def _shared_alone(view: DatasetView) -> Iterator[Caution]:
    """Yield how many trials each model has, in all its runs, where those that others lack were left out."""
    rows = _rows_of_test(view)
    if any(row.rows_dropped for row in rows):
        of_epochs = view.study.runs == "epoch"  # whose scores are missing, not rows
        read = {
            name: [
                (row.rows_read or 0) - (0 if of_epochs else row.n_missing or 0)
                for row in rows
                if row.model == model
            ]
            for model, name in view.names.items()
        }
        has = {
            name: " to ".join(numbers.count(n) for n in sorted({min(each), max(each)}))
            for name, each in read.items()
            if each
        }
        shown = {
            "kept": numbers.count(rows[0].n_target + rows[0].n_nontarget),
            "has": listing(f"{name} has {n}" for name, n in has.items()),
        }
        lost = max(row.rows_dropped / row.rows_read for row in rows if row.rows_dropped and row.rows_read)
        yield FEATURE.caution(view, "missing_dropped.shared", lost >= MOST_UNLABELLED, **shown)


def _rows_of_test(view: DatasetView) -> list[TrialsRow]:
    """Return what was counted of every model and run on the test set of a dataset."""
    return TRIALS.rows(view.results.frame(TRIALS).filter(dataset=view.dataset, split="test", group=""))


def stratum_weights(results: Results) -> str:
    """Return the weight of every stratum: ``big 50, legit 1 and small 1``; of rows how far weights differ."""
    if results.row_weights:
        positive = [weight for weight in results.weights.values() if weight]
        ratio = max(positive) / min(positive)
        shown = numbers.count(round(ratio)) if ratio >= WHOLE else numbers.fixed(ratio, 1)
        return f"a weight for each row, the largest {shown} times the smallest"
    return listing(
        (f"{stratum} {weight:,}" for stratum, weight in sorted(results.weights.items())), MOST_STRATA
    )


WHOLE = 100
"""Ratios of weights from here on have no decimals."""
MOST_STRATA = 6
"""So many strata are named with their weights; more are counted."""


def weighted_rates(view: DatasetView) -> Iterator[Caution]:
    """Yield that rates are weighted and counts are not."""
    if view.results.weighted:
        results = view.results
        by = f"its {results.stratum}" if results.row_weights else f"the weight of its {results.stratum}"
        shown = {"by": by, "weights": stratum_weights(results), "worth": _worth(view)}
        yield FEATURE.caution(view, "weighted_rates", True, **shown)


def _worth(view: DatasetView) -> str:
    """Return how many trials of equal weight the test set is worth; empty where all weigh the same."""
    words = view.terms
    known = [
        f"{numbers.count(round(n))} {name}"
        for row in _rows_of_test(view)[:1]
        for n, name in ((row.effective_target, words.targets), (row.effective_nontarget, words.nontargets))
        if n is not None
    ]
    return (
        f" The test set is worth {listing(known)} of equal weight (Kish's effective size)." if known else ""
    )


MOST_UNLABELLED = 0.02
"""Rows without a label that are this share of a set, or more, may change what is measured."""


def unlabelled(view: DatasetView) -> Iterator[Caution]:
    """Yield the set and the model of which the largest share of rows has no label and was left out."""
    shares = [
        (line.row.n_unlabelled / line.row.rows_read, line.row.n_unlabelled, line)
        for split in SPLITS
        for line in counted_lines(view, split)
        if line.row.rows_read and line.row.n_unlabelled
    ]
    share, left_out, worst = max(shares, key=lambda each: each[0], default=(0.0, 0, None))
    if worst is not None and share >= MOST_UNLABELLED:
        yield FEATURE.caution(
            view,
            "unlabelled",
            worst.row.split == "test",
            left_out=numbers.count(left_out),
            read=numbers.count(worst.row.rows_read or 0),
            of_model=f" of {worst.model}" if worst.model else "",
            split=SPLITS[worst.row.split],
            percent=numbers.percent(share, 1),
            have="has" if left_out == 1 else "have",
            are="is" if left_out == 1 else "are",
        )
