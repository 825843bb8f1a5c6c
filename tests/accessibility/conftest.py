"""The checker of pages, and a browser to run it in."""

from __future__ import annotations

from pathlib import Path

import pytest

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, of the version that package-lock.json names."""
    if not AXE.is_file():
        pytest.skip("axe-core is missing: npm ci --ignore-scripts --prefix tests/accessibility")
    return AXE.read_text(encoding="utf-8")
