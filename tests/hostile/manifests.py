"""Folders of reports that somebody has changed: values of the manifest, its bytes, files beside it, links."""

from __future__ import annotations

import functools
import json
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command import reporting

from tests.hostile.broken_files import TABLE
from tests.hostile.configs import NUMBERS
from tests.hostile.texts import PAYLOADS

CONFIG = """trials: {source: trials.csv, clusters: {file: utt2spk}}
measures: [hter, roc_auc]
curves: [roc]
epc: none
significance: {replicates: 99}
run: {executor: serial}
ignore: {TR205: a pilot}
report: {formats: [json, markdown]}
"""
PLACES = ("../../x", "/etc/passwd", "..", ".", "", "a\0b", "x" * 10_000, "frames/../../x", "/", "~", "report.json/x", "C:\\x", "\ud800",
          "../report.yaml", "manifest.json", "figures", "\u202e", "x\ny", "-", "frames/roc.parquet/", "./report.json", "/dev/stdin", "/proc/self/mem")  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**400, -(2**63), 0.5, 1e308, float("nan"), float("inf"), "", [], {}, [[]], {"": {}}, [None] * 50, {"a": None}, "2026-02-30",
    "0000-00-00", "9999-12-31", "2026-11-20T00:00", "20261120", "0" * 64, [{"name": "trials.csv"}], [{"name": None, "sha256": {}}], {"report.json": []},
    *PLACES, *PAYLOADS.values(), *NUMBERS,
)  # fmt: skip


def write_tampered(rng: random.Random, folder: Path) -> tuple[str, ...]:
    """Write a report with something changed in it; return the arguments of the command that verifies it."""
    for name, content in _whole().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        way = rng.random()
        if way < 0.75 and (folder / "made" / "manifest.json").is_file():
            _change_manifest(rng, folder / "made" / "manifest.json")
        else:
            _change_files(rng, folder)
    against = ("--against", rng.choice(("report.yaml", ".", "no.yaml", "trials.csv", "made", *PLACES[:6])))
    more = against if rng.random() < 0.3 else ()
    return (
        "verify",
        *(one for one in more if "\0" not in one),
        *(("-v",) if rng.random() < 0.3 else ()),
        "made",
    )


@functools.cache
def _whole() -> dict[str, bytes]:
    """Return the files of a report and its inputs."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        TABLE.write_csv(folder / "trials.csv")
        (folder / "utt2spk").write_text("".join(f"{k:02} s{k % 4}\n" for k in range(8)))
        (folder / "report.yaml").write_text(CONFIG)
        ended = reporting("run", "-q", "report.yaml", "-o", "made", cwd=folder)
        assert ended.returncode == 0, ended.stderr
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _change_manifest(rng: random.Random, path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    if rng.random() < 0.15:
        path.write_bytes(_damaged(rng, text).encode("utf-8", "surrogateescape"))
        return
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    places = list(_places(manifest))
    if not places:
        return
    # First the kind of place, since most of them are digests of files.
    first = rng.choice(sorted({place[:1] for place, _ in places}))
    place, holder = rng.choice([each for each in places if each[0][:1] == first])
    key = place[-1]
    way = rng.random()
    if way < 0.2:
        del holder[key]
    elif way < 0.35 and isinstance(holder, dict):
        holder[rng.choice((*PLACES, *PAYLOADS.values()))] = holder.pop(key)
    elif way < 0.45 and isinstance(holder, dict):
        holder[
            rng.choice((*PLACES, "from_python", "extra", key.upper() if isinstance(key, str) else "x"))
        ] = rng.choice(ODD)
    elif way < 0.5:
        holder[key] = _deep(rng.choice((60, 900)))
    else:
        holder[key] = rng.choice(ODD)
    path.write_text(
        json.dumps(manifest, ensure_ascii=rng.random() < 0.8), encoding="utf-8", errors="surrogatepass"
    )


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the way to every value of JSON, with the mapping or list that holds it."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield (*path, key), value
        if len(path) < 8:
            yield from _places(below, (*path, key))


def _deep(depth: int) -> Any:
    value: Any = 1
    for at in range(depth):
        value = [value] if at % 2 else {"a": value}
    return value


def _damaged(rng: random.Random, text: str) -> str:
    at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return rng.choice(
        (text[:at], text[:at] + text[end:], "", "null", "[]", '"x"', "\ufeff" + text, text + text, text.replace('"', "'"), "[" * 100_000, '{"a":' * 100_000,
         text.replace('"seed":', '"seed": ' + "9" * 10_000 + ', "x":'), text.replace("reporting", "else"), text.replace('"version"', '"version": 1, "version"'),
         text[:at] + "\0" + text[at:], text[:at] + "\udcff" + text[at:], text.replace('"config":', '"config": {}, "old":'), text.replace(":", ": NaN, ", 1))
    )  # fmt: skip


def _change_files(rng: random.Random, folder: Path) -> None:
    made = folder / "made"
    files = [path for path in sorted(made.rglob("*")) if path.is_file() and not path.is_symlink()]
    inputs = [folder / "trials.csv", folder / "utt2spk", folder / "report.yaml"]
    path = rng.choice(inputs if rng.random() < 0.3 else files or inputs)
    if not path.is_file():
        return
    content = path.read_bytes()
    path.unlink()
    way = rng.randrange(9)
    if way == 0:
        path.mkdir()
    elif way == 1:
        path.symlink_to(
            rng.choice((path.name, "/etc/passwd", "/dev/zero", "..", folder / "trials.csv", "x" * 200))
        )
    elif way == 2:
        os.mkfifo(path)
    elif way == 3:
        path.write_bytes(b"")
    elif way == 4 and content:
        at = rng.randrange(len(content))
        path.write_bytes(content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :])
    elif way == 5:
        path.write_bytes(content[: rng.randrange(len(content) + 1)])
    elif way == 6:
        path.write_bytes(content)
        name = rng.choice((*PAYLOADS.values(), "frames", "report.json")).replace("/", "|").replace("\0", "0")
        place = made / name[:60] if rng.random() < 0.5 else made / f"{name[:60]}.svg"
        if not os.path.lexists(place):
            place.mkdir()
    elif way == 7:
        path.write_bytes(content.replace(b"0", b"1"))
