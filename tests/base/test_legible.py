"""Nouns in the plural, as reports and the terminal count them."""

import pytest

from reporting.base.legible import plural


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
