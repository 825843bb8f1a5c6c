"""The glossary: the page's own words, with the catalogue's own definitions, and no others."""

import dataclasses

import pytest
from reading import column, every_block, table
from simulated_results import World, simulate

from reporting.core.measures.sweep import AUC
from reporting.core.measures.threshold import FAR, HTER
from reporting.document.blocks import Caution, Figure, Prose, Table
from reporting.document.words.phrases import TUNED
from reporting.document.words.terms import VOCABULARIES, terms
from reporting.features.compose import compose
from reporting.features.methods.glossary import glossary


def entries(results):
    found = table(compose(results), "glossary")
    return {row[0].text: row[1].text for row in found.rows}


def rest_of_the_page(report):
    said = [report.data_line, report.verdict, report.headline, *report.answer]
    said += [block.text for block in every_block(report, (Prose, Caution))]
    for figure in every_block(report, Figure):
        said += [
            figure.title,
            figure.subtitle,
            figure.caption,
            figure.alt,
            figure.name,
            figure.x_axis.title,
            figure.y_axis.title,
        ]
    for one in every_block(report, Table):
        if one.name != "glossary":
            said += [one.caption, *one.notes, *(f"{c.group} {c.title}" for c in one.columns)]
            said += [text for row in one.rows for cell in row for text in (cell.text, cell.reason)]
    return "\n".join(said).casefold()


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize(
    "world",
    [
        World(models=("a", "b"), baseline="a", alphas=5),
        World(models=("a",), pictures=False, primary=AUC, measures=(AUC,)),
        World(models=("a", "b", "c"), cluster="speaker", pictures=False, comparisons="given_thresholds"),
    ],
)
def test_every_term_stands_elsewhere_on_the_page(vocabulary, world):
    results = simulate(world)
    results = dataclasses.replace(results, study=dataclasses.replace(results.study, vocabulary=vocabulary))
    report = compose(results)
    page = rest_of_the_page(report)
    missing = [
        cell.text for cell in column(table(report, "glossary"), "term") if cell.text.casefold() not in page
    ]
    assert missing == []


def test_measures_are_told_by_their_own_metadata():
    found = entries(simulate(World(pictures=False)))
    assert found["HTER"].startswith(
        f"{HTER.name}: (FAR + FRR) / 2; low is good. Elsewhere: 1 - balanced accuracy"
    )
    assert found["HTER"].endswith(f" Source: {HTER.source}.")
    assert found["AUC"].startswith(
        f"{AUC.name}: P(target score > non-target score) + P(equal) / 2; high is good."
    )
    assert "1 - specificity" in found["FAR"]
    assert FAR.source in found["FAR"]


def test_a_term_nobody_uses_is_left_out():
    full = entries(simulate(World(models=("a", "b"), cluster="speaker", alphas=5)))
    bare = entries(simulate(World(models=("a",), pictures=False, primary=AUC, measures=(AUC,))))
    for term in ("DET", "ROC", "expected performance curve", "p-value", "adjusted", TUNED, "speakers"):
        assert term in full
        assert term not in bare
    assert "HTER" not in bare


def test_terms_stand_in_the_order_of_the_alphabet_and_once():
    terms_found = list(entries(simulate(World(pictures=False))))
    assert terms_found == sorted(terms_found, key=str.casefold)
    section = glossary(simulate(World(pictures=False)))
    assert section is not None
    assert [len(row) for row in section.blocks[0].rows] == [2] * len(terms_found)


def test_medicine_has_patients_and_no_trials_which_would_be_clinical_ones():
    results = simulate(World(pictures=False))
    study = dataclasses.replace(results.study, vocabulary="medical")
    found = entries(dataclasses.replace(results, study=study))
    assert found["patient"].startswith("one patient, or one finding, judged once by every model")
    assert found["cutoff"] == "the score at which a test becomes positive."
    assert not any("trial" in f"{term} {meaning}" for term, meaning in found.items())
    assert found["false positives"] == f"{terms('medical').nontargets} whose test is positive."
    assert "FPR" in found
    assert "FAR" not in found
