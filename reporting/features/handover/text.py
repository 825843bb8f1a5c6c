"""A check of new scores on the terminal: the verdict, a table, and what was compared."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.lines import plain, table, wrapped
from reporting.document.words.terms import VOCABULARIES, Terms
from reporting.features.handover.check import SCORES, ComparedRate, DriftCheck
from reporting.features.handover.frame import MEASURES


def check_text(check: DriftCheck, width: int, *, unicode: bool = True) -> str:
    """Return a check in lines of at most ``width`` places."""
    spoken = VOCABULARIES[check.vocabulary]
    head = [
        "",
        "expected",
        "observed",
        spoken.trials,
        "difference",
        "CI of the difference",
        "p, adjusted",
        "",
    ]
    lines = wrapped(_verdict([each for each in check.compared if each.drifted], spoken), width)
    by_place: dict[str, list[ComparedRate]] = {}
    for each in check.compared:
        by_place.setdefault(_place(each, check), []).append(each)
    for place, rows in by_place.items():
        body = [head, *(_cells(row, spoken) for row in rows)]
        lines += [
            "",
            *wrapped(place, width),
            *table(body, [24, 10, 10, 14, 10, 22, 12, 8], right=range(1, 7)),
        ]
    lines += ["", *wrapped(_method(check, spoken), width)]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _verdict(differing: list[ComparedRate], spoken: Terms) -> str:
    if not differing:
        return (
            "Valid: the new scores show no difference from what was expected beyond chance. Differences"
            " within the confidence intervals below are not excluded."
        )
    names = list(dict.fromkeys(_name(each, spoken) for each in differing))
    models = list(dict.fromkeys(each.of.model for each in differing))
    return f"Drifted: {', '.join(names)} of {', '.join(models)} differ from what was expected beyond chance."


def _name(row: ComparedRate, spoken: Terms) -> str:
    return "scores" if row.quantity == SCORES else spoken.measure(MEASURES[row.quantity])


def _place(row: ComparedRate, check: DriftCheck) -> str:
    several = len({each.of.dataset for each in check.compared}) > 1
    run = f", run {row.of.run}" if len({each.of.run for each in check.compared}) > 1 else ""
    return f"{row.of.model}{run}: {row.of.rule}" + (f", {row.of.dataset}" if several else "")


def _cells(row: ComparedRate, spoken: Terms) -> list[str]:
    interval = "—"
    if row.difference_low is not None and row.difference_high is not None:
        interval = f"{_signed(row.difference_low)} to {_signed(row.difference_high)}"
    return [
        _name(row, spoken) + (", largest gap" if row.quantity == SCORES else ""),
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


def _method(check: DriftCheck, spoken: Terms) -> str:
    percent = f"{100 * check.level:.10g}%"
    unit = "clusters" if check.unit == "cluster" else spoken.trials
    without = "" if check.labelled else " The new scores have no labels: error rates are not compared."
    return (
        f"Differences in percentage points, with {percent} CIs of each alone by square-and-add; p of rates by"
        f" Fisher's exact test, of scores by Kolmogorov and Smirnov's, Holm-adjusted over all; {unit} are"
        f" independent.{without}"
    )
