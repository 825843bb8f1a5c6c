"""Which items of medical reporting checklists the report answers, and where; blanks are the authors' to fill.

Numbers follow STARD 2015, STARD-AI and TRIPOD+AI; the topics, in our own words, are in ``crosswalk.yaml``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from reporting.base.word_files import read_words
from reporting.document.blocks import Cell, Column, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.frames.transfer import TRANSFER
from reporting.document.frames.trials import TRIALS
from reporting.document.words.terms import terms
from reporting.features.methods import FEATURE

CHECKLISTS = read_words(Path(__file__).with_name("crosswalk.yaml")).plain()


def crosswalk(results: Results) -> Section | None:
    """Return the checklists with the sections that answer their items."""
    answers = {name: answer(results) for name, answer in ANSWERS.items()} | {"": ""}
    tables = (
        Table(
            name=name,
            caption=checklist["caption"],
            columns=tuple(map(Column, (*checklist["numbers"], "item", "answered in"))),
            rows=tuple(
                (*map(Cell, (*earlier, number, topic)), Cell(answers[answer]))
                for number, (*earlier, topic, answer) in checklist["items"].items()
            ),
            notes=(checklist["note"],),
        )
        for name, checklist in CHECKLISTS.items()
    )
    return FEATURE.section("crosswalk").of((Prose(PURPOSE), *tables))


PURPOSE = (
    "Where this report answers the items of three checklists. A blank is what no table of scores can show"
    " and the authors have to report; “in part” leaves something to them, too. It replaces none of the"
    " published checklists."
)


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
