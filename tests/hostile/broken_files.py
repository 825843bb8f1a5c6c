"""Files of trials with a fault in their bytes: cut off, empty, packed otherwise, of another kind or encoding."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from pathlib import Path

import polars as pl

KINDS = ("parquet", "csv", "tsv", "ndjson", "arrow", "csv.gz", "ndjson.gz", "csv.zst")
TABLE = pl.DataFrame(
    [
        {
            "model": model,
            "split": split,
            "trial": f"{i:02}",
            "label": i % 2,
            "score": (i * 7 + at) % 5 + i % 2,
        }
        for at, model in enumerate("ab")
        for split in ("dev", "test")
        for i in range(8)
    ]
)


def write_broken(rng: random.Random, folder: Path) -> str:
    """Write a file whose bytes have one or two faults; return its name."""
    kind = rng.choice(KINDS)
    content = _bytes(kind)
    if kind in ("csv", "csv.gz") and rng.random() < 0.5:
        content = _in_dialect(rng)
        content = gzip.compress(content, mtime=0) if kind == "csv.gz" else content
    for _ in range(rng.choice((1, 1, 2))):
        content = faulty(content, kind, rng)
    name = (
        f"trials.{kind if rng.random() < 0.85 else rng.choice((*KINDS, 'txt', 'pq', 'feather', 'gz', 'CSV'))}"
    )
    (folder / name).write_bytes(content)
    return name


EXPORTS = {
    "arff": "@relation r\n@attribute score numeric\n@attribute 'the label' {yes,no}\n@data\n"
    + "".join(f"{at * 7 % 11}.5,{'yes' if at % 3 else 'no'}\n" for at in range(30)),
    "hist": "".join(f"{at}.5 {at * 5 % 7}\n" for at in range(30)),
    "imrmc": "A study\nBEGIN DATA:\n"
    + "".join(f"-1,c{case},0,{case % 2}\n" for case in range(10))
    + "".join(f"r{at % 2},c{at // 4},m{at // 2 % 2},{at * 7 % 5}\n" for at in range(40)),
}
"""Right files of other programs, by the ends of their names."""


def write_broken_export(rng: random.Random, folder: Path) -> str:
    """Write a file of Weka, a histogram or a reader study with one or two faults; return its name."""
    kind = rng.choice([*EXPORTS])
    content = EXPORTS[kind].encode()
    for _ in range(rng.choice((1, 1, 2))):
        content = faulty(content, kind, rng)
    (folder / f"trials.{kind}").write_bytes(content)
    return f"trials.{kind}"


def _in_dialect(rng: random.Random) -> bytes:
    """Return the table as other programs write CSV: other separators, line ends, decimal signs and quotes."""
    separator, end = rng.choice(";\t|,"), rng.choice(("\n", "\r\n", "\r"))
    style = rng.choice(("necessary", "always", "non_numeric"))
    text = TABLE.write_csv(separator=separator, quote_style=style, line_terminator=end)
    marked = f"sep={separator}{end}{text}" if rng.random() < 0.1 else text
    return marked.replace(".", ",").encode(rng.choice(("utf-8", "utf-8-sig", "utf-16", "latin-1")))


def write_clusters(rng: random.Random, folder: Path) -> tuple[str, str]:
    """Write trials without a fault and a file of their clusters with some; return both names."""
    TABLE.write_csv(folder / "trials.csv", separator=rng.choice(",;\t"))
    separator, end = rng.choice((" ", "\t", "  ", ",")), rng.choice(("\n", "\r\n", "\r"))
    content = "".join(f"{i:02}{separator}s{i % 4}{end}" for i in range(8)).encode()
    for _ in range(rng.choice((0, 1, 1, 2))):
        content = faulty(content, "csv", rng)
    name = rng.choice(("utt2spk", "utt2spk", "utt2spk.gz", "x.utt2spk", "utt2spk.parquet"))
    (folder / name).write_bytes(content)
    return "trials.csv", name


def _bytes(kind: str) -> bytes:
    if kind == "parquet":
        return _written(TABLE.write_parquet)
    if kind == "arrow":
        return _written(TABLE.write_ipc)
    if kind == "csv.zst":
        file = io.BytesIO()
        TABLE.write_csv(file, compression="zstd")
        return file.getvalue()
    plain, _, packed = kind.partition(".")
    text = {
        "csv": TABLE.write_csv,
        "ndjson": TABLE.write_ndjson,
        "tsv": lambda: TABLE.write_csv(separator="\t"),
    }[plain]()
    return gzip.compress(text.encode(), mtime=0) if packed else text.encode()


def _written(write: object) -> bytes:
    file = io.BytesIO()
    write(file)  # type: ignore[operator]
    return file.getvalue()


def faulty(content: bytes, kind: str, rng: random.Random) -> bytes:
    """Return bytes with a fault: cut, swollen, overwritten, packed, or in another encoding."""
    at, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    some = bytes(rng.randrange(256) for _ in range(rng.choice((1, 1, 3, 40))))
    lines = content.split(b"\n")
    here = rng.randrange(len(lines))
    options = (
        lambda: content[:at],
        lambda: b"",
        lambda: content[:at] + content[end:],
        lambda: content[:at] + some + content[at:],
        lambda: content[:at] + some + content[at + len(some) :],
        lambda: content + some,
        lambda: b"\xef\xbb\xbf" + content,
        lambda: b"\xff\xfe" + content.decode("latin-1").encode("utf-16-le"),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\n\n"),
        lambda: content.replace(b",", b";"),
        lambda: content.replace(b",", b"\t"),
        lambda: content.rstrip(b"\n"),
        lambda: gzip.compress(content, mtime=0),
        lambda: zlib.compress(content),
        lambda: gzip.compress(content, mtime=0)[:-4],
        lambda: gzip.compress(content, mtime=0) * 2,
        lambda: b"\n".join((*lines[:here], lines[here] * 2, *lines[here + 1 :])),
        lambda: b"\n".join((*lines[:here], *lines[here + 1 :])),
        lambda: b"\n".join((*lines[:here], b'"' + lines[here], *lines[here + 1 :])),
        lambda: b"\n".join((*lines[:here], b"x" * 300_000, *lines[here:])),
        lambda: b"\n".join((*lines[:here], b"," * 5_000, *lines[here:])),
        lambda: b"\n".join((*lines[:here], b"[" * 5_000, *lines[here:])),
        lambda: b"\n".join((*lines[:here], b'{"model": ' * 3_000, *lines[here:])),
        lambda: b"\n".join((lines[0], *lines)),
        lambda: lines[0],
        lambda: content[:1],
        lambda: content.upper(),
        lambda: b"\0" * len(content),
        lambda: gzip.compress(b"model,split,trial,label,score\n" + b"a,dev,1,1,1\n" * 20_000, mtime=0),
    )
    return rng.choice(options)()
