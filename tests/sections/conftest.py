"""Makes ``simulated_results`` importable whatever pytest's import mode; reports that nobody looks at."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def undrawn() -> Iterator[None]:
    """Leave figures without specs, which take a third of a report's time, where only words are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reporting.document.charts.picture.draw", lambda *_: {})
        yield
