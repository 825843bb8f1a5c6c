"""A store as a report of its own: the trends of all measures, and the runs behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporting import __version__
from reporting.base.legible import counted
from reporting.base.provenance import Provenance, library_versions
from reporting.core.criteria.catalogue import read_criterion
from reporting.document.blocks import UNDEFINED, Block, Cell, Column, Prose, Report, Section, Table
from reporting.document.words.terms import DETECTION
from reporting.document.words.view import styles_of
from reporting.errors import HistoryError
from reporting.features.history import FEATURE, phrases
from reporting.features.history.store import Facts, Run, Store
from reporting.features.history.trends import (
    Selection,
    Trend,
    has_bands,
    models_of,
    printing_of,
    runs_phrase,
    select_runs,
    together,
    trend_figure,
    trends,
)

Names = Mapping[str, str]
OWN_TRIALS = (
    "Each run has its own trials and thresholds, so separate bands do not replace a comparison on the trials"
    " that two runs share."
)


def history_report(store: Store, selection: Selection) -> tuple[Report, Provenance]:
    """Return the report of a store's trends and where its numbers come from; DataError without any run."""
    runs, values, cautions = select_runs(store, selection)
    if not runs or values.is_empty():
        raise HistoryError(f"{store.place.where}: there is no run to show")
    last = runs[-1].facts
    printed = models_of(runs)
    shared = {name for name in printed.values() if list(printed.values()).count(name) > 1}
    names = {key: f"{name} ({key})" if name in shared else name for key, name in printed.items()}
    all_trends = trends(values, list(names), last.measure)
    styles = styles_of(names, last.baseline)
    sections = [*_sections(all_trends, names, styles), _runs_section(runs)]
    if cautions:
        page = FEATURE.code("run_history")
        sections.append(Section("Excluded", "left-out", tuple(map(page.caution, cautions))))
    primary = [trend for trend in all_trends if trend.measure == last.measure]
    leaders = [_leader(same, names) for same in together(primary, "dataset", "group")]
    report = Report(
        title=f"{last.title}: run history",
        data_line=f"{runs_phrase(runs)}; {counted(len(names), 'model')}",
        verdict=" ".join(filter(None, leaders)) or "The primary measure has no value in any run.",
        sections=tuple(sections),
        signature=f"reporting {__version__} | {store.place.where} | {counted(len(runs), 'run')}",
    )
    snapshot = store.snapshot("9999-12-31")
    return report, Provenance(__version__, (snapshot,), library_versions(), last.seed, last.as_of)


def _leader(same: list[Trend], names: Names) -> str:
    measure, printing = phrases.known_measure(same[0].measure), printing_of(same)
    last = max(trend.as_of[-1] for trend in same)
    there = [trend for trend in same if trend.as_of[-1] == last and trend.values[-1] is not None]
    if not there or measure is None:
        return ""
    best = min(there, key=lambda trend: measure.loss(trend.values[-1] or 0.0))
    place = phrases.place_phrase(best.dataset, best.group)
    where = f" on {place}" if place else ""
    value = printing.value(best.values[-1]) + ("%" if printing.percent else "")
    now = f"{value} {printing.interval(best.low[-1], best.high[-1])}".rstrip()
    sentence = (
        f"In the run of {last}, {names[best.model]} has the {measure.best} {printing.label}{where}, {now}"
    )
    if len(best.values) > 1 and best.values[0] is not None:
        then = printing.value_and_interval(best.values[0], best.low[0], best.high[0])
        sentence += f"; in the run of {best.as_of[0]} it had {then}"
    return f"{sentence}."


def _sections(all_trends: list[Trend], names: Names, styles: Mapping[str, int]) -> list[Section]:
    """One section a place: a picture of each measure, then all last values."""
    sections = []
    for number, of_place in enumerate(together(all_trends, "dataset", "group"), start=1):
        place = phrases.place_phrase(of_place[0].dataset, of_place[0].group)
        by_measure = together(of_place, "measure")
        blocks: list[Block] = [
            _picture(f"{number}_{n}", same, names, styles) for n, same in enumerate(by_measure, start=1)
        ]
        blocks += [Prose(OWN_TRIALS), _last_values(number, by_measure, names)]
        title = f"Trends: {place}" if place else "Trends"
        sections.append(Section(title, f"trends-{number}", tuple(blocks), beside=True))
    return sections


def _picture(number: str, same: list[Trend], names: Names, styles: Mapping[str, int]) -> Block:
    printing = printing_of(same)
    models = [trend.model for trend in same]
    if len(set(models)) < len(models):
        return Prose(f"{printing.label}: not drawn, because a model has several runs and no mean.")
    bands = phrases.bands_phrase(trend.level for trend in same) if has_bands(same) else ""
    caption = f"{printing.label} on the test set by date of the run{bands}."
    return trend_figure(f"trend_{number}", same, printing, names, styles, caption)


def _last_values(number: int, by_measure: Sequence[list[Trend]], names: Names) -> Table:
    """The last value of each model by each measure, and the one before it."""
    columns = (
        Column("measure"),
        Column("model"),
        Column("last", "number"),
        Column("CI", "interval"),
        Column("previous", "number"),
    )
    last = max(trend.as_of[-1] for same in by_measure for trend in same)
    rows: list[tuple[Cell, ...]] = []
    absent: dict[str, str] = {}
    for same in by_measure:
        printing = printing_of(same)
        for trend in same:
            gone = trend.as_of[-1] < last
            rows.append(_last_row(trend, printing, names, mark="†" if gone else ""))
            absent |= {names[trend.model]: trend.as_of[-1]} if gone else {}
    note = f"† not in the last run: {'; '.join(f'{name}, last on {day}' for name, day in absent.items())}."
    caption = f"Values in the run of {last} and in the previous run."
    return Table(f"last_values_{number}", caption, columns, tuple(rows), (note,) if absent else ())


def _last_row(trend: Trend, printing: phrases.LabelledPrinting, names: Names, mark: str) -> tuple[Cell, ...]:
    before = trend.values[-2] if len(trend.values) > 1 else None
    interval = printing.interval(trend.low[-1], trend.high[-1])
    return (
        Cell(printing.title),
        Cell(names[trend.model], mark=mark),
        Cell(printing.value(trend.values[-1]), trend.values[-1]),
        Cell(interval or UNDEFINED, reason="" if interval else "the run has no interval"),
        Cell(
            printing.value(before), before, reason="" if before is not None else "there is no previous value"
        ),
    )


def _runs_section(runs: Sequence[Run]) -> Section:
    columns = (
        Column("as of"),
        Column("run"),
        Column("models", "number"),
        Column("primary question"),
        Column("inputs"),
        Column("version"),
    )
    rows = tuple(
        (
            Cell(run.facts.as_of),
            Cell(run.short),
            Cell(str(len(run.facts.models)), float(len(run.facts.models))),
            Cell(_question(run.facts)),
            Cell(" ".join(source.sha256[:8] for source in run.facts.inputs)),
            Cell(run.facts.version),
        )
        for run in reversed(runs)
    )
    caption_of_runs = "Runs, latest first; inputs are identified by the first digits of their SHA-256."
    return Section("Runs", "runs", (Table("runs", caption_of_runs, columns, rows),))


def _question(facts: Facts) -> str:
    """Return the primary measure, with its criterion where it is taken at a threshold."""
    measure = phrases.known_measure(facts.measure)
    if measure is None:
        return facts.measure
    rule = DETECTION.rule(read_criterion(facts.criterion)) if measure.over == "threshold" else ""
    return f"{DETECTION.measure(measure)}{rule and f', thresholds {rule}'}"
