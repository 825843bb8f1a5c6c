"""The kinds of files that hold tables, told by the ends of their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Kind = Literal["parquet", "ipc", "csv", "tsv", "ndjson"]

ENDS: Mapping[str, Kind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".ipc": "ipc",
    ".feather": "ipc",
    ".csv": "csv",
    ".tsv": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
}
TEXT: tuple[Kind, ...] = ("csv", "tsv", "ndjson")
PACKED = (".gz", ".zst")
"""What may follow the ends of text."""
HALF_WRITTEN = (".part", ".partial", ".filepart", ".crdownload", ".tmp")
"""What programs add to the name of a file until it is whole."""
READABLE = f"{', '.join(ENDS)}; those of text also with {' or '.join(PACKED)}"


def kind_of(name: str) -> Kind | None:
    """Return the kind of table that a file of this name holds; None: it is none that is read."""
    lower = name.lower()
    bare = next((lower.removesuffix(end) for end in PACKED if lower.endswith(end)), lower)
    kind = next((kind for end, kind in ENDS.items() if bare.endswith(end)), None)
    return kind if bare == lower or kind in TEXT else None


def is_half_written(name: str) -> bool:
    """Tell whether the name is that of a table that is still being written."""
    lower = name.lower()
    return any(lower.endswith(end) and kind_of(lower.removesuffix(end)) for end in HALF_WRITTEN)
