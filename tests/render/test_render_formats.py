from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from reporting.base.provenance import Provenance
from reporting.document.blocks import Axis, Cell, Column, Report, Section, Series, Table
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.picture import Words, render
from reporting.errors import ConfigError
from reporting.render import formats
from reporting.render.drawing import submit
from reporting.render.formats import FORMATS, Pictures, render_all

MakeReport = Callable[..., Report]


@pytest.mark.parametrize("models", [1, 20])
def test_two_renders_give_the_same_bytes(
    make_report: MakeReport, provenance: Provenance, models: int
) -> None:
    report = make_report(models, hostile=True)
    first = render_all(report, provenance, list(FORMATS), interactive=True)
    assert render_all(report, provenance, list(FORMATS), interactive=True) == first


def test_every_promised_path_is_written(make_report: MakeReport, provenance: Provenance) -> None:
    files = render_all(make_report(2), provenance, ["html", "latex", "json"], interactive=False)
    pictures = {f"figures/{name}.{kind}" for name in ("epc", "det", "roc") for kind in ("svg", "pdf", "tex")}
    tables = {f"tables/{name}.{kind}" for name in ("summary", "operating_points") for kind in ("csv", "tex")}
    tables.add("tables/summary_narrow.tex")
    assert set(files) == {"report.html", "report.tex", "report.json", "methods.tex"} | pictures | tables


def test_tables_and_pictures_come_with_any_format(make_report: MakeReport, provenance: Provenance) -> None:
    files = render_all(make_report(1), provenance, ["json"], interactive=True)
    assert "tables/summary.csv" in files
    assert files["figures/epc.svg"].startswith(b"<svg")
    assert files["figures/epc.pdf"].startswith(b"%PDF")
    assert not {"report.html", "report.tex", "figures/epc.tex"} & set(files)


def test_figures_are_drawn_once_and_as_soon_as_they_are_made(
    provenance: Provenance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a text of theirs has to be made legible first, and where a section folds one."""
    drawn: list[Any] = []
    monkeypatch.setattr(formats, "submit", lambda work, spec: (drawn.append(spec), submit(work, spec))[1])
    axis = Axis("x\x00", 0.0, 1.0, ((0.0, "0"), (1.0, "1")))
    chart = ChartSpec("one", axis, axis, [Series("chance", "guide", 0, (0.0, 1.0), (0.0, 1.0))])
    with Pictures() as pictures:
        figure = render(chart, Words("caption", "alt"))
        assert drawn == [figure.spec]
    render(chart, Words("caption", "alt"))  # nobody hears of this one
    folded = dataclasses.replace(figure, folded=True)
    report = Report("t", "d", "v", (Section("Curves", "curves", (folded,)),), "s")
    begun = render_all(report, provenance, ["html"], interactive=False, pictures=pictures)
    assert drawn == [figure.spec]
    assert render_all(report, provenance, ["html"], interactive=False) == begun
    assert drawn == [figure.spec] * 2


@pytest.mark.parametrize("name", ["png", "markdown-full"])
def test_pictures_are_png_where_that_is_asked_for_or_linked(
    make_report: MakeReport, provenance: Provenance, name: str
) -> None:
    files = render_all(make_report(1), provenance, ["html", name], interactive=True)
    drawn = {path for path in files if path.endswith(".png")}
    linked = {link for path in files if path.endswith(".md") for link in LINKS.findall(files[path].decode())}
    assert drawn == (linked or {f"figures/{figure}.png" for figure in ("epc", "det", "roc")})
    assert all(files[path].startswith(b"\x89PNG") for path in drawn)


LINKS = re.compile(r"figures/\w+\.png")


def test_an_unknown_format_is_named_with_a_guess(make_report: MakeReport, provenance: Provenance) -> None:
    with pytest.raises(ConfigError, match=r"'htm' is no format; did you mean 'html'\?"):
        render_all(make_report(1), provenance, ["htm"], interactive=True)


@pytest.mark.parametrize("name", ["../x", "a b", "", "a/b", "x" * 101, ".hidden", "é"])
def test_a_name_that_is_no_identifier_is_refused(provenance: Provenance, name: str) -> None:
    with pytest.raises(ValueError, match="no safe identifier"):
        render_all(_only(Table(name, "", (Column("a"),), ())), provenance, ["json"], interactive=False)


def test_two_tables_may_not_share_a_file(provenance: Provenance) -> None:
    twice = (Table("a", "", (Column("a"),), ()), Table("A", "", (Column("a"),), ()))
    with pytest.raises(ValueError, match="share the name 'A'"):
        render_all(_only(*twice), provenance, ["json"], interactive=False)


def test_json_holds_the_whole_model(make_report: MakeReport, provenance: Provenance) -> None:
    raw = render_all(make_report(6), provenance, ["json"], interactive=True)["report.json"]
    model = json.loads(raw, parse_constant=_no_constants)
    assert raw.endswith(b"}\n")
    assert model["provenance"]["inputs"][0]["size"] == 12345
    summary = model["sections"][0]["blocks"][0]
    assert summary["kind"] == "table"
    assert summary["columns"][1]["kind"] == "number"
    assert summary["rows"][3][5]["drawn"]["high"] == "inf"
    assert model["sections"][1]["blocks"][0]["spec"]["mark"] == {"type": "line", "clip": True}
    assert model["sections"][1]["blocks"][1]["series"][-1]["label"] == "chance & more"


def test_json_refuses_a_number_that_is_none(provenance: Provenance) -> None:
    table = Table("t", "", (Column("a"),), ((Cell("x", order=math.nan),),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        render_all(_only(table), provenance, ["json"], interactive=False)


def test_csv_starts_no_formula(provenance: Provenance) -> None:
    texts = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "−1.5", 'a "b", c', "two\nlines", "αβ 中 😀"]
    table = Table(
        "t", "", (Column("=head", unit="%"), Column("", "drawn")), tuple((Cell(t), Cell("")) for t in texts)
    )
    content = render_all(_only(table), provenance, [], interactive=False)["tables/t.csv"]
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert rows[0] == ["'=head (%)"]
    assert [row[0] for row in rows[1:]] == [*(f"'{t}" for t in texts[:6]), *texts[6:]]


def test_rendering_loads_neither_data_frames_nor_charts() -> None:
    code = "import sys, reporting.render.formats; print({'polars', 'altair'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def _only(*tables: Table) -> Report:
    return Report("t", "", "", (Section("s", "s", tables),), "")


def _no_constants(word: str) -> float:
    raise AssertionError(f"{word} is no JSON")


def test_the_sample_is_hostile_enough(make_report: MakeReport) -> None:
    text = repr(dataclasses.astuple(make_report(13, hostile=True)))
    assert all(piece in text for piece in ("<script>", "\\x00", "\\ud800", "\\u202e", "😀"))
