"""The section of further tests: each sentence, the numbers of its tables, reasons, notes and hostile names."""

import dataclasses
import itertools
from typing import get_args

import numpy as np
import polars as pl
import pytest
from build import build
from simulated_results import World, simulate
from snapshot import snapshot

from reporting.core.measures.threshold import SPECIFICITY
from reporting.core.resampling.settings import Test
from reporting.document.blocks import Prose, Report, Section, Table
from reporting.document.frames.tests import TESTS
from reporting.document.words.codes import FLAGS, REASONS
from reporting.document.words.phrases import reason
from reporting.document.words.view import views
from reporting.features.further_tests.section import (
    FAMILIES,
    MOST_SENTENCES,
    UNADJUSTED,
    columns_over,
    further_tests,
    why,
)
from reporting.render.formats import render_all

EVERY = get_args(Test)


def row(test, **values):
    """A row of A less B on HTER, given thresholds, with 1000 independent trials."""
    given = {
        "dataset": "all", "split": "test", "group": "", "test": test, "measure": "hter", "criterion": "min_hter",
        "inference": "given_thresholds", "model": "A", "baseline": "B", "unit": "trial", "n_units": 1000,
        "power": 0.8, "status": None, "flags": [],
    }  # fmt: skip
    return given | values


def results_of(rows, tests=None, margin=0.01, level=0.95, power=0.8, **world):
    world = {"models": ("A", "B"), "n_target": 40, "n_nontarget": 60, "pictures": False} | world
    results = simulate(World(**world))
    asked = tuple(tests or dict.fromkeys(r["test"] for r in rows))
    inference = dataclasses.replace(
        results.study.inference, margin=margin, level=level, power=power, tests=asked
    )
    study = dataclasses.replace(results.study, inference=inference)
    return dataclasses.replace(results, study=study).with_frames({TESTS: TESTS.build(rows)})


def blocks_of(section):
    for block in section.blocks:
        if isinstance(block, Section):
            yield from blocks_of(block)
        else:
            yield block


def of(results, kind):
    return [block for block in blocks_of(further_tests(results)) if isinstance(block, kind)]


def told(rows, **asked):
    """The sentences, below the one that says that nothing is adjusted."""
    first, *others = of(results_of(rows, **asked), Prose)
    assert first.text == UNADJUSTED
    return [block.text for block in others]


def test_a_report_without_the_frame_or_with_an_empty_one_has_no_section():
    assert further_tests(simulate(World(pictures=False, n_target=20, n_nontarget=20))) is None
    assert further_tests(results_of([], tests=("mcnemar",))) is None


INFERIOR = {"estimate": 0.02, "low": None, "high": 0.3, "level": 0.95, "p_value": 0.03}
EQUIVALENT = {"estimate": -0.1, "low": -0.2, "high": 0.05, "level": 0.9, "p_value": 0.013, "margin": 0.25}


def test_heads_name_the_level_the_margin_and_the_power():
    rows = [
        row("equivalence", **EQUIVALENT, verdict="equivalent"),
        row("non_inferiority", **INFERIOR, verdict="not_inferior"),
        row("power", estimate=0.1, detectable=0.1, times=0.9, needed_units=900, verdict="enough"),
        row("delong", measure="auc", estimate=0.1, statistic=1.5, df=22, p_value=0.15, unit="cluster"),
    ]
    heads = [[column.title for column in table.columns] for table in of(results_of(rows, margin=0.01), Table)]
    assert heads[0][3:] == ["90% CI", "p", "within 1 point"]
    assert heads[1][3:] == ["95% bound", "p", "within 1 point"]
    assert heads[2][3:] == ["detected with 80% power", "trials needed to detect 1 point"]
    assert heads[3][3:] == ["t", "p"]
    bounds = [column.title for column in of(results_of(rows[:2], level=0.99), Table)[0].columns]
    assert bounds[3] == "98% CI"


HIGHER = INFERIOR | {"low": -0.3, "high": None, "p_value": 0.3, "measure": str(SPECIFICITY)}
DIFFERENT = {"estimate": 0.1, "p_value": 0.026, "verdict": "different"}
CLUSTERS = {"unit": "cluster", "n_units": 41, "statistic": 2, "needed_units": 2, "estimate": 0.1}
POWER = {"estimate": -0.1, "detectable": 0.15, "times": 2.25, "verdict": "more_needed"}
NEEDED = {"needed_targets": 90, "needed_nontargets": 22500, "needed_units": 22590}
BY_CLUSTERS = {"unit": "cluster", "n_units": 41, "inference": "procedure", "needed_units": 93, "power": 0.9}
OF_AREAS = {"measure": "auc", "criterion": None, "inference": None}
OMNIBUS = OF_AREAS | {"model": None, "baseline": None, "n_models": 3}
CHI = {"statistic": 12.5127, "df": 2, "p_value": 0.0019}
PAIR = row("delong", **OF_AREAS, estimate=0.1, statistic=2.0, p_value=0.045)


def needing(targets, nontargets):
    """How many decisions of each class turn the verdict."""
    return {"statistic": targets + nontargets, "needed_targets": targets, "needed_nontargets": nontargets}


CASES = [
    ("fragility", DIFFERENT | needing(3, 0), {}),
    ("fragility", DIFFERENT | needing(0, 1), {}),
    ("fragility", DIFFERENT | needing(2, 3), {}),
    ("fragility", CLUSTERS | {"p_value": 0.2, "verdict": "not_shown_different"}, {"cluster": "speaker"}),
    (
        "fragility",
        {"p_value": 1.0, "estimate": 0.0, "verdict": "not_shown_different", "status": "not_reversible"},
        {},
    ),
    (
        "fragility",
        CLUSTERS
        | {"statistic": None, "needed_units": None, "p_value": 0.0001, "verdict": "different"}
        | {"status": "not_reversible"},
        {"cluster": "speaker"},
    ),
]


def test_every_kind_of_sentence():
    sentences = [
        sentence for test, values, world in CASES for sentence in told([row(test, **values)], **world)
    ]
    beside = [
        [row("fragility", status="not_linear"), row("fragility", **DIFFERENT, **needing(3, 0))],
        [row("delong", **OMNIBUS, **CHI), PAIR],
        [row("delong", **OMNIBUS, **CHI, replicates=999), PAIR],
        [row("delong", **OMNIBUS, status="degenerate"), PAIR],
    ]
    snapshot("further_tests", "\n".join([*sentences, *(told(rows)[0] for rows in beside)]))


def test_power_is_a_table_of_detectable_differences_without_a_sample_size_for_the_one_observed():
    (table,) = of(results_of([row("power", **POWER, needed_units=2250)], margin=0.05), Table)
    assert [column.title for column in table.columns] == [
        "model", "against", "difference", "detected with 80% power", "trials needed to detect 5 points"
    ]  # fmt: skip
    assert table.rows[0][4].text == "9,000"
    assert not told([row("power", **POWER)])
    without = of(results_of([row("power", **POWER)], margin=None), Table)[0]
    assert [column.title for column in without.columns][4:] == []
    several = results_of([row("power", **POWER)], margin=0.05)
    readers = dataclasses.replace(several, study=dataclasses.replace(several.study, runs="reader"))
    assert [column.title for column in of(readers, Table)[0].columns][4:] == []


@pytest.mark.parametrize("status", sorted({*REASONS, "brand_new"}))
def test_what_is_refused_as_a_whole_is_one_sentence(status):
    rows = [row("mcnemar", part=part, status=status) for part in ("targets", "nontargets", "both")]
    assert told(rows) == [f"McNemar's test: not available, because {reason(status, of_spread=True)}."]
    assert not of(results_of(rows), Table)


def test_the_rest_of_many_pairs_is_in_the_table():
    models = tuple("ABCDE")
    rows = [
        row("fragility", **DIFFERENT, **needing(3, 0)) | {"model": b, "baseline": a}
        for a, b in itertools.combinations(models, 2)
    ]
    results = results_of(rows, margin=0.25, models=models)
    said = [block.text for block in of(results, Prose)]
    assert len(said) == 1 + MOST_SENTENCES + 1
    assert said[-1] == "The table has 4 more."
    (table,) = of(results, Table)
    assert len(table.rows) == 10
    ranked = views(results)[0].ranked
    names = [[ranked.index(cell.text) for cell in line[:2]] for line in table.rows]
    assert names == sorted(names)


def test_notes_say_what_a_test_assumes_and_what_it_neglects():
    flags = ["assumes_independent_trials", "few_clusters", "few_discordant"]
    rows = [row("proportion_z", estimate=0.1, statistic=2.0, p_value=0.04, flags=flags)]
    (table,) = of(results_of(rows, cluster="speaker"), Table)
    assert "independent samples, classification error" in table.notes[0]
    assert table.notes[1:] == tuple(FLAGS[flag].tests.format(units="speakers") for flag in flags)
    assert set(FAMILIES) == set(EVERY)
    assert all("ndependent" in FAMILIES[test].assumes for test in ("mcnemar", "null_z", "cochran_q"))
    (view,), (first,) = views(results_of(rows)), TESTS.rows(TESTS.build(rows))
    columns = columns_over(view, first)
    assert {title for family in FAMILIES.values() for title in family.columns} == set(columns)


@pytest.mark.parametrize("cluster", [None, "speaker"])
def test_notes_name_what_is_exchanged_and_resampled(cluster):
    unit = {"unit": "cluster"} if cluster else {}
    area = {"measure": "auc", "criterion": None, "inference": None, "p_value": 0.5}
    rows = [
        row("permutation", **area, **unit, estimate=0.1),
        row("venkatraman", **area | {"measure": None}, **unit, statistic=12),
        row("delong", **area, **unit, estimate=0.1, statistic=1.0, replicates=99 if cluster else None),
    ]
    tables = of(results_of(rows, cluster=cluster), Table)
    one = cluster or "trial"
    assert f"exchanged {one} by {one}" in tables[0].notes[0]
    assert f"exchanged {one} by {one}" in tables[1].notes[0]
    assert ("resampled speakers" if cluster else "variance by placements") in tables[2].notes[0]
    captions = ["Permutation test of the AUC.", "Venkatraman's test."]
    captions.append("Test by resampling of the AUC." if cluster else "DeLong's test of the AUC.")
    assert [table.caption for table in tables] == captions


def test_areas_of_trials_sampled_in_strata_are_resampled():
    area = row("delong", measure="auc", criterion=None, inference=None, estimate=0.1, statistic=1.0)
    results = dataclasses.replace(results_of([area | {"p_value": 0.5, "replicates": 99}]), sampled="region")
    (table,) = of(results, Table)
    assert "areas of resampled trials" in table.notes[0]


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("power", "there is no spread to judge by"),
        ("fragility", "it is not counted in this unit"),
        ("delong", "there is no spread to judge by"),
    ],
)
def test_a_reason_is_given_even_without_a_status(test, reason):
    (without,) = TESTS.rows(TESTS.build([row(test)]))
    assert why(without) == reason


def computed(folder, rows, config):
    """Results of a table and its config with the frame, from beginning to end."""
    said = f"epc: none\nsignificance: {{tests: [{', '.join(EVERY)}], margin: 0.05}}\n{config}"
    return build(folder, rows, said).results


def trials(models, datasets=("all",), n=40):
    rows = []
    for (place, dataset), split in itertools.product(enumerate(datasets), ("dev", "test")):
        label = np.random.default_rng([place, split == "test"]).random(n) < 0.4
        label[:2] = True, False
        for number, model in enumerate(models):
            score = np.random.default_rng([place, number, split == "test"]).normal(size=n) + 1.5 * label
            rows += [
                {"model": model, "dataset": dataset, "split": split, "trial": f"t{i}", "label": bool(label[i]),
                 "score": float(np.round(score[i], 1)), "speaker": f"s{i % 11}"}
                for i in range(n)
            ]  # fmt: skip
    return rows


def number(text):
    return float(text.replace("−", "-").replace(",", ""))


CLUSTERED = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n"


@pytest.mark.parametrize("config", ["", CLUSTERED, "baseline: c\n", "primary: {measure: f1}\n"])
def test_every_number_of_the_tables_is_that_of_the_frame(tmp_path, config):
    results = computed(tmp_path, trials("abc"), config)
    tables = {table.name: table for table in of(results, Table)}
    pairs = results.frame(TESTS).filter(pl.col("model").is_not_null() | (pl.col("test") == "cochran_q"))
    shown = sum(len(table.rows) for table in tables.values())
    refused = {block.text.partition(":")[0] for block in of(results, Prose) if "not available" in block.text}
    absent = [test for test in EVERY if FAMILIES[test].name in refused]
    assert shown == pairs.filter(~pl.col("test").is_in(absent)).height
    (view,) = views(results)
    show = view.printing(view.study.primary.measure).value
    for test in {"equivalence", "power"} - set(absent):
        table = tables[f"tests_{test}"]
        for line in table.rows:
            there = pairs.filter(test=test, model=line[0].text, baseline=line[1].text).to_dicts()[0]
            assert (line[2].text, line[2].order) == (show(there["estimate"]), there["estimate"])
            if test == "equivalence":
                assert line[3].text == f"[{show(there['low'])}, {show(there['high'])}]"
            else:
                assert (line[3].text, line[3].order) == (show(there["detectable"]), there["detectable"])
                times = (there["detectable"] / 0.05) ** 2
                assert number(line[4].text) == pytest.approx(there["n_units"] * times, abs=1)
    primary = "F1" if "f1" in config else "HTER"
    of_primary, of_areas = tables.get("tests_permutation"), tables.get("tests_permutation_auc")
    assert of_primary.caption.startswith(f"Permutation test of the {primary}, at")
    assert of_areas.caption == "Permutation test of the AUC."
    for table in tables.values():
        for cell in itertools.chain(*table.rows):
            assert cell.text != "—" or cell.reason
            assert "nan" not in cell.text
    asked = [name.removeprefix("tests_").removesuffix("_auc") for name in tables]
    assert asked == sorted(asked, key=EVERY.index)


def test_every_dataset_has_blocks_of_its_own_and_names_are_unique(tmp_path):
    section = further_tests(computed(tmp_path, trials("ab", ("x", "y")), ""))
    assert section.blocks[0] == Prose(UNADJUSTED)
    assert [(one.title, one.anchor) for one in section.blocks[1:]] == [("x", "tests-1"), ("y", "tests-2")]
    names = [block.name for block in blocks_of(section) if isinstance(block, Table)]
    assert len(names) == len(set(names)) == 2 * 12


def test_a_model_with_runs_is_told_once_a_dataset(tmp_path):
    rows = [row | {"run": run} for run in "12" for row in trials("ab")]
    results = computed(tmp_path, rows, "trials: {source: trials.parquet, columns: {run: run}}\n")
    said = [block.text for block in of(results, Prose)][1:]
    assert said == [
        f"{FAMILIES[test].name}: not available, because a model has several runs and the test takes one."
        for test in EVERY
        if test not in ("equivalence", "non_inferiority", "power")
    ]
    assert {"equivalence", "non_inferiority", "power"} <= set(EVERY)


HOSTILE = ("<script>alert(1)</script>", "$x^2$ \\input{a} %", "日本 Ω", "=1+1")


@pytest.mark.parametrize("config", ["", CLUSTERED])
def test_hostile_names_are_written_in_every_format(tmp_path, config):
    results = computed(tmp_path, trials(HOSTILE), config)
    report = Report("Tests", "", "", (further_tests(results),), "")
    files = render_all(report, results.provenance, ("html", "latex", "json"), interactive=True)
    page = files["report.html"].decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert b"'=1+1" in files["tables/tests_mcnemar.csv"]
    assert "\\input{a}" not in files["report.tex"].decode().replace("\\textbackslash", "")
