"""A sample of a table: which column is which, and whether it can be trials at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reporting.errors import DataError, listed, quoted
from reporting.starter.columns import Column, columns_of
from reporting.starter.lines import Line
from reporting.starter.names import rank
from reporting.starter.roles import Roles, is_key, missing_key, roles_of, score_columns
from reporting.starter.values import TARGET, label_lines

NEEDED = (
    "a trial table has a label of two values, such as target and nontarget, and a score, a number, higher for"
    " targets; one row a trial and model, where a column names the model, or one row a trial, and a column of"
    " scores a model"
)


TWO = 2
"""Labels beyond which a table of nameless numbers is one of something else: of classes and features."""


@dataclass(frozen=True, eq=False)
class Table:
    """A sample with what is known of it."""

    name: str
    columns: tuple[Column, ...]
    roles: Roles
    n_rows: int
    notes: tuple[Line, ...] = ()
    """What its key leaves open."""

    @property
    def scores(self) -> list[Column]:
        """Its columns of scores: one where it names models, else one a model."""
        if "model" in self.roles:
            return [self.roles["score"]] if "score" in self.roles else []
        return score_columns(self.columns, self.roles)

    @property
    def has_label(self) -> bool:
        """Tell whether it says what trials are."""
        return "label" in self.roles

    @property
    def splits(self) -> list[str]:
        """What it calls its splits; none where it has one alone, without a name."""
        return self.roles["split"].values if "split" in self.roles else []

    @property
    def label_lines(self) -> list[Line]:
        """What its labels mean."""
        scores = self.scores
        return label_lines(self.roles["label"], scores[0] if scores else None)


def table_of(name: str, samples: Sequence[pl.DataFrame]) -> Table:
    """Look at samples of one table, whose files may hold different columns."""
    texts = [pl.DataFrame([one.text for one in columns_of(sample)]) for sample in samples]
    rows = pl.concat(texts, how="diagonal")
    columns = tuple(columns_of(rows))
    roles, notes = _with_whole_key(columns, roles_of(columns, rows.height))
    notes += _misleading(samples, columns, roles)
    return Table(name, columns, roles, rows.height, tuple(notes))


def _misleading(samples: Sequence[pl.DataFrame], columns: Sequence[Column], roles: Roles) -> Iterator[Line]:
    """Names that would be taken otherwise than they are meant, or for nothing."""
    trail = ("trials", "columns")
    several = len(roles["model"].values) > 1 if "model" in roles else False
    if "trial" not in roles and any("" in sample.columns for sample in samples):
        why = "a column without a name may name the trials: give it one, such as row"
        yield Line((*trail, "trial"), "row", why, True, True)
    elif not roles.keys() & {"trial", "count"} and several:
        why = "nothing names the trials, so models cannot be compared: which column does, or could?"
        yield Line((*trail, "trial"), "trial", why, True, True)
    if "trial" in roles and "count" in {one.name for one in columns}:
        why = "a column of this name tells how many trials a row stands for: rename it, or the trial key"
        yield Line((*trail, "count"), "count", why, True, True)


def _with_whole_key(columns: Sequence[Column], found: Roles) -> tuple[dict[str, Column], list[Line]]:
    """Where trials repeat, look for what else is part of their key."""
    roles = dict(found)
    if "trial" not in roles:
        return roles, []
    trial = roles["trial"]
    key = [roles[name] for name in ("model", "run", "dataset", "split") if name in roles]
    if is_key([*key, trial]):
        return roles, []
    within = f" within {listed(quoted(one.name) for one in key)}" if key else ""
    said, further = f"{quoted(trial.name)} repeats{within}", missing_key(columns, roles)
    if not further:
        if trial.name != "trial":
            del roles["trial"]
        why = f"{said}, and no column tells such rows apart: what names a trial?"
        return roles, [Line(("trials", "columns", "trial"), trial.name, why, True, True)]
    roles |= further
    told = listed(quoted(one.name) for one in further.values())
    return roles, [
        Line(
            ("trials", "columns", ours),
            one.name,
            f"{said}, but not within {told}: is {quoted(one.name)} the {ours}? a guess",
            is_open=True,
        )
        for ours, one in further.items()
    ]


def check_trials(table: Table) -> None:
    """Raise DataError where a table has no rows, no label or no score."""
    if not table.n_rows:
        raise DataError(f"{table.name}: it has no rows; {NEEDED}")
    by_name = any(rank(one.name, "score") is not None for one in table.scores)
    has_label = table.has_label and (by_name or len(table.roles["label"].values) <= TWO)
    lacking = ["label"] * (not has_label) + ["score"] * (not table.scores)
    if lacking:
        found = listed((f"{quoted(one.name)} ({one.kind})" for one in table.columns), 8)
        raise DataError(
            f"{table.name}: no column can be the {' or the '.join(lacking)} (found: {found}); {NEEDED}"
        )


def target_rows(table: Table) -> pl.Series:
    """Tell which rows of a sample are targets, as far as its labels are known or guessed."""
    known = [line.value for line in table.label_lines if line.trail == TARGET]
    from_words = pl.Series(["true", "1", "1.0", "target"])
    text = table.roles["label"].text
    return text == known[0] if known else text.str.to_lowercase().is_in(from_words.implode())


def scores_by_model(table: Table, models: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the finite scores of every model, and which are of targets.

    ``models`` maps the models of a wide table to their columns; empty: a column names them.
    """
    target = target_rows(table)
    if models:
        by_name = {one.name: one for one in table.columns}
        found = {model: (by_name[column].numbers, target) for model, column in models.items()}
    elif "model" in table.roles:
        name, score = table.roles["model"], table.scores[0].numbers
        mine = {model: name.text == model for model in name.values}
        found = {model: (score.filter(rows), target.filter(rows)) for model, rows in mine.items()}
    else:
        found = {}
    rows_of = {model: pl.DataFrame({"score": s, "target": t}) for model, (s, t) in found.items()}
    return {model: rows.filter(pl.col("score").is_finite()) for model, rows in rows_of.items()}
