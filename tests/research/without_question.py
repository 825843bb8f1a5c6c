"""Take a question away in a copy of the repository, and run the tests of all others there.

``python -m tests.research.without_question QUESTION... [-- ARGUMENTS OF PYTEST]``; all questions without a
name. Its tests in ``tests/features/QUESTION`` go with it: what fails names it elsewhere.
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


def copy_without(question: str, to: Path, *rooms: str) -> None:
    """Copy folders of the repository, all without a name, by links to their files, without a question."""
    for room in rooms or (path.name for path in ROOT.iterdir() if path.name not in (".git", ".venv")):
        place = ROOT / room
        if place.is_dir():
            shutil.copytree(place, to / room, copy_function=os.link, ignore=NOT_COPIED)
        else:
            os.link(place, to / room)
    shutil.rmtree(to / "reporting" / "features" / question)
    shutil.rmtree(to / "tests" / "features" / question, ignore_errors=True)
    for file in (to / name for name in LISTED):
        if file.exists():
            left = re.sub(rf'^ *"(reporting\.features\.)?{question}",\n', "", file.read_text(), flags=re.M)
            file.unlink()  # a link: the repository's own file stays
            file.write_text(left)


def main(words: list[str]) -> int:
    """Run the tests without each question; return how many of them are named elsewhere."""
    at = words.index("--") if "--" in words else len(words)
    named, arguments = words[:at] or QUESTIONS, words[at + 1 :]
    failed = 0
    for question in named:
        # On the file system of the repository: links do not lead to another.
        with tempfile.TemporaryDirectory(prefix=".without-", dir=ROOT.parent) as name:
            copy_without(question, Path(name))
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
            done = subprocess.run(
                command, cwd=name, env={**os.environ, "PYTHONPATH": name}, capture_output=True, text=True
            )
            failed += done.returncode != 0
            lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
            print(question, *lines, done.stdout.strip().rpartition("\n")[2], sep="\n  ", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
