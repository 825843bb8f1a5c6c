import numpy as np
import pytest
from scipy.special import expit
from tied import labelled, staircase_of

from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.stats.staircase import group_ties
from reporting.errors import ConfigError

OF_SCORES = [
    "actdcf",
    "cprimary",
    "cllr",
    "calibration_loss",
    "ece",
    "bayes_error",
    "brier",
    "brier_skill",
    "rmse",
    "log_loss",
    "oe_ratio",
    "calibration_intercept",
    "calibration_slope",
    "calibration_error",
]
OVER_SWEEP = ["mincllr", "minece", "mincprimary"]

SCORE, TARGETS, NONTARGETS, _ = group_ties(*labelled([0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]))


@pytest.mark.parametrize("name", OF_SCORES)
def test_measures_of_the_scores_take_what_the_room_promises(name):
    """Scores on the scale they need; ``calibration`` acts before the formula, and never reaches it."""
    measure = MEASURES[name]
    assert measure.over == "scores"
    score = SCORE if measure.needs == "llr" else 1 / (1 + np.exp(-SCORE))
    value = float(measure.formula(score, TARGETS, NONTARGETS, **measure.arguments))
    assert measure.bounds[0] <= value <= measure.bounds[1]
    for calibration in ("affine", "pav"):
        mapped = measure.at(calibration=calibration)
        assert (mapped.calibration, mapped.arguments) == (calibration, measure.arguments)
    assert measure.calibration == "none"


@pytest.mark.parametrize("name", OVER_SWEEP)
def test_least_costs_are_read_on_the_judged_split(name):
    measure = MEASURES[name]
    assert (measure.over, measure.own_cut) == ("sweep", True)
    _, s = staircase_of([0.5, 1.5, 2.5], [0, 1, 2])
    value = float(measure.formula(s.misses, s.false_alarms, **measure.arguments))
    assert measure.bounds[0] <= value <= measure.bounds[1]


def test_names_say_what_is_read():
    llr = SCORE, TARGETS, NONTARGETS
    values = {
        text: float((measure := read_measure(text)).formula(*llr, **measure.arguments))
        for text in (
            "cllr",
            "ece(p_target=0.5)",
            "ece(p_target=0.1)",
            "bayes_error",
            "bayes_error(prior_log_odds=-1)",
        )
    }
    assert values["cllr"] == values["ece(p_target=0.5)"] == pytest.approx(0.9576557451913541, abs=1e-15)
    assert values["ece(p_target=0.1)"] == pytest.approx(0.4617149574626629, abs=1e-15)
    assert values["bayes_error"] == pytest.approx(5 / 12)
    assert values["bayes_error(prior_log_odds=-1)"] == pytest.approx(expit(-1) / 5 + expit(1) / 3)


def test_bins_are_whole_numbers():
    assert str(read_measure("calibration_error(bins=20)")) == "calibration_error(bins=20)"
    p = np.array([0.01, 0.06])
    read = {bins: read_measure(f"calibration_error(bins={bins})") for bins in (10, 20)}
    values = [float(m.formula(p, [1, 0], [0, 1], **m.arguments)) for m in read.values()]
    assert values == pytest.approx([(0.5 - 0.035), (0.99 + 0.06) / 2])


def test_ideals_are_values_not_directions():
    ideal = {key: measure.ideal for key, measure in MEASURES.items() if measure.ideal is not None}
    wanted = {"oe_ratio": 1.0, "calibration_intercept": 0.0, "calibration_slope": 1.0}
    assert wanted.items() <= ideal.items()


@pytest.mark.parametrize("text", ["ece", "ECE", "ece(calibration=affine)"])
def test_ece_alone_has_two_meanings_and_is_refused(text):
    with pytest.raises(
        ConfigError, match="calibration_error is the expected .* ece.p_target=0.5. the empirical"
    ):
        read_measure(text)


def test_the_empirical_cross_entropy_names_its_prior():
    assert str(read_measure("ece(p_target=0.50)")) == "ece(p_target=0.5)"
    assert (
        str(read_measure("ece(p_target=0.1, calibration=affine)")) == "ece(p_target=0.1,calibration=affine)"
    )
