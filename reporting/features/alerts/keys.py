"""The key ``alerts``: the volume of an application, and what a missed target and an alert cost."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from reporting.base.records import dataclass
from reporting.document.keys import PLAIN, ConfigValues, QuestionKey, fault

Amount = Annotated[float, Field(ge=1e-6, le=1e12), PLAIN]


@dataclass(frozen=True)
class Alerts(ConfigValues):
    """How many trials an application has per day; for amounts also what a target and a look cost."""

    per_day: Annotated[Amount, Field(description="trials per day of the application")]
    loss: Annotated[
        Amount | None, Field(description="what a target costs that raises no alert, in any unit of money")
    ] = None
    review: Annotated[
        Amount | None, Field(description="what it costs to look at an alert, in the same unit")
    ] = None

    @model_validator(mode="after")
    def _is_worth_a_look(self) -> Self:
        if (self.loss is None) != (self.review is None):
            raise fault("expected both loss and review, in one unit of money, or neither")
        if self.loss is not None and self.review is not None and self.loss <= self.review:
            raise fault(
                f"a loss of {self.loss:g} is not worth a review of {self.review:g}; expected a loss above it"
            )
        return self


ALERTS_KEY = QuestionKey[Alerts | None](
    name="alerts",
    after="operating_points",
    kind=Alerts | None,
    description="trials per day, for alerts per day at each threshold; with loss and review also what they"
    " save",
    only_given=True,
    allows_noise=False,
)
KEYS = (ALERTS_KEY,)
