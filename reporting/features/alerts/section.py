"""Alerts, targets caught and money saved per day, one row per model and threshold."""

from __future__ import annotations

from typing import NamedTuple

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.threshold import ACCEPTANCE_RATE, PRECISION
from reporting.document import numbers
from reporting.document.blocks import Block, Section, Sense
from reporting.document.frames.results import Results
from reporting.document.words.phrases import reason, threshold_phrase
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, by_dataset, second_line
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.alerts import FEATURE
from reporting.features.alerts.frame import ALERTS, AlertsRow
from reporting.features.alerts.keys import ALERTS_KEY, Alerts

WHOLE = 10
"""From this number on it is printed whole."""


class AlertLine(NamedTuple):
    """The rows of a model at a threshold, by quantity."""

    model: str
    criterion: str
    rows: dict[str, AlertsRow]

    def of(self, quantity: str) -> Estimate:
        """Return a quantity with its limits."""
        row = self.rows[quantity]
        return Estimate(row.value, row.ci_low, row.ci_high, row.status)


def alerts(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without the key ``alerts``."""
    return FEATURE.section("alerts").per_view(views(results), _blocks, merged=by_dataset)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    plan, of = ALERTS_KEY.of(view.study), dict[tuple[str, str], dict[str, AlertsRow]]()
    for row in view.rows(ALERTS, "test"):
        of.setdefault((row.criterion, row.model), {})[row.quantity] = row
    if plan is None or not of:
        return ()
    lines = [
        AlertLine(model, str(criterion), of[str(criterion), model])
        for criterion in view.study.criteria
        for model in view.ranked
        if (str(criterion), model) in of
    ]
    table, words, rate = TableOf[AlertLine](view), view.terms, view.printing(ACCEPTANCE_RATE)
    saved = [_per_day(table, "saved per day", "saved", "higher is better")] if plan.loss is not None else []
    precision = table.estimate(
        words.measure(PRECISION), lambda line: line.of("precision"), view.printing(PRECISION)
    )
    return (
        table.build(
            "alerts",
            f"Alerts of {numbers.count(round(plan.per_day))} {words.trials} per day. In brackets:"
            f" {table.level} CIs.",
            lines,
            (
                table.model(lambda line: line.model),
                table.estimate("alert rate", lambda line: line.of("alert_rate"), rate),
                _per_day(table, "alerts per day", "alerts"),
                _per_day(table, f"{words.targets} among them", "caught"),
                precision,
                *saved,
            ),
            _notes(view, plan, lines[0].rows["alerts"].prevalence),
            group=lambda line: capitalised(threshold_phrase(read_criterion(line.criterion), view.study)),
        ),
    )


def _per_day(table: TableOf[AlertLine], title: str, quantity: str, sense: Sense = "") -> ColumnOf[AlertLine]:
    def limits(line: AlertLine) -> str:
        _, low, high, _ = line.of(quantity)
        return "" if low is None or high is None else f"[{_amount(low)}, {_amount(high)}]"

    def why(line: AlertLine) -> str:
        return reason(line.rows[quantity].status, table.view.terms)

    number = table.number(title, lambda line: line.of(quantity).value, _amount, sense=sense, why=why)
    return second_line(number, limits)


def _amount(value: float) -> str:
    return numbers.count(round(value)) if abs(value) >= WHOLE else numbers.fixed(value, 1)


def _notes(view: DatasetView, plan: Alerts, prevalence: float) -> tuple[str, ...]:
    words, share = view.terms, numbers.percent(prevalence, 2)
    source = "as in the test set" if view.study.prevalence is None else "as declared for the application"
    taken = (
        f"Rates are those of the test set; {share}% of the {words.trials} are taken to be {words.targets},"
        f" {source}."
    )
    if plan.loss is None or plan.review is None:
        return (taken,)
    most = plan.per_day * prevalence * (plan.loss - plan.review)
    return (
        taken,
        f"Saved, compared with no alerts: {plan.loss:,g} for each of the {words.targets} that raises an"
        f" alert, less {plan.review:,g} for each alert; at most {_amount(most)} per day.",
    )
