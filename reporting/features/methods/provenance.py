"""Where the numbers come from: inputs, versions, seed and signature."""

from __future__ import annotations

from reporting.document import numbers
from reporting.document.blocks import Cell, Column, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.features.methods import FEATURE


def provenance(results: Results) -> Section | None:
    """Return the inputs with their digests, and the versions; the signature ends the report."""
    source = results.provenance
    inputs = Table(
        name="inputs",
        caption="Input files.",
        columns=(Column("file"), Column("bytes", "number"), Column("sha256")),
        rows=tuple(
            (Cell(file.name), Cell(numbers.count(file.size), float(file.size)), Cell(file.sha256))
            for file in source.inputs
        ),
    )
    libraries = ", ".join(f"{name} {version}" for name, version in source.libraries)
    made_with = f"Made with reporting {source.version} as of {source.as_of}, seed {source.seed}; {libraries}."
    return FEATURE.section("provenance").of((inputs, Prose(made_with)))
