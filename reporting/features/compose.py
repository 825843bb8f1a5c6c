"""Results -> Report: the answer first, then the evidence, then how it was made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reporting.base.legible import elided
from reporting.document.blocks import Block, Caution, Figure, InWords, Prose, Report, Section
from reporting.document.feature import called
from reporting.document.frames.results import Results
from reporting.document.sections import HOW, REST, Writer, flat, section_name
from reporting.document.words.counted_trials import data_lines
from reporting.document.words.origins import signature
from reporting.document.words.view import views
from reporting.features.catalogue import FEATURES, asked_by
from reporting.features.own_sections import OwnSection
from reporting.features.sections import SECTIONS, WITHIN_HOW


def compose(results: Results, own: Sequence[Writer] = (), order: Sequence[str] = (REST,)) -> Report:
    """Return the report in the usual order; a section that has nothing to show is left out.

    ``own`` writes sections of the caller's, which follow the answer; their anchors are their names. What
    ``order``, the list of ``report.sections``, does not have is not written.
    """
    questions = asked_by(results.study)
    unasked = (feature for feature in FEATURES.values() if feature not in questions)
    left_out = {chapter.key for feature in unasked for chapter in feature.sections}
    usual = [
        each
        for each in SECTIONS.values()
        if has(order, each.key) and each.key not in left_out and not each.on_request(results)
    ]
    if results.study.many:
        usual.sort(key=lambda chapter: chapter.key != "ranking")
    sections = (
        *(chapter.write(results) for chapter in usual if chapter.answer),
        *(
            dataclasses.replace(section, anchor=section_name(write))
            for write in own
            if has(order, section_name(write)) and (section := write(results))
        ),
        *(chapter.write(results) for chapter in usual if not chapter.answer),
    )
    answer = next((each.in_words(results) for each in questions if each.answer), InWords())
    opening = [line for of in questions for line in called(of.lines, results)]
    following = [line for of in questions for line in called(of.below, results)]
    on_test, *on_dev = data_lines(results)
    return Report(
        title=elided(results.study.title),
        data_line=" ".join((on_test, *on_dev)),
        verdict=answer.verdict,
        sections=tuple(_gathered(section for section in sections if section is not None)),
        signature=signature(results),
        held=tuple(line for of in questions for line in called(of.held, results)),
        by_dataset=answer.by_dataset,
        headline=answer.headline,
        answer=(*answer.sentences, *opening, *following),
        lead=(*opening, *answer.lead) if answer.below else (),
        below=(*answer.below, *on_dev, *following) if answer.below else (),
        on_test=on_test if answer.below else "",
    )


def has(order: Sequence[str], name: str) -> bool:
    """Return whether a list of sections has one, by its name or with the rest."""
    return name in order or REST in order


def reorder(report: Report, results: Results, order: Sequence[str], own: Sequence[OwnSection]) -> Report:
    """Return the report with the sections that ``order`` names, in that order.

    Those that a report has only on request are written now; one with nothing to show is left out. What is
    named is open. The methods then describe every analysis that is shown.
    """
    usual: dict[str, Section | None] = {section.anchor: section for section in flat(report.sections)}
    shown = (section for section in own if has(order, section.name))
    usual |= {section.name: section.write(results, report) for section in shown}
    sections: list[Section] = []
    for name in order:
        if name == REST:
            sections += _gathered(section for each, section in usual.items() if section and each not in order)
            continue
        named = usual[name] if name in usual else SECTIONS[name].write(results) if name in SECTIONS else None
        if named is not None:
            sections.append(dataclasses.replace(named, folded=False))
    if text := " ".join(_described(results, sections)):
        sections = [_with_methods(section, text) for section in sections]
    return dataclasses.replace(report, sections=tuple(sections))


def _described(results: Results, sections: Iterable[Section]) -> Iterator[str]:
    """Yield how each question that has a section or a figure among these was computed.

    The sentence is the text ``how_KEY`` of its words: KEY is an anchor, or begins the name of a figure.
    """
    names = list(_names(sections))
    for feature in FEATURES.values():
        for text in feature.spoken().texts:
            key = text.removeprefix(HOW_COMPUTED)
            if key != text and any(name == key or name.startswith(f"{key}_") for name in names):
                yield feature.text(views(results)[0], text)


HOW_COMPUTED = "how_"
"""How the names of texts begin that describe a question in the methods."""


def _names(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the anchors of sections and the names of figures."""
    for block in blocks:
        if isinstance(block, Section):
            yield block.anchor
            yield from _names(block.blocks)
        elif isinstance(block, Figure):
            yield block.name


def _with_methods(section: Section, text: str) -> Section:
    """Return a section whose methods have a paragraph on all other analyses, before that on software."""
    blocks = [_with_methods(block, text) if isinstance(block, Section) else block for block in section.blocks]
    if section.anchor == METHODS:
        blocks.insert(-1, Prose(text, "Further analyses."))
    return dataclasses.replace(section, blocks=tuple(blocks))


METHODS = "methods"
"""The anchor of the methods."""


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
