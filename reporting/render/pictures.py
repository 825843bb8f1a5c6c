"""Figure specs -> SVG, PDF and PNG, without a browser and without the network, always the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import vl_convert

from reporting.base.legible import all_legible
from reporting.base.records import dataclass
from reporting.document.blocks import Spec

VEGA_LITE = "6.1"
"""What compiles the specs: 6.4 shows ``undefined`` in nearest-point tooltips of nominal fields."""

PNG_SCALE = 2

GENERIC_FAMILIES = ("serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui")


@dataclass(frozen=True)
class DrawnFigure:
    """One figure as drawn: the SVG text and the PDF, with the natural size in pixels; PNG on request."""

    svg: str
    pdf: bytes
    width: str
    height: str

    @cached_property
    def png(self) -> bytes:
        return vl_convert.svg_to_png(self.svg, scale=PNG_SCALE)


def draw(spec: Spec) -> DrawnFigure:
    """Draw a Vega-Lite spec, its texts made legible; the bytes depend on the spec alone."""
    svg = svg_of(all_legible(spec))
    return DrawnFigure(svg, canonical(vl_convert.svg_to_pdf(svg)), *_size(svg))


def svg_of(spec: Spec) -> str:
    """Draw a Vega-Lite spec as SVG text."""
    drawn = vl_convert.vega_to_svg(vega_of(spec), allowed_base_urls=[])
    return in_tags(_renumbered(_clipped_once(_without_layers(drawn))), FONT_FAMILY, _ended)


def vega_of(spec: Spec) -> Spec:
    """Compile a Vega-Lite spec, which states what to draw, to one of Vega, which states how."""
    return vl_convert.vegalite_to_vega(within_one_unit(spec), vl_version=VEGA_LITE)


def within_one_unit(value: Any) -> Any:
    """Replace characters beyond U+FFFF, such as emoji, by a box.

    The drawing library fails where it shortens a long label in the middle of their two UTF-16 units.
    """
    if isinstance(value, str):
        return re.sub(r"[\U00010000-\U0010FFFF]", "\u25a1", value)
    if isinstance(value, list | tuple):
        return [within_one_unit(item) for item in value]
    if isinstance(value, dict):
        return {within_one_unit(key): within_one_unit(item) for key, item in value.items()}
    return value


FONT_FAMILY = re.compile(r'(?<= font-family=")[^"]*')
_TAG = re.compile(r"<[^<>]*>")
_ID = re.compile(r' id="([^"]*?)(\d+)"')
_REFERENCE = re.compile(r'( (?:id="|(?:clip-path|fill|stroke)="url\(#))([^"()]+)')


def in_tags(svg: str, pattern: re.Pattern[str] | str, instead: str | Callable[[re.Match[str]], str]) -> str:
    """Replace what a pattern finds within tags; no text is touched, which may look like anything."""
    return _TAG.sub(lambda tag: re.sub(pattern, instead, tag[0]), svg)


def _renumbered(svg: str) -> str:
    """Number the ids from 1: the drawing library counts on from call to call."""
    names: dict[str, str] = {}
    for tag in _TAG.findall(svg):
        for prefix, number in _ID.findall(tag):
            names.setdefault(prefix + number, f"{prefix}{len(names) + 1}")
    return in_tags(svg, _REFERENCE, lambda old: old[1] + names.get(old[2], old[2]))


def with_prefix(svg: str, prefix: str) -> str:
    """Put a prefix before every id, so that pictures of one document do not share any."""
    return in_tags(svg, _REFERENCE, lambda old: f"{old[1]}{prefix}{old[2]}")


_PATH = re.compile(r"<path[^<>]*>")


def _without_layers(svg: str) -> str:
    """Let a path of one paint be thin by that paint: one thin as a whole is drawn on a sheet of its own."""

    def thinned(tag: re.Match[str]) -> str:
        both = ' fill="' in tag[0] and ' stroke="' in tag[0]
        paint = "stroke" if ' stroke="' in tag[0] else "fill"
        return tag[0] if both else tag[0].replace(' opacity="', f' {paint}-opacity="')

    return _PATH.sub(thinned, svg)


def _clipped_once(svg: str) -> str:
    """Clip all lines of a layer together: they share one frame, and every clip is a sheet of its own."""
    for layer in dict.fromkeys(re.findall(r'<g class="[^"<>]*role-scope (\w*)pathgroup"', svg)):
        inner = rf'(<g class="[^"<>]*role-mark {layer}marks") clip-path="([^"<>]*)"'
        clips = re.findall(inner, svg)
        if clips:
            svg = re.sub(inner, r"\1", svg)
            outer = rf'(<g class="[^"<>]*role-scope {layer}pathgroup")'
            svg = re.sub(outer, rf'\1 clip-path="{clips[0][1]}"', svg, count=1)
    return svg


def _ended(families: re.Match[str]) -> str:
    """End a font list with a generic family: a single unknown font drops all text of PNG and PDF."""
    last = families[0].rpartition(",")[2].strip()
    return families[0] if last in GENERIC_FAMILIES else f"{families[0]}, sans-serif"


def _size(svg: str) -> tuple[str, str]:
    root = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    if root is None:
        raise ValueError("the drawing library returned an SVG without a size")
    return root[1], root[2]


_FONT_LINES = re.compile(rb"(?:^ +/\w+ \d+ 0 R\n)+", re.MULTILINE)
_OBJECT = re.compile(rb"\b(\d+) 0 R\b")
_OWN_NUMBER = re.compile(rb"\A\d+")


def canonical(pdf: bytes) -> bytes:
    """Return the PDF with its objects numbered in the order in which the document names them.

    Its writer numbers objects and lists fonts in an order that changes by the call. One classic
    cross-reference table is required, as the drawing library writes it.
    """
    table = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    entries = pdf[table : pdf.index(b"trailer", table)].splitlines()[2:]
    places = {number: int(entry[:10]) for number, entry in enumerate(entries) if entry[17:18] == b"n"}
    objects = _objects(pdf, places, table)
    trailer = pdf[pdf.index(b"trailer", table) : pdf.rindex(b"startxref")]
    numbers = _order_of_mention(trailer, objects)
    body, offsets = pdf[: min(places.values())], []
    for number, new in numbers.items():
        offsets.append(len(body))
        body += _OWN_NUMBER.sub(b"%d" % new, _object_renumbered(objects[number], numbers))
    lines = [b"0000000000 65535 f \n", *(b"%010d 00000 n \n" % offset for offset in offsets)]
    after = b"".join(lines) + _object_renumbered(trailer, numbers) + b"startxref\n%d\n%%%%EOF" % len(body)
    return body + b"xref\n0 %d\n" % len(lines) + after


def _objects(pdf: bytes, places: Mapping[int, int], end: int) -> dict[int, bytes]:
    """Split the file into its objects, each with the fonts it lists sorted by name."""
    objects = {}
    for number, start in sorted(places.items(), key=lambda item: item[1], reverse=True):
        head, stream, content = pdf[start:end].partition(b"stream\n")
        objects[number] = (
            _FONT_LINES.sub(lambda run: b"".join(sorted(run[0].splitlines(keepends=True))), head)
            + stream
            + content
        )
        end = start
    return objects


def _order_of_mention(trailer: bytes, objects: Mapping[int, bytes]) -> dict[int, int]:
    """Number the objects from 1 in the order of being reached from the trailer, depth first."""
    numbers: dict[int, int] = {}
    waiting = _mentioned(trailer)
    while waiting:
        number = waiting.pop(0)
        if number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting = [*_mentioned(objects[number]), *waiting]
    return numbers


def _mentioned(thing: bytes) -> list[int]:
    return [int(number) for number in _OBJECT.findall(thing.partition(b"stream\n")[0])]


def _object_renumbered(thing: bytes, numbers: Mapping[int, int]) -> bytes:
    head, stream, content = thing.partition(b"stream\n")
    return _OBJECT.sub(lambda old: b"%d 0 R" % numbers[int(old[1])], head) + stream + content
