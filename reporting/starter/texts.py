"""Files in the field's text formats, and bundles of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from reporting.errors import DataError, listed, quoted
from reporting.starter.advice import by_line, model_lines
from reporting.starter.columns import columns_of
from reporting.starter.draft import Draft, Group, one_or_all, places_of
from reporting.starter.formats import COLUMNS, Reading, by_words, readings, shared_layout
from reporting.starter.lines import Line
from reporting.starter.look import lines_in
from reporting.starter.paths import told_by_paths
from reporting.starter.roles import Roles, roles_of
from reporting.starter.values import split_lines
from reporting.trials.bundles.about import METADATA
from reporting.trials.bundles.bundle import about_of
from reporting.trials.kinds import READABLE, kind_of
from reporting.trials.spec import File, Layout, TrialSpec

FORMATS = "bob, kaldi, nist, voxsrc, asvspoof"


def is_bundle(file: File) -> bool:
    """Tell whether a file holds counts."""
    try:
        return kind_of(file.path.name) == "parquet" and METADATA in pl.read_parquet_metadata(file.path)
    except (pl.exceptions.PolarsError, OSError):
        return False


def is_text(file: File) -> bool:
    """Tell whether a file is to be read by lines: no table by its name, or one of NIST's."""
    kind = kind_of(file.path.name)
    return kind is None or (kind == "tsv" and any(one.layout == "nist" for one in readings(file)))


def texts_draft(group: Group, out: Path) -> Draft:
    """Recognise text files; DataError where no format is that of all."""
    found = [readings(one) for one in group.files]
    shared = shared_layout(found)
    if shared is None:
        raise DataError(_not_recognised(group.files, found))
    layout, parts = shared
    by_part = {
        part: tuple(one for one, its in zip(group.files, parts, strict=True) if its == part) for part in parts
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
    return Draft(tuple(lines), (f"{len(group.files)} files in layout {layout}{': ' * bool(seen)}{seen}",))


def _not_recognised(files: Sequence[File], found: Sequence[tuple[Reading, ...]]) -> str:
    for one, its in zip(files, found, strict=True):
        if not its:
            first = next(iter(lines_in(one, 1)), "")
            return (
                f"{one.name}: not a table by its name, nor in a format that is known ({FORMATS}); its first"
                f" line is {quoted(first)}; a table needs a name that ends in one of {READABLE}"
            )
    layouts = listed(dict.fromkeys(f"{one.part} of {one.layout}" for its in found for one in its))
    return (
        f"{listed((one.name for one in files), 3)}: they look like {layouts}; show key files and score files"
        " of one format together"
    )


def _with_paths(group: Group, lacking: set[str], out: Path, others: Sequence[File]) -> Group:
    lacking -= _said(group).keys()
    told = told_by_paths(group.files, lacking, out, [one.path for one in others]) if lacking else None
    return group if told is None else replace(group, files=told.files, pattern=told.pattern)


def _said(group: Group) -> Roles:
    """Return what paths say, by our names of columns."""
    rows = pl.DataFrame([dict(one.said) for one in group.files], infer_schema_length=None)
    return roles_of(columns_of(rows), rows.height) if rows.width else {}


def _by_file(group: Group, out: Path) -> list[str]:
    """Say files by their names: a folder would hold the config too."""
    if any(one.said for one in group.files) or not group.is_local:
        return places_of(group, out.parent)
    alone = [replace(one, files=(*one.files, one.files[0])) for one in group.shown]
    return places_of(replace(group, shown=tuple(alone)), out.parent)


def _lines(layout: Layout, scores: Group, keys: Group | None) -> list[Line]:
    of_scores, of_keys = _said(scores), _said(keys) if keys else {}
    roles = {**of_keys, **of_scores}
    trail = ("trials", "columns")
    lines = [
        Line((*trail, ours), one.name, one.told)
        for ours, one in roles.items()
        if one.name != ours and ours in ("model", "split", "run", "dataset")
    ]
    if "model" not in roles:
        why = (
            "no path tells whose the scores are: name files such as {model}-{split}.txt, and say so in source"
        )
        lines.append(Line((*trail, "model"), "model", why, True, True))
    clusters = COLUMNS[layout]
    lines.append(Line((*trail, "cluster"), one_or_all(clusters), "resampled as one unit", is_offered=True))
    splits = [value for said in (of_scores, of_keys) if "split" in said for value in said["split"].values]
    lines += split_lines(set(splits), "trials", can_part=True)
    lines += model_lines(roles["model"].values if "model" in roles else [])
    columns = by_words(keys.files[0], layout) if keys else []
    return [*lines, *([by_line(columns)] if columns else [])]


def counts_draft(group: Group, out: Path) -> Draft:
    """Say what bundles of counts need said."""
    about, _ = about_of(TrialSpec(group.files, layout="counts"))
    lines = [
        Line(("trials", "source"), one_or_all(places_of(group, out.parent))),
        Line(("trials", "layout"), "counts", "bundles that 'reporting counts' wrote, added up"),
    ]
    if about.clusters and about.clusters.columns == 2:
        lines.append(Line(("trials", "columns", "cluster"), ["first", "second"], "two clusters a trial"))
        if about.clusters.pools != "one":
            lines.append(Line(("trials", "clusters", "pools"), about.clusters.pools, "as they were counted"))
    unit = "clusters" if about.clusters else "trials" if about.form == "patterns" else None
    can_part = not (about.clusters and about.clusters.columns == 2)
    lines += split_lines({one.split for one in about.read}, unit, can_part=can_part)
    lines += model_lines(about.models)
    if about.breakdowns:
        lines.append(by_line(about.breakdowns))
    return Draft(tuple(lines), (f"counts of {len(about.models)} models in {len(group.files)} files",))
