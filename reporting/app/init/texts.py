"""Files in the field's text formats, recognised by their first lines, and bundles of counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import polars as pl

from reporting.app.init.columns import Roles, columns_of, roles_of
from reporting.app.init.lines import Line, column_line
from reporting.app.init.look import (
    Draft,
    SourceGroup,
    lines_in,
    one_or_all,
    pattern_of,
    places_line,
    places_of,
)
from reporting.app.init.splits import split_lines
from reporting.app.init.table_lines import by_line, model_lines
from reporting.base.legible import counted
from reporting.base.records import dataclass, replace
from reporting.errors import DataError, listed, quoted
from reporting.inputs.bundle import METADATA, about_of
from reporting.inputs.formats.catalogue import READABLE, word_of
from reporting.inputs.formats.contents import shown_by_content
from reporting.inputs.layouts import text_formats
from reporting.inputs.layouts.text_formats import BLANKS
from reporting.inputs.spec import FALSE_WORDS, TEXTS, TRUE_WORDS, File, Layout, TrialSpec
from reporting.inputs.values import are_numbers


def is_bundle(file: File) -> bool:
    """Return whether a file holds counts."""
    try:
        return word_of(file.path.name) == "parquet" and METADATA in pl.read_parquet_metadata(file.path)
    except (pl.exceptions.PolarsError, OSError):
        return False


def is_clusters(file: File) -> bool:
    """Return whether a file gives the speakers of utterances: Kaldi's utt2spk, by its name and lines."""
    fields = [_fields(line) for line in lines_in(file)] if "utt2spk" in file.path.name else []
    return bool(fields) and all(
        len([field for field in line if field]) == len(("utterance", "speaker")) for line in fields
    )


def with_clusters(draft: Draft, group: SourceGroup, out: Path) -> Draft:
    """Let the clusters of a draft of text files come from files that say speakers."""
    places = one_or_all(places_of(group, out.parent))
    trail = ("trials", "clusters")
    given = [line for line in draft.lines if line.trail[:2] != trail and line.trail[2:] != ("cluster",)]
    lines = [_for_pairs(line) for line in given if line.trail != ("thresholds", "folds")]
    clusters = [
        Line((*trail, "file"), places, "the speaker of each utterance"),
        Line((*trail, "name"), "speaker"),
    ]
    n = f"{len(group.files)} files" if len(group.files) > 1 else group.files[0].name
    return Draft((*lines, *clusters), (*draft.seen, f"{n}: speakers of utterances"))


def _for_pairs(line: Line) -> Line:
    if line.trail != ("thresholds", "policy") or line.value != "kfold":
        return line
    return Line(
        line.trail, "none", "no thresholds: there are no dev rows, and trials have two speakers", True
    )


def is_text(file: File) -> bool:
    """Return whether a file must be read by lines: no table by its name, or in a format of the field."""
    kind = word_of(file.path.name)
    layouts = {reading.layout for reading in readings(file)} if kind in ("csv", "tsv", "text") else set()
    if kind == "text":
        return bool(layouts) or is_clusters(file)
    return not kind or bool(layouts if kind == "tsv" else layouts & {"bob"})


def texts_draft(group: SourceGroup, out: Path) -> Draft:
    """Recognise text files; DataError where no format is that of all."""
    by_file = [readings(file) for file in group.files]
    shared = shared_layout(by_file)
    if shared is None:
        raise DataError(_not_recognised(group.files, by_file))
    layout, parts = shared
    by_part = {
        part: tuple(file for file, its in zip(group.files, parts, strict=True) if its == part)
        for part in parts
    }
    scores = replace(group, files=by_part.get("scores") or by_part["both"])
    keys = replace(group, files=by_part["keys"]) if "keys" in by_part else None
    scores = _with_paths(scores, {"model", "split"}, out, keys.files if keys else ())
    lines = [Line(("trials", "source"), one_or_all(_by_file(scores, out)))]
    if keys:
        keys = _with_paths(keys, {"split"}, out, scores.files)
        lines.append(Line(("trials", "keys"), one_or_all(_by_file(keys, out)), "the labels"))
    lines.append(Line(("trials", "layout"), layout, "by its lines"))
    seen = ", ".join(f"{len(files)} of {part}" for part, files in by_part.items() if part != "both")
    lines += _lines(layout, scores, keys)
    return Draft(
        tuple(lines), (f"{counted(len(group.files), 'file')} in layout {layout}{': ' * bool(seen)}{seen}",)
    )


def _not_recognised(files: Sequence[File], by_file: Sequence[tuple[TextReading, ...]]) -> str:
    for each, its in zip(files, by_file, strict=True):
        if not its:
            first = next(iter(lines_in(each, 1)), "")
            if held := shown_by_content(each.path):
                return f"{each.name}: {held}"
            return (
                f"{each.name}: not a table by its name, nor in a format that is known ({', '.join(TEXTS)});"
                f" its first line is {quoted(first)}; a table needs a name that ends in one of {READABLE}"
            )
    layouts = listed(dict.fromkeys(f"{each.part} of {each.layout}" for its in by_file for each in its))
    names = listed((file.name for file in files), 3)
    return f"{names}: they look like {layouts}; show key files and score files of one format together"


def _with_paths(group: SourceGroup, lacking: set[str], out: Path, others: Sequence[File]) -> SourceGroup:
    lacking -= _path_roles(group).keys()
    by_paths = pattern_of(group.files, lacking, out, [file.path for file in others]) if lacking else None
    return group if by_paths is None else replace(group, files=by_paths.files, pattern=by_paths.pattern)


def _path_roles(group: SourceGroup) -> Roles:
    """Return what paths say, by our names of columns."""
    rows = pl.DataFrame([dict(file.path_values) for file in group.files], infer_schema_length=None)
    return roles_of(columns_of(rows)) if rows.width else {}


def _by_file(group: SourceGroup, out: Path) -> list[str]:
    """Say files by their names: a folder would hold the config too."""
    if any(each.path_values for each in group.files) or not group.is_local:
        return places_of(group, out.parent)
    alone = [replace(each, files=(*each.files, each.files[0])) for each in group.shown]
    return places_of(replace(group, shown=tuple(alone)), out.parent)


def _lines(layout: Layout, scores: SourceGroup, keys: SourceGroup | None) -> list[Line]:
    of_scores, of_keys = _path_roles(scores), _path_roles(keys) if keys else {}
    roles = {**of_keys, **of_scores}
    lines = [
        column_line(ours, column.name, column.summary)
        for ours, column in roles.items()
        if column.name != ours and ours in ("model", "split", "run", "dataset")
    ]
    if "model" not in roles:
        why = (
            "no path names the model of the scores: name files such as {model}-{split}.txt, and write"
            " that in source"
        )
        lines.append(column_line("model", "model", why, True, True))
    is_nameless = layout == "kaldi" and keys is None and len(_first_row(scores.files[0])) == 2
    splits = {text for each in (of_scores, of_keys) if "split" in each for text in each["split"].values}
    parted = list(split_lines(splits, None if is_nameless else "trials", can_part=True))
    if is_nameless:
        why = "lines hold a score and a label, and no name of the trial"
        lines.append(column_line("trial", "none", why))
    elif layout in BY_UTTERANCES:
        lines += _speakers((keys or scores).files[0])
    else:
        columns, why = one_or_all(COLUMNS[layout]), "resampled as one unit"
        if len(COLUMNS[layout]) > 1 and any(line.value == "kfold" for line in parted):
            why += "; trials of two clusters cannot be parted: then thresholds.policy: none"
        lines.append(column_line("cluster", columns, why, is_offered=True))
    labels = (keys or scores).files[0]
    if layout == "kaldi" and SPOOF in {field for line in lines_in(labels) for field in _fields(line)}:
        lines += [Line(("trials", "values", word), word) for word in ("target", "nontarget")]
        lines.append(Line(("trials", "values", SPOOF), SPOOF, "attacks, a third kind of trials"))
    lines += parted
    lines += model_lines(roles["model"].values if "model" in roles else [])
    if layout in SPEAKERS:
        lines += _detection_costs()
    columns = by_words(keys.files[0], layout) if keys else []
    return [*lines, *([by_line(columns)] if columns else [])]


def _speakers(labels: File) -> Iterator[Line]:
    """Offer clusters: the folders that utterances are in, as those of VoxCeleb, else a file of speakers."""
    names = [[field for field in _fields(line) if "/" in field] for line in lines_in(labels)]
    folders = {field.partition("/")[0] for fields in names for field in fields}
    n_utterances = len({field for fields in names for field in fields})
    if all(len(fields) == len(("enroll", "test")) for fields in names) and 1 < len(folders) < n_utterances:
        key, value, is_open = "pattern", "^([^/]+)/", True
        why = (
            f"is the folder, such as {quoted(min(folders))}, the speaker? then thresholds.policy: none,"
            " because trials of two speakers cannot be parted"
        )
    else:
        key, value, is_open = "file", "utt2spk", False
        why = "speakers, resampled as one unit: a file of Kaldi's lines 'utterance speaker'"
    yield Line(("trials", "clusters", key), value, why, is_open, is_offered=True)
    yield Line(("trials", "clusters", "name"), "speaker", is_offered=True)


def _detection_costs() -> Iterator[Line]:
    why = "speaker verification: detection costs at p_target 0.01 (the default of both measures is 0.5)"
    yield Line(("primary",), {"measure": "mindcf(p_target=0.01)"}, why, is_offered=True)
    yield Line(("criteria",), ["min_dcf(p_target=0.01)"], "the threshold of the actual cost", is_offered=True)
    measures = ["eer_rocch", "mindcf(p_target=0.01)", "dcf(p_target=0.01)"]
    yield Line(
        ("measures",), measures, "EER, minDCF, and the cost at thresholds set on development", is_offered=True
    )


def counts_draft(group: SourceGroup, out: Path) -> Draft:
    """Write the keys that bundles of counts need."""
    about, _ = about_of(TrialSpec(group.files, layout="counts"))
    lines = [
        places_line(group, out),
        Line(("trials", "layout"), "counts", "bundles that 'reporting counts' wrote, added up"),
    ]
    if about.clusters and about.clusters.columns == 2:
        lines.append(column_line("cluster", ["first", "second"], "two clusters a trial"))
        if about.clusters.pools != "one":
            lines.append(Line(("trials", "clusters", "pools"), about.clusters.pools, "as they were counted"))
    unit = "clusters" if about.clusters else "trials" if about.form == "patterns" else None
    can_part = not (about.clusters and about.clusters.columns == 2)
    lines += split_lines({read.split for read in about.read}, unit, can_part=can_part)
    lines += model_lines(about.models)
    if about.breakdowns:
        lines.append(by_line(about.breakdowns))
    return Draft(
        tuple(lines),
        (f"counts of {counted(len(about.models), 'model')} in {counted(len(group.files), 'file')}",),
    )


Part = Literal["keys", "scores", "both"]
Rows = list[list[str]]
COLUMNS: dict[Layout, tuple[str, ...]] = {
    "kaldi": ("enroll", "test"),
    "voxsrc": ("enroll", "test"),
    "bob": ("claimed_id", "real_id"),
    "nist": ("modelid", "segmentid"),
    "asvspoof": ("speaker",),
}
"""The columns of a format that may serve as clusters."""
SPEAKERS: tuple[Layout, ...] = ("kaldi", "voxsrc", "nist")
"""Formats of speaker verification."""
BY_UTTERANCES: tuple[Layout, ...] = ("kaldi", "voxsrc")
"""Formats whose columns name utterances, of which a speaker has many."""


@dataclass(frozen=True)
class TextReading:
    """What a file may be: a layout, and what part of it."""

    layout: Layout
    part: Part


def readings(source: File) -> tuple[TextReading, ...]:
    """Return every reading of a file; none where it is none of these formats."""
    lines = lines_in(source)
    if not lines:
        return ()
    if set(text_formats.BOB_TABLE) <= {
        name.strip('"') for name in re.split("[,\t]", lines[0].rstrip("\r\n"))
    }:
        return (TextReading("bob", "both"),)
    by_tabs = _nist(lines[0].removeprefix("\ufeff").rstrip("\r").split("\t"))
    if by_tabs:
        return (by_tabs,)
    rows = [[field for field in _fields(line) if field] for line in lines]
    if tuple(rows[0]) == text_formats.ASVSPOOF_HEAD and len(rows) > 1:
        rows = rows[1:]
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        return ()
    return tuple(TextReading(layout, part) for layout, part in _of_width(width, rows))


def _fields(line: str) -> list[str]:
    for blank in BLANKS:
        line = line.replace(blank, " ")
    return line.removeprefix("\ufeff").split(" ")


def _first_row(source: File) -> list[str]:
    return [field for field in _fields(next(iter(lines_in(source, 1)), "")) if field]


def _nist(header: Sequence[str]) -> TextReading | None:
    names = {text_formats.NIST_OTHERWISE.get(name, name) for name in header}
    if not names.issuperset(text_formats.NIST_TRIAL):
        return None
    if "targettype" in names:
        return TextReading("nist", "keys")
    return TextReading("nist", "scores") if "LLR" in names else None


def _of_width(width: int, rows: Rows) -> Iterator[tuple[Layout, Part]]:
    if width in {len(shape) for shape in text_formats.ASVSPOOF_PROTOCOLS}:
        shape = next(shape for shape in text_formats.ASVSPOOF_PROTOCOLS if len(shape) == width)
        if _words(rows, shape.index("label")) <= set(text_formats.ASVSPOOF.words):
            yield "asvspoof", "keys"
    if width == 2 and _numbers(rows, 1) and not _words(rows, 0) <= LABELS:
        yield "asvspoof", "scores"
    if width == 3:
        if _words(rows, 2) <= {"target", "nontarget", SPOOF}:
            yield "kaldi", "keys"
        if _words(rows, 0) <= {"0", "1"} and not _numbers(rows, 2):
            yield "voxsrc", "keys"
        if _numbers(rows, 2):
            yield "kaldi", "scores"
        if _numbers(rows, 0) != _numbers(rows, 2):
            yield "voxsrc", "scores"
    if width == 4 and _numbers(rows, 3) and _words(rows, 2) <= set(text_formats.ASVSPOOF.words):
        yield "asvspoof", "both"
    elif any(
        len(shape) == width
        and _numbers(rows, shape.index("score"))
        and _words(rows, shape.index("label")) <= LABELS
        for shape in text_formats.KALDI_SCORES[1:]
    ):
        yield "kaldi", "both"
    elif width in (len(text_formats.BOB_FOUR), len(text_formats.BOB_FIVE)) and _numbers(rows, -1):
        yield "bob", "both"


SPOOF = "spoof"
LABELS = {*TRUE_WORDS, *FALSE_WORDS, SPOOF}
"""The words by which a field is known as the label."""


def _words(rows: Rows, at: int) -> set[str]:
    return {row[at] for row in rows}


def _numbers(rows: Rows, at: int) -> bool:
    return are_numbers([row[at] for row in rows])


def shared_layout(by_file: Sequence[tuple[TextReading, ...]]) -> tuple[Layout, list[Part]] | None:
    """Return the one layout that all files can be read in, keys and scores, and each file's part."""
    for layout in COLUMNS:
        parts = [[reading.part for reading in each if reading.layout == layout] for each in by_file]
        if not all(parts):
            continue
        # A list of trials may look like scores of 0 and 1.
        chosen = [each[0] for each in parts]
        if set(chosen) == {"both"}:
            return layout, chosen
        if "keys" in chosen:  # the labels of scores are compared with those of the keys
            chosen = ["scores" if part == "both" else part for part in chosen]
        if {"keys", "scores"} <= set(chosen):
            return layout, chosen
    return None


def by_words(source: File, layout: Layout) -> list[str]:
    """Return the columns of a key file that may serve breakdowns."""
    lines = lines_in(source, 1)
    if layout == "nist":
        known = {*text_formats.NIST_TRIAL, *text_formats.NIST_OTHERWISE, "targettype"}
        return [name for name in lines[0].rstrip("\r").split("\t") if name and name not in known]
    if layout == "asvspoof":
        width = len(_first_row(source))
        shape = next((shape for shape in text_formats.ASVSPOOF_PROTOCOLS if len(shape) == width), ())
        return [name for name in shape if name and name not in ("speaker", "utterance", "label")]
    return []
