"""The style sheet: no string that a reader can meet holds a word of the old wording."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import typer.main
from english import ROOT, documents, faults, static_texts
from simulated_results import World, simulate

from reporting.app.cli import app
from reporting.app.example.catalogue import write_example
from reporting.app.run.report import make_report
from reporting.base.word_files import read_words
from reporting.document.blocks import Report
from reporting.document.words.terms import VOCABULARIES
from reporting.features.compose import compose

ROOMS = sorted(path.name for path in (ROOT / "reporting").iterdir() if path.suffix == ".py" or path.is_dir())

ALLOWED = {
    "cut off": "scores and curves end there",
    "cuts off": "scores and curves end there",
    "counts without scores": "counts have none",
    "look at once": "the eye takes it in",
}
"""Texts that may hold a banned word, each with the reason."""


@pytest.mark.parametrize("old", (Path(__file__).parent / "old_wording.txt").read_text().splitlines())
def test_the_old_wording_is_found(old):
    assert faults(old)


def found(texts):
    return [(*place, hit) for *place, text in texts if (hit := faults(without_allowed(text)))]


def without_allowed(text):
    for allowed in ALLOWED:
        text = text.replace(allowed, "")
    return text


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "__pycache__"])
def test_texts_of_the_program(room):
    assert found(static_texts(ROOT / "reporting" / room)) == []


@pytest.mark.parametrize(
    "room", [room for room in ROOMS if room != "__pycache__" and not room.endswith(".py")]
)
def test_docstrings_and_comments(room):
    assert found(documents(ROOT / "reporting" / room)) == []


WORD_FILES = sorted(path for path in (ROOT / "reporting").rglob("*.yaml"))


@pytest.mark.parametrize("file", WORD_FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_files_of_words(file):
    texts = _words(read_words(file).plain())
    assert found((name, re.sub(r"\{\w+\}", "{}", text)) for name, text in texts) == []


@pytest.mark.parametrize("folder", ["configs", "templates"])
def test_texts_of_configs_and_templates(folder):
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".yaml", ".j2")]
    texts = [(str(path.relative_to(ROOT)), number, line) for path in files for number, line in _lines(path)]
    assert found(texts) == []


@pytest.mark.parametrize("name", ["MEASURES.md", "FRAMES.md", "PROMISES.md", "SECURITY.md"])
def test_pages_of_the_checkout(name):
    assert found((number, line) for number, line in _lines(ROOT / name)) == []


def _lines(path):
    comments = {".yaml": r"#.*|title:.*", ".j2": r">[^<>{}]+<"}
    kept = comments.get(path.suffix, ".*")
    return [
        (number, match[0])
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for match in re.finditer(kept, line)
    ]


def test_help():
    assert found(_helps(typer.main.get_command(app), "reporting")) == []


def _helps(command, name):
    yield name, command.help or ""
    for each in command.params:
        yield f"{name} {each.name}", getattr(each, "help", "") or ""
    for word, below in getattr(command, "commands", {}).items():
        yield from _helps(below, f"{name} {word}")


KEYS = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[a-z_]+=[\w.]+")
"""A key of the config, or a name with its value."""


@pytest.fixture(scope="module", params=VOCABULARIES)
def report(request):
    results = simulate(
        World(models=("a", "b", "c"), cluster="speaker", n_target=60, n_nontarget=90, alphas=9)
    )
    study = dataclasses.replace(results.study, vocabulary=request.param)
    return request.param, compose(dataclasses.replace(results, study=study))


def test_reports(report):
    vocabulary, made = report
    assert found(_texts(made)) == []
    if vocabulary != "biometrics":
        assert [text for *_, text in _texts(made) if re.search(r"a p(riori|osteriori)", text)] == []


OTHERWISE = ("pad", "medical", "ir", "ml", "evals")
"""Vocabularies that have a word of their own for a trial."""


def test_reports_speak_of_trials_in_the_words_of_the_field(report):
    vocabulary, composed = report
    texts = [text for *_, text in _texts(composed) if re.search(r"[Tt]rials?\b(?!\.parquet)", text)]
    texts = [text for text in texts if text != composed.signature]
    assert (texts == []) == (vocabulary in OTHERWISE)


def test_reports_print_no_key_of_the_config(report):
    _, made = report
    prose = [text for name, text in _texts(made) if " " in text and not name.startswith("Report")]
    assert [text for text in prose if KEYS.search(text) and text != made.signature] == []


FEW = ("significance.replicates=99", "epc.alphas=9", "report.formats=[json]")
NO_PROSE = ("spec", "provenance", "name", "key", "anchor", "kind", "series", "probes")
"""Fields of report.json that no reader reads as a text."""


@pytest.mark.parametrize("name", ["vote", "vote_in_depth"])
def test_whole_reports(tmp_path, name):
    folder = make_report(write_example(name, tmp_path / name), tmp_path / "out", FEW)
    assert found(set(_words(json.loads((folder / "report.json").read_text())))) == []


def _words(value, name=""):
    """Yield the field and the text of everything that a reader meets in a report."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for each in value:
            yield from _words(each, name)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key not in NO_PROSE:
                yield from _words(each, key)


def _texts(value, name=""):
    """Yield every text of a report that is no name of a file, a style or a model."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each, name)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in ("name", "provenance", "key") or isinstance(value, Report):
                yield from _texts(getattr(value, field.name), f"{type(value).__name__}.{field.name}")
