"""The section of the passport: coverage, size and power of each headline number, and the cautions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reporting.document import numbers
from reporting.document.blocks import Block, Caution, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.words.phrases import cluster, clusters, first_question, level_text, listing
from reporting.document.words.tables import ColumnOf, Estimate, TableOf, second_line
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.passport import FEATURE
from reporting.features.passport.frame import PASSPORT, PassportRow, rejects_too_often
from reporting.inputs.spec import ACROSS_FOLDS

MOST_NAMED = 4


def passport(results: Results) -> Section | None:
    """Return what simulated tables show of every dataset's headline."""
    whole = (view for view in views(results) if view.whole)
    return FEATURE.section("passport").per_view(whole, lambda view: tuple(blocks(view)))


def blocks(view: DatasetView) -> Iterator[Block]:
    """Yield how tables were simulated, coverage of values, and coverage, size and power of differences."""
    rows = view.rows(PASSPORT)
    if not rows:
        return
    yield Prose(" ".join(_how(view, rows)))
    values, compared = ([row for row in rows if (row.baseline is None) is alone] for alone in (True, False))
    if values:
        yield _covered(view, values)
    if compared:
        yield _tested(view, compared)


def _how(view: DatasetView, rows: Sequence[PassportRow]) -> Iterator[str]:
    first, estimands = rows[0], {row.inference for row in rows}
    whole = f"whole {clusters(view.results)}" if view.results.cluster else view.terms.trials
    yield FEATURE.text(view, "drawn", tables=numbers.count(first.simulations), units=whole)
    yield FEATURE.text(view, "computed", replicates=numbers.count(first.replicates), seed=first.seed)
    if "given_thresholds" in estimands:
        yield FEATURE.text(view, "given")
    if "procedure" in estimands:
        across = view.study.thresholds.policy in ACROSS_FOLDS
        yield FEATURE.text(view, "across_folds" if across else "procedure")
    if any(row.size is not None for row in rows):
        unit = cluster(view.results) if view.results.cluster else view.terms.trial
        yield FEATURE.text(view, "exchanged", unit=unit)
    broken = sum(row.promise == "broken" for row in rows)
    yield (
        FEATURE.text(view, "broken", broken=broken, every=len(rows)) if broken else FEATURE.text(view, "kept")
    )


def _units(view: DatasetView) -> str:
    return clusters(view.results) if view.results.cluster else view.terms.trials


def _covered(view: DatasetView, rows: Sequence[PassportRow]) -> Table:
    table, printed = TableOf[PassportRow](view, _no_share(view)), view.printing(view.study.primary.measure)
    return table.build(
        "passport",
        f"{capitalised(first_question(view))}, test set: how often the CI holds the truth.",
        sorted(rows, key=lambda row: view.ranked.index(row.model)),
        (
            table.model(lambda row: row.model),
            table.estimate(f"value, {table.level} CI", _estimate, printed, unit=printed.unit),
            *_coverage(table),
        ),
        tuple(_limits_notes(view)),
    )


def _tested(view: DatasetView, rows: Sequence[PassportRow]) -> Table:
    table, printed = TableOf[PassportRow](view, _no_share(view)), view.printing(view.study.primary.measure)
    columns = [
        table.text("comparison", lambda row: name(view, row)),
        table.estimate(f"difference, {table.level} CI", _estimate, printed, unit=printed.difference_unit),
        *_coverage(table),
        _share(table, "size", lambda row: row.size, lambda row: (row.size_low, row.size_high)),
        _share(table, "power", lambda row: row.power, lambda row: (row.power_low, row.power_high)),
    ]
    if (margin := rows[0].margin) is not None:
        title = f"power at {printed.difference_with_unit(margin)}"
        columns.append(table.number(title, lambda row: row.margin_power, _percent, unit="%"))
    return table.build(
        "passport_tests",
        "Differences: coverage, size and power of the headline test.",
        rows,
        columns,
        tuple(_notes(view, rows)),
    )


def _notes(view: DatasetView, rows: Sequence[PassportRow]) -> Iterator[str]:
    first = rows[0]
    yield FEATURE.text(view, "limits")
    if any(row.size is not None for row in rows):
        yield FEATURE.text(view, "size", alpha=level_text(1 - first.level))
    if first.family_size is not None and len(rows) > 1:
        limits = _limits(first.family_size_low, first.family_size_high)
        yield FEATURE.text(view, "family", pairs=len(rows), share=_percent(first.family_size), limits=limits)
    yield FEATURE.text(view, "power")
    if first.margin is not None:
        yield FEATURE.text(view, "margin")


def _limits_notes(view: DatasetView) -> Iterator[str]:
    """Yield what the limits of shares are, and how a promise is judged by those of all headline numbers."""
    here, every = view.rows(PASSPORT), view.results.frame(PASSPORT).height
    yield FEATURE.text(view, "limits")
    if every > 1 and any(row.promise for row in here):
        yield FEATURE.text(view, "promise", level=level_text(here[0].level), every=every)


def _no_share(view: DatasetView) -> Callable[[PassportRow], str]:
    return lambda row: FEATURE.text(view, "no_share")


def _coverage(table: TableOf[PassportRow]) -> list[ColumnOf[PassportRow]]:
    return [
        _share(
            table, "coverage", lambda row: row.coverage, lambda row: (row.coverage_low, row.coverage_high)
        ),
        table.text("promise", lambda row: row.promise),
    ]


def _share(
    table: TableOf[PassportRow],
    title: str,
    share: Callable[[PassportRow], float | None],
    limits: Callable[[PassportRow], tuple[float | None, float | None]],
) -> ColumnOf[PassportRow]:
    """Return the column of a share, with its Monte Carlo limits beneath."""
    return second_line(table.number(title, share, _percent, unit="%"), lambda row: _limits(*limits(row)))


def _estimate(row: PassportRow) -> Estimate:
    return Estimate(row.estimate, row.ci_low, row.ci_high, None)


def _percent(share: float) -> str:
    return numbers.percent(share, 1)


def _limits(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_percent(low)} to {_percent(high)}"


def name(view: DatasetView, row: PassportRow) -> str:
    """Return what a row is about: a model, or model minus baseline."""
    model = view.names[row.model]
    return model if row.baseline is None else f"{model} {numbers.MINUS} {view.names[row.baseline]}"


def broken_promises(view: DatasetView) -> Iterator[Caution]:
    """Yield what covers less often, or rejects more often, than it promises."""
    rows = view.rows(PASSPORT)
    broken = sorted((row for row in rows if row.promise == "broken"), key=lambda row: row.coverage or 0.0)
    if broken:
        yield FEATURE.caution(
            view,
            "low_coverage",
            grave=True,
            numbers=listing((_measured(view, row, "coverage") for row in broken), MOST_NAMED),
            level=level_text(broken[0].level),
            tables=numbers.count(broken[0].simulations),
            remedy=_remedy(view, broken[0]),
        )
    n_tests = view.results.frame(PASSPORT)["size"].count()
    large = [row for row in rows if rejects_too_often(row, n_tests)]
    if large:
        yield FEATURE.caution(
            view,
            "high_size",
            grave=True,
            pairs=listing((_measured(view, row, "size") for row in large), MOST_NAMED),
            alpha=level_text(1 - large[0].level),
            tables=numbers.count(large[0].simulations),
        )


def _measured(view: DatasetView, row: PassportRow, what: str) -> str:
    share, low, high = (getattr(row, f"{what}{end}") for end in ("", "_low", "_high"))
    return f"{name(view, row)} in {_percent(share)}% ({_limits(low, high)})"


def _remedy(view: DatasetView, row: PassportRow) -> str:
    """Return what was tried for the worst of them, and what coverage it gives."""
    tried = (
        (FEATURE.text(view, "by_cluster", units=_units(view)), row.by_cluster),
        (FEATURE.text(view, "more_test", units=_units(view)), row.more_units),
        (FEATURE.text(view, "more_dev", units=_units(view)), row.more_dev),
        (FEATURE.text(view, "other", method=row.other_interval), row.other_coverage),
    )
    known = [f"{what}, {_percent(share)}%" for what, share in tried if share is not None]
    return FEATURE.text(view, "remedies", number=name(view, row), tried=listing(known)) if known else ""
