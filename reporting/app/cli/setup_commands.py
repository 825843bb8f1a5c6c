"""The commands that help: ``init``, ``doctor``, ``example``, ``schema``, ``measures`` and ``explain``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import Verbose, app, guarded
from reporting.app.terminal.log import Voice


@app.command("init")
def starter(
    trials: Annotated[
        list[str], typer.Argument(metavar="TRIALS...", help="Files, folders, patterns or addresses.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The config to write.")] = Path(
        "report.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Database table to read.")] = None,
    verbose: Verbose = False,
) -> None:
    """Inspect trial files, infer their layout, and write a commented starter config."""

    def work() -> str:
        from reporting.app.init.starter import write_starter

        return write_starter(trials, out, force=force, table=table)

    guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def doctor(
    trials: Annotated[
        list[str], typer.Argument(metavar="TRIALS...", help="Files, folders, patterns or addresses.")
    ],
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Database table to read.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    verbose: Verbose = False,
) -> None:
    """Say which questions trial files can answer, and what is missing for the others."""
    status: list[int] = []

    def work() -> str:
        import json

        from reporting.app.run.doctor import diagnose, diagnosis_text

        diagnosis = diagnose(trials, table)
        status.append(2 if diagnosis.faults else 0)
        if as_json:
            return json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False)
        return diagnosis_text(diagnosis)

    guarded(work, Voice(sys.stderr, verbose=verbose), status)


@app.command()
def schema(
    frames: Annotated[
        bool, typer.Option("--frames", help="Print the columns of the result frames instead, as Markdown.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Print the JSON Schema of a config, for editors."""

    def work() -> str:
        import json

        from reporting.app.config.schema import json_schema
        from reporting.app.handbook.frames import page_of_frames

        if frames:
            return page_of_frames().rstrip("\n")
        return json.dumps(json_schema(), indent=2, ensure_ascii=False)

    guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="vote, vote_in_depth, house_style or periodic.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A new or empty folder (default: NAME).")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Write a ready-to-run example with its trials and a commented config, or list the examples."""

    def work() -> str:
        from reporting.app.example.catalogue import EXAMPLES, list_of_examples, write_example

        if name is None:
            return list_of_examples()
        return str(write_example(name, folder or Path(EXAMPLES.find(name).key)))

    guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def measures(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A measure, criterion or fit, or a synonym.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole catalogue as Markdown.")
    ] = False,
    verbose: Verbose = False,
) -> None:
    """List all measures, criteria and fits, or describe one."""

    def work() -> str:
        from reporting.app.handbook.catalogue import detail, overview, page
        from reporting.document.lines import terminal_width

        width = terminal_width()
        if markdown:
            return page().rstrip("\n")
        return overview(width) if name is None else detail(name, width)

    guarded(work, Voice(sys.stderr, verbose=verbose))


@app.command()
def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="[CODE]", help="A code such as TR205, or its name.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Explain the code of a caution, status, gate or error, or list all codes."""

    def work() -> str:
        from reporting.app.handbook.codes import list_of_codes, page_of_code
        from reporting.document.lines import terminal_width

        width = terminal_width()
        return list_of_codes(width) if code is None else page_of_code(code, width)

    guarded(work, Voice(sys.stderr, verbose=verbose))
