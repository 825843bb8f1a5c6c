"""An audit as a page: the sentence, a picture of every analysis, and the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reporting.base.legible import counted
from reporting.base.provenance import Provenance
from reporting.document import blocks
from reporting.document.charts.axes import interval_axis, nice_axis
from reporting.document.charts.chart_spec import BarRows, ChartSpec, bar
from reporting.document.charts.picture import Words, render, shortened
from reporting.document.frames.ranking import RankingRow
from reporting.document.numbers import p_value
from reporting.document.words.phrases import level_text, question
from reporting.document.words.terms import capitalised
from reporting.features.audit.analyses import AuditedAnalysis, Choices, DatasetAudit
from reporting.features.audit.text import (
    NUMBERS,
    findings,
    in_order,
    printed,
    printing_of,
    rank_limits,
    verdict,
)

ROWS = 40
"""So many analyses are in one picture; more have several."""
ROW, MARGIN, LETTER = 18, 0.4, 6.5
"""Pixels of a row, the rows' share above and below all, and pixels of a letter."""
THICK, MARK, THIN = 0.15, 0.32, 0.004
"""Half the height in rows of limits, and of the mark of a lead; half its width as a share of the axis."""
LONGEST = 44
"""Letters of the choices of an analysis that are shown."""


def audit_report(audits: Sequence[DatasetAudit]) -> tuple[blocks.Report, Provenance]:
    """Return the page of audits and where they come from."""
    first = audits[0].view
    several = len(audits) > 1
    tuned = len(audits[0].outcomes) - len(audits[0].defensible)
    besides = f", and {tuned} tuned on the test set" if tuned else ""
    report = blocks.Report(
        title=f"Audit: {first.study.title}",
        data_line=f"{counted(len(audits[0].defensible), 'analysis', 'analyses')} of"
        f" {counted(len(audits[0].own.rows), 'model')}{besides}.",
        verdict=" ".join(
            f"{audit.view.label}: {verdict(audit)}" if several else verdict(audit) for audit in audits
        ),
        sections=tuple(
            blocks.Section(audit.view.label or "Analyses", f"analyses-{at}", tuple(_blocks(audit)))
            for at, audit in enumerate(audits, start=1)
        ),
        signature=f"reporting {first.results.provenance.version}",
    )
    return report, first.results.provenance


def _blocks(audit: DatasetAudit) -> Iterator[blocks.Block]:
    if texts := findings(audit):
        yield blocks.Prose(" ".join(texts))
    ordered = in_order(audit)
    for start in range(0, len(ordered), ROWS):
        yield _figure(audit, ordered[start : start + ROWS], start)
    if audit.by_unit:
        yield _tiers(audit)
    yield _table(audit, ordered)


def in_words(choices: Choices, own: Choices) -> str:
    """Return the choices of an analysis in a few words; ties where they are not those of the config's own."""
    ties = f"ties {choices.ties}" if choices.ties != own.ties else ""
    left = f"without {' '.join(choices.left_out)}" if choices.left_out else ""
    tuned = "tuned on test" if choices.optimistic else ""
    return " · ".join(filter(None, (choices.unit, ties, left, tuned)))


def _figure(audit: DatasetAudit, outcomes: Sequence[AuditedAnalysis], start: int) -> blocks.Figure:
    view, model, printing = audit.view, audit.own.leader, printing_of(audit)
    leads = [[printing.scale * end for end in each.lead(model) if end is not None] for each in outcomes]
    unit = f" ({printing.difference_unit})" if printing.difference_unit else ""
    title = f"Lead of {view.names[model]}{unit}"
    low, high = interval_axis(list(filter(None, leads)), (-float("inf"), float("inf")), holds=[0.0])
    x_axis = nice_axis(title, low, high)
    height = len(outcomes) + 2 * MARGIN
    labels = shortened([in_words(each.choices, audit.own.choices) for each in outcomes], LONGEST)
    middles = [height - MARGIN - at - 0.5 for at in range(len(outcomes))]
    y_axis = blocks.Axis("", 0.0, height, tuple(zip(middles, labels, strict=True))[::-1])
    bars, on_paper = [], []
    for outcome, lead, middle in zip(outcomes, leads, middles, strict=True):
        style = blocks.in_context(1) if outcome.choices.optimistic else view.styles[outcome.leader]
        for left, right, half in _ends(lead, x_axis):
            below, above = (middle - half,) * 2, (middle + half,) * 2
            bars.append(bar(left, right, middle, half, blocks.colour(style)))
            on_paper.append(blocks.Series("", "band", style, (left, right), below, above))
    none = blocks.Series("", "guide", 0, (0.0, 0.0), (0.0, height))
    plain = {"grid": False, "ticks": False, "domain": False, "labelLimit": 0}
    chart = ChartSpec(
        f"audit_{start // ROWS + 1}",
        x_axis,
        y_axis,
        [none],
        bars=BarRows(bars, on_paper, ({}, plain)),
        height=round(ROW * height),
        left=round(LETTER * max(map(len, labels))),
    )
    level, primary = level_text(view.study.inference.level), view.study.primary
    what = capitalised(question(primary.measure, primary.criterion, view.study))
    caption = (
        f"{what}: by how much {view.names[model]} is ahead of the best other model, an analysis a row;"
        f" right of 0 it is first. Lines: {level} CIs, simultaneous over all pairs. Colour: the model that"
        f" is first{'; grey: tuned on the test set' * any(each.choices.optimistic for each in outcomes)}."
    )
    words = Words(
        caption,
        f"{title} in {len(outcomes)} analyses. {verdict(audit)}",
        verdict(audit),
        "Every analysis, by lead",
    )
    return replace(render(chart, words), folded=start > 0)


def _ends(lead: Sequence[float], axis: blocks.Axis) -> Iterator[tuple[float, float, float]]:
    """Yield the ends within an axis, and half the height, of the limits of a lead and of its mark."""
    thin = THIN * (axis.high - axis.low)
    ends = [(*lead[1:], THICK)] * (len(lead) > 1) + [(lead[0] - thin, lead[0] + thin, MARK)] * bool(lead)
    for left, right, half in ends:
        yield max(left, axis.low), min(right, axis.high), half


def _table(audit: DatasetAudit, outcomes: Sequence[AuditedAnalysis]) -> blocks.Table:
    titles, texts = printed(audit)
    numbers = titles[-NUMBERS:]
    columns = tuple(blocks.Column(title, "number" if title in numbers else "text") for title in titles)
    rows = tuple(
        tuple(blocks.Cell(text, bold=each is audit.own) for text in row)
        for each, row in zip(outcomes, texts, strict=True)
    )
    note = "Bold: the analysis of the config. First tier: how many models none is significantly better than."
    return blocks.Table(_name("audit", audit), "Every analysis, by lead.", columns, rows, notes=(note,))


def _tiers(audit: DatasetAudit) -> blocks.Table:
    """Return the tier of each model, with limits of its rank and p against no model being better, by unit."""
    analyses = audit.by_unit
    columns = (
        blocks.Column("model", "text"),
        *(blocks.Column(a.choices.unit.replace(",", ", "), "number") for a in analyses),
    )
    by_model = [{row.model: row for row in each.rows} for each in analyses]
    rows = tuple(
        (
            blocks.Cell(audit.view.names[row.model], style=audit.view.styles[row.model]),
            *(_tier(of.get(row.model)) for of in by_model),
        )
        for row in audit.own.rows
    )
    note = (
        "Ranks: limits that hold for all models together. p: adjusted over all pairs, against no model being"
        " better; models of one tier are not significantly better than one another."
    )
    return blocks.Table(
        _name("tiers", audit), "Tier of each model, by the unit of resampling.", columns, rows, notes=(note,)
    )


def _tier(row: RankingRow | None) -> blocks.Cell:
    if row is None or row.tier is None:
        return blocks.Cell(blocks.UNDEFINED)
    p = p_value(row.p_separated)
    limits = rank_limits(row)
    rank = f"rank{'s' * (row.rank_low != row.rank_high)} {limits}"
    return blocks.Cell(
        str(row.tier), order=row.tier, beneath=f"{rank}, p {p}" if p[0] in "<>" else f"{rank}, p = {p}"
    )


def _name(what: str, audit: DatasetAudit) -> str:
    return f"{what}_{audit.view.dataset}" if audit.view.label else what


def audit_rows(audits: Sequence[DatasetAudit]) -> list[Mapping[str, object]]:
    """Return every analysis with the rank of every model, as values of JSON."""
    return [
        {
            "dataset": audit.view.dataset,
            "verdict": verdict(audit),
            "findings": findings(audit),
            "analyses": [
                {
                    "unit": each.choices.unit,
                    "ties": each.choices.ties,
                    "left_out": each.choices.left_out,
                    "thresholds": each.choices.tuned_on,
                    "set": list(each.choices.overrides),
                    "leader": each.leader,
                    "lead": dict(zip(("value", "low", "high"), each.lead(audit.own.leader), strict=True)),
                    "models": [
                        {
                            "model": row.model,
                            "value": row.value,
                            "rank": row.rank,
                            "rank_low": row.rank_low,
                            "rank_high": row.rank_high,
                            "tier": row.tier,
                            "p_separated": row.p_separated,
                        }
                        for row in each.rows
                    ],
                }
                for each in audit.outcomes
            ],
        }
        for audit in audits
    ]
