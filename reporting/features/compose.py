"""Results -> Report: the answer first, then the evidence, then how it was made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reporting.base.legible import elided
from reporting.document.blocks import Block, Caution, InWords, Report, Section
from reporting.document.frames.results import Results
from reporting.document.sections import HOW, REST, Writer, flat, section_name
from reporting.document.words.counted_trials import data_line
from reporting.document.words.origins import signature
from reporting.features.catalogue import FEATURES
from reporting.features.own_sections import OwnSection
from reporting.features.sections import SECTIONS, WITHIN_HOW


def compose(results: Results, own: Sequence[Writer] = ()) -> Report:
    """Return the report; a section that has nothing to show is left out.

    ``own`` writes sections of the caller's, which follow the answer; their anchors are their names.
    """
    usual = [chapter for chapter in SECTIONS.values() if not chapter.on_request(results)]
    sections = (
        *(chapter.write(results) for chapter in usual if chapter.answer),
        *(
            dataclasses.replace(section, anchor=section_name(write))
            for write in own
            if (section := write(results))
        ),
        *(chapter.write(results) for chapter in usual if not chapter.answer),
    )
    answer = next((each.in_words(results) for each in FEATURES.values() if each.answer), InWords())
    return Report(
        title=elided(results.study.title),
        data_line=data_line(results),
        verdict=answer.verdict,
        sections=tuple(_gathered(section for section in sections if section is not None)),
        signature=signature(results),
        by_dataset=answer.by_dataset,
        headline=answer.headline,
        answer=(
            *answer.sentences,
            *(line for of in FEATURES.values() for line in of.answers(results)),
        ),
    )


def reorder(report: Report, results: Results, order: Sequence[str], own: Sequence[OwnSection]) -> Report:
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
            sections += _gathered(section for each, section in usual.items() if section and each not in order)
            continue
        named = usual[name] if name in usual else SECTIONS[name].write(results) if name in SECTIONS else None
        if named is not None:
            sections.append(dataclasses.replace(named, folded=False))
    return dataclasses.replace(report, sections=tuple(sections))


def _gathered(sections: Iterable[Section]) -> list[Section]:
    """Return the sections in their order, those on how the report was made as parts of a last one."""
    every = list(sections)
    parts = tuple(section for section in every if section.anchor in WITHIN_HOW)
    shown = [section for section in every if section not in parts]
    return [*shown, *([Section("How this was done", HOW, parts, folded=True)] if parts else [])]


def suppress_cautions(report: Report, ignored: Mapping[str, str]) -> Report:
    """Return the report with the reasons of a user at the cautions that he folds away, by code."""
    return dataclasses.replace(
        report, sections=tuple(_folded_away(each, ignored) for each in report.sections)
    )


def cautions_of(block: Report | Block) -> Iterator[Caution]:
    """Yield the cautions of a report, or of a block, in their order."""
    if isinstance(block, Caution):
        yield block
    for each in block.sections if isinstance(block, Report) else ():
        yield from cautions_of(each)
    for below in block.blocks if isinstance(block, Section) else ():
        yield from cautions_of(below)


def _folded_away(section: Section, ignored: Mapping[str, str]) -> Section:
    blocks: list[Block] = []
    for block in section.blocks:
        if isinstance(block, Section):
            blocks.append(_folded_away(block, ignored))
        elif isinstance(block, Caution) and block.code in ignored:
            blocks.append(dataclasses.replace(block, grave=False, ignored=ignored[block.code]))
        else:
            blocks.append(block)
    return dataclasses.replace(section, blocks=tuple(blocks))
