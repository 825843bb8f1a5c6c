"""The key ``abstention``: decisions of which a part is left to review."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from reporting.document.keys import PLAIN, ConfigSection, fault

Cost = Annotated[float, Field(ge=1e-12, le=1e12), PLAIN]


class ReviewCostKeys(ConfigSection):
    """What wrong decisions and a review cost, in any one unit."""

    false_positive: Cost = Field(default=1.0, description="cost of accepting a non-target")
    false_negative: Cost = Field(default=1.0, description="cost of rejecting a target")
    review: Annotated[float, Field(ge=0, le=1e12), PLAIN] = Field(
        default=0.0, description="cost of a review; above 0 where no capacity limits them"
    )


class AbstentionKeys(ConfigSection):
    """Two thresholds chosen on the development set: accept, review in between, reject.

    A cost, a capacity, or both.
    """

    cost: ReviewCostKeys | None = Field(
        default=None, description="what errors and a review cost; left out: every error 1, a review nothing"
    )
    capacity: Annotated[float, Field(ge=0, le=1), PLAIN] | None = Field(
        default=None, description="share of trials that can be reviewed, such as 0.1"
    )

    @model_validator(mode="after")
    def _limits_reviews(self) -> Self:
        if self.capacity is None and self.cost is None:
            raise fault(
                "expected a cost, such as cost: {review: 0.2}, a capacity, such as capacity: 0.1, or both"
            )
        if self.capacity is None and self.cost is not None and self.cost.review == 0:
            raise fault(
                "a review that costs nothing is always the cheapest decision: give cost.review, in units of"
                " the errors' costs, or a capacity, such as capacity: 0.1"
            )
        return self
