"""Gives a PDF one byte form: its writer numbers and lists fonts in an order that changes by the call."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FONT_LINES = re.compile(rb"(?:^ +/\w+ \d+ 0 R\n)+", re.MULTILINE)
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_OWN_NUMBER = re.compile(rb"\A\d+")


def canonical(pdf: bytes) -> bytes:
    """Return the PDF with its objects numbered in the order in which the document names them.

    Expects one classic cross-reference table, as the drawing library writes it.
    """
    places, table = _offsets(pdf)
    objects = _objects(pdf, places, table)
    trailer = pdf[pdf.index(b"trailer", table) : pdf.rindex(b"startxref")]
    numbers = _order_of_mention(trailer, objects)
    body, offsets = pdf[: min(places.values())], []
    for number, new in numbers.items():
        offsets.append(len(body))
        body += _OWN_NUMBER.sub(b"%d" % new, _renumbered(objects[number], numbers))
    return body + _table(offsets) + _renumbered(trailer, numbers) + b"startxref\n%d\n%%%%EOF" % len(body)


def _offsets(pdf: bytes) -> tuple[dict[int, int], int]:
    """Read the cross-reference table: object number -> place, and the place of the table."""
    table = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    entries = pdf[table : pdf.index(b"trailer", table)].splitlines()[2:]
    return {number: int(entry[:10]) for number, entry in enumerate(entries) if entry[17:18] == b"n"}, table


def _objects(pdf: bytes, places: Mapping[int, int], end: int) -> dict[int, bytes]:
    """Cut the file into its objects, each with the fonts it lists sorted by name."""
    objects = {}
    for number, start in sorted(places.items(), key=lambda item: item[1], reverse=True):
        head, stream, content = pdf[start:end].partition(b"stream\n")
        objects[number] = _FONT_LINES.sub(_sorted_lines, head) + stream + content
        end = start
    return objects


def _sorted_lines(run: re.Match[bytes]) -> bytes:
    return b"".join(sorted(run[0].splitlines(keepends=True)))


def _order_of_mention(trailer: bytes, objects: Mapping[int, bytes]) -> dict[int, int]:
    """Number the objects from 1 as they are reached from the trailer, depth first."""
    numbers: dict[int, int] = {}
    waiting = _mentioned(trailer)
    while waiting:
        number = waiting.pop(0)
        if number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting = [*_mentioned(objects[number]), *waiting]
    return numbers


def _mentioned(thing: bytes) -> list[int]:
    return [int(number) for number in _REFERENCE.findall(thing.partition(b"stream\n")[0])]


def _renumbered(thing: bytes, numbers: Mapping[int, int]) -> bytes:
    head, stream, content = thing.partition(b"stream\n")
    return _REFERENCE.sub(lambda old: b"%d 0 R" % numbers[int(old[1])], head) + stream + content


def _table(offsets: list[int]) -> bytes:
    lines = [b"0000000000 65535 f \n", *(b"%010d 00000 n \n" % offset for offset in offsets)]
    return b"xref\n0 %d\n" % len(lines) + b"".join(lines)
