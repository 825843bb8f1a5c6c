"""What is shown -> files, a sample of each, and how the config writes their places.

Never more than a number of rows of a table is read. Paths are relative to the config's own folder. Where
only names of files give model and split, a pattern such as ``scores/{model}-{split}.csv`` reads them.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

import polars as pl

from reporting.app.config.sources import DATABASES, find_sources
from reporting.app.init.columns import CLASSES, SPLITS
from reporting.app.init.lines import Line
from reporting.base.publish import is_report
from reporting.base.records import dataclass, replace
from reporting.errors import ConfigError, DataError, listed, quoted
from reporting.inputs.files import AS_IT_IS, UNREADABLE, cause, open_file
from reporting.inputs.formats.catalogue import Reading, format_of
from reporting.inputs.formats.copies import plain
from reporting.inputs.formats.text import lines_of
from reporting.inputs.paths import PathNaming, split_pattern
from reporting.inputs.remote.address import FILES, bare, table_name
from reporting.inputs.remote.fetch import fetched
from reporting.inputs.spec import File, Remote, Source, TrialSpec

MOST_ROWS = 100_000
"""Rows of one file that are looked at."""
MOST_FILES = 40
"""Files that are looked at; of the others only what their paths say."""
SLICES = 20
"""Places of a large file from which its rows are taken, where it distinguishes rows."""
LARGE_TEXT = 500_000_000
"""Bytes of text beyond which only the first rows are read."""
LARGE_JSON = 50_000_000
"""Bytes of JSON lines beyond which not all lines are read for their names."""
LISTING = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name",
    "duckdb": "SELECT table_name FROM information_schema.tables ORDER BY table_name",
    "postgresql": "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables"
    " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY name",
}


@dataclass(frozen=True)
class ShownSource:
    """One thing that was shown: what the config calls it, and the files it denotes."""

    text: str
    files: tuple[File, ...]
    local: bool = True
    """Whether the files are its own; else copies made to be looked at."""
    is_around: bool = False
    """Whether it is a folder that will hold the config too, and the report."""


def shown_by(texts: Sequence[str], table: str | None, out: Path, work: Path) -> list[ShownSource]:
    """Look up what was shown; ``out`` is the config, ``work`` keeps copies of what is far away.

    From a database some rows of its ``table`` are read; ConfigError lists its tables where none is named.
    """
    shown, folder = [], out.parent
    for number, text in enumerate(map(_address, texts)):
        _check_text(text)
        if "://" in text:
            place = work / str(number)
            place.mkdir()
            shown.append(_from_afar(text, table, folder, place))
        else:
            files = _files(text)
            others = tuple(each for each in files if not (out.exists() and each.path.samefile(out)))
            around = Path(text).is_dir() and folder.resolve().is_relative_to(Path(text).resolve())
            shown.append(ShownSource(at_config(text, folder), others or files, is_around=around))
    if table and not any(is_database(each.text) for each in shown):
        raise ConfigError(
            "--table needs a database: sqlite:///FILE, duckdb:///FILE or postgresql://HOST/DATABASE"
        )
    return shown


def is_database(text: str) -> bool:
    """Return whether a source is a database."""
    return text.startswith(DATABASES)


def _address(text: str) -> str:
    try:
        with Path(text).open("rb") as file:
            start = file.read(15)
        is_duckdb = start[8:12] == b"DUCK"
        return (
            f"sqlite:///{text}" if start == b"SQLite format 3" else f"duckdb:///{text}" if is_duckdb else text
        )
    except (OSError, ValueError):
        return text


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{text!a} is not UTF-8, which no config can hold; rename it") from None


def _files(text: str) -> tuple[File, ...]:
    """Find tables; where there are none, files of any name. What earlier reports hold comes last."""
    of_any_kind = PathNaming(any_kind=True)
    try:
        sources = find_sources(text, Path())
    except ConfigError as error:
        try:
            sources = find_sources(text, Path(), of_any_kind)
        except ConfigError:
            raise error from None
    files = _outside_reports(sources) or _outside_reports(find_sources(text, Path(), of_any_kind))
    return files or tuple(source for source in sources if isinstance(source, File))


def _outside_reports(sources: Sequence[File | Remote]) -> tuple[File, ...]:
    files = [source for source in sources if isinstance(source, File)]
    reports = {folder for folder in {up for file in files for up in file.path.parents} if is_report(folder)}
    return tuple(file for file in files if reports.isdisjoint(file.path.parents))


def _from_afar(text: str, table: str | None, folder: Path, work: Path) -> ShownSource:
    (remote,) = find_sources(text, Path())
    assert isinstance(remote, Remote)
    if not is_database(text):
        return ShownSource(text, _fetched(remote, work), local=False)
    if remote.scheme not in LISTING:
        raise ConfigError(
            f"{quoted(bare(text))}: init looks into files and databases of {listed(LISTING)}; start from a"
            " file with some of the rows, then name this source in the config"
        )
    if table is None:
        names = [name for file in _fetched(replace(remote, query=LISTING[remote.scheme]), work)
                 for name in pl.read_parquet(file.path, glob=False).to_series()]  # fmt: skip
        raise ConfigError(
            f"{quoted(bare(text))} is a database; name a table of it with --table"
            f" (found: {listed(map(quoted, names)) or 'none'})"
        )
    some = replace(remote, query=f"SELECT * FROM {table_name(table)} LIMIT {MOST_ROWS}")
    files = _fetched(some, work)
    in_file = remote.scheme in FILES
    there = f"{remote.scheme}:///{at_config(text.partition(':///')[2], folder)}" if in_file else text
    return ShownSource(there, files, local=False)


def _fetched(remote: Remote, work: Path) -> tuple[File, ...]:
    spec = fetched(TrialSpec((remote,)), work)
    return tuple(source for source in spec.sources if isinstance(source, File))


def some_of(files: Sequence[File]) -> list[File]:
    """Return the files that are looked at: all, or some from end to end."""
    step = max(len(files) / MOST_FILES, 1)
    return [files[int(at * step)] for at in range(min(len(files), MOST_FILES))]


def sample_of(source: Source, most: int = MOST_ROWS, reading: Reading = AS_IT_IS) -> pl.DataFrame:
    """Read some rows of a table, with what its path gives; of large ones from many places, or the first.

    DataError where it cannot be read.
    """
    try:
        kind = format_of(source.path.name) if isinstance(source, File) else None
        size = source.path.stat().st_size if isinstance(source, File) and kind and kind.is_text else 0
        is_large_json = kind is not None and kind.word == "ndjson" and size > LARGE_JSON
        rows = _first_lines(source) if is_large_json else open_file(source, reading)
        if size > LARGE_TEXT:
            return rows.head(most).collect(engine="streaming")
        n = rows.select(pl.len()).collect(engine="streaming").item()
        if n <= most:
            return rows.collect()
        some = max(most // SLICES, 1)
        starts = [at * (n - some) // (SLICES - 1) for at in range(SLICES)]
        if kind and kind.is_text:  # one pass: no place of a text can be reached without what is before it
            at = pl.col(" at")
            inside = pl.any_horizontal(at.is_between(start, start + some - 1) for start in starts)
            return rows.with_row_index(" at").filter(inside).drop(" at").collect(engine="streaming")
        return pl.concat(rows.slice(start, some) for start in starts).collect()
    except UNREADABLE as error:
        raise DataError(f"{source.name}: cannot be read: {cause(source, error)}") from None


def _first_lines(source: Source) -> pl.LazyFrame:
    assert isinstance(source, File)
    try:
        rows = [json.loads(line) for line in islice(lines_of(source.path), MOST_ROWS // 10) if line.strip()]
        names = dict.fromkeys(name for row in rows for name in row)
        values = {name: [row.get(name) for row in rows] for name in names}
        text = {
            name: [value if isinstance(value, str | None) else json.dumps(value) for value in of_name]
            for name, of_name in values.items()
        }
    except (ValueError, AttributeError, TypeError, RecursionError):
        return open_file(source)  # which reports what is wrong
    return pl.LazyFrame(text).with_columns(pl.lit(value).alias(name) for name, value in source.path_values)


def lines_in(source: File, most: int = 400) -> list[str]:
    """Read the first lines of a text that are not blank; none where it is no text."""
    try:
        return [line for line in islice(lines_of(plain(source.path)), most) if line.strip()]
    except UNREADABLE:
        return []


def at_config(text: str, folder: Path) -> str:
    """Say a path or pattern, relative to the working directory, relative to the config's folder.

    One that shares no folder with the config stays absolute. A path that exists is taken at its letters.
    """
    if Path(text).exists():
        return relative(absolute(text), folder)
    if Path(text).is_absolute():
        return text
    here = relative(str(Path.cwd()), folder)
    return text if here == "." else f"{as_pattern(here)}/{text}"


def absolute(path: str | Path) -> str:
    """Return a path from the root, without steps up and without following links."""
    return os.path.normpath(Path(path).absolute())


def relative(path: str, folder: Path) -> str:
    """Say an absolute path relative to a folder, through whose links one goes up as the system does."""
    start = os.path.realpath(folder)
    if os.path.commonpath([path, start]) == os.sep:
        return path
    return os.path.relpath(path, start)


def as_pattern(path: str) -> str:
    """Write a path as a pattern that matches nothing else."""
    return glob.escape(path).replace("{", "{{").replace("}", "}}")


@dataclass(frozen=True)
class SourceGroup:
    """Files of one part of the trials: all, keys, or scores."""

    shown: tuple[ShownSource, ...]
    files: tuple[File, ...]
    pattern: str = ""
    """The pattern whose placeholders say model or split, where one is needed."""
    reading: Reading = AS_IT_IS
    """How the files are read, where they do not show it."""

    @property
    def is_local(self) -> bool:
        """Return whether its files are the user's own."""
        return all(each.local for each in self.shown)


@dataclass(frozen=True)
class Draft:
    """The lines of a config, and what was looked at, a line each."""

    lines: tuple[Line, ...]
    seen: tuple[str, ...]


def places_of(group: SourceGroup, folder: Path) -> list[str]:
    """Say where a group's files are: by its pattern, as they were shown, or file by file."""
    if group.pattern:
        return [group.pattern]
    paths = {each.path for each in group.files}
    places = []
    for each in group.shown:
        mine = [file for file in each.files if file.path in paths]
        is_whole = mine and len(mine) == len(each.files)
        if is_whole and (any(file.path_values for file in mine) or not each.is_around):
            places.append(each.text)
        else:
            places += dict.fromkeys(relative(absolute(file.path), folder) for file in mine)
    return places


def places_line(group: SourceGroup, out: Path, key: str = "source", why: str = "") -> Line:
    """Return the line of a config ``out`` with the places of a group's files."""
    return Line(("trials", key), one_or_all(places_of(group, out.parent)), why)


def one_or_all(places: Sequence[str]) -> str | list[str]:
    """Return a place alone, or the list of several."""
    return places[0] if len(places) == 1 else list(places)


MODEL, SPLIT, LABEL = "{model}", "{split}", "{label}"
NAMING = PathNaming(any_kind=True)
Pieces = tuple[str, ...]
"""Of a path: words, what separates them, and placeholders."""


@dataclass(frozen=True)
class PathPattern:
    """A pattern with placeholders, relative to the config, and the files with what their paths then say."""

    pattern: str
    files: tuple[File, ...]


def pattern_of(
    files: Sequence[File], lacking: Collection[str], out: Path, others: Collection[Path] = ()
) -> PathPattern | None:
    """Find the one pattern of all the files that gives what is lacking: model, split, label, or several.

    ``others`` are files it may find too; ``out``, the config, it must not. A split is looked for, not needed.
    None where there is no such pattern, and where only what all files share could be given.
    """
    base = os.path.commonpath([absolute(file.path.parent) for file in files])
    below = [os.path.relpath(absolute(file.path), base) for file in files]
    folder = out.parent
    pieces = [tuple(re.findall(r"[A-Za-z0-9]+|/|[^A-Za-z0-9/]+", path)) for path in below]
    for pattern in _patterns(pieces, lacking):
        start = as_pattern(relative(base, folder))
        whole = pattern if start == "." else f"{start.rstrip('/')}/{pattern}"
        matches = [] if _would_find(whole, out) else _files_at(whole, folder)
        paths = {os.path.realpath(file.path) for file in files}
        extra = {os.path.realpath(file.path) for file in matches} - paths
        if extra <= {os.path.realpath(file) for file in others}:
            kept = tuple(file for file in matches if os.path.realpath(file.path) in paths)
            if len(kept) == len(paths):
                return PathPattern(whole, kept)
    return None


def _patterns(paths: Sequence[Pieces], lacking: Collection[str]) -> Iterator[str]:
    marked = _marked(_marked(paths, "split", SPLITS, lacking), "label", CLASSES, lacking)
    is_one = len(set(marked)) == 1 and marked != list(paths)
    if is_one and (LABEL in marked[0] or "model" not in lacking):
        yield _text(marked[0])
    if "model" in lacking:
        yield from _with_models(sorted(set(marked)))


def _marked(
    paths: Sequence[Pieces], role: str, known: Collection[str], lacking: Collection[str]
) -> list[Pieces]:
    """Put a placeholder in place of the last known word of every path, where they are not all the same."""
    places = [
        max((at for at, piece in enumerate(path) if piece.lower() in known), default=-1) for path in paths
    ]
    words = {path[at] for path, at in zip(paths, places, strict=True)}
    if role not in lacking or min(places) < 0 or len(words) < 2:
        return list(paths)
    return [(*path[:at], f"{{{role}}}", *path[at + 1 :]) for path, at in zip(paths, places, strict=True)]


def _with_models(paths: Sequence[Pieces]) -> Iterator[str]:
    """Put the model where paths differ; of one path, in place of the words of its last name."""
    if len(paths) > 1:
        start = _alike(paths)
        rest = [path[start:] for path in paths]
        end = _alike([path[::-1] for path in rest])
        middles = [path[: len(path) - end] for path in rest]
        if all(middles) and not any(piece in ("/", SPLIT, LABEL) for middle in middles for piece in middle):
            yield _text((*paths[0][:start], MODEL, *rest[0][len(rest[0]) - end :]))
        return
    (path,) = paths
    for name in _names(path):
        yield _text((*path[: name.start], MODEL, *path[name.stop :]))
    if len(path) == 1 and len(path[0]) > 1:  # a name alone, where {model} finds all that is there
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
        while start > 0 and path[start - 1] not in ("/", SPLIT, LABEL):
            start -= 1
        run = [at for at in range(start, stop) if path[at].isalnum()]
        if run:
            yield slice(run[0], run[-1] + 1)
            if len(run) > 1:  # the words before the last, as in scores-eval
                yield slice(run[0], run[-2] + 1)
        stop = start - 1


def _text(pieces: Pieces) -> str:
    return "".join(piece if piece in (MODEL, SPLIT, LABEL) else as_pattern(piece) for piece in pieces)


def _would_find(pattern: str, out: Path) -> bool:
    start, steps = split_pattern(pattern, out.parent, NAMING)
    return (
        len(steps) == 1
        and os.path.realpath(start) == os.path.realpath(out.parent)
        and steps[0].read(out.name) is not None
    )


def _files_at(pattern: str, folder: Path) -> list[File]:
    try:
        sources = find_sources(pattern, folder, NAMING)
    except ConfigError:
        return []
    return [source for source in sources if isinstance(source, File)]
