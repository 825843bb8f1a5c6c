"""The calls of the README's walk-through: in theory, in its notebook, and here."""

from __future__ import annotations

from collections.abc import Iterator

from configs.papers.rocanalysis import calibrated_normal as theory
from configs.papers.rocanalysis.claims import fixed
from configs.papers.rocanalysis.seen import AT_BAYES, AT_ZERO, DCF, DETECTION, Seen, Value
from reporting.core.stats.rates import cost_unit
from reporting.document import UNDEFINED, Cell, Column, Table, numbers
from reporting.document.words.phrases import level_text

PRIORS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
"""The README's DCF([...], 1, 1)."""

INSIDE = {True: "yes", False: "no", None: UNDEFINED}

MINIMA = "Minima are read at the best cut of test (a posteriori), so they tend to lie below the theory."
NO_ERRORS = (
    "Far out, few trials of a class err or none: the interval, which draws from those seen, then knows"
    " nothing of the others."
)


def calls(one: Seen, doubled: Seen | None) -> Table:
    """Return a row for each call that gives one number."""
    level = level_text(one.view.study.inference.level)
    return Table(
        name=one.view.unique_name("rocanalysis_calls"),
        caption="The calls of the README and its notebook: theory of the two normal classes, the notebook's"
        " own random draw, and the draw of this report on test.",
        columns=(
            Column("call"),
            Column("it gives"),
            Column("theory", "number"),
            Column("notebook", "number"),
            Column("here", "number"),
            Column(f"{level} interval", "interval"),
            Column("theory inside"),
        ),
        rows=tuple(_calls(one, doubled)),
        notes=(MINIMA,),
    )


def _calls(one: Seen, doubled: Seen | None) -> Iterator[tuple[Cell, ...]]:
    t, log_odds = one.theory, theory.prior_log_odds(*DCF)
    yield _row("eer(tar, non)", "EER, crossing", theory.eer(*t), 0.1584, one.measured("eer_interp"))
    yield _row("eerch(r)", "EER, hull", theory.eer(*t), 0.156645, one.measured("eer_rocch"))
    yield _row("auc(r)", "error area", theory.error_area(*t), 0.078400, one.measured("error_area"))
    yield _row("AUC(r)", "usual AUC", theory.auc(*t), 0.921600, one.measured("auc"))
    yield _row("plo(d)", "prior log odds", log_odds, -2.292535, _exact(log_odds))
    yield _row(
        "dcf(tar, non, d=d)",
        "cost at −plo",
        theory.dcf(*t, *DCF, normalised=False),
        0.071483,
        one.measured(f"dcf{DETECTION}", AT_BAYES),
    )
    yield _row(
        "dcf(tar, non, d=d, thres=0)",
        "cost at 0",
        theory.dcf(*t, *DCF, normalised=False, threshold=0.0),
        0.172774,
        one.measured(f"dcf{DETECTION}", AT_ZERO),
    )
    yield _row(
        "mindcf(r, d=d)",
        "least cost",
        theory.mindcf(*t, *DCF, normalised=False),
        0.071394,
        one.measured(f"mindcf{DETECTION}"),
    )
    yield _row("cllr(tar, non)", "Cllr, bits", theory.cllr(*t), None, one.measured("cllr"))
    yield _row("mincllr(tar, non)", "least Cllr, raw", theory.mincllr(*t), None, one.measured("mincllr"))
    if doubled is not None:
        t = doubled.theory
        yield _row("cllr(2tar, 2non)", "Cllr, bits", theory.cllr(*t), 0.616844, doubled.measured("cllr"))
        yield _row(
            "mincllr(2tar, 2non)",
            "least Cllr, raw",
            theory.mincllr(*t),
            0.504505,
            doubled.measured("mincllr"),
        )


def _exact(value: float) -> Value:
    """A number of the costs alone: no trial enters."""
    return Value(value, None, None)


def _row(call: str, what: str, known: float, printed: float | None, found: Value | None) -> tuple[Cell, ...]:
    limits = UNDEFINED if found is None else numbers.bracket(found.low, found.high, 4)
    return (
        Cell(call),
        Cell(what),
        Cell(fixed(known), known),
        Cell(fixed(printed), printed, reason="" if printed is not None else "the notebook does not call it"),
        Cell(fixed(None if found is None else found.value), None if found is None else found.value),
        Cell(limits, reason="no trial enters" if limits == UNDEFINED else ""),
        Cell(INSIDE[None if found is None else found.holds(known)]),
    )


def priors(one: Seen) -> Table:
    """Return a row for each prior of the README's array of costs."""
    level = level_text(one.view.study.inference.level)
    return Table(
        name=one.view.unique_name("rocanalysis_priors"),
        caption="dcf() and mindcf() at the README's seven priors with unit costs, thresholds at −plo;"
        " normalised by the cost of deciding without scores.",
        columns=(
            Column("prior", "number"),
            Column("plo", "number"),
            Column("dcf", "number"),
            Column("theory", "number"),
            Column("normalised", "number"),
            Column(f"{level} interval", "interval"),
            Column("theory", "number"),
            Column("inside"),
            Column("minimum, normalised", "number"),
        ),
        rows=tuple(_prior(one, p) for p in PRIORS),
        notes=(NO_ERRORS, MINIMA),
    )


def _prior(one: Seen, p_target: float) -> tuple[Cell, ...]:
    row, unit = one.cost_at(p_target), cost_unit(p_target, 1.0, 1.0, True, "trivial")
    known = theory.dcf(*one.theory, p_target)
    actual = (
        None
        if row is None or row.actual is None
        else Value(row.actual, row.actual_ci_low, row.actual_ci_high)
    )
    least = None if row is None else row.minimum
    limits = UNDEFINED if actual is None else numbers.bracket(actual.low, actual.high, 4)
    return (
        Cell(f"{p_target:g}", p_target),
        Cell(numbers.fixed(theory.prior_log_odds(p_target), 2), p_target),
        Cell(numbers.fixed(None if actual is None else unit * actual.value, 6)),
        Cell(numbers.fixed(unit * known, 6)),
        Cell(fixed(None if actual is None else actual.value)),
        Cell(limits),
        Cell(fixed(known)),
        Cell(INSIDE[None if actual is None else actual.holds(known)]),
        Cell(fixed(least)),
    )
