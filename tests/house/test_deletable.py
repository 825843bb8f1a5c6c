"""A question can be taken away: its folder and its line in the list of questions, and the rest still runs.

The tests outside its folder pass, or they name it by a word that it declares.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from tests.research.without_question import (
    DELETABLE,
    FEATURES,
    HELD,
    ROOT,
    copy_without,
    quarters,
    run_without,
)


@cache
def imported() -> set[tuple[Path, str]]:
    """Return every module of the program with each that it imports from."""
    return {
        (path, node.module)
        for path in (ROOT / "reporting").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module
    }


def importers(name: str) -> set[str]:
    """Return the modules outside a question's folder that import it."""
    return {
        str(path.relative_to(ROOT))
        for path, module in imported()
        if f"{module}.".startswith(f"reporting.features.{name}.") and FEATURES / name not in path.parents
    }


@pytest.mark.parametrize("name", HELD)
def test_what_is_held_is_imported(name: str) -> None:
    assert importers(name)


VOTE = """
import importlib, pkgutil, reporting
for module in pkgutil.walk_packages(reporting.__path__, "reporting."):
    if not module.name.endswith(("__main__", ".spark")):
        importlib.import_module(module.name)
from pathlib import Path
assert Path(reporting.__file__).is_relative_to(Path.cwd())
from reporting.app.example.catalogue import write_example
from reporting.app.run.report import make_report
few = ["curves=[]", "significance.replicates=39", "report.formats=[html]", "report.interactive=false"]
few.append("run.cache=cache")
make_report(write_example("vote", Path("vote")), overrides=few)
"""
COPIES = f"""
import os, sys, traceback
import altair, jinja2, pandas, polars, pydantic, scipy.stats, sklearn.base, vl_convert
for folder in map(str.strip, sys.stdin):
    if not (child := os.fork()):
        try:
            os.chdir(folder)
            sys.path.insert(0, folder)
            exec({VOTE!r})
        except BaseException:
            traceback.print_exc(file=open("fault", "w"))
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
    print(flush=True)
"""
"""A process that has the libraries and nothing of the program, and runs one copy after the other in a fork."""


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Path], str]]:
    """Run the vote in a copy, and return the fault."""
    command = [sys.executable, "-c", COPIES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as copies:
        folders, ends = copies.stdin, copies.stdout
        assert folders
        assert ends

        def run_in(folder: Path) -> str:
            print(folder, file=folders, flush=True)
            assert ends.readline() == "\n"
            fault = folder / "fault"
            return fault.read_text() if fault.exists() else ""

        yield run_in
        folders.close()


@pytest.mark.parametrize("name", DELETABLE)
def test_nothing_outside_its_folder_imports_a_question(name: str) -> None:
    assert not importers(name)


APART = list(zip(DELETABLE, combinations(range(9), 2), strict=False))
"""Each question and the two of nine copies that lack it: no two questions are missing in the same two."""


@pytest.mark.parametrize("copy", range(9))
def test_without_some_questions_all_is_imported_and_the_vote_runs(
    copy: int, tmp_path: Path, run: Callable[[Path], str]
) -> None:
    """Whatever needs a question is there in a copy that lacks it: what is missing at once would be hidden."""
    assert_runs_without([name for name, copies in APART if copy in copies], tmp_path, run)


@pytest.mark.long
@pytest.mark.parametrize("name", DELETABLE)
def test_without_a_question_all_is_imported_and_the_vote_runs(
    name: str, tmp_path: Path, run: Callable[[Path], str]
) -> None:
    assert_runs_without([name], tmp_path, run)


@pytest.mark.long
@pytest.mark.parametrize("questions", quarters(), ids=lambda questions: questions[0])
def test_tests_outside_pass_or_name_what_was_taken_away(questions: list[str]) -> None:
    """Any other failure is a dependency that nobody sees."""
    outcome = run_without(questions, ("-n", "2", "-m", "not slow and not long"))
    assert outcome.passed > 5000, outcome.ended
    assert outcome.hidden == {}


def test_every_pair_of_questions_is_apart() -> None:
    missing = {name: set(copies) for name, copies in APART}
    assert missing.keys() == set(DELETABLE)
    assert all(missing[one] - missing[other] for one in missing for other in missing if one != other)


def assert_runs_without(names: list[str], folder: Path, run: Callable[[Path], str]) -> None:
    """Import and run a copy that lacks some questions."""
    copy_without(names, folder, "reporting", "configs", "templates")
    assert run(folder) == ""
    assert (folder / "vote" / "report" / "report.html").exists()
