"""The verdicts on this run: a table, and for each gate one sentence that agrees with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from reporting.base.legible import elided
from reporting.core.measures.catalogue import read_measure
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Caution, Cell, Column, Prose, Section
from reporting.document.frames.gates import GATES, GateRow
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.runs import GateResult
from reporting.document.words.codes import CI_METHODS
from reporting.document.words.phrases import level_text, listing, measure_label, reason, units
from reporting.document.words.printing import Printing, power_text
from reporting.document.words.tables import ByRow, ColumnOf, TableOf, blank_where, table_of
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.gates import FEATURE
from reporting.features.gates.keys import REFERENCE
from reporting.features.gates.verdict import WANTED


def sentence(view: DatasetView, row: GateRow) -> str:
    """Return the verdict of a gate and what it rests on."""
    if row.outcome == "undecided":
        as_what = "failed" if row.counts_as == "fail" else "passed"
        evidence, shown = _numbers(view, row), _shown(view, replace(row, outcome="pass"))
        opening = f"undecided (counts as {as_what}): it is open whether {shown}"
        return f"{opening}; {_why(view, row)}{evidence and f' ({evidence})'}.{_needed(view, row)}"
    return f"{row.outcome}: {_shown(view, row)} ({_numbers(view, row)})."


def why_undefined(view: DatasetView, row: GateRow) -> str:
    """Return why a number of a gate is undefined; empty where all are defined."""
    return reason(row.status, view.terms, of_spread=True) if row.status else ""


def _printed(view: DatasetView, row: GateRow) -> Printing:
    """Return how an estimate is printed: as everywhere on the page, a difference as in the summary."""
    printed, pair = view.printing(read_measure(row.measure)), {row.model, row.against}
    for compared in view.headlines:
        if {compared.model, compared.baseline} == pair and compared.measure == row.measure:
            return printed.off_zero(compared.ci_low, compared.ci_high)
    return printed


def _printed_limits(view: DatasetView, row: GateRow) -> Printing:
    """Return how a gate's limits are printed: one that is not the bound does not look like it."""
    printed = _printed(view, row)
    for _ in range(6):
        if not any(_looks_equal(printed, limit, row.bound) for limit in (row.ci_low, row.ci_high)):
            break
        printed = replace(printed, decimals=printed.decimals + 1)
    return printed


def _looks_equal(printed: Printing, limit: float | None, bound: float | None) -> bool:
    if limit is None or bound is None or limit == bound:
        return False
    first, second = (numbers.fixed(printed.scale * each, printed.decimals) for each in (limit, bound))
    return first == second


def _shown(view: DatasetView, row: GateRow) -> str:
    model, good = view.names[row.model], row.outcome == "pass"
    label, size, where = measure_label(row.measure, view.terms), _size(view, row), _where(view, row)
    if row.against is None:
        way = "below" if (row.side == "below") == good else "above"
        return f"the {label} of {model}{where} is {way} {size}"
    other = _other(view, row)
    if row.bound == 0:
        return f"{model} is {'better' if good else 'worse'} than {other} in {label}{where}"
    if row.kind == "superiority":
        relation = "better than {} by more than" if good else "not better than {} by"
    else:
        relation = "not worse than {} by" if good else "worse than {} by more than"
    return f"{model} is {relation.replace('{}', other)} {size} of {label}{where}"


def _other(view: DatasetView, row: GateRow) -> str:
    if row.against != REFERENCE:
        return view.names[str(row.against)]
    return f"in run {row.reference}" if row.reference else "in the last accepted run"


def _where(view: DatasetView, row: GateRow) -> str:
    on = f" on {row.dataset}" if view.results.frame(TRIALS)["dataset"].n_unique() > 1 else ""
    return f"{on} where {elided(row.group)}" if row.group else on


def _size(view: DatasetView, row: GateRow) -> str:
    """Return the margin or the limit with its unit, exactly as in the config."""
    printed, limit, bound = view.printing(read_measure(row.measure)), row.against is None, row.bound or 0.0
    shown = f"{printed.scale * (bound if limit else abs(bound)):.10g}".replace("-", numbers.MINUS)
    if limit:
        return f"{shown}%" if printed.percent else shown
    unit = "point" if printed.difference_unit == "points" and shown == "1" else printed.difference_unit
    return f"{shown} {unit}".rstrip()


def _numbers(view: DatasetView, row: GateRow) -> str:
    """Return estimate, limits and p, or the evidence of all looks."""
    printed, parts = _printed(view, row), []
    if row.estimate is not None:
        if row.against is None:
            parts.append(printed.value_with_unit(row.estimate))
        else:
            parts.append(f"difference {printed.difference_with_unit(row.estimate)}")
    if row.ci_low is not None and row.ci_high is not None:
        limits = _printed_limits(view, row).interval(row.ci_low, row.ci_high)
        among = f" {_adjusted_for(row)}" if (row.n_gates or 1) > 1 else ""
        over = among if row.looks is None else " over all looks"
        parts.append(f"{level_text(row.level or 0.0)} CI {limits}{over}")
    if row.looks is not None:
        return ", ".join([*parts, *_evidence(view, row)])
    if row.p_adjusted is not None:
        label = "adjusted " if (row.n_gates or 1) > 1 else ""
        parts.append(f"{label}{numbers.equation(row.p_adjusted)}")
    return ", ".join(parts)


def _evidence(view: DatasetView, row: GateRow) -> list[str]:
    looks, n_trials = numbers.count(row.looks or 0), numbers.count(row.trials_used or 0)
    both = (numbers.significant(capital, 3) for capital in (row.e_pass, row.e_fail))
    seen = f"{n_trials} {view.terms.trials}"
    if row.unit == "cluster":
        seen = f"{units(view.results, row.unit)} with {seen}"
    of = f"{looks} look{'' if row.looks == 1 else 's'} at {seen}"
    return ["e-values over {}: {} for and {} against".format(of, *both)]


def _why(view: DatasetView, row: GateRow) -> str:
    if row.reason == "straddles" and (meets := _meets(row)) is not None:
        side = "meets" if meets else "is beyond"
        return f"the estimate {side} the bound, but the confidence limits reach across it"
    return reason(row.reason, view.terms, of_spread=True).format(n_gates=row.n_gates)


def _meets(row: GateRow) -> bool | None:
    """Whether the estimate is on the good side of the bound; None where it is undefined or on the bound."""
    if row.estimate is None or row.bound is None or row.estimate == row.bound:
        return None
    return (row.estimate < row.bound) == (row.side == "below")


def _needed(view: DatasetView, row: GateRow) -> str:
    """Return how many more trials or clusters would decide, and how, were the estimate the truth."""
    if row.needed is None:
        return ""
    plural = units(view.results, row.needed_unit)
    ratio = " (at the present ratio of the classes)" if row.needed_unit == "trial" else ""
    how = "" if (meets := _meets(row)) is None else f": {'pass' if meets else 'fail'} at the present estimate"
    # Two significant digits: no more is known.
    unit = 10 ** max(len(str(row.needed)) - 2, 0)
    about = numbers.count(-(-row.needed // unit) * unit)
    return f" About {about} more {plural}{ratio} would decide{how}."


SIGNS = {"pass": "✓ pass", "fail": "✗ fail", "undecided": "? undecided"}


def gates(results: Results) -> Section | None:
    """Return the verdicts; nothing where there are no gates."""
    judged = list(_rows(results))
    if not judged:
        return None
    rows, columns = [row for _, row in judged], _columns(results, judged)
    table = table_of("gates", "Gates and their verdicts.", judged, columns, _notes(judged))
    verdicts = [
        (row, sentence(view, row), called(view, row) == row.gate and row.gate) for view, row in judged
    ]
    # After the name of a gate where it has one of its own; the table has the others that are decided.
    sentences = [
        Prose(f"{name}: {text}" if name else capitalised(text))
        for row, text, name in verdicts
        if name or row.outcome == "undecided"
    ]
    return FEATURE.section("gates").of((Prose(_outcome(rows)), table, *sentences))


def held_back(results: Results) -> Iterator[str]:
    """Yield a sentence for each gate that holds the run back, and how many more there are."""
    held = [(view, row) for view, row in _rows(results) if row.counts_as == "fail"]
    for view, row in held[:MOST_HELD]:
        name = "" if called(view, row) != row.gate else f"{row.gate}: "
        yield f"Held back: {name}{_what_holds(view, row)}."
    if len(held) > MOST_HELD:
        more = len(held) - MOST_HELD
        yield f"{more} more release check{'s hold' if more > 1 else ' holds'} the run back: see Gates."


def _what_holds(view: DatasetView, row: GateRow) -> str:
    if row.outcome == "undecided":
        evidence = _numbers(view, row)
        shown = _shown(view, replace(row, outcome="pass"))
        return f"it is undecided whether {shown}{evidence and f' ({evidence})'}"
    size, evidence = _size(view, row), _limits_in_words(view, row)
    if row.against is None:
        must = f"at most {size} allowed" if row.side == "below" else f"at least {size} required"
        label = measure_label(row.measure, view.terms)
        value = _printed(view, row).value_with_unit(row.estimate or 0.0)
        return f"the {label} of {view.names[row.model]}{_where(view, row)} is {value}{evidence}; {must}"
    printed, estimate = _printed(view, row), row.estimate or 0.0
    behind = (estimate > 0) == (row.side == "below")
    relation = "not different from" if estimate == 0 else "worse than" if behind else "better than"
    by = f"{printed.difference_with_unit(abs(estimate))} " if estimate else ""
    allowed = (
        "it must be better"
        if row.bound == 0
        else f"it must be better by more than {size}"
        if row.kind == "superiority"
        else f"at most {size.partition(' ')[0]} allowed"
    )
    label = measure_label(row.measure, view.terms)
    who = f"{view.names[row.model]} is {by}{relation} {_other(view, row)} in {label}{_where(view, row)}"
    return f"{who}{evidence}; {allowed}"


def _limits_in_words(view: DatasetView, row: GateRow) -> str:
    if row.ci_low is None or row.ci_high is None:
        return ""
    printed = _printed_limits(view, row)
    low, high = (numbers.fixed(printed.scale * end, printed.decimals) for end in (row.ci_low, row.ci_high))
    over = f", {_adjusted_for(row)}" if (row.n_gates or 1) > 1 and row.looks is None else ""
    return f" ({level_text(row.level or 0.0)} CI {low} to {high}{over})"


def _adjusted_for(row: GateRow) -> str:
    return f"adjusted for {row.n_gates} gates"


def gate_line(results: Results) -> tuple[str, ...]:
    """Return the verdict on the run in one line; none without gates, and where sentences hold it back."""
    rows = [row for _, row in _rows(results)]
    released = bool(rows) and not any(row.counts_as == "fail" for row in rows)
    return (_outcome(rows),) if released else ()


def called(view: DatasetView, row: GateRow) -> str:
    """Return the name that the config gives a gate, else its question in words."""
    if row.gate.startswith(f"{row.measure} of "):
        return _shown(view, replace(row, outcome="pass"))
    return row.gate


def _outcome(rows: list[GateRow]) -> str:
    counted = [(outcome, sum(row.outcome == outcome for row in rows)) for outcome in WORDS]
    some = ", ".join(f"{n} {WORDS[outcome]}" for outcome, n in counted if n)
    failed = any(row.counts_as == "fail" for row in rows)
    if all(row.outcome == "pass" for row in rows):
        return f"All release checks passed ({len(rows)} of {len(rows)})."
    return f"Release checks: {some}; the run {'is held back' if failed else 'may be released'}."


MOST_HELD = 3
"""So many gates that hold the run back are named before the answer."""
WORDS = {"pass": "passed", "fail": "failed", "undecided": "undecided"}


def gate_results(results: Results) -> list[GateResult]:
    """Return every gate in words, for other places than the report."""
    return [
        GateResult(row.gate, _place(results, view, row), row.outcome, row.counts_as, sentence(view, row))
        for view, row in _rows(results)
    ]


def _rows(results: Results) -> Iterable[tuple[DatasetView, GateRow]]:
    """Yield the rows of the frame, each with the view of its dataset."""
    by_dataset: dict[str, DatasetView] = {}
    for view in views(results):
        by_dataset.setdefault(view.dataset, view)
    for row in results.rows(GATES):
        yield by_dataset[row.dataset], row


def _place(results: Results, view: DatasetView, row: GateRow) -> str:
    parts = [view.names[row.model]]
    parts += [row.dataset] if results.frame(TRIALS)["dataset"].n_unique() > 1 else []
    return ", ".join([*parts, *([elided(row.group)] if row.group else [])])


Judged = tuple[DatasetView, GateRow]
"""A gate, and the view of its dataset."""


def _columns(results: Results, judged: list[Judged]) -> list[ColumnOf[Judged]]:
    table = TableOf[Judged](judged[0][0], lambda each: why_undefined(*each))
    n = max(row.n_gates or 1 for _, row in judged)
    columns = [
        ColumnOf(Column("verdict"), _verdict),
        table.text("gate", lambda each: called(*each)),
        table.text("model", lambda each: _place(results, *each)),
        table.number(
            "estimate",
            lambda each: each[1].estimate,
            ByRow(lambda each: _with_unit(each[1], _printed(*each))),
        ),
        ColumnOf(Column(f"CI adjusted for {n} gates" if n > 1 else "CI", "interval"), _interval),
        table.number(
            "bound",
            lambda each: each[1].bound,
            ByRow(lambda each: _with_unit(each[1], _exactly(*each))),
            why="",
        ),
        table.p_value("adjusted p", lambda each: each[1].p_adjusted),
    ]
    of_looks = (
        table.number("e-values for, against", lambda each: each[1].e_pass, ByRow(_wealth)),
        table.count("looks", lambda each: each[1].looks),
    )
    if any(row.looks is not None for _, row in judged):
        columns += [blank_where(lambda each: each[1].looks is None, column) for column in of_looks]
    return columns


def _verdict(judged: Judged) -> Cell:
    _, row = judged
    as_what = f" (counts as {row.counts_as})" if row.outcome == "undecided" else ""
    return Cell(f"{SIGNS[row.outcome]}{as_what}", bold=row.counts_as == "fail")


def _interval(judged: Judged) -> Cell:
    view, row = judged
    if row.ci_low is None and row.ci_high is None:
        why = why_undefined(view, row) or f"no new {view.terms.trials}, or too few resamples"
        return Cell(UNDEFINED, reason=why)
    return Cell(_printed_limits(view, row).interval(row.ci_low, row.ci_high))


def _with_unit(row: GateRow, printed: Printing) -> Callable[[float], str]:
    return printed.value_with_unit if row.against is None else printed.difference_with_unit


def _exactly(view: DatasetView, row: GateRow) -> Printing:
    """Return the printing with as many decimals as the bound has in the config."""
    printed = _printed(view, row)
    scaled = printed.scale * (row.bound or 0.0)
    decimals = next((d for d in range(10) if abs(round(scaled, d) - scaled) < 1e-10), 10)
    return replace(printed, decimals=max(printed.decimals, decimals))


def _wealth(judged: Judged) -> Callable[[float], str]:
    """Return how the e-values of a gate are printed, for and against together."""
    return lambda e_pass: ", ".join(numbers.significant(each, 3) for each in (e_pass, judged[1].e_fail))


def _notes(judged: list[Judged]) -> tuple[str, ...]:
    rows = [row for _, row in judged]
    share = ", ".join(level_text(level) for level in sorted({row.level or 0.0 for row in rows}))
    together = f", Holm-adjusted for {len(rows)} gates"
    notes = []
    if any(row.looks is None for row in rows):
        notes.append(
            "A gate passes if its whole CI is on the good side of the bound, and fails if it is on the"
            " bad side"
            f" ({share} confidence{together if len(rows) > 1 else ''})."
        )
    methods = dict.fromkeys(
        CI_METHODS[key].name for row in rows if (key := row.ci_method) and key in CI_METHODS
    )
    if methods:
        apart = "; each side has the level of its own step, so the two may differ" if len(rows) > 1 else ""
        notes.append(f"CIs of gates: {listing(methods)}{apart}.")
    if any(row.against is not None for row in rows):
        notes.append("For comparisons, estimate and bound are differences: the model minus the other.")
    if any(row.against == REFERENCE for row in rows):
        notes.append("The reference is the same model in the last accepted run.")
    if any(row.needed is not None and row.looks is None for row in rows):
        notes.append(
            f"Data needed: enough to decide with {power_text(WANTED)} if the present estimate were the"
            f" true value"
            " (normal approximation)."
        )
    if new := dict.fromkeys(units(view.results, row.unit) for view, row in judged if row.looks is not None):
        notes.append(
            f"Always-valid gates use e-values (evidence from new {listing(new)}); the error rate holds over"
            f" all looks together ({share} confidence). Their CIs are confidence sequences over all looks so"
            " far, for a value that stays the same. The data they need are those that win in one more look,"
            f" if it is like those so far; the largest of the {listing(new)} limits what one look can win."
        )
    return tuple(notes)


def bets_without_clusters(view: DatasetView) -> Iterator[Caution]:
    """Yield what bets on single trials assume: clusters may come back night after night."""
    if any(row.looks is not None and row.unit == "trial" for row in view.results.rows(GATES)):
        yield FEATURE.caution(view, "bets_without_clusters", True)
