"""Keys of objects are chosen, and speak, as the paths of the same files do."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.app.config.sources import find_sources
from reporting.errors import ConfigError
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.objects import chosen, fixed_part, is_folder

KEYS = [
    "lake/model=A/p 1.csv",
    "lake/model=B%3A1/sub/p2.csv",
    "lake/model=B/.hidden.csv",
    "lake/_tmp/p.csv",
    "lakes/x.csv",
]


def texts(keys):
    return [key.text for key in keys]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("lake/", KEYS[:2]),
        ("lake", KEYS[:2]),
        ("", [*KEYS[:2], KEYS[4]]),
        ("lake/*/p*.csv", [KEYS[3], KEYS[0]]),
        ("lake/model=?/*.csv", KEYS[:1]),
        ("lake/**/*.csv", KEYS[:2]),
        ("lake/{model}.csv", []),
    ],
)
def test_what_is_chosen(asked, found):
    assert sorted(texts(chosen(asked, KEYS, PathNaming()))) == sorted(found)


def test_what_keys_say():
    naming = PathNaming({"split": "part"})
    (first, second) = chosen(
        "lake/{split}-*/m=*/x.csv", ["lake/dev-1/m=B%3A1/x.csv", "lake/test-2/m=ü/x.csv"], naming
    )
    assert first.path_values == (("m", "B:1"), ("part", "dev"))
    assert second.path_values == (("m", "ü"), ("part", "test"))


@pytest.mark.parametrize(
    ("asked", "part"),
    [("a/b/*.csv", "a/b"), ("a/{model}/x.csv", "a"), ("*.csv", ""), ("a/b", "a/b"), ("a/b/x.csv", "a/b")],
)
def test_only_what_is_below_the_fixed_part_is_listed(asked, part):
    assert fixed_part(asked, PathNaming()) == part


def test_a_field_s_file_is_no_folder_whatever_its_name():
    assert is_folder("a/scores", PathNaming())
    assert not is_folder("a/scores", PathNaming(any_kind=True))


NAMES = st.sampled_from(["a", "b", "m=A", "m=B", ".h", "_t"])
FILES = st.sampled_from(["x.csv", "y.parquet", "a.txt", ".x.csv", "_x.csv", "dev.csv"])
PATHS = st.builds(lambda folders, name: "/".join([*folders, name]), st.lists(NAMES, max_size=3), FILES)
STEPS = st.sampled_from(["a", "*", "**", "m=*", "{model}", "m={model}", "?", "[ab]"])
ENDS = st.sampled_from(["*.csv", "x.csv", "{split}.csv", "*", "*.parquet", "**"])
PATTERNS = st.builds(lambda steps, end: "/".join([*steps, end]), st.lists(STEPS, max_size=3), ENDS)


@settings(max_examples=60)
@given(keys=st.sets(PATHS, min_size=1, max_size=8), asked=PATTERNS)
def test_the_same_as_of_files(keys, asked):
    with TemporaryDirectory() as name:
        folder = Path(name)
        for key in keys:
            (folder / key).parent.mkdir(parents=True, exist_ok=True)
            (folder / key).write_text("a")
        try:
            files = [
                (one.path.relative_to(folder).as_posix(), one.path_values)
                for one in find_sources(asked, folder)
            ]
        except ConfigError as error:
            files = [] if "no file" in str(error) else None
    if not set("*?[{") & set(asked):
        return
    try:
        found = [(key.text, key.path_values) for key in chosen(asked, keys, PathNaming())]
    except ConfigError:
        found = None
    assert found == files
