"""Every caution, flag, status, gate and error has one code, which keeps its meaning for good."""

import ast
import os
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from command import reporting

from reporting.app.handbook.codes import KIND_TITLES
from reporting.base.codes import Flag, Status
from reporting.errors import ConfigError
from reporting.features.codes import codes, find_code

ROOT = Path(__file__).resolve().parents[3]
GIVEN_AWAY = Path(__file__).with_name("codes.txt")
"""``TR101 status no_targets``: lines are added, and none is changed or removed."""
TEXTS = ("title", "meaning", "detected", "matters", "remedy")


def names_of(kind):
    return [code.name for code in codes().values() if code.kind == kind]


def test_every_status_and_flag_has_one_code():
    assert names_of("status") == list(get_args(Status))
    assert names_of("flag") == list(get_args(Flag))


def test_codes_are_unique_and_their_digit_says_what_they_are_about():
    keys = Counter(code.key for code in codes().values())
    assert max(keys.values()) == 1
    assert list(keys) == sorted(keys)
    assert all(len(key) == 5 and key[:2] == "TR" and key[2:].isdecimal() for key in keys)
    assert {code.kind for code in codes().values()} <= set(KIND_TITLES)
    for kind in KIND_TITLES:
        assert len(set(names_of(kind))) == len(list(names_of(kind)))


def test_no_code_ever_changes_its_meaning():
    now = [f"{code.key} {code.kind} {code.name}" for code in codes().values()]
    given = GIVEN_AWAY.read_text().splitlines()
    if os.environ.get("REPORTING_RENEW") == "1":
        GIVEN_AWAY.write_text("\n".join(sorted({*given, *now})) + "\n")
        given = GIVEN_AWAY.read_text().splitlines()
    assert len({line.split()[0] for line in given}) == len(given), "a code has two meanings"
    assert set(now) <= set(given), "new codes: REPORTING_RENEW=1 adds them"
    retired = set(given) - set(now)
    assert not {line.split()[0] for line in retired} & {code.key for code in codes().values()}


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: code.key)
def test_every_page_is_whole(code):
    texts = [getattr(code, name) for name in TEXTS]
    assert all(texts)
    assert not texts[0].endswith(".")
    assert [text for text in texts[1:] if not text.endswith(".")] == []


def test_what_explain_prints_of_a_code_has_no_places_to_fill():
    texts = {
        (code.key, text)
        for code in codes().values()
        for text in (code.meaning, code.detected, code.matters, code.remedy)
    }
    assert not [each for each in texts if re.search(r"\{\w+\}", each[1])]


def test_cautions_are_made_with_codes_alone():
    """Only the catalogue makes cautions; those of a user's own sections have no code."""
    places = {
        path.relative_to(ROOT / "reporting").as_posix()
        for path in (ROOT / "reporting").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Caution"
    }
    assert places == {"document/words/codes.py", "features/own_sections.py"}


@pytest.mark.parametrize(
    ("text", "key"),
    [("TR205", "TR205"), ("tr205 ", "TR205"), ("below_rule_of_30", "TR205"), ("no_dev", "TR106")],
)
def test_a_code_is_found_by_number_and_name(text, key):
    assert find_code(text).key == key


@pytest.mark.parametrize(
    ("text", "guess"), [("TR2055", "'TR205'"), ("few_cluster", "'few_clusters'"), ("TR999", "TR9")]
)
def test_an_unknown_code_has_a_nearest_guess(text, guess):
    with pytest.raises(ConfigError, match=f"{text}' is not a code; did you mean.*{guess}"):
        find_code(text)


def test_the_terminal_explains_a_code():
    done = reporting("explain", "tr205")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "TR205: Few errors"
    assert lines[1] == "  kind: flag below_rule_of_30"
    assert '  to fold it away: ignore: {TR205: "your reason"}' in lines
    assert "cannot be ignored" in reporting("explain", "TR401").stdout


def test_the_terminal_lists_all_codes_and_guesses():
    listed = reporting("explain").stdout
    assert [code.key for code in codes().values() if f"  {code.key}  " not in listed] == []
    done = reporting("explain", "few_eror")
    assert (done.returncode, "did you mean 'few_errors'" in done.stderr) == (2, True)
