import numpy as np
import pytest
from tied import labelled, staircase_of

from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.measures.costs import NORMED_COST_PARAMETERS, PRESETS, OperatingPoint
from reporting.core.stats import likelihood, sweep
from reporting.core.stats.staircase import group_ties
from reporting.errors import ConfigError

TARGETS, NONTARGETS = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]

POINTS = {
    "SRE08": [(0.01, 10, 1)],
    "SRE10": [(0.001, 1, 1)],
    "SRE12": [(0.01, 1, 1), (0.001, 1, 1)],
    "SRE16": [(0.01, 1, 1), (0.005, 1, 1)],
    "SRE18": [(0.01, 1, 1), (0.005, 1, 1)],
    "SRE21": [(0.01, 1, 1), (0.05, 1, 1)],
    "VoxSRC": [(0.05, 1, 1)],
    "ASVspoof5": [(0.95, 1, 10)],
    "EVALITA": [(0.5, 10, 1)],
}


def test_the_points_of_every_evaluation():
    """(p_target, c_miss, c_fa), as the evaluation plans and their scoring programs have them."""
    found = {
        name: [(point.p_target, point.c_miss, point.c_fa) for point in preset.points]
        for name, preset in PRESETS.items()
    }
    assert found == POINTS
    assert all(preset.name == name and preset.source for name, preset in PRESETS.items())


def test_where_both_norms_apply_they_agree():
    """C / (C_miss pi) is the trivial norm of rare targets, as NIST's plans from 2012 on have them."""
    for preset in PRESETS.values():
        for point in preset.points:
            if point.norm == "miss":
                assert point.p_target * point.c_miss < (1 - point.p_target) * point.c_fa


def test_an_operating_point_is_normalised_by_the_trivial_cost_unless_it_says_otherwise():
    assert OperatingPoint("mine") == OperatingPoint("mine", 0.5, 1.0, 1.0, True, "trivial")


def formula_of(text):
    measure = read_measure(text)
    return measure.formula, measure.arguments


@pytest.mark.parametrize("name", PRESETS)
def test_primary_costs_are_means_over_the_points(name):
    score, p, n, _ = group_ties(*labelled(TARGETS, NONTARGETS))
    _, s = staircase_of(TARGETS, NONTARGETS)
    points = POINTS[name]
    formula, arguments = formula_of(f"cprimary(points={name})")
    actual = np.mean([likelihood.actdcf(score, p, n, *point) for point in points])
    assert float(formula(score, p, n, **arguments)) == pytest.approx(actual, abs=1e-15)
    formula, arguments = formula_of(f"mincprimary(points={name})")
    least = np.mean([sweep.mindcf(s.misses, s.false_alarms, *point) for point in points])
    assert float(formula(s.misses, s.false_alarms, **arguments)) == pytest.approx(least, abs=1e-15)


def test_the_spoofing_point_weighs_false_alarms():
    """Of 95 % bona fide trials a miss costs .95, a false alarm .05 * 10: the unit is that of accepting all."""
    _, s = staircase_of([1.0, 3.0], [0.0, 2.0])
    formula, arguments = formula_of("mincprimary(points=ASVspoof5)")
    assert float(formula(s.misses, s.false_alarms, **arguments)) == pytest.approx(0.5)
    formula, arguments = formula_of("mindcf(p_target=0.95,c_fa=10,norm=miss)")
    assert float(formula(s.misses, s.false_alarms, **arguments)) == pytest.approx(0.25 / 0.95)


def test_names_with_words_round_trip():
    for text in (
        "cprimary",
        "cprimary(points=SRE08,calibration=pav)",
        "mincprimary(points=VoxSRC)",
        "mindcf(p_target=0.01,norm=miss)",
        "actdcf(c_miss=10,normalised=false,norm=miss,calibration=affine)",
    ):
        assert str(read_measure(text)) == text
    assert str(read_measure("cprimary(points=SRE16)")) == "cprimary"
    with pytest.raises(ConfigError, match="did you mean 'SRE16'"):
        read_measure("cprimary(points=SRE6)")


def test_costs_take_their_parameters_in_one_order():
    names = ["p_target", "c_miss", "c_fa", "normalised", "norm"]
    assert [parameter.name for parameter in NORMED_COST_PARAMETERS] == names
    assert list(MEASURES["mindcf"].arguments) == list(MEASURES["actdcf"].arguments) == names
