"""The checks that keep the house: whatever is configured in pyproject.toml is run here."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "reporting").rglob("*.py"))
MOST_BODY_LINES = 45

CHECKS = {
    "ruff check": ["-m", "ruff", "check"],
    "ruff format": ["-m", "ruff", "format", "--check"],
    "mypy": ["-m", "mypy"],
    "import-linter": [
        "-c",
        "from importlinter.cli import lint_imports_command as lint; lint()",
        "--no-cache",
    ],
}


@pytest.mark.parametrize("check", CHECKS)
def test_check(check: str) -> None:
    ran = subprocess.run(
        [sys.executable, *CHECKS[check]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{check}:\n{ran.stdout}{ran.stderr}"


def test_every_question_is_kept_from_the_others() -> None:
    named = set(re.findall(r'^  "reporting\.features\.(\w+)",$', (ROOT / "pyproject.toml").read_text(), re.M))
    assert named == {path.parent.name for path in (ROOT / "reporting" / "features").glob("*/__init__.py")}


def test_functions_stay_short() -> None:
    found = {name: lines for path in MODULES for name, lines in body_lengths(path)}
    assert len(found) > 100
    assert not {name: lines for name, lines in found.items() if lines > MOST_BODY_LINES}


def body_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Yield every function of a module with the lines of its body, its docstring left out."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", lines


# Written in pieces, so that this file does not hold what it looks for.
INDEX_ADDRESSES = ["files." + "pythonhosted", "index" + "-url", "pypi." + "org/simple", "/sim" + "ple/"]
MACHINE_PATHS = [f"/{folder}/" for folder in ("home", "root", "work", "Users")]


@pytest.mark.parametrize("text", INDEX_ADDRESSES + MACHINE_PATHS)
def test_no_file_names_an_index_or_a_machine(text: str) -> None:
    pattern = re.compile(rf"(?<![\w.}}]){re.escape(text)}" if text in MACHINE_PATHS else re.escape(text))
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in committed_text()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if pattern.search(line)
    ]
    assert not found


def committed_text() -> Iterator[Path]:
    """Yield the text files git tracks or would add."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("a git checkout is missing")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(listing, cwd=ROOT, text=True).split("\0")
    for path in (ROOT / name for name in names if name):
        if path.is_file() and b"\0" not in path.read_bytes():
            yield path
