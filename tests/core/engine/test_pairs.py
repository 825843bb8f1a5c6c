"""The difference of two samples: turned round, without a threshold, without replicates."""

from dataclasses import replace

import numpy as np
import pytest

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import TESTS, difference
from reporting.core.engine.sample import Question, sample
from reporting.core.measures.catalogue import read_measure
from reporting.core.resampling.settings import Inference
from tests.research.studies.models import Drawn, study_of, two_models

HTER, AUC, EER = (read_measure(name) for name in ("hter", "auc", "eer_rocch"))
MIN_HTER = read_criterion("min_hter")


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(1)
    study = study_of(("hter", "auc"), ("min_hter",), Inference(replicates=99))
    test, dev = (two_models(rng, n, n // 4, (2.0, 2.6)) for n in (120, 80))
    return Drawn(test, study, dev)


@pytest.mark.parametrize("question", [Question(HTER, MIN_HTER), Question(AUC)])
@pytest.mark.parametrize("estimand", ["procedure", "given_thresholds"])
def test_replicates_of_a_difference_are_those_of_both_samples(drawn, question, estimand):
    drawn_all = drawn.resampling
    every = {**drawn_all.errors, **drawn_all.outcomes}
    plain = replace(drawn_all, swapped={}, collapsed=False, errors=every)
    of = difference(drawn.pair, question, plain, drawn.study, estimand)
    assert (of.replicates == of.first.replicates - of.second.replicates).all()
    assert of.tested().difference == of.estimate().difference == of.first.point[0] - of.second.point[0]


def test_the_first_test_that_applies_is_run(drawn):
    by_test = {test.__name__: test for test in TESTS}
    for question, estimand, name in (
        (Question(HTER, MIN_HTER), "procedure", "by_exchange"),
        (Question(HTER, MIN_HTER), "given_thresholds", "by_joint_outcomes"),
        (Question(AUC), None, "by_areas"),
    ):
        of = difference(drawn.pair, question, drawn.resampling, drawn.study, estimand)
        assert by_test[name](of, 0).p_value == of.tested().p_value is not None
        earlier = TESTS[: TESTS.index(by_test[name])]
        assert [test(of, 0) for test in earlier] == [None] * len(earlier)


def test_a_pair_of_which_one_has_no_threshold_says_why(drawn):
    first, second = drawn.models
    there, bare = models_with_runs([first, replace(second, single={})])
    of = difference(Pair(bare, there), Question(HTER, MIN_HTER), drawn.resampling, drawn.study)
    assert of.status() == of.tested().status == of.estimate().status == "no_dev"
    assert np.isnan(of.point).all()
    assert of.tested().p_value is None


def test_a_measure_that_nobody_asked_for_has_no_replicates(drawn):
    (system, _), asked = models_with_runs(drawn.models), (drawn.resampling, drawn.study)
    assert not sample(system, Question(EER), *asked).measured
    of = difference(drawn.pair, Question(EER), *asked)
    assert (of.estimate().status, of.tested().status) == ("not_measured", "not_measured")
