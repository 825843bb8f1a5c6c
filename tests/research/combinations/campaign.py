"""Reports of generated combinations: ``python -m tests.research.combinations.campaign --first 1 --n 100 --out FILE.jsonl``.

Each report is made in a child process that survives what it does to itself. Every one leaves a line in FILE: how
it ended, and its faults, each with its kind before a colon. ``--program DIR`` takes the program of another
checkout, so that kinds can be counted before and after; ``--coverage`` prints which keys the seeds reach.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[3]
LONGEST = 60.0
"""Seconds of one report: of the processor; of the clock, as many more as others share the machine."""
AT_MOST = 150
"""Reports of one child, whose memory would grow."""


class Outcome(NamedTuple):
    """What a report came to."""

    seed: int
    code: int
    """As the program would exit: 0, 1 where a gate failed, 2 for bad input, 3 where it failed by itself."""
    seconds: float
    faults: tuple[str, ...]
    """Each a kind, a colon and details."""
    message: str = ""
    """Of bad input."""
    features: tuple[str, ...] = ()
    compared: int = 0
    """Numbers that the oracle has compared."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its faults, each once."""
        return tuple(dict.fromkeys(fault.partition(": ")[0] for fault in self.faults))


def judged(seed: int, folder: Path, laws: bool = False) -> Outcome:
    """Make the report of a seed in an empty folder, and judge how it ended."""
    from tests.research.combinations.generator import draw

    return outcome_of(draw(seed), folder, laws)


def outcome_of(combination: Any, folder: Path, laws: bool = False) -> Outcome:
    """Write a combination into an empty folder, make its report, and judge how it ended."""
    from reporting.errors import ReportingError

    start = _busy()
    faults: list[str] = []
    code, message, compared = 0, "", 0
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            combination.write(folder)
            code = _reported(folder)
        except ReportingError as error:
            code, message = 2, str(error)
        except Exception as error:
            if type(error).__name__ == "NotCountedError":
                code, message = 2, str(error)
            else:
                code, faults = 3, [f"{_kind(error)}: {str(error)[:300]}"]
        except BaseException as error:  # a panic of Polars
            if isinstance(error, KeyboardInterrupt):
                raise
            code, faults = 3, [f"{_kind(error)}: {str(error)[:300]}"]
    faults += [
        f"warning {each.category.__name__} at {_place(each.filename, each.lineno)}: {each.message}"
        for each in warned
    ]
    if code in (0, 1):
        faults += odd_numbers(folder / "out")
    if laws and code in (0, 1):
        broken, compared = _judgements(combination, folder / "out")
        faults += broken
    seconds = _busy() - start
    if seconds > LONGEST:
        faults.append(f"slow: {seconds:.0f} s")
    kept = tuple(dict.fromkeys(faults))
    return Outcome(
        combination.seed, code, round(seconds, 3), kept, message[:1000], combination.features, compared
    )


def _busy() -> float:
    """Return the seconds of the processor that this process and its children have taken."""
    return sum(os.times()[:4])


def _patience() -> float:
    """Return the seconds of the clock after which a report hangs, on a machine that others may use too."""
    return (LONGEST + 30) * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _reported(folder: Path) -> int:
    """Make the report in ``out``, after the one of the week before where there is one."""
    from reporting.app.config.read import read_plan
    from reporting.app.run.report import report_of

    if (folder / "earlier.yaml").exists():
        report_of(read_plan(folder / "earlier.yaml"), folder / "earlier", lambda line: None)
    computed = report_of(read_plan(folder / "report.yaml"), folder / "out", lambda line: None)
    return int(any(gate.counts_as == "fail" for gate in computed.gates))


def _kind(error: BaseException) -> str:
    """Return the type of an error and the innermost line of the program."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "/reporting/" in frame.filename] or list(frames)
    return (
        f"{type(error).__name__} at {_place(inside[-1].filename, inside[-1].lineno or 0)} {inside[-1].name}"
    )


def _place(path: str, line: int) -> str:
    for room in ("/reporting/", "/site-packages/", "/tests/"):
        if room in path:
            return f"{path.rpartition(room)[2]}:{line}"
    return f"{path}:{line}"


def odd_numbers(report: Path) -> Iterator[str]:
    """Yield the columns of frames that hold NaN, or an infinite number that is neither score nor threshold."""
    import polars as pl

    for path in sorted((report / "frames").glob("*.parquet")):
        frame = pl.read_parquet(path)
        for column in frame.select(pl.col(pl.Float64, pl.Float32)):
            if column.is_nan().any():
                yield f"NaN in {path.stem}.{column.name}: {_row(frame, column.is_nan())}"
            if column.is_infinite().any() and column.name not in MAY_BE_INFINITE:
                yield f"infinite in {path.stem}.{column.name}: {_row(frame, column.is_infinite())}"


MAY_BE_INFINITE = ("threshold", "threshold_low", "threshold_high", "llr")


def _row(frame: Any, where: Any) -> str:
    row = frame.filter(where).row(0, named=True)
    return json.dumps(
        {key: value if not _is_odd(value) else str(value) for key, value in row.items() if value is not None},
        default=str,
    )[:400]


def _is_odd(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _judgements(combination: Any, report: Path) -> tuple[list[str], int]:
    """Return what laws, claims and oracle say of a report, where they are there, and how much was compared."""
    faults: list[str] = []
    compared = 0
    for name, judge in (("laws", "broken"), ("claims", "contradicted"), ("oracle", "disagreements")):
        try:
            asked: Callable[..., Any] = getattr(
                importlib.import_module(f"tests.research.combinations.{name}"), judge
            )
        except ImportError:
            continue
        try:
            if name != "oracle":
                faults += [f"{name.removesuffix('s')} {fault}" for fault in asked(report)]
            else:
                compared, disagreed = asked(combination, report)
                faults += [f"oracle {fault}" for fault in disagreed]
        except Exception as error:
            faults.append(f"{name} failed, {type(error).__name__}: {''.join(traceback.format_exc()[-300:])}")
    return faults, compared


def _chunk(seeds: Iterable[int], out: Path, laws: bool) -> None:
    """Make reports here; one that hangs ends the process with the stack of every thread in ``out.stack``."""
    with out.open("a") as file, out.with_suffix(".stack").open("w") as stack:
        for seed in seeds:
            stack.seek(0)
            stack.truncate()
            faulthandler.dump_traceback_later(_patience(), exit=True, file=stack)
            folder = Path(tempfile.mkdtemp(prefix="combination-"))
            try:
                outcome = judged(seed, folder, laws)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            file.write(json.dumps(outcome._asdict()) + "\n")
            file.flush()
        faulthandler.cancel_dump_traceback_later()


def campaign(
    first: int, n: int, out: Path, laws: bool = False, program: Path | None = None, fresh: bool = True
) -> list[Outcome]:
    """Make the reports of ``n`` seeds in child processes; return what they came to, a line each in ``out``."""
    if fresh:
        out.write_text("")
    while len(found := read(out)) < n:
        at = first + len(found)
        command = [
            sys.executable,
            "-m",
            "tests.research.combinations.campaign",
            "--chunk",
            "--first",
            str(at),
        ]
        command += ["--n", str(min(AT_MOST, n - len(found))), "--out", str(out)]
        command += ["--laws"] * laws
        command += ["--program", str(program)] * (program is not None)
        ended = subprocess.run(command, env=environment(), cwd=ROOT, check=False)
        if len(read(out)) < len(found) + 1:  # it ended with its first report
            stack = out.with_suffix(".stack").read_text() if out.with_suffix(".stack").exists() else ""
            hung = "Timeout" in stack
            lines = [line.strip() for line in stack.splitlines() if "/reporting/" in line]
            fault = f"{'hang' if hung else 'crash'}: status {ended.returncode}, {(lines or ['?'])[0][-160:]}"
            with out.open("a") as file:
                file.write(json.dumps(Outcome(at, 3, LONGEST if hung else 0.0, (fault,))._asdict()) + "\n")
    return read(out)


def environment() -> dict[str, str]:
    """Return the environment of a child: one thread, and these modules before those of any program."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"), "1")
    return {**os.environ, **single, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1767225600"}


def take_program(program: Path) -> None:
    """Let this process, and those that it starts, take ``reporting`` from another checkout, and nothing else."""
    sys.path.insert(0, str(program))
    importlib.import_module("reporting")
    sys.path.remove(str(program))
    os.environ["PYTHONPATH"] = str(program)


def read(out: Path) -> list[Outcome]:
    """Return what stands in a file of outcomes."""
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    return [
        Outcome(**{**line, "faults": tuple(line["faults"]), "features": tuple(line["features"])})
        for line in lines
    ]


def summary(found: list[Outcome]) -> str:
    """Return how many reports ended how, the slowest, every kind of fault and of message with its first seeds."""
    codes = Counter(one.code for one in found)
    slowest = sorted(found, key=lambda one: -one.seconds)[:5]
    good = sum(one.code in (0, 1) for one in found)
    lines = [
        f"{len(found)} reports, {sum(one.seconds for one in found):.0f} s; exit codes "
        + ", ".join(f"{code}: {n}" for code, n in sorted(codes.items()))
        + f" ({good / max(1, len(found)):.1%} with 0 or 1); slowest "
        + ", ".join(f"{one.seconds:.1f} s ({one.seed})" for one in slowest)
        + f"; {sum(one.compared for one in found)} numbers compared"
    ]
    kinds: dict[str, list[Outcome]] = {}
    for one in found:
        for kind in one.kinds:
            kinds.setdefault(kind, []).append(one)
    lines.append(f"{sum(bool(one.faults) for one in found)} reports with a fault, {len(kinds)} kinds")
    for kind, those in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        first = next(fault for fault in those[0].faults if fault.startswith(kind))
        lines.append(f"{len(those)} x [{', '.join(str(one.seed) for one in those[:5])}] {first[:400]}")
    messages: dict[str, list[Outcome]] = {}
    for one in found:
        if one.code == 2:
            words = "".join("#" if c.isdigit() else c for c in one.message.rpartition("/tmp/")[2])
            messages.setdefault(words[-80:], []).append(one)
    lines += ["refused:"] * bool(messages)
    for those in sorted(messages.values(), key=lambda some: -len(some)):
        lines.append(
            f"{len(those)} x [{', '.join(str(one.seed) for one in those[:5])}] {those[0].message[:300]}"
        )
    return "\n".join(lines)


def main() -> int:
    """Make the reports that are asked for; 1 where anything is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("combinations.jsonl"))
    parser.add_argument("--seeds", type=_seeds, help="these alone, in this process, such as 8,31,77")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--laws", action="store_true", help="judge the frames by the laws and the oracle too")
    parser.add_argument("--program", type=Path, help="the checkout whose program makes the reports")
    parser.add_argument("--chunk", action="store_true", help="make the reports in this process")
    parser.add_argument("--coverage", type=int, metavar="N", help="print how often N seeds reach every key")
    asked = parser.parse_args()
    if asked.coverage is not None:
        from tests.research.combinations.coverage import table

        print(table(asked.first, asked.coverage))
        return 0
    if (asked.chunk or asked.seeds) and asked.program:
        take_program(asked.program)
    if asked.seeds:
        return _these(asked.seeds, asked.out, asked.laws)
    if asked.chunk:
        _chunk(range(asked.first, asked.first + asked.n), asked.out, asked.laws)
        return 0
    found = _in_jobs(asked)
    print(summary(found))
    return int(any(one.faults for one in found))


def _seeds(text: str) -> list[int]:
    return [int(seed) for seed in text.split(",")]


def _these(seeds: list[int], out: Path, laws: bool) -> int:
    """Make the reports of some seeds in this process, and print what they came to."""
    out.write_text("")
    _chunk(seeds, out, laws)
    print(summary(read(out)))
    return int(any(one.faults for one in read(out)))


def _in_jobs(asked: argparse.Namespace) -> list[Outcome]:
    """Run several campaigns at once, each on its part of the seeds."""
    if asked.jobs == 1:
        return campaign(asked.first, asked.n, asked.out, asked.laws, asked.program)
    from concurrent.futures import ThreadPoolExecutor

    size = math.ceil(asked.n / asked.jobs)
    parts = [
        (at, min(size, asked.first + asked.n - at)) for at in range(asked.first, asked.first + asked.n, size)
    ]
    with ThreadPoolExecutor(asked.jobs) as pool:
        outs = [asked.out.with_suffix(f".{number}.jsonl") for number in range(len(parts))]
        runs = [
            pool.submit(campaign, at, n, out, asked.laws, asked.program)
            for (at, n), out in zip(parts, outs, strict=True)
        ]
        found = [one for run in runs for one in run.result()]
    asked.out.write_text("".join(out.read_text() for out in outs))
    for out in outs:
        out.unlink()
        out.with_suffix(".stack").unlink(missing_ok=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
