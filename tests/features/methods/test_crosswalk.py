"""The crosswalk to reporting checklists: complete lists, honest answers, blanks for the rest."""

import dataclasses
import re

import polars as pl
from reading import anchors, column, every_block, table
from simulated_results import World, simulate

from reporting.document.blocks import Table
from reporting.document.frames.trials import TRIALS
from reporting.document.sections import flat
from reporting.features.compose import compose
from reporting.features.methods.crosswalk import ANSWERS, CHECKLISTS, crosswalk
from reporting.features.sections import SECTIONS


def medical(**world):
    results = simulate(World(pictures=False, **world))
    return dataclasses.replace(results, study=dataclasses.replace(results.study, vocabulary="medical"))


def answers(results, name, number):
    found = next(t for t in crosswalk(results).blocks if isinstance(t, Table) and t.name == name)
    return {row[number].text: row[-1].text for row in found.rows}


def numbers_of(items):
    return {int(re.match(r"\d+", item).group()) for item in items if item}


def test_the_lists_are_whole_and_no_earlier_number_stands_twice():
    stard, tripod = (CHECKLISTS[name]["items"] for name in ("crosswalk_stard", "crosswalk_tripod"))
    old = [earlier for earlier, *_ in stard.values() if earlier]
    assert numbers_of(old) == set(range(1, 31))
    assert len(old) == len(set(old)) == 34
    assert numbers_of(stard) == set(range(1, 41))
    assert numbers_of(tripod) == set(range(1, 28))
    assert len(tripod) == 52
    assert {row[-1] for row in (*stard.values(), *tripod.values())} - {""} == set(ANSWERS)


def test_only_medicine_has_it_unasked():
    assert "crosswalk" not in anchors(compose(simulate(World(pictures=False))))
    assert anchors(compose(medical()))[-3:] == ["glossary", "crosswalk", "provenance"]
    assert SECTIONS["crosswalk"].write(simulate(World(pictures=False))) is not None


def test_every_section_that_is_named_is_there():
    results = medical(models=("a", "b"))
    report = compose(results)
    titles = {section.title for section in flat(report.sections)}
    assert "Summary" in titles
    for one in every_block(report, Table):
        if not one.name.startswith("crosswalk"):
            continue
        said = [cell.text for cell in column(one, "answered in") if cell.text]
        assert said
        for text in said:
            plain = re.sub(r"\(.*?\)|in part: ", "", text)
            assert {part.strip() for part in plain.split(",")} <= titles


def test_what_a_table_of_scores_cannot_tell_stays_blank():
    stard = answers(medical(), "crosswalk_stard", 0)
    assert stard["24"] == "Summary, Other measures"
    assert stard["23"].startswith("Operating points")
    assert stard["12a"] == "Methods, Operating points"
    for item in ("1", "6", "10a", "10b", "15", "17", "18", "19", "20", "21a", "25", "28", "30"):
        assert stard[item] == ""
    tripod = answers(medical(), "crosswalk_tripod", 0)
    assert tripod["12e"] == "Methods"
    assert tripod["12d"] == ""
    assert tripod["10"] == tripod["17"] == tripod["22"] == ""


def test_answers_follow_what_the_report_holds():
    clustered = answers(medical(cluster="patient"), "crosswalk_tripod", 0)
    assert clustered["12d"] == "in part: Methods (what is resampled)"
    results = medical()
    by = dataclasses.replace(results, study=dataclasses.replace(results.study, by=(("sex",),)))
    assert answers(by, "crosswalk_stard", 0)["17"] == "Breakdowns"
    assert answers(by, "crosswalk_tripod", 0)["23a"] == "Summary, Other measures, Breakdowns"
    assert answers(results, "crosswalk_stard", 1)["20"] == "Data (none is missing)"
    lost = results.with_frames({TRIALS: results.frame(TRIALS).with_columns(n_missing=pl.lit(2, pl.Int64))})
    assert answers(lost, "crosswalk_stard", 1)["20"] == "in part: Data (how many)"


def test_both_tables_say_which_checklists_they_follow():
    tables = [one for one in every_block(compose(medical()), Table) if one.name.startswith("crosswalk")]
    notes = " ".join(note for one in tables for note in one.notes)
    for said in ("BMJ 2015;351:h5527", "10.1038/s41591-025-03953-8", "BMJ 2024;385:e078378"):
        assert said in notes
    assert table(compose(medical()), "crosswalk_stard").columns[0].title == "STARD 2015"
