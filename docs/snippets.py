"""The snippets of a page, executed one after another in a folder of their own.

A page shows what its snippets print, and this module compares. Of the fenced blocks of a page

- ``{code-block}`` with a ``:caption:`` is a file of that name, written into the folder;
- ``python`` with ``>>>`` is a session, all of a page sharing their names;
- ``console`` holds commands after ``$``, each with what it prints (``...`` stands for anything);
- ``yaml`` without a caption is a part of a config, which the schema must accept.

``python -m docs.snippets PAGE...`` writes what is printed into the pages.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^(?P<marks>```+)(?P<kind>\{code-block\} *\w+|\w*)\n(?P<text>.*?)^(?P=marks)$", re.M | re.S
)
CAPTION = re.compile(r"\A:caption: (.+)\n")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
STATUS = "echo $?"


@dataclass(frozen=True)
class Block:
    """One fenced block of a page: what it is, its text, the name of its file, and where the text begins."""

    kind: str
    text: str
    caption: str
    start: int


@dataclass(frozen=True)
class Printed:
    """What a command or statement of a block printed, and the text of the page that it takes the place of."""

    command: str
    expected: str
    printed: str
    start: int
    end: int

    @property
    def agrees(self) -> bool:
        """Whether the page shows what was printed."""
        return doctest.OutputChecker().check_output(self.expected, self.printed, OPTIONS)


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    for fence in FENCE.finditer(text):
        kind = fence["kind"].removeprefix("{code-block}").strip()
        caption = CAPTION.match(fence["text"])
        skipped = caption.end() if caption else 0
        body = fence["text"][skipped:]
        yield Block(kind, body, caption[1] if caption else "", fence.start("text") + skipped)


def executed(text: str, folder: Path) -> list[Printed]:
    """Run the snippets of a page in a folder and return what each printed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: list[Printed] = []
    status = 0
    for block in blocks(text):
        if block.caption:
            path = folder / block.caption
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text.lstrip("\n"), encoding="utf-8")
        elif block.kind == "python" and ">>>" in block.text:
            printed += _session(block, names, folder)
        elif block.kind == "console":
            for one in _commands(block):
                output, status = (
                    (f"{status}\n", 0) if one.command == STATUS else _command(one.command, folder)
                )
                printed.append(replace(one, printed=output))
    return printed


def _session(block: Block, names: dict[str, Any], folder: Path) -> list[Printed]:
    """Run a block of Python statements."""
    test = doctest.DocTestParser().get_doctest(block.text, names, "page", None, 0)
    runner = _Recorder(optionflags=OPTIONS)
    with chdir(folder):
        runner.run(test, out=lambda text: None, clear_globs=False)
    names.update(test.globs)
    lines = block.text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    outputs = []
    for example, printed in runner.outputs:
        first = example.lineno + example.source.count("\n")
        last = first + example.want.count("\n")
        place = block.start + starts[first], block.start + starts[last]
        outputs.append(Printed(example.source.strip(), example.want, printed, *place))
    return outputs


class _Recorder(doctest.DocTestRunner):
    """Keeps what every statement printed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.outputs: list[tuple[doctest.Example, str]] = []

    def report_start(self, out: Any, test: Any, example: Any) -> None:
        """Print nothing."""

    def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Keep what was printed; of an exception that was expected, the page's own text."""
        self.outputs.append((example, example.want if example.exc_msg else got))

    def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
        """Keep what was printed."""
        self.outputs.append((example, got))

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """Keep the exception in the form in which a page shows one."""
        kind, error, _ = exc_info
        shown = f"Traceback (most recent call last):\n{kind.__module__}.{kind.__qualname__}: {error}\n"
        self.outputs.append((example, shown.replace("builtins.", "")))


def _commands(block: Block) -> Iterator[Printed]:
    """Yield the commands of a block with the places of what they print."""
    lines = block.text.splitlines(keepends=True)
    place, at = block.start, 0
    while at < len(lines):
        command = lines[at].removeprefix("$ ").strip()
        place += len(lines[at])
        at += 1
        while command.endswith("\\"):
            command = f"{command[:-1]}{lines[at].strip()}"
            place += len(lines[at])
            at += 1
        expected = ""
        while at < len(lines) and not lines[at].startswith("$ "):
            expected += lines[at]
            at += 1
        yield Printed(command, expected, "", place, place + len(expected))
        place += len(expected)


def _command(command: str, folder: Path) -> tuple[str, int]:
    """Run a command; return what it prints and its exit status. ``reporting`` runs in this process."""
    words = shlex.split(command)
    if words[0] == "reporting" and not {"|", ">", "&&"} & set(words):
        from typer.testing import CliRunner

        from reporting.app.cli import app

        with chdir(folder):
            ended = CliRunner().invoke(app, words[1:], prog_name="reporting", env=dict(_quiet()))
        return ended.output, ended.exit_code
    run = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, **_quiet(), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout + run.stderr, run.returncode


def _quiet() -> Mapping[str, str]:
    return {"COLUMNS": "96", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "1795392000"}


def unexpected(text: str, folder: Path) -> list[str]:
    """Return what the snippets of a page printed that the page does not show, and what its configs lack."""
    faults = [
        f"{one.command}\nexpected:\n{one.expected}printed:\n{one.printed}"
        for one in executed(text, folder)
        if not one.agrees
    ]
    return faults + [fault for block in blocks(text) for fault in refused(block)]


def refused(block: Block) -> Iterator[str]:
    """Yield why the schema refuses a part of a config."""
    if block.kind != "yaml" or block.caption:
        return
    from ruamel.yaml import YAML

    for part in _documents(block.text):
        keys = json.loads(json.dumps(YAML(typ="safe", pure=True).load(part), default=str))
        for error in _schema().iter_errors({"trials": {"source": "trials.csv"}, **keys} | _with_source(keys)):
            yield f"{part}{error.json_path}: {error.message}"


def _with_source(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {"trials": {"source": "trials.csv", **keys["trials"]}} if "trials" in keys else {}


def _documents(text: str) -> Iterator[str]:
    """Split a block where a key of the top level comes once more: alternatives, one below the other."""
    part = ""
    seen: set[str] = set()
    for line in text.splitlines(keepends=True):
        key = re.match(r"([a-z_]+):", line)
        if key and key[1] in seen:
            yield part
            part, seen = "", set()
        if key:
            seen.add(key[1])
        part += line
    if seen:
        yield part


@cache
def _schema() -> Any:
    import jsonschema

    from reporting.app.config.schema import json_schema

    return jsonschema.Draft202012Validator(json_schema())


def renewed(text: str, folder: Path) -> str:
    """Return a page that shows what its snippets print, where it showed something else."""
    for one in reversed(executed(text, folder)):
        if not one.agrees:
            printed = one.printed.rstrip("\n")
            text = text[: one.start] + (f"{printed}\n" if printed else "") + text[one.end :]
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as room:
            written = renewed(Path(name).read_text(encoding="utf-8"), Path(room))
        Path(name).write_text(written, encoding="utf-8")
