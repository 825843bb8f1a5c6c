"""A campaign of generated attacks: ``python -m tests.hostile.campaign --kind configs --first 1 --n 1000 --out FILE``.

Each case is made of a seed and ends by the contract: an exit code, one message a fault, the last good report
as it was, within bounds of time and memory. Cases run in one process, as long as it lives; what kills it is a
finding, and the next case starts another. Every case leaves one JSON line in FILE.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import polars as pl

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from command import Ended, reporting  # noqa: E402

from reporting.errors import ReportingError  # noqa: E402
from tests.hostile.ending import digests, faults_of, faults_of_report, faults_of_result  # noqa: E402

if TYPE_CHECKING:
    from tests.hostile.calls import Call

LONGEST = 60.0
"""Seconds of one case."""
MOST_MEMORY = 2_000
"""Megabytes of the process that runs the cases."""
LAST_GOOD = {"manifest.json": '{"program": "reporting"}', "report.html": "the last good one"}


class Case(NamedTuple):
    """A command in a folder, and what it would write."""

    arguments: tuple[object, ...]
    target: str | None = None


Maker = Callable[[random.Random, Path], "Case | Call"]


def _config(rng: random.Random, folder: Path) -> Case:
    from tests.hostile.configs import config_text, overrides, write_inputs

    if not (folder / "long.csv").exists():
        write_inputs(folder)
    (folder / "report.yaml").write_bytes(config_text(rng).encode("utf-8", "surrogatepass"))
    said = [word for text in overrides(rng) for word in ("--set", text)]
    return Case(("check", *said, "report.yaml"))


def _table(rng: random.Random, folder: Path) -> Case:
    from tests.hostile.tables import write_config, write_table

    formats = rng.choices(FORMATS, weights=(12, 4, 2, 1))[0]
    text = write_config(rng, write_table(rng, folder), formats)
    (folder / "report.yaml").write_text(text, encoding="utf-8", errors="surrogatepass")
    if rng.random() < 0.5:  # twenty times as fast
        return Case(("check", "-q", "report.yaml"))
    return Case(("run", "-q", "report.yaml", "-o", "out"), "out")


FORMATS = (
    ["json"],
    ["html", "json"],
    ["html", "latex", "markdown", "json"],
    ["html", "latex", "markdown", "markdown-full", "json", "pdf", "png"],
)


def _templates(rng: random.Random, folder: Path) -> Case:
    from tests.hostile.broken_files import TABLE
    from tests.hostile.templates import write_templates

    TABLE.write_parquet(folder / "trials.parquet")
    write_templates(rng, folder / "own")
    formats = rng.choice(FORMATS[:3])
    text = f"report: {{templates: own, formats: {formats}}}\nepc: none\ncurves: []\nsignificance: {{replicates: 99}}\n"
    (folder / "report.yaml").write_text(f"trials: {{source: trials.parquet}}\n{text}".replace("'", ""))
    return Case(("run", "-q", "report.yaml", "-o", "out"), "out")


def _file(rng: random.Random, folder: Path) -> Case:
    from tests.hostile.broken_files import write_broken, write_clusters

    source = write_broken(rng, folder)
    (folder / "report.yaml").write_text(f"trials: {{source: {source}}}\n")
    way = rng.random()
    if way > 0.75:
        source, clusters = write_clusters(rng, folder)
        text = f"trials: {{source: {source}, clusters: {{file: {clusters}}}}}\nignore: {{TR205: a pilot}}\n"
        (folder / "report.yaml").write_text(text)
        if way > 0.9:
            return Case(("init", source, clusters, "-o", "made.yaml"))
    return Case(("init", source, "-o", "made.yaml") if way < 0.3 else ("check", "report.yaml"))


def _python(rng: random.Random, folder: Path) -> Call:
    from tests.hostile.calls import call, write_inputs

    write_inputs(folder)
    return call(rng, folder)


def _manifest(rng: random.Random, folder: Path) -> Case:
    from tests.hostile.manifests import write_tampered

    return Case(write_tampered(rng, folder))


KINDS: dict[str, Maker] = {
    "configs": _config,
    "tables": _table,
    "templates": _templates,
    "files": _file,
    "python": _python,
    "manifests": _manifest,
}
CLEAN = frozenset({"tables", "templates", "files", "python", "manifests"})
"""Kinds whose cases each have a folder of their own."""


class Finding(NamedTuple):
    """What a case came to."""

    kind: str
    seed: int
    code: int | None
    seconds: float
    faults: tuple[str, ...]
    where: str = ""
    """The innermost line of the program, where it failed by itself."""
    message: str = ""
    """The first that it printed."""


def judged(kind: str, seed: int, folder: Path) -> Finding:
    """Make a case in a folder, run it, and judge how it ended."""
    case = KINDS[kind](random.Random(f"{kind} {seed}"), folder)
    if case.target is not None:
        (folder / case.target).mkdir()
        for name, text in LAST_GOOD.items():
            (folder / case.target / name).write_text(text)
    before = digests(folder)
    start = time.perf_counter()
    where, message, code = "", "", None
    try:
        end = _called if kind == "python" else _commanded
        code, message, faults, where = end(case, folder, before)
    except (Exception, pl.exceptions.PanicException) as error:
        faults, where = [f"{type(error).__name__}: {error}"[:500]], _innermost(traceback.format_exc())
    seconds = time.perf_counter() - start
    if seconds > LONGEST:
        faults.append(f"{seconds:.0f} s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if memory > MOST_MEMORY:
        faults.append(f"{memory:.0f} MB")
    return Finding(kind, seed, code, round(seconds, 3), tuple(faults), where, message)


def _commanded(case: Case, folder: Path, before: dict[str, str]) -> tuple[int, str, list[str], str]:
    """Run a command; return its code, its first message, its faults and where the program failed by itself."""
    ended = reporting(*case.arguments, cwd=folder)
    faults = [*faults_of(ended), *_faults_left(ended, case, folder, before)]
    where = _innermost(reporting(*case.arguments, "-v", cwd=folder).stderr) if ended.returncode == 3 else ""
    return ended.returncode, ended.stderr.partition("\n")[0][:200], faults, where


def _called(case: Call, folder: Path, before: dict[str, str]) -> tuple[int, str, list[str], str]:
    """Make a call and what follows it; return the same, where a warning and a printed line are faults too."""
    from tests.hostile.calls import ended, paths

    printed = io.StringIO()
    with (
        chdir(folder),
        tempfile.TemporaryDirectory(prefix="hostile-") as work,
        mock.patch.object(tempfile, "tempdir", work),
        warnings.catch_warnings(record=True) as warned,
        redirect_stdout(printed),
        redirect_stderr(printed),
    ):
        warnings.simplefilter("always")
        results = list(ended(case))
        faults = [f"{name} is left in the temporary folder" for name in os.listdir(work)]
        wanted = [path.resolve() for path in paths(case)]
    failed = [result for result in results if isinstance(result, ReportingError)]
    faults += [fault for result in results for fault in faults_of_result(result)]
    faults += [f"{each.category.__name__}: {each.message} ({each.filename}:{each.lineno})" for each in warned]
    faults += [f"printed: {printed.getvalue()[:300]!r}"] * bool(printed.getvalue())
    after = digests(folder)
    for name in sorted({*before, *after}):
        kept = name.startswith(("store/", "cache/")) or (results and results[0] not in failed)
        kept = kept and any((folder / name).resolve().is_relative_to(path) for path in wanted)
        if before.get(name) != after.get(name) and not kept:
            faults.append(f"{name} is {'gone' if name not in after else 'changed or new'}")
    for name in ("trials.parquet", "report.yaml", "utt2spk"):
        if before[name] != after.get(name):
            faults.append(f"the input {name} is changed")
    if case.target is not None and results[0] not in failed:
        faults += faults_of_report(folder / case.target)
    code = 2 if results[0] in failed else 0
    return code, str(failed[0]).partition("\n")[0][:200] if failed else "", faults, ""


def _faults_left(ended: Ended, case: Case, folder: Path, before: dict[str, str]) -> Iterator[str]:
    """Yield what a command did to files that it should not have touched, and what is broken in its own."""
    after = digests(folder)
    left = [name for name in os.listdir(folder) if name.startswith((".out.", ".report"))]
    yield from (f"{name} is left beside the report" for name in left)
    ours = f"{case.target}/" if case.target is not None and ended.returncode in (0, 1) else "\0"
    for name in sorted({*before, *after}):
        kept = name.startswith((ours, "store/", "cache/", "made.yaml"))
        if before.get(name) != after.get(name) and not kept:
            yield f"{name} is {'gone' if name not in after else 'changed or new'}"
    if case.target is not None and ended.returncode in (0, 1):
        if after[f"{case.target}/manifest.json"] == before[f"{case.target}/manifest.json"]:
            yield "the last report is still there"
        yield from faults_of_report(folder / case.target)


def _innermost(trace: str) -> str:
    lines = [line.strip() for line in trace.splitlines() if line.lstrip().startswith('File "')]
    ours = [line for line in lines if "/reporting/" in line] or lines or [""]
    last = [line for line in trace.splitlines() if line.strip()] or [""]
    return f"{ours[-1].replace(str(ROOT), '')[:160]} | {last[-2 if len(last) > 1 else -1].strip()[:200]}"


def run_here(kind: str, first: int, n: int) -> Iterator[Finding]:
    """Yield the findings of ``n`` cases that are run in this process."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        for seed in range(first, first + n):
            if kind in CLEAN:  # deep enough for paths that climb out
                folder = Path(name) / str(seed) / "of" / "it"
                folder.mkdir(parents=True)
            yield judged(kind, seed, folder)
            if kind in CLEAN:
                shutil.rmtree(Path(name) / str(seed))


def _chunk(kind: str, first: int, n: int, out: Path) -> None:
    """Run cases here; a case that hangs ends the process with the stack of every thread in ``out.stack``."""
    with out.open("a") as file, out.with_suffix(".stack").open("w") as stack:
        faulthandler.dump_traceback_later(LONGEST + 30, exit=True, file=stack)
        for finding in run_here(kind, first, n):
            file.write(json.dumps(finding._asdict()) + "\n")
            file.flush()
            stack.seek(0)
            faulthandler.dump_traceback_later(LONGEST + 30, exit=True, file=stack)
            if any(fault.endswith(" MB") for fault in finding.faults):
                break  # the next one starts afresh
        faulthandler.cancel_dump_traceback_later()


def campaign(kind: str, first: int, n: int, out: Path) -> list[Finding]:
    """Run cases in processes of their own; return all findings, which also stand in ``out``, one a line."""
    out.write_text("")
    program = [sys.executable, "-m", "tests.hostile.campaign", "--chunk", "--kind", kind, "--out", str(out)]
    while (found := read(out)) is not None and len(found) < n:
        at = first + len(found)
        ended = subprocess.run(
            [*program, "--first", str(at), "--n", str(n - len(found))],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        if ended.returncode != 0:
            stack = out.with_suffix(".stack").read_text()
            how = "hangs" if "Timeout" in stack else f"kills the process ({ended.returncode})"
            at = first + len(read(out))
            text = stack if "Timeout" in stack else ended.stderr.decode(errors="replace")
            dead = Finding(kind, at, None, LONGEST, (how,), text[-1500:])
            with out.open("a") as file:
                file.write(json.dumps(dead._asdict()) + "\n")
    return read(out)


def read(out: Path) -> list[Finding]:
    """Return the findings of a file."""
    lines = map(json.loads, out.read_text().splitlines())
    return [Finding(**{**line, "faults": tuple(line["faults"])}) for line in lines]


def summary(found: list[Finding]) -> str:
    """Return how many cases ended how, the slowest, and every kind of fault with its first seeds."""
    codes = Counter(str(one.code) for one in found)
    slowest = sorted(found, key=lambda one: -one.seconds)[:3]
    lines = [
        f"{len(found)} cases, {sum(one.seconds for one in found):.0f} s; exit codes "
        + ", ".join(f"{code}: {n}" for code, n in sorted(codes.items()))
        + "; slowest "
        + ", ".join(f"{one.seconds:.1f} s ({one.seed})" for one in slowest)
    ]
    groups: dict[str, list[Finding]] = {}
    for one in found:
        for fault in one.faults:
            groups.setdefault(one.where or fault, []).append(one)
    for what, those in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        seeds = ", ".join(str(one.seed) for one in those[:5])
        lines.append(f"{len(those)} x [{seeds}] {those[0].faults[0][:300]}\n      {what[:600]}")
    return "\n".join(lines)


def main() -> int:
    """Run the campaign that is asked for; 1 where anything is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chunk", action="store_true", help="run the cases in this process")
    asked = parser.parse_args()
    if asked.chunk:
        _chunk(asked.kind, asked.first, asked.n, asked.out)
        return 0
    found = campaign(asked.kind, asked.first, asked.n, asked.out)
    print(summary(found))
    return int(any(one.faults for one in found))


if __name__ == "__main__":
    sys.exit(main())
