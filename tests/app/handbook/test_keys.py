"""Every key of a config is explained, by its path and by its name, as the documentation does."""

import re

import pytest
from command import reporting

from reporting.app.config.schema import json_schema
from reporting.app.handbook.codes import page_of
from reporting.app.handbook.keys import facts_of_key, keys_of_config, names_of_keys
from reporting.errors import UnknownNameError


def _names(part):
    """Yield the names of all keys anywhere in a schema but of those on their way out."""
    if isinstance(part, dict):
        yield from (name for name, of in part.get("properties", {}).items() if not of.get("deprecated"))
    for below in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _names(below)


def test_every_key_of_the_schema_is_there():
    assert {key.name for key in keys_of_config().values()} == set(_names(json_schema()))


def test_a_key_is_found_by_its_path_and_by_its_name():
    for path, key in keys_of_config().items():
        for word in (path.lower(), key.name.lower()):
            (fact,) = (fact for where, fact in facts_of_key(word) if where == f"key {key.whole}")
            assert fact.startswith(key.meaning)
            assert key.kind in fact


def test_what_a_key_takes_and_its_default_stand_behind_its_meaning():
    (where, fact), *others = facts_of_key("thresholds.folds")
    assert (where, others) == ("key thresholds.folds", [])
    assert fact.endswith("(whole number from 2 to 10,000; default 10)")
    (_, ties), *_ = facts_of_key("thresholds.ties")
    assert ties.endswith("(balanced, high, low; default balanced)")
    (_, source), *_ = facts_of_key("trials.source")
    assert source.endswith("; required)")


def test_no_part_of_a_name_finds_a_key():
    assert facts_of_key("olds") == facts_of_key("") == []


def test_a_word_that_is_a_column_and_a_key_is_explained_as_both():
    page = page_of("replicates")
    assert "column of metrics" in page
    assert "key significance.replicates: number of bootstrap resamples" in page


def test_the_nearest_key_is_named():
    with pytest.raises(UnknownNameError, match=r"did you mean 'significance\.replicates'\?"):
        page_of("significance.replicats")


def test_a_criterion_says_which_key_chooses_among_ties():
    shown = reporting("explain", "min_hter").stdout
    named = re.search(r"ties: .* key (\S+) names", shown)[1]
    assert named in names_of_keys()
    assert "ties" not in reporting("explain", "fixed").stdout
