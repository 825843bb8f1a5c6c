"""What a detection cost is, as a formula of its own parameters: with its normalisation, prior and costs."""

from __future__ import annotations

from collections.abc import Callable

from reporting.base.contents import show_value
from reporting.base.records import dataclass
from reporting.core.measures.costs import COST_PARAMETERS
from reporting.core.measures.measure import Measure
from reporting.document.words.terms import Terms

NORMALISED = ", normalised"
"""What follows the cost in a definition."""

UNITS = {"trivial": "min(c_miss p_target, c_fa (1 - p_target))", "miss": "(c_miss p_target)"}
RELATIVE = {"trivial": "ignoring the scores", "miss": "rejecting all"}
ACCEPTED_FROM = " are accepted from "


@dataclass(frozen=True)
class CostDefinition:
    """A detection cost in pieces: formulas as written, and words."""

    formula: str
    values: tuple[str, ...]
    relative: str
    """The decision whose cost is 1; empty where the cost is not normalised."""
    accepted: str
    """Which scores are accepted, up to the threshold; empty where another part of the report has that."""
    threshold: str

    def where(self, printed: Callable[[str], str]) -> str:
        """Return the words behind the formula: its values, and the threshold."""
        values = f", with {', '.join(map(printed, self.values))}"
        return f"{values}, where {self.accepted}{printed(self.threshold)} on" if self.accepted else values


def cost_definition(measure: Measure, spoken: Terms) -> CostDefinition | None:
    """Return the definition of a detection cost; None for any other measure."""
    given = measure.arguments
    if not all(parameter.name in given for parameter in COST_PARAMETERS):
        return None
    stem, _, further = spoken.say(measure.definition.partition(";")[0]).partition(NORMALISED)
    lead, of, cost = stem.rpartition(" of ")
    norm = str(given["norm"]) if given["normalised"] else ""
    accepted, begin, threshold = further.partition(", where ")[2].partition(ACCEPTED_FROM)
    return CostDefinition(
        formula=f"{lead}{of}({cost}) / {UNITS[norm]}" if norm else stem,
        values=_values(*(show_value(given[name]) for name in ("p_target", "c_miss", "c_fa"))),
        relative=RELATIVE[norm] if norm else "",
        accepted=f"{accepted}{begin}",
        threshold=threshold.removesuffix(" on"),
    )


def _values(prior: str, miss: str, false_alarm: str) -> tuple[str, ...]:
    first = f"p_target = {prior}"
    if miss == false_alarm:
        return first, f"c_miss = c_fa = {miss}"
    return first, f"c_miss = {miss}", f"c_fa = {false_alarm}"
