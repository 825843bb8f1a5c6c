"""Files of words: the part of YAML that texts need, read in milliseconds, with the line of every entry.

A file is a mapping of names to mappings, texts, switches and lists of names::

    cautions:
      few_trials:
        code: NT301
        facts: [models]
        text: >-
          {models} have few trials. A text of several lines
          is joined by spaces.

Whatever else YAML knows is refused, so that a file means the same to every reader of YAML.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from string import Formatter
from typing import NamedTuple, NoReturn

from reporting.errors import ConfigError, did_you_mean, quoted

Value = str | bool | tuple[str, ...]


class WordsError(ConfigError):
    """A file of words cannot be used."""


class Entry(NamedTuple):
    """What a file holds under a name, and where."""

    value: Value | Mapping[str, Entry]
    file: Path
    line: int

    def fault(self, text: str) -> WordsError:
        """Return an error at this place."""
        return WordsError(f"{self.file}:{self.line}: {text}")

    def below(self) -> Mapping[str, Entry]:
        """Return the entries below this one."""
        if isinstance(self.value, Mapping):
            return self.value
        raise self.fault("expected names with a text each")

    def text(self) -> str:
        """Return its text."""
        if isinstance(self.value, str):
            return self.value
        raise self.fault("expected a text")

    def template(self, slots: Collection[str]) -> str:
        """Return its text, in which ``{...}`` must be slots."""
        try:
            named = [name for _, name, _, _ in Formatter().parse(self.text()) if name is not None]
        except ValueError:
            raise self.fault("a brace of the text itself is written twice") from None
        for name in named:
            if name not in slots:
                raise self.fault(f"nothing fills {quoted(f'{{{name}}}')}{did_you_mean(name, slots)}")
        return self.text()

    def only(self, allowed: Collection[str], kind: str) -> Mapping[str, Entry]:
        """Return the entries below this one, whose names must be among those allowed."""
        for name, entry in self.below().items():
            if name not in allowed:
                raise entry.fault(f"{quoted(name)} is no {kind}{did_you_mean(name, allowed)}")
        return self.below()


def read_words(file: Path) -> Entry:
    """Return what a file of words holds; WordsError with the line that breaks a rule."""
    lines = [Line(number, text) for number, text in enumerate(file.read_text("utf-8").split("\n"), 1) if text]
    return Entry(_Reader(file, lines).mapping(0), file, 1)


class Line:
    """A line with its number and how far it is indented."""

    __slots__ = ("depth", "number", "text")

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text.lstrip(" ")
        self.depth = len(text) - len(self.text)


_KEY = re.compile(r'(?:([\w-]+)|"([^"\\]+)"):(?: (\S.*))?')
_LIST = re.compile(r"\[([\w-]+(?:, [\w-]+)*)\]")
_QUOTED = re.compile(r'"([^"\\]*)"')
_PLAIN = re.compile(r"(?![-\d.+~&*!|>'\"%@`{}\[\],?:#])(?!null\b|(?i:yes|no|on|off)$)(?:(?!: | #).)*(?<!:)")
_SWITCHES = {"true": True, "false": False}


class _Reader:
    """Goes through the lines of a file."""

    def __init__(self, file: Path, lines: list[Line]) -> None:
        self.file = file
        self.lines = lines
        self.at = 0

    def mapping(self, depth: int) -> dict[str, Entry]:
        """Return the entries indented this far, up to the next line that is indented less."""
        entries: dict[str, Entry] = {}
        while self.at < len(self.lines) and (line := self.lines[self.at]).depth >= depth:
            self.at += 1
            if line.text.startswith("#"):
                continue
            match = _KEY.fullmatch(line.text)
            if line.depth > depth or match is None:
                self.fault(line, "expected `name: text`, as far to the right as the names above")
            name = match[1] or match[2]
            if name in entries:
                self.fault(line, f"{quoted(name)} is already in line {entries[name].line}")
            entries[name] = Entry(self.value(line, match[3]), self.file, line.number)
        return entries

    def value(self, line: Line, text: str | None) -> Value | Mapping[str, Entry]:
        """Return what follows a name: in its own line, or in those below."""
        if text == ">-":
            return self.folded(line)
        if text is None:
            below = self.lines[self.at].depth if self.at < len(self.lines) else 0
            if below <= line.depth:
                self.fault(line, "nothing follows the name")
            return self.mapping(below)
        if text in _SWITCHES:
            return _SWITCHES[text]
        if listed := _LIST.fullmatch(text):
            return tuple(listed[1].split(", "))
        quoted_text = _QUOTED.fullmatch(text)
        if quoted_text is None and (not _PLAIN.fullmatch(text) or text.endswith(" ")):
            self.fault(
                line, "write this text in the lines below `>-`, or in double quotes without backslashes"
            )
        return quoted_text[1] if quoted_text else text

    def folded(self, head: Line) -> str:
        """Return the text below ``>-``, its lines joined by spaces."""
        texts: list[str] = []
        depth, number = head.depth, head.number
        while self.at < len(self.lines) and (line := self.lines[self.at]).depth > head.depth:
            depth = depth if texts else line.depth
            if line.depth != depth or line.number != number + 1 or line.text.endswith((" ", "\t")):
                self.fault(line, "a text has no empty line, an even margin and no space at the end of a line")
            texts.append(line.text)
            self.at, number = self.at + 1, number + 1
        if not texts:
            self.fault(head, "no text follows")
        return " ".join(texts)

    def fault(self, line: Line, text: str) -> NoReturn:
        """Raise an error at a line."""
        raise WordsError(f"{self.file}:{line.number}: {text}")
