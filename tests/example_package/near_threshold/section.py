"""The table of the trials near each threshold, and the caution where targets are rare."""

from __future__ import annotations

from collections.abc import Iterator

from near_threshold import FEATURE, PREVALENCE_THRESHOLD
from near_threshold.frame import NEAR_THRESHOLD, SHARE, NearRow
from reporting.document import numbers
from reporting.document.blocks import Block, Caution, Section
from reporting.document.frames.results import Results
from reporting.document.frames.trials import TRIALS
from reporting.document.words.phrases import listing
from reporting.document.words.tables import TableOf, spanner
from reporting.document.words.view import DatasetView, views


def near_threshold(results: Results) -> Section | None:
    """Return one table for each dataset."""
    return FEATURE.section("near-threshold").per_view(views(results), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    rows = view.rows(NEAR_THRESHOLD, "test")
    if not rows:
        return ()
    terms, table = view.terms, TableOf[NearRow](view)
    criteria = {str(criterion): terms.criterion(criterion) for criterion in view.study.criteria}
    return (
        table.build(
            "near_threshold",
            f"Test {terms.trials} nearest to each threshold: at least {SHARE:.0%} of all on either side.",
            sorted(rows, key=lambda row: (list(criteria).index(row.criterion), view.ranked.index(row.model))),
            (
                table.model(lambda row: row.model),
                table.number("threshold", lambda row: row.threshold, 3),
                *spanner(
                    "just accepted",
                    table.count(terms.targets, lambda row: row.accepted_targets),
                    table.count(terms.nontargets, lambda row: row.accepted_nontargets),
                ),
                *spanner(
                    "just rejected",
                    table.count(terms.targets, lambda row: row.rejected_targets),
                    table.count(terms.nontargets, lambda row: row.rejected_nontargets),
                ),
            ),
            (FEATURE.text(view, "stricter"),),
            group=lambda row: criteria[row.criterion],
        ),
    )


def rare_targets(view: DatasetView) -> Iterator[Caution]:
    """Yield that targets are rarer in the test set than the prevalence threshold of some models."""
    test, criterion = view.rows(TRIALS, "test"), view.point_criterion
    if criterion is None or not test:
        return
    share = test[0].n_target / (test[0].n_target + test[0].n_nontarget)
    metrics = [view.metric(model, PREVALENCE_THRESHOLD, criterion) for model in view.ranked]
    rare = {row.model: row.value for row in metrics if row and row.value is not None and row.value > share}
    if rare:
        models = listing(
            f"{view.names[model]} ({numbers.percent(value, 1)}%)" for model, value in rare.items()
        )
        yield FEATURE.caution(view, "rare_targets", test_share=numbers.percent(share, 1), models=models)
