"""What must hold between key files and score files, checked in a pass over both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import DataError, listed, quoted
from reporting.trials.layouts.joined import Join
from reporting.trials.layouts.raw import collected

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
        except (PolarsError, OSError) as error:
            raise _unreadable(join, error) from None
    return faults


def _twice(join: Join) -> Iterator[str]:
    """Trials that stand more than once where a score could not tell which is meant."""
    trial = join.on[0]
    counted = join.keys.filter(pl.col(trial).is_not_null()).group_by(join.on).agg(pl.len().alias(" n"))
    again = _first(counted.filter(pl.col(" n") > 1), trial)
    if again:
        apart = f" (told apart by {listed(map(quoted, join.on))})" if len(join.on) > 1 else ""
        keys = join.keys.collect_schema()
        idle = [name for name in map(join.spec.column, ("dataset", "split")) if name in keys]
        idle = [quoted(name) for name in idle if name not in join.on]
        hint = f"; {join.of_scores} does not say {listed(idle)}, which could tell them apart" if idle else ""
        yield (
            f"{join.of_keys}: {join.spec.called('trial')}: {again} stand more than once in the key"
            f" files{apart}{hint}"
        )


def _nameless(join: Join) -> Iterator[str]:
    """Scores that do not say whose they are."""
    names = [*join.on, *join.repeated, *join.places]
    empty = [(pl.col(name).is_null() | (pl.col(name) == "")).sum() for name in names]
    for name, n in join.scores.select(empty).collect(engine="streaming").row(0, named=True).items():
        if n:
            yield f"{join.of_scores}: column {quoted(name)}: {n} rows empty"


def _keyless(join: Join) -> Iterator[str]:
    """Scores of trials that no key file has."""
    found = _first(join.scores.join(join.keys.select(join.on), on=join.on, how="anti"), join.on[0])
    if found:
        yield f"{join.of_scores}: scores of {found} that {join.of_keys} does not have{_by(join)}"


def _disagreeing(join: Join) -> Iterator[str]:
    """Labels beside scores that are not those of the keys; an empty one says nothing."""
    label = join.spec.column("label")
    if label not in join.scores.collect_schema() or label not in join.keys.collect_schema():
        return
    ours, theirs = (pl.col(name).is_in(join.spec.values.target) for name in (label, " label"))
    said = join.scores.select(*join.on, pl.col(label).alias(" label")).filter(pl.col(" label") != "")
    both = join.keys.filter(pl.col(label) != "").select(*join.on, label).join(said, on=join.on)
    found = _first(both.filter(ours != theirs), join.on[0])
    if found:
        yield f"{join.spec.called('label')}: {found} have another in {join.of_scores} than in {join.of_keys}"


def _scoreless(join: Join) -> Iterator[str]:
    """Trials without a score where only scores tell where trials belong."""
    if not join.places:
        return
    found = _first(join.keys.join(join.scores.select(join.on), on=join.on, how="anti"), join.on[0])
    if found:
        told = listed(map(quoted, join.places))
        yield (
            f"{join.of_keys}: {found} have no score in {join.of_scores}, which alone says their {told};"
            f" put {told} into the key file or its path"
        )


def _by(join: Join) -> str:
    return f" (joined on {listed(map(quoted, join.on))})" if len(join.on) > 1 else ""


def _first(rows: pl.LazyFrame, trial: str) -> str:
    """Count distinct trials and show the first by name: ``2 trials (first 'a', 'b')``; nothing for none."""
    found = rows.select(pl.col(trial).unique()).collect(engine="streaming")[trial].sort()
    if found.is_empty():
        return ""
    return f"{len(found)} trials (first {listed(map(quoted, found.head(SHOWN)))})"


def _unreadable(join: Join, error: Exception) -> DataError:
    """Name the file that breaks a query over all of them."""
    for one in (*join.key_files, *join.score_files):
        collected(one.rows.select(pl.all().count()), one.source)
    return DataError(f"{join.name}: cannot be read: {error}".partition("\n")[0])
