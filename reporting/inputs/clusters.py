"""Clusters that a second file names, such as Kaldi's ``utt2spk``, or a pattern: speakers of utterances.

The cluster columns (or the trial key, where none is declared) then hold names of utterances. A file has a
line ``utterance speaker`` for each; a speaker who is enrolled by name needs none. A pattern
is a regular expression with one group, matched in time linear in the length of a name.
"""

from __future__ import annotations

import polars as pl
from polars.exceptions import PolarsError

from reporting.base.legible import counted
from reporting.errors import UnreadableError, listed, quoted, refuse
from reporting.inputs.layouts.text_formats import cut
from reporting.inputs.spec import Source, TrialSpec, readable

CLUSTERS = ("cluster", "cluster_b")
"""Our columns of clusters."""
MOST_LETTERS = 1000
"""Letters of a pattern."""


def pattern_fault(pattern: str) -> str:
    """Return what is wrong with a pattern; an empty text where it has the one group it needs."""
    if len(pattern) > MOST_LETTERS:
        return f"a pattern may have {MOST_LETTERS} characters, found {len(pattern)}"
    try:
        groups = pl.select(pl.lit("").str.extract_groups(pattern)).to_series().struct.fields
        pl.select(pl.lit("").str.extract(pattern, 1))
    except PolarsError as error:
        # The last line of the library's message names what it did not expect.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = (lines or ["it cannot be read"])[-1].removeprefix("error: ")
        return f"{quoted(pattern)} is no regular expression: {reason}"
    if len(groups) != 1:
        return (
            f"{quoted(pattern)} has {len(groups) or 'no'} groups; expected one, which is the cluster, such as"
            " '^([^-]+)-' ((?:...) groups without counting)"
        )
    return ""


def read_clusters(spec: TrialSpec) -> pl.DataFrame | None:
    """Read the files of clusters: columns ``utterance`` and ``speaker``, each utterance once; None without.

    UnreadableError for lines of another number of fields, and for an utterance of two speakers.
    """
    if not spec.cluster_files:
        return None
    sources = readable(spec.cluster_files)
    opened = [cut(source, [("utterance", "speaker")]) for source in sources]
    refuse([fault for lines in opened for fault in lines.faults()], UnreadableError)
    rows = pl.concat(lines.columns().select("utterance", "speaker") for lines in opened).unique()
    named = rows.collect(engine="streaming")
    twice = named.filter(pl.col("utterance").is_duplicated()).sort("utterance", "speaker")
    if twice.height:
        first = twice["utterance"][0]
        speakers = listed(map(quoted, twice.filter(pl.col("utterance") == first)["speaker"]), 3)
        raise UnreadableError(
            f"{_names(sources)}: {twice['utterance'].n_unique()} names have more than one cluster; first"
            f" {quoted(first)}, in {speakers}"
        )
    speakers_alone = named.select(pl.col("speaker").unique()).filter(
        ~pl.col("speaker").is_in(named["utterance"].implode())
    )
    return pl.concat([named, speakers_alone.select(utterance="speaker", speaker="speaker")])


def _names(sources: list[Source]) -> str:
    return listed((source.name for source in sources), 2)


def cluster_of(name: pl.Expr, spec: TrialSpec, clusters: pl.DataFrame | None) -> pl.Expr:
    """Return the cluster of what a cluster column holds; null where neither file nor pattern has it."""
    if spec.cluster_pattern is not None:
        return name.str.extract(spec.cluster_pattern, 1)
    if clusters is None:
        return name
    return name.replace_strict(
        clusters["utterance"], clusters["speaker"], default=None, return_dtype=pl.String
    )


def unknown(spec: TrialSpec, name: str, rows: int, shown: str) -> str:
    """Say which names have no cluster; ``shown`` are the first distinct ones with their rows."""
    column = f"column {quoted(spec.column(name))}"
    if spec.cluster_pattern is not None:
        return (
            f"trials.clusters.pattern: {quoted(spec.cluster_pattern)} finds no cluster in"
            f" {counted(rows, 'row')} of"
            f" {column}: {shown}"
        )
    return (
        f"trials.clusters.file: {_names(readable(spec.cluster_files))} has no line for"
        f" {counted(rows, 'row')} of"
        f" {column}: {shown}; expected 'NAME CLUSTER' for each name"
    )
