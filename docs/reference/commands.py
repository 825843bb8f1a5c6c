"""The commands, with the help that each prints."""

from __future__ import annotations

from collections.abc import Iterator

import typer.main
from typer.testing import CliRunner

from docs.markdown import anchor, code, heading, page
from reporting.app.cli import app

LEAD = (
    "The exit status is 0 when a command is done, 1 when a gate failed or `verify` found a difference, 2 for"
    " bad usage, config or data, 3 for a fault of the program or a machine without room, and 130 after an"
    " interrupt. Results go to standard output, messages to standard error."
)
WIDTH = {"COLUMNS": "96", "TERMINAL_WIDTH": "96"}


def pages() -> dict[str, str]:
    """Return the page of all commands."""
    return {"reference/commands.md": page(_lines())}


def _lines() -> Iterator[str]:
    yield from heading(1, "Commands")
    yield from (LEAD, "")
    for words in _commands(typer.main.get_command(app), ()):
        yield from heading(2, code(f"reporting {' '.join(words)}"), anchor("command", *words))
        yield "```text"
        yield from _help(words)
        yield from ("```", "")


def _commands(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield every command that does something, in the order of the help."""
    below = getattr(command, "commands", {})
    if words and (not below or getattr(command, "invoke_without_command", False)):
        yield words
    for name, each in below.items():
        yield from _commands(each, (*words, name))


def _help(words: tuple[str, ...]) -> list[str]:
    printed = CliRunner().invoke(app, [*words, "--help"], prog_name="reporting", env=WIDTH).stdout
    return [line.rstrip() for line in printed.strip("\n").splitlines()]
