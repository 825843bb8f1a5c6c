"""The command ``history``: the runs of a store on the terminal, or as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reporting.document.commands import PageToWrite


def history(
    words: Annotated[
        list[str], typer.Argument(metavar="STORE | diff STORE RUN RUN", help="The store; runs by id or date.")
    ],
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="One model, by key.")] = None,
    measure: Annotated[str | None, typer.Option("--measure", metavar="X", help="One measure.")] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", metavar="D", help="One dataset.")] = None,
    group: Annotated[str, typer.Option("--group", metavar="G", help="A group, such as gender=f.")] = "",
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Runs on or after this date.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Runs on or before this date.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page of trends.")
    ] = None,
) -> str | PageToWrite:
    """Show the runs in a store and their trends, or the differences between two runs."""
    from reporting.document.lines import prints_unicode, terminal_width
    from reporting.errors import ConfigError
    from reporting.features.history.page import history_report
    from reporting.features.history.store import as_date, open_store
    from reporting.features.history.terminal import diff, listing
    from reporting.features.history.trends import Selection

    width = terminal_width()
    if words[0] == "diff" and len(words) == 4:
        measures = [measure] if measure else []
        return diff(open_store(words[1]), words[2], words[3], measures, width, unicode=prints_unicode())
    if len(words) != 1:
        raise ConfigError("history: expected STORE, or diff STORE RUN RUN")
    first, last = (day and as_date(day, key) for key, day in (("--since", since), ("--until", until)))
    query, store = Selection(model, measure, dataset, group, first, last), open_store(words[0])
    if html is None:
        return listing(store, query, width, unicode=prints_unicode())
    return PageToWrite(*history_report(store, query), html)
