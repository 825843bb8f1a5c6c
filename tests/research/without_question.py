"""Take questions away in a copy of the repository, and run the tests of all others there.

``python -m tests.research.without_question QUESTIONS... [-- ARGUMENTS OF PYTEST]``: a copy for each word,
which lacks the questions that the word names, with commas between; without a word, four copies that each
lack a quarter. The tests in ``tests/features/QUESTION`` go with a question, and so do those that import it
elsewhere, because they ask about two questions together, and ``LISTS``. What fails names it in another way.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
    "tests/house/test_slow.py::test_every_slow_test_exists",
    "tests/research/combinations/test_combinations.py::test_the_generator_knows_all_that_a_config_may_name",
    "tests/research/combinations/test_combinations.py::test_3000_seeds_reach_every_key_20_times_and_every_pair_of_keys",
    "tests/research/combinations/test_laws.py::test_limits_and_statuses_name_columns_of_frames",
)
"""Tests that hold a list of what all questions bring: its keys, frames, codes, slow tests."""


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
    """Return the files of tests that import one of some questions, or a file that does."""
    imports = {path: set(_imported(path)) for path in (root / "tests").rglob("*.py")}
    gone = {f"reporting.features.{question}" for question in questions}
    files: list[Path] = []
    while more := [path for path in imports if path not in files and imports[path] & gone]:
        files += more
        names = [".".join(path.relative_to(root / "tests").with_suffix("").parts) for path in more]
        gone = {*names, *(f"tests.{name}" for name in names)}
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


def main(words: list[str]) -> int:
    """Run the tests without some questions at a time; return in how many copies these are named elsewhere."""
    at = words.index("--") if "--" in words else len(words)
    groups = [word.split(",") for word in words[:at]] or [DELETABLE[start::4] for start in range(4)]
    failed = 0
    for questions in groups:
        # On the file system of the repository: links do not lead to another.
        with tempfile.TemporaryDirectory(prefix=".without-", dir=ROOT.parent) as name:
            copy_without(questions, Path(name))
            together = of_two_questions(questions, Path(name))
            for path in together:
                path.unlink()
            arguments = [*(f"--deselect={test}" for test in LISTS), *words[at + 1 :]]
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
            done = subprocess.run(
                command, cwd=name, env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True
            )
            failed += done.returncode != 0
            lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
            print(
                f"{', '.join(questions)}: {len(together)} files ask about one of them and another question",
                *lines,
                done.stdout.strip().rpartition("\n")[2],
                sep="\n  ",
                flush=True,
            )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
