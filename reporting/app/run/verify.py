"""The command ``verify``: does every file of a report still follow from its inputs?

What the folder holds is compared with its manifest, the inputs with the digests they had, and the whole
report is made again elsewhere from the manifest's config and compared byte for byte. Nothing protects the
manifest but that: what was changed in it by hand does not come out again. The folder is only read.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from importlib import metadata
from io import BytesIO
from pathlib import Path
from platform import python_version
from typing import Any, Literal

import polars as pl
from polars.exceptions import PolarsError

from reporting import __version__
from reporting.app.config.plan import Execution, Plan
from reporting.app.config.read import plan_of, read_plan
from reporting.app.run.inputs import materialise_sources, work_folder
from reporting.app.run.manifest import DRAWN, TIMINGS, WAY, digest, files_in, packaged_templates
from reporting.app.run.report import computed, write
from reporting.app.run.run_history import memory_of
from reporting.base.legible import counted
from reporting.base.progress import Stages
from reporting.base.provenance import IN_MEMORY
from reporting.base.publish import MANIFEST, PROGRAM
from reporting.base.records import dataclass, replace
from reporting.errors import (
    LONGEST_MESSAGE,
    ConfigError,
    NoReportError,
    ReportingError,
    listed,
    one_line,
    quoted,
)
from reporting.inputs.scan import inputs_of
from reporting.render.drawing import drawer

Kind = Literal["same", "differs", "missing", "extra", "redrawn"]
"""``redrawn``: drawn to other bytes on this machine, as all pictures are, but what it shows is the same."""
EXPECTED: dict[str, type] = {
    **dict.fromkeys(("as_of", "packaged_templates", "version"), str),
    **dict.fromkeys(("config", "libraries", "outputs", "templates", "verified_through"), dict),
    "inputs": list,
}
"""What a manifest must hold to be verified."""
SUMS = ("verified", "not verified: files differ", "no difference found, but not everything could be compared")
SUFFIX = "-report"
NO_CONFIG = "the config of the manifest"
CONFIGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Finding:
    """What became of one file or input, and where it first differs."""

    name: str
    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        shown = one_line(f"{self.kind:8}{self.name}{': ' if self.detail else ''}{self.detail}")
        return shown[:LONGEST_MESSAGE]


@dataclasses.dataclass
class Verification:
    """What was found; ``unknown`` lists what could not be verified, and why."""

    notes: list[str] = dataclasses.field(default_factory=list)
    inputs: list[Finding] = dataclasses.field(default_factory=list)
    files: list[Finding] = dataclasses.field(default_factory=list)
    unknown: str = ""

    @property
    def status(self) -> int:
        """0: everything follows; 1: something differs; 2: it cannot be verified."""
        if any(finding.kind not in ("same", "redrawn") for finding in (*self.inputs, *self.files)):
            return 1
        return 2 if self.unknown else 0

    def text(self, verbose: bool = False) -> str:
        """Return what differs, with ``verbose`` what does not too, and a last line that sums it up."""
        findings = [finding for finding in (*self.inputs, *self.files) if verbose or finding.kind != "same"]
        unknown = [f"cannot be verified: {one_line(self.unknown)}"] if self.unknown else []
        return "\n".join((*map(one_line, self.notes), *map(str, findings), *unknown, self._sum()))

    def _sum(self) -> str:
        count = Counter(finding.kind for finding in self.files)
        files = ", ".join(f"{count[kind]} {kind}" for kind in sorted(count))
        if self.status == 0:
            return f"{SUMS[0]}: all {len(self.files)} rebuilt files are identical{self._redrawn(count)}"
        how = "compared with the manifest only" if self.unknown or self._changed else "rebuilt"
        return f"{SUMS[self.status]} (files {how}: {files or 'none'})"

    def _redrawn(self, count: Counter[Kind]) -> str:
        """Return how many pictures have other bytes and the same contents."""
        return f" ({count['redrawn']} pictures redrawn)" if count["redrawn"] else ""

    @property
    def _changed(self) -> bool:
        return any(finding.kind != "same" for finding in self.inputs)


def verify(
    folder: Path, against: Path | None = None, tell: Callable[[str], None] = lambda line: None
) -> Verification:
    """Compare a report with its manifest, its inputs and itself made again; write nothing into its folder.

    ``against`` is the config, for the places of the inputs; left out: the one next to the folder. ConfigError
    or OutputError where there is no report to verify.
    """
    manifest = read_manifest(folder)
    verdict = Verification(list(_versions(manifest)), files=_as_recorded(folder, manifest))
    stages = Stages(tell)
    try:
        if "from_python" in manifest:
            raise ConfigError(
                "the report has sections or frames from a Python program; run that program again to compare"
            )
        config = config_of(folder, manifest, against)
        plan = plan_of(manifest["config"], str(config))
        verdict.notes += _config_notes(config, plan)
        with work_folder() as work:
            with stages.stage("reading inputs"):
                plan = replace(plan, trials=materialise_sources(plan.trials, work))
                verdict.inputs += _inputs(manifest, plan)
            if all(finding.kind == "same" for finding in verdict.inputs):
                verdict.files = _made_again(folder, manifest, plan, stages)
    except ReportingError as error:
        verdict.unknown = "; ".join(error.faults)
    except OSError as error:
        verdict.unknown = str(error)
    return verdict


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """Read the manifest of a report; OutputError where it is none that can be verified."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NoReportError(f"no report found in {folder}: {MANIFEST} is missing") from None
    except OSError as error:
        raise NoReportError(f"{path} cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise NoReportError(f"{path}: not JSON; expected the manifest of a report") from None
    if not isinstance(manifest, dict) or manifest.get("program") != PROGRAM:
        raise NoReportError(f'{path}: not the manifest of a report (expected "program": "{PROGRAM}")')
    for key, kind in EXPECTED.items():
        if not isinstance(manifest.get(key), kind):
            instead = (
                f"found {quoted(str(manifest[key]))}" if key in manifest else "an earlier version wrote it"
            )
            raise NoReportError(f"{path}: {key} cannot be verified ({instead})")
    try:
        date.fromisoformat(manifest["as_of"])
    except ValueError:
        raise NoReportError(f"{path}: as_of is not a date: {quoted(manifest['as_of'])}") from None
    return manifest


def config_of(folder: Path, manifest: Mapping[str, Any], against: Path | None = None) -> Path:
    """Return the config of a report, from which its inputs are found; ConfigError where it is not there.

    ``against`` names it, or the folder that paths are relative to; else the manifest has the way to it, or
    its name follows from the report's.
    """
    if any(isinstance(source, dict) and source.get("name") == IN_MEMORY for source in manifest["inputs"]):
        raise ConfigError("the trials were a table in memory, which is no longer available")
    if against is not None:
        if not against.exists():
            raise ConfigError(f"--against {against}: there is no such file")
        return against / NO_CONFIG if against.is_dir() else against
    way, place = manifest.get(WAY), folder.absolute()
    if isinstance(way, str) and way.endswith(CONFIGS) and (folder.resolve() / way).is_file():
        return Path(os.path.normpath(folder.resolve() / way))
    stem = place.name.removesuffix(SUFFIX)
    configs = [place.with_name(stem + end) for end in CONFIGS if place.with_name(stem + end).is_file()]
    if stem == place.name or not configs:
        raise ConfigError(f"no config of its name was found next to {folder}; name it with --against CONFIG")
    return configs[0]


def _versions(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Name the versions and templates that differ here: they come before any other blame."""
    here = {"python": python_version()}
    for name, version in sorted({**manifest["libraries"], PROGRAM: manifest["version"]}.items()):
        now = __version__ if name == PROGRAM else here.get(name) or _installed(name)
        if now != version:
            yield f"version {name}: made with {listed([version])}, now {now}"
    if manifest["packaged_templates"] != packaged_templates():
        yield "the templates of the program have changed since the run"


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except (metadata.PackageNotFoundError, ValueError):
        return "not installed"


def _config_notes(config: Path, plan: Plan) -> Iterator[str]:
    if config.name == NO_CONFIG:
        return
    try:
        now = read_plan(config).resolved
    except ConfigError as error:
        yield f"config {config.name} can no longer be read: {error.faults[0]}"
        return
    if now != plan.resolved:
        difference = first_value(plan.resolved, now, again="in the file")
        yield f"{config.name} has changed since the run ({difference}); verifying with the recorded config"


def _as_recorded(folder: Path, manifest: Mapping[str, Any]) -> list[Finding]:
    outputs = manifest["outputs"]
    drawn = {name for name in manifest["verified_through"] if name.endswith(DRAWN)}
    try:
        there = _there(folder)
        names = sorted({*there, *outputs, *drawn} - {MANIFEST} - (drawn & set(there)))
        return [_recorded(folder / name, name, there, outputs) for name in names]
    except OSError as error:
        raise NoReportError(f"{folder} cannot be read: {error}") from None


def _recorded(path: Path, name: str, there: Mapping[str, bool], outputs: Mapping[str, Any]) -> Finding:
    if name not in there:
        return Finding(name, "missing")
    if name not in outputs:
        return Finding(name, "extra")
    if there[name] and digest(path) == outputs[name]:
        return Finding(name, "same")
    return Finding(name, "differs", "not as the manifest has it")


def _there(folder: Path) -> dict[str, bool]:
    """Return all that a folder holds, and whether it is a plain file; links are not followed."""
    kinds: dict[str, bool] = {}
    for place, folders, files in os.walk(folder):
        for path in (Path(place) / name for name in (*folders, *files)):
            plain = path.is_file() and not path.is_symlink()
            if plain or path.is_symlink() or not path.is_dir() or not any(path.iterdir()):
                kinds[path.relative_to(folder).as_posix()] = plain
    if kinds.get(TIMINGS):
        del kinds[TIMINGS]
    return kinds


def _inputs(manifest: Mapping[str, Any], plan: Plan) -> Iterator[Finding]:
    own = plan.report.templates.digests if plan.report.templates else {}
    yield from _digests(
        [(f"template {name}", value) for name, value in manifest["templates"].items()],
        [(f"template {name}", value) for name, value in own.items()],
    )
    then = [
        (source.get("name"), source.get("sha256"))
        for source in manifest["inputs"]
        if isinstance(source, dict)
    ]
    now = list(inputs_of(plan.trials))
    if (memory := memory_of(plan)) and (snapshot := memory.snapshot(manifest["as_of"])):
        now.append(snapshot)
    yield from _digests(then, [(source.name, source.sha256) for source in now])


def _digests(then: list[tuple[Any, Any]], now: list[tuple[str, str]]) -> Iterator[Finding]:
    """Pair names; of several inputs with one name the digests count, in whatever order."""
    for name in sorted({str(name) for name, _ in (*then, *now)}):
        old, new = (sorted(str(value) for key, value in each if str(key) == name) for each in (then, now))
        if old == new:
            yield Finding(f"input {name}", "same")
        else:
            kind: Kind = "missing" if not new else "differs" if old else "extra"
            yield Finding(f"input {name}", kind, f"sha256 was {_shorter(old)}, is {_shorter(new)}")


def _shorter(values: list[str]) -> str:
    return " ".join(value[:12] for value in values) or "unknown"


def _made_again(folder: Path, manifest: Mapping[str, Any], plan: Plan, stages: Stages) -> list[Finding]:
    """Build the report in a folder of its own, on this machine and with no folder of the run, and compare."""
    plan, way = replace(plan, execution=Execution("auto", None)), manifest.get(WAY)
    drawer()
    with (
        tempfile.TemporaryDirectory(prefix="reporting-") as name,
        computed(plan, stages, manifest["as_of"]) as report,
    ):
        again = Path(name)
        write(again, report, stages, way if isinstance(way, str) else None)
        with stages.stage("comparing"):
            return _compared(folder, again)


def _compared(folder: Path, again: Path) -> list[Finding]:
    there, written = _there(folder), {MANIFEST, *files_in(again)}
    findings = [_file(folder / name, again / name, name, there) for name in sorted(written | set(there))]
    through = json.loads((again / MANIFEST).read_bytes())["verified_through"]  # no word of what was handed in
    drawn = [finding for finding in findings if finding.name in through]
    same = {finding.name for finding in findings if finding.kind == "same"}
    if any(finding.name in same for finding in drawn if finding.name.startswith("figures/")):
        return findings  # the fonts here are those it was made with
    return [
        _redrawn(finding, through[finding.name], same) if finding in drawn else finding
        for finding in findings
    ]


def _redrawn(finding: Finding, source: str, same: set[str]) -> Finding:
    """Do not blame a picture for the fonts of this machine: none came out again, but what they show did."""
    held = source in same or any(name.startswith(f"{source}/") for name in same)
    if finding.kind == "differs" and held:
        return Finding(finding.name, "redrawn", f"drawn otherwise on this machine; verified through {source}")
    return finding


def _file(old: Path, new: Path, name: str, there: Mapping[str, bool]) -> Finding:
    if name not in there:
        return Finding(name, "missing")
    if not new.is_file():
        return Finding(name, "extra", "" if there[name] else "and no plain file")
    if not there[name]:
        return Finding(name, "differs", "no plain file")
    then, now = old.read_bytes(), new.read_bytes()
    return (
        Finding(name, "same") if then == now else Finding(name, "differs", first_difference(name, then, now))
    )


AGAIN = "when made again"
SHOWN = 40
"""Characters of a value that are shown; half as many of a line before the place."""


def first_difference(name: str, then: bytes, now: bytes) -> str:
    """Say where two contents of one file first differ: a cell of Parquet, a value of JSON, a line of text."""
    try:
        if name.endswith(".parquet"):
            return _cell(pl.read_parquet(BytesIO(then)), pl.read_parquet(BytesIO(now)))
        if name.endswith(".json"):
            return first_value(json.loads(then), json.loads(now))
        return _line(then.decode().split("\n"), now.decode().split("\n"))
    except (PolarsError, ValueError, RecursionError):
        return f"byte {_parting(then, now)} of {len(then)}, {len(now)} {AGAIN}"


def _cell(then: pl.DataFrame, now: pl.DataFrame) -> str:
    if then.schema != now.schema:
        return f"columns {_then_and_now(dict(then.schema), dict(now.schema))}"
    if then.height != now.height:
        return f"{counted(then.height, 'row')}, {now.height} {AGAIN}"
    for column in then.columns:
        unlike = (~then[column].eq_missing(now[column])).arg_true()
        if len(unlike):
            row = int(unlike[0])
            return f"row {row} column {column}: {_then_and_now(then[column][row], now[column][row])}"
    return "the same rows, written otherwise"


def first_value(then: Any, now: Any, path: str = "", again: str = AGAIN) -> str:
    """Descend to the first value of JSON that differs, and name its place; ``again`` names ``now``."""
    if then == now:
        return "the same values, written otherwise"
    if isinstance(then, dict) and isinstance(now, dict):
        keys = [key for key in sorted({*then, *now}) if then.get(key, ...) != now.get(key, ...)]
        if keys[0] in then and keys[0] in now:
            return first_value(then[keys[0]], now[keys[0]], f"{path}.{keys[0]}".lstrip("."), again)
        where = f"{path}.{keys[0]}".lstrip(".")
        return f"{where}: {'not there' if keys[0] in then else 'there'} {again}"
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        at = _parting(then, now)
        return first_value(then[at], now[at], f"{path}[{at}]", again)
    return f"{path}: {_then_and_now(then, now, again)}"


def _line(then: list[str], now: list[str]) -> str:
    at = _parting(then, now)
    old, new = (lines[at] if at < len(lines) else "" for lines in (then, now))
    column = _parting(old, new)
    begin = max(column - SHOWN // 2, 0)
    return f"line {at + 1} column {column + 1}: {_then_and_now(old[begin:], new[begin:])}"


def _parting(then: Sequence[object], now: Sequence[object]) -> int:
    """Return the first place at which two sequences differ, or the end of the shorter one."""
    pairs = enumerate(zip(then, now, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(then), len(now)))


def _then_and_now(then: object, now: object, again: str = AGAIN) -> str:
    old, new = (quoted(str(value)[:SHOWN]) for value in (then, now))
    return f"{old}, {new} {again}"
