"""One sentence for a gate: what is shown, by which numbers, or what is still needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reporting.frames import TRIALS
from reporting.gates.gate import REFERENCE
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.wording.phrases import level_text, measure_label, reason, units
from reporting.wording.printing import NARROW_SPACE, Printing
from reporting.wording.view import View

Row = dict[str, Any]


def sentence(view: View, row: Row) -> str:
    """Say the verdict of a gate and what it rests on."""
    if row["outcome"] == "undecided":
        as_what = "a failure" if row["counts_as"] == "fail" else "passed"
        said = f"undecided, which counts as {as_what}: {_open_question(view, row)}"
        numbers_told = _numbers(view, row)
        return f"{said}; {_why(view, row)}{numbers_told and f' ({numbers_told})'}.{_needed(view, row)}"
    return f"{row['outcome']}: {_shown(view, row)} ({_numbers(view, row)})."


def why_undefined(view: View, row: Row) -> str:
    """Say why a number of a gate is not there; empty where all are."""
    return reason(row["status"], view.terms, of_spread=True) if row["status"] else ""


def printed_of(view: View, row: Row) -> Printing:
    """Return how a gate's numbers are printed: a limit that is not the bound does not look like it."""
    printed = view.printing(read_measure(row["measure"]))
    for _ in range(6):
        if not any(_looks_equal(printed, limit, row["bound"]) for limit in (row["ci_low"], row["ci_high"])):
            break
        printed = replace(printed, decimals=printed.decimals + 1)
    return printed


def _looks_equal(printed: Printing, limit: float | None, bound: float) -> bool:
    if limit is None or limit == bound:
        return False
    return round(printed.scale * limit, printed.decimals) == round(printed.scale * bound, printed.decimals)


def _shown(view: View, row: Row) -> str:
    """What a pass or a fail shows."""
    model, good = view.names[row["model"]], row["outcome"] == "pass"
    label, size, where = measure_label(row["measure"], view.terms), _size(view, row), _where(view, row)
    if row["against"] is None:
        return f"the {label} of {model}{where} is {_beyond(row, good)} {size}"
    other = _other(view, row)
    if row["bound"] == 0:
        return f"{model} is {'better' if good else 'worse'} than {other} in {label}{where}"
    if row["kind"] == "superiority":
        said = "better than {} by more than" if good else "not better than {} by"
    else:
        said = "not worse than {} by" if good else "worse than {} by more than"
    return f"{model} is {said.replace('{}', other)} {size} of {label}{where}"


def _beyond(row: Row, good: bool) -> str:
    return "below" if (row["side"] == "below") == good else "above"


def _open_question(view: View, row: Row) -> str:
    return f"whether {_shown(view, row | {'outcome': 'pass'})} is open"


def _other(view: View, row: Row) -> str:
    if row["against"] != REFERENCE:
        return view.names[row["against"]]
    return f"in run {row['reference']}" if row["reference"] else "in the last accepted run"


def _where(view: View, row: Row) -> str:
    on = f" on {row['dataset']}" if len(_datasets(view)) > 1 else ""
    return f"{on} where {row['group']}" if row["group"] else on


def _datasets(view: View) -> list[Row]:
    return view.results.frame(TRIALS).select("dataset").unique().to_dicts()


def _size(view: View, row: Row) -> str:
    """The margin or the limit with its unit, exactly as it was chosen."""
    printed, limit = view.printing(read_measure(row["measure"])), row["against"] is None
    shown = f"{printed.scale * (row['bound'] if limit else abs(row['bound'])):.10g}".replace(
        "-", numbers.MINUS
    )
    if limit:
        return f"{shown}{NARROW_SPACE}%" if printed.percent else shown
    unit = "point" if printed.difference_unit == "points" and shown == "1" else printed.difference_unit
    return f"{shown} {unit}".rstrip()


def _numbers(view: View, row: Row) -> str:
    """Estimate, limits and p, or the evidence of all looks."""
    printed, said = printed_of(view, row), []
    if row["estimate"] is not None:
        if row["against"] is None:
            said.append(printed.value_with_unit(row["estimate"]))
        else:
            said.append(f"difference {printed.difference_with_unit(row['estimate'])}")
    if row["ci_low"] is not None and row["ci_high"] is not None:
        limits = printed.interval(row["ci_low"], row["ci_high"])
        said.append(f"{level_text(row['level'])} limits {limits}{_adjusted(row)}")
    if row["looks"] is not None:
        return ", ".join([*said, *_evidence(row)])
    if row["p_adjusted"] is not None:
        label = "adjusted " if row["n_gates"] > 1 else ""
        said.append(f"{label}{numbers.equation(row['p_adjusted'])}")
    return ", ".join(said)


def _adjusted(row: Row) -> str:
    if row["looks"] is not None:
        return " of the latest new trials alone"
    return f" adjusted for {row['n_gates']} gates" if row["n_gates"] > 1 else ""


def _evidence(row: Row) -> list[str]:
    looks, trials = numbers.count(row["looks"]), numbers.count(row["trials_used"])
    both = (numbers.significant(row[name], 3) for name in ("e_pass", "e_fail"))
    of = f"{looks} look{'' if row['looks'] == 1 else 's'} at {trials} trials"
    return ["evidence of {}: E = {} for and {} against".format(of, *both)]


def _why(view: View, row: Row) -> str:
    return reason(row["reason"], view.terms, of_spread=True).format(n_gates=row["n_gates"])


def _needed(view: View, row: Row) -> str:
    """How many more trials or clusters would decide."""
    if row["needed"] is None:
        return ""
    plural = units(view.results, row["needed_unit"])
    ratio = ", of both classes at their present ratio," if row["needed_unit"] == "trial" else ""
    return f" About {_about(row['needed'])} more {plural}{ratio} would decide."


def _about(n: int) -> str:
    """Two significant digits: no more is known."""
    digits = len(str(n)) - 2
    return numbers.count(n if digits <= 0 else -(-n // 10**digits) * 10**digits)
