"""What was read and what was made, written last into an output directory: enough to make it again.

Nothing in it is decided by a clock, save the date that the report prints, or by a path of the machine.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from reporting.app.config.plan import Plan
from reporting.base.publish import MANIFEST, PROGRAM, SCHEMA_VERSION
from reporting.base.resources import folder as packaged
from reporting.document.frames.gates import GATES
from reporting.document.frames.results import Results
from reporting.document.sections import section_name
from reporting.render.extras import EXTRAS

TIMINGS = "timings.json"
WAY = "config_at"
"""The key of the way to the config."""
DRAWN = (".pdf", ".png", ".docx")
"""Files that libraries draw with the fonts of a machine: their sources are digested."""
OF_FORMATS = {"latex": "pylatexenc", **{name: extra.distribution for name, extra in EXTRAS.items()}}
"""Libraries that only one format needs."""
GATE_COLUMNS = ("gate", "model", "dataset", "group", "outcome", "counts_as")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON, its keys in the order they have: models follow that of the report."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def way_to_config(plan: Plan, target: Path) -> str | None:
    """Return the way from a report to its config, from which inputs are found; None where there is none.

    That is without a config file, and where both have no folder in common but the root: the way would then be
    a path of the machine.
    """
    config, report = os.path.realpath(plan.source), os.path.realpath(target)
    if not plan.source.is_file() or os.path.commonpath([config, report]) == os.path.sep:
        return None
    return Path(os.path.relpath(config, report)).as_posix()


def manifest(folder: Path, plan: Plan, results: Results, way: str | None = None) -> Mapping[str, object]:
    """Return what is known of a run: question, inputs, versions, templates, outputs.

    ``way`` leads from the report to its config.
    """
    provenance = results.provenance
    names = files_in(folder)
    drawn = [name for name in names if name.endswith(DRAWN)]
    # Of a figure its SVG, of the whole report its JSON, else the frames.
    shows = {name: (name.rpartition(".")[0] + ".svg", "report.json") for name in drawn}
    handed_in = {"sections": [section_name(write) for write in plan.sections], "frames": sorted(plan.frames)}
    return {
        "program": PROGRAM,
        "version": provenance.version,
        "schema_version": SCHEMA_VERSION,
        "as_of": provenance.as_of,
        "seed": provenance.seed,
        **({} if way is None else {WAY: way}),
        "config": plan.resolved,
        "inputs": [vars(source) for source in provenance.inputs],
        "libraries": dict(provenance.libraries)
        | {
            OF_FORMATS[name]: metadata.version(OF_FORMATS[name])
            for name in plan.report.formats
            if name in OF_FORMATS
        },
        "templates": dict(plan.report.templates.digests) if plan.report.templates else {},
        "packaged_templates": packaged_templates(),
        "gates": [{name: getattr(row, name) for name in GATE_COLUMNS} for row in results.rows(GATES)],
        **({"from_python": handed_in} if any(handed_in.values()) else {}),
        "outputs": {name: digest(folder / name) for name in names if name not in drawn},
        "verified_through": {
            name: next((each for each in sources if each in names), "frames")
            for name, sources in shows.items()
        },
    }


def files_in(folder: Path) -> list[str]:
    """Return the files of an output directory by their path within it, sorted; not those of a clock."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if name not in (MANIFEST, TIMINGS))


def digest(path: Path) -> str:
    """Return the sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packaged_templates() -> str:
    """Return one sha256 over the names and bytes of the templates that come with the program."""
    room, whole = packaged("templates"), hashlib.sha256()
    for path in sorted(room.rglob("*")):
        name = path.relative_to(room).as_posix()
        if path.is_file() and not any(part.startswith(".") for part in name.split("/")):
            whole.update(f"{name} {digest(path)}\n".encode())
    return whole.hexdigest()
