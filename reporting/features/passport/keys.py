"""The key ``report.passport``: whether, and on how many simulated tables, the report checks itself."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reporting.document.keys import PLAIN, QuestionKey, true_or

USUAL, FEWEST, MOST = 200, 10, 100_000


PASSPORT_KEY = QuestionKey[int | None](
    name="report.passport",
    after="tables",
    kind=true_or(
        Annotated[int, Field(ge=FEWEST, le=MOST), PLAIN],
        USUAL,
        {"type": "integer", "minimum": FEWEST, "maximum": MOST},
    ),
    default=None,
    description="measure on simulated tables how often intervals hold the truth, and the size and power of"
    f" the test; true: {USUAL} tables, or their number",
    only_given=True,
    allows_noise=False,
)
KEYS = (PASSPORT_KEY,)
