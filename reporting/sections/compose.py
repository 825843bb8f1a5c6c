"""Results -> Report: the answer first, then the evidence, then how it was made."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import Report, Section
from reporting.sections.catalogue import REST, SECTIONS, Writer, flat, gathered, section_name
from reporting.sections.data import data_line
from reporting.sections.own_sections import OwnSection
from reporting.sections.provenance import signature
from reporting.sections.verdict import verdict
from reporting.wording.decisions import decisive_p, word_of
from reporting.wording.oriented import contrast, reference
from reporting.wording.phrases import reason
from reporting.wording.view import View, views


def compose(results: Results, own: Sequence[Writer] = ()) -> Report:
    """Return the report; a section that has nothing to show is left out.

    ``own`` writes sections of the caller's, which follow the answer; their anchors are their names.
    """
    usual = [chapter for chapter in SECTIONS.values() if not chapter.on_request(results)]
    sections = (
        *(chapter.write(results) for chapter in usual if chapter.answer),
        *(_named(write(results), section_name(write)) for write in own),
        *(chapter.write(results) for chapter in usual if not chapter.answer),
    )
    return Report(
        title=results.study.title,
        data_line=data_line(results),
        verdict=verdict(results),
        sections=tuple(gathered(section for section in sections if section is not None)),
        signature=signature(results),
        by_dataset=_by_dataset(results),
    )


def arranged(report: Report, results: Results, order: Sequence[str], own: Sequence[OwnSection]) -> Report:
    """Return the report with the sections that ``order`` names, in that order.

    Those that a report has only on request are written now; one with nothing to show is left out. What is
    named is open.
    """
    usual: dict[str, Section | None] = {section.anchor: section for section in flat(report.sections)}
    shown = (section for section in own if section.name in order or REST in order)
    usual |= {section.name: section.write(results, report) for section in shown}
    sections: list[Section] = []
    for name in order:
        if name == REST:
            sections += gathered(section for each, section in usual.items() if section and each not in order)
            continue
        named = usual[name] if name in usual else SECTIONS[name].write(results) if name in SECTIONS else None
        if named is not None:
            sections.append(dataclasses.replace(named, folded=False))
    return dataclasses.replace(report, sections=tuple(sections))


def _named(section: Section | None, name: str) -> Section | None:
    return section and dataclasses.replace(section, anchor=name)


def _by_dataset(results: Results) -> tuple[tuple[str, str], ...]:
    """Return one line of verdict for each dataset, where there are several."""
    every = [view for view in views(results) if view.whole]
    return tuple((view.label, _line(view)) for view in every) if len(every) > 1 else ()


def _line(view: View) -> str:
    """Return the first in rank, its value, and its difference to the baseline or, without one, the next."""
    measure, best = view.study.primary.measure, view.ranked[0]
    row, name = view.primary(best), view.terms.measure(measure)
    if row is None or row.value is None:
        return f"{name} undefined: {reason(None if row is None else row.status, view.terms)}."
    printed = view.printing(measure)
    best_is = "" if measure.ideal is not None else f"{measure.best} "
    line = f"{view.names[best]}, {best_is}{name} {printed.value_with_unit(row.value)}"
    if row.ci_low is not None:
        line += f" {printed.interval(row.ci_low, row.ci_high)}"
    return f"{line}{_beside(view, best)}."


def _beside(view: View, best: str) -> str:
    """Return the difference between the first in rank and its reference model, and what that shows."""
    other = reference(view)
    if other == best:
        other = next((model for model in view.ranked if model != best), None)
    difference = contrast(view, best, other) if other is not None else None
    if difference is None or difference.value is None:
        return ""
    printed = view.printing(view.study.primary.measure)
    amount = printed.difference_with_unit(difference.value)
    clause = f"; difference to {view.names[difference.other]} {amount}"
    if difference.low is not None:
        clause += f" {printed.interval(difference.low, difference.high)}"
    p = decisive_p(difference.row)
    if p is None:
        return clause
    adjusted = "" if difference.row.p_adjusted is None else "adjusted "
    return f"{clause}, {adjusted}{numbers.equation(p)}, {word_of(view, difference)}"
