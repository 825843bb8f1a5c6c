"""The command ``audit``: a leaderboard under every analysis that can be defended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from reporting.document.commands import AnalysesOf, PageToWrite


def audit(
    analyses: AnalysesOf,
    words: Annotated[
        list[str], typer.Argument(metavar="CONFIG | SCORES...", help="A config, or files of scores.")
    ],
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", metavar="COLUMN", help="Clusters to resample; two that are crossed: A,B."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="COLUMN", help="Leave out each value of a column in turn."),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY.PATH=VALUE", help="Replace one value of the config."),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every analysis as JSON.")] = False,
) -> str | PageToWrite:
    """Show which models are first under every analysis that can be defended."""
    from reporting.document.lines import prints_unicode, terminal_width
    from reporting.features.audit.analyses import audited
    from reporting.features.audit.text import audit_text

    with analyses(words, overrides or ()) as of_config:
        audits = audited(of_config, unit or (), without or ())
    if html is not None:
        from reporting.features.audit.page import audit_report

        return PageToWrite(*audit_report(audits), html)
    if as_json:
        from reporting.features.audit.page import audit_rows

        return json.dumps(audit_rows(audits), indent=2, ensure_ascii=False)
    width = terminal_width(140)
    return audit_text(audits, width, unicode=prints_unicode())
