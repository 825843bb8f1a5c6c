"""What the report says of its inputs: names, digests and sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import IO, cast

from reporting.report.provenance import IN_MEMORY, Digest, InputFile, input_file
from reporting.trials.scan import scan
from reporting.trials.spec import InMemory, Source, TrialSpec, readable


def inputs_of(spec: TrialSpec) -> tuple[InputFile, ...]:
    """Return every input of a fetched spec, keys first; parts of one origin once."""
    return tuple(dict.fromkeys(_input(source, spec) for source in readable(spec.inputs)))


def _input(source: Source, spec: TrialSpec) -> InputFile:
    if not isinstance(source, InMemory):
        return source.origin or input_file(source.path, source.name)
    digest = Digest()
    write_content(source, spec, cast("IO[bytes]", digest))
    return digest.of_input(IN_MEMORY)


def write_content(table: InMemory, spec: TrialSpec, to: IO[bytes]) -> None:
    """Write what is read of a table in memory, under our names, as CSV with all its rows sorted.

    So the content has one digest, whatever the order of rows and of columns.
    """
    rows = scan(replace(spec, sources=(table,), keys=())).drop("is_number", "score_text")
    rows.sort(rows.collect_schema().names()).collect().write_csv(to)
