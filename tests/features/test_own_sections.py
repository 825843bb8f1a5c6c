"""Sections in a chosen order, and those of the user's own: blocks made of the frames."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from simulated_results import World, simulate

from reporting.app.config.templates import read_own
from reporting.document import sandbox
from reporting.document.blocks import (
    Axis,
    Caution,
    Cell,
    Column,
    Figure,
    Prose,
    Report,
    Section,
    Table,
)
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.results import Results
from reporting.document.sections import REST, flat
from reporting.errors import ConfigError
from reporting.features.compose import compose, reorder
from reporting.features.own_sections import LONGEST_TABLE, OwnSection
from reporting.features.sections import NAMES, SECTIONS

HOW_PARTS = ("methods", "data", "glossary", "provenance")
HOSTILE = "<script>{{ 7 * 7 }}</script> {% raw %} title: [x]\nblocks: &a 'y' \"z\" \u202e"

Own = Callable[[str], OwnSection]


@pytest.fixture(scope="module")
def results() -> Results:
    names = {"TC2": HOSTILE}
    return simulate(World(models=("TC2", "TC1"), names=names, n_target=60, n_nontarget=90, pictures=False))


@pytest.fixture(scope="module")
def report(results: Results) -> Report:
    return compose(results)


@pytest.fixture
def own(tmp_path: Path) -> Own:
    def read(text: str) -> OwnSection:
        (tmp_path / "sections").mkdir(exist_ok=True)
        (tmp_path / "sections" / "notes.yaml").write_text(text, encoding="utf-8")
        return read_own(tmp_path)[1][0]

    return read


@pytest.fixture
def written(own: Own, results: Results, report: Report) -> Callable[[str], Section]:
    def write(blocks: str) -> Section:
        found = own(f"title: Notes\nblocks:\n{blocks}").write(results, report)
        assert found is not None
        return found

    return write


def anchors(report: Report) -> list[str]:
    return [section.anchor for section in report.sections]


def test_every_section_of_ours_can_be_named_and_is_called_as_its_line_says(results: Results) -> None:
    assert sorted(NAMES) == sorted([*SECTIONS, REST])
    for name, chapter in SECTIONS.items():
        section = chapter.write(results)
        assert section is None or (section.anchor, section.title) == (name, chapter.title)


def test_a_config_is_checked_without_a_writer() -> None:
    heavy = ["altair", "reporting.document.charts", "reporting.features.compose", "reporting.document.words"]
    code = f"import sys, reporting.document.sections; print([m for m in {heavy} if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_the_rest_alone_changes_nothing(results: Results, report: Report) -> None:
    assert reorder(report, results, ("rest",), ()) == report


def test_sections_come_in_the_order_of_the_list(results: Results, report: Report, own: Own) -> None:
    notes = own("title: Notes\nblocks: [{prose: Hello.}]\n")
    usual = anchors(report)

    def order(*names: str) -> list[str]:
        return anchors(reorder(report, results, names, (notes,)))

    assert order("data", "summary") == ["data", "summary"]
    assert usual[-1] == "how"
    assert order("rest") == [*usual[:-1], "own-notes", "how"]
    assert order("methods", "rest", "summary") == ["methods", *usual[1:-1], "own-notes", "how", "summary"]
    assert order("summary", "notes", "fits", "data") == ["summary", "own-notes", "data"]


def test_what_is_named_leaves_the_last_section_and_is_open(results: Results, report: Report) -> None:
    found = reorder(report, results, ("summary", "comparisons", "methods", "rest"), ())
    assert anchors(found)[:3] == ["summary", "comparisons", "methods"]
    assert not any(section.folded for section in found.sections[:3])
    folded = {section.anchor for section in report.sections if section.folded}
    assert {"comparisons", "other-measures", "how"} <= folded
    parts = [part.anchor for part in found.sections[-1].blocks if isinstance(part, Section)]
    assert parts == ["data", "glossary", "provenance"]
    every = reorder(report, results, ("summary", *HOW_PARTS), ())
    assert anchors(every) == ["summary", *HOW_PARTS]


def test_a_section_on_request_is_there_only_where_it_is_named(results: Results, report: Report) -> None:
    assert anchors(reorder(report, results, ("summary", "crosswalk"), ())) == ["summary", "crosswalk"]
    assert "crosswalk" not in anchors(reorder(report, results, ("rest",), ()))


def test_paragraphs_and_cautions(written: Callable[[str], Section]) -> None:
    found = written(
        "  - prose: |\n      One\n      line.\n\n      {% if seed == 0 %}Never.{% endif %}\n\n      Two.\n"
        "  - prose: ''\n  - caution: Seed\n      {{ seed }}.\n"
        "  - caution: '{% if false %}x{% endif %}'\n"
    )
    assert found == Section("Notes", "own-notes", (Prose("One line."), Prose("Two."), Caution("Seed 1.")))


def test_a_section_with_nothing_to_say_is_left_out(own: Own, results: Results, report: Report) -> None:
    assert own("title: a\nblocks: [{prose: ' '}]\n").write(results, report) is None


TABLE = """\
  - table:
      caption: Of {{ models | length }} models
      frame: metrics
      where: {split: test, measure: hter, criterion: min_hter, group: ""}
      columns:
        - {title: model, text: "{{ name(row.model) }}"}
        - {title: HTER, unit: "%", sense: lower is better, text: "{{ row.value | percent(1) }}", order: "{{ row.value }}"}
        - {title: area, kind: number, text: "{{ row.ci_low if false else none }}", reason: "not {{ row.measure }}"}
      notes: [a, "{% if false %}b{% endif %}"]
"""


def test_a_table_has_the_rows_of_a_frame(written: Callable[[str], Section], results: Results) -> None:
    asked = results.frame(METRICS).filter(split="test", measure="hter", criterion="min_hter", group="")
    value = {row["model"]: row["value"] for row in asked.to_dicts()}
    (table,) = written(TABLE).blocks
    assert isinstance(table, Table)
    assert (table.name, table.caption, table.notes) == ("own_notes_1", "Of 2 models", ("a",))
    assert table.columns == (
        Column("model"), Column("HTER", "number", "%", "lower is better"), Column("area", "number")
    )  # fmt: skip
    assert [row[0].text for row in table.rows] == [" ".join(HOSTILE.split("\n")), "TC1"]
    assert [row[1] for row in table.rows] == [
        Cell(f"{100 * value[model]:.1f}", value[model]) for model in ("TC2", "TC1")
    ]
    assert [row[2] for row in table.rows] == [Cell("—", reason="not hter")] * 2


def test_what_no_row_answers_is_said(written: Callable[[str], Section]) -> None:
    blank = TABLE.replace("split: test", "split: dev").replace("measure: hter", "measure: auc")
    (table,) = written(blank).blocks
    assert isinstance(table, Table)
    assert (table.rows, table.notes) == ((), ("a", "No rows."))


def test_numbers_are_found_by_value(written: Callable[[str], Section], results: Results) -> None:
    alphas = results.frame(EPC).filter(pl.col("alpha") == 0.25).height
    found = written(
        "  - prose: \"{{ rows('epc', alpha='0.250') | length }} {{ rows('epc', alpha=0.25) | length }}\"\n"
    )
    assert found.blocks == (Prose(f"{alphas} {alphas}"),)
    assert alphas > 0


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("prose: \"{{ rows('metrcs') }}\"", "3:12: 'metrcs' is not a frame; did you mean 'metrics'?"),
        ("prose: \"{{ rows('fits') }}\"", "3:12: this report has no frame 'fits': nothing in the config asks"),
        ("prose: \"{{ rows('metrics', splt='x') }}\"", "3:12: 'splt' is not a column of 'metrics'; did you mean 'split'?"),
        ("prose: \"{{ rows('metrics', split='tst') }}\"", "3:12: 'tst' does not occur in 'split'; did you mean 'test'? (allowed: dev, test)"),
        ("prose: \"{{ name('TC3') }}\"", "3:12: 'TC3' is not a model"),
        ("prose: '{{ verdct }}'", "3:12: 'verdct' is undefined"),
        ("prose: '{{ 1 / 0 }}'", "3:12: ZeroDivisionError: division by zero"),
        ("prose: '{{ models.__class__ }}'", "3:12: access to attribute '__class__' of 'tuple' object is unsafe."),
        ("prose: '{{ rows.__globals__ }}'", "3:12: access to attribute '__globals__' of 'function' object is unsafe."),
        ("prose: \"{{ '{0.__class__}'.format(1) }}\"", "3:12: access to attribute 'format' of 'str' object is unsafe."),
        ("prose: \"{{ title | attr('__class__') }}\"", "3:12: access to attribute '__class__' of 'str' object is unsafe."),
        ("prose: \"{% include 'a' %}\"", "3:12: there is no template 'a' to include"),
        ("prose: \"{% set _ = rows('trials').append(1) %}\"", "3:12: access to attribute 'append' of 'list' object is unsafe."),
        ("prose: \"{{ 'x' * 99999999 }}\"", "3:12: a repetition of more than 10000"),
        ("prose: '{{ 9 ** 9 ** 9 }}'", "3:12: the operator ** is not offered here"),
        ("prose: \"{{ '%99999999d' % 1 }}\"", "3:12: the operator % is not offered here"),
        ("prose: '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'", "3:12: it includes or calls itself without end"),
        ("table: {caption: c, frame: metrics, where: {splt: x}, columns: [{title: a, text: b}]}",
         "3:12: 'splt' is not a column of 'metrics'"),
        ("table: {caption: c, frame: trials, columns: [{title: a, text: b, order: c}]}",
         "3:12: the order of 'a' is 'c', not a number"),
    ],
)  # fmt: skip
def test_a_fault_is_told_by_its_place(written: Callable[[str], Section], block: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        written(f"  - {block}\n")
    (fault,) = raised.value.faults
    assert f"notes.yaml:{said}" in fault
    assert "\n" not in fault


def test_a_loop_stops_at_the_same_step_everywhere(
    written: Callable[[str], Section], monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 rounds of 1 + 100 steps: 10 100 and one call of range for each loop."""
    loops = "  - prose: '{% for a in range(100) %}{% for b in range(100) %}{% endfor %}{% endfor %}x'\n"
    monkeypatch.setattr(sandbox, "MOST_STEPS", 10_201)
    assert written(loops).blocks == (Prose("x"),)
    monkeypatch.setattr(sandbox, "MOST_STEPS", 10_200)
    with pytest.raises(ConfigError, match="notes.yaml:3:12: stopped after 10200 steps"):
        written(loops)


def test_what_is_written_has_an_end(
    written: Callable[[str], Section], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "MOST_WRITTEN", 1000)
    with pytest.raises(ConfigError, match="stopped after 1000 characters"):
        written("  - prose: '{% for a in range(100) %}{{ title }}........{% endfor %}'\n")


def test_a_table_has_an_end(written: Callable[[str], Section], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reporting.features.own_sections.LONGEST_TABLE", 1)
    with pytest.raises(ConfigError, match="2 rows; a table holds up to 1: narrow `where`"):
        written(TABLE)
    assert LONGEST_TABLE > 1


def test_the_methods_describe_every_analysis_that_is_shown(results: Results, report: Report) -> None:
    def drawn(name: str) -> Section:
        axis = Axis("x", 0.0, 1.0, ())
        figures = tuple(Figure(each, "c", "a", {}, (), axis, axis) for each in (name, f"{name}_other"))
        return Section("Outer", f"{name}-outer", (Section("Inner", f"{name}-inner", figures),))

    gates = Section("Gates", "gates", (Prose("Gates: 1 passed."),))
    whole = dataclasses.replace(report, sections=(drawn("decision"), drawn("risk"), gates, *report.sections))
    written = reorder(whole, results, ("rest",), ())
    (methods,) = (section for section in flat(written.sections) if section.anchor == "methods")
    titles = [block.title for block in methods.blocks if isinstance(block, Prose)]
    assert titles[-2:] == ["Further analyses.", "Software."]
    text = methods.blocks[-2]
    assert isinstance(text, Prose)
    assert text.text.startswith("Net benefit is the number of true positives")
    assert "per 100 trials" in text.text
    assert "A gate passes if its whole CI" in text.text
    assert "outcome" not in text.text
