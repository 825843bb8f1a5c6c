"""Plans: anchors by hand, the published examples, laws, and the sentence for a protocol."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot import snapshot

from reporting.errors import ConfigError
from reporting.features.planning.questions import QUESTIONS, plan_question
from reporting.features.planning.sample_plan import SampleSize, power_text, value_text
from reporting.features.planning.text import plan_text
from tests.features.planning.proc import proc_examples


def planned(key, **given):
    return plan_question(key, given)


def test_rules_of_3_and_of_30():
    """0.99^299 < 0.05 < 0.99^298; 3 / 0.01; 30 / 0.01."""
    assert planned("rate", bound=0.01).n_trials == 299
    assert planned("rate", bound=0.01, method="rule_of_3").n_trials == 300
    assert planned("rate", rate=0.01, within=0.3, method="rule_of_30").n_trials == 3000
    # Wilson's interval of a rate is that of the rule within 2 %.
    assert planned("rate", rate=0.01, within=0.3, level=0.9).n_trials == pytest.approx(3000, rel=0.02)
    assert planned("rate", errors=0, trials=299).bound == pytest.approx(-math.expm1(math.log(0.05) / 299))


@pytest.mark.parametrize(("per_pair", "subjects"), [(1, 245), (4, 123)])
def test_subjects_of_the_fido_requirements(per_pair, subjects):
    """At least 123 subjects with four fingers each, or 245 with one: 30,000 comparisons for a FAR of 1:10,000."""
    plan = planned("far", bound=1e-4, per_pair=per_pair)
    assert plan.n_clusters == pytest.approx(subjects, rel=0.01)
    assert plan.n_nontarget == per_pair * math.comb(plan.n_clusters, 2)
    assert planned("far", bound=1e-4, per_pair=per_pair, method="rule_of_3").n_nontarget >= 30_000


def test_one_auc_as_in_the_examples_of_proc():
    """Its ``power.roc.test``: within 2 % (constants are rounded there), and up to whole trials."""
    known = proc_examples()
    assert planned(
        "auc", auc=0.73, against=0.5, targets=41, nontargets=72, method="obuchowski"
    ).power == pytest.approx(known["power"], rel=0.02)
    plan = planned("auc", auc=0.73, ratio=1.7, power=0.95, method="obuchowski")
    assert plan.n_target == pytest.approx(math.ceil(known["ncases"]), rel=0.02)
    # The default needs fewer: the published variance is too large.
    assert planned("auc", auc=0.73, ratio=1.7, power=0.95).n_target < plan.n_target


@pytest.mark.parametrize("ratio", [1, 3])
def test_two_aucs_as_in_proc(ratio):
    known = proc_examples()[f"paired {ratio}"]
    plan = planned("auc", auc=0.8, difference=0.05, score_correlation=0.6, ratio=ratio, method="obuchowski")
    assert plan.n_target == pytest.approx(known, rel=0.005)


def test_a_width_as_in_a_published_table():
    """114 patients a group for 0.70 +- 0.07 (Hajian-Tilaki 2014, by Obuchowski's variance with its rounded 0.0099)."""
    assert planned("auc", auc=0.7, width=0.14, method="obuchowski").n_target == pytest.approx(114, rel=0.02)


VAN_DYKE = {
    "var_tr": 0.00020040252,
    "error_variance": 0.00080228827,
    "cov1": 0.00034661371,
    "cov2": 0.00034407483,
    "cov3": 0.00023902837,
    "pilot_cases": 114,
    "difference": 0.043800322,
}


def test_readers_as_by_rjafroc():
    """Van Dyke's data as the pilot (RJafroc's documentation): 6 readers and 112 cases have a power of 0.5555789."""
    assert planned("readers", readers=6, trials=112, **VAN_DYKE).power == pytest.approx(0.5555789, abs=2e-7)
    # Its table has 251 cases for 6 readers and a power of 80 %.
    assert planned("readers", readers=6, **VAN_DYKE).n_trials == 251
    by_readers = planned("readers", trials=251, **VAN_DYKE)
    assert by_readers.size == SampleSize(n_trials=251, n_readers=6)


def test_readers_cannot_be_replaced_by_cases():
    with pytest.raises(ConfigError, match=r"plan: no number of cases gives 80% power"):
        planned("readers", readers=2, **VAN_DYKE)


def test_clusters_by_hand():
    """39/20 times the trials, and a few more clusters for Student's t."""
    alone = planned("rate", rate=0.01, width=0.0075).n_trials
    plan = planned("rate", rate=0.01, width=0.0075, per_cluster=20, icc=0.05)
    assert plan.n_trials == 20 * plan.n_clusters
    assert 39 / 20 * alone < plan.n_trials < 1.02 * 39 / 20 * alone
    assert planned("rate", rate=0.01, width=0.0075, design_effect=2).n_trials == 2 * alone
    # One trial of each cluster, and no correlation: nothing but t.
    assert planned("rate", rate=0.01, width=0.0075, per_cluster=1).n_clusters == pytest.approx(
        alone, rel=0.01
    )


def test_prevalence_sets_how_many_of_the_other_class():
    plan = planned("frr", rate=0.02, width=0.02, prevalence=0.1)
    assert plan.n_trials == 10 * plan.n_target
    assert plan.n_nontarget == 9 * plan.n_target
    far = planned("far", rate=0.02, width=0.02, prevalence=0.1)
    assert far.n_nontarget == plan.n_target
    assert planned("auc", auc=0.8, prevalence=0.2).size == planned("auc", auc=0.8, ratio=4).size


aucs = st.sampled_from([0.6, 0.7, 0.8, 0.9, 0.95])


@settings(max_examples=20)
@given(
    aucs,
    st.sampled_from([0.5, 0.7, 0.8, 0.9]),
    st.sampled_from([0.02, 0.04]),
    st.sampled_from([0.0, 0.3, 0.6]),
)
def test_monotone_in_power_level_difference_and_correlation(auc, power, difference, r):
    def n(**given):
        return planned(
            "auc", **({"auc": auc, "difference": difference, "correlation": r, "power": power} | given)
        ).n_target

    base = n()
    assert n(power=power + 0.05) > base
    assert n(level=0.99) > base > n(level=0.9)
    assert n(difference=difference + 0.01) < base
    assert n(correlation=r + 0.2) < base
    assert n(ratio=2) < base < n(ratio=0.5)


@settings(max_examples=3)
@given(st.sampled_from([0.03, 0.05, 0.2]), st.sampled_from([0.01, 0.02]), st.sampled_from([0.0, 0.2]))
def test_rates_are_monotone_too(rate, apart, r):
    def n(**given):
        return planned("rate", **({"rate": rate, "correlation": r} | given)).n_trials

    base = n(difference=apart)
    assert n(difference=apart, power=0.9) > base
    assert n(difference=apart, level=0.99) > base
    assert n(difference=apart, correlation=r + 0.2) < base
    assert n(difference=2 * apart) < base
    assert n(margin=apart) > n(margin=2 * apart)
    assert n(margin=apart, difference=apart / 2) > n(margin=apart)


@settings(max_examples=20)
@given(
    st.sampled_from(["rate", "auc", "eer", "sensitivity"]),
    st.sampled_from([0.1, 0.2, 0.3]),
    st.sampled_from([0.02, 0.05, 0.1]),
)
def test_a_width_and_its_size_are_inverse(key, value, width):
    more = {"at_specificity": 0.9} if key == "sensitivity" else {}
    number = 1 - value if key == "auc" else value
    plan = planned(key, **{key: number, "width": width}, **more)
    count = "trials" if key == "rate" else "targets"
    assert planned(key, **{key: number, count: plan.number}, **more).width == plan.width
    assert plan.width <= width
    assert planned(key, **{key: number, count: plan.number - 1}, **more).width > width
    assert planned(key, **{key: number, "width": plan.width}, **more).number == plan.number


def test_what_a_plan_holds():
    plan = planned("auc", auc=0.8, against=0.75, ratio=1)
    snapshot("planning/answer_what_a_plan_holds", plan.sentence)
    assert plan.command == "reporting plan auc --auc 0.8 --against 0.75 --ratio 1"
    assert [row.wanted for row in plan.rows] == [0.5, 0.7, 0.8, 0.9, 0.95]
    assert plan.rows[2] == plan.planned
    assert (plan.width, plan.bound, plan.n_clusters, plan.n_readers) == (None,) * 4
    assert (343, plan.power) in plan.curve
    as_json = json.loads(json.dumps(plan.to_dict()))
    assert as_json["planned"] | {"power": None} == {
        "wanted": 0.8, "n_target": 343, "n_nontarget": 343, "n_trials": 686, "n_clusters": None, "n_readers": None,
        "power": None,
    }  # fmt: skip
    lines = plan_text(plan, 60, unicode=False)
    assert lines.isascii()
    assert max(map(len, lines.splitlines())) <= 60
    assert "> " in lines


SENTENCES = {
    (
        "rate",
        "bound=0.01",
    ): "If no error is observed in 299 trials, the rate is below 0.997% with 95% confidence.",
    (
        "frr",
        "rate=0.02 against=0.01",
    ): "With 1,180 targets, a two-sided test at the 5% level has at least 80% power to find that an FRR of 2% differs from 1%.",
    (
        "rate",
        "rate=0.02 margin=0.01 disagreement=0.02",
    ): "With 1,374 trials decided by both models, a one-sided test at the 5% level has 80.4% power to show that the second model's rate is worse by less than 1 percentage point, if it is equal (2% for the first).",
    (
        "eer",
        "eer=0.05 width=0.02 ratio=10",
    ): "With 508 targets and 5,080 non-targets, the 95% confidence interval of an EER of 5% has an expected width of 2 percentage points.",
}


@pytest.mark.parametrize("question", SENTENCES)
def test_the_sentence_for_a_protocol(question):
    key, options = question
    given = dict(each.split("=") for each in options.split())
    assert planned(key, **given).sentence == SENTENCES[question]


def test_every_question_takes_its_synonyms():
    for key, question in QUESTIONS.items():
        for name in question.synonyms:
            assert QUESTIONS.find(name).key == key
    assert planned("fmr", bound="0.1%").n_nontarget == planned("far", bound=0.001).n_nontarget


def test_powers_are_never_printed_as_more_than_they_are():
    assert [power_text(p) for p in (0.8, 0.80124, 0.99949, 0.99999, 0.5)] == [
        "80%",
        "80.1%",
        "99.94%",
        "99.999%",
        "50%",
    ]
    assert [value_text(v, True, "points") for v in (0.01, 0.0075)] == [
        "1 percentage point",
        "0.75 percentage points",
    ]
    assert value_text(1e-5, True) == "0.001%"
