"""Where the numbers come from: inputs, versions, seed and signature."""

from __future__ import annotations

from reporting.frames.results import Results
from reporting.report import numbers
from reporting.report.blocks import Cell, Column, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS


def provenance(results: Results) -> Section | None:
    """Return the inputs with their digests, the versions and the signature."""
    source = results.provenance
    inputs = Table(
        name="inputs",
        caption="Files that were read.",
        columns=(Column("file"), Column("bytes", "number"), Column("sha256")),
        rows=tuple(
            (Cell(one.name), Cell(numbers.count(one.size), float(one.size)), Cell(one.sha256))
            for one in source.inputs
        ),
    )
    libraries = ", ".join(f"{name} {version}" for name, version in source.libraries)
    made = f"Made with reporting {source.version} as of {source.as_of}, seed {source.seed}; {libraries}."
    return SECTIONS["provenance"].of((inputs, Prose(made), Prose(signature(results))))


def signature(results: Results) -> str:
    """Return the line that travels with every number of the report."""
    asked, inference = results.study.primary, results.study.inference
    at = f" at {asked.criterion}" if asked.measure.over == "threshold" else ""
    columns = [name for name in (results.cluster, results.cluster_b) if name is not None]
    units = columns if inference.unit != "trial" and columns else ["trial"]
    return results.provenance.signature(
        f"{asked.measure}{at}",
        f"unit {' x '.join(units)}",
        f"{inference.replicates} replicates",
        f"level {inference.level:g}",
        inference.correction,
    )
