"""The page of ten audits: which system is first under each defensible analysis of a leaderboard."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.gallery.leaderboards import LEADERBOARDS, Leaderboard
from docs.markdown import heading, page, plain, table
from reporting.app.run.analyses import repeated_analyses
from reporting.base.publish import parquet
from reporting.document.numbers import p_value
from reporting.errors import listed

LEAD = (
    "Would another defensible analysis of a public leaderboard put another system first? Each of these ten"
    " has the shape of well-known public ones: how many systems there are and how near the best of them, how"
    " large clusters are, which sources there are, whether scores tie. Results are made by a seed"
    " (`docs/gallery/leaderboards.py`), of fewer trials than the public ones have; no public system is meant."
    " `reporting audit` does the same with [a leaderboard of your own](tasks/audit.md)."
)
WHAT = (
    "Every audit resamples trials, or the clusters that they come in, and leaves out each source in turn. No"
    " system is significantly better than one of tier 1; p is against no system being better, adjusted over"
    " all pairs."
)
NAMED = 3
"""So many choices are named in a cell."""


@dataclass(frozen=True)
class Audited:
    """What the page shows of an audit."""

    verdict: str
    findings: Sequence[str]
    first: str
    """How often the system that is first in the config's own analysis is first."""
    first_tier: str
    tiers: str
    flips: str
    """What puts another system first."""
    by_unit: Mapping[str, Sequence[str]]
    """The systems of each tier, by the unit of resampling."""


def audit_of(key: str, out: Path) -> Audited:
    """Audit a leaderboard; write the page of its audit to ``out/audit_KEY.html``."""
    # Imported here: all reports are made without this question, too.
    from reporting.features.audit.analyses import audited
    from reporting.features.audit.page import audit_report
    from reporting.features.audit.text import findings, verdict
    from reporting.render.formats import render_all

    board = LEADERBOARDS[key]
    with tempfile.TemporaryDirectory() as room:
        config = Path(room) / "report.yaml"
        config.write_text(board.config, encoding="utf-8")
        config.with_name("trials.parquet").write_bytes(parquet(board.table()))
        with repeated_analyses([str(config)]) as analyses:
            audits = audited(analyses, [], [board.source])
    (audit,) = audits
    files = render_all(*audit_report(audits), ["html"], interactive=False)
    (out / f"audit_{key}.html").write_bytes(files["report.html"])
    leads = [each.leader == audit.own.leader for each in audit.defensible]
    without = (
        each.choices.left_out[1]
        if each.choices.left_out
        else ", ".join(each.choices.differences(audit.own.choices))
        for each in audit.defensible
        if each.leader != audit.own.leader
    )
    return Audited(
        verdict=verdict(audit),
        findings=findings(audit),
        first=f"{audit.view.names[audit.own.leader]}: {sum(leads)} of {len(leads)}",
        first_tier=_span([len(each.first_tier) for each in audit.defensible if each.limited]),
        tiers=_span([each.tiers for each in audit.defensible if each.limited]),
        flips=listed(list(dict.fromkeys(without)), NAMED) or "nothing",
        by_unit={
            each.choices.unit: [
                _tier([row for row in each.rows if row.tier == tier]) for tier in range(1, each.tiers + 1)
            ]
            for each in audit.by_unit
        },
    )


def pages(audits: Mapping[str, Audited]) -> dict[str, str]:
    """Return the page; audits that were not made have their leaderboard alone."""
    return {"audits.md": page(_lines(audits))}


def _lines(audits: Mapping[str, Audited]) -> Iterator[str]:
    yield from heading(1, "Ten leaderboards, audited")
    yield from (LEAD, "", WHAT, "")
    rows = [(board, audits[key]) for key, board in LEADERBOARDS.items() if key in audits]
    if rows:
        yield from table(
            ("leaderboard", "first, in so many analyses", "first tier", "tiers", "another is first without"),
            (
                (
                    f"[{plain(board.title)}](#{board.key})",
                    plain(of.first),
                    of.first_tier,
                    of.tiers,
                    plain(of.flips),
                )
                for board, of in rows
            ),
        )
    for board in LEADERBOARDS.values():
        yield from heading(2, board.title, board.key)
        yield from _section(board, audits.get(board.key))


def _section(board: Leaderboard, audit: Audited | None) -> Iterator[str]:
    yield from (f"Like {plain(board.like)}. Here: {board.shape}.", "")
    if audit is None:
        return
    yield from (f"**{plain(audit.verdict)}**", "", *(f"- {plain(text)}" for text in audit.findings), "")
    most = max(map(len, audit.by_unit.values()), default=0)
    yield from table(
        ("unit", *(f"tier {number}" for number in range(1, most + 1))),
        (
            (plain(unit.replace(",", ", ")), *map(plain, tiers), *[""] * (most - len(tiers)))
            for unit, tiers in audit.by_unit.items()
        ),
    )
    yield from (f'<p><a href="reports/audit_{board.key}.html">Every analysis, with its picture</a></p>', "")


def _tier(rows: Sequence[object]) -> str:
    """Return the systems of a tier with the range of their p-values."""
    names = ", ".join(str(row.model).removeprefix("system ") for row in rows)  # type: ignore[attr-defined]
    p = sorted(row.p_separated for row in rows if row.p_separated is not None)  # type: ignore[attr-defined]
    if not p:
        return names
    ends = list(dict.fromkeys(map(p_value, (p[0], p[-1]))))
    return f"{names} (p {'–'.join(ends)})"


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}–{high}"
