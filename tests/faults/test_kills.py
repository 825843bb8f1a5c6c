"""Runs ended at a moment of their own leave whole things, and the next run makes what it would have made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def page_of(*options: str) -> str:
    """Return the page of a campaign; each of its runs is checked where it is made."""
    ended = subprocess.run(
        [sys.executable, str(HERE / "kills.py"), *options],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": f"{HERE.parents[1]}:{HERE.parent}"},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_few_moments() -> None:
    page = page_of("--every", "240", "--times", "1", "--writers", "2")
    assert page.startswith((HERE / "kills.md").read_text().partition("\n\n")[0])


@pytest.mark.long
def test_every_moment() -> None:
    assert "same bytes" in page_of("--every", "1", "--times", "40", "--writers", "200")
