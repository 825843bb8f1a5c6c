"""argv in, exit code out: the only place that prints or exits.

0 done; 1 a gate failed; 2 bad usage, config or data; 3 the program itself failed; 130 interrupted.
Reports go to stdout, messages and progress to stderr. Heavy rooms are imported inside the command
that needs them, so that ``--help`` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from reporting import __version__
from reporting.errors import ReportingError, one_line

app = typer.Typer(
    name="reporting",
    help="Statistical reports on binary decisions, from a table of trials.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML file of the report.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Replace one value of the config.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress on stderr.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="A traceback where the program itself fails.")]


@app.command()
def run(
    config: ConfigPath,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Where the report goes.")
    ] = None,
    overrides: Overrides = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Make the report of a config."""

    def work() -> str:
        from reporting.report.provenance import report_date

        report_date()  # told here, because libraries read SOURCE_DATE_EPOCH when they are imported
        from reporting.run import make_report

        folder = make_report(config, out, overrides or (), _teller(quiet))
        pages = [folder / name for name in ("report.html", "report.tex", "report.json")]
        return str(next((page for page in pages if page.exists()), folder))

    _guarded(work, verbose)


@app.command()
def check(
    config: ConfigPath, overrides: Overrides = None, quiet: Quiet = False, verbose: Verbose = False
) -> None:
    """Check a config and its data; compute nothing."""

    def work() -> str:
        from reporting.run import check_report

        return check_report(config, overrides or (), _teller(quiet))

    _guarded(work, verbose)


@app.command()
def schema(verbose: Verbose = False) -> None:
    """Print the JSON Schema of a config, for editors."""

    def work() -> str:
        import json

        from reporting.config.schema import json_schema

        return json.dumps(json_schema(), indent=2, ensure_ascii=False)

    _guarded(work, verbose)


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

    _guarded(work, verbose)


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

    _guarded(work, verbose)


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


def _teller(quiet: bool) -> Callable[[str], None]:
    def tell(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr, flush=True)

    return tell


def _guarded(work: Callable[[], str], verbose: bool) -> NoReturn:
    """Print what the work returns and exit as the contract says."""
    try:
        print(work(), flush=True)
    except ReportingError as error:
        for fault in error.faults:
            print(f"error: {one_line(fault)}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except Exception as error:
        if verbose:
            traceback.print_exc()
        print(
            f"error: the program itself failed: {type(error).__name__}: {one_line(str(error))}",
            file=sys.stderr,
        )
        raise SystemExit(3) from None
    raise SystemExit(0)


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a path that the terminal cannot show
    app()
