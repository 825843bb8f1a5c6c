"""The layouts with key files: labels in one place, scores in others, joined on the trial.

A key file has a row a trial: its key, its label and any other columns. A score file has a row a trial
and model: the key, the score, and the model, unless its path gives that. Run, dataset and split come from
either side, and are joined on where both have them; the label comes from the score files where the key files
have none.

Trials are joined with their scores lazily. Every trial of the key files is a trial of every model and run;
where it has no score, the score is missing, and ``trials.missing`` decides. Where only the score files give
a trial's dataset or split, a trial without a score would have no place: that is a fault. What must hold
between key files and score files is checked in a pass over both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import polars as pl
from polars.exceptions import PolarsError
from polars.selectors import Selector, by_name

from reporting.base.legible import counted
from reporting.base.records import dataclass
from reporting.errors import DataError, instead, listed, quoted, refuse
from reporting.inputs.files import UNREADABLE, open_file
from reporting.inputs.layouts.raw import LayoutRows, Opened, Raw, collected, is_plain, path_values, size_of
from reporting.inputs.spec import PREDICTED, File, Source, TrialSpec, readable
from reporting.inputs.values import is_number, stated

Open = Callable[[TrialSpec, Source], Opened]
"""Opens a file under the table's own names."""


@dataclass(frozen=True)
class Keyed:
    """A layout with key files: how these and the score files are opened."""

    open_keys: Open
    open_scores: Open

    def rows(self, spec: TrialSpec) -> LayoutRows:
        """Return the rows of each model that a path names, and those of all other score files together.

        Their faults are lines that are broken, or scores and keys that do not fit.
        """
        if not spec.keys:
            raise DataError(f"layout {spec.layout} needs key files, and there are none")
        keys = [self.open_keys(spec, source) for source in readable(spec.keys)]
        paths = {source.path for source in readable(spec.keys) if isinstance(source, File)}
        every = readable(spec.sources)
        # A pattern such as {model}.txt finds the key files too.
        scored = [source for source in every if not (isinstance(source, File) and source.path in paths)]
        scores = [self.open_scores(spec, source) for source in scored or every]
        joined = joins(spec, keys, scores)
        return LayoutRows(
            [Raw(join.name, join.rows(), join.model, size=join.size) for join in joined],
            lambda: [fault for file in (*keys, *scores) for fault in file.faults()] or join_faults(joined),
        )


def table_keys(spec: TrialSpec, source: Source) -> Opened:
    """Open a key file that is a table."""
    return Opened(source, open_file(source, spec.reading))


def table_scores(spec: TrialSpec, source: Source) -> Opened:
    """Open a score file that is a table; its faults are texts that are not numbers."""
    rows = open_file(source, spec.reading)
    of_file = {theirs: ours for ours, theirs in spec.of_scores.items()}
    rows = rows.rename({name: of_file[name] for name in rows.collect_schema() if name in of_file})
    return Opened(source, rows, lambda: _strange_scores(spec, Opened(source, rows)))


def _strange_scores(spec: TrialSpec, file: Opened) -> list[str]:
    column, schema = spec.column("score"), file.rows.collect_schema()
    if schema.get(column) != pl.String:
        return []
    strange = file.rows.with_row_index("row", offset=1).filter(~is_number(by_name(column)))
    rows = collected(strange.select("row", by_name(column)), file.source).sort("row")
    if rows.is_empty():
        return []
    first = listed(f"{quoted(text)} at row {row}" for row, text in rows.head(3).rows())
    return [f"{file.name}: {spec.called('score')}: {counted(len(rows), 'row')} not numbers; first {first}"]


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
        return listed((file.name for file in self.key_files), 2)

    @property
    def of_scores(self) -> str:
        """The score files in a message."""
        return listed((file.name for file in self.score_files), 2)

    @property
    def size(self) -> int:
        """Bytes of the score files."""
        return size_of(*(file.source for file in self.score_files))

    @property
    def on(self) -> list[str]:
        """The columns that identify a score: the trial, and what both sides say of it."""
        keys, scores = self.keys.collect_schema(), self.scores.collect_schema()
        of = self.spec
        both = [of.column(name) for name in EITHER if of.has(name, keys) and of.has(name, scores)]
        return [of.column("trial"), *both]

    @property
    def together(self) -> Selector:
        """The same, for Polars."""
        return by_name(*self.on)

    @property
    def repeated(self) -> list[str]:
        """The columns for each of whose values every trial is due: the model, and its runs."""
        run, scores = self.spec.column("run"), self.scores.collect_schema()
        has_run = self.spec.has("run", scores)
        return [self.spec.column("model"), *[run] * (has_run and run not in self.on)]

    @property
    def places(self) -> list[str]:
        """What only the score files give of a trial: its dataset, its split."""
        scores, on = self.scores.collect_schema(), self.on
        either = [self.spec.column(name) for name in ("dataset", "split") if self.spec.has(name, scores)]
        return [name for name in either if name not in on]

    def rows(self) -> pl.LazyFrame:
        """Return rows in long form, in the order of the key files; labels of scores where keys have none."""
        label = self.spec.column("label")
        given = label in self.keys.collect_schema()
        scores = self.scores.drop(by_name(label, require_all=False)) if given else self.scores
        if self.places:
            return self.keys.join(scores, on=self.together, how="inner", maintain_order="left")
        on = [*self.on, *self.repeated]
        return self._due().join(scores, on=by_name(*on), how="left", maintain_order="left")

    def _due(self) -> pl.LazyFrame:
        if self.model is not None and len(self.repeated) == 1:
            (model,) = self.repeated
            return self.keys.with_columns(pl.lit(self.model, dtype=pl.String).alias(model))
        every = self.scores.select(by_name(*self.repeated)).unique()
        return self.keys.join(every, how="cross", maintain_order="left")


def joins(spec: TrialSpec, keys: list[Opened], scores: list[Opened]) -> list[Join]:
    """Return a join for each model that paths name, and one for all other score files.

    DataError where a file lacks a column that it needs.
    """
    model = spec.column("model")
    by_model: dict[str | None, list[Opened]] = {}
    for file in scores:
        by_model.setdefault(path_values(file.source).get(model), []).append(file)
    faults = [*_key_faults(spec, keys), *_score_faults(spec, scores)]
    faults += [fault for files in by_model.values() for fault in _uneven(spec, files)]
    refuse(faults)
    # Key files as text, without a score: that is the score files' to say.
    unscored = [file.rows.drop(by_name(spec.column("score"), require_all=False)) for file in keys]
    every = _stacked(keys, [rows.with_columns(_as_text(rows)) for rows in unscored])
    return [
        Join(spec, key, tuple(keys), tuple(files), every, _stacked(files, _score_columns(spec, files)))
        for key, files in by_model.items()
    ]


def _key_faults(spec: TrialSpec, keys: list[Opened]) -> Iterator[str]:
    for file in keys:
        have = file.rows.collect_schema()
        if spec.column("trial") not in have:
            yield _missing(spec, file, "trial")
        if spec.column("model") in have:
            yield (
                f"{file.name}: {spec.called('model')} is in a key file, and score files or their paths say"
                " the model; if it is another thing here, name the model's column otherwise in"
                " trials.columns.model"
            )
    yield from _uneven(spec, keys)


def _score_faults(spec: TrialSpec, scores: list[Opened]) -> Iterator[str]:
    for file in scores:
        have = file.rows.collect_schema()
        for name in ("trial", "score", "model", *[PREDICTED] * spec.has_predicted):
            if spec.column(name) not in have:
                yield _missing(spec, file, name)


def _missing(spec: TrialSpec, file: Opened, name: str) -> str:
    names = file.rows.collect_schema().names()
    hint = " and its path does not say it" if name == "model" else ""
    return f"{file.name}: {spec.called(name)} is missing{hint}{instead(spec.column(name), names)}"


def _uneven(spec: TrialSpec, files: list[Opened]) -> Iterator[str]:
    """Columns we need that some files of either kind have and others do not."""
    for name in dict.fromkeys(spec.column(name) for name in (*spec.wanted, "count")):
        have = [file for file in files if name in file.rows.collect_schema()]
        if 0 < len(have) < len(files):
            others = listed((file.name for file in files if file not in have), 2)
            yield f"column {quoted(name)} is in {listed((file.name for file in have), 2)} and not in {others}"


def _score_columns(spec: TrialSpec, files: list[Opened]) -> list[pl.LazyFrame]:
    """What has a use in score files: scores as numbers, or all as text where one file has text."""
    score = spec.column("score")
    wanted = [
        spec.column(name)
        for name in ("trial", "model", "label", *[PREDICTED] * spec.has_predicted, *EITHER)
        if spec.column(name) != score
    ]
    selected = []
    for file in files:
        have = file.rows.collect_schema()
        rows = file.rows.select(by_name(score, *(name for name in wanted if name in have)))
        number = [by_name(score).cast(pl.Float64)] if have[score].is_numeric() else []
        selected.append(rows.with_columns(*_as_text(rows, score), *number))
    if len({rows.collect_schema()[score] for rows in selected}) > 1:
        return [rows.with_columns(_as_text(rows)) for rows in selected]
    return selected


def _as_text(rows: pl.LazyFrame, but: str | None = None) -> list[pl.Expr]:
    kinds = rows.collect_schema().items()
    return [by_name(name).cast(pl.String) for name, kind in kinds if name != but and is_plain(kind)]


def _stacked(files: list[Opened], rows: list[pl.LazyFrame]) -> pl.LazyFrame:
    shared = [
        name for name in rows[0].collect_schema() if all(name in file.collect_schema() for file in rows)
    ]
    stacked = pl.concat([file.select(by_name(*shared)) for file in rows], how="vertical")
    try:
        stacked.collect_schema()
    except PolarsError:
        raise DataError(
            f"{listed(file.name for file in files)}: columns hold different kinds of values"
        ) from None
    return stacked


SHOWN = 3


def join_faults(joins: Iterable[Join]) -> list[str]:
    """Return a message for every rule that is broken: one key a trial, one trial a score, labels agree."""
    faults: list[str] = []
    unique: set[tuple[str, ...]] = set()
    for join in joins:
        try:
            if tuple(join.on) not in unique:
                unique.add(tuple(join.on))
                faults += _twice(join)
            faults += list(_nameless(join)) or [*_keyless(join), *_disagreeing(join), *_scoreless(join)]
        except UNREADABLE as error:
            for file in (*join.key_files, *join.score_files):  # name the one that breaks the query
                collected(file.rows.select(pl.all().count()), file.source)
            raise DataError(f"{join.name}: cannot be read: {error}".partition("\n")[0]) from None
    return faults


def _twice(join: Join) -> Iterator[str]:
    """Trials that occur more than once where a score does not show which is meant."""
    trial = join.on[0]
    times = join.keys.filter(by_name(trial).is_not_null()).group_by(join.together).agg(pl.len().alias(" n"))
    again = _first(times.filter(pl.col(" n") > 1), trial, ("occurs", "occur"))
    if again:
        apart = f" (distinguished by {listed(map(quoted, join.on))})" if len(join.on) > 1 else ""
        keys = join.keys.collect_schema()
        idle = [name for name in map(join.spec.column, ("dataset", "split")) if name in keys]
        idle = [quoted(name) for name in idle if name not in join.on]
        lacking = f"; {join.of_scores} does not hold {listed(idle)}, which could distinguish them"
        hint = lacking if idle else ""
        yield (
            f"{join.of_keys}: {join.spec.called('trial')}: {again} more than once in the key"
            f" files{apart}{hint}"
        )


def _nameless(join: Join) -> Iterator[str]:
    """Scores that do not say whose they are."""
    names = [*join.on, *join.repeated, *join.places]
    empty = [(by_name(name).is_null() | (by_name(name) == "")).sum() for name in names]
    for name, n in join.scores.select(empty).collect(engine="streaming").row(0, named=True).items():
        if n:
            yield f"{join.of_scores}: column {quoted(name)}: {counted(n, 'row')} empty"


def _keyless(join: Join) -> Iterator[str]:
    """Scores of trials that no key file has."""
    trials = _first(
        join.scores.join(join.keys.select(join.together), on=join.together, how="anti"), join.on[0]
    )
    if trials:
        by = f" (joined on {listed(map(quoted, join.on))})" if len(join.on) > 1 else ""
        yield f"{join.of_scores}: scores of {trials} that {join.of_keys} does not have{by}"


def _disagreeing(join: Join) -> Iterator[str]:
    """Labels of scores that are not those of the keys; an empty one is ignored."""
    label = join.spec.column("label")
    if label not in join.scores.collect_schema() or label not in join.keys.collect_schema():
        return
    said, known = stated(by_name(label), join.spec.values.labels).is_not_null(), join.spec.values.target
    labels = join.scores.filter(said).select(join.together, by_name(label).alias(" label"))
    both = join.keys.filter(said).select(join.together, by_name(label)).join(labels, on=join.together)
    ours, theirs = (by_name(name).is_in(known) for name in (label, " label"))
    trials = _first(both.filter(ours != theirs), join.on[0], ("has", "have"))
    if trials:
        yield f"{join.spec.called('label')}: {trials} another in {join.of_scores} than in {join.of_keys}"


def _scoreless(join: Join) -> Iterator[str]:
    """Trials without a score where only scores show where trials belong."""
    if not join.places:
        return
    trials = _first(
        join.keys.join(join.scores.select(join.together), on=join.together, how="anti"),
        join.on[0],
        ("has", "have"),
    )
    if trials:
        places = listed(map(quoted, join.places))
        yield (
            f"{join.of_keys}: {trials} no score in {join.of_scores}, which is the only source of"
            f" their {places};"
            f" put {places} into the key file or its path"
        )


def _first(rows: pl.LazyFrame, trial: str, verbs: tuple[str, str] | None = None) -> str:
    """Count distinct trials and show the first by name: ``2 trials (first 'a', 'b')``; nothing for none.

    ``verbs``: what follows of one trial, and of several.
    """
    names = rows.select(by_name(trial).unique()).collect(engine="streaming")[trial].sort()
    if names.is_empty():
        return ""
    shown = f"{counted(len(names), 'trial')} (first {listed(map(quoted, names.head(SHOWN)))})"
    return shown if verbs is None else f"{shown} {verbs[len(names) > 1]}"
