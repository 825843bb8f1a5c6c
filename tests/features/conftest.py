"""Reports that nobody looks at."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def undrawn() -> Iterator[None]:
    """Leave figures without specs, which take a third of a report's time, where only words are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reporting.document.charts.picture.draw", lambda *_: {})
        yield
