"""Which items of medical reporting checklists the report answers, and where; blanks are the authors' to fill.

Numbers follow STARD 2015, STARD-AI and TRIPOD+AI; the topics are in our own words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.document.blocks import Cell, Column, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.frames.transfer import TRANSFER
from reporting.document.frames.trials import TRIALS
from reporting.document.words.terms import terms
from reporting.features.methods import FEATURE


def crosswalk(results: Results) -> Section | None:
    """Return both checklists with the sections that answer their items."""
    return FEATURE.section("crosswalk").of((Prose(PURPOSE), _stard(results), _tripod(results)))


PURPOSE = (
    "Where this report answers the items of three checklists. A blank is what no table of scores can show"
    " and the authors have to report; “in part” leaves something to them, too. It replaces none of the"
    " published"
    " checklists."
)


def _stard(results: Results) -> Table:
    return Table(
        name="crosswalk_stard",
        caption="Items of STARD 2015 and of STARD-AI.",
        columns=(Column("STARD 2015"), Column("STARD-AI"), Column("item"), Column("answered in")),
        rows=tuple(
            (Cell(old), Cell(new), Cell(topic), Cell(_answer(results, answer)))
            for old, new, topic, answer in STARD
        ),
        notes=(
            "STARD 2015: Bossuyt et al., BMJ 2015;351:h5527. STARD-AI: Sounderajah et al., Nature Medicine"
            " 2025, doi:10.1038/s41591-025-03953-8.",
        ),
    )


def _tripod(results: Results) -> Table:
    return Table(
        name="crosswalk_tripod",
        caption="Items of TRIPOD+AI.",
        columns=(Column("TRIPOD+AI"), Column("item"), Column("answered in")),
        rows=tuple(
            (Cell(number), Cell(topic), Cell(_answer(results, answer))) for number, topic, answer in TRIPOD
        ),
        notes=("TRIPOD+AI: Collins et al., BMJ 2024;385:e078378.",),
    )


def _answer(results: Results, name: str) -> str:
    return ANSWERS[name](results) if name else ""


def _operating(results: Results) -> bool:
    return any(not criterion.oracle for criterion in results.study.criteria)


ANSWERS: Mapping[str, Callable[[Results], str]] = {
    "cut-offs": lambda results: "Methods, Operating points" if _operating(results) else "in part: Methods",
    "cross table": lambda results: (
        f"Operating points (errors and {terms(results.study.vocabulary).trials} of either class)"
        if _operating(results)
        else ""
    ),
    "missing": lambda results: (
        "in part: Data (how many)"
        if any(results.frame(TRIALS)[count].sum() for count in ("n_missing", "n_unlabelled"))
        else "Data (none is missing)"
    ),
    "variability": lambda results: "Breakdowns" if results.study.by else "",
    "fairness": lambda results: "in part: Breakdowns" if results.study.by else "",
    "estimates": lambda results: "Summary, Other measures" + (", Breakdowns" if results.study.by else ""),
    "elsewhere": lambda results: (
        "" if results.frame(TRANSFER).is_empty() else "in part: Thresholds across datasets"
    ),
    "dependence": lambda results: (
        "in part: Methods (what is resampled)" if results.cluster is not None else ""
    ),
    "methods": lambda results: "Methods",
    "splits": lambda results: "Methods, Data",
    "counts": lambda results: "Data",
    "some counts": lambda results: "in part: Data",
    "limitations": lambda results: "in part: Summary (cautions)",
    "digests": lambda results: "in part: Provenance (digests, versions)",
}
"""What answers an item, by the name the checklists give it here."""

STARD: tuple[tuple[str, str, str, str], ...] = (
    ("1", "1", "title or abstract names a study of diagnostic accuracy, with a measure of it", ""),
    ("2", "2", "structured abstract", ""),
    ("3", "3", "background; intended use and role of the index test", ""),
    ("4", "4", "objectives and hypotheses", ""),
    ("5", "5", "data collected before or after the tests were made", ""),
    ("", "6", "approval by an ethics committee", ""),
    ("6", "7", "eligibility", ""),
    ("7", "8", "how eligible participants were found", ""),
    ("8", "9", "where and when they were found", ""),
    ("9", "10", "consecutive, random or convenience series", ""),
    ("", "11", "source of the data", ""),
    ("", "12", "who annotated the data, and how", ""),
    ("", "13", "devices and software, with versions", ""),
    ("", "14", "acquisition and pre-processing of the data", ""),
    ("10a", "15a", "index test", ""),
    ("", "15b", "how the index test was developed, on how many cases", "some counts"),
    ("12a", "15c", "cut-offs of the index test, prespecified or exploratory", "cut-offs"),
    ("", "15d", "users of the index test and their expertise", ""),
    ("10b", "16a", "reference standard", ""),
    ("11", "16b", "why this reference standard", ""),
    ("12b", "16c", "cut-offs of the reference standard", ""),
    ("13a", "17a", "what the readers of the index test knew", ""),
    ("13b", "17b", "what the assessors of the reference standard knew", ""),
    ("14", "18", "methods of estimating and comparing accuracy", "methods"),
    ("15", "19", "indeterminate results", ""),
    ("16", "20", "missing results", "missing"),
    ("17", "21", "variability of accuracy", "variability"),
    ("18", "22", "intended sample size", ""),
    ("", "23", "analysis of errors, of bias and of fairness", "fairness"),
    ("19", "24", "flow of participants", ""),
    ("20", "25", "characteristics of participants", ""),
    ("21a", "26a", "severity of the condition", ""),
    ("21b", "26b", "other diagnoses of those without it", ""),
    ("22", "27", "time and treatment between the tests", ""),
    ("", "28", "whether the data represent the intended use", ""),
    ("", "29", "how external data differ from those of development", "elsewhere"),
    ("23", "30", "results of the index test by those of the reference standard", "cross table"),
    ("24", "31", "estimates of accuracy and their precision", "estimates"),
    ("25", "32", "adverse events", ""),
    ("26", "33", "limitations, bias, uncertainty, generalisability", "limitations"),
    ("27", "34", "implications for practice", ""),
    ("", "35", "ethics and fairness", ""),
    ("28", "36", "registration", ""),
    ("29", "37", "where the protocol is", ""),
    ("30", "38", "funding", ""),
    ("", "39", "commercial interests", ""),
    ("", "40a", "availability of data and code", "digests"),
    ("", "40b", "whether outputs are kept and can be audited", "digests"),
)
"""Number in STARD 2015, number in STARD-AI, topic, and the name of its answer."""

TRIPOD: tuple[tuple[str, str, str], ...] = (
    ("1", "title", ""),
    ("2", "abstract", ""),
    ("3a", "background: healthcare context, rationale, existing models", ""),
    ("3b", "background: population, purpose and users", ""),
    ("3c", "background: known health inequalities", ""),
    ("4", "objectives", ""),
    ("5a", "sources of the data of development and of evaluation", ""),
    ("5b", "dates of the data", ""),
    ("6a", "setting and centres", ""),
    ("6b", "eligibility", ""),
    ("6c", "treatments", ""),
    ("7", "preparation of the data", ""),
    ("8a", "outcome: definition and time horizon", ""),
    ("8b", "outcome: who assessed it", ""),
    ("8c", "outcome: blinding", ""),
    ("9a", "predictors: choice", ""),
    ("9b", "predictors: definition", ""),
    ("9c", "predictors: who assessed them", ""),
    ("10", "study size", ""),
    ("11", "missing data", "missing"),
    ("12a", "analysis: use and partition of the data", "splits"),
    ("12b", "analysis: handling of predictors", ""),
    ("12c", "analysis: type of model, building, internal validation", ""),
    ("12d", "analysis: heterogeneity across clusters", "dependence"),
    ("12e", "analysis: measures and plots of performance, comparison of models", "methods"),
    ("12f", "analysis: updating of the model", ""),
    ("12g", "analysis: how predictions were calculated", ""),
    ("13", "class imbalance", ""),
    ("14", "approaches to fairness", ""),
    ("15", "output of the model and thresholds", "cut-offs"),
    ("16", "differences between the data of development and of evaluation", "some counts"),
    ("17", "ethical approval", ""),
    ("18a", "open science: funding", ""),
    ("18b", "open science: conflicts of interest", ""),
    ("18c", "open science: protocol", ""),
    ("18d", "open science: registration", ""),
    ("18e", "open science: availability of the data", "digests"),
    ("18f", "open science: availability of the code", "digests"),
    ("19", "patients' and the public's part", ""),
    ("20a", "flow of participants", ""),
    ("20b", "characteristics of participants", "some counts"),
    ("20c", "comparison with the data of development", "some counts"),
    ("21", "participants and events in each analysis", "counts"),
    ("22", "the full model", ""),
    ("23a", "performance with intervals, also of subgroups", "estimates"),
    ("23b", "performance: heterogeneity across clusters", ""),
    ("24", "results of updating", ""),
    ("25", "interpretation", ""),
    ("26", "limitations", "limitations"),
    ("27a", "use: poor or missing input", ""),
    ("27b", "use: interaction and expertise of users", ""),
    ("27c", "next steps", ""),
)
"""Number in TRIPOD+AI, topic, and the name of its answer."""
