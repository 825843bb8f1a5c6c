"""What the further tests assume, and what they say in plain sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.wording.phrases import REASONS, level_text, measure_label, units
from reporting.wording.printing import Printing
from reporting.wording.terms import DETECTION, Terms
from reporting.wording.view import View

Row = dict[str, Any]

WHY = REASONS | {
    "several_runs": "a model has several runs, and the test takes one",
    "weighted": "strata have weights, and the test counts trials",
    "no_criterion": "the report has no criterion that sets thresholds",
    "not_linear": "the measure is no weighted sum of FAR and FRR",
    "not_measured": "its replicates come with the measure auc, which was not asked for",
    "no_direction": "neither direction of the measure is better",
    "pair_trials": "trials of pairs have no one cluster to leave out",
    "not_reversible": "no such change turns the verdict",
    "degenerate": "the data are degenerate, without spread to judge by",
}
NOT_ASKED = "it is not counted in this unit"
UNCERTAIN = (
    "The observed difference is itself uncertain, and so is every number that takes it for the true one."
)


@dataclass(frozen=True)
class Family:
    """One test: its name, what it assumes, and the columns of its table."""

    name: str
    assumes: str
    columns: tuple[str, ...]
    by_measure: bool = True
    """A table for each measure; False where all are rates and stand in one."""


FAMILIES = {
    "mcnemar": Family(
        "McNemar's test",
        "McNemar's test, exact and mid-p, on the trials that only one of two models gets wrong: independent"
        " trials, the same for both. On both classes together it tests the share of errors, not the {hter}.",
        ("model", "minus", "trials", "difference", "p, exact", "mid-p"),
        by_measure=False,
    ),
    "null_z": Family(
        "z test with null variance",
        "z test with its variance taken under no difference (Bengio and Mariethoz 2004): independent trials,"
        " the same for both models, and enough of them that are decided differently.",
        ("model", "minus", "difference", "z", "p"),
    ),
    "proportion_z": Family(
        "z test of two proportions",
        "z test of two proportions: independent samples, classification error. It takes the models' trials"
        " for different ones and loses power on the same; it is given to reproduce published numbers.",
        ("model", "minus", "difference", "z", "p"),
    ),
    "cochran_q": Family(
        "Cochran's Q",
        "Cochran's Q, that all models err equally often: independent trials, the same for all models.",
        ("trials", "models", "Q", "df", "p"),
        by_measure=False,
    ),
    "delong": Family("DeLong's test", "", ("model", "minus", "difference", "interval", "z", "p")),
    "venkatraman": Family(
        "Venkatraman's test",
        "Venkatraman's permutation test of equal ROC curves: the ranks of two models are exchanged {one} by"
        " {one}, which presumes that equal models may change places. E sums over all cuts by how much their"
        " errors differ, so that curves that cross are seen, too.",
        ("model", "minus", "E", "p"),
    ),
    "permutation": Family(
        "Permutation test",
        "Permutation test: what two models say is exchanged {one} by {one}, which presumes that equal models"
        " may change places; of the AUC on the scale of ranks.",
        ("model", "minus", "difference", "p"),
    ),
    "equivalence": Family(
        "Equivalence",
        "Equivalence: two one-sided tests (TOST) and the interval dual to them, of the spread of the"
        " comparison. The margin must have been chosen before the data were seen.",
        ("model", "minus", "difference", "interval", "p", "verdict"),
    ),
    "non_inferiority": Family(
        "Non-inferiority",
        "Non-inferiority: a one-sided test of the spread of the comparison. The margin must have been chosen"
        " before the data were seen.",
        ("model", "minus", "difference", "bound", "p", "verdict"),
    ),
    "fragility": Family(
        "Fragility",
        "Fragility: the fewest decisions of either model that carry the exact mid-p across {alpha}; it says"
        " nothing of how likely they are. Of clusters, how many of the most influential ones must be left"
        " out for the same by their normal test; fewer may do.",
        ("model", "minus", "by", "p", "to change", "on targets", "on non-targets", "p then"),
    ),
    "power": Family(
        "Power",
        "Power by the normal approximation, over clusters by Student's t at their present number, from the"
        " spread of the comparison, which falls as the root of the"
        f" number of units. {UNCERTAIN}",
        ("model", "minus", "difference", "detectable", "times", "needed"),
    ),
}
DELONG = "DeLong's test, its variance by placements: independent trials, the same for all models."
RESAMPLED = "Student's t, and for several areas Wald's test, by areas of resampled {units}."
WEIGHED = "Normal test, and for several areas Wald's test, by areas of resampled trials."


def why(row: Row, spoken: Terms = DETECTION) -> str:
    """Say why a number of a test is not there."""
    if row["status"]:
        return spoken.say(str(WHY.get(row["status"], row["status"])))
    if row["test"] == "power":
        return "no number of units resolves a difference of 0, or one so near to it"
    return NOT_ASKED if row["test"] == "fragility" else "there is no spread to judge by"


def together(view: View, row: Row) -> str:
    """Tell the test that all models have one area."""
    what = f"That all {row['n_models']} models have one {measure_label(row['measure'], view.terms)}"
    if row["p_value"] is None:
        return f"{what} cannot be tested: {why(row, view.terms)}."
    how = "DeLong's test" if row["replicates"] is None else "Wald's test of resampled areas"
    chi, df = numbers.significant(row["statistic"], 4), numbers.count(int(row["df"]))
    return f"{what}: {numbers.equation(row['p_value'])} ({how}, χ² = {chi} with {df} df)."


def margin_text(view: View, measure: str | None) -> str:
    """Print the margin with its unit, exactly as it was chosen."""
    printed = printed_of(view, measure)
    margin = view.study.inference.margin or 0.0
    shown = f"{printed.scale * margin:.10g}"
    unit = "point" if printed.difference_unit == "points" and shown == "1" else printed.difference_unit
    return f"{shown} {unit}".rstrip()


def printed_of(view: View, measure: str | None) -> Printing:
    """Return how a row's measure is printed: as elsewhere, or else with the digits of the primary one."""
    primary = view.study.primary.measure
    own = read_measure(measure) if measure else primary
    elsewhere = own in view.study.measures or own.printed_in != primary.printed_in
    return view.printing(own if elsewhere else primary)


def _names(view: View, row: Row) -> tuple[str, str]:
    return view.names[row["model"]], view.names[row["baseline"]]


def _equivalence(view: View, row: Row) -> str:
    one, other = _names(view, row)
    if row["verdict"] is None:
        return f"Whether {one} and {other} are equivalent cannot be tested: {why(row, view.terms)}."
    within = f"within ±{margin_text(view, row['measure'])} of {measure_label(row['measure'], view.terms)}"
    said = f"{one} and {other} are {EQUIVALENT[row['verdict']]} {within}"
    if row["p_value"] is None:
        return f"{said}: {why(row, view.terms)}."
    printed, level = printed_of(view, row["measure"]), level_text(round(row["level"], 10))
    amount = printed.difference_with_unit(row["estimate"])
    limits = printed.interval(row["low"], row["high"])
    return f"{said}: difference {amount}, {level} interval {limits}, {numbers.equation(row['p_value'])}."


EQUIVALENT = {"equivalent": "equivalent", "not_shown_equivalent": "not shown to be equivalent"}


def _non_inferiority(view: View, row: Row) -> str:
    one, other = _names(view, row)
    margin = f"{margin_text(view, row['measure'])} of {measure_label(row['measure'], view.terms)}"
    if row["verdict"] is None:
        return f"Whether {one} is worse than {other} by {margin} cannot be tested: {why(row, view.terms)}."
    said = (
        f"{one} is not worse than {other} by {margin}"
        if row["verdict"] == "not_inferior"
        else f"{one} is not shown to be less than {margin} worse than {other}"
    )
    if row["p_value"] is None:
        return f"{said}: {why(row, view.terms)}."
    printed, level = printed_of(view, row["measure"]), level_text(row["level"])
    at_most, bound = ("at most", row["high"]) if row["low"] is None else ("at least", row["low"])
    return (
        f"{said}: difference {printed.difference_with_unit(row['estimate'])}, {at_most}"
        f" {printed.value(bound)} ({level}, one-sided), {numbers.equation(row['p_value'])}."
    )


def _fragility(view: View, row: Row) -> str:
    one, other = _names(view, row)
    if row["verdict"] is None:
        return f"How frail the verdict on {one} and {other} is cannot be told: {why(row, view.terms)}."
    shown = "differ" if row["verdict"] == "different" else "are not shown to differ"
    if row["unit"] == "trial":
        how = f"exact mid-{numbers.equation(row['p_value'])} at given thresholds"
    else:
        how = f"by {units(view.results, row['unit'])}, {numbers.equation(row['p_value'])}"
    said = f"{one} and {other} {shown} ({how}), and"
    if row["statistic"] is None:
        what = "decisions" if row["unit"] == "trial" else units(view.results, row["unit"])
        return f"{said} no change of {what} would turn the verdict."
    if row["unit"] == "trial":
        return f"{said} the verdict would turn if {_decisions(view, row)} were different."
    there = f"{numbers.count(row['n_units'])} {units(view.results, row['unit'])}"
    return f"{said} the verdict would turn without {numbers.count(int(row['statistic']))} of the {there}."


def _decisions(view: View, row: Row) -> str:
    spoken = view.terms
    n, classes = int(row["statistic"]), (row["needed_targets"], row["needed_nontargets"])
    decisions = f"{numbers.count(n)} decision{'' if n == 1 else 's'}"
    if 0 in classes:
        return f"{decisions} on {spoken.nontargets if classes[0] == 0 else spoken.targets}"
    return (
        f"{decisions}, {numbers.count(classes[0])} on {spoken.targets} and {numbers.count(classes[1])} on"
        f" {spoken.nontargets},"
    )


def _power(view: View, row: Row) -> str:
    one, other = _names(view, row)
    if row["detectable"] is None:
        return f"How many trials would tell {one} from {other} cannot be told: {why(row, view.terms)}."
    printed, share = printed_of(view, row["measure"]), often(row["power"])
    plural = units(view.results, row["unit"])
    there = f"the present {numbers.count(row['n_units'])} {plural}"
    detectable = printed.difference_with_unit(row["detectable"])
    amount = printed.difference_with_unit(abs(row["estimate"]))
    pair, found = f"{one} and {other}", f"a difference of {detectable} would be found {share}"
    if row["verdict"] == "no_difference":
        return f"{pair}: no number of {plural} resolves a difference of 0; with {there} {found}."
    if row["verdict"] == "enough":
        return f"{pair}: were the difference truly {amount}, {there} would resolve it; with them {found}."
    grow = ", development and test growing together," if row["inference"] == "procedure" else ""
    times = numbers.significant(row["times"], 2 if row["times"] >= 2 else 3)
    return (
        f"{pair}: about {times} times as many {plural}{_needed(view, row)}{grow} would resolve a true"
        f" difference of {amount} {share}; with {there} {found}."
    )


def _needed(view: View, row: Row) -> str:
    spoken = view.terms
    if row["needed_units"] is None:
        return ""
    if row["needed_targets"] is None:
        return f" ({numbers.count(row['needed_units'])})"
    return (
        f" ({numbers.count(row['needed_targets'])} {spoken.targets} and"
        f" {numbers.count(row['needed_nontargets'])} {spoken.nontargets})"
    )


def often(power: float) -> str:
    """Say a chance as ``4 times in 5``."""
    share = Fraction(power).limit_denominator(20)
    if abs(float(share) - power) > 1e-9:
        return f"in {100 * power:g} % of tests"
    return f"{share.numerator} time{'' if share.numerator == 1 else 's'} in {share.denominator}"


SENTENCES: dict[str, Callable[[View, Row], str]] = {
    "equivalence": _equivalence,
    "non_inferiority": _non_inferiority,
    "fragility": _fragility,
    "power": _power,
}
