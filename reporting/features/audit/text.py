"""An audit in sentences, and as lines of a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from reporting.base.legible import counted
from reporting.document.frames.ranking import RankingRow
from reporting.document.lines import plain, table, wrapped
from reporting.document.numbers import count
from reporting.document.words.printing import Printing
from reporting.document.words.terms import capitalised
from reporting.errors import listed
from reporting.features.audit.analyses import AuditedAnalysis, DatasetAudit, is_chosen

NAMED = 3
"""So many models or choices are named in a sentence."""
CHOICES, NUMBERS = 4, 4
"""How many columns are choices, and how many of the last are numbers: lead, rank and two of tiers."""
ROWS = 40
"""So many analyses are printed on a terminal."""


def verdict(audit: DatasetAudit) -> str:
    """Return how often the model that is first in the config's own analysis is first in the others."""
    own, outcomes = audit.own, audit.defensible
    leads = [each for each in outcomes if each.leader == own.leader]
    alone = [each for each in leads if each.first_tier == [own.leader]]
    name = audit.view.names[own.leader]
    first = f"{name} is first in {_of(len(leads), len(outcomes))}"
    if not any(each.limited for each in outcomes):
        return f"{first}; no analysis has limits of the ranks."
    if len(outcomes) == 1:
        return f"{first} {'and' if alone else 'but not'} significantly better than every other model."
    if len(alone) == len(outcomes):
        return f"{first} and significantly better than every other model in each."
    how = f"and is significantly better than every other model in {len(alone)} of them"
    return f"{first} {how if alone else 'but significantly better than every other model in none'}."


def _of(some: int, every: int) -> str:
    if every == 1:
        return "the only analysis"
    if some == every:
        return "both analyses" if every == 2 else f"all {count(every)} analyses"
    return f"{count(some)} of {count(every)} analyses"


def findings(audit: DatasetAudit) -> list[str]:
    """Return what changes the answer, a sentence each."""
    return [
        *_other_leaders(audit),
        *_first_tiers(audit),
        *_ties(audit),
        *_tuned(audit),
        *(
            f"Not analysed: {' and '.join(choices.differences(audit.own.choices))} ({why})."
            for choices, why in audit.refused
        ),
    ]


def _other_leaders(audit: DatasetAudit) -> Iterable[str]:
    own, every = audit.own, audit.defensible
    others = Counter(each.leader for each in every if each.leader != own.leader)
    for leader, times in others.most_common():
        where = [each.choices.differences(own.choices) for each in every if each.leader == leader]
        # Units of resampling change limits alone, so that the fewest choices name what changes the values.
        fewest = min(map(len, where))
        nearest = listed([" and ".join(choices) for choices in where if len(choices) == fewest], NAMED)
        yield f"{audit.view.names[leader]} is first in {_of(times, len(every))}: {nearest}."


def _first_tiers(audit: DatasetAudit) -> Iterable[str]:
    by_unit: dict[str, list[int]] = {}
    for each in audit.defensible:
        if each.limited:
            by_unit.setdefault(each.choices.unit, []).append(len(each.first_tier))
    without = dict.fromkeys(
        each.choices.unit for each in audit.defensible if each.choices.unit not in by_unit
    )
    if by_unit:
        spans = [
            f"{_span(sizes)} with {unit} as the unit" if len(by_unit) > 1 else _span(sizes)
            for unit, sizes in by_unit.items()
        ]
        yield f"The first tier, which no model is significantly better than, has {', '.join(spans)}."
    if without:
        yield f"Ranks have no limits with {listed(without)} as the unit."


def _span(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return counted(low, "model") if low == high else f"{low} to {high} models"


def _ties(audit: DatasetAudit) -> Iterable[str]:
    if is_chosen(audit.view.study) and len({each.choices.ties for each in audit.outcomes}) == 1:
        yield "Other rules for thresholds that tie change no value."


def _tuned(audit: DatasetAudit) -> Iterable[str]:
    for each in audit.outcomes:
        if each.choices.optimistic:
            name = audit.view.names[each.leader]
            what = "puts no other model first" if each.leader == audit.own.leader else f"puts {name} first"
            yield f"Tuning thresholds on the test set, which no report should do, {what}."


def printing_of(audit: DatasetAudit) -> Printing:
    """Return how leads are printed: with two digits of their typical error."""
    errors = [pair.se for each in audit.outcomes for pair in each.pairs.values()]
    return Printing.of(audit.view.study.primary.measure, errors)


def in_order(audit: DatasetAudit) -> list[AuditedAnalysis]:
    """Return the analyses by the lead of the model that is first in the config's own; the largest first."""
    model = audit.own.leader
    known = [(each.lead(model)[0], at, each) for at, each in enumerate(audit.outcomes)]
    ordered = sorted(known, key=lambda row: (row[0] is None, -(row[0] or 0.0), row[1]))
    return [each for _, _, each in ordered]


def printed(audit: DatasetAudit) -> tuple[list[str], list[list[str]]]:
    """Return titles and texts of the analyses of an audit, by lead, without choices that never vary."""
    printing, leader = printing_of(audit), audit.own.leader
    unit = f" ({printing.difference_unit})" if printing.difference_unit else ""
    titles = [
        "units",
        "ties",
        "left out",
        "thresholds from",
        "first",
        f"lead of {audit.view.names[leader]}{unit}",
        "its rank",
        "first tier",
        "tiers",
    ]
    rows = [_cells(each, printing, leader) for each in in_order(audit)]
    varied = [at for at in range(len(titles)) if at >= CHOICES or len({row[at] for row in rows}) > 1]
    return [titles[at] for at in varied], [[row[at] for at in varied] for row in rows]


def _cells(outcome: AuditedAnalysis, printing: Printing, leader: str) -> list[str]:
    choices = outcome.choices
    value, low, high = outcome.lead(leader)
    limits = "" if low is None or high is None else f" [{printing.value(low)}, {printing.value(high)}]"
    return [
        choices.unit,
        choices.ties,
        " ".join(choices.left_out or ("—",)),
        "test set" if choices.optimistic else "development set",
        outcome.view.names[outcome.leader],
        "—" if value is None else printing.value(value) + limits,
        next((rank_limits(row) for row in outcome.rows if row.model == leader), "—"),
        *((count(len(outcome.first_tier)), count(outcome.tiers)) if outcome.limited else ("—", "—")),
    ]


def rank_limits(row: RankingRow) -> str:
    """Return the limits of a rank, simultaneous over all models."""
    if row.rank_low is None or row.rank_high is None:
        return "—"
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def audit_text(audits: Sequence[DatasetAudit], width: int, *, unicode: bool) -> str:
    """Return audits in lines of at most ``width`` places, one dataset after the other."""
    lines: list[str] = []
    for audit in audits:
        heading = f"{audit.view.label}: " if audit.view.label else ""
        lines += [*wrapped(heading + verdict(audit), width)]
        lines += [line for text in findings(audit) for line in wrapped(text, width)]
        titles, rows = printed(audit)
        widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
        body = [list(map(capitalised, titles)), *rows[:ROWS]]
        lines += ["", *table(body, widths, right=range(len(widths))[-NUMBERS:])]
        if len(rows) > ROWS:
            lines.append(f"... and {len(rows) - ROWS} more (--html or --json has all)")
        lines.append("")
    text = "\n".join(lines).rstrip()
    return text if unicode else plain(text)
