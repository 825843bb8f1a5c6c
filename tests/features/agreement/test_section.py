"""The section of agreement: its table against the frame, its reasons, and when there is none."""

import pytest
from build import build
from decisions_of_two import ASKED, NONTARGETS, TARGETS, decided, tied
from snapshot import snapshot

from reporting.document.blocks import Table
from reporting.document.words.phrases import reason
from reporting.document.words.view import views
from reporting.features.agreement.section import ALL_OR_NONE
from reporting.features.compose import compose, reorder


def section_of(built, order=("rest", "agreement")):
    report = reorder(compose(built.results), built.results, order, ())
    return next((section for section in report.sections if section.anchor == "agreement"), None)


def table_of(built):
    (table,) = section_of(built).blocks
    assert isinstance(table, Table)
    return table


def texts(row):
    return [cell.text for cell in row]


def test_the_table_by_hand(tmp_path):
    table = table_of(build(tmp_path, decided(TARGETS, NONTARGETS), ASKED + "models: {a: {name: Ada}}\n"))
    snapshot("agreement/section_the_table_by_hand", table.caption)
    assert [column.title for column in table.columns] == [
        "model", "other", "both right", "model only", "other only", "neither", "same decision", "kappa"
    ]  # fmt: skip
    assert list(map(texts, table.rows)) == [["Ada", "b", "7", "4", "2", "2", "60.0", "0.196"]]


def test_pairs_stand_in_the_order_of_the_report(tmp_path):
    table = table_of(build(tmp_path, tied("abc"), ASKED + "models: {c: {}, b: {}}\n"))
    assert [texts(row)[:2] for row in table.rows] == [["c", "b"], ["c", "a"], ["b", "a"]]


def test_without_the_name_there_is_no_section(tmp_path):
    built = build(tmp_path, tied("ab"), "epc: none\n")
    assert section_of(built, ("rest",)) is None
    assert section_of(built) is None
    assert section_of(build(tmp_path, tied("ab"), ASKED), ("rest",)) is None


@pytest.mark.parametrize("trials", [True, False])
def test_what_is_undefined_has_its_reason(tmp_path, trials):
    rows = decided({(0, 0): 2}, {(0, 0): 3})
    rows = rows if trials else [{key: value for key, value in row.items() if key != "trial"} for row in rows]
    built = build(tmp_path, rows, ASKED)
    table = table_of(built)
    assert texts(*table.rows) == (["a", "b", "3", "0", "0", "2", "100.0"] if trials else ["a", "b"])
    why = ALL_OR_NONE if trials else reason("no_trial_key", views(built.results)[0].terms)
    assert table.notes[-1].startswith("Omitted: ")
    assert table.notes[-1].endswith(f"kappa ({why}).")
