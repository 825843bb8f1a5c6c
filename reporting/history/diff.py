"""Two runs held against each other, for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from reporting.history.changes import changes
from reporting.history.differences import differences
from reporting.history.joined import Remembered
from reporting.history.marks import fitted, plain, table, wrapped
from reporting.history.past import remembered
from reporting.history.printed import printed
from reporting.history.store import Run, Store
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.numbers import count

WIDTH = 80


def diff(
    store: Store,
    earlier: str,
    later: str,
    measures: Sequence[str] = (),
    width: int = WIDTH,
    *,
    unicode: bool = True,
) -> str:
    """Return what differs between two runs, the second less the first, for models in both.

    Beside the primary measure of the second run those of ``measures``. Runs are named as ``Store.find`` takes
    them.
    """
    first, second = store.find(earlier), store.find(later)
    then, now = remembered(first), remembered(second)
    asked = list(dict.fromkeys([second.facts.measure, *(str(read_measure(text)) for text in measures)]))
    rows = differences(now, then, asked)
    lines = [_head(first, second, width)]
    for measure in asked:
        lines += _of_measure(measure, rows.filter(measure=measure), now, width)
    lines += _changed(changes(now, then), width)
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _head(first: Run, second: Run, width: int) -> str:
    said = f"{second.short} of {second.facts.as_of} less {first.short} of {first.facts.as_of}"
    return fitted(said, width)


def _of_measure(measure: str, rows: pl.DataFrame, now: Remembered, width: int) -> list[str]:
    """One line a model, dataset by dataset, and how it was made."""
    lines: list[str] = []
    names = dict(now.facts.models)
    for (dataset,), part in rows.partition_by("dataset", as_dict=True).items():
        found = part.to_dicts()
        limits = [(row["ci_low"], row["ci_high"]) for row in found]
        how = printed(measure, limits)
        title = f"{how.label} (points)" if how.percent else how.label
        place = "" if dataset == "all" else f" on {dataset}"
        head = ["model", "then", "now", "difference", f"{100 * now.facts.level:g} % interval", "p", "adj. p"]
        body = [
            [
                names.get(row["model"], row["model"]),
                how.value(row["value_then"]),
                how.value(row["value"]),
                how.value(row["difference"]),
                how.interval(row["ci_low"], row["ci_high"]),
                numbers.p_value(row["p_value"]),
                numbers.p_value(row["p_adjusted"]),
            ]
            for row in found
        ]
        widths = [max(8, width - 64), 8, 8, 10, 18, 6, 6]
        lines += ["", fitted(f"{title}{place}", width), *table([head, *body], widths, right=(1, 2, 3, 5, 6))]
        lines += [line for text in _made(found, names) for line in wrapped(text, width)]
    if not lines:
        lines = ["", fitted(f"{measure}: no model of both runs has it", width)]
    return lines


PAIRED = {
    "exact_midp": "exact mid-p, studentized interval",
    "studentized": "studentized bootstrap",
    "t": "clusters resampled, Student's t",
}
UNPAIRED = {
    "newcombe": "Newcombe's interval",
    "square_and_add": "by square and add of the two intervals",
}


def _made(rows: Sequence[Mapping[str, object]], names: Mapping[str, str]) -> list[str]:
    """Say once for all rows that were made alike how they were, and which say two things."""
    return list(dict.fromkeys([*(how_made(row) for row in rows), *disagreeing(rows, names)]))


def disagreeing(rows: Sequence[Mapping[str, object]], names: Mapping[str, str]) -> list[str]:
    """Name the models whose interval and p disagree about 0."""
    found = [row for row in rows if "ci_p_disagree" in (row["flags"] or ())]  # type: ignore[operator]
    said = ", ".join(names.get(str(row["model"]), str(row["model"])) for row in found)
    return (
        [f"Interval and p disagree about 0, as few trials are decided differently: {said}."] if found else []
    )


def how_made(row: Mapping[str, object]) -> str:
    """Say whether a difference is paired, on which trials, and how its interval was made."""
    shared, now, then = (row[name] for name in ("n_shared", "n_trials", "n_trials_then"))
    if row["pairing"] == "paired":
        method = PAIRED.get(str(row["p_method"]), "no test")
        whole = f" of {_n(now)} now and {_n(then)} then" if not shared == now == then else ""
        return f"Paired on {_n(shared)} shared trials{whole}: {method}."
    method = UNPAIRED.get(str(row["ci_method"]), "no interval")
    beside = f" ({_n(shared)} of {_n(now)} trials are shared)" if shared is not None else ""
    return f"Unpaired, as if no trial were shared{beside}: {method}."


def _n(value: object) -> str:
    return count(value) if isinstance(value, int) else "—"


def _changed(found: pl.DataFrame, width: int) -> list[str]:
    """List inputs, config keys, models and trials that differ."""
    said = [text for row in found.to_dicts() if (text := told(row))]
    if not said:
        return ["", "Nothing else differs."]
    lines = [line for text in said for line in wrapped(text, width, indent="  ")]
    return ["", "What else differs", *lines]


def told(row: dict[str, object]) -> str:
    """Say one row of ``changes`` in a few words; nothing for what is no difference."""
    name, then, now = str(row["name"]), row["then"], row["now"]
    place = "" if name == "all" else f" of {name}"
    match row["kind"]:
        case "input":
            return f"input {name}: {_digest(then)} then, {_digest(now)} now"
        case "config":
            return f"config {name}: {_value(then)} then, {_value(now)} now"
        case "model":
            return f"model {name}: {'new' if then is None else 'gone'}"
        case "trials.shared":
            return f"trials{place}: {_n(row['count'])} shared"
        case "trials.new" | "trials.gone":
            return f"trials{place}: {_n(row['count'])} {str(row['kind']).partition('.')[2]}"
        case "trials.relabelled":
            return (
                f"trials{place}: {_n(row['count'])} shared ones have another label, and are left out of pairs"
            )
    return ""


def _digest(text: object) -> str:
    return "absent" if text is None else str(text)[:8]


def _value(text: object) -> str:
    return "not said" if text is None else str(text)
