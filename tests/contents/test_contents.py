import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.contents import parse_call, show_value
from reporting.criteria.catalogue import CRITERIA, oracle, read_criterion
from reporting.errors import ConfigError
from reporting.measures.catalogue import MEASURES, read_measure


@pytest.mark.parametrize(
    "name",
    [*MEASURES, "mindcf(p_target=0.01,c_miss=10)", "weighted_error(alpha=0.25)", "mindcf(normalised=false)"],
)
def test_measure_names_round_trip(name):
    assert str(read_measure(name)) == name
    assert read_measure(str(read_measure(name))) == read_measure(name)


@pytest.mark.parametrize(
    "name", [*CRITERIA, "weighted_error(alpha=0.25)", "oracle(eer)", "oracle(weighted_error(alpha=0.1))"]
)
def test_criterion_names_round_trip(name):
    assert str(read_criterion(name)) == name
    assert read_criterion(str(read_criterion(name))) == read_criterion(name)


def test_canonical_form_orders_parameters_and_leaves_out_defaults():
    assert (
        str(read_measure(" mindcf( c_fa=1, c_miss=1e1 ,p_target = .010)"))
        == "mindcf(p_target=0.01,c_miss=10)"
    )
    assert read_measure("mindcf(p_target=0.5)") == MEASURES["mindcf"]
    assert hash(read_measure("mindcf(p_target=0.5)")) == hash(MEASURES["mindcf"])


def test_eer_as_a_measure_reads_the_hull_and_as_a_criterion_the_discrete_cut():
    assert read_measure("eer").key == "eer_rocch"
    assert read_criterion("eer").key == "eer"


def test_oracle_is_another_value():
    assert oracle(CRITERIA["eer"]) != CRITERIA["eer"]
    assert oracle(oracle(CRITERIA["eer"])) == read_criterion("oracle(eer)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("htre", "'htre' is not a measure; did you mean 'hter'?"),
        (
            "mindcf(p_tar=0.1)",
            "'mindcf' has no parameter 'p_tar'; allowed: p_target, c_miss, c_fa, normalised, norm; did you mean 'p_target'?",
        ),
        ("mindcf(p_target=2)", "p_target=2 is outside [1e-12, 0.999999999999]"),
        ("mindcf(p_target=abc)", "p_target=abc: a number is expected"),
        ("mindcf(p_target=nan)", "p_target=nan: a number is expected"),
        ("mindcf(normalised=1)", "normalised=1: true or false is expected"),
        ("mindcf(p_target=true)", "p_target=true: a number is expected"),
        ("mindcf(p_target=0.1,p_target=0.2)", "'p_target' is given twice"),
        ("mindcf(0.1)", "'0.1' is not of the form key=value"),
        ("hter()", "'' is not of the form key=value"),
        ("hter(alpha=1)", "'hter' has no parameter 'alpha'; it takes no parameters"),
        ("dcf(p_target=0.01", "has an unbalanced parenthesis; quote a name"),
        ("c_miss=10)", "has an unbalanced parenthesis; quote a name"),
    ],
)
def test_what_cannot_be_read_is_told(text, words):
    with pytest.raises(ConfigError) as caught:
        read_measure(text)
    assert words in str(caught.value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_print_as_the_shortest_text_that_reads_back(x):
    assert float(show_value(x)) == x
    assert parse_call(f"a(b={show_value(x)})") == ("a", {"b": show_value(x)})
