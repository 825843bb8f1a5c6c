"""The command line's frame: what commands share, and how every one of them ends."""

from __future__ import annotations

import inspect
import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_type_hints

import typer

from reporting import __version__
from reporting.app.terminal import voice_for
from reporting.app.terminal.log import Log, Voice
from reporting.base.legible import legible
from reporting.document.commands import PageToWrite, Verdict
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


Done = str | Verdict | PageToWrite
"""What a command ends with: a text to print, one with an exit status, or a page to write and name."""
BROUGHT: dict[object, Callable[[Voice], Any]] = {Voice: lambda voice: voice}
"""What a command is given by the type of its parameter."""


def add_command(
    group: typer.Typer,
    name: str,
    about: str | None,
    run: Callable[..., None],
    kinds: Mapping[str, Any],
    defaults: Mapping[str, Any],
) -> None:
    """Add a command to a group; ``kinds`` are its parameters, those without a default must be given."""

    def called(**given: Any) -> None:
        run(**given)

    called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                each,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(each, inspect.Parameter.empty),
                annotation=kind,
            )
            for each, kind in kinds.items()
        ]
    )
    called.__annotations__ = dict(kinds)
    group.command(name, help=about)(called)


def command(
    name: str = "", group: typer.Typer = app, *, is_run: bool = False
) -> Callable[[Callable[..., Done]], Callable[..., Done]]:
    """Return what adds a function as a command, with ``--verbose`` and the ends that all commands have.

    Its parameters are those of the command, but for what is brought by their type; one that takes as long as
    a run (``is_run``) also has ``--quiet`` and ``--log``.
    """

    def added(function: Callable[..., Done]) -> Callable[..., Done]:
        kinds = get_type_hints(function, include_extras=True)
        brought = {each: BROUGHT[kind] for each, kind in kinds.items() if kind in BROUGHT}
        own = {each: kind for each, kind in kinds.items() if each not in ("return", "verbose", *brought)}
        own |= {"quiet": Quiet} if is_run else {}
        own |= {"verbose": kinds.get("verbose", Verbose)} | ({"log": Logged} if is_run else {})

        def run(verbose: bool, quiet: bool = False, log: Log = Log.TEXT, **given: Any) -> None:
            switches = {"quiet": quiet, "verbose": verbose}
            voice = voice_for(log, sys.stderr, **switches) if brought else Voice(sys.stderr, **switches)
            given |= {"verbose": verbose} if "verbose" in kinds else {}
            guarded(
                lambda: function(**given, **{each: brings(voice) for each, brings in brought.items()}), voice
            )

        taken = {each: of.default for each, of in inspect.signature(function).parameters.items()}
        defaults = {"quiet": False, "verbose": False, "log": Log.TEXT} | taken
        add_command(group, name or function.__name__, inspect.getdoc(function), run, own, defaults)
        return function

    return added


def _written(page: PageToWrite) -> str:
    from reporting.base.publish import write_in_place
    from reporting.render.formats import render_all

    write_in_place(
        page.file, render_all(page.report, page.provenance, ["html"], interactive=True)["report.html"]
    )
    return str(page.file)


def guarded(work: Callable[[], Done], voice: Voice) -> NoReturn:
    """Print what the work ends with and exit by the contract."""
    status = 0
    try:
        _check_addresses()
        done = work()
        output = _written(done) if isinstance(done, PageToWrite) else done
        status = output.status if isinstance(output, Verdict) else 0
        voice.close()
        with room_in("the standard output"):
            print(legible(output.text if isinstance(output, Verdict) else output), flush=True)
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
        raise SystemExit(status) from None
    except SystemExit:
        raise
    except BaseException as error:  # a panic of a compiled library is no Exception
        voice.failure(error)
        raise SystemExit(3) from None
    raise SystemExit(status)
