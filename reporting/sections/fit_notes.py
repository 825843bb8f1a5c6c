"""What must be said of fitted curves: how they came to be, what they assume, and where that fails."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.fits.catalogue import read_fit
from reporting.fits.fit import Fit
from reporting.frames.fits import FitRow
from reporting.measures.areas import AUC
from reporting.report import numbers
from reporting.wording.phrases import listing, reason
from reporting.wording.printing import NARROW_SPACE
from reporting.wording.view import View

FAMILIES = {
    "moments": "by means and variances of the scores: another curve where scores are stretched",
    "ranks": "by the order of the scores alone: the same curve for any increasing map of them",
}
BAD_FIT = 0.05


def fit_notes(view: View, rows: list[FitRow]) -> tuple[str, ...]:
    """Return the notes under the table of fits; ``rows`` are those of ``fits`` on test."""
    fits = list(view.study.fits)
    return (*_families(fits), *_errors(fits, rows), *_diagnostics(view, rows))


def _families(fits: list[Fit]) -> Iterator[str]:
    for family, said in FAMILIES.items():
        members = [fit.printed for fit in fits if fit.family == family]
        if members:
            yield f"{listing(members)}: {said}."


def share_note(view: View) -> str:
    """Say at which share of targets each AP is."""
    said: dict[str, list[str]] = {}
    terms = view.terms
    for fit in view.study.fits:
        share = fit.arguments["prevalence"]
        words = (
            terms.say("at the sample's share of targets")
            if share == "sample"
            else f"{terms.say('at a share of targets of')} {share:g}"
        )
        said.setdefault(words, []).append(fit.printed)
    return f"AP: {'; '.join(f'{listing(members)} {words}' for words, members in said.items())}."


def _errors(fits: list[Fit], rows: list[FitRow]) -> Iterator[str]:
    methods = {row.ci_method for row in rows if row.ci_method}
    if methods == {"normal"}:
        yield "Intervals: delta method, AUC, EER and areas on the logit scale."
    elif methods == {"percentile"}:
        yield "Intervals: parametric bootstrap, percentiles."
    elif methods:
        boot = listing(fit.printed for fit in fits if fit.arguments["interval"] == "bootstrap")
        yield f"Intervals: delta method; parametric bootstrap for {boot}."
    if any("assumes_independent_trials" in row.flags for row in rows):
        yield "The intervals of fits take trials to be independent and know nothing of clusters."


def _diagnostics(view: View, rows: list[FitRow]) -> Iterator[str]:
    hooked = _named(view, [row for row in rows if "hook" in row.flags and row.parameter == "a"])
    if hooked:
        yield (
            f"{hooked}: the curve crosses the diagonal between 0.1{NARROW_SPACE}% and"
            f" 99.9{NARROW_SPACE}% {view.terms.say('false acceptance')} (a hook),"
            " as no likelihood ratio would."
        )
    bounded = _named(view, [row for row in rows if "power_at_bound" in row.flags and row.parameter == "a"])
    if bounded:
        yield f"{bounded}: the power of the transform is at the end of its range."
    flat = _named(view, [row for row in rows if "power_flat" in row.flags and row.parameter == "a"])
    if flat:
        yield f"{flat}: no power is better than another, and the scores are left as they are."
    yield from _strays(view, rows)
    poor = [row for row in rows if row.parameter == "goodness_of_fit_p" and (row.value or 1.0) < BAD_FIT]
    if poor:
        said = listing(f"{view.names[row.model]} ({numbers.equation(row.value)})" for row in poor)
        yield f"The binormal curve does not fit the ranks of {said}: chi-squared test of the categories."
    yield from _without_curve(view, rows)


def _without_curve(view: View, rows: list[FitRow]) -> Iterator[str]:
    """Say once for each fit and reason which models have no curve."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.parameter == "a" and row.status:
            found.setdefault((row.fit, row.status), []).append(view.names[row.model])
    for (fit, status), names in found.items():
        yield f"{read_fit(fit).printed}: no curve for {listing(names)}, {reason(status, view.terms)}."


def _strays(view: View, rows: list[FitRow]) -> Iterator[str]:
    """A curve whose area the trials themselves exclude."""
    for fit in view.study.fits:
        off = [
            view.names[row.model]
            for row in rows
            if (row.fit, row.parameter) == (str(fit), "auc") and _outside(view, row)
        ]
        if off:
            yield (
                f"{fit.printed} does not fit {listing(off)}: the area under its curve lies outside the"
                " interval that the trials give."
            )


def _outside(view: View, row: FitRow) -> bool:
    trials = view.metric(row.model, AUC, None)
    if trials is None or row.value is None or trials.ci_low is None or trials.ci_high is None:
        return False
    return not trials.ci_low <= row.value <= trials.ci_high


def _named(view: View, rows: list[FitRow]) -> str:
    return listing(f"{view.names[row.model]} ({read_fit(row.fit).printed})" for row in rows)
