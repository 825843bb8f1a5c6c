"""A plan on the terminal: the sentence for a protocol, a table of sizes with bars, and how it was planned."""

from __future__ import annotations

from collections.abc import Iterable

from reporting.document import numbers
from reporting.document.lines import plain, table, wrapped
from reporting.features.planning.sample_plan import PlanRow, SamplePlan, power_text, value_text

WIDTH = 100
BAR, DASH, LONGEST = "█", "#", 20
HERE = ("→", ">")


def size_columns(plan: SamplePlan) -> dict[str, str]:
    """Return the titles of the numbers that the sizes of a plan have, by field of ``SampleSize``."""
    titles = {
        "n_readers": "readers",
        "n_clusters": plan.unit,
        "n_target": "targets",
        "n_nontarget": "non-targets",
        "n_trials": "cases" if plan.n_readers is not None else "trials",
    }
    return {name: title for name, title in titles.items() if getattr(plan.size, name) is not None}


def reached_title(plan: SamplePlan) -> str:
    """Return the title of what a size gives."""
    return {"power": "power", "width": "expected width", "bound": "upper limit"}[plan.goal]


def reached_text(plan: SamplePlan, value: float | None) -> str:
    """Print what a size gives."""
    if value is None:
        return "—"
    if plan.goal == "power":
        return power_text(value)
    return value_text(value, plan.percent, "points" if plan.goal == "width" else "%")


def pilot_table(plan: SamplePlan) -> list[list[str]]:
    """Return what the pilot shows, a head and a row each model or pair; nothing without a pilot."""
    if plan.pilot is None:
        return []
    if "values" in plan.pilot:
        rows = [
            [
                each["model"],
                _number(each["value"]),
                f"{_number(each['ci_low'])} to {_number(each['ci_high'])}",
            ]
            for each in plan.pilot["values"]
        ]
        return [["pilot", "value", "CI"], *rows]
    head = ["pilot", "difference", "standard error", "design effect", "correlation"]
    rows = [
        [
            f"{each['model']} against {each['baseline']}",
            *(_number(each[name]) for name in ("difference", "se", "design_effect", "correlation")),
        ]
        for each in plan.pilot["differences"]
    ]
    return [head, *rows]


def _number(value: float | None) -> str:
    return numbers.significant(value, 3)


def plan_text(plan: SamplePlan, width: int = WIDTH, *, unicode: bool = True) -> str:
    """Return a plan in lines of at most ``width`` places."""
    columns = size_columns(plan)
    head = ["", *columns.values(), reached_title(plan), ""]
    body = [_cells(plan, columns, row, unicode) for row in plan.rows]
    widths = [1, *(max(14, width // 5) for _ in columns), 24, LONGEST]
    lines = [
        *wrapped(plan.sentence, width),
        "",
        *table([head, *body], widths, right=range(1, len(columns) + 2)),
        "",
        *wrapped(plan.method, width),
        *(line for text in plan.assumptions for line in wrapped(text, width)),
    ]
    if shown := pilot_table(plan):
        widths = [max(16, width - 16 * (len(shown[0]) - 1)), *[16] * (len(shown[0]) - 1)]
        lines += ["", *table(shown, widths, right=range(1, len(shown[0])))]
    text = "\n".join(lines)
    return text if unicode else plain(text)


def _cells(plan: SamplePlan, columns: Iterable[str], row: PlanRow, unicode: bool) -> list[str]:
    many = ["—" if row.size is None else numbers.count(getattr(row.size, name) or 0) for name in columns]
    mark = HERE[0 if unicode else 1] if row.size == plan.planned.size else ""
    most = 1.0 if plan.goal == "power" else max((r.reached or 0.0 for r in plan.rows), default=1.0)
    share = 0.0 if row.reached is None or not most > 0 else row.reached / most
    bar = (BAR if unicode else DASH) * round(LONGEST * share)
    return [mark, *many, reached_text(plan, row.reached), bar]
