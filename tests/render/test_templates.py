"""A user's templates before ours: what they change, what they cannot, and how their faults are told."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reporting.base.legible import all_legible
from reporting.base.provenance import Provenance
from reporting.base.resources import folder, read_templates, templates_of
from reporting.document.blocks import Caution, Cell, Column, Prose, Report, Section, Table
from reporting.errors import ConfigError
from reporting.render.environment import check_templates, environment, html_environment
from reporting.render.formats import FORMATS
from reporting.render.render_input import RenderContext

HOSTILE = "<b onclick=x>{{ 7 * 7 }} << 7 >> \\input{x} % _"


@pytest.fixture
def house(tmp_path: Path) -> Callable[..., Path]:
    def write(**files: str) -> Path:
        for name, text in files.items():
            room, _, rest = name.partition("__")
            ending = {"html": ".html.j2", "latex": ".tex.j2", "css": ".css"}[room]
            path = tmp_path / {"css": "html"}.get(room, room) / f"{rest}{ending}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def rendered(provenance: Provenance) -> Callable[..., dict[str, str]]:
    table = Table(
        "t", "Caption", (Column("model"), Column("x", "number")), ((Cell(HOSTILE), Cell("1", 1.0)),)
    )
    section = Section("Own", "own", (Prose(HOSTILE), table, Caution("Mind.")))
    report = all_legible(Report(HOSTILE, "data", "verdict", (section,), "signature"))

    def render(templates: Path | None, *formats: str) -> dict[str, str]:
        material = RenderContext(report, provenance, {}, interactive=True, templates=templates)
        files = {}
        for name in formats:
            files |= FORMATS[name](material)
        return {name: content.decode() for name, content in files.items()}

    return render


def test_a_folder_that_replaces_nothing_changes_no_byte(rendered, tmp_path) -> None:
    (tmp_path / "README.md").write_text("Nothing yet.")
    assert rendered(tmp_path, "html", "latex") == rendered(None, "html", "latex")


def test_copies_of_ours_change_no_byte(rendered, tmp_path) -> None:
    for room in ("html", "latex"):
        (tmp_path / room).mkdir()
        for name in templates_of(room):
            (tmp_path / room / name).write_bytes((folder("templates") / room / name).read_bytes())
    check_templates(read_templates(tmp_path))
    assert rendered(tmp_path, "html", "latex") == rendered(None, "html", "latex")


def test_our_script_may_be_laid_out_otherwise(house) -> None:
    """In a copy of a page whose lines were indented or joined, the script is still ours."""
    page = (folder("templates") / "html" / "report.html.j2").read_text(encoding="utf-8")
    own = house(html__report=re.sub(r"\n", "\n    ", page))
    check_templates(read_templates(own))


def test_what_is_repeated_within_the_bound_is_written(rendered, house) -> None:
    page = rendered(house(html__prose="{{ 'x' * 10000 }}|{{ 3 * 4 }}|{{ 7 % 4 }}"), "html")["report.html"]
    assert f"{'x' * 10000}|12|3" in page


def test_a_block_is_replaced_and_texts_stay_escaped(rendered, house) -> None:
    own = house(
        html__prose="<blockquote>{{ prose.text }}{% include '_end.html.j2' %}</blockquote>",
        html___end="<hr>",
        latex__prose="\\emph{<< prose.text >>}",
    )
    files = rendered(own, "html", "latex")
    assert "<blockquote>&lt;b onclick=x&gt;{{ 7 * 7 }} &lt;&lt; 7 &gt;&gt; " in files["report.html"]
    assert "<hr></blockquote>" in files["report.html"]
    assert "\\emph{\\textless{}b onclick=x" in files["report.tex"]
    assert "\\textbackslash{}input" in files["report.tex"]


def test_what_is_replaced_can_be_included(rendered, house) -> None:
    page = house(html__section='<div class="mine">{% include "ours/section.html.j2" %}</div>')
    plain = rendered(None, "html", "latex")
    ours = re.search(r'<section id="own".*?</section>', plain["report.html"], re.DOTALL)
    assert ours is not None
    assert unspaced(f'<div class="mine">{ours[0]}') in unspaced(rendered(page, "html")["report.html"])
    own = house(latex__table='% mine\n<% include "ours/table.tex.j2" %>')
    assert rendered(own, "html", "latex")["tables/t.tex"] == "% mine\n" + plain["tables/t.tex"]


def unspaced(markup: str) -> str:
    """Markup without the white space between its tags, of which an included template loses the last."""
    return re.sub(r">\s+(?=<)", ">", markup)


def test_a_house_style_follows_ours_and_is_in_the_policy(rendered, house) -> None:
    css = "h1 { color: #7a1f3d }\n"
    page = rendered(house(css__house=css), "html")["report.html"]
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style.rstrip().endswith(css.rstrip())
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page.replace("&#39;", "'")


def test_house_lines_stand_in_the_preamble(rendered, house) -> None:
    document = rendered(house(latex__house="% << report.signature >>"), "latex")["report.tex"]
    preamble, _, body = document.partition("\\begin{document}")
    assert "% signature\n" in preamble
    assert "% signature" not in body


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("html__prose", "\n\n{{ prose.txt }}", "html/prose.html.j2:3: 'reporting.document.blocks.Prose object' has no"),
        ("html__prose", "{{ prose.__class__ }}", "html/prose.html.j2:1: access to attribute '__class__' of 'Prose'"),
        ("html__prose", "\n{{ prose.text.format(1) }}", "html/prose.html.j2:2: access to attribute 'format' of 'str'"),
        ("html__prose", "{{ prose.text / 2 }}", "html/prose.html.j2:1: TypeError: unsupported operand"),
        ("html__prose", "\n{% include '../../../x' %}", "html/prose.html.j2:2: there is no template '../../../x'"),
        ("html__prose", "{% include '/etc/passwd' %}", "html/prose.html.j2:1: there is no template '/etc/passwd'"),
        ("html__prose", "{% extends 'prose.html.j2' %}", "html/prose.html.j2:1: it includes or calls itself"),
        ("html__prose", "{% for a in range(200000) %}{% endfor %}", "html/prose.html.j2:1: OverflowError: Range too big"),
        ("html__prose", "{{ 'x' * 10001 }}", "html/prose.html.j2:1: a repetition of more than 10000 is not offered here"),
        ("html__prose", "{{ 10001 * 'x' }}", "html/prose.html.j2:1: a repetition of more than 10000 is not offered here"),
        ("html__prose", "{{ [1] * 10001 }}", "html/prose.html.j2:1: a repetition of more than 10000 is not offered here"),
        ("html__prose", "{{ 2 ** 2 }}", "html/prose.html.j2:1: the operator ** is not offered here"),
        ("html__prose", "{{ '%9d' % 1 }}", "html/prose.html.j2:1: the operator % is not offered here"),
        ("html__prose", "{{ lipsum() }}", "html/prose.html.j2:1: 'lipsum' is undefined"),
        ("latex__prose", "\n<< prose.txt >>", "latex/prose.tex.j2:2: 'reporting.document.blocks.Prose object' has no"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line_with_its_place(rendered, house, file: str, text: str, said: str) -> None:
    own = house(**{file: text})
    with pytest.raises(ConfigError) as raised:
        rendered(own, "html" if file.startswith("html") else "latex")
    (fault,) = raised.value.faults
    assert fault.startswith(f"{own}/{said}")
    assert "\n" not in fault


@pytest.mark.parametrize(
    "name", ["random", "safe", "pprint", "center", "format", "indent", "wordwrap", "xmlattr", "urlize"]
)
def test_filters_that_differ_mark_up_or_write_without_bound_are_not_there(house, name: str) -> None:
    own = house(html__prose=f"{{{{ prose.text | {name} }}}}")
    with pytest.raises(ConfigError, match=f"prose.html.j2:1: No filter named '{name}'"):
        check_templates(read_templates(own))


@pytest.mark.parametrize("name", ["center", "expandtabs", "format", "format_map", "ljust", "rjust", "zfill"])
def test_methods_that_pad_are_not_there(rendered, house, name: str) -> None:
    with pytest.raises(ConfigError, match=f"prose.html.j2:1: access to attribute '{name}' of 'str'"):
        rendered(house(html__prose=f"{{{{ prose.text.{name}(9) }}}}"), "html")


def test_a_fault_of_ours_stays_one_of_ours(tmp_path) -> None:
    """What goes wrong in a template that no user wrote is no fault of his config."""
    (tmp_path / "README.md").write_text("")
    with pytest.raises(Exception, match="'prose' is undefined") as raised:
        html_environment(tmp_path).get_template("prose.html.j2").render()
    assert not isinstance(raised.value, ConfigError)


def test_a_loop_without_end_stops_and_says_where(rendered, house) -> None:
    loops = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}"
    with pytest.raises(ConfigError, match="prose.html.j2:1: stopped after 5000000 steps of loops and calls"):
        rendered(house(html__prose=loops), "html")


def test_any_format_s_templates_can_be_replaced(tmp_path) -> None:
    """An environment with filters of its own, as a further format makes one."""
    room = next(
        path.name for path in sorted((folder("templates")).iterdir()) if path.name not in ("html", "latex")
    )
    name = templates_of(room)[0]
    (tmp_path / room).mkdir()
    (tmp_path / room / name).write_text("{{ 1 + 1 }}")
    assert environment(room, tmp_path, autoescape=False).get_template(name).render() == "2"
