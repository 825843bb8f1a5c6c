"""Model and split where only names of files say them: ``scores/{model}-{split}.csv`` of files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reporting.config.sources import find_sources
from reporting.errors import ConfigError
from reporting.starter.names import SPLITS
from reporting.starter.places import absolute, as_pattern, relative
from reporting.trials.paths import Naming, split_pattern
from reporting.trials.spec import File

MODEL, SPLIT = "{model}", "{split}"
NAMING = Naming(any_kind=True)
Pieces = tuple[str, ...]
"""Of a path: words, what stands between them, and placeholders."""


@dataclass(frozen=True)
class Told:
    """A pattern with placeholders, relative to the config, and the files with what their paths then say."""

    pattern: str
    files: tuple[File, ...]


def told_by_paths(
    files: Sequence[File], lacking: Collection[str], out: Path, others: Collection[Path] = ()
) -> Told | None:
    """Find the one pattern of all the files that says what is lacking: model, split, or both.

    ``others`` are files it may find too; ``out``, the config, it must not. A split is looked for, not needed.
    None where there is no such pattern, and where only a split that all files share could be said.
    """
    base = os.path.commonpath([absolute(one.path.parent) for one in files])
    below = [os.path.relpath(absolute(one.path), base) for one in files]
    folder = out.parent
    for pattern in _patterns([_pieces(path) for path in below], lacking):
        start = as_pattern(relative(base, folder))
        whole = pattern if start == "." else f"{start.rstrip('/')}/{pattern}"
        found = [] if _would_find(whole, out) else _found(whole, folder)
        paths = {os.path.realpath(one.path) for one in files}
        extra = {os.path.realpath(one.path) for one in found} - paths
        if extra <= {os.path.realpath(one) for one in others}:
            kept = tuple(one for one in found if os.path.realpath(one.path) in paths)
            if len(kept) == len(paths):
                return Told(whole, kept)
    return None


def _pieces(path: str) -> Pieces:
    return tuple(re.findall(r"[A-Za-z0-9]+|/|[^A-Za-z0-9/]+", path))


def _patterns(paths: Sequence[Pieces], lacking: Collection[str]) -> Iterator[str]:
    splits = [_split_of(pieces) for pieces in paths]
    has_splits = "split" in lacking and all(splits) and len(set(splits)) > 1
    marked = [_marked(pieces) for pieces in paths] if has_splits else list(paths)
    if "model" not in lacking:
        if has_splits and len(set(marked)) == 1:
            yield _text(marked[0])
        return
    yield from _with_models(sorted(set(marked)))


def _split_of(pieces: Pieces) -> str | None:
    return next((one for one in reversed(pieces) if one.lower() in SPLITS), None)


def _marked(pieces: Pieces) -> Pieces:
    word = _split_of(pieces)
    at = len(pieces) - 1 - pieces[::-1].index(word or "")
    return (*pieces[:at], SPLIT, *pieces[at + 1 :])


def _with_models(paths: Sequence[Pieces]) -> Iterator[str]:
    """Put the model where paths differ; of one path, in place of the words of its last name."""
    if len(paths) > 1:
        start = _alike(paths)
        rest = [path[start:] for path in paths]
        end = _alike([path[::-1] for path in rest])
        middles = [path[: len(path) - end] for path in rest]
        if all(middles) and not any(piece in ("/", SPLIT) for middle in middles for piece in middle):
            yield _text((*paths[0][:start], MODEL, *rest[0][len(rest[0]) - end :]))
        return
    (path,) = paths
    for name in _names(path):
        yield _text((*path[: name.start], MODEL, *path[name.stop :]))
    if len(path) == 1 and len(path[0]) > 1:  # a name alone, where {model} would find all that is there
        yield f"{MODEL}{path[0][-1]}"


def _alike(paths: Sequence[Pieces]) -> int:
    """Count the pieces that all paths begin with; one of them keeps at least one piece."""
    shortest = min(map(len, paths))
    return next((at for at in range(shortest) if len({path[at] for path in paths}) > 1), shortest)


def _names(path: Pieces) -> Iterator[slice]:
    """Yield runs of words without a placeholder, the last name's first; an ending after a dot is none."""
    stop = len(path)
    for at in range(len(path) - 1, -1, -1):
        if path[at] == "." and "/" not in path[at:]:
            stop = at
    while stop > 0:
        start = stop
        while start > 0 and path[start - 1] not in ("/", SPLIT):
            start -= 1
        run = [at for at in range(start, stop) if path[at].isalnum()]
        if run:
            yield slice(run[0], run[-1] + 1)
        stop = start - 1


def _text(pieces: Pieces) -> str:
    return "".join(one if one in (MODEL, SPLIT) else as_pattern(one) for one in pieces)


def _would_find(pattern: str, out: Path) -> bool:
    """Tell whether a pattern finds a file that is not there yet."""
    start, steps = split_pattern(pattern, out.parent, NAMING)
    return (
        len(steps) == 1
        and os.path.realpath(start) == os.path.realpath(out.parent)
        and steps[0].read(out.name) is not None
    )


def _found(pattern: str, folder: Path) -> list[File]:
    try:
        found = find_sources(pattern, folder, NAMING)
    except ConfigError:
        return []
    return [one for one in found if isinstance(one, File)]
