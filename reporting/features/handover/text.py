"""A check of new scores on the terminal: the verdict, a table, and what was compared."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.lines import plain, table, wrapped
from reporting.features.handover.check import SCORES, ComparedRate, DriftCheck

NAMES = {"alert_rate": "alert rate", "far": "FAR", "frr": "FRR", "precision": "precision", SCORES: "scores"}
HEAD = ["", "expected", "observed", "trials", "difference", "CI of the difference", "p, adjusted", ""]


def check_text(check: DriftCheck, width: int, *, unicode: bool = True) -> str:
    """Return a check in lines of at most ``width`` places."""
    differing = [each for each in check.compared if each.drifted]
    lines = wrapped(_verdict(check, differing), width)
    by_place: dict[str, list[ComparedRate]] = {}
    for each in check.compared:
        by_place.setdefault(_place(each, check), []).append(each)
    for place, rows in by_place.items():
        body = [HEAD, *map(_cells, rows)]
        lines += [
            "",
            *wrapped(place, width),
            *table(body, [22, 10, 10, 14, 10, 22, 12, 8], right=range(1, 7)),
        ]
    lines += ["", *wrapped(_method(check), width)]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _verdict(check: DriftCheck, differing: list[ComparedRate]) -> str:
    if not differing:
        return (
            "Valid: the new scores show no difference from what was expected beyond chance. Differences"
            " within the confidence intervals below are not excluded."
        )
    names = list(dict.fromkeys(NAMES[each.quantity] for each in differing))
    models = list(dict.fromkeys(each.of.model for each in differing))
    return f"Drifted: {', '.join(names)} of {', '.join(models)} differ from what was expected beyond chance."


def _place(row: ComparedRate, check: DriftCheck) -> str:
    several = len({each.of.dataset for each in check.compared}) > 1
    run = f", run {row.of.run}" if len({each.of.run for each in check.compared}) > 1 else ""
    return f"{row.of.model}{run} at {row.of.criterion}" + (f", {row.of.dataset}" if several else "")


def _cells(row: ComparedRate) -> list[str]:
    interval = "—"
    if row.difference_low is not None and row.difference_high is not None:
        interval = f"{_signed(row.difference_low)} to {_signed(row.difference_high)}"
    return [
        NAMES[row.quantity] + (", largest gap" if row.quantity == SCORES else ""),
        _share(row.expected),
        _share(row.observed),
        numbers.count(row.trials),
        "—" if row.difference is None else _signed(row.difference),
        interval,
        "—" if row.p_adjusted is None else numbers.p_value(row.p_adjusted),
        "drifted" if row.drifted else "",
    ]


def _share(value: float | None) -> str:
    return "—" if value is None else f"{numbers.fixed(100 * value, 2)}%"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + numbers.fixed(100 * value, 2)


def _method(check: DriftCheck) -> str:
    percent = f"{100 * check.level:.10g}%"
    unit = "clusters are independent" if check.unit == "cluster" else "trials are independent"
    without = "" if check.labelled else " The new scores have no labels: error rates are not compared."
    return (
        f"Differences in percentage points, with {percent} CIs of each alone by square-and-add; p of rates by"
        f" Fisher's exact test, of scores by Kolmogorov and Smirnov's, Holm-adjusted over all; {unit}."
        f"{without}"
    )
