"""The page of frames is the contract of every frame."""

from pathlib import Path

from reporting.app.handbook.frames import page_of_frames
from reporting.features.frames import FRAMES

ROOT = Path(__file__).parents[3]


def test_the_page_is_up_to_date():
    assert (ROOT / "FRAMES.md").read_text() == page_of_frames()


def test_every_column_has_a_meaning_and_every_nullable_one_says_when():
    for recipe in FRAMES.values():
        for column in recipe.frame.columns:
            assert column.meaning, (recipe.key, column.name)
            assert not column.nullable or "null" in column.meaning, (recipe.key, column.name)
