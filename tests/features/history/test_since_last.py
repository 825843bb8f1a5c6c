"""Since last time: its sentences agree with the numbers, and what lies behind them is named."""

import re

import pytest
from reading import every_block
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.base.records import replace
from reporting.document.blocks import Caution, Prose, Report, Section, Table
from reporting.document.frames.history import SINCE_LAST
from reporting.features.compose import compose
from reporting.features.history.frame import CHANGES
from reporting.features.history.keys import HISTORY_KEY, History
from reporting.features.history.section import change_lines, since_last
from reporting.render.formats import render_all


def change(kind, name, then=None, now=None, count=None):
    return {"kind": kind, "name": name, "then": then, "now": now, "count": count}


RUN = change("run", "abcdef0123456789", "2026-11-13", "2026-11-20")


def row(model, difference=-0.02, p=0.001, low=-0.03, high=-0.01, dataset="all", **said):
    return {
        "dataset": dataset, "model": model, "measure": "hter", "criterion": "min_hter", "as_of": "2026-11-13",
        "history_run": RUN["name"], "value": 0.05, "value_then": 0.07, "difference": difference,
        "ci_low": low, "ci_high": high, "level": 0.95, "ci_method": "studentized", "p_value": p / 2,
        "p_method": "exact_midp", "p_adjusted": p, "correction": "holm", "family_size": 3, "pairing": "paired",
        "n_shared": 1000, "n_trials": 1000, "n_trials_then": 1000, "unit": "trial", "status": None, "flags": [],
    } | said  # fmt: skip


def section(rows, changes=(RUN,), world=None):
    world = world or World(models=("TC1", "TC2", "TC3"), pictures=False)
    frames = {CHANGES: CHANGES.build(list(changes)), SINCE_LAST: SINCE_LAST.build(rows)}
    return since_last(simulate(world).with_frames(frames))


def text(found):
    return " ".join(block.text for block in found.blocks if isinstance(block, Prose | Caution))


def test_there_is_no_section_without_a_past():
    assert since_last(simulate(World(pictures=False))) is None


def test_a_change_beyond_noise_is_told_with_size_interval_and_basis():
    found = text(
        section([row("TC1"), row("TC2", 0.02, 0.2, -0.01, 0.05), row("TC3", 0.03, 0.01, 0.01, 0.05)])
    )
    sizes = re.findall(r"is (\S+) points (?:lower|higher) .*? CI (\S+) to (\S+);", found)
    assert [[float(each) for each in size] for size in sizes] == [[2, 1, 3], [3, 1, 5]]
    snapshot(
        "history/since_last_a_change_beyond_noise_is_told_with_size_interval_and_basis",
        re.sub(r"is \S+ points", "is SIZE", re.sub(r"CI .*?;", "CI;", found)),
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"p": 0.05}, "HTER is 2.0 points lower than in the previous run"),
        ({"p": 0.0501}, "No significant change in HTER for TC1."),
        ({"difference": 0.0, "p": 1.0, "low": 0.0, "high": 0.0, "flags": ["identical_decisions"]}, "TC1 makes the same decision as before on every shared trial."),
        ({"p_value": None, "p_adjusted": None, "ci_low": None, "ci_high": None}, "Changes of TC1 cannot be tested: a value or its interval is missing."),
        ({"pairing": "unpaired"}, "; not paired)."),
    ],
)  # fmt: skip
def test_words_follow_the_numbers(said, expected):
    assert expected in text(section([row("TC1", **said)]))


def test_the_adjusted_p_decides():
    assert "No significant change in HTER for TC1." in text(
        section([row("TC1", p_value=0.01, p_adjusted=0.06)])
    )


def test_what_lies_behind_is_listed_by_kind():
    changes = [
        RUN,
        change("input", "trials.parquet", "0" * 64, "1" * 64),
        change("config", "significance.seed", "1", "2"),
        change("model", "TC9", "Nine", None),
        change("model", "TC3", None, "Three"),
        change("trials.shared", "all", count=30000),
        change("trials.relabelled", "all", count=3),
        change("trials.gone", "all", count=4),
    ]
    (table,) = (
        block
        for block in section([row("TC1")], changes).blocks
        if isinstance(block, Table) and block.name == "changes"
    )
    said = {(cells[0].text, cells[1].text) for cells in table.rows}
    assert said == {
        ("input", "trials.parquet: contents changed"),
        ("configuration", "significance.seed: 2, previously 1"),
        ("model", "TC9: removed"),
        ("model", "TC3: new"),
        ("trials", "30,000 shared"),
        ("trials", "3 shared trials have another label and are excluded from pairs"),
        ("trials", "4 removed"),
    }  # fmt: skip


def test_damage_is_a_caution_even_without_a_run_to_compare_with():
    found = section([], [change("caution", "h: run x is left out: its manifest cannot be read")])
    assert [(block.title, block.text, block.code) for block in found.blocks] == [
        ("Run history.", "h: run x is left out: its manifest cannot be read.", "TR317")
    ]


def test_every_dataset_is_told_by_name():
    world = World(models=("TC1",), datasets=("x", "y"), pictures=False)
    found = section([row("TC1", dataset="x"), row("TC1", dataset="y", p=0.5)], world=world)
    assert "x: TC1's HTER is 2.0 points lower" in text(found)
    assert "y: No significant change in HTER for TC1." in text(found)
    assert [block.name for block in found.blocks if isinstance(block, Table)] == [
        "since_last_x",
        "since_last_y",
    ]


def test_partly_shared_trials_are_told_below_the_table():
    found = section([row("TC1", n_shared=900)])
    (table,) = every_block(Report("", "", "", (Section("", "a", found.blocks),), ""), Table)
    assert table.notes[0].startswith(
        "Paired on 900 shared trials (this run has 1,000, the previous one 1,000): exact mid-p"
    )
    assert table.notes[-1].startswith("Paired differences use the shared trials")


def test_hostile_names_pass_through_every_format():
    evil = "\\input{x} <b> $ \x1b[2J | *"
    world = World(models=(evil,), pictures=False)
    results = simulate(world)
    changes = [RUN, change("config", evil, evil, evil), change("model", evil, None, evil)]
    found = section([row(evil)], changes, world)
    report = Report("t", "", "", (found,), "")
    files = render_all(report, results.provenance, ["html", "latex", "markdown", "json"], interactive=False)
    assert b"<b>" not in files["report.html"]
    assert b"\\input{x}" not in files["report.tex"]


def test_the_first_screen_shows_what_changed():
    frames = {CHANGES: CHANGES.build([RUN]), SINCE_LAST: SINCE_LAST.build([row("TC1")])}
    results = simulate(World(models=("TC1", "TC2", "TC3"), pictures=False)).with_frames(frames)
    study = results.study.with_key(HISTORY_KEY.name, History(store="store"))
    results = replace(results, study=study)
    line = "Since the run of 2026-11-13: TC1's HTER is 2.0 points lower than in the previous run"
    assert compose(results).answer[-1].startswith(line)
    assert change_lines(simulate(World(pictures=False))) == ()
