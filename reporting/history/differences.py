"""A model now less the same model then: paired on the trials that both runs tested, else as independent."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from reporting.frames.history import CHANGES, SINCE_LAST
from reporting.history.outcomes import Joined, Remembered, joined
from reporting.history.printed import known_measure
from reporting.history.trends import values_of
from reporting.measures.measure import Measure
from reporting.significance.bootstrap import pair_discordants, resample_pair
from reporting.significance.draws import blocks
from reporting.significance.paired import (
    Comparison,
    Spread,
    adjust,
    compare_decisions,
    compare_replicates,
    compare_studentized,
    decide_alike,
    discordant_flags,
)
from reporting.significance.units import cluster_units
from reporting.stats.intervals import newcombe
from reporting.stats.paired import Discordant, difference_of, standard_error_of
from reporting.stats.staircase import BoolArray, FloatArray, IntArray
from reporting.trials.spec import Pools

Row = dict[str, Any]
ONLY = np.array([0])
FEW_CLUSTERS = 20
LANES = 256
ZERO = 1e-12


def differences(now: Remembered, then: Remembered, measures: Sequence[str] | None = None) -> pl.DataFrame:
    """Return every model of both runs now less then (``SINCE_LAST``), on test and whole datasets.

    ``measures`` None: the primary one of the run now. p-values are adjusted by Holm over the rows of the
    primary measure; other rows are descriptive.
    """
    asked = [now.facts.measure] if measures is None else list(measures)
    values, before = (_values(each, asked) for each in (now, then))
    shared = _shared(now, then)
    rows = [_row(values[key], before[key], shared.get(key[0]), now, then) for key in values if key in before]
    _adjust([row for row in rows if row["measure"] == now.facts.measure])
    return SINCE_LAST.build(rows)


def _values(run: Remembered, asked: Sequence[str]) -> dict[tuple[str, str, str, str | None], Row]:
    """The values of a run's models by dataset, model, measure and criterion, where models have one."""
    metrics = run.frames.get("metrics")
    if metrics is None:
        return {}
    rows = values_of(run.facts, metrics).filter(pl.col("measure").is_in(asked), group="")
    beside = _errors(metrics, rows)
    found: dict[tuple[str, str, str, str | None], list[Row]] = {}
    for row in beside.to_dicts():
        found.setdefault((row["dataset"], row["model"], row["measure"], row["criterion"]), []).append(row)
    return {key: several[0] for key, several in found.items() if len(several) == 1}


def _errors(metrics: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Put the error counts and the unit of each value beside it."""
    keys = ["model", "run", "dataset", "split", "group", "measure", "criterion"]
    counts = metrics.select(*keys, "misses", "false_alarms", "unit")
    return rows.join(counts, on=keys, how="left", nulls_equal=True).sort(keys)


def _shared(now: Remembered, then: Remembered) -> dict[str, Joined]:
    frames = [run.frames.get("outcomes") for run in (now, then)]
    pools: Pools = "two" if now.facts.pools == "two" else "one"
    if frames[0] is None or frames[1] is None or now.facts.weighted or then.facts.weighted:
        return {}
    return {one.dataset: one for one in joined(frames[0], frames[1], pools)}


def _row(now: Row, then: Row, shared: Joined | None, run: Remembered, earlier: Remembered) -> Row:
    """One model: paired where its decisions on enough shared trials are known, else unpaired."""
    measure = known_measure(now["measure"])
    decided = shared.decided(now["model"]) if shared is not None and shared.pairs else None
    paired = None
    if decided is not None and shared is not None and measure is not None and measure.over == "threshold":
        paired = _paired(measure, decided, shared, now, run)
    made = paired or _unpaired(_counted(measure, now, then, run, earlier), now, then, run.facts.level)
    return {
        "dataset": now["dataset"],
        "model": now["model"],
        "measure": now["measure"],
        "criterion": now["criterion"],
        "as_of": earlier.facts.as_of,
        "history_run": earlier.facts.id,
        "value": now["value"],
        "value_then": then["value"],
        "difference": None if math.isnan(made.difference) else made.difference,
        "ci_low": made.low,
        "ci_high": made.high,
        "level": run.facts.level,
        "ci_method": made.ci_method,
        "p_value": made.p_value,
        "p_method": made.p_method,
        "pairing": "paired" if paired else "unpaired",
        "n_shared": len(shared.rows) if shared else None,
        "n_trials": shared.n_now if shared else None,
        "n_trials_then": shared.n_then if shared else None,
        "unit": ("cluster" if run.facts.clustered else "trial") if paired else now["unit"],
        "status": made.status or now["status"] or then["status"],
        "flags": sorted(made.flags),
    }


def _adjust(rows: list[Row]) -> None:
    """Adjust the p-values of one question by Holm, over all models and datasets."""
    tested = [row for row in rows if row["p_value"] is not None]
    for row, p in zip(tested, adjust([row["p_value"] for row in tested], "holm"), strict=True):
        row |= {"p_adjusted": p, "correction": "holm", "family_size": len(tested)}


def _paired(
    measure: Measure, decided: tuple[BoolArray, BoolArray], shared: Joined, row: Row, run: Remembered
) -> Comparison | None:
    """Compare decisions on the same trials, each run's at its own threshold; None where a class is empty."""
    label = shared.rows["label"].to_numpy()
    if label.all() or not label.any():
        return None
    outcome = _outcomes(label, *decided)
    observed = pair_discordants(outcome, (ONLY, ONLY)).column(0)
    names = ("history", row["dataset"], row["model"])
    if run.facts.clustered and shared.ranks.unit_a is not None:
        return _clustered(measure, _Sample(label, decided, observed), shared, run)
    drawn, redrawn = resample_pair(outcome, (ONLY, ONLY), run.facts.seed, names, run.facts.replicates)
    made = _independent(measure, observed, drawn.column(0), run.facts.level)
    return made.drawn_again(redrawn).within(measure.bounds)


def _independent(measure: Measure, observed: Discordant, drawn: Discordant, level: float) -> Comparison:
    weights = measure.linear()
    if weights is not None:
        made = compare_decisions(observed, drawn, weights, level)
        return made.flagged(*discordant_flags(observed, weights))
    formula = _formula(measure)
    return compare_studentized(
        float(difference_of(formula, observed)),
        float(standard_error_of(formula, observed)),
        difference_of(formula, drawn),
        standard_error_of(formula, drawn),
        level,
        alike=decide_alike(observed),
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    label: BoolArray
    decided: tuple[BoolArray, BoolArray]
    observed: Discordant


def _clustered(measure: Measure, sample: _Sample, shared: Joined, run: Remembered) -> Comparison:
    """Resample whole clusters, the same for all models: the spread of the difference, by Student's t."""
    units = cluster_units([shared.ranks], ("history", shared.dataset))[0]
    cells = _by_atom(sample, units.of_trial, units.n_atoms)
    formula, parts, redrawn = _formula(measure), [], 0
    for block, size in blocks(run.facts.replicates):
        for drawn, again in units.pool.draw(run.facts.seed, block, size, LANES):
            # Floats of whole numbers: exact, and many times as fast.
            counts = units.weights(drawn).astype(np.float64).T @ cells
            table = counts.astype(np.int64).reshape(-1, 2, 2, 2)
            resampled = pair_discordants(table, (ONLY, ONLY)).column(0)
            parts.append(difference_of(formula, resampled))
            redrawn += again
    g = units.n_units
    inflation = math.sqrt(g / (g - 1)) if g > 1 else 1.0
    spread = Spread(run.facts.level, max(1, units.fewest - 1), inflation)
    point = float(difference_of(formula, sample.observed))
    made = compare_replicates(point, np.concatenate(parts), spread, alike=decide_alike(sample.observed))
    few = ("few_clusters",) if units.fewest < FEW_CLUSTERS else ()
    return made.flagged(*few).drawn_again(redrawn > 0).within(measure.bounds)


def _outcomes(label: BoolArray, now: BoolArray, then: BoolArray) -> IntArray:
    """Count trials by label, accepted now and accepted then: shape (2, 2, 2)."""
    counts = np.bincount(_codes(label, now, then), minlength=8)
    return counts.astype(np.int64).reshape(2, 2, 2)


def _by_atom(sample: _Sample, atom: IntArray, n_atoms: int) -> FloatArray:
    code = atom.astype(np.int64) * 8 + _codes(sample.label, *sample.decided)
    return np.bincount(code, minlength=8 * n_atoms).astype(np.float64).reshape(n_atoms, 8)


def _codes(label: BoolArray, now: BoolArray, then: BoolArray) -> IntArray:
    return label.astype(np.int64) * 4 + now * 2 + then


def _formula(measure: Measure) -> Callable[..., FloatArray]:
    return partial(measure.formula, **measure.arguments)


def _counted(measure: Measure | None, now: Row, then: Row, *runs: Remembered) -> tuple[str, str] | None:
    """The columns of errors and trials of a value that is a rate of independent trials; else None."""
    weights = measure.linear() if measure is not None else None
    found = {(1.0, 0.0): ("false_alarms", "n_nontarget"), (0.0, 1.0): ("misses", "n_target")}.get(
        weights or (0.0, 0.0)
    )
    if found is None or any(run.facts.weighted for run in runs):
        return None
    known = all(row["unit"] == "trial" and row[found[0]] is not None and row[found[1]] for row in (now, then))
    return found if known else None


def _unpaired(counted: tuple[str, str] | None, now: Row, then: Row, level: float) -> Comparison:
    """The difference of two values as if no trial were shared, by square and add of their intervals.

    D - sqrt((V1 - l1)^2 + (u2 - V2)^2), D + sqrt((u1 - V1)^2 + (V2 - l2)^2), which is Newcombe's method 10
    where l and u are Wilson's; p is that at which the interval, scaled as a normal one, ends at 0.
    """
    if now["value"] is None or then["value"] is None:
        return Comparison(math.nan)
    point = now["value"] - then["value"]
    if counted is not None:
        errors, n = counted
        low, high = newcombe(now[errors], now[n], then[errors], then[n], level)
    elif any(row[end] is None for row in (now, then) for end in ("ci_low", "ci_high", "level")):
        return Comparison(point)
    else:
        (down_1, up_1), (down_2, up_2) = (_reaches(row, level) for row in (now, then))
        low, high = point - math.hypot(down_1, up_2), point + math.hypot(up_1, down_2)
    reach = point - low if point > 0 else high - point
    if not reach > ZERO:
        return Comparison(point, status="degenerate")
    p = float(2 * ndtr(-abs(point) * _quantile(level) / reach))
    method = "newcombe" if counted is not None else "square_and_add"
    return Comparison(point, low, high, ci_method=method, p_value=p, p_method="normal")


def _reaches(row: Row, level: float) -> tuple[float, float]:
    """How far an interval reaches below and above its value; of another level, scaled as a normal one."""
    scale = 1.0 if row["level"] == level else _quantile(level) / _quantile(row["level"])
    return scale * (row["value"] - row["ci_low"]), scale * (row["ci_high"] - row["value"])


def _quantile(level: float) -> float:
    return float(ndtri((1 + level) / 2))


Change = dict[str, object]
LONGEST = 200


def changes(now: Remembered, then: Remembered) -> pl.DataFrame:
    """Return what differs (``CHANGES``), and the run that stands for then."""
    run = _change("run", then.facts.id, then.facts.as_of, now.facts.as_of)
    return CHANGES.build(
        [run, *_inputs(now, then), *_config(now, then), *_models(now, then), *_trials(now, then)]
    )


def cautions(said: tuple[str, ...]) -> pl.DataFrame:
    """Return what is told of runs that are passed over, as rows of the same frame."""
    return CHANGES.build([_change("caution", text, None, None) for text in said])


def _change(kind: str, name: str, then: str | None, now: str | None, count: int | None = None) -> Change:
    return {"kind": kind, "name": name, "then": then, "now": now, "count": count}


def _inputs(now: Remembered, then: Remembered) -> Iterator[Change]:
    """Inputs by name; those of one name are told apart by their digests."""
    digests = [{(one.name, one.sha256) for one in run.facts.inputs} for run in (now, then)]
    by_name = [dict(sorted(each)) for each in (digests[0] - digests[1], digests[1] - digests[0])]
    for name in sorted(by_name[0].keys() | by_name[1].keys()):
        yield _change("input", name, by_name[1].get(name), by_name[0].get(name))


def _config(now: Remembered, then: Remembered) -> Iterator[Change]:
    values, before = (dict(_flat(run.facts.config)) for run in (now, then))
    for key in sorted(values.keys() | before.keys()):
        if values.get(key) != before.get(key):
            yield _change("config", key, before.get(key), values.get(key))


def _flat(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a config as short JSON, by dotted key; lists are one value."""
    if isinstance(value, Mapping) and (value or not key):
        for name, one in value.items():
            yield from _flat(one, f"{key}.{name}" if key else str(name))
        return
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    yield key, text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _models(now: Remembered, then: Remembered) -> Iterator[Change]:
    names, before = dict(now.facts.models), dict(then.facts.models)
    for key in sorted(names.keys() ^ before.keys()):
        yield _change("model", key, before.get(key), names.get(key))


def _trials(now: Remembered, then: Remembered) -> Iterator[Change]:
    """Count shared, new, gone and relabelled trials; a dataset of one run alone is all new or gone."""
    frames = [run.frames.get("outcomes") for run in (now, then)]
    if frames[0] is None or frames[1] is None:
        return
    found = {one.dataset: one for one in joined(frames[0], frames[1])}
    for one in found.values():
        yield from _of_dataset(one)
    for kind, frame in (("trials.new", frames[0]), ("trials.gone", frames[1])):
        sizes = frame["dataset"].value_counts().rows()
        yield from (_change(kind, name, None, None, n) for name, n in sizes if name not in found)


def _of_dataset(one: Joined) -> Iterator[Change]:
    counts = {
        "shared": one.n_shared,
        "new": one.n_now - one.n_shared,
        "gone": one.n_then - one.n_shared,
        "relabelled": one.n_relabelled,
    }
    for kind, n in counts.items():
        if n or kind == "shared":
            yield _change(f"trials.{kind}", one.dataset, None, None, n)
