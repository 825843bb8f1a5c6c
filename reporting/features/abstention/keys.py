"""The key ``abstention``: decisions of which a part is left to review."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, ValidationInfo, model_validator

from reporting.base.records import dataclass
from reporting.document.keys import PLAIN, ConfigValues, QuestionKey, fault
from reporting.inputs.spec import ACROSS_FOLDS

Cost = Annotated[float, Field(ge=1e-12, le=1e12), PLAIN]


@dataclass(frozen=True)
class ReviewCosts(ConfigValues):
    """What wrong decisions and a review cost, in any one unit."""

    false_positive: Annotated[Cost, Field(description="cost of accepting a non-target")] = 1.0
    false_negative: Annotated[Cost, Field(description="cost of rejecting a target")] = 1.0
    review: Annotated[
        float,
        Field(ge=0, le=1e12, description="cost of a review; above 0 where no capacity limits them"),
        PLAIN,
    ] = 0.0


@dataclass(frozen=True)
class Abstention(ConfigValues):
    """Two thresholds chosen on the development set: accept, review in between, reject.

    A cost, a capacity, or both.
    """

    cost: Annotated[
        ReviewCosts | None,
        Field(description="what errors and a review cost; left out: every error 1, a review nothing"),
    ] = None
    capacity: Annotated[
        Annotated[float, Field(ge=0, le=1), PLAIN] | None,
        Field(description="share of trials that can be reviewed, such as 0.1"),
    ] = None

    @property
    def costs(self) -> ReviewCosts:
        """What errors and a review cost."""
        return self.cost or ReviewCosts()

    @property
    def most_reviewed(self) -> float:
        """The share of trials that may be reviewed."""
        return 1.0 if self.capacity is None else self.capacity

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


def _chooses_on_dev(abstention: Abstention | None, info: ValidationInfo) -> Abstention | None:
    policy = getattr(info.data.get("thresholds"), "policy", "dev")
    if abstention is not None and policy in (*ACROSS_FOLDS, "none"):
        raise fault(
            "two thresholds are chosen on one development set, which thresholds.policy"
            f" {policy!r} has not; expected policy dev, train or split_clients"
        )
    return abstention


ABSTENTION_KEY = QuestionKey[Abstention | None](
    name="abstention",
    after="across",
    kind=Abstention | None,
    description="decisions of which a part is left to review: two thresholds by cost, by capacity, or by"
    " both",
    check=_chooses_on_dev,
    needs_dev=bool,
    only_given=True,
    allows_noise=False,
)
KEYS = (ABSTENTION_KEY,)
