"""A question can be taken away: its folder and its line in the list of questions, and the rest still runs."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ROOT / "reporting" / "features"
FOLDERS = sorted(path.parent.name for path in FEATURES.glob("*/__init__.py"))

HELD = {
    "answer": "no report is without the first screen",
    "methods": "no report is without its data line and signature",
    "operating_points": "a notebook's metrics without a development set are made of its rows",
    "comparisons": "a notebook's comparisons without a development set are adjusted by it",
    "abstention": "the schema of configs names its keys",
    "paper_tables": "the schema of configs names its keys",
    "fits": "the schema of configs names its keys",
    "gates": "the program's exit code and the runs it remembers need it",
    "history": "the program's commands need it",
    "planning": "the program's commands need it",
}
"""Questions that other rooms still name, with the reason."""
DELETABLE = [name for name in FOLDERS if name not in HELD]


IMPORTED = {
    (path, node.module)
    for path in (ROOT / "reporting").rglob("*.py")
    for node in ast.walk(ast.parse(path.read_text()))
    if isinstance(node, ast.ImportFrom) and node.module
}


def importers(name: str) -> set[str]:
    """Return the modules outside a question's folder that import it."""
    return {
        str(path.relative_to(ROOT))
        for path, module in IMPORTED
        if f"{module}.".startswith(f"reporting.features.{name}.") and FEATURES / name not in path.parents
    }


@pytest.mark.parametrize("name", DELETABLE)
def test_nothing_outside_imports_a_question(name: str) -> None:
    assert not importers(name)


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_is_imported(name: str) -> None:
    assert importers(name)


def test_a_report_without_every_question_that_can_be_taken_away(tmp_path: Path) -> None:
    for folder in ("reporting", "configs", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    listed = tmp_path / "reporting" / "features" / "catalogue.py"
    text = listed.read_text()
    for name in DELETABLE:
        shutil.rmtree(tmp_path / "reporting" / "features" / name)
        text = re.sub(rf'^ *"{name}",\n', "", text, count=1, flags=re.MULTILINE)
    listed.write_text(text)
    # A config may name the curves of questions that are there.
    vote = tmp_path / "configs" / "vote.yaml"
    vote.write_text(re.sub(r"^curves: .*\n", "", vote.read_text(), count=1, flags=re.MULTILINE))
    program = (
        "import importlib, pkgutil, sys, reporting\n"
        "for module in pkgutil.walk_packages(reporting.__path__, 'reporting.'):\n"
        "    if not module.name.endswith(('__main__', '.spark')):\n"
        "        importlib.import_module(module.name)\n"
        "from reporting.app.example.catalogue import write_example\n"
        "from pathlib import Path\n"
        "reporting.make_report(write_example('vote', Path('vote')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "vote" / "report" / "report.html").exists()
