"""Files of words: YAML of names, texts, switches and lists of names, with the line of every entry.

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

from collections.abc import Collection, Mapping
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import yaml

from reporting.errors import ConfigError, did_you_mean, quoted

Value = str | bool | tuple[str, ...]


class WordsError(ConfigError):
    """A file of words cannot be used."""


class WordEntry(NamedTuple):
    """What a file holds under a name, and where."""

    value: Value | Mapping[str, WordEntry]
    file: Path
    line: int

    def fault(self, text: str) -> WordsError:
        """Return an error at this place."""
        return WordsError(f"{self.file}:{self.line}: {text}")

    def below(self) -> Mapping[str, WordEntry]:
        """Return the entries below this one."""
        if isinstance(self.value, Mapping):
            return self.value
        raise self.fault("expected names with a text each")

    def text(self) -> str:
        """Return its text."""
        if isinstance(self.value, str):
            return self.value
        raise self.fault("expected a text")

    def switch(self) -> bool:
        """Return whether it is true."""
        if isinstance(self.value, bool):
            return self.value
        raise self.fault("expected true or false")

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

    def plain(self) -> Any:
        """Return it as values alone."""
        if isinstance(self.value, Mapping):
            return {name: each.plain() for name, each in self.value.items()}
        return self.value

    def only(self, allowed: Collection[str], kind: str) -> Mapping[str, WordEntry]:
        """Return the entries below this one, whose names must be among those allowed."""
        for name, entry in self.below().items():
            if name not in allowed:
                raise entry.fault(f"{quoted(name)} is no {kind}{did_you_mean(name, allowed)}")
        return self.below()


def read_words(file: Path) -> WordEntry:
    """Return what a file of words holds; WordsError with the line that breaks a rule."""
    try:
        root = yaml.compose(file.read_text("utf-8"), Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WordsError(f"{file}:{line}: {error.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise WordsError(f"{file}: it holds bytes or characters that no text has: {error}") from None
    if root is None:
        raise WordsError(f"{file}: it has no words")
    return _entry(root, file)


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
TEXT, SWITCH = "tag:yaml.org,2002:str", "tag:yaml.org,2002:bool"
SWITCHES = {"true": True, "false": False}


def _entry(node: yaml.Node, file: Path) -> WordEntry:
    here = WordEntry("", file, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return here._replace(value=_entries(node, file))
    if isinstance(node, yaml.SequenceNode):
        return here._replace(value=tuple(_entry(each, file).text() for each in node.value))
    if node.tag == SWITCH and node.value in SWITCHES:
        return here._replace(value=SWITCHES[node.value])
    # YAML 1.1 and 1.2 disagree on what a bare `no`, a date or a number in base 60 is.
    if node.tag != TEXT:
        raise here.fault(f"{quoted(node.value)} is no text; write it in double quotes")
    return here._replace(value=node.value)


def _entries(node: yaml.MappingNode, file: Path) -> dict[str, WordEntry]:
    entries: dict[str, WordEntry] = {}
    for key, value in node.value:
        name, entry = _entry(key, file).text(), _entry(value, file)
        entry = entry._replace(line=key.start_mark.line + 1)
        if name in entries:
            raise entry.fault(f"{quoted(name)} is already in line {entries[name].line}")
        entries[name] = entry
    return entries
