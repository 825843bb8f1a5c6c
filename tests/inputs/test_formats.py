"""A format of files is one value: what is known of it is asked of no other place."""

from __future__ import annotations

import sys
from types import ModuleType

import polars as pl
import pytest

from reporting.app.config.sources import find_sources
from reporting.app.init.starter import write_starter
from reporting.errors import ConfigError, UnreadableError
from reporting.inputs.files import open_file
from reporting.inputs.formats import catalogue
from reporting.inputs.formats.catalogue import Format, Reader, format_of
from reporting.inputs.paths import PathNaming
from reporting.inputs.remote.objects import chosen
from reporting.inputs.spec import File


def scan(path, names):
    """Every word of a file is a trial."""
    words = path.read_text().strip("\0").split()
    if not words:
        raise ValueError("no words")
    labels = [word[0] for word in words]
    return pl.LazyFrame({"label": labels, "score": [float(word[1:]) for word in words]})


@pytest.fixture
def words(monkeypatch):
    """A format of another module, named as those of the program are."""
    module = ModuleType("words")
    module.WORDS = Reader(scan, lambda path: "it has no words")
    monkeypatch.setitem(sys.modules, "reporting.inputs.formats.words", module)
    added = Format("words", (".words",), "words:WORDS")
    monkeypatch.setattr(catalogue, "FORMATS", (*catalogue.FORMATS, added))
    return added


def test_files_of_a_new_format_are_known_everywhere(tmp_path, words):
    (tmp_path / "model=A").mkdir()
    path = tmp_path / "model=A" / "x.WORDS"
    path.write_text("\0 1.5 0.25 1.75 0.5")
    assert format_of(path.name) is words
    assert format_of("x.words.gz") is None
    (file,) = find_sources(".", tmp_path)
    assert open_file(file).collect().rows()[0] == ("1", 0.5, "A")
    (key,) = chosen("lake", ["lake/a.words", "lake/b.word"], PathNaming())
    assert key.text == "lake/a.words"
    write_starter([str(path)], tmp_path / "new.yaml")
    assert "layout: wide" in (tmp_path / "new.yaml").read_text()


def test_what_is_wrong_with_a_file_is_its_reader_s_to_say(tmp_path, words):
    (tmp_path / "x.words").write_text("\0 ")
    with pytest.raises(UnreadableError, match="x.words: cannot be read: it has no words"):
        open_file(File(tmp_path / "x.words"))


def test_the_extra_is_named_that_brings_what_reads_a_format(tmp_path, monkeypatch):
    def lacks(module, name):
        raise ModuleNotFoundError(module, name="fastexcel.reader")

    monkeypatch.setattr(catalogue, "attribute", lacks)
    sheet = Format("excel", (".xlsx",), "sheets:EXCEL", extra="excel")
    with pytest.raises(ConfigError, match=r"a file \.xlsx needs fastexcel, .* 'trial-reporting\[excel\]'"):
        _ = sheet.opened
    with pytest.raises(ModuleNotFoundError):
        _ = Format("own", (".own",), "own:OWN").opened
