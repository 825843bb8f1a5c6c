import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import rates, score_lists, staircase_of

from reporting.stats import sweep as fixed

NINE = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]
HOW = st.sampled_from(["at_most", "nearest", "interp"])


def errors_of(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    return s.misses, s.false_alarms


@pytest.mark.parametrize(
    ("far", "how", "frr"),
    [
        (0.4, "at_most", 0.2),
        (0.3, "at_most", 0.6),
        (0.3, "nearest", 0.2),
        (0.2, "nearest", 0.6),
        (0.25, "nearest", 0.6),
        (0.25, "interp", 0.4),
        (1 / 3, "at_most", 0.2),
        (1 / 3, "nearest", 0.2),
        (1 / 3, "interp", 0.2),
        (0, "at_most", 0.6),
        (0, "nearest", 0.6),
        (0, "interp", 0.6),
        (0.1, "nearest", 0.6),
        (1, "at_most", 0),
        (1, "interp", 0),
        (0.9, "nearest", 0),
    ],
)
def test_frr_at_far_of_the_hand_set(far, how, frr):
    """Cuts (FAR, FRR): (1, 0), (5/6, 0), (4/6, 0), (2/6, 1/5), (1/6, 3/5), (0, 3/5), ..."""
    assert fixed.frr_at_far(*errors_of(*NINE), far, how) == pytest.approx(frr, abs=1e-15)


@pytest.mark.parametrize(
    ("frr", "how", "far"),
    [(0.3, "at_most", 1 / 3), (0.5, "nearest", 0), (0.4, "nearest", 1 / 3), (0.4, "interp", 1 / 4)],
)
def test_far_at_frr_of_the_hand_set(frr, how, far):
    """0.4 lies halfway between 0.2 and 0.6: the cut that keeps to the bound; at 0.6 the lowest FAR is 0."""
    assert fixed.far_at_frr(*errors_of(*NINE), frr, how) == pytest.approx(far, abs=1e-15)


def test_medical_readings_of_the_hand_set():
    errors = errors_of(*NINE)
    assert fixed.sensitivity_at(*errors, 2 / 3) == 0.8
    assert fixed.sensitivity_at(*errors, 0.7) == 0.4
    assert fixed.sensitivity_at(*errors, 0.75, "interp") == pytest.approx(0.6, abs=1e-15)
    assert fixed.specificity_at(*errors, 0.8) == 4 / 6
    assert fixed.specificity_at(*errors, 0.9) == 2 / 6
    assert fixed.specificity_at(*errors, 0.9, "interp") == pytest.approx(0.5, abs=1e-15)


def test_decimal_bounds_are_met_by_their_own_rates():
    """3 of 300 is 0.01, one of ten keeps a specificity of 0.9, and 0.15 is as near to 0.1 as to 0.2."""
    tens = errors_of([0.5, 1.5, 2.5], [-1] * 7 + [0, 1, 2])
    assert fixed.sensitivity_at(*tens, 0.9) == 2 / 3
    assert fixed.specificity_at(*tens, 2 / 3) == 0.9
    assert fixed.frr_at_far(*tens, 0.15, "nearest") == 1 / 3
    assert fixed.frr_at_far(*tens, 0.35, "nearest") == 0
    hundreds = errors_of([0.5, 1.5], [0] * 297 + [1] * 3)
    assert fixed.frr_at_far(*hundreds, 0.01) == 0


def by_search(points, far, how):
    """The rule of methods 5.2 over (FAR, FRR) as fractions, with the bound as a decimal fraction."""
    if how == "nearest":
        return min((abs(x - far), x, y) for x, y in points)[2]
    return min(y for x, y in points if x <= far)


@given(
    score_lists(odd=True, most=12),
    score_lists(odd=True, most=12),
    st.fractions(0, 1, max_denominator=24),
    st.sampled_from(["at_most", "nearest"]),
)
def test_cuts_by_search(targets, nontargets, far, how):
    _, s = staircase_of(targets, nontargets)
    found = fixed.frr_at_far(s.misses, s.false_alarms, float(far), how)
    assert found == float(by_search(rates(s), far, how))


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1), st.floats(0, 1), HOW)
def test_a_looser_bound_is_never_worse(targets, nontargets, a, b, how):
    errors = errors_of(targets, nontargets)
    low, high = sorted((a, b))
    assert fixed.frr_at_far(*errors, high, how) <= fixed.frr_at_far(*errors, low, how) + 1e-15


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1))
def test_the_line_runs_between_neighbouring_cuts(targets, nontargets, far):
    _, s = staircase_of(targets, nontargets)
    errors = s.misses, s.false_alarms
    looser = max((float(y) for x, y in rates(s) if x > far), default=0.0)
    on_line = float(fixed.frr_at_far(*errors, far, "interp"))
    assert looser - 1e-15 <= on_line <= fixed.frr_at_far(*errors, far) + 1e-15


@given(score_lists(odd=True), score_lists(odd=True), st.floats(0, 1), HOW)
def test_four_names_of_one_reading(targets, nontargets, x, how):
    """Classes swapped, FAR at FRR is FRR at FAR, and specificity at sensitivity the other way round."""
    one = errors_of(targets, nontargets)
    other = errors_of([-s for s in nontargets], [-s for s in targets])
    assert fixed.far_at_frr(*one, x, how) == fixed.frr_at_far(*other, x, how)
    assert fixed.specificity_at(*one, x, how) == fixed.sensitivity_at(*other, x, how)


@given(score_lists(odd=True), score_lists(odd=True), st.integers(0, 64), HOW)
def test_sensitivity_is_one_less_the_misses(targets, nontargets, k, how):
    """At bounds that floats hold exactly."""
    errors = errors_of(targets, nontargets)
    sensitivity = float(fixed.sensitivity_at(*errors, 1 - k / 64, how))
    assert sensitivity == pytest.approx(1 - float(fixed.frr_at_far(*errors, k / 64, how)), abs=1e-12)


def test_an_empty_class_is_undefined_and_rows_have_their_own_bound():
    for lists in (([], [1.0, 2.0]), ([1.0, 2.0], [])):
        for formula in (fixed.frr_at_far, fixed.far_at_frr, fixed.sensitivity_at, fixed.specificity_at):
            assert np.isnan(formula(*errors_of(*lists)))
    given = np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 4.0]])
    wanted = np.array([[9.0, 8.0, 7.0], [9.0, 8.0, 7.0]])
    np.testing.assert_array_equal(fixed.read_at(given, wanted, np.array([0.5, 3.0]), "interp"), [8.5, 7.5])
