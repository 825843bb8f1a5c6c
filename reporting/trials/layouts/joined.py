"""Trials of key files joined with their scores, lazily.

Every trial of the key files is a trial of every model and run; where it has no score, the score is
missing, and ``trials.missing`` decides. Where only the score files tell a trial's dataset or split, a
trial without a score would be nowhere: that is a fault, see ``join_faults``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, did_you_mean, listed, quoted
from reporting.trials.layouts.raw import Opened, is_plain, said_by
from reporting.trials.spec import TrialSpec

EITHER = ("run", "dataset", "split")
"""Our columns that key files or score files may have, or both."""


@dataclass(frozen=True, eq=False)
class Join:
    """All key files, and the score files of one model (or of several: None); under the table's names."""

    spec: TrialSpec
    model: str | None
    key_files: tuple[Opened, ...]
    score_files: tuple[Opened, ...]
    keys: pl.LazyFrame
    scores: pl.LazyFrame

    @property
    def name(self) -> str:
        """What messages call its rows."""
        return f"{self.of_keys} joined with {self.of_scores}"

    @property
    def of_keys(self) -> str:
        """The key files in a message."""
        return listed((one.name for one in self.key_files), 2)

    @property
    def of_scores(self) -> str:
        """The score files in a message."""
        return listed((one.name for one in self.score_files), 2)

    @property
    def on(self) -> list[str]:
        """The columns that tell whose a score is: the trial, and what both sides say of it."""
        keys, scores = self.keys.collect_schema(), self.scores.collect_schema()
        both = [name for name in map(self.spec.column, EITHER) if name in keys and name in scores]
        return [self.spec.column("trial"), *both]

    @property
    def repeated(self) -> list[str]:
        """The columns for each of whose values every trial is due: the model, and its runs."""
        run, scores = self.spec.column("run"), self.scores.collect_schema()
        return [self.spec.column("model"), *[run] * (run in scores and run not in self.on)]

    @property
    def places(self) -> list[str]:
        """What only the score files tell of a trial: its dataset, its split."""
        scores, on = self.scores.collect_schema(), self.on
        either = map(self.spec.column, ("dataset", "split"))
        return [name for name in either if name in scores and name not in on]

    def rows(self) -> pl.LazyFrame:
        """Return rows in long form, in the order of the key files."""
        scores = self.scores.drop(self.spec.column("label"), strict=False)
        if self.places:
            return self.keys.join(scores, on=self.on, how="inner", maintain_order="left")
        on = [*self.on, *self.repeated]
        return self._due().join(scores, on=on, how="left", maintain_order="left")

    def _due(self) -> pl.LazyFrame:
        """Every trial once a model and run."""
        if self.model is not None and len(self.repeated) == 1:
            (model,) = self.repeated
            return self.keys.with_columns(pl.lit(self.model, dtype=pl.String).alias(model))
        every = self.scores.select(self.repeated).unique()
        return self.keys.join(every, how="cross", maintain_order="left")


def joins(spec: TrialSpec, keys: list[Opened], scores: list[Opened]) -> list[Join]:
    """Return a join for each model that paths name, and one for all other score files.

    DataError where a file lacks a column that it needs.
    """
    model = spec.column("model")
    by_model: dict[str | None, list[Opened]] = {}
    for one in scores:
        by_model.setdefault(said_by(one.source).get(model), []).append(one)
    faults = [*_key_faults(spec, keys), *_score_faults(spec, scores)]
    faults += [fault for files in by_model.values() for fault in _uneven(spec, files)]
    if faults:
        raise DataError(*faults)
    every = _stacked(keys, [_said_of_trials(spec, one) for one in keys])
    return [
        Join(spec, key, tuple(keys), tuple(files), every, _stacked(files, _score_columns(spec, files)))
        for key, files in by_model.items()
    ]


def _key_faults(spec: TrialSpec, keys: list[Opened]) -> Iterator[str]:
    for one in keys:
        have = one.rows.collect_schema()
        if spec.column("trial") not in have:
            yield _missing(spec, one, "trial")
        if spec.column("model") in have:
            yield (
                f"{one.name}: {spec.called('model')} is in a key file, and score files or their paths say the"
                " model; if it is another thing here, name the model's column otherwise in"
                " trials.columns.model"
            )
    yield from _uneven(spec, keys)


def _score_faults(spec: TrialSpec, scores: list[Opened]) -> Iterator[str]:
    for one in scores:
        have = one.rows.collect_schema()
        for name in ("trial", "score", "model"):
            if spec.column(name) not in have:
                yield _missing(spec, one, name)


def _missing(spec: TrialSpec, one: Opened, name: str) -> str:
    found = one.rows.collect_schema().names()
    hint = " and its path does not say it" if name == "model" else ""
    guess = did_you_mean(spec.column(name), found)
    return f"{one.name}: {spec.called(name)} is missing{hint}{guess} (found: {listed(found)})"


def _uneven(spec: TrialSpec, files: list[Opened]) -> Iterator[str]:
    """Columns we need that stand in some files of a kind and not in others."""
    for name in dict.fromkeys(spec.column(name) for name in (*spec.wanted, "count")):
        have = [one for one in files if name in one.rows.collect_schema()]
        if 0 < len(have) < len(files):
            others = listed((one.name for one in files if one not in have), 2)
            yield f"column {quoted(name)} is in {listed((one.name for one in have), 2)} and not in {others}"


def _said_of_trials(spec: TrialSpec, one: Opened) -> pl.LazyFrame:
    """A key file as text, without a score: that is the score files' to say."""
    rows = one.rows.drop(spec.column("score"), strict=False)
    return rows.with_columns(_as_text(rows))


def _score_columns(spec: TrialSpec, files: list[Opened]) -> list[pl.LazyFrame]:
    """What has a use in score files: scores as numbers, or all as text where one file has text."""
    score = spec.column("score")
    wanted = [
        spec.column(name) for name in ("trial", "model", "label", *EITHER) if spec.column(name) != score
    ]
    found = []
    for one in files:
        have = one.rows.collect_schema()
        rows = one.rows.select(score, *(name for name in wanted if name in have and name != score))
        number = [pl.col(score).cast(pl.Float64)] if have[score].is_numeric() else []
        found.append(rows.with_columns(*_as_text(rows, score), *number))
    if len({rows.collect_schema()[score] for rows in found}) > 1:
        return [rows.with_columns(_as_text(rows)) for rows in found]
    return found


def _as_text(rows: pl.LazyFrame, but: str | None = None) -> list[pl.Expr]:
    kinds = rows.collect_schema().items()
    return [pl.col(name).cast(pl.String) for name, kind in kinds if name != but and is_plain(kind)]


def _stacked(files: list[Opened], rows: list[pl.LazyFrame]) -> pl.LazyFrame:
    """One frame of all files, with the columns that each of them has."""
    shared = [name for name in rows[0].collect_schema() if all(name in one.collect_schema() for one in rows)]
    stacked = pl.concat([one.select(shared) for one in rows], how="vertical")
    try:
        stacked.collect_schema()
    except PolarsError:
        raise DataError(
            f"{listed(one.name for one in files)}: columns hold different kinds of values"
        ) from None
    return stacked
