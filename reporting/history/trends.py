"""The values of every model over the runs of a store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl
from polars.exceptions import PolarsError

from reporting.engine.model_runs import MEAN
from reporting.errors import ConfigError, DataError, did_you_mean, listed, quoted
from reporting.history.manifest import Facts
from reporting.history.schemas import HISTORY
from reporting.history.store import Run
from reporting.measures.catalogue import read_measure


@dataclass(frozen=True)
class Asked:
    """Which values are looked at; None: all, and of measures the primary one first. Dates are inclusive."""

    model: str | None = None
    measure: str | None = None
    dataset: str | None = None
    group: str = ""
    since: str | None = None
    until: str | None = None


def values_over(runs: Iterable[Run]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return the values of all runs (``HISTORY``), and a caution for each run that cannot be read."""
    frames, cautions = [HISTORY.build([])], []
    for run in runs:
        try:
            metrics = run.frame("metrics")
            frames += [] if metrics is None else [values_of(run.facts, metrics)]
        except DataError as error:
            cautions.append(error.faults[0])
        except (PolarsError, OSError) as error:
            reason = str(error).partition("\n")[0]
            cautions.append(f"{run.place.where}: run {run.name} is left out: {reason}")
    return pl.concat(frames).sort(HISTORY.sorted_by, maintain_order=True), tuple(cautions)


def values_of(facts: Facts, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the values of one run on test; of several runs of a model the mean alone."""
    kept = metrics.filter(
        pl.col("split") == "test",
        pl.col("criterion").is_null() | (pl.col("criterion") == facts.criterion),
    )
    with_mean = kept.filter(run=MEAN).select("model", "dataset").unique()
    others = kept.join(with_mean, on=["model", "dataset"], how="anti")
    rows = pl.concat([kept.filter(run=MEAN), others])
    named = rows.with_columns(as_of=pl.lit(facts.as_of), history_run=pl.lit(facts.id))
    return named.select(HISTORY.schema.names()).cast(HISTORY.schema)


def chosen(values: pl.DataFrame, asked: Asked) -> pl.DataFrame:
    """Return the values that are asked for; DataError for a name that occurs nowhere."""
    measure = None if asked.measure is None else _measure(asked.measure, values)
    wanted = {"model": asked.model, "measure": measure, "dataset": asked.dataset, "group": asked.group}
    found = values
    for column, word in wanted.items():
        if word is None:
            continue
        known = values[column].unique().sort().to_list()
        if word not in known and (word or known):
            shown = [name for name in known if name]
            raise DataError(
                f"--{column}: no run has {quoted(word)}{did_you_mean(word, shown)} (found: {listed(shown)})"
            )
        found = found.filter(pl.col(column) == word)
    return found.filter(
        *([pl.col("as_of") >= asked.since] if asked.since else []),
        *([pl.col("as_of") <= asked.until] if asked.until else []),
    )


def _measure(text: str, values: pl.DataFrame) -> str:
    """The canonical form of a measure's name, or the name itself where it stands in the values."""
    if text in set(values["measure"]):
        return text
    try:
        return str(read_measure(text))
    except ConfigError as error:
        raise DataError(f"--measure: {error.faults[0]}") from None


@dataclass(frozen=True, eq=False)
class Trend:
    """One model's values of one measure over the runs, oldest first; ``values`` may hold None."""

    dataset: str
    group: str
    measure: str
    model: str
    repetition: str
    as_of: tuple[str, ...]
    history_run: tuple[str, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    level: float | None


def trends(values: pl.DataFrame, models: Sequence[str], first: str) -> list[Trend]:
    """Return a trend for each place, measure and model: the measure ``first`` first, models in this order."""
    keys = ["dataset", "group", "measure", "model", "run"]
    parts = values.sort("as_of", "history_run", maintain_order=True).partition_by(keys, as_dict=True)
    order = {model: place for place, model in enumerate(models)}

    def place(key: tuple[object, ...]) -> tuple[object, ...]:
        dataset, group, measure, model, run = key
        return dataset, group, measure != first, measure, order.get(str(model), len(order)), model, run

    return [_trend(key, parts[key]) for key in sorted(parts, key=place)]


def _trend(key: tuple[object, ...], rows: pl.DataFrame) -> Trend:
    dataset, group, measure, model, run = map(str, key)
    levels = rows["level"].drop_nulls()
    return Trend(
        dataset=dataset,
        group=group,
        measure=measure,
        model=model,
        repetition=run,
        as_of=tuple(rows["as_of"]),
        history_run=tuple(rows["history_run"]),
        values=tuple(rows["value"]),
        low=tuple(rows["ci_low"]),
        high=tuple(rows["ci_high"]),
        level=levels[-1] if len(levels) else None,
    )


def together(found: Iterable[Trend], *names: str) -> list[list[Trend]]:
    """Return trends that agree in these attributes, each in their order."""
    parts: dict[tuple[str, ...], list[Trend]] = {}
    for one in found:
        parts.setdefault(tuple(getattr(one, name) for name in names), []).append(one)
    return list(parts.values())


def models_of(runs: Sequence[Run]) -> dict[str, str]:
    """Return the printed name of every model by key: the latest run's first, in its order."""
    names: dict[str, str] = {}
    for run in reversed(runs):
        names |= {key: name for key, name in run.facts.models if key not in names}
    return names
