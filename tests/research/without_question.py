"""Take questions away in a copy of the repository, and run the tests of all others there.

``python -m tests.research.without_question QUESTIONS... [-- ARGUMENTS OF PYTEST]``: a copy for each word,
which lacks the questions that the word names, with commas between; without a word, four copies that each
lack a quarter. The tests in ``tests/features/QUESTION`` go with a question, and so do modules of tests and of
papers that import it elsewhere, because they ask about two questions together, and ``LISTS``. A test that
fails must name what was taken away (``naming``), or the program must say which frame it needs: any other
failure is a dependency that nobody sees. ``@FILE`` among the arguments runs the tests whose ids it has.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.research.naming import declared, named

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ROOT / "reporting" / "features"
QUESTIONS = sorted(path.parent.name for path in FEATURES.glob("*/__init__.py"))
HELD = {
    "paper_tables": "a notebook's table of all measures is one of them",
    "planning": "the command, the call of Python and the pilot, which reads a config, need it",
}
"""Questions that other rooms still name, with the reason."""
DELETABLE = [name for name in QUESTIONS if name not in HELD]
NOT_COPIED = shutil.ignore_patterns("*.pyc.*", ".git", ".venv", "node_modules", ".hypothesis")
LISTED = ("reporting/features/catalogue.py", "pyproject.toml")
"""Files with a line for every question."""

LISTS = (
    "tests/app/config/test_config_messages.py::test_one_fault",
    "tests/app/config/test_config_overrides.py::test_a_fault_names_the_override",
    "tests/app/config/test_config_schema.py::test_every_key_of_the_contract_is_there",
    "tests/app/handbook/test_frames_page.py::test_the_page_is_up_to_date",
    "tests/docs/test_gallery.py::test_every_config_belongs_to_a_card_and_is_accepted",
    "tests/docs/test_snippets.py::test_every_code_has_an_example_or_a_reason_why_not",
    "tests/features/test_ru2009_references.py::test_every_frame_follows_its_contract",
    "tests/house/test_house.py::test_check[ruff check]",
    "tests/house/test_slow.py::test_every_slow_test_exists",
    "tests/papers/test_programs.py::test_every_paper_is_run",
    "tests/research/combinations/test_combinations.py::test_the_generator_knows_all_that_a_config_may_name",
    "tests/research/combinations/test_combinations.py::test_3000_seeds_reach_every_key_20_times_and_every_pair_of_keys",
    "tests/research/combinations/test_laws.py::test_limits_and_statuses_name_columns_of_frames",
)
"""Tests that hold a list of what all questions bring: its keys, frames, codes, slow tests, papers; and the
order of imports, which a module that is not there changes."""


def copy_without(questions: list[str], to: Path, *rooms: str) -> None:
    """Copy folders of the repository, all without a name, by links to their files, without some questions."""
    for room in rooms or (path.name for path in ROOT.iterdir() if path.name not in (".git", ".venv")):
        place = ROOT / room
        if place.is_dir():
            shutil.copytree(place, to / room, copy_function=os.link, ignore=NOT_COPIED)
        else:
            os.link(place, to / room)
    for question in questions:
        shutil.rmtree(to / "reporting" / "features" / question)
        shutil.rmtree(to / "tests" / "features" / question, ignore_errors=True)
    named = "|".join(questions)
    for file in (to / name for name in LISTED):
        if file.exists():
            left = re.sub(rf'^ *"(reporting\.features\.)?({named})",\n', "", file.read_text(), flags=re.M)
            file.unlink()  # a link: the repository's own file stays
            file.write_text(left)


def of_two_questions(questions: list[str], root: Path) -> list[Path]:
    """Return the modules of tests and of papers that import one of some questions, or a module that does."""
    imports = {
        path: set(_imported(path)) for room in ("tests", "configs") for path in (root / room).rglob("*.py")
    }
    gone = {f"reporting.features.{question}" for question in questions}
    files: list[Path] = []
    while more := [path for path in imports if path not in files and imports[path] & gone]:
        files += more
        names = [".".join(path.relative_to(root).with_suffix("").parts) for path in more]
        gone = {*names, *(name.removeprefix("tests.") for name in names)}
    return files


def _imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, with those above them."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for parts in (name.split(".") for name in names):
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


@dataclass(frozen=True)
class Outcome:
    """What the tests outside some questions gave without them."""

    together: int
    """Modules that import one of the questions, which were taken away as well."""
    passed: int
    naming: dict[str, set[str]]
    """Tests that failed, each with those of the questions that it names."""
    hidden: dict[str, str]
    """Tests that failed and name none, each with its fault."""
    ended: str

    def lines(self, questions: Sequence[str]) -> Iterator[str]:
        """Yield what was found, a line each."""
        counts = Counter(question for of in self.naming.values() for question in of)
        yield f"{', '.join(questions)}: {self.ended}"
        yield (
            f"  {self.together} modules import one; outside: {self.passed} passed, {len(self.naming)} failed"
            f" and name one, {len(self.hidden)} failed and name none"
        )
        yield from (f"  {question}: named by {counts[question]} that failed" for question in questions)
        for test, fault in sorted(self.hidden.items()):
            yield f"  HIDDEN {test}: {fault.strip().splitlines()[0] if fault.strip() else 'no message'}"


NEEDED = re.compile(r"the frame '(\w+)' is needed here, and no question")
"""What the program answers where a question that it asks is not there."""


def run_without(questions: list[str], arguments: Sequence[str] = ()) -> Outcome:
    """Run the tests outside some questions in a copy without these."""
    # On the file system of the repository: links do not lead to another.
    with tempfile.TemporaryDirectory(prefix=".without-", dir=ROOT.parent) as name:
        folder = Path(name)
        copy_without(questions, folder)
        together = of_two_questions(questions, folder)
        for path in together:
            path.unlink()
        kept = folder / "outcome.xml"
        left_out = [*(f"--deselect={test}" for test in LISTS), f"--junitxml={kept}"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out]
        command += [
            "--hypothesis-profile=unshrunk",
            "--continue-on-collection-errors",
            *_there(arguments, folder),
        ]
        done = subprocess.run(
            command, cwd=name, env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True
        )
        ended = done.stdout.strip().rpartition("\n")[2]
        if not kept.exists():
            raise RuntimeError(f"{ended}\n{done.stderr}")
        suite = next(ElementTree.parse(kept).iter("testsuite"))
    failed = {_id_of(case): text for case in suite.iter("testcase") if (text := _fault(case)) is not None}
    naming = {test: of for test, text in failed.items() if (of := concerned(test, text, questions))}
    hidden = {test: text for test, text in failed.items() if test not in naming}
    passed = sum(case.find("skipped") is None for case in suite.iter("testcase")) - len(failed)
    return Outcome(len(together), passed, naming, hidden, ended)


def _there(arguments: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield arguments, and the ids of a file of ids whose modules a copy still has."""
    for argument in arguments:
        if argument.startswith("@"):
            ids = Path(argument[1:]).read_text().splitlines()
            listed = folder / "ids.txt"
            listed.write_text("\n".join(each for each in ids if (folder / each.partition("::")[0]).exists()))
            yield f"@{listed}"
        else:
            yield argument


def concerned(test: str, fault: str, questions: list[str]) -> set[str]:
    """Return those of some questions that a failed test names, or whose frame the program said it needs."""
    needed = set(NEEDED.findall(fault))
    return named(test, questions) | {question for question in questions if needed & declared(question)}


def _id_of(case: ElementTree.Element) -> str:
    """Return the id of a test, or the module that could not be collected."""
    module, name = case.get("classname", ""), case.get("name", "")
    file = (module or name).replace(".", "/") + ".py"
    return f"{file}::{name}" if module else file


def _fault(case: ElementTree.Element) -> str | None:
    """Return the text of a test that failed."""
    texts = [f"{each.get('message')}\n{each.text}" for each in case if each.tag in ("failure", "error")]
    return "\n".join(texts) if texts else None


def main(words: list[str]) -> int:
    """Run the tests without some questions at a time; return how many fail that do not name them."""
    at = words.index("--") if "--" in words else len(words)
    groups = [word.split(",") for word in words[:at]] or quarters()
    hidden = 0
    for questions in groups:
        outcome = run_without(questions, words[at + 1 :])
        print(*outcome.lines(questions), sep="\n", flush=True)
        hidden += len(outcome.hidden)
    return hidden


def quarters() -> list[list[str]]:
    """Return the questions in four parts, neighbours apart."""
    return [DELETABLE[start::4] for start in range(4)]


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
