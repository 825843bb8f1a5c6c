"""The catalogue is made of the values: complete, findable by any synonym, and the page beside the README is fresh."""

from pathlib import Path

import pytest
from command import reporting

from reporting.criteria.catalogue import CRITERIA
from reporting.errors import ConfigError
from reporting.fits.catalogue import FITS
from reporting.handbook.catalogue import detail, entries, find, overview, page
from reporting.measures.catalogue import MEASURES

ROOT = Path(__file__).resolve().parents[2]
EVERY = list(entries())


def test_every_measure_and_criterion_has_an_entry():
    names = [entry.name for entry in EVERY]
    assert sorted(names) == sorted([*MEASURES, *CRITERIA, *FITS])


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_every_entry_is_complete(entry):
    assert entry.title
    assert entry.definition
    assert entry.source
    if entry.kind not in ("criterion", "fit"):
        assert entry.sense.endswith("is best") or entry.sense in ("lower is better", "higher is better")


def test_no_synonym_is_the_name_of_another_measure():
    for measure in MEASURES.values():
        assert not {word.lower() for word in measure.synonyms} & (set(MEASURES) - {measure.key})


def test_what_the_field_uses_for_several_measures_finds_them_all():
    assert [entry.name for entry in find("AUPRC")] == ["ap_step", "ap_dg"]


@pytest.mark.parametrize(
    ("word", "key"), [("FNMR", "frr"), ("c-statistic", "auc"), ("PPV", "precision"), ("eer", "eer_rocch")]
)
def test_a_synonym_finds_its_measure(word, key):
    assert key in [entry.name for entry in find(word)]


@pytest.mark.parametrize(
    ("text", "name"),
    [("target_far(far=0.1)", "target_far"), ("mindcf( p_target=0.1 )", "mindcf"), ("HTER()", "hter")],
)
def test_parameters_play_no_part_in_finding(text, name):
    assert [entry.name for entry in find(text)] == [name]


def test_a_synonym_with_parentheses_is_found_as_it_stands():
    assert [entry.name for entry in find("eer (bob.measure)")] == ["eer_discrete"]


def test_an_unknown_name_gets_the_nearest_guess():
    with pytest.raises(ConfigError, match="did you mean 'hter'"):
        find("htre")


def test_the_overview_fits_its_width_and_the_detail_tells_all():
    assert max(len(line) for line in overview(90).splitlines()) <= 90
    said = detail("mindcf", 80)
    assert all(word in said for word in ("p_target = 0.5", "normalised = true", "lower is better", "source:"))


def test_the_page_is_fresh():
    assert (ROOT / "MEASURES.md").read_text() == page()


def test_the_command_prints_the_catalogue():
    whole = reporting("measures")
    assert (whole.returncode, "Measures at a threshold" in whole.stdout) == (0, True)
    wrong = reporting("measures", "htre")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
