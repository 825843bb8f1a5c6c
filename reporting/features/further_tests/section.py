"""The tests that a config asks for by name: a table each, and in plain sentences what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from reporting.base.legible import counted
from reporting.base.records import dataclass
from reporting.base.word_files import read_words
from reporting.core.criteria.catalogue import read_criterion
from reporting.document import numbers
from reporting.document.blocks import Block, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.frames.tests import TESTS, TestRow
from reporting.document.words import phrases
from reporting.document.words.codes import FLAGS
from reporting.document.words.decisions import printed_alpha
from reporting.document.words.margins import margin_text, printed_of
from reporting.document.words.printing import power_text
from reporting.document.words.tables import ByRow, ColumnOf, TableOf
from reporting.document.words.terms import DETECTION, Terms
from reporting.document.words.view import DatasetView, views
from reporting.features.further_tests import FEATURE, formulas

UNADJUSTED = "Additional tests requested in the configuration; p-values are not adjusted."
PARTS = {"targets": "targets", "nontargets": "non-targets", "both": "both classes"}
MOST_SENTENCES = 6
"""Pairs that have a sentence; the table has all."""
VERDICTS = {
    "equivalent": "equivalent",
    "not_shown_equivalent": "not established",
    "not_inferior": "not inferior",
    "inferior_or_unknown": "not established",
}

NOT_ASKED = "it is not counted in this unit"


@dataclass(frozen=True)
class Family:
    """One test: its name, what it assumes, and the columns of its table."""

    name: str
    assumes: str
    columns: tuple[str, ...]
    by_measure: bool = True
    """A table for each measure; False where all are rates and share one."""


FAMILIES = {
    key: Family(**family)
    for key, family in read_words(Path(__file__).with_name("tests.yaml")).plain().items()
}
DELONG = "DeLong's test, its variance by placements: independent trials, the same for all models."
RESAMPLED = "Student's t, and for several areas Wald's test, by areas of resampled {units}."
WEIGHED = "Normal test, and for several areas Wald's test, by areas of resampled trials."


POOLED = "These tests pool all values of the column that the answer averages over."


def further_tests(results: Results) -> Section | None:
    """Return what each test found, dataset by dataset; nothing where none was requested."""
    first: dict[str, DatasetView] = {}
    for view in views(results):
        first.setdefault(view.dataset, view)
    blocks_of = [(view, blocks) for view in first.values() if (blocks := _blocks(view))]
    if not blocks_of:
        return None
    opening = [Prose(UNADJUSTED), *([Prose(POOLED)] if any(view.averaged for view in first.values()) else [])]
    if len(first) == 1:
        return FEATURE.section("tests").of((*opening, *blocks_of[0][1]))
    parts = (
        FEATURE.section("tests").part(view.dataset, view.number + 1, blocks) for view, blocks in blocks_of
    )
    return FEATURE.section("tests").of((*opening, *parts))


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    order, primary = [None, *view.ranked], str(view.study.primary.measure)

    def place(row: TestRow) -> tuple[int, int, int, bool, bool]:
        part = list(PARTS).index(row.part) if row.part else 0
        pair = order.index(row.model), order.index(row.baseline)
        return (*pair, part, row.measure != primary, row.unit != "trial")

    rows = sorted(view.rows(TESTS), key=place)
    return tuple(
        block
        for test in view.study.inference.tests
        for block in _of_test(view, FAMILIES[test], [row for row in rows if row.test == test])
    )


def _of_test(view: DatasetView, family: Family, rows: list[TestRow]) -> list[Block]:
    if not rows:
        return []
    status = rows[0].status
    if status and all(row.status == status and row.estimate is None for row in rows):
        return [Prose(f"{family.name}: not available, because {why(rows[0], view.terms)}.")]
    omnibus = [row for row in rows if row.test == "delong" and row.model is None]
    of_pairs = [row for row in rows if row not in omnibus]
    frail = of_pairs if rows[0].test == "fragility" else []
    more = len(frail) - MOST_SENTENCES
    by_measure: dict[str | None, list[TestRow]] = {}
    for row in of_pairs:
        by_measure.setdefault(row.measure if family.by_measure else None, []).append(row)
    # Only permutations come of two measures, the second the AUC; a number would look like a dataset's.
    tables = [
        _table(view, family, f"tests_{of_measure[0].test}{'_auc' if at else ''}", of_measure)
        for at, of_measure in enumerate(by_measure.values())
    ]
    return [
        *(Prose(_omnibus(view, row)) for row in omnibus),
        *(Prose(_fragility(view, row)) for row in frail[:MOST_SENTENCES]),
        *([Prose(f"The table has {more} more.")] if more > 0 else []),
        *tables,
    ]


def _table(view: DatasetView, family: Family, name: str, rows: list[TestRow]) -> Table:
    columns = columns_over(view, rows[0])
    # More cases do not make readers more alike, so no number of them need be enough.
    may_suffice = view.study.inference.margin is not None and view.study.runs != "reader"
    return TableOf[TestRow](view).build(
        name,
        _caption(view, family, rows[0]),
        rows,
        [columns[title] for title in family.columns if title != "needed" or may_suffice],
        _notes(view, family, rows),
    )


def columns_over(view: DatasetView, first: TestRow) -> Mapping[str, ColumnOf[TestRow]]:
    """Return every column that a family may name, for the table that begins with a row."""
    table, spoken = TableOf[TestRow](view, lambda row: why(row, view.terms)), view.terms
    points = printed_of(view, first.measure).difference_unit
    level = view.study.inference.level
    # Dual to two one-sided tests at the level: see ``stats.equivalence.equivalence_level``.
    shown = round(2 * level - 1 if first.test == "equivalence" else level, 10)
    printed = ByRow[TestRow](lambda row: printed_of(view, row.measure))

    def amount(title: str, of: Callable[[TestRow], float | None]) -> ColumnOf[TestRow]:
        return table.number(title, of, printed, unit=points)

    return {
        "model": table.model(lambda row: row.model or ""),
        "minus": table.text("against", lambda row: view.names[row.baseline or ""]),
        "trials": table.text("errors on", lambda row: spoken.say(PARTS[row.part or ""])),
        "models": table.count("models", lambda row: row.n_models),
        "by": table.text(
            "by", lambda row: "decisions" if row.unit == "trial" else phrases.units(view.results, row.unit)
        ),
        "difference": amount("difference", lambda row: row.estimate),
        "detectable": amount(
            f"detected with {power_text(view.study.inference.power)}", lambda row: row.detectable
        ),
        "interval": table.interval(
            lambda row: (row.low, row.high),
            printed,
            title=f"{phrases.level_text(shown)} CI",
            unit=points,
            why=None,
        ),
        "bound": amount(f"{table.level} bound", lambda row: row.low if row.high is None else row.high),
        "verdict": table.text(
            f"within {margin_text(view, first.measure)}",
            lambda row: None if row.verdict is None else VERDICTS[row.verdict],
        ),
    } | statistics_over(view, table, first)


def statistics_over(
    view: DatasetView, table: TableOf[TestRow], first: TestRow
) -> dict[str, ColumnOf[TestRow]]:
    """Return the columns of what a test computes: statistics, p-values, counts that would be needed."""
    spoken = view.terms

    def significant(title: str, of: Callable[[TestRow], float | None]) -> ColumnOf[TestRow]:
        return table.number(title, of, lambda value: numbers.significant(value, 3))

    return {
        "z": significant("z" if first.df is None else "t", lambda row: row.statistic),
        "Q": significant("Q", lambda row: row.statistic),
        "E": table.count("E", lambda row: row.statistic),
        "df": table.number("df", lambda row: row.df, degrees_of_freedom),
        "p": table.p_value("p", lambda row: row.p_value),
        "p, exact": table.p_value("p, exact", lambda row: row.p_value),
        "mid-p": table.p_value("mid-p", lambda row: row.p_mid),
        "p then": table.p_value("p then", lambda row: row.p_after),
        "to change": table.count("to change", lambda row: row.statistic),
        "on targets": table.count(spoken.say("on targets"), lambda row: row.needed_targets),
        "on non-targets": table.count(spoken.say("on non-targets"), lambda row: row.needed_nontargets),
        "needed": table.count(
            f"{phrases.units(view.results, first.unit)} needed to detect {margin_text(view, first.measure)}",
            lambda row: needed_for_margin(view, row),
        ),
    }


def degrees_of_freedom(df: float) -> str:
    """Return whole degrees of freedom as a count, others to three digits."""
    return numbers.count(int(df)) if df == int(df) else numbers.significant(df, 3)


def _caption(view: DatasetView, family: Family, row: TestRow) -> str:
    resampled = row.test == "delong" and row.replicates is not None
    caption = "Test by resampling" if resampled else family.name
    if family.by_measure and row.measure:
        caption += f" of the {phrases.measure_label(row.measure, view.terms)}"
    if row.criterion is None:
        return f"{caption}."
    at = phrases.threshold_phrase(read_criterion(row.criterion), view.study)
    again = " and again in every replicate" if row.inference == "procedure" else ""
    return f"{caption}, at {at}{again}."


def _notes(view: DatasetView, family: Family, rows: list[TestRow]) -> tuple[str, ...]:
    first, every_flag = rows[0], {flag for row in rows for flag in row.flags}
    facts = {
        "one": view.terms.trial if first.unit == "trial" else phrases.cluster(view.results),
        "alpha": printed_alpha(view),
        "hter": view.terms.hter,
    }
    assumes = view.terms.say(family.assumes).format_map(facts)
    if first.test == "delong":
        resampled = RESAMPLED.format(units=phrases.units(view.results, first.unit))
        assumes = resampled if first.unit == "cluster" else DELONG
        assumes = WEIGHED if view.results.has_design and first.unit == "trial" else assumes
    notes = [assumes]
    for flag in (
        "assumes_independent_trials",
        "held_folds",
        "few_clusters",
        "too_few_clusters",
        "few_discordant",
    ):
        if flag in every_flag:
            notes.append(view.terms.say(FLAGS[flag].tests).format(units=phrases.clusters(view.results)))
    return tuple(notes)


def why(row: TestRow, spoken: Terms = DETECTION) -> str:
    """Return why a number of a test is undefined."""
    if row.status:
        return phrases.reason(row.status, spoken, of_spread=True)
    return NOT_ASKED if row.test == "fragility" else "there is no spread to judge by"


def needed_for_margin(view: DatasetView, row: TestRow) -> int | None:
    """Return how many units detect a difference of the margin."""
    margin = view.study.inference.margin
    if margin is None or row.detectable is None or row.n_units is None:
        return None
    return formulas.needed(row.n_units, (row.detectable / margin) ** 2)


def _omnibus(view: DatasetView, row: TestRow) -> str:
    name = phrases.measure_label(row.measure or "", view.terms)
    what = f"Test that all {row.n_models} models have the same {name}"
    if row.p_value is None:
        return f"{what}: not available, because {why(row, view.terms)}."
    how = "DeLong's test" if row.replicates is None else "Wald's test of resampled areas"
    chi, df = numbers.significant(row.statistic, 4), numbers.count(int(row.df or 0))
    return f"{what}: {numbers.equation(row.p_value)} ({how}, χ² = {chi} with {df} df)."


def _fragility(view: DatasetView, row: TestRow) -> str:
    """Return how few decisions or clusters move the p-value of a pair across the level."""
    pair = f"{view.names[row.model or '']} against {view.names[row.baseline or '']}"
    of_trials, level = row.unit == "trial", printed_alpha(view)
    if row.verdict is None:
        return f"The fragility index of {pair} cannot be computed: {why(row, view.terms)}."
    p = numbers.equation(row.p_value)
    by = f"mid-{p} with thresholds fixed" if of_trials else f"{p} by {phrases.units(view.results, row.unit)}"
    across = f"above {level}" if row.verdict == "different" else f"below {level}"
    changed = _changed(view, row)
    if not changed:
        whose = "decisions" if of_trials else phrases.units(view.results, row.unit)
        return f"{pair}: {by} (unadjusted); no change of {whose} would move it {across}."
    return f"{pair}: {by} (unadjusted); {changed} would move it {across}."


def _changed(view: DatasetView, row: TestRow) -> str:
    """Return the fewest changes that turn a test: ``changing one decision on a target``."""
    if row.statistic is None:
        return ""
    needed = int(row.statistic)
    if row.unit != "trial":
        plural = phrases.units(view.results, row.unit)
        return f"leaving out {numbers.count(needed)} of {numbers.count(row.n_units or 0)} {plural}"
    targets, nontargets = row.needed_targets or 0, row.needed_nontargets or 0
    if needed == 1:
        return f"changing one decision on {view.terms.a_target if targets else view.terms.a_nontarget}"
    by_class = ((targets, view.terms.targets), (nontargets, view.terms.nontargets))
    parts = [f"{counted(number, 'decision')} on {name}" for number, name in by_class if number]
    return f"changing {' and '.join(parts)}"
