"""The key ``report.passport``: whether, and on how many simulated tables, the report checks itself."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from reporting.document.keys import PLAIN, QuestionKey

USUAL, FEWEST, MOST = 200, 10, 100_000


def _as_number(value: Any) -> Any:
    """Read true as the usual number, and false as none."""
    words = {"true": USUAL, "false": 0}
    return words.get(str(value).lower(), value)


PASSPORT_KEY = QuestionKey[int | None](
    name="report.passport",
    after="tables",
    kind=Annotated[
        Annotated[int, Field(ge=FEWEST, le=MOST), PLAIN] | None,
        BeforeValidator(lambda value: _as_number(value) or None),
        WithJsonSchema(
            {"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": FEWEST, "maximum": MOST}]}
        ),
    ],
    default=None,
    description="measure on simulated tables how often intervals hold the truth, and the size and power of"
    f" the test; true: {USUAL} tables, or their number",
    only_given=True,
    allows_noise=False,
)
KEYS = (PASSPORT_KEY,)
