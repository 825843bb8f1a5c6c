"""A store as a report of its own: the trends of all measures, and the runs behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporting import __version__
from reporting.charts.picture import Words
from reporting.errors import DataError
from reporting.history.printed import Printed, known_measure
from reporting.history.store import Run, Store
from reporting.history.terminal import looked_at
from reporting.history.trends import (
    MOST_BANDS,
    Asked,
    Trend,
    models_of,
    printed_trends,
    styles_of,
    together,
    trend_figure,
    trends,
)
from reporting.report.blocks import UNDEFINED, Block, Caution, Cell, Column, Prose, Report, Section, Table
from reporting.report.provenance import Provenance, library_versions

Names = Mapping[str, str]
OWN_TRIALS = (
    "Each run has its own trials and thresholds: bands that part do not replace a comparison on the trials"
    " that two runs share."
)


def history_report(store: Store, asked: Asked) -> tuple[Report, Provenance]:
    """Return the report of a store's trends and where its numbers come from; DataError without any run."""
    runs, values, cautions = looked_at(store, asked)
    if not runs or values.is_empty():
        raise DataError(f"{store.place.where}: there is no run to show")
    last = runs[-1].facts
    names = _distinct(models_of(runs))
    found = trends(values, list(names), last.measure)
    sections = [*_sections(found, names), _runs_section(runs)]
    if cautions:
        told = tuple(Caution(text) for text in cautions)
        sections.append(Section("What is left out", "left-out", told))
    report = Report(
        title=f"{last.title}: run history",
        data_line=_data_line(runs, names),
        verdict=_verdict(found, last.measure, names),
        sections=tuple(sections),
        signature=f"reporting {__version__} | {store.place.where} | {len(runs)} runs",
    )
    seen = store.snapshot("9999-12-31")
    return report, Provenance(__version__, (seen,), library_versions(), last.seed, last.as_of)


def _distinct(names: Names) -> dict[str, str]:
    """Printed names; equal ones get their key behind."""
    said = list(names.values())
    return {key: name if said.count(name) == 1 else f"{name} ({key})" for key, name in names.items()}


def _data_line(runs: Sequence[Run], names: Names) -> str:
    first, last = runs[0].facts.as_of, runs[-1].facts.as_of
    span = first if first == last else f"{first} to {last}"
    plural = "" if len(runs) == 1 else "s"
    return f"{len(runs)} run{plural}, {span}; {len(names)} model{'' if len(names) == 1 else 's'}"


def _verdict(found: Sequence[Trend], measure: str, names: Names) -> str:
    """Say of each place which model leads in the last run with values, and where it stood in the first."""
    said = [
        text
        for same in together([one for one in found if one.measure == measure], "dataset", "group")
        if (text := _leader(same, names))
    ]
    return " ".join(said) or "The primary measure has no value in any run."


def _leader(same: list[Trend], names: Names) -> str:
    kind, how = known_measure(same[0].measure), printed_trends(same)
    last = max(one.as_of[-1] for one in same)
    there = [one for one in same if one.as_of[-1] == last and one.values[-1] is not None]
    if not there or kind is None:
        return ""
    best = min(there, key=lambda one: kind.badness(one.values[-1] or 0.0))
    unit = "\u202f%" if how.percent else ""
    place = ", ".join(filter(None, ("" if best.dataset == "all" else best.dataset, best.group)))
    where = f" on {place}" if place else ""
    said = f"{how.value(best.values[-1])}{unit} {how.interval(best.low[-1], best.high[-1])}".rstrip()
    sentence = f"In the run of {last}, {names[best.model]} has the {kind.best} {how.label}{where}, {said}"
    if len(best.values) > 1 and best.values[0] is not None:
        then = how.both(best.values[0], best.low[0], best.high[0])
        sentence += f"; in that of {best.as_of[0]} it had {then}"
    return f"{sentence}."


def _sections(found: list[Trend], names: Names) -> list[Section]:
    """One section a place: a picture of each measure, then all last values."""
    styles = styles_of(list(names))
    sections = []
    for number, of_place in enumerate(together(found, "dataset", "group"), start=1):
        one = of_place[0]
        place = ", ".join(filter(None, ("" if one.dataset == "all" else one.dataset, one.group)))
        by_measure = together(of_place, "measure")
        blocks: list[Block] = [
            _picture(f"{number}_{n}", same, names, styles) for n, same in enumerate(by_measure, start=1)
        ]
        blocks += [Prose(OWN_TRIALS), _last_values(number, by_measure, names)]
        title = f"Trends: {place}" if place else "Trends"
        sections.append(Section(title, f"trends-{number}", tuple(blocks), beside=True))
    return sections


def _picture(number: str, same: list[Trend], names: Names, styles: Mapping[str, int]) -> Block:
    how = printed_trends(same)
    models = [one.model for one in same]
    if len(set(models)) < len(models):
        return Prose(f"{how.label}: several runs of one model without a mean are not drawn.")
    words = Words(caption(how, same), described(how, same, names))
    return trend_figure(f"trend_{number}", same, how, names, styles, words)


def caption(how: Printed, same: Sequence[Trend]) -> str:
    """Say what is drawn."""
    levels = {one.level for one in same if one.level is not None}
    level = f"{100 * levels.pop():g} % " if len(levels) == 1 else ""
    drawn = len(same) <= MOST_BANDS and any(limit is not None for one in same for limit in one.low)
    band = f"; bands: the {level}interval of each run" if drawn else ""
    return f"{how.label} on test, by the date of the run{band}."


def described(how: Printed, same: Sequence[Trend], names: Names) -> str:
    """Say the picture in words: first and last value of every model."""
    said = [
        f"{names[one.model]} from {how.value(one.values[0])} on {one.as_of[0]} to {how.value(one.values[-1])}"
        f" on {one.as_of[-1]}"
        for one in same[:12]
    ]
    more = [f"and {len(same) - 12} more models"] if len(same) > 12 else []
    return f"{how.titled} by run: {'; '.join([*said, *more])}."


def _last_values(number: int, by_measure: Sequence[list[Trend]], names: Names) -> Table:
    """The last value of each model by each measure, and the one before it."""
    columns = (
        Column("measure"),
        Column("model"),
        Column("last", "number"),
        Column("interval", "interval"),
        Column("before", "number"),
    )
    last = max(one.as_of[-1] for same in by_measure for one in same)
    rows: list[tuple[Cell, ...]] = []
    absent: dict[str, str] = {}
    for same in by_measure:
        how = printed_trends(same)
        for one in same:
            rows.append(_last_row(one, how, names, mark="†" if one.as_of[-1] < last else ""))
            absent |= {names[one.model]: one.as_of[-1]} if one.as_of[-1] < last else {}
    note = f"† not in the last run: {'; '.join(f'{name}, last on {day}' for name, day in absent.items())}."
    said = f"Values in the run of {last}, and in the run before."
    return Table(f"last_values_{number}", said, columns, tuple(rows), (note,) if absent else ())


def _last_row(one: Trend, how: Printed, names: Names, mark: str) -> tuple[Cell, ...]:
    before = one.values[-2] if len(one.values) > 1 else None
    interval = how.interval(one.low[-1], one.high[-1])
    return (
        Cell(how.titled),
        Cell(names[one.model], mark=mark),
        Cell(how.value(one.values[-1]), one.values[-1]),
        Cell(interval or UNDEFINED, reason="" if interval else "the run has no interval"),
        Cell(how.value(before), before, reason="" if before is not None else "there is no value before"),
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
            Cell(f"{run.facts.measure} at {run.facts.criterion}"),
            Cell(" ".join(source.sha256[:8] for source in run.facts.inputs)),
            Cell(run.facts.version),
        )
        for run in reversed(runs)
    )
    caption_of_runs = "Runs, the last one first; inputs by the beginning of their sha256."
    return Section("Runs", "runs", (Table("runs", caption_of_runs, columns, rows),))
