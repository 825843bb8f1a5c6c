"""How many trials were counted, and of which classes: a page's line on its data."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from reporting.core.engine.model_runs import MEAN
from reporting.document import numbers
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS, TrialsRow
from reporting.document.words.phrases import counted_clusters, cross_validated, listing
from reporting.document.words.terms import Terms, capitalised
from reporting.document.words.view import DatasetView, views
from reporting.inputs.strata import counted_strata

MOST_SETS = 4
"""So many datasets of equal size are named."""
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


def counted_lines(view: DatasetView, split: str, group: str = "") -> list[Counted]:
    """One line where all models have the same counts, else one for each model."""
    here = {"dataset": view.dataset, "run": view.run, "group": group, "split": split}
    by_model = {row.model: row for row in TRIALS.rows(view.results.frame(TRIALS).filter(**here))}
    rows = [by_model[model] for model in view.results.models if model in by_model]
    if len({tuple(count(row) for count in COUNTS) for row in rows}) == 1:
        return [Counted(view, "", rows[0])]
    return [Counted(view, view.names[row.model], row) for row in rows]


def data_lines(results: Results) -> tuple[str, ...]:
    """Return what was judged: the trials, classes and clusters of every dataset; of one, its development set.

    The development set has a line of its own.
    """
    every = views(results)
    with_trials = [view for view in every if view.run != MEAN] or every
    averaged = ", scores averaged over epochs" * (results.study.runs == "epoch")
    if len(with_trials) > 1:
        labels: dict[str, list[str]] = {}
        for view in with_trials:
            labels.setdefault(_counts_of(view, "test"), []).append(view.label)
        runs = results.study.runs
        if len(labels) == 1 and runs != "fold" and len({view.dataset for view in with_trials}) == 1:
            kind = "readers" if runs == "reader" else f"runs on the same {every[0].terms.trials}"
            return (f"Test set: {next(iter(labels))}, {len(with_trials)} {kind}.",)
        sets = (
            f"{listing(of, MOST_SETS)}: {'each ' if len(of) > 1 else ''}{counts}"
            for counts, of in labels.items()
        )
        return (f"Test sets: {'; '.join(sets)}{averaged}.",)
    (view,) = with_trials
    if results.study.thresholds.policy == "kfold":
        scored = "" if results.study.thresholds.column is None else ", scored out of fold"
        chosen = f"{view.terms.thresholds} {cross_validated(results.study)}"
        return (f"{capitalised(_counts_of(view, 'test'))}{scored}; {chosen}.",)
    dev = _counts_of(view, "dev", whole=False) if counted_lines(view, "dev") else ""
    if unused := view.dev_left_out:
        dev = f"{numbers.count(unused)} {view.terms.trials}, left out"
    test = f"Test set: {_counts_of(view, 'test')}{averaged}."
    return (test, f"Development set: {dev}.") if dev else (test,)


def _counts_of(view: DatasetView, split: str, *, whole: bool = True) -> str:
    """Return ``283 trials (129 targets, 154 non-targets), 50 speakers``; the classes where ``whole``.

    Where all trials are targets: ``283 targets, 50 speakers``.
    """
    lines = counted_lines(view, split)
    if not lines:
        return f"no {view.terms.trials}"
    most, spoken = max(lines, key=lambda line: line.n_trials), view.terms
    targets_alone = whole and most.row.n_target > 0 and not most.row.n_nontarget
    # A benchmark has no other items than those to solve.
    is_of_targets = targets_alone and view.study.vocabulary != "evals"
    unequal = len({(line.row.n_target, line.row.n_nontarget) for line in lines}) > 1
    whole_text = spoken.counted("target" if is_of_targets else "trial", most.n_trials)
    text = f"up to {whole_text}" if unequal else whole_text
    if whole and not targets_alone:
        # "113 patients (41 with the condition, ...": the word for a trial is there already.
        both = spoken.counted("target", most.row.n_target), spoken.counted("nontarget", most.row.n_nontarget)
        text += f" ({', '.join(_without_trials(each, spoken) for each in both)})"
    if view.results.cluster and most.row.n_clusters is not None:
        text += f", {counted_clusters(view.results, most.row.n_clusters)}"
    if most.row.n_strata is not None and most.row.least_stratum is not None:
        text += f" in {counted_strata(most.row.n_strata, most.row.least_stratum)}"
    without = max(line.row.n_unlabelled or 0 for line in lines)
    return f"{text}, {numbers.count(without)} more without a label" if without else text


def _without_trials(text: str, spoken: Terms) -> str:
    """Return a number of a class without the word for a trial."""
    return re.sub(rf" ({re.escape(spoken.trials)}|{re.escape(spoken.trial)})\b", "", text)
