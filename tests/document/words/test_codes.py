"""Every code that a frame may hold has words, and no other code stands in a frame."""

import re
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

from reporting.base.codes import CiMethod, Flag, PMethod, Status
from reporting.core.resampling.settings import Correction
from reporting.document.words.codes import CI_METHODS, CORRECTIONS, FLAGS, NO_REASON, P_METHODS, REASONS
from reporting.document.words.phrases import reason
from reporting.document.words.terms import VOCABULARIES

CODES = {
    "status": (get_args(Status), REASONS),
    "flag": (get_args(Flag), FLAGS),
    "ci_method": (get_args(CiMethod), CI_METHODS),
    "p_method": (get_args(PMethod), P_METHODS),
    "correction": (tuple(set(get_args(Correction)) - {"none"}), CORRECTIONS),
}


@pytest.mark.parametrize("kind", CODES)
def test_every_code_has_words_and_none_is_made_up(kind):
    codes, words = CODES[kind]
    assert sorted(codes) == sorted(words)
    for value in words.values():
        fields = getattr(value, "SENTENCES", ("name", "between_runs"))
        sentences = [text for name in fields if (text := getattr(value, name))]
        assert sentences, value.key
        assert not [text for text in sentences if "_" in re.sub(r"\{\w+\}", "", text)]


def test_methods_have_names_for_any_field():
    names = [method.name for of in (CI_METHODS, P_METHODS, CORRECTIONS) for method in of.values()]
    assert not [name for name in names if "trial" in name]


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_a_reason_prints_no_code_not_even_of_a_stranger(vocabulary):
    for status in (*REASONS, "brand_new"):
        assert " " in reason(status, VOCABULARIES[vocabulary])
    assert reason("brand_new", VOCABULARIES[vocabulary]) == NO_REASON


def strangers(folder: Path):
    """The codes in the frames of a report that have no words, by frame and column."""
    columns = {"status": REASONS, "reason": REASONS, "ci_method": CI_METHODS, "p_method": P_METHODS}
    found = {}
    for file in sorted(folder.glob("frames/*.parquet")):
        frame = pl.read_parquet(file)
        for column, words in (columns | {"correction": CORRECTIONS, "flags": FLAGS}).items():
            if column in frame.columns:
                values = frame[column].explode() if column == "flags" else frame[column]
                if unknown := set(values.drop_nulls()) - set(words):
                    found[file.stem, column] = unknown
    return found


def test_no_frame_of_the_report_in_depth_has_a_code_without_words(example):
    assert strangers(example("vote_in_depth").with_name("report")) == {}
