"""The sections of a report in the order in which they are read: to add one is one file and its line here.

A writer is named by module and function and loaded when it writes, because every config is checked with
these names, also where nothing is computed or drawn.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.contents import Contents, Named
from reporting.report.blocks import Block, Section

if TYPE_CHECKING:
    from reporting.frames.results import Results
    from reporting.wording.view import View

Writer = Callable[["Results"], Section | None]

Shown = Sequence[tuple["View", tuple[Block, ...]]]
"""The blocks of each view that has any."""

REST = "rest"
"""Stands for every section that is not named, in the usual order, the user's own last."""


@dataclass(frozen=True, kw_only=True)
class Chapter(Named):
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
        module, _, function = self.writer.partition(".")
        section: Section | None = getattr(importlib.import_module(f"{__package__}.{module}"), function)(
            results
        )
        return section

    def of(self, blocks: Iterable[Block], beside: bool = False) -> Section | None:
        """Return the section of some blocks, None of none; ``beside`` pairs its figures."""
        shown = tuple(blocks)
        return Section(self.title, self.key, shown, beside, self.folded) if shown else None

    def part(
        self, title: str, number: int, blocks: tuple[Block, ...], beside: bool = False, folded: bool = False
    ) -> Section:
        """Return one of several parts of the section, counted from 1."""
        return Section(title, f"{self.key}-{number}", blocks, beside, folded)

    def per_view(
        self,
        views: Iterable[View],
        blocks_of: Callable[[View], tuple[Block, ...]],
        beside: bool = False,
        merged: Callable[[Shown], tuple[Block, ...]] = lambda shown: (),
    ) -> Section | None:
        """Return the section with a part for each view, single runs folded; None where nothing is shown.

        What ``merged`` returns, if anything, stands in for the parts of datasets.
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

SECTIONS = Contents(
    "section",
    [
        Chapter(key="summary", title="Summary", writer="summary.summary", answer=True),
        Chapter(
            key="ranking",
            title="Ranking",
            writer="ranking.ranking",
            answer=True,
            on_request=lambda results: not results.study.many,
        ),
        Chapter(key="gates", title="Gates", writer="gates.gates", answer=True),
        Chapter(key="since-last", title="Since last time", writer="since_last.since_last", answer=True),
        Chapter(
            key=CORE_SET,
            title="Core set of performance measures",
            writer="core_set.core_set",
            on_request=lambda results: True,
        ),
        Chapter(key="curves", title="Curves", writer="curves.curve_figures"),
        Chapter(key="cost-choice", title="Which model for which costs?", writer="cost_choice.cost_choice"),
        Chapter(key="operating-points", title="Operating points", writer="operating_points.operating_points"),
        Chapter(key="abstention", title="Accept, review or reject", writer="abstention.abstention"),
        Chapter(key="tables", title="Tables", writer="paper_tables.paper_tables"),
        Chapter(key="areas", title="Mean expected performance", writer="areas.areas", folded=True),
        Chapter(key="transfer", title="Thresholds across datasets", writer="transfer.transfer", folded=True),
        Chapter(key="costs", title="Detection costs", writer="costs.costs", folded=True),
        Chapter(
            key="other-measures", title="Other measures", writer="other_measures.other_measures", folded=True
        ),
        Chapter(key="fits", title="Smooth curves", writer="fits.fits", folded=True),
        Chapter(key="comparisons", title="Comparisons", writer="comparisons.comparisons", folded=True),
        Chapter(key="tests", title="Further tests", writer="further_tests.further_tests", folded=True),
        Chapter(
            key="agreement",
            title="Agreement of decisions",
            writer="agreement.agreement",
            folded=True,
            on_request=lambda results: True,
        ),
        Chapter(key="groups", title="Groups", writer="groups.groups"),
        Chapter(key="breakdowns", title="Breakdowns", writer="breakdowns.breakdowns", folded=True),
        Chapter(key="trends", title="Trends", writer="trends.trends"),
        Chapter(key="methods", title="Methods", writer="methods.methods", within=HOW),
        Chapter(key="data", title="Data", writer="data.data", within=HOW),
        Chapter(key="glossary", title="Glossary", writer="glossary.glossary", within=HOW),
        Chapter(
            key="crosswalk",
            title="Reporting checklists",
            writer="crosswalk.crosswalk",
            within=HOW,
            on_request=lambda results: results.study.vocabulary != "medical",
        ),
        Chapter(key="provenance", title="Provenance", writer="provenance.provenance", within=HOW),
    ],
)

NAMES = (*(key for key in SECTIONS if key != "crosswalk"), "crosswalk", REST)
"""What ``report.sections`` may name, apart from the user's own."""

ALWAYS = "summary"
"""No report is without it: it holds the answer and its cautions."""


def flat(sections: Iterable[Section]) -> Iterator[Section]:
    """Yield the sections that ``report.sections`` may name, also those that are parts of the last one."""
    for section in sections:
        if section.anchor == HOW:
            yield from (block for block in section.blocks if isinstance(block, Section))
        else:
            yield section


def gathered(sections: Iterable[Section]) -> list[Section]:
    """Return the sections in their order, those that tell how the report was made as parts of a last one."""
    every = list(sections)
    parts = tuple(each for each in every if each.anchor in SECTIONS and SECTIONS[each.anchor].within)
    shown = [section for section in every if section not in parts]
    return [*shown, *([Section("How this was done", HOW, parts, folded=True)] if parts else [])]


def section_name(write: Callable[..., Any]) -> str:
    """Return what ``report.sections`` calls the section that a function writes: ``by_site`` is by-site."""
    return getattr(write, "__name__", "").replace("_", "-")
