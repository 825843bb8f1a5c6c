"""Which files a source names, in which order, and what their paths say of the rows in them."""

from __future__ import annotations

import glob
import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from snapshot import snapshot

from reporting.app.config.sources import find_sources
from reporting.errors import ConfigError
from reporting.inputs.paths import PathNaming
from reporting.inputs.spec import File


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with many names that are nearly the same."""
    root = tmp_path_factory.mktemp("tree")
    for folder in ("", "a/", "a/b/", "ab/", ".a/", "a/.b/", "b-a/ab/"):
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name in ("a.csv", "b.csv", "ab.csv", "a-b.csv", ".a.csv", "é.csv", "a.b.csv"):
            (root / folder / name).touch()
    return root


STEPS = st.lists(
    st.sampled_from(["*", "?", "a", "b", "[ab]", "[!a]", "-", ".", "é", "[a-c]", "]"]), min_size=1, max_size=4
)
PATTERNS = st.lists(STEPS.map("".join) | st.just("**"), min_size=1, max_size=3).map("/".join)


@given(pattern=PATTERNS, end=st.sampled_from(["", ".csv", "/*.csv", "/**/*.csv"]))
def test_stars_and_brackets_match_as_everywhere(tree: Path, pattern: str, end: str) -> None:
    assume(".." not in pattern and not (tree / (pattern + end)).is_dir())
    theirs = {tree / name for name in glob.glob(pattern + end, root_dir=tree, recursive=True)}  # noqa: PTH207
    theirs = {path for path in theirs if path.is_file()}
    try:
        ours = [place.path for place in find_sources(pattern + end, tree) if isinstance(place, File)]
    except ConfigError:
        ours = []
    assert {os.path.normpath(path) for path in ours} == {os.path.normpath(path) for path in theirs}
    assert len(set(ours)) == len(ours)


def said(
    folder: Path, source: str, *names: str, naming: PathNaming | None = None
) -> dict[str, dict[str, str]]:
    """Make files, and return what the paths of those that a source names say, in their order."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    found = [place for place in find_sources(source, folder, naming) if isinstance(place, File)]
    return {str(place.path.relative_to(folder)): dict(place.path_values) for place in found}


SYSTEM = PathNaming(
    {"model": "system", "split": "part", "cluster": "speaker", "cluster_b": "other"}, ("D", "T")
)


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("{model}.csv", "A b.csv", {"system": "A b"}),
        ("{system}.csv", "007.csv", {"system": "007"}),
        ("{speaker}/{cluster_b}.csv", "x/y.csv", {"speaker": "x", "other": "y"}),
        ("{gender}.csv", "f.csv", {"gender": "f"}),
        ("run{run}/*.csv", "run01/x.csv", {"run": "01"}),
        ("**/{dataset}/*-{trial}.csv", "p/q/d/1-t.csv", {"dataset": "d", "trial": "t"}),
        ("{model}/{model}.csv", "A/A.csv", {"system": "A"}),
        ("{model}-{system}.csv", "A-A.csv", {"system": "A"}),
        ("{{{model}}}.csv", "{A}.csv", {"system": "A"}),
        ("{{x}}.csv", "{x}.csv", {}),
        ("{model}-{split}.csv", "a-D-T.csv", {"system": "a-D", "part": "T"}),
        ("{split}-{model}.csv", "T-b-D.csv", {"part": "T", "system": "b-D"}),
        ("{model}.{split}.csv", "v1.2.T.csv", {"system": "v1.2", "part": "T"}),
        ("{model}[0-9].csv", "A1.csv", {"system": "A"}),
        ("{model}?.csv", "AB1.csv", {"system": "AB"}),
        ("x={model}.csv", "x=A.csv", {"system": "A"}),
        ("{model}.csv", "é\n'\".csv", {"system": "é\n'\""}),
        ("lake/*/*.csv", "lake/system=A/x.csv", {"system": "A"}),
        ("lake", "lake/system=A%2FB/part=T/x.csv", {"system": "A/B", "part": "T"}),
        ("lake/", "lake/a%20b=%3D/007=007/x.csv", {"a b": "=", "007": "007"}),
        ("lake", "lake/k=a=b/x.csv", {"k": "a=b"}),
        ("lake", "lake/system=__HIVE_DEFAULT_PARTITION__/x.csv", {"system": ""}),
        ("lake", "lake/=x/y=/z.csv", {"y": ""}),
        ("lake", "lake/k=1/plain/k=1/v=2.csv", {"k": "1"}),
        ("lake/system=A/*.csv", "lake/system=A/x.csv", {}),
        ("lake/system={model}/part={split}/x.csv", "lake/system=a%20b/part=T/x.csv", {"system": "a b", "part": "T"}),
    ],
)  # fmt: skip
def test_what_a_path_says(tmp_path: Path, source: str, name: str, expected: dict[str, str]) -> None:
    assert said(tmp_path, source, name, naming=SYSTEM) == {name: expected}


def test_a_file_that_is_there_is_taken_as_it_is_called(tmp_path: Path) -> None:
    assert said(tmp_path, "{model}.csv", "{model}.csv", "A.csv") == {"{model}.csv": {}}
    assert said(tmp_path, "m=1/x.csv", "m=1/x.csv") == {"m=1/x.csv": {}}


def test_values_that_differ_do_not_match_one_placeholder(tmp_path: Path) -> None:
    assert list(said(tmp_path, "{model}/{model}.csv", "A/A.csv", "A/B.csv", "B/B.csv")) == [
        "A/A.csv",
        "B/B.csv",
    ]


def test_a_value_is_one_character_at_least_and_no_hidden_name(tmp_path: Path) -> None:
    assert list(said(tmp_path, "x{model}.csv", "x.csv", "xa.csv", "xa/b.csv")) == ["xa.csv"]
    assert list(said(tmp_path, "{model}.csv", ".a.csv", "b.csv")) == ["b.csv", "x.csv", "xa.csv"]


def test_files_come_in_the_order_of_their_names_bytes(tmp_path: Path) -> None:
    names = ["B.csv", "a.csv", "a/z.csv", "z.csv", "é.csv", "\uffee.csv", "\U0001f600.csv"]
    assert list(said(tmp_path, "", *reversed(names))) == sorted(names, key=str.encode)


def test_a_folder_is_read_deeply_without_what_is_hidden_or_put_aside(tmp_path: Path) -> None:
    aside = [".h.csv", "_log.csv", "_SUCCESS", "_tmp/a.csv", ".git/a.csv", "notes.txt", "a.csv.crc"]
    taken = ["a.csv", "b/c.parquet", "b/d/e.JSONL.ZST", "_k=1/f.tsv.gz", "g.ipc"]
    assert list(said(tmp_path, ".", *aside, *taken)) == sorted(taken, key=str.encode)


def test_layouts_with_formats_of_their_own_read_files_of_any_name(tmp_path: Path) -> None:
    names = ["x/dev.scores", "x/eval", "x/key.lst"]
    assert list(said(tmp_path, "x", *names, naming=PathNaming(any_kind=True))) == names
    with pytest.raises(ConfigError):
        said(tmp_path, "x/*", naming=PathNaming())


def test_placeholders_are_resolved_by_the_columns_of_the_config(read, faults, folder) -> None:
    for name in ("A-TS1.csv", "A-TS2.csv"):
        (folder / name).touch()
    text = "trials:\n  source: 'A-{split}.csv'\n  columns: {split: part}\n  values: {target: 1, dev: TS1, test: TS2}\n"
    assert [one.path_values for one in read(text).trials.sources] == [(("part", "TS1"),), (("part", "TS2"),)]
    snapshot(
        "config/sources_placeholders_are_resolved_by_the_columns_of_the_config",
        "\n".join(faults("trials:\n  source: [a.csv, '{model}-{split}x.csv']\n")),
    )
    keyed = "trials: {layout: kaldi, source: notes.md, keys: '{split}.md'}\n"
    assert [one.path_values for one in read(keyed).trials.keys] == [(("split", "notes"),)]
