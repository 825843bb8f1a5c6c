"""The commands that help: ``init``, ``doctor``, ``example``, ``schema``, ``measures`` and ``explain``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reporting.app.cli.app import command
from reporting.document.commands import Verdict


@command("init")
def starter(
    trials: Annotated[
        list[str], typer.Argument(metavar="TRIALS...", help="Files, folders, patterns or addresses.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The config to write.")] = Path(
        "report.yaml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Database table to read.")] = None,
) -> str:
    """Inspect trial files, infer their layout, and write a commented starter config."""
    from reporting.app.init.starter import write_starter

    return write_starter(trials, out, force=force, table=table)


@command()
def doctor(
    trials: Annotated[
        list[str], typer.Argument(metavar="TRIALS...", help="Files, folders, patterns or addresses.")
    ],
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Database table to read.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> Verdict:
    """Say which questions trial files can answer, and what is missing for the others."""
    import json

    from reporting.app.run.doctor import diagnose, diagnosis_text

    diagnosis = diagnose(trials, table)
    as_dict = json.dumps(diagnosis.to_dict(), indent=2, ensure_ascii=False) if as_json else None
    return Verdict(as_dict or diagnosis_text(diagnosis), 2 if diagnosis.faults else 0)


@command()
def schema(
    frames: Annotated[
        bool, typer.Option("--frames", help="Print the columns of the result frames instead, as Markdown.")
    ] = False,
) -> str:
    """Print the JSON Schema of a config, for editors."""
    import json

    from reporting.app.config.schema import json_schema
    from reporting.app.handbook.frames import page_of_frames

    if frames:
        return page_of_frames().rstrip("\n")
    return json.dumps(json_schema(), indent=2, ensure_ascii=False)


@command()
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="vote, vote_in_depth, house_style or periodic.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A new or empty folder (default: NAME).")
    ] = None,
) -> str:
    """Write a ready-to-run example with its trials and a commented config, or list the examples."""
    from reporting.app.example.catalogue import EXAMPLES, list_of_examples, write_example

    if name is None:
        return list_of_examples()
    return str(write_example(name, folder or Path(EXAMPLES.find(name).key)))


@command()
def measures(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A measure, criterion or fit, or a synonym.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole catalogue as Markdown.")
    ] = False,
) -> str:
    """List all measures, criteria and fits, or describe one."""
    from reporting.app.handbook.catalogue import detail, overview, page
    from reporting.document.lines import terminal_width

    width = terminal_width()
    if markdown:
        return page().rstrip("\n")
    return overview(width) if name is None else detail(name, width)


@command()
def explain(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD]",
            help="A code such as TR205 or its name, a method as frames or pages name it, a question of the"
            " report or its section, a measure, a frame, a column or a key of the config.",
        ),
    ] = None,
) -> str:
    """Explain a code, a method, a question, a measure, a column or a key; or list all codes."""
    from reporting.app.handbook.codes import list_of_codes, page_of
    from reporting.document.lines import terminal_width

    width = terminal_width()
    return page_of(" ".join(words), width) if words else list_of_codes(width)
