"""The catalogue is made of the values: complete, findable by any synonym, and the page beside the README is fresh."""

from pathlib import Path

import pytest
from command import reporting
from fits_of_questions import FITS
from snapshot import snapshot

from reporting.app.handbook.catalogue import aliases_of, detail, entries, find, overview, page
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.errors import ConfigError
from reporting.features.codes import find_code

ROOT = Path(__file__).resolve().parents[3]
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


@pytest.mark.parametrize("key", ["frr_at_far", "far_at_frr", "sensitivity_at", "specificity_at"])
def test_every_way_of_reading_at_a_bound_is_explained(key):
    assert all(f"how={way}:" in MEASURES[key].definition for way in ("nearest", "interp"))


NAMES_OF_MEASURES = [
    (name, measure.key)
    for measure in MEASURES.values()
    for name in (measure.key, measure.name, *measure.synonyms, *aliases_of(measure.key))
]


@pytest.mark.parametrize("written", [str, str.lower, str.upper])
def test_a_config_takes_every_name_that_the_handbook_knows(written):
    for name, key in NAMES_OF_MEASURES:
        found = [entry.name for entry in find(written(name)) if entry.kind not in ("criterion", "fit")]
        assert key in found
        if name not in SEVERAL and name != "ece" and key not in ("tdcf", "mintdcf"):
            assert read_measure(written(name)).key == key, name


SEVERAL = ("AUPRC", "AUPR")


@pytest.mark.parametrize("name", SEVERAL)
def test_a_name_of_several_measures_names_them(name):
    with pytest.raises(ConfigError, match="may be ap_step or ap_dg"):
        read_measure(name)


@pytest.mark.parametrize("misses", ["recall", "TPR", "sensitivity", "tar", "Hit-Rate"])
@pytest.mark.parametrize("alarms", ["fpr", "FAR", "fmr", "fall_out"])
@pytest.mark.parametrize("between", ["_at_", " at ", "-at-", "@"])
def test_a_hit_rate_at_a_false_alarm_rate_is_sensitivity(misses, alarms, between):
    name = f"{misses}{between}{alarms}"
    assert [entry.name for entry in find(name)] == ["sensitivity_at"]
    given = alarms.lower()
    assert str(read_measure(f"{name}({given}=0.01)")) == "sensitivity_at(specificity=0.99)"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("recall at FPR 1%", "sensitivity_at(specificity=0.99)"),
        ("TAR@FAR=1e-3", "sensitivity_at(specificity=0.999)"),
        ("TMR @ FMR = 0.1%", "sensitivity_at(specificity=0.999)"),
        ("TPR at 0.1% FAR", "sensitivity_at(specificity=0.999)"),
        ("FNMR at FMR 0.1%", "frr_at_far(far=0.001)"),
        ("frr_at_far(fpr=0.05)", "frr_at_far(far=0.05)"),
        ("FPR at 95% recall", "far_at_frr(frr=0.05)"),
        ("TNR at 95% TPR", "specificity_at(sensitivity=0.95)"),
        ("FMR1000", "frr_at_far(far=0.001)"),
        ("ZeroFNMR", "far_at_frr(frr=0)"),
        ("F2", "f_beta(beta=2)"),
        ("Cllr_min", "mincllr"),
        ("Cllr-min", "mincllr"),
        ("Cllrmin", "mincllr"),
        ("min Cllr", "mincllr"),
        ("Cllr_cal", "calibration_loss"),
        ("actDCF(p_target=0.01)", "actdcf(p_target=0.01)"),
    ],
)
def test_names_of_the_fields_are_read_at_their_values(name, call):
    assert str(read_measure(name)) == call
    assert [entry.name for entry in find(name)] == [call.partition("(")[0]]
    assert "(" not in call or f"is read as {call}" in detail(name) or name.lower() == call


@pytest.mark.parametrize("name", ["RME", "rate of misleading evidence", "Misleading_evidence"])
def test_misleading_evidence_leads_to_the_errors_at_the_llr_0(name):
    for read in (find, read_measure):
        with pytest.raises(
            ConfigError, match=r"measures: \[far, frr\] and criteria: \['fixed\(threshold=0\)'\]"
        ):
            read(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tpr_at_fpr(fpr=x)", "fpr=x: expected a number"),
        ("tpr_at_fpr(fpr=nan)", "fpr=nan: expected a number"),
        ("tpr_at_fpr(fpr=1.5)", "fpr=1.5 is outside"),
        ("tpr_at_fpr(fpr=0.1, specificity=0.9)", "'specificity' is given twice"),
    ],
)
def test_a_rate_that_is_no_share_is_refused_by_its_name(text, words):
    with pytest.raises(ConfigError, match=words):
        read_measure(text)


def test_an_unknown_name_gets_the_nearest_guess():
    with pytest.raises(ConfigError, match="did you mean 'hter'"):
        find("htre")


def test_the_overview_fits_its_width_and_the_detail_tells_all():
    assert max(len(line) for line in overview(90).splitlines()) <= 90
    said = detail("mindcf", 80)
    assert all(word in said for word in ("p_target = 0.5", "normalised = true", "lower is better", "source:"))


def test_the_actual_cost_names_the_cost_at_a_threshold_from_the_development_set():
    """Scores that are no log likelihood ratios have no Bayes threshold: page and code lead to the other cost."""
    texts = " ".join(detail("actdcf").split()), find_code("TR107").remedy
    assert all("dcf(p_target=...) with criterion min_dcf(p_target=...)" in text for text in texts)


def test_the_page_is_fresh():
    assert (ROOT / "MEASURES.md").read_text() == page()


def test_the_command_prints_the_catalogue():
    whole = reporting("measures")
    assert (whole.returncode, "Measures at a threshold" in whole.stdout) == (0, True)
    wrong = reporting("measures", "htre")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_explain_knows_the_words_of_methods() -> None:
    from tests.command import reporting

    snapshot("handbook/handbook_explain_knows_the_words_of_methods", reporting("explain", "bca").stdout)
    _, *of_word = reporting("explain", "swap").stdout.splitlines()
    assert reporting("explain", "Permutation test").stdout.splitlines()[1:] == of_word != []


def test_explain_knows_frames_and_columns() -> None:
    frame = reporting("explain", "standing").stdout
    assert "frames/standing.parquet" in frame
    assert "p_best, may_be_best" in " ".join(frame.split())
    column = reporting("explain", "p_adjusted").stdout
    assert "column of comparisons: p adjusted over the family" in column
    assert "column of gates: " in column
    ended = reporting("explain", "p_ajusted")
    assert (ended.returncode, "did you mean 'p_adjusted'?" in ended.stderr) == (2, True)
    assert (
        "kind: measures" in reporting("explain", "precision").stdout
    )  # a measure before a column of that name


def test_explain_knows_questions_and_measures_too() -> None:
    from reporting.app.handbook.codes import page_of

    assert "a column of readers (trials.runs: reader)" in page_of("readers")
    assert page_of("what-if") == page_of("recompute").replace("recompute:", "what-if:", 1)
    both = page_of("drift")
    assert both.startswith("TR301: ")
    assert "\n\ndrift:\n  question: " in both
    assert page_of("hter") == detail("hter")
    assert page_of("det") == page_of("roc").replace("roc:", "det:", 1)


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("hterr", "hter"),
        ("wilsonn", "wilson"),
        ("gatez", "gate"),  # a column of the frame of gates
        ("gatess", "gates"),
        ("few_cluster", "few_clusters"),
        ("tr2055", "TR205"),
    ],
)
def test_explain_guesses_among_all_that_it_knows(word, nearest):
    from reporting.app.handbook.codes import page_of

    with pytest.raises(ConfigError, match=f"'{word}' is not a code, .*; did you mean '{nearest}'"):
        page_of(word)


def test_a_name_of_two_measures_is_described_with_both():
    text = detail("ece")
    assert text.startswith("ece has two meanings: calibration_error is the expected")
    assert "ece: " in text
    assert "two meanings" not in detail("ece(p_target=0.5)")
