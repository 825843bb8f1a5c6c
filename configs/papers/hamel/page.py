"""Hamel, "Model Assessment with ROC Curves": its claims, tables and figures beside what the trials say."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from configs.papers.hamel.bands import band_claims, band_section
from configs.papers.hamel.concave import concave_claims, concave_section
from configs.papers.hamel.curve import curve_claims, curve_section
from configs.papers.hamel.data import trials
from configs.papers.hamel.optimum import optimum_section
from configs.papers.hamel.plane import plane_claims, plane_section
from configs.papers.hamel.read import at_threshold, fixed, value
from configs.papers.hamel.ringnorm import bayes_auc, bayes_errors, length_auc, sum_binormal
from configs.papers.hamel.skew import skew_claims, skew_section
from configs.papers.paper import Claim, claims_table, make
from reporting.document import Block, Cell, Column, Prose, Section, Table, numbers
from reporting.document.frames.results import Results
from reporting.document.words.view import DatasetView, views

CITATION = (
    "L. Hamel, “Model Assessment with ROC Curves”, in J. Wang (ed.), Encyclopedia of Data Warehousing and"
    " Mining,"
    " second edition, IGI Global, 2008. The data here are no data of the paper, whose scores were not"
    " published:"
    " they are of Breiman's ringnorm, of the paper's sizes where the example of this program made them,"
    " with all"
    " its cases and with a tenth of one class."
)


def hamel(results: Results) -> tuple[Block, ...]:
    """Return the page: citation, claims, then what the paper shows, part by part."""
    found = views(results)
    if not found:
        return (Prose(CITATION),)
    whole, kept = _by_size(found)
    claims = _claims(whole, kept)
    sections = [_skew(whole, kept), plane_section(whole), optimum_section(whole), curve_section(whole)]
    sections += [concave_section(whole), band_section(_both(whole, kept)), ringnorm_section(whole)]
    return (Prose(CITATION), claims_table(claims), *(section for section in sections if section is not None))


def _by_size(found: list[DatasetView]) -> tuple[DatasetView, DatasetView]:
    """The tests with the most and with the fewest non-targets: all of them, and those that were kept."""
    return max(found, key=lambda one: one.most_nontargets), min(found, key=lambda one: one.most_nontargets)


def _both(whole: DatasetView, kept: DatasetView) -> tuple[DatasetView, ...]:
    return (whole,) if whole is kept else (whole, kept)


def _skew(whole: DatasetView, kept: DatasetView) -> Section | None:
    criteria = [one for one in whole.study.criteria if not one.oracle]
    return skew_section(whole, kept, criteria[0]) if criteria and whole is not kept else None


def _claims(whole: DatasetView, kept: DatasetView) -> list[Claim]:
    criteria = [one for one in whole.study.criteria if not one.oracle]
    skew = skew_claims(whole, kept, criteria[0]) if criteria and whole is not kept else []
    return [
        *skew,
        *plane_claims(whole),
        *curve_claims(whole),
        *concave_claims(whole),
        *band_claims(_both(whole, kept)),
    ]


def ringnorm_section(whole: DatasetView) -> Section:
    """Return what ringnorm is exactly, by either definition, beside the areas on test."""
    said = (
        "Ringnorm circulates with two distances of the means. Breiman's Bayes error of 1.3 % is nearer to"
        " the first,"
        " by which the example of this program is made; the last column holds the areas on test."
    )
    return Section("Ringnorm, exactly", "paper-ringnorm", (Prose(said), _exact(whole)))


OF_MODELS: tuple[tuple[str, str, Callable[[float], float]], ...] = (
    ("all", "all twenty coordinates, likelihood ratio", lambda step: bayes_auc(20 * step)),
    ("six", "six coordinates, likelihood ratio", lambda step: bayes_auc(6 * step, 6)),
    ("five", "five coordinates, likelihood ratio", lambda step: bayes_auc(5 * step, 5)),
    ("others", "five others, likelihood ratio", lambda step: bayes_auc(5 * step, 5)),
    ("sum", "sum of all: binormal, b = 2", lambda step: sum_binormal(20 * step).auc),
    ("square", "first coordinate squared", lambda step: length_auc(step, 1)),
)
"""Model, its score, and its exact AUC by the squared distance of the means along one coordinate."""


def _exact(whole: DatasetView) -> Table:
    steps = 4 / 20, 1 / 20
    errors = (fixed(100 * bayes_errors(20 * step).mean, 4) for step in steps)
    rows = [(Cell("Bayes error, %"), *errors, _bayes_on_test(whole))]
    for model, what, exact in OF_MODELS:
        areas = (fixed(exact(step), 7) for step in steps)
        row = value(whole, model, "auc")
        rows.append((Cell(f"AUC: {what}"), *areas, fixed(None if row is None else row.value, 4)))
    return Table(
        name="paper_ringnorm",
        caption="Ringnorm in 20 dimensions: exact error and areas, by the place of the targets' mean.",
        columns=(
            Column("quantity"),
            Column("a = 2/√20", "number"),
            Column("a = 1/√20", "number"),
            Column("on test", "number"),
        ),
        rows=tuple(rows),
        notes=(
            "The error on test is the mean of the two error rates of the model with all coordinates, at its"
            " threshold"
            " chosen on dev by Youden's index.",
        ),
    )


def _bayes_on_test(whole: DatasetView) -> Cell:
    chosen = [one for one in whole.study.criteria if str(one) == "best(measure=youden)"]
    row = at_threshold(whole, "all", chosen[0]) if chosen else None
    if row is None:
        return Cell("—", reason="no threshold was chosen by Youden's index")
    error = (row.misses / row.n_target + row.false_alarms / row.n_nontarget) / 2
    return Cell(numbers.percent(error, 2), 100 * error)


def paper(results: Results) -> Section:
    """Write the section of the paper."""
    return Section("The paper", "paper", hamel(results))


HERE = Path(__file__).parent


if __name__ == "__main__":
    print(make(HERE, trials, paper, Path(sys.argv[1])) / "report.html")
