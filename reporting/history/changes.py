"""What differs between two runs beside their numbers: inputs, config, models, trials."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from reporting.history.joined import Joined, Remembered, joined
from reporting.history.schemas import CHANGES

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
