"""Texts that anybody may have written are made legible; nouns in the plural, as reports count them."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.base.legible import _INVISIBLE, all_legible, legible, plural
from reporting.base.records import dataclass
from tests.examples import few


def test_what_is_made_visible_is_never_printable():
    """So that a text of printable characters, such as nearly every one, is not looked through."""
    assert not [code for code in _INVISIBLE if chr(code).isprintable()]
    assert legible("a\x00b\u202e\n") == "a\u2400b\ufffd\n"


@dataclass(frozen=True)
class Named:
    """A value with a text."""

    text: str
    held: object = None


def plainly(value):
    """Rebuild everything, whatever it holds."""
    match value:
        case str():
            return value.translate(_INVISIBLE)
        case list() | tuple():
            return type(value)(map(plainly, value))
        case dict():
            return {plainly(key): plainly(item) for key, item in value.items()}
        case Named():
            return Named(plainly(value.text), plainly(value.held))
    return value


TEXTS = st.text(st.sampled_from("ab\x00\x7f\u202e\ud800é"), max_size=3)
VALUES = st.recursive(
    TEXTS | st.floats(allow_nan=False) | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXTS, inner, max_size=3)
        | st.builds(Named, TEXTS, inner)
    ),
    max_leaves=12,
)


@few(300)
@given(VALUES)
def test_every_text_is_made_legible_and_what_is_legible_is_not_copied(value):
    shown = all_legible(value)
    assert shown == plainly(value)
    assert type(shown) is type(value)
    assert (shown is value) == (plainly(value) == value)


def test_one_text_that_is_not_legible_leaves_the_others_as_they_are():
    plain, odd = Named("a", {"x": ["y"]}), Named("b\x01")
    both = all_legible((plain, odd))
    assert both[0] is plain
    assert both[1] == dataclasses.replace(odd, text="b\u2401")


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("speaker", "speakers"),
        ("family", "families"),
        ("day", "days"),
        ("batch", "batches"),
        ("class", "classes"),
        ("Person", "People"),
        ("child", "children"),
        ("users", "users"),
        ("people", "people"),
        ("series", "series"),
        ("user_id", "user_ids"),
        ("study_child", "study_children"),
        ("x2", "x2s"),
        ("话者", "话者s"),
    ],
)
def test_a_noun_in_the_plural(noun, many):
    assert plural(noun) == many
