import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.contents import Contents, Named, parse_call, show_value
from reporting.core.criteria.catalogue import CRITERIA, oracle, read_criterion
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.errors import ConfigError, did_you_mean, listed, quoted


@pytest.mark.parametrize(
    "name",
    [
        *map(str, MEASURES.values()),
        "mindcf(p_target=0.01,c_miss=10)",
        "weighted_error(alpha=0.25)",
        "mindcf(normalised=false)",
    ],
)
def test_measure_names_round_trip(name):
    assert str(read_measure(name)) == name
    assert read_measure(str(read_measure(name))) == read_measure(name)


@pytest.mark.parametrize(
    "name",
    [
        *map(str, CRITERIA.values()),
        "weighted_error(alpha=0.25)",
        "oracle(eer)",
        "oracle(weighted_error(alpha=0.1))",
    ],
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


@pytest.mark.parametrize(
    ("text", "key"), [("EER", "eer"), ("MIN_HTER", "min_hter"), ("min HTER", "min_hter")]
)
def test_a_criterion_is_read_in_any_letter_case(text, key):
    assert read_criterion(text) == CRITERIA[key]


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
        ("mindcf(p_target=abc)", "p_target=abc: expected a number"),
        ("mindcf(p_target=nan)", "p_target=nan: expected a number"),
        ("mindcf(normalised=1)", "normalised=1: expected true or false"),
        ("mindcf(p_target=true)", "p_target=true: expected a number"),
        ("mindcf(p_target=0.1,p_target=0.2)", "'p_target' is given twice"),
        ("mindcf(0.1)", "'0.1' is not of the form key=value; parameters of 'mindcf': p_target, c_miss, c_fa"),
        ("hter(0.1)", "'0.1' is not of the form key=value; 'hter' takes no parameters"),
        ("mindcf(p_target=0.1,)", "'' is not of the form key=value"),
        ("precision_at(k=2.7)", "k=2.7: expected a whole number"),
        ("precision_at(k=x)", "k=x: expected a whole number"),
        ("mindcf(p_target=٠.٥)", "p_target=٠.٥: expected a number"),
        ("mindcf(p_target=0.1_0)", "p_target=0.1_0: expected a number"),
        ("mindcf(p_target=０.１)", "p_target=０.１: expected a number"),
        (
            "calibration_error(bins=0)",
            "bins=0: expected 5 or 10 or 15 or 20 or 25 or 50 or 100",
        ),
        ("x" * 200, f"'{'x' * 79}…' is not a measure (allowed"),
        ("hter(alpha=1)", "'hter' has no parameter 'alpha'; it takes no parameters"),
        ("dcf(p_target=0.01", "has an unbalanced parenthesis; quote a name"),
        ("c_miss=10)", "has an unbalanced parenthesis; quote a name"),
    ],
)
def test_what_cannot_be_read_is_told(text, words):
    with pytest.raises(ConfigError) as caught:
        read_measure(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "minDCF(0.01)",
            "parameters of 'mindcf': p_target, c_miss, c_fa, normalised, norm, as in mindcf(p_target=0.01)",
        ),
    ],
)
def test_names_of_other_tools_lead_to_ours(text, words):
    with pytest.raises(ConfigError) as caught:
        read_measure(text)
    assert words in str(caught.value)


def test_a_guess_among_numbers_is_no_help():
    with pytest.raises(ConfigError) as caught:
        read_measure("calibration_error(bins=0)")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "best(f1)",
            "'best(f1)': 'f1' is not of the form key=value; parameters of 'best': measure, as in best(measure=f1)",
        ),
        ("oracle(oracle(eer))", "'oracle(oracle(eer))': oracle is given twice"),
    ],
)
def test_what_is_no_criterion_is_told(text, words):
    with pytest.raises(ConfigError) as caught:
        read_criterion(text)
    assert words in str(caught.value)


def test_empty_parentheses_are_none():
    assert read_measure("hter()") == read_measure("hter")
    assert read_criterion("eer( )") == CRITERIA["eer"]


def test_whole_numbers_may_be_written_as_floats():
    assert str(read_measure("precision_at(k=2e1)")) == "precision_at(k=20)"
    assert str(read_measure("precision_at").at(k=7)) == "precision_at(k=7)"


def test_a_guess_ignores_case_and_completes_a_beginning():
    assert did_you_mean("GENDER", ["gender", "agenda"]) == "; did you mean 'gender'?"
    assert did_you_mean("score", ["scored", "Score"]) == "; did you mean 'Score'?"
    assert did_you_mean("prob", ["score", "probability"]) == "; did you mean 'probability'?"
    assert did_you_mean("pr", ["score", "probability"]) == ""


def test_names_are_cut_where_they_are_too_long():
    assert quoted("a" * 80) == repr("a" * 80)
    assert quoted("a" * 81) == repr("a" * 79 + "…")
    assert listed(["b" * 200, "c"]) == "b" * 81 + "…, c"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_print_as_the_shortest_text_that_reads_back(x):
    assert float(show_value(x)) == x
    assert parse_call(f"a(b={show_value(x)})") == ("a", {"b": show_value(x)})


def test_values_of_others_come_last_and_are_asked_for_only_where_a_name_is_not_known():
    asked = []

    def others():
        asked.append(1)
        return [Named(key="theirs")]

    contents = Contents("value", [Named(key="ours")], added=others)
    assert (contents["ours"].key, asked) == ("ours", [])
    assert (contents["theirs"].key, list(contents), asked) == ("theirs", ["ours", "theirs"], [1])


@pytest.mark.parametrize("key", ["ours", "o_urs", "taken"])
def test_a_value_of_others_has_a_name_of_its_own(key):
    contents = Contents("value", [Named(key="ours")], added=lambda: [Named(key=key)], taken=["taken"])
    with pytest.raises(ConfigError, match=f"two values have the name '{key}'"):
        list(contents)
