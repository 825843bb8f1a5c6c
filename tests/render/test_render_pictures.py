from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import vl_convert

from reporting.base.legible import all_legible, legible
from reporting.document.blocks import Figure, Report
from reporting.render.pictures import canonical, draw

MakeReport = Callable[..., Report]


def _spec(report: Report) -> dict[str, Any]:
    figure = report.sections[1].blocks[0]
    assert isinstance(figure, Figure)
    return all_legible(figure.spec)


def test_a_picture_depends_on_its_spec_alone(make_report: MakeReport) -> None:
    spec = _spec(make_report(4, hostile=True))
    assert draw(spec) == draw(spec)


def test_clip_ids_start_at_one_and_names_are_left_alone(make_report: MakeReport) -> None:
    spec = _spec(make_report(1))
    spec["encoding"]["x"]["title"] = 'id="clip77" url(#clip78)'
    svg = draw(spec).svg
    assert set(re.findall(r' clip-path="url\(#(.*?)\)"', svg)) == {"clip1"}
    assert ' id="clip1"' in svg
    root = ElementTree.fromstring(svg)
    assert 'id="clip77" url(#clip78)' in {element.text for element in root.iter()}


def test_every_font_list_ends_with_a_generic_family(make_report: MakeReport) -> None:
    families = set(re.findall(r'font-family="([^"]*)"', draw(_spec(make_report(1))).svg))
    assert families == {"Nonexistent Sans, sans-serif"}


def test_long_names_of_emoji_are_drawn(make_report: MakeReport) -> None:
    spec = _spec(make_report(1))
    for length in range(24, 34):
        spec["data"]["values"][0]["m"] = "x" * (length % 2) + "😀" * length
        assert "□" in draw(spec).svg


def test_control_characters_become_visible() -> None:
    text = "".join(map(chr, [0, 7, 27, 127, 0x85, 0x202E, 0xD800, 0xFFFF]))
    assert legible(f"a\t{text}\n") == "a\t␀␇␛␡����\n"


def test_the_pdf_is_one_whatever_the_writer_did(make_report: MakeReport) -> None:
    svg = draw(_spec(make_report(3))).svg
    written = {canonical(vl_convert.svg_to_pdf(svg)) for _ in range(12)}
    assert len(written) == 1
    pdf = written.pop()
    for number, entry in enumerate(re.findall(rb"(\d{10}) 00000 n ", pdf), start=1):
        assert pdf[int(entry) :].startswith(b"%d 0 obj" % number)
    assert int(pdf.split(b"startxref\n")[1].split()[0]) == pdf.index(b"xref\n0 ")
