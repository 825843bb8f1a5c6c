"""In CI a test that skips because something is missing must fail; other skips stay skips."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"

TESTS = """
import pytest

def test_shared(shared):
    pass

def test_other_reason():
    pytest.skip("only Linux offers this")
"""


@pytest.mark.parametrize(("required", "outcome"), [("1", "1 skipped, 1 error"), ("0", "2 skipped")])
def test_missing_things(tmp_path: Path, required: str, outcome: str) -> None:
    assert outcome in summary(tmp_path, required, TESTS)


@pytest.mark.parametrize(("required", "outcome"), [("1", "1 error"), ("0", "1 skipped")])
def test_a_module_that_skips_itself(tmp_path: Path, required: str, outcome: str) -> None:
    module = "import pytest\n\npytest.importorskip('no_such_module')\n\ndef test_it():\n    pass\n"
    assert outcome in summary(tmp_path, required, module)


def summary(folder: Path, required: str, tests: str) -> str:
    """Run tests in a project of their own and return pytest's last line."""
    (folder / "project" / "tests").mkdir(parents=True)
    shutil.copy(CONFTEST, folder / "project" / "tests")
    (folder / "project" / "tests" / "slow.txt").touch()
    (folder / "project" / "tests" / "test_it.py").write_text(tests)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"],
        cwd=folder / "project",
        env=os.environ | {"REPORTING_REQUIRE_ALL": required},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout.strip().splitlines()[-1]
