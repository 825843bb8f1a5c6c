"""The key ``report.recompute``: whether a page holds counts, and how few trials one of them may be of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from reporting.document.keys import PLAIN, QuestionKey

MOST = 1_000_000


def _as_number(value: Any) -> Any:
    """Read true as cells of any size, and false as no counts at all."""
    words = {"true": 1, "false": 0}
    return words.get(str(value).lower(), value)


RECOMPUTE_KEY = QuestionKey[int | None](
    name="report.recompute",
    after="tables",
    kind=Annotated[
        Annotated[int, Field(ge=1, le=MOST), PLAIN] | None,
        BeforeValidator(lambda value: _as_number(value) or None),
        WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 1, "maximum": MOST}]}),
    ],
    default=None,
    description="let readers of the page set threshold, prevalence, costs and group: it then holds counts; a"
    " number N merges neighbouring thresholds until at least N trials of a class lie between them",
    only_given=True,
    allows_noise=False,
)
KEYS = (RECOMPUTE_KEY,)
