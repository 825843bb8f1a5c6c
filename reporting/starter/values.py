"""What labels and splits are called, and where thresholds come from without dev."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from reporting.config.study_keys import Thresholds
from reporting.errors import listed, quoted
from reporting.starter.columns import Column
from reporting.starter.lines import Line
from reporting.starter.names import DEV, PAIRS, TEST, TRAIN, plain
from reporting.trials.spec import FALSE_WORDS, TRUE_WORDS

TARGET, NONTARGET = ("trials", "values", "target"), ("trials", "values", "nontarget")
POLICY = ("thresholds", "policy")
FOLDS: int = Thresholds.model_fields["folds"].default


def label_lines(label: Column, score: Column | None = None) -> list[Line]:
    """Say which labels mean target and non-target; open where nothing but the scores tells.

    Nothing where the engine knows the words itself.
    """
    found = label.values
    if set(found) <= {*TRUE_WORDS, *FALSE_WORDS}:
        return []
    known = _known(found)
    if known:
        return [Line(TARGET, known[0], "by its name"), Line(NONTARGET, known[1])]
    target, why = _guess(label, score)
    others = [one for one in found if one != target]
    lines = [Line(TARGET, target, f"which of {label.told} is the target? {why}", is_open=True)]
    if len(others) > 1:
        return [*lines, Line(NONTARGET, "rest", "all other values")]
    return [*lines, *(Line(NONTARGET, one) for one in others)]


def _known(found: Collection[str]) -> tuple[str, str] | None:
    """Return the labels of targets and non-targets where both words go together."""
    by_word = {plain(one): one for one in found}
    pair = next((pair for pair in PAIRS if by_word.keys() == set(pair)), None)
    return (by_word[pair[0]], by_word[pair[1]]) if pair and len(found) == 2 else None


def _guess(label: Column, score: Column | None) -> tuple[str, str]:
    """Guess the target: by a word, else by higher scores, which may be wrong."""
    likely = [one for one in label.values if plain(one) in {pair[0] for pair in PAIRS}]
    unlikely = {one for one in label.values if plain(one) in {pair[1] for pair in PAIRS}}
    if len(likely) == 1:
        return likely[0], "a guess by its name"
    means = means_by_label(label, score) if score else {}
    left = {one: mean for one, mean in means.items() if one not in unlikely} or means
    if left:
        return max(left, key=lambda one: left[one]), "a guess: its scores are the highest on average"
    return label.values[-1], "a guess"


def means_by_label(label: Column, score: Column) -> dict[str, float]:
    """Return the mean score of every label that has finite scores."""
    rows = pl.DataFrame({"label": label.text, "score": score.numbers})
    rows = rows.filter(pl.col("score").is_finite() & (pl.col("label") != ""))
    return dict(rows.group_by("label").agg(pl.col("score").mean()).sort("label").iter_rows())


def split_lines(
    found: Collection[str], unit: str | None, *, can_part: bool, n_units: int = FOLDS
) -> Iterator[Line]:
    """Say which splits are dev and test, and where thresholds come from where there is no dev.

    ``unit`` is what a policy could part, such as trials, and ``n_units`` how many there are; None: rows have
    no names. ``can_part``: whether the table has one cluster a trial, or none.
    """
    dev, test, train = (_of(found, words) for words in (DEV, TEST, TRAIN))
    others = sorted(set(found) - {*dev, *test, *train})
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
    if test or others or (found and not dev):
        yield from _named("test", (test or others)[0], "by its name" if test else "a guess", bool(not test))
    left = [*dev[1:], *test[1:], *(train if train[:1] != dev else ()), *others[0 if test else 1 :]]
    if left:
        what = f"rows of {listed(map(quoted, left))} have no use and are refused; take them out"
        yield Line(("trials", "values", "test"), (test or others)[0], what, is_open=True, is_offered=True)
    if not dev:
        yield _policy(unit, can_part)
        if n_units < FOLDS:
            why = f"there are {n_units} {unit}"
            yield Line(("thresholds", "folds"), max(n_units, 2), why, is_open=n_units < 2)


def _of(found: Collection[str], known: tuple[str, ...]) -> list[str]:
    return sorted((one for one in found if one.lower() in known), key=lambda one: known.index(one.lower()))


def _named(ours: str, theirs: str, why: str, is_open: bool = False) -> Iterator[Line]:
    if theirs != ours:
        yield Line(("trials", "values", ours), theirs, why, is_open)


def _policy(unit: str | None, can_part: bool) -> Line:
    if unit is None:
        why = "no dev rows, and kfold needs a trial key or a cluster: add a column that names the rows"
        return Line(POLICY, "kfold", why, is_open=True)
    if not can_part:
        why = "no dev rows, and two clusters a trial cannot be parted: name one, or add dev rows"
        return Line(POLICY, "kfold", why, is_open=True)
    why = f"no dev rows: each fold of {unit} is judged by the others; or split_clients, cv_test"
    return Line(POLICY, "kfold", why + (", leave_one_client_out" if unit != "trials" else ""))
