"""Splits of a sample: development and test, how many folds it has, and if its classes are by design."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import polars as pl

from reporting.app.config.study_keys import ThresholdsKeys
from reporting.app.init.columns import DEV, TEST, TRAIN, SampleColumn, texts_of
from reporting.app.init.lines import Line
from reporting.app.init.look import MOST_ROWS
from reporting.app.init.table import SampleTable, target_rows
from reporting.errors import DataError, listed, quoted
from reporting.inputs.folds import fold_codes
from reporting.inputs.spec import ThresholdPlan, TrialSpec
from reporting.inputs.values import coded

POLICY = ("thresholds", "policy")
PRIMARY = ("primary",)
FOLDS: int = ThresholdsKeys.model_fields["folds"].default


def split_lines(
    splits: Collection[str],
    unit: str | None,
    *,
    can_part: bool,
    folds: int = FOLDS,
    rows: int = 0,
    of_readers: bool = False,
) -> Iterator[Line]:
    """Say which splits the two sets are, and where thresholds come from where there is no dev.

    ``unit`` is what a policy could part, such as trials, and ``folds`` into how many; None: rows have no
    names. ``can_part``: whether the table has one cluster a trial, or none; ``rows`` is how many there are.
    """
    dev, test, train = (
        sorted(
            (split for split in splits if split.lower() in known),
            key=lambda split: known.index(split.lower()),
        )
        for known in (DEV, TEST, TRAIN)
    )
    others = sorted(set(splits) - {*dev, *test, *train})
    if dev and train and not test and not others:
        test, dev = dev[:1], []  # judged on the development set, by what was trained on
    if train and test and not dev:
        yield from _named("dev", train[0], "what the models were trained on, by its name")
        yield Line(POLICY, "train", "there is no dev, but training data")
        dev = train[:1]
    elif not dev and len(others) == 2 and not test:
        yield Line(("trials", "values", "dev"), others[0], "which is dev, which test? a guess", is_open=True)
        yield Line(("trials", "values", "test"), others[1])
        return
    elif dev:
        yield from _named("dev", dev[0], "by its name")
    if test or others or (splits and not dev):
        yield from _named("test", (test or others)[0], "by its name" if test else "a guess", bool(not test))
    left = [*dev[1:], *test[1:], *(train if train[:1] != dev else ()), *others[0 if test else 1 :]]
    if left:
        what = f"rows of {listed(map(quoted, left))} are left out: or are they dev or test?"
        yield Line(("trials", "values", "unused"), left, what, is_open=True)
    if not dev:
        yield Line(PRIMARY, {"measure": "auc"}, "no dev rows: the AUC needs no threshold")
        if of_readers:
            why = "no dev rows: readers are compared by the AUC, which needs no threshold"
            yield Line(POLICY, "none", why)
            return
        yield _policy(unit, can_part, folds, rows)
        if 0 < folds < FOLDS and unit is not None and can_part:
            yield Line(("thresholds", "folds"), folds, f"more would need more {unit}")


def _named(ours: str, theirs: str, why: str, is_open: bool = False) -> Iterator[Line]:
    if theirs != ours:
        yield Line(("trials", "values", ours), theirs, why, is_open)


MANY_ROWS = 10_000
"""Rows from which folds are noticed in the time that a report takes."""


def _policy(unit: str | None, can_part: bool, folds: int, rows: int) -> Line:
    if unit is None or not can_part or not folds:
        why = f"no dev rows, and too few {unit} to choose them across folds"
        if unit is None:
            why = "there are no dev rows, and kfold needs a column that names trials or clusters"
        elif not can_part:
            why = "no dev rows, and trials of two clusters cannot be parted; name one for kfold"
        return Line(POLICY, "none", f"no thresholds: {why}", is_open=True)
    why = f"no dev rows: each fold of {unit} is judged by the others; or split_clients, cv_test"
    why += ", leave_one_client_out" if unit != "trials" else ""
    if rows >= MANY_ROWS:
        why += "; takes two to three times as long as none, which leaves AUC and curves"
    return Line(POLICY, "kfold", why)


FEW_OF_CLASS = 5
"""Trials of a class below which rows without names might all fall into one fold."""


def most_folds(table: SampleTable, unit: SampleColumn | None) -> int:
    """Return into how many folds trials or clusters go so that none holds all of a class; 0: none."""
    target = target_rows(table)
    if unit is None:
        return FOLDS if FEW_OF_CLASS <= target.sum() <= table.n_rows - FEW_OF_CLASS else 0
    label = target.fill_null(value=False).alias("label")
    parts = _parts(table, ("dataset", "model", "run"), unit.text.alias("unit"), label)
    most = min(FOLDS, *(part["unit"].n_unique() for part in parts))
    return next((n for n in range(most, 1, -1) if all(_can_fold(part, n) for part in parts)), 0)


def _can_fold(rows: pl.DataFrame, folds: int) -> bool:
    """Return whether every fold leaves targets and non-targets outside."""
    spec = TrialSpec((), thresholds=ThresholdPlan("kfold", folds=folds))
    unit = coded(rows["unit"])
    try:
        fold_codes(spec, ("all", "test"), rows["label"].to_numpy(), unit, None)
    except DataError:
        return False
    return True


LEAST_OF_CLASS = 20
"""Trials of a class below which equal numbers of both come about by chance."""
ROUND = 50
"""Numbers of trials are round that are a multiple of it."""


def fixed_class_lines(table: SampleTable) -> Iterator[Line]:
    """Offer resamples by class where every model has equal or round numbers of both classes in each split.

    Drawn at random, such numbers vary, and measures that mix the classes (F1, precision, accuracy) then have
    CIs that are too wide.
    """
    if not table.has_label or table.n_rows >= MOST_ROWS or "count" in table.roles:
        return
    target = target_rows(table)
    parts = _parts(table, ("dataset", "split", "model", "run"), target.alias("target"))
    parts = [known for part in parts if len(known := part.drop_nulls("target"))]
    counts = {(int(part["target"].sum()), int((~part["target"]).sum())) for part in parts}
    if min((min(both) for both in counts), default=0) < LEAST_OF_CLASS:
        return
    equal = all(n == m for n, m in counts)
    if equal or all(n % ROUND == m % ROUND == 0 for n, m in counts):
        each = listed((f"{n:,} and {m:,}" for n, m in sorted(counts)), 2)
        why = (
            f"{'as many' if equal else 'round numbers of'} targets {'as' if equal else 'and'} non-targets"
            f" ({each}): if that is by design, resample the classes separately, or CIs of F1, precision and"
            " accuracy are too wide"
        )
        yield Line(("significance", "stratify"), "label", why, is_offered=True)


def _parts(table: SampleTable, names: Sequence[str], *columns: pl.Series) -> list[pl.DataFrame]:
    """Return columns of the rows of each value of the roles ``names``."""
    roles = texts_of(table.roles, *names)
    rows = pl.DataFrame([*roles, *columns])
    return rows.partition_by([column.name for column in roles]) if roles else [rows]
