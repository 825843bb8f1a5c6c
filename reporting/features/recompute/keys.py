"""The key ``report.recompute``: whether a page holds counts, and how few trials one of them may be of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reporting.document.keys import PLAIN, QuestionKey, true_or

MOST = 1_000_000


RECOMPUTE_KEY = QuestionKey[int | None](
    name="report.recompute",
    after="tables",
    kind=true_or(
        Annotated[int, Field(ge=1, le=MOST), PLAIN], 1, {"type": "integer", "minimum": 1, "maximum": MOST}
    ),
    default=None,
    description="let readers of the page set threshold, prevalence, costs and group: it then holds counts; a"
    " number N merges neighbouring thresholds until at least N trials of a class lie between them",
    only_given=True,
    allows_noise=False,
)
KEYS = (RECOMPUTE_KEY,)
