"""The command line's frame: what commands share, and how every one of them ends."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from reporting import __version__
from reporting.app.terminal.log import Log, Voice
from reporting.base.legible import legible
from reporting.errors import ExhaustedError, ReportingError, room_in

app = typer.Typer(
    name="reporting",
    help="Statistical reports on binary decisions, from a table of trials.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML file of the report.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY.PATH=VALUE", help="Replace one value of the config.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only errors and gates that fail the run.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Print stage timings, and a traceback on internal errors.")
]
Logged = Annotated[
    Log, typer.Option("--log", envvar="REPORTING_LOG", help="Log format on stderr: text or JSON lines.")
]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"reporting {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Statistical reports on binary decisions, from a table of trials."""


FEWEST_ADDRESSES = 2 * 2**30
"""Bytes with which a run without pictures ends well; compiled libraries reserve far more than they use."""


def _check_addresses() -> None:
    """Raise ExhaustedError where the libraries would end the process without a message."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < FEWEST_ADDRESSES:
        raise ExhaustedError(
            f"this process may reserve {allowed // 2**20:,} MB of addresses (ulimit -v); at least"
            f" {FEWEST_ADDRESSES // 2**20:,} MB are needed"
        )


def guarded(work: Callable[[], str], voice: Voice, status: Sequence[int] = ()) -> NoReturn:
    """Print what the work returns and exit by the contract, with the status that the work has set."""
    try:
        _check_addresses()
        output = work()
        voice.close()
        with room_in("the standard output"):
            print(legible(output), flush=True)
    except ReportingError as error:
        for fault, code in zip(error.faults, error.codes, strict=True):
            voice.error(fault, code)
        raise SystemExit(error.status) from None
    except KeyboardInterrupt as signalled:
        voice.error(f"interrupted{signalled}", "TR902")
        raise SystemExit(130) from None
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(max(status, default=0)) from None
    except SystemExit:
        raise
    except BaseException as error:  # a panic of a compiled library is no Exception
        voice.failure(error)
        raise SystemExit(3) from None
    raise SystemExit(max(status, default=0))
