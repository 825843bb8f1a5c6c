"""The words of five fields: one table of terms, and names and numbers that no vocabulary changes."""

import dataclasses
import re

import pytest
from examples import few
from hypothesis import given
from hypothesis import strategies as st
from reading import column, every_block, table
from simulated_results import World, simulate

from reporting.app.config.schema import ReportKeys
from reporting.core.criteria.catalogue import CRITERIA
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import FAR, FRR, HTER
from reporting.document.blocks import Caution, Figure, Prose, Table
from reporting.document.words.phrases import reason, threshold_phrase
from reporting.document.words.terms import DETECTION, TITLES, VOCABULARIES, Terms, capitalised, terms
from reporting.document.words.view import views
from reporting.features.answer.verdict import verdict
from reporting.features.compose import compose

pytestmark = pytest.mark.usefixtures("undrawn")

OTHERS = [word for word in VOCABULARIES if word != "detection"]
SLOW = few(8)
FOREIGN = re.compile(
    r"(?<![\w=-])(FAR|FRR|false alarms?|[Nn]on-targets?|[Tt]argets|[Ff]alse (?:acceptance|rejection)"
    r"|[Hh]it rate|misses)(?![\w-])"
)
"""Words that belong to detection alone."""


def spoken_in(vocabulary, **world):
    results = simulate(World(**world))
    return dataclasses.replace(results, study=dataclasses.replace(results.study, vocabulary=vocabulary))


def texts_of(report):
    yield from (report.data_line, report.verdict)
    for block in every_block(report, (Prose, Caution)):
        yield block.text
    for figure in every_block(report, Figure):
        yield from (figure.caption, figure.alt)
    for one in every_block(report, Table):
        if one.name.startswith("glossary"):
            continue
        yield from (one.caption, *one.notes, *(c.title for c in one.columns))
        yield from (text for row in one.rows for cell in row for text in (cell.text, cell.reason))


def test_detection_says_what_the_catalogue_says():
    for measure in MEASURES.values():
        assert DETECTION.measure(measure).startswith(measure.label.partition("{")[0])
        said = DETECTION.name(measure), DETECTION.say(measure.definition)
        assert said == (measure.name, measure.definition)
    for criterion in CRITERIA.values():
        assert criterion.label.rpartition("}")[2] in DETECTION.criterion(criterion)
        assert DETECTION.say(criterion.definition) == criterion.definition


@pytest.mark.parametrize("vocabulary", OTHERS)
def test_no_word_of_detection_is_left_in_the_catalogue(vocabulary):
    mine = terms(vocabulary)
    own = {getattr(mine, field.name) for field in dataclasses.fields(Terms)}
    for each in (*MEASURES.values(), *CRITERIA.values()):
        said = [mine.say(each.definition)]
        is_measure = isinstance(each, Measure)
        said += [mine.measure(each), mine.name(each)] if is_measure else [mine.criterion(each)]
        for text in said:
            assert [word for word in FOREIGN.findall(text) if word not in own] == []


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_different_things_have_different_words(vocabulary):
    mine = terms(vocabulary)
    for one, other in (
        (mine.far, mine.frr),
        (mine.targets, mine.nontargets),
        (mine.target, mine.nontarget),
        (mine.false_alarms, mine.misses),
        (mine.false_acceptance, mine.false_rejection),
        (mine.share, mine.nontarget_share),
        (mine.target_score, mine.nontarget_score),
    ):
        assert one != other
    assert all(
        word
        for name, word in vars(mine).items()
        if name not in ("counts_correct", "sensitivity_at", "weighted")
    )


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        ("biometrics", ("FMR", "FNMR", "genuine trials", "impostor trials", "HTER")),
        ("pad", ("APCER", "BPCER", "bona fide presentations", "attack presentations", "ACER")),
        ("forensic", ("FPR", "FNR", "same-source trials", "different-source trials", "HTER")),
        (
            "medical",
            ("FPR", "FNR", "patients with the condition", "patients without the condition", "sensitivity"),
        ),
        ("ir", ("fall-out", "miss rate", "relevant items", "non-relevant items", "recall")),
        ("evals", ("failure rate", "items to solve", "items to refuse", "success rate", "unsolved items")),
        ("ml", ("FPR", "FNR", "positives", "negatives", "true positive rate")),
    ],
)
def test_a_page_speaks_the_words_of_its_field_and_no_others(vocabulary, words):
    results = spoken_in(vocabulary, models=("a", "b", "c"), baseline="a", cluster="speaker", n_target=40)
    report = compose(results)
    every = list(texts_of(report))
    own = {getattr(terms(vocabulary), field.name) for field in dataclasses.fields(Terms)}
    for text in every:
        assert [word for word in FOREIGN.findall(text) if word not in own] == [], text
    whole = "\n".join(every)
    assert [word for word in words if word not in whole and capitalised(word) not in whole] == []
    texts = [figure.caption for figure in every_block(report, Figure)]
    texts += [one.caption for one in every_block(report, Table)]
    assert [text for text in texts if text[0].islower()] == []


def test_sentences_in_medicine_by_hand():
    results = spoken_in("medical", models=("a", "b"), pictures=False)
    study = results.study
    assert compose(results).data_line.startswith(
        "Test set: 1,000 patients (300 with the condition, 700 without the condition)."
    )
    assert threshold_phrase(study.primary.criterion, study) == (
        "cutoffs set on the development set (minimum balanced error)"
    )
    assert re.match(
        r"b looks best \([\d.]+%\) but is not shown to beat a \([\d.]+%\)\. b has the lowest balanced error rate"
        r" on the test set: ",
        verdict(results),
    )
    assert (
        reason("no_nontargets", terms("medical")) == "the set or group has no patients without the condition"
    )
    heads = [c.title for c in table(compose(results), "operating_points_1").columns]
    assert heads[1:6] == [
        "specificity",
        "false positives",
        "sensitivity",
        "false negatives",
        "balanced error",
    ]


def test_calibration_in_medicine_speaks_of_the_bin_and_of_a_defined_share():
    """A bin's share of targets is no prevalence, and the share in Brier skill is one."""
    mine = terms("medical")
    assert "observed frequency" in mine.say(MEASURES["calibration_error"].definition)
    assert "prevalence" not in mine.say(MEASURES["calibration_error"].definition)
    assert "q the prevalence among the patients" in mine.say(MEASURES["brier_skill"].definition)


def test_definitions_keep_their_parameters():
    mine = terms("biometrics")
    assert "norm=miss" in mine.say(MEASURES["mindcf"].definition)
    assert "nearest to a target (how=" in mine.say(CRITERIA["target_far"].definition), "a rate, no trial"
    assert "y = 1 for a genuine trial" in mine.say(MEASURES["brier"].definition)


TERMS_AS_NAMES = (
    *("FAR", "HTER", "targets", "non-targets", "a miss", "false alarms", "{far}", "hit rate", "recall"),
    *("share of targets", "false acceptance rate of FRR", "precision-recall"),
)


@SLOW
@given(
    st.lists(st.sampled_from(TERMS_AS_NAMES), min_size=2, max_size=3, unique=True),
    st.sampled_from(OTHERS),
    st.sampled_from([("all",), ("targets", "FAR")]),
)
def test_names_made_of_terms_survive(names, vocabulary, datasets):
    models = tuple(f"m{number}" for number in range(len(names)))
    called = dict(zip(models, names, strict=True))
    world = {"models": models, "names": called, "datasets": datasets, "cluster": "misses", "alphas": 3}
    results = spoken_in(vocabulary, **world, pictures=False, n_target=30, n_nontarget=30)
    report = compose(results)
    found = next(each for each in every_block(report, Table) if each.name.startswith("summary"))
    assert sorted(cell.text for cell in column(found, "model")) == sorted(names)
    for view in views(results):
        assert view.names[view.ranked[0]] in report.verdict
        assert view.label in report.data_line
    assert "50 misses" in report.data_line


@pytest.mark.parametrize("vocabulary", OTHERS)
def test_no_number_changes_with_the_words(vocabulary):
    world = {"models": ("a", "b", "c"), "n_target": 40, "n_nontarget": 90, "alphas": 5}
    usual, other = (compose(spoken_in(each, **world)) for each in ("detection", vocabulary))
    numbers = [
        [
            [(cell.order, re.findall(r"\d+(?:\.\d+)?", cell.text)) for row in t.rows for cell in row]
            for t in every_block(report, Table)
            # Medicine prints specificity and sensitivity where others print FAR and FRR: tests/features/test_folds.py.
            if t.name != "glossary" and not t.name.startswith(("crosswalk", "operating_points"))
        ]
        for report in (usual, other)
    ]
    assert numbers[0] == numbers[1]
    # The DET of biometrics has a window of its own, and its guide ends with it.
    figures = [
        sorted((f for f in every_block(report, Figure) if f.name != "det"), key=lambda figure: figure.name)
        for report in (usual, other)
    ]
    series = [[f.series for f in every] for every in figures]
    plain = [[[(s.x, s.y) for s in one] for one in each] for each in series]
    assert plain[0] == plain[1]


def test_titles_of_axes_are_those_of_today_in_detection():
    view = views(simulate(World(pictures=False)))[0]
    said = {name: view.terms.title(name) for name in TITLES}
    assert (
        said
        | {
            "far": "False acceptance rate (%)",
            "frr": "False rejection rate (%)",
            "hits": "Hit rate (%)",
            "recall": "Recall (%)",
            "precision": "Precision (%)",
            "precision_and_recall": "Precision and recall (%)",
            "false_discovery": "False discovery rate, 1 − precision (%)",
            "observed_share": "Observed frequency of targets (%)",
            "found": "Targets found, recall (%)",
            "lift": "Lift, precision / share of targets",
            "weight_of_misses": "Weight of misses: effective prior of targets (%)",
            "net_benefit": "Net benefit (targets per 100 trials)",
            "weighted_error": "α, the weight of false acceptance",
            "precision_recall": "α, the weight of precision",
            "target_far": "FAR targeted on development",
            "target_frr": "FRR targeted on development",
            "expected_far": "FAR targeted on development (%)",
            "obtained_frr": "FRR obtained on test (%)",
        }
        == said
    )
    assert view.terms.legend("equal_rates") == "FAR = FRR"
    assert (view.terms.legend("nontargets"), view.terms.legend("targets")) == ("non-targets", "targets")


@pytest.mark.parametrize("vocabulary", OTHERS)
def test_titles_of_axes_have_no_word_of_another_field(vocabulary):
    mine = terms(vocabulary)
    own = {getattr(mine, field.name) for field in dataclasses.fields(Terms)}
    for name in TITLES:
        said = mine.title(name)
        words = [word for word in FOREIGN.findall(said) if word.lower() not in own]
        assert words == [], said
        assert not said.startswith("Α"), "a capital alpha is another letter"


def test_the_config_takes_the_words_of_the_vocabularies_and_no_other():
    for vocabulary in VOCABULARIES:
        assert ReportKeys.model_validate({"vocabulary": vocabulary}).vocabulary == vocabulary
    with pytest.raises(ValueError, match="vocabulary"):
        ReportKeys.model_validate({"vocabulary": "biometry"})


def test_every_word_of_the_config_has_its_terms():
    every = ["detection", "biometrics", "pad", "forensic", "medical", "ir", "ml", "evals"]
    assert list(VOCABULARIES) == every
    assert terms("detection") is DETECTION
    assert [terms("biometrics").measure(one) for one in (FAR, FRR, HTER)] == ["FMR", "FNMR", "HTER"]
