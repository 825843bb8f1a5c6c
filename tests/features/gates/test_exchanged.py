"""A gate on the difference of two models reads the exchanges of the headline comparison."""

import numpy as np
import pytest

from reporting.core.engine.model_runs import models_with_runs
from reporting.core.engine.pairing import Pair
from reporting.core.engine.pairs import difference
from reporting.core.engine.sample import Question
from reporting.core.resampling.settings import Inference
from reporting.features.gates.collect import data_of_difference
from tests.research.studies.models import Drawn, study_of, two_models


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_of_0_is_judged_as_the_two_sided_test_does(seed):
    rng = np.random.default_rng(seed)
    study = study_of(("hter",), ("min_hter",), Inference(replicates=199))
    sides = [two_models(rng, n, n // 4, (2.0, 2.6)) for n in (400, 200)]
    drawn = Drawn(sides[0], study, sides[1])
    first, second = models_with_runs(drawn.models)
    question = Question(study.primary.measure, study.primary.criterion)
    of = difference(Pair(second, first), question, drawn.resampling, study)
    evidence = data_of_difference(of).evidence
    headline = drawn.difference(study.primary.measure, "min_hter", "procedure").tested()
    assert (evidence.method, evidence.estimate) == ("swap", -headline.difference)
    least = min(evidence.p_below(0.0), evidence.p_above(0.0))
    assert 2 * least == pytest.approx(headline.p_value * 400 / 399, abs=1e-12)
    assert evidence.lower(0.025) < evidence.estimate < evidence.upper(0.025)
