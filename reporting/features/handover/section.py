"""The thresholds that are handed over, with their rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reporting.core.criteria.catalogue import read_criterion
from reporting.document import numbers
from reporting.document.blocks import Block, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import acceptance, threshold_phrase
from reporting.document.words.printing import Printing, standard_error
from reporting.document.words.tables import ColumnOf, Estimate, TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import ERROR_RATES, DatasetView, views
from reporting.features.handover import FEATURE
from reporting.features.handover.frame import HANDOVER, MEASURES, HandoverRow

IN_A_FILE = (
    "{level} CIs in brackets, for new {trials} of the population of the test set. The file thresholds.json"
    " holds these thresholds in full; reporting drift thresholds.json NEW_SCORES checks new scores with it."
)

Rates = Mapping[str, HandoverRow]
"""The rows of one threshold by rate."""


def handover(results: Results) -> Section | None:
    """Return the thresholds of each dataset with their rates; nothing where none is handed over."""
    whole = (view for view in views(results) if view.whole)
    return FEATURE.section("handover").per_view(whole, _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    by_threshold: dict[tuple[str, str], dict[str, HandoverRow]] = {}
    for row in view.rows(HANDOVER, "test"):
        by_threshold.setdefault((row.criterion, row.model), {})[row.rate] = row
    criteria = list(map(str, view.study.criteria))
    rows = sorted(by_threshold, key=lambda key: (criteria.index(key[0]), view.ranked.index(key[1])))
    if not rows:
        return ()
    table = TableOf[Rates](view)
    return (
        table.build(
            "handover",
            f"{capitalised(view.terms.thresholds)} with their rates on the test set.",
            [by_threshold[key] for key in rows],
            (
                table.model(lambda rates: rates["far"].model),
                table.number(view.terms.threshold, lambda rates: rates["far"].threshold, numbers.significant),
                *(_rate(view, table, rate, by_threshold.values()) for rate in MEASURES),
            ),
            (
                IN_A_FILE.format(level=table.level, trials=view.terms.trials),
                *((acceptance(view),) if view.study.negated else ()),
            ),
            group=lambda rates: capitalised(
                threshold_phrase(read_criterion(rates["far"].criterion), view.study)
            ),
        ),
    )


def _rate(view: DatasetView, table: TableOf[Rates], rate: str, rows: Iterable[Rates]) -> ColumnOf[Rates]:
    measure, level = MEASURES[rate], view.study.inference.level

    def estimate(rates: Rates) -> Estimate:
        row = rates[rate]
        return Estimate(row.value, row.ci_low, row.ci_high, None if row.value is not None else "degenerate")

    errors = [standard_error(of[rate].ci_low, of[rate].ci_high, level) for of in rows]
    printed = view.printing(measure) if measure in ERROR_RATES else Printing.of(measure, errors)
    return table.estimate(view.terms.measure(measure), estimate, printed, unit=printed.unit)
