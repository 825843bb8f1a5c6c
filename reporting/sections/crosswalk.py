"""Which items of medical reporting checklists the report answers, and where; blanks are the authors' to fill.

Numbers follow STARD 2015, STARD-AI and TRIPOD+AI; the topics are in our own words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.frames import TRANSFER, TRIALS
from reporting.frames.results import Results
from reporting.report.blocks import Cell, Column, Prose, Section, Table
from reporting.sections.checklists import STARD, TRIPOD

ANCHOR = "crosswalk"


def crosswalk(results: Results) -> Section | None:
    """Return both checklists with the sections that answer their items."""
    return Section("Reporting checklists", ANCHOR, (Prose(PURPOSE), _stard(results), _tripod(results)))


def medical_crosswalk(results: Results) -> Section | None:
    """Return them where the report speaks to medicine, else nothing."""
    return crosswalk(results) if results.study.vocabulary == "medical" else None


PURPOSE = (
    "Where this report answers the items of three checklists. A blank is what no table of scores can tell"
    " and the authors have to; “in part” leaves something to them, too. It replaces none of the published"
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


def _cut_offs(results: Results) -> str:
    return "Methods, Operating points" if _operating(results) else "in part: Methods"


def _cross_table(results: Results) -> str:
    return "Operating points (errors and trials of either class)" if _operating(results) else ""


def _operating(results: Results) -> bool:
    return any(not one.oracle for one in results.study.criteria)


def _missing(results: Results) -> str:
    if results.frame(TRIALS)["n_missing"].sum() or results.frame(TRIALS)["n_unlabelled"].sum():
        return "in part: Data (how many)"
    return "Data (none is missing)"


def _variability(results: Results) -> str:
    return "Breakdowns" if results.study.by else ""


def _fairness(results: Results) -> str:
    return "in part: Breakdowns" if results.study.by else ""


def _estimates(results: Results) -> str:
    return "Summary, Other measures" + (", Breakdowns" if results.study.by else "")


def _elsewhere(results: Results) -> str:
    moved = results.frame(TRANSFER)
    return "in part: Thresholds across datasets" if moved is not None and not moved.is_empty() else ""


def _dependence(results: Results) -> str:
    return "in part: Methods (what is resampled)" if results.cluster is not None else ""


ANSWERS: Mapping[str, Callable[[Results], str]] = {
    "cut-offs": _cut_offs,
    "cross table": _cross_table,
    "missing": _missing,
    "variability": _variability,
    "fairness": _fairness,
    "estimates": _estimates,
    "elsewhere": _elsewhere,
    "dependence": _dependence,
    "methods": lambda results: "Methods",
    "splits": lambda results: "Methods, Data",
    "counts": lambda results: "Data",
    "some counts": lambda results: "in part: Data",
    "limitations": lambda results: "in part: Summary (cautions)",
    "digests": lambda results: "in part: Provenance (digests, versions)",
}
"""What answers an item, by the name the checklists give it here."""
