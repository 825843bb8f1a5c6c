"""report.json holds the complete model: what is read back equals what was written, and prints the same."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from render.report_json import read_report

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.document.blocks import Cell, Column, Report, Section, Table
from reporting.render.formats import FORMATS
from reporting.render.json import json_files
from reporting.render.pictures import DrawnFigure
from reporting.render.render_input import RenderContext, figures

MakeReport = Callable[..., Report]


def _written(report: Report, provenance: Provenance) -> bytes:
    return json_files(RenderContext(report, provenance, {}, True))["report.json"]


@pytest.mark.parametrize("hostile", [False, True])
def test_the_model_reads_back_equal(make_report: MakeReport, provenance: Provenance, hostile: bool) -> None:
    report = all_legible(make_report(6, hostile=hostile))
    content = _written(report, provenance)
    assert read_report(content) == (report, provenance)
    assert _written(*read_report(content)) == content


def test_every_format_prints_the_same_from_the_file(make_report: MakeReport, provenance: Provenance) -> None:
    pytest.importorskip("typst")
    report = all_legible(make_report(3, hostile=True))
    back = read_report(_written(report, provenance))
    for name, write in FORMATS.items():
        assert write(_material(report, provenance)) == write(_material(*back)), name


def test_pictures_are_drawn_from_the_same_specs(make_report: MakeReport, provenance: Provenance) -> None:
    report = all_legible(make_report(6, hostile=True))
    back, _ = read_report(_written(report, provenance))
    for figure, again in zip(figures(report), figures(back), strict=True):
        # The order of keys counts too: it decides the order in which a picture describes its marks.
        assert json.dumps(figure.spec) == json.dumps(again.spec)


def _material(report: Report, provenance: Provenance) -> RenderContext:
    picture = DrawnFigure('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', b"", "9", "9")
    return RenderContext(
        report, provenance, {each.name: picture for each in figures(report)}, interactive=True
    )


def test_a_field_of_any_block_survives(provenance: Provenance) -> None:
    report = _filled(Report)
    content = _written(report, provenance)
    assert {"section", "prose", "table", "figure", "caution"} <= _kinds(json.loads(content))
    assert read_report(content) == (report, provenance)


def _filled(expected: Any, depth: int = 0) -> Any:
    """Return a value of a type with something in every field, and one of every block on two storeys."""
    origin, members = get_origin(expected), get_args(expected)
    if dataclasses.is_dataclass(expected):
        hints = get_type_hints(expected)
        return expected(**{name: _filled(hint, depth + 1) for name, hint in hints.items()})  # type: ignore[operator]
    if origin is tuple and members[-1] is Ellipsis:
        wanted = get_args(members[0]) if _is_union(members[0]) else (members[0],)
        return tuple(_filled(each, depth) for each in wanted if each is not Section or depth < 3)
    if origin is tuple:
        return tuple(_filled(each, depth) for each in members)
    if _is_union(expected):
        return _filled(next(each for each in members if each is not type(None)), depth)
    if origin is Literal:
        return members[-1]
    if origin in (dict, Mapping):
        return {"z": [1, -0.5, None, "inf", {"b": True}], "a": "-inf"}
    return {str: "inf", float: -math.inf, int: 3, bool: True}[expected]


def _is_union(expected: Any) -> bool:
    return get_origin(expected) in (Union, types.UnionType)


def _kinds(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {str(value.get("kind"))}.union(*map(_kinds, value.values()))
    return set().union(*map(_kinds, value)) if isinstance(value, list) else set()


@given(
    st.floats(allow_nan=False) | st.integers(-(10**6), 10**6) | st.none(),
    st.sampled_from(["inf", "-inf", "1"]),
)
def test_numbers_keep_every_bit_and_texts_stay_texts(
    provenance: Provenance, order: float | None, text: str
) -> None:
    table = Table("t", text, (Column(text),), ((Cell(text, order=order),),))
    report = Report(text, "", "", (Section("s", "s", (table,)),), "")
    back, _ = read_report(_written(report, provenance))
    assert back == report
    (section,) = back.sections
    (read,) = section.blocks
    assert isinstance(read, Table)
    assert repr(read.rows[0][0].order) == repr(order)


def test_infinities_in_free_data_are_refused(make_report: MakeReport, provenance: Provenance) -> None:
    report = make_report(1)
    section = report.sections[1]
    figure = dataclasses.replace(section.blocks[0], spec={"x": math.inf})  # type: ignore[call-arg]
    spoilt = dataclasses.replace(report, sections=(dataclasses.replace(section, blocks=(figure,)),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        _written(spoilt, provenance)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda model: model.pop("title"), "report: .*missing.*'title'"),
        (lambda model: model.update(titel=1), r"report: unknown \['titel'\]"),
        (lambda model: model.update(title=1), "report.title: expected <class 'str'>, found '1'"),
        (lambda model: model["sections"][0].update(blocks=[{"kind": "poem"}]), "blocks: unknown kind"),
        (lambda model: model.pop("provenance"), "provenance: expected object"),
    ],
)
def test_what_is_no_model_is_refused(
    make_report: MakeReport, provenance: Provenance, change: Callable[[Any], Any], said: str
) -> None:
    model = json.loads(_written(make_report(1), provenance))
    change(model)
    with pytest.raises(ValueError, match=said):
        read_report(json.dumps(model).encode())
