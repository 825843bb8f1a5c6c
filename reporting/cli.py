"""argv in, exit code out: the only place that prints or exits.

0 done; 1 a gate failed; 2 bad usage, config or data; 3 the program itself failed; 130 interrupted.
Reports go to stdout, messages and progress to stderr. Heavy rooms are imported inside the command
that needs them, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from reporting import __version__
from reporting.errors import ReportingError
from reporting.terminal.voices import Log, Voice, voice_for

app = typer.Typer(
    name="reporting",
    help="Statistical reports on binary decisions, from a table of trials.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

Names = Literal["names", "digests"]
ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML file of the report.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Replace one value of the config.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Errors alone on stderr.")]
Verbose = Annotated[
    bool,
    typer.Option(
        "-v", "--verbose", help="Seconds of each stage; a traceback where the program itself fails."
    ),
]
Logged = Annotated[
    Log, typer.Option("--log", envvar="REPORTING_LOG", help="What stderr speaks; json: one object a line.")
]


@app.command()
def run(
    config: ConfigPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Where the report goes.")
    ] = None,
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Make the report of a config."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)

    def work() -> str:
        from reporting.report.provenance import report_date

        report_date()  # told here, because libraries read SOURCE_DATE_EPOCH when they are imported
        from reporting.run import make_report

        folder = make_report(config, out, overrides or (), voice)
        pages = [folder / name for name in ("report.html", "report.tex", "report.json")]
        return str(next((page for page in pages if page.exists()), folder))

    _guarded(work, voice)


@app.command()
def check(
    config: ConfigPath,
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Check a config and its data; compute nothing."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)

    def work() -> str:
        from reporting.run import check_report

        return check_report(config, overrides or (), voice)

    _guarded(work, voice)


@app.command()
def counts(
    config: ConfigPath,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The Parquet file to write.")],
    paired: Annotated[
        bool, typer.Option("--paired", help="Keep which scores of the models belong to one trial.")
    ] = False,
    least: Annotated[
        int | None, typer.Option("--least", metavar="N", min=1, help="Refuse cells of fewer than N trials.")
    ] = None,
    clusters: Annotated[Names, typer.Option(help="What clusters are called.")] = "digests",
    salt: Annotated[
        str, typer.Option(metavar="TEXT", help="Of the digests; the same at sites to be added up.")
    ] = "",
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log: Logged = Log.TEXT,
) -> None:
    """Count the trials of a config into one file without scores, to be added up and evaluated elsewhere."""
    voice = voice_for(log, sys.stderr, quiet=quiet, verbose=verbose)

    def work() -> str:
        from reporting.bundle import make_bundle
        from reporting.counts.tabulate import Naming

        naming = Naming(clusters, salt)
        return str(
            make_bundle(config, out, overrides or (), voice, paired=paired, naming=naming, least=least)
        )

    _guarded(work, voice)


@app.command("init")
def starter(
    trials: Annotated[
        list[str],
        typer.Argument(
            metavar="TRIALS...", help="Files, folders, patterns or addresses that hold the trials."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The config to write.")] = Path(
        "report.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that stands there.")] = False,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a database: the table to look at.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Look at trials, recognise what they are, and write a commented config to start from."""

    def work() -> str:
        from reporting.starter.starter import write_starter

        return write_starter(trials, out, force=force, table=table)

    _guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def schema(verbose: Verbose = False) -> None:
    """Print the JSON Schema of a config, for editors."""

    def work() -> str:
        import json

        from reporting.config.schema import json_schema

        return json.dumps(json_schema(), indent=2, ensure_ascii=False)

    _guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def example(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="vote, vote_in_depth, house_style, or a paper's: epc_authentication, epc_general,"
            " rocanalysis, hamel, brodersen.",
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    verbose: Verbose = False,
) -> None:
    """Write a ready-to-run example: real models, their trials and a commented config."""

    def work() -> str:
        from reporting.example.catalogue import write_example

        return str(write_example(name, folder))

    _guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def measures(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A measure, criterion or fit, or a synonym.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="The whole catalogue as Markdown.")] = False,
    verbose: Verbose = False,
) -> None:
    """Print the catalogue of measures, criteria and fits, or all about one of them."""

    def work() -> str:
        from shutil import get_terminal_size

        from reporting.handbook.pages import detail, overview, page

        width = min(get_terminal_size((100, 24)).columns, 110)
        if markdown:
            return page().rstrip("\n")
        return overview(width) if name is None else detail(name, width)

    _guarded(work, Voice(sys.stderr, verbose=verbose))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"reporting {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Statistical reports on binary decisions, from a table of trials."""


def _guarded(work: Callable[[], str], voice: Voice) -> NoReturn:
    """Print what the work returns and exit as the contract says."""
    try:
        said = work()
        voice.close()
        print(said, flush=True)
    except ReportingError as error:
        for fault in error.faults:
            voice.error(fault)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        voice.close()
        raise SystemExit(130) from None
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except Exception as error:
        voice.failure(error)
        raise SystemExit(3) from None
    raise SystemExit(0)


def main() -> None:
    """Run the command line."""
    if sys.stderr is None:  # it was closed by the caller; nothing else may take its number
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path that the terminal cannot show
    app()
