"""Take a question away in a copy of the repository, and run the tests of all others there.

``python -m tests.research.without_question QUESTION... [-- ARGUMENTS OF PYTEST]``; all questions without a
name. Its tests in ``tests/features/QUESTION`` go with it, and so do those that import it elsewhere, because
they ask about two questions together, and ``LISTS``. What fails names it in another way.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ROOT / "reporting" / "features"
QUESTIONS = sorted(path.parent.name for path in FEATURES.glob("*/__init__.py"))
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


def of_two_questions(question: str, root: Path) -> list[Path]:
    """Return the files of tests that import a question, or a file that does, by their names."""
    texts = {path: path.read_text() for path in (root / "tests").rglob("*.py")}
    wanted, files = [rf"reporting\.features\.{question}\b"], dict[Path, None]()
    while wanted:
        pattern = re.compile("|".join(wanted))
        more = [path for path, text in texts.items() if path not in files and pattern.search(text)]
        files |= dict.fromkeys(more)
        wanted = [
            rf"(?:from|import) (?:[\w.]+\.)?{path.stem}\b"
            for path in more
            if not path.stem.startswith("test_")
        ]
    return list(files)


def main(words: list[str]) -> int:
    """Run the tests without each question; return how many of them are named elsewhere."""
    at = words.index("--") if "--" in words else len(words)
    named, arguments = words[:at] or QUESTIONS, words[at + 1 :]
    failed = 0
    for question in named:
        # On the file system of the repository: links do not lead to another.
        with tempfile.TemporaryDirectory(prefix=".without-", dir=ROOT.parent) as name:
            copy_without([question], Path(name))
            together = of_two_questions(question, Path(name))
            for path in together:
                path.unlink()
            lists = [f"--deselect={test}" for test in LISTS]
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *lists, *arguments]
            done = subprocess.run(
                command, cwd=name, env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True
            )
            failed += done.returncode != 0
            lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
            print(
                f"{question}: {len(together)} files ask about two questions",
                *lines,
                done.stdout.strip().rpartition("\n")[2],
                sep="\n  ",
                flush=True,
            )
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
