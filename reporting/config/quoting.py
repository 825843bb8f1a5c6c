"""Names with parameters that YAML split at a comma: ``[hter, dcf(p_target=0.01, c_miss=10)]``."""

from __future__ import annotations

from reporting.config.document import Entry, Fault, Trail, located
from reporting.contents import QUOTING

NAME_LISTS = ("measures", "criteria")


def rejoin_split_names(entry: Entry, faults: list[Fault], path: Trail = ()) -> None:
    """Tell of every split name once, and rejoin its pieces so that they raise no faults of their own."""
    if not isinstance(entry.value, dict):
        return
    for key, below in entry.value.items():
        if key in NAME_LISTS and isinstance(below.value, list):
            below.value = _rejoined(below.value, faults, (*path, key))
        else:
            rejoin_split_names(below, faults, (*path, key))


def _rejoined(entries: list[Entry], faults: list[Fault], path: Trail) -> list[Entry]:
    whole: list[Entry] = []
    at = 0
    while at < len(entries):
        end = _closing(entries, at)
        name = entries[at]
        if end > at:
            name = Entry(", ".join(str(piece.value) for piece in entries[at : end + 1]), name.mark)
            where = located((*path, at), name.mark)
            faults.append(Fault(name.mark, f"{where}: {name.value!r} is split at its comma; {QUOTING}"))
        whole.append(name)
        at = end + 1
    return whole


def _closing(entries: list[Entry], start: int) -> int:
    """Return where the parenthesis opened at ``start`` closes; ``start`` itself if it needs no repair."""
    depth = 0
    for at in range(start, len(entries)):
        text = entries[at].value
        if not isinstance(text, str):
            return start
        depth += text.count("(") - text.count(")")
        if depth <= 0:
            return at
    return start
