"""The commands about runs that were made: ``history`` and ``verify``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reporting.app.cli.app import Logged, Quiet, Verbose, app, guarded
from reporting.app.terminal.log import Log, Voice, voice_for

if TYPE_CHECKING:
    from reporting.features.history.store import Store
    from reporting.features.history.trends import Selection


@app.command(context_settings={"allow_extra_args": False})
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
    verbose: Verbose = False,
) -> None:
    """Show the runs in a store and their trends, or the differences between two runs."""

    def work() -> str:
        from shutil import get_terminal_size

        from reporting.errors import ConfigError
        from reporting.features.history.store import as_date, open_store
        from reporting.features.history.terminal import diff, listing
        from reporting.features.history.trends import Selection

        width = max(80, min(get_terminal_size((80, 24)).columns, 110))
        can = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        if words[0] == "diff" and len(words) == 4:
            measures = [measure] if measure else []
            return diff(open_store(words[1]), words[2], words[3], measures, width, unicode=can)
        if len(words) != 1:
            raise ConfigError("history: expected STORE, or diff STORE RUN RUN")
        first, last = (day and as_date(day, key) for key, day in (("--since", since), ("--until", until)))
        query, store = Selection(model, measure, dataset, group, first, last), open_store(words[0])
        return listing(store, query, width, unicode=can) if html is None else _page(store, query, html)

    guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a report.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Config to use if it is not next to DIR or has another name."),
    ] = None,
    quiet: Quiet = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="List every file, and print stage timings.")
    ] = False,
    log: Logged = Log.TEXT,
) -> None:
    """Rebuild a report in a temporary folder and check that every file is reproduced."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)
    status: list[int] = []

    def work() -> str:
        from reporting.app.run.verify import verify

        verdict = verify(folder, against, voice)
        status.append(verdict.status)
        return verdict.text(verbose)

    guarded(work, voice, status)


def _page(store: Store, query: Selection, file: Path) -> str:
    """Write the page of a store to a temporary file, then move it into place."""
    from reporting.base.publish import replacing
    from reporting.errors import unwritable
    from reporting.features.history.page import history_report
    from reporting.render.formats import render_all

    report, provenance = history_report(store, query)
    content = render_all(report, provenance, ["html"], interactive=True)["report.html"]
    try:
        with replacing(file) as new:
            new.write_bytes(content)
    except OSError as error:
        raise unwritable(file, error) from None
    return str(file)
