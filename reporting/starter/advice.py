"""Lines of a table of trials: what differs from the defaults, and what else could be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from reporting.errors import listed, quoted
from reporting.starter.lines import Line
from reporting.starter.names import rank, words
from reporting.starter.roles import belongs_to_trials, breakdowns, second_cluster, unclaimed
from reporting.starter.table import Table, scores_by_model
from reporting.starter.values import FOLDS, split_lines

MOST_IN_PAIRS = 10
"""Models beyond which a baseline must be named."""
READERS = ("reader", "rater", "observer")
SCALES = {"llr": "llr", "logit": "logit"}


def table_lines(table: Table, layout: str, model: str) -> list[Line]:
    """Say what a table needs said; ``model`` names the one that a table of layout wide may have."""
    clusters, has_pairs = _clusters(table)
    lines: list[Line] = []
    models: dict[str, str] = {}
    if layout == "wide":
        models = {one.name: one.name for one in table.scores}
        if len(models) == 1:
            models = {model: table.scores[0].name}
        lines += _wide(table, models)
    lines += [*_columns(table, layout), *table.notes, *clusters, *table.label_lines]
    unit = "clusters" if clusters and not clusters[0].is_offered else "trials"
    has_units = "trial" in table.roles
    n_units = len(table.roles["cluster" if unit == "clusters" else "trial"].values) if has_units else FOLDS
    lines += split_lines(table.splits, unit if has_units else None, can_part=not has_pairs, n_units=n_units)
    lines += [*_runs(table), *_missing(table)]
    lines += model_lines(list(models) or (table.roles["model"].values if "model" in table.roles else []))
    lines += _scales(table, models)
    return [*lines, *_breakdowns(table)]


def _wide(table: Table, models: Mapping[str, str]) -> Iterator[Line]:
    yield Line(("trials", "layout"), "wide", "one row a trial, a column of scores a model")
    free = unclaimed(table.columns, table.roles)
    others = [quoted(one.name) for one in free if one.is_numeric and one.name not in models.values()]
    left = f"; not {listed(others, 3)}, which hold numbers too" if others else ""
    by_name = all(rank(column, "score") is not None for column in models.values())
    if len(models) == 1:
        why = f"the model's name is a guess{left}" if by_name else f"is this the score?{left}"
        yield Line(("trials", "scores"), dict(models), why, is_open=not by_name)
    else:
        many = not by_name and len(models) > MOST_IN_PAIRS
        why = "are these scores of models, all of them?" if many else f"{len(models)} models"
        yield Line(("trials", "scores"), list(models), why + left, is_open=many)


def _columns(table: Table, layout: str) -> Iterator[Line]:
    said = (
        {line.trail[-1] for line in table.notes}
        | {"cluster", "stratum"}
        | ({"score"} if layout == "wide" else set())
    )
    for ours, column in table.roles.items():
        if column.name != ours and ours not in said:
            yield Line(("trials", "columns", ours), column.name, column.told)


def _clusters(table: Table) -> tuple[list[Line], bool]:
    """Say the clusters, where trials have keys and one cluster each, or two; tell which."""
    first, trail = table.roles.get("cluster"), ("trials", "columns", "cluster")
    if first is None:
        return [], False
    if "trial" not in table.roles or not belongs_to_trials(first, table.roles):
        why = "resampled as one unit; needs a trial key, and one value a trial"
        return [Line(trail, first.name, why, first.name == "cluster", True)], False
    second = second_cluster(table.columns, table.roles)
    if second is not None and belongs_to_trials(second, table.roles):
        why = f"pair trials; {first.told}; both columns name members of one population"
        return [Line(trail, [first.name, second.name], why)], True
    why = f"resampled as one unit; {first.told}"
    return [Line(trail, first.name, why)], False


def _runs(table: Table) -> Iterator[Line]:
    """Say what runs are, where their name is that of readers or folds."""
    for kind, known in (("reader", READERS), ("fold", ("fold",))):
        if "run" in table.roles and set(words(table.roles["run"].name)) & set(known):
            yield Line(("trials", "runs"), kind, f"column {quoted(table.roles['run'].name)}")


def _missing(table: Table) -> Iterator[Line]:
    scores = sum(one.n_missing for one in table.scores)
    if scores:
        why = f"{scores} scores are missing: drop the trial for all models, or reject (failure to acquire)?"
        yield Line(("trials", "missing"), "drop", why, is_open=True)
    labels = table.roles["label"].n_missing if table.has_label else 0
    if labels:
        why = f"{labels} rows have no label: shall they be left out?"
        yield Line(("trials", "unlabelled"), "drop", why, is_open=True)


def model_lines(models: Sequence[str]) -> Iterator[Line]:
    """Say the baseline that many models need, or offer one."""
    if len(models) > MOST_IN_PAIRS:
        why = f"{len(models)} models make too many pairs: which is the one to beat? the first is a guess"
        yield Line(("baseline",), models[0], why, is_open=True)
    elif len(models) > 1:
        why = f"compare the others with it; left out: all pairs of {listed(map(quoted, models), 5)}"
        yield Line(("baseline",), models[0], why, is_offered=True)


def _scales(table: Table, models: Mapping[str, str]) -> Iterator[Line]:
    """Offer what scores may be: none of it can be known from numbers."""
    if not table.has_label:
        return
    for model, rows in list(scores_by_model(table, models).items())[:MOST_IN_PAIRS]:
        column = models.get(model) or table.scores[0].name
        scale = next((SCALES[word] for word in words(column) if word in SCALES), None)
        if scale is None and rows.height and rows["score"].is_between(0, 1).all():
            scale = "probability"
        if scale:
            why = "score is the default; say a scale only where it is one"
            yield Line(("models", model, "scale"), scale, why, is_offered=True)
        if _is_turned(rows):
            why = "targets have lower scores: do higher ones speak for non-targets?"
            yield Line(("models", model, "higher_is"), "nontarget", why, is_open=True, is_offered=True)


def _is_turned(rows: pl.DataFrame) -> bool:
    """Tell whether targets have clearly lower scores: by a quarter of the standard deviation."""
    target, others = rows.filter("target")["score"], rows.filter(~pl.col("target"))["score"]
    if not (len(target) and len(others)):
        return False
    low = target.to_numpy().mean() - others.to_numpy().mean()
    return bool(low < -rows["score"].to_numpy().std() / 4)


def _breakdowns(table: Table) -> Iterator[Line]:
    if "trial" not in table.roles:
        return
    if "stratum" in table.roles:
        weights = dict.fromkeys(table.roles["stratum"].values, 1)
        why = f"what trials of each stratum weigh; column {quoted(table.roles['stratum'].name)}"
        yield Line(("trials", "weights", "stratum"), weights, why, is_offered=True)
    likely = [one for one in breakdowns(table.columns, table.roles) if one not in table.scores]
    if likely:
        yield by_line([one.name for one in likely])


def by_line(columns: Sequence[str]) -> Line:
    """Offer breakdowns by columns."""
    return Line(("by",), list(columns), "breakdowns by columns; a list in it is a crossing", is_offered=True)
