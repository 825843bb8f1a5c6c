"""What a section of a report is: its anchor, its title, what writes it, and when a report has it.

A writer is named by module and function and loaded when it writes, because every config is checked with
these names, also where nothing is computed or drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reporting.base.contents import Named
from reporting.base.extensions import imported
from reporting.base.records import dataclass
from reporting.document.blocks import Block, Section

if TYPE_CHECKING:
    from reporting.document.frames.results import Results
    from reporting.document.words.view import DatasetView

Writer = Callable[["Results"], Section | None]

Shown = Sequence[tuple["DatasetView", tuple[Block, ...]]]
"""The blocks of each view that has any."""

REST = "rest"
"""Means every section that is not named, in the usual order, the user's own last."""


@dataclass(frozen=True, kw_only=True)
class SectionSpec(Named):
    """A section by its anchor: its title, its writer, and whether it is written unasked."""

    title: str
    writer: str
    answer: bool = False
    """Whether readers look for it first; sections that a caller hands in follow these."""
    folded: bool = False
    """Whether it opens on request, unless ``report.sections`` names it."""
    within: str = ""
    """The anchor of the section that it is a part of, unless ``report.sections`` names it."""
    on_request: Callable[[Results], bool] = lambda results: False
    """Whether a report has it only where ``report.sections`` names it."""

    def write(self, results: Results) -> Section | None:
        """Return the section, or None where there is nothing to show."""
        write: Writer = imported(self.writer)
        return write(results)

    def of(self, blocks: Iterable[Block], beside: bool = False) -> Section | None:
        """Return the section of some blocks, or None without any; its figures in pairs where asked."""
        shown = tuple(blocks)
        return Section(self.title, self.key, shown, beside, self.folded) if shown else None

    def part(
        self, title: str, number: int, blocks: tuple[Block, ...], beside: bool = False, folded: bool = False
    ) -> Section:
        """Return one of several parts of the section, counted from 1."""
        return Section(title, f"{self.key}-{number}", blocks, beside, folded)

    def per_view(
        self,
        views: Iterable[DatasetView],
        blocks_of: Callable[[DatasetView], tuple[Block, ...]],
        beside: bool = False,
        merged: Callable[[Shown], tuple[Block, ...]] = lambda shown: (),
    ) -> Section | None:
        """Return the section with a part for each view, single runs folded; None where nothing is shown.

        What ``merged`` returns, if anything, replaces the parts of datasets.
        """
        shown = [(view, blocks) for view in views if (blocks := blocks_of(view))]
        datasets = [(view, blocks) for view, blocks in shown if view.whole]
        if len(datasets) > 1 and (together := merged(datasets)):
            runs = (
                self.part(view.label, view.number + 1, blocks, beside, folded=True)
                for view, blocks in shown
                if not view.whole
            )
            return self.of((*together, *runs), beside)
        if len(shown) == 1 and not shown[0][0].label:
            return self.of(shown[0][1], beside)
        return self.of(
            self.part(view.label, view.number + 1, blocks, beside, not view.whole) for view, blocks in shown
        )


CORE_SET = "core-set"
"""The section that a profile of prediction models names."""
HOW = "how"
"""The last section: data, terms, methods and sources as its parts, opened on request."""

ALWAYS = "summary"
"""No report is without it: it holds the answer and its cautions."""


def flat(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections that ``report.sections`` may name, also those that are parts of the last one."""
    for section in sections:
        if section.anchor == HOW:
            yield from (block for block in section.blocks if isinstance(block, Section))
        else:
            yield section


def section_name(write: Callable[..., Any]) -> str:
    """Return what ``report.sections`` calls the section that a function writes: ``by_site`` is by-site."""
    return getattr(write, "__name__", "").replace("_", "-")
