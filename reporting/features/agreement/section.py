"""How alike two models decide: on which trials they are right together, and Cohen's kappa."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.blocks import Block, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import threshold_phrase
from reporting.document.words.tables import TableOf
from reporting.document.words.view import DatasetView, views
from reporting.features.agreement import FEATURE
from reporting.features.agreement.frame import AGREEMENT, AgreementRow

KAPPA = (
    "Kappa: Cohen's kappa of the two models' decisions to accept or reject, whatever the labels; 1 where they"
    " always decide alike, 0 where no more often than independent decisions would."
)
ALL_OR_NONE = "both models accept all trials, or both reject all"


def agreement(results: Results) -> Section | None:
    """Return one table for each dataset; nothing where it is not requested, or of a single model."""
    return FEATURE.section("agreement").per_view((view for view in views(results) if view.whole), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    models, rows = view.results.models, view.rows(AGREEMENT, "test")
    if not rows:
        return ()
    table = TableOf[AgreementRow](view)
    criterion = next((each for each in view.study.criteria if str(each) == rows[0].criterion), None)
    at = "" if criterion is None else f", at {threshold_phrase(criterion, view.study)}"
    return (
        table.build(
            "agreement",
            f"Test {view.terms.trials} by which of two models decides them right{at}.",
            sorted(rows, key=lambda row: (models.index(row.model), models.index(row.other))),
            (
                table.model(lambda row: row.model),
                table.text("other", lambda row: view.names[row.other]),
                table.count("both right", lambda row: row.both_right),
                table.count("model only", lambda row: row.model_right),
                table.count("other only", lambda row: row.other_right),
                table.count("neither", lambda row: row.neither_right),
                table.number(
                    "same decision", lambda row: row.alike, lambda share: numbers.percent(share, 1), unit="%"
                ),
                table.number(
                    "kappa",
                    lambda row: row.kappa,
                    3,
                    why=lambda row: table.reason(row) if row.alike is None else view.terms.say(ALL_OR_NONE),
                ),
            ),
            (KAPPA,),
        ),
    )
