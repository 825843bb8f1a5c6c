"""A section that says the same of every dataset: flat for one, with subsections for several."""

from __future__ import annotations

from collections.abc import Callable

from reporting.charts.scope import Scope, scopes
from reporting.frames.results import Results
from reporting.report.blocks import Block, Section


def by_scope(
    title: str,
    anchor: str,
    results: Results,
    blocks_of: Callable[[Scope], tuple[Block, ...]],
    beside: bool = False,
) -> Section | None:
    """Return the section, or None where no dataset has anything to show; ``beside`` pairs its figures."""
    found = [(scope, blocks) for scope in scopes(results) if (blocks := blocks_of(scope))]
    if not found:
        return None
    if len(found) == 1 and not found[0][0].label:
        return Section(title, anchor, found[0][1], beside)
    parts = tuple(
        Section(scope.label, f"{anchor}-{scope.number + 1}", blocks, beside) for scope, blocks in found
    )
    return Section(title, anchor, parts)
