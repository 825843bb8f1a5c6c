"""Which sections a report has, and in which order: ours and the user's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from reporting.frames.results import Results
from reporting.report.blocks import Report, Section
from reporting.sections.anchors import REST
from reporting.sections.own_sections import OwnSection

Writer = Callable[[Results], Section | None]


def arranged(
    report: Report,
    results: Results,
    order: Sequence[str],
    asked: Mapping[str, Writer],
    own: Sequence[OwnSection],
) -> Report:
    """Return the report with the sections that ``order`` names, in that order.

    ``asked`` writes sections that only a config brings in; one with nothing to show is left out.
    """
    usual: dict[str, Section | None] = {section.anchor: section for section in report.sections}
    usual |= {
        section.name: section.write(results, report) for section in own if _is_shown(section.name, order)
    }
    found: list[Section | None] = []
    for name in order:
        if name == REST:
            found += [section for each, section in usual.items() if each not in order]
        else:
            found.append(asked[name](results) if name in asked else usual.get(name))
    return dataclasses.replace(report, sections=tuple(section for section in found if section is not None))


def _is_shown(name: str, order: Sequence[str]) -> bool:
    return name in order or REST in order
