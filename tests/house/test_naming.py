"""Which questions a test names is found in its code, in what it imports and in the files that it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.research import naming
from tests.research.without_question import Outcome, concerned, of_two_questions

HELPER = "KEYS = 'gates: [{measure: hter}]'\n"


@pytest.mark.parametrize(
    ("code", "questions"),
    [
        ("frames['abstention']", {"abstention"}),
        ("read('gates: [{measure: far}]')", {"gates"}),
        ("study(curves=('tippett',))", {"likelihood_ratios"}),
        ("read('epc: none')", set()),
        ("read('epc.alphas=5', 'curves=[roc]')", {"curves"}),
        ("frames['epc']", {"epc"}),
        ("from reporting.features.ranking.frame import RANKING", {"ranking"}),
        ("from reporting.document.frames.comparisons import COMPARISONS", {"comparisons"}),
        ("reporting.epc(table)", {"epc"}),
        ("assert 'TR303' in page", {"gates"}),
        ("assert report.headline", {"answer"}),
        ("assert 'always-valid gates with independent: true assume that new' in page", {"gates"}),
        ("assert 'the history of gates and of some groups' in page", set()),
        ("data = costs = groups", set()),
        ("table.pairs, table.data", set()),
    ],
)
def test_a_test_names_a_question_by_a_word_that_it_declares(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, questions: set[str]
) -> None:
    assert named(monkeypatch, tmp_path, code) == questions


def named(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> set[str]:
    """Return what a module of one test names, whose other test names the passport."""
    monkeypatch.setattr(naming, "ROOT", folder)
    monkeypatch.setattr(naming, "TESTS", folder / "tests")
    module = folder / "tests" / "core" / "test_it.py"
    module.parent.mkdir(parents=True)
    (folder / "tests" / "helper.py").write_text(HELPER)
    module.write_text(f"def test_one():\n    {code}\n\n\ndef test_two():\n    frames['passport']\n")
    return naming.named("tests/core/test_it.py::test_one")


def test_what_all_tests_of_a_module_share_and_import_belongs_to_each(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert named(monkeypatch, tmp_path, "from helper import KEYS") == {"gates"}


def test_a_parameter_names_too() -> None:
    assert "history" in naming.named("tests/docs/test_snippets.py::test_parts[guide/history.md]")


def test_a_failure_that_names_nothing_is_hidden() -> None:
    test = "tests/base/cache/test_place.py::test_only_what_is_new_is_made"
    assert concerned(test, "KeyError: 'drift'", ["drift", "epc"]) == set()
    said = "ConfigError: the frame 'drift' is needed here, and no question of this program makes it"
    assert concerned(test, said, ["drift", "epc"]) == {"drift"}
    outcome = Outcome(3, 10, {"tests/a.py::test_a": {"epc"}}, {test: "KeyError: 'drift'"}, "2 failed")
    assert list(outcome.lines(["drift", "epc"])) == [
        "drift, epc: 2 failed",
        "  3 modules import one; outside: 10 passed, 1 failed and name one, 1 failed and name none",
        "  drift: named by 0 that failed",
        "  epc: named by 1 that failed",
        f"  HIDDEN {test}: KeyError: 'drift'",
    ]


def test_a_module_that_imports_one_by_another_asks_about_two_questions(tmp_path: Path) -> None:
    for place, code in {
        "tests/shared.py": "from reporting.features.epc.frame import RECIPES\n",
        "tests/core/test_by_another.py": "from shared import RECIPES\n",
        "configs/papers/a/page.py": "import reporting.features.epc\n",
        "tests/papers/test_a.py": "from configs.papers.a import page\n",
        "tests/core/test_alone.py": "import polars\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(code)
    found = {path.name for path in of_two_questions(["epc"], tmp_path)}
    assert found == {"shared.py", "test_by_another.py", "page.py", "test_a.py"}
