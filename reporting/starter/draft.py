"""What is handed from room to room: files that belong together, and the draft of a config."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reporting.starter.lines import Line
from reporting.starter.look import Shown
from reporting.starter.places import absolute, relative
from reporting.trials.spec import File


@dataclass(frozen=True)
class Group:
    """Files of one part of the trials: all, keys, or scores."""

    shown: tuple[Shown, ...]
    files: tuple[File, ...]
    pattern: str = ""
    """The pattern whose placeholders say model or split, where one is needed."""

    @property
    def is_local(self) -> bool:
        """Tell whether its files are the user's own."""
        return all(one.local for one in self.shown)


@dataclass(frozen=True)
class Draft:
    """The lines of a config, and what was looked at, a line each."""

    lines: tuple[Line, ...]
    seen: tuple[str, ...]


def places_of(group: Group, folder: Path) -> list[str]:
    """Say where a group's files are: by its pattern, as they were shown, or file by file."""
    if group.pattern:
        return [group.pattern]
    paths = {one.path for one in group.files}
    places = []
    for one in group.shown:
        mine = [file for file in one.files if file.path in paths]
        if mine and len(mine) == len(one.files) and (any(file.said for file in mine) or not one.is_around):
            places.append(one.text)
        else:
            places += [relative(absolute(file.path), folder) for file in mine]
    return places


def one_or_all(places: Sequence[str]) -> str | list[str]:
    """Return a place alone, or the list of several."""
    return places[0] if len(places) == 1 else list(places)
