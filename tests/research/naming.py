"""Which questions a test names, by what the questions themselves declare.

A test names a question where its code, or a file that it reads, has a word that the question's ``Feature``
declares: its name, a section, frame, curve, key, command, fit or code, or the first screen where it writes
the answer. It also names one whose sentence it repeats: some words in a row that the question's folder has. What all
tests of a module share, the modules of ``tests``, ``docs`` and ``configs`` that it imports, and the
``conftest.py`` above it belong to each of its tests. A test in the folder of a question names those, too,
whose frames this question reads.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from reporting.base.extensions import imported
from reporting.document.blocks import InWords
from reporting.document.sections import ALWAYS
from reporting.document.words.codes import CAUTIONS, FLAGS
from reporting.features.catalogue import FEATURES
from tests.config_keys import TOP

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
FOLDERS = ROOT / "reporting" / "features"
FIRST_SCREEN = frozenset(field.name for field in dataclasses.fields(InWords))
"""What a report has of the answer in words."""
PUBLIC = {"reporting", "api"}
"""What tests call the package, whose functions have the names of frames and commands."""
LEAST = 12
"""Characters of a repeated sentence: fewer may be anybody's words."""
RUN = 5
"""Words in a row that a longer text has from a question."""
READ = tuple(ROOT / folder for folder in ("docs/pages", "configs", "tests/snapshots"))
"""Folders of files that tests read by their names."""


@cache
def declared(question: str) -> frozenset[str]:
    """Return the words that a question declares."""
    feature = FEATURES[question]
    words = {question, *(recipe.key for recipe in feature.recipes())}
    words |= {word for section in feature.sections for word in (section.key, section.title)}
    words |= {
        key.name.rpartition(".")[2] for key in (imported(f"{feature.keys}:KEYS") if feature.keys else ())
    }
    words |= {curve.key for curve in feature.curves} | set(imported(feature.fits) if feature.fits else ())
    words |= {place.rpartition(":")[2] for place in feature.commands}
    words |= {word for code in feature.spoken().codes.values() for word in (code.key, code.name, code.title)}
    if feature.answer:
        words |= {ALWAYS, ALWAYS.capitalize(), *FIRST_SCREEN}
    if feature.cautions and not (feature.sections or feature.frames):
        # Cautions are all that it has to say, also those of the program's flags: who asks for one asks it.
        words |= {"caution", "cautions"}
        words |= {word for code in (*CAUTIONS.values(), *FLAGS.values()) for word in (code.key, code.title)}
    return frozenset(words)


@cache
def _pattern(question: str) -> re.Pattern[str]:
    """Return what finds a declared word in text.

    One that may be plain English counts beside a mark of code alone, and one that is a key of every config
    only where no value follows it: ``epc: none`` asks for no EPC.
    """
    words = declared(question)
    keys = "|".join(words & set(TOP)) or "(?!)"
    plain = (
        "|".join(word for word in words if word.isalpha() and word.islower() and word not in TOP) or "(?!)"
    )
    other = [word for word in words - set(TOP) if not (word.isalpha() and word.islower())]
    others = "|".join(map(re.escape, other)) or "(?!)"
    before, after = r"(?:[\[({:=/,\"'`-]\s*|\w\.)", r"(?:\s*[\])}:=/,\"'`]|\.\w|\[)"
    beside = rf"{before}(?:{plain})(?![\w-])|(?<![\w.-])(?:{plain}){after}"
    listed = rf"[\[/,]\s*(?:{keys})(?:\s*[\],]|\.parquet)"
    return re.compile(rf"{beside}|{listed}|^\s*(?:{plain}|{keys})\s*$|(?<![\w-])(?:{others})(?![\w-])", re.M)


@cache
def _sentences(question: str) -> tuple[str, frozenset[str]]:
    """Return all texts of the folder of a question, a line each, and every run of some words in one."""
    folder = FOLDERS / question
    texts = [text for path in folder.rglob("*.py") for text in _texts([_tree(path)])]
    texts += [path.read_text() for path in folder.rglob("*") if path.suffix in {".yaml", ".txt"}]
    lines = [" ".join(text.split()) for text in texts]
    return "\n".join(lines), frozenset(run for line in lines for run in _runs(line))


def _runs(text: str) -> Iterator[str]:
    words = text.split()
    return (" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _repeats(question: str, texts: Iterable[str]) -> bool:
    """Return whether texts repeat a sentence of a question, or some words of it in a row."""
    whole, runs = _sentences(question)
    return any(
        not runs.isdisjoint(_runs(text)) if text.count(" ") >= RUN - 1 else text in whole for text in texts
    )


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the strings of code, and of strings with slots what is between these; no docstrings."""
    for each in (each for node in nodes for each in ast.walk(node)):
        for child in ast.iter_child_nodes(each):
            if (
                isinstance(child, ast.Constant)
                and isinstance(child.value, str)
                and not isinstance(each, ast.Expr)
            ):
                yield child.value


def _identifiers(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names in code that may be those of a question: ``COMPARISONS`` is the frame of that name.

    A variable or an attribute of one plain word, such as ``data``, may be anything.
    """
    for each in (each for node in nodes for each in ast.walk(node)):
        if isinstance(each, ast.keyword) and each.arg and each.arg not in TOP:
            yield each.arg
        elif isinstance(each, ast.Name | ast.Attribute):
            name = each.id if isinstance(each, ast.Name) else each.attr
            of = each.value if isinstance(each, ast.Attribute) else None
            asked = of is not None and name in (*FIRST_SCREEN, "cautions")
            asked |= isinstance(of, ast.Name) and of.id in PUBLIC
            if ("_" in name and name not in TOP) or name.isupper() or asked:
                yield name.lower()
        elif isinstance(each, ast.ImportFrom) and each.module and each.module.startswith("reporting."):
            yield from each.module.split(".")[2:3] if each.module.startswith("reporting.features.") else ()
            of_page = ("cautions", "Caution")
            yield from (n.name.lower() for n in each.names if n.name.isupper() or n.name in of_page)
        elif isinstance(each, ast.ImportFrom) and each.module in PUBLIC:
            yield from (alias.name for alias in each.names)


def _reached(start: Iterable[Path], following: Callable[[Path], Iterable[Path]]) -> set[Path]:
    """Return the files that there are among some, and those that follow from these, in any number of steps."""
    more, seen = [*start], set[Path]()
    while more:
        file = more.pop()
        if file not in seen and file.exists():
            seen.add(file)
            more += following(file)
    return seen


def _imported_tests(path: Path) -> set[Path]:
    """Return a module of tests with the ``conftest.py`` above it and the modules of tests it imports."""
    above = (folder / "conftest.py" for folder in path.parents if TESTS in folder.parents)
    return _reached([path, *above], _imports_of_tests)


def _imports_of_tests(file: Path) -> Iterator[Path]:
    for node in ast.walk(_tree(file)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            place = name.removeprefix("tests.").replace(".", "/") + ".py"
            yield from (TESTS / place, file.parent / place)
            if name.startswith(("configs.", "docs.")):
                yield ROOT / place


@cache
def _frames_read(question: str) -> frozenset[str]:
    """Return the frames of ``document`` that the code of a question imports, itself or by ``document``."""
    imports = [
        node
        for file in _reached((FOLDERS / question).rglob("*.py"), _imports_of_document)
        for node in _of_document(file)
    ]
    frames = (node for node in imports if str(node.module).startswith("reporting.document.frames."))
    return frozenset(alias.name.lower() for node in frames for alias in node.names if alias.name.isupper())


def _imports_of_document(file: Path) -> Iterator[Path]:
    for node in _of_document(file):
        place = FOLDERS.parents[1] / str(node.module).replace(".", "/")
        yield from (place.with_suffix(".py"), *(place / f"{alias.name}.py" for alias in node.names))


def _of_document(file: Path) -> Iterator[ast.ImportFrom]:
    """Yield what a file imports from ``document``."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reporting.document."):
            yield node


@cache
def _files() -> dict[str, Path]:
    """Return the files that a test may read, by their place in one of the folders, or a name of their own."""
    suffixes = {".yaml", ".txt", ".json", ".md"}
    every = [(folder, path) for folder in READ for path in folder.rglob("*") if path.suffix in suffixes]
    names = Counter(path.name for _, path in every)
    alone = {path.name: path for _, path in every if names[path.name] == 1}
    return alone | {path.relative_to(folder).as_posix().removesuffix(".txt"): path for folder, path in every}


def _read(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts of files that strings of a test name."""
    for text in texts:
        if path := _files().get(text.removesuffix(".txt")):
            yield path.read_text(errors="replace")


@cache
def _shared(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names and the strings that every test of a module has."""
    nodes: list[ast.AST] = [node for node in _tree(path).body if not _is_test(node)]
    nodes += [_tree(file) for file in _imported_tests(path) if file != path]
    return frozenset(_identifiers(nodes)), frozenset(_texts(nodes))


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def named(test: str, among: Iterable[str] = tuple(FEATURES.own)) -> set[str]:
    """Return those of some questions that a test names, by its id; of a whole module those of all its tests."""
    file, _, rest = test.partition("::")
    function, _, parameters = rest.partition("[")
    path = ROOT / file
    own = [
        node for node in _tree(path).body if _is_test(node) and function in ("", getattr(node, "name", ""))
    ]
    shared, strings = _shared(path)
    identifiers = shared | set(_identifiers(own))
    texts = strings | set(_texts(own)) | {parameters.rstrip("]")}
    texts |= set(_read(texts))
    of = path.relative_to(TESTS).parts
    frames = _frames_read(of[1]) if of[0] == "features" and len(of) > 2 else frozenset()
    sentences = {" ".join(text.split()) for text in texts}
    sentences = {text for text in sentences if len(text) >= LEAST and " " in text}
    return {
        question
        for question in among
        if {word.replace("-", "_").lower() for word in declared(question)} & identifiers
        or any(_pattern(question).search(text) for text in texts)
        or _repeats(question, sentences)
        or declared(question) & frames
    }
